"""What the funnel is computed from: read in the study's thread, computed in any."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from app.core.questions.hardening.duplicates import alike
from app.core.questions.hardening.rules import Rule, rules_of
from app.core.questions.hardening.steps import DUPLICATES, STEPS
from app.core.session import Session
from project.judging import JudgmentStatus
from project.queries.question_scores import Given, given_about, given_in, given_rows, judges_behind, newest_judgment
from project.queries.questions import question_rows, questions_in
from project.questions import Maker, Question
from project.store import Row
from project.types import Json

if TYPE_CHECKING:
    from app.core.questions.hardening.fates import Fate

_TASKS = tuple(dict.fromkeys(one.task for one in STEPS.values() if one.key != DUPLICATES))
_PIECE = 2_000
"""Judgments that are read at a time."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A judge as it was when it answered.

    Attributes:
        model: what it is, whatever it is called here; "" where it is no model.
    """

    id: str
    name: str
    backend: str
    model: str
    settings: Mapping[str, Json]


class Reading:
    """Questions of a study with what was said about them.

    Attributes:
        questions: by id, in the order in which they were made.
        rules: of the study, by step.
        fates: (step, question) -> what was found out to become of it (`fates.fate_of`).
    """

    def __init__(
        self,
        questions: Sequence[Question],
        given: Sequence[Given],
        makers: Mapping[str, tuple[str, str]],
        rules: Mapping[str, Rule],
    ) -> None:
        self.questions = {one.id: one for one in questions}
        self.rules = dict(rules)
        self.fates: dict[tuple[str, str], Fate] = {}
        self._given = given
        self._makers = makers
        self._judges: dict[tuple[str, str], Asked] = {}

    @cached_property
    def likeness(self) -> dict[str, tuple[int, str]]:
        """Of all questions, see `duplicates.alike`."""
        return alike([*self.questions.values()])

    @cached_property
    def states(self) -> dict[str, str]:
        """Question -> its state now."""
        return {key: one.state for key, one in self.questions.items()}

    @cached_property
    def said(self) -> dict[tuple[str, str], list[Given]]:
        """(question, task) -> what was said about the question as it is now, newest first, failures left out."""
        found: dict[tuple[str, str], list[Given]] = {}
        for one in self._given:
            if one.state == self.states.get(one.question_id) and one.status is not JudgmentStatus.ERROR:
                found.setdefault((one.question_id, one.task), []).append(one)
        for each in found.values():
            each.sort(key=lambda one: (one.at, one.id), reverse=True)
        return found

    def of_any_state(self, task: str) -> dict[str, list[Given]]:
        """Return question -> what was answered in a task about it, also as it was before, newest first."""
        found: dict[str, list[Given]] = {}
        for one in self._given:
            if one.task == task and one.status is JudgmentStatus.OK and one.question_id in self.questions:
                found.setdefault(one.question_id, []).append(one)
        for each in found.values():
            each.sort(key=lambda one: (one.at, one.id), reverse=True)
        return found

    def judge(self, judge_id: str, entry: str) -> Asked:
        """Return a judge as it was; `entry` is its JSON."""
        key = (judge_id, entry)
        if key not in self._judges:
            self._judges[key] = asked(judge_id, entry)
        return self._judges[key]

    def maker(self, question: Question) -> Asked | None:
        """Return the judge that worded a question; None where a person or rules did, or nobody knows which it was."""
        known = self._makers.get(question.judgment_id)
        return None if known is None else self.judge(*known)

    def why_not_by(self, question: Question, judge: Asked) -> str:
        """Return why a judge cannot give a question a score as a second judge, in one sentence; "" where it can."""
        if question.maker is not Maker.JUDGE and not question.judgment_id:
            return ""
        maker = self.maker(question)
        if maker is None:
            return "Which judge made it is not known, so no other can be its second judge."
        if judge.id == maker.id:
            return f"{judge.name} made it: another judge has to score it."
        if judge.model and judge.model == maker.model:
            return f"{judge.name} is the model that made it: another one has to score it."
        return ""


def asked(judge_id: str, entry: str) -> Asked:
    """Read the JSON of a judge's entry; what cannot be read is a judge without a name."""
    try:
        found = json.loads(entry)
    except ValueError:
        found = None
    values = found if isinstance(found, dict) else {}
    settings = values.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    model = str(values.get("model") or "").strip().casefold()
    return Asked(judge_id, str(values.get("name") or "A judge"), str(values.get("backend") or ""), model, settings)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was read of a study, as it is stored."""

    questions: Sequence[Row]
    given: Sequence[Row]
    makers: Mapping[str, tuple[str, str]]
    rules: Mapping[str, Rule]

    def reading(self) -> Reading:
        """Return it as questions and judgments; any thread may do it.

        Raises:
            UserError: a question is damaged.
        """
        return Reading(questions_in(self.questions), given_in(self.given), self.makers, self.rules)


class Gatherer:
    """Reads a study in pieces that are short, so that a window does not stand still; of judgments only new ones."""

    def __init__(self, session: Session) -> None:
        self._study = session.study
        self._given: list[Row] = []
        self._last = 0

    def more(self) -> bool:
        """Read one piece of the judgments; tells whether there is another."""
        newest = newest_judgment(self._study)
        upto = min(newest, self._last + _PIECE)
        self._given += given_rows(self._study, _TASKS, self._last, upto)
        self._last = upto
        return upto < newest

    def gathered(self) -> Gathered:
        """Return what was read, with questions and rules as they are now.

        Raises:
            UserError: the study is damaged.
        """
        study = self._study
        return Gathered(question_rows(study), tuple(self._given), judges_behind(study), rules_of(study))


def read(session: Session) -> Reading:
    """Read what the funnel of a study is computed from.

    Raises:
        UserError: the study is damaged.
    """
    gatherer = Gatherer(session)
    while gatherer.more():
        pass
    return gatherer.gathered().reading()


def read_about(session: Session, question: Question) -> Reading:
    """Read what was said about one question, and the rules of the study.

    Raises:
        UserError: the study is damaged.
    """
    study = session.study
    makers = judges_behind(study, question.id)
    return Reading([question], given_in(given_about(study, _TASKS, question.id)), makers, rules_of(study))
