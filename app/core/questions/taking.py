"""From what judges wrote to questions of a study: what both makers by judges share."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.chains.drawing import one_line
from app.core.questions.called import called_in, with_pseudonyms
from app.core.questions.making import Made
from app.core.session import Session
from benchmark.questions.base import Draft
from benchmark.questions.validity import why_not
from benchmark.tasks.worded import ANSWER_KEY, QUESTION_KEY, wrong_key
from project.judging import Judgment, JudgmentStatus
from project.queries.questions import all_questions
from project.questions import Question, QuestionKind, WrongOption
from project.types import Json, Participant

THERE = "It is there already."
NO_ANSWER = "The judge gave no answer that could be read."
OTHER_TASK = "It is the answer to another task."
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Signs that nobody sees and that turn the direction of writing, so that a text reads as another one."""


@dataclass
class Intake:
    """What was taken in so far, and why the rest was not.

    Attributes:
        skipped: a reason in one sentence -> how many.
        used: ids of judgments that questions of the study were made from.
    """

    session: Session
    skipped: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)
    _called: dict[tuple[str, str], dict[str, Participant]] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Session) -> "Intake":
        """Return an empty one for a study."""
        return cls(session, used={one.judgment_id for one in all_questions(session.study) if one.judgment_id})

    def usable(self, judgments: Iterable[Judgment], task: str) -> list[Judgment]:
        """Return the answers to a task that were read and that no question was made from; counts the others."""
        found = []
        for one in {one.id: one for one in judgments}.values():
            if one.task != task:
                self.skipped[OTHER_TASK] += 1
            elif one.status is not JudgmentStatus.OK:
                self.skipped[NO_ANSWER] += 1
            elif one.id in self.used:
                self.skipped[THERE] += 1
            else:
                found.append(one)
        return found

    def draft(
        self, said: Judgment, kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int
    ) -> Draft | None:
        """Return what a judge worded; None, and a reason counted, where it cannot be used."""
        key = (said.recording_id, said.condition)
        if key not in self._called:
            self._called[key] = called_in(self.session, *key)
        worded = _draft(said.answer, kind, aspect, covers, options)
        made = _renamed(worded, self._called[key])
        # In both forms: two options that differ as `the User` and `the user` do say the same before and not after.
        if reason := why_not(worded, options) or why_not(made, options):
            self.skipped[reason] += 1
            return None
        return made

    def made(self, questions: Sequence[Question], kinds: Sequence[QuestionKind]) -> Made:
        """Return what came of it."""
        counts = Counter(one.kind.value for one in questions)
        return Made(
            dict.fromkeys((one.value for one in kinds), 0) | counts,
            tuple(one.id for one in questions),
            dict(self.skipped),
        )


def _draft(answer: Mapping[str, Json], kind: QuestionKind, aspect: str, covers: tuple[str, ...], options: int) -> Draft:
    keys = [wrong_key(number) for number in range(1, options)]
    wrong = tuple(WrongOption(_text(answer[key])) for key in keys if key in answer)
    return Draft(kind, aspect, covers, _text(answer.get(QUESTION_KEY)), _text(answer.get(ANSWER_KEY)), wrong)


def _text(said: Json) -> str:
    return one_line(_TURNING.sub("", said)) if isinstance(said, str) else ""


def _renamed(draft: Draft, called: Mapping[str, Participant]) -> Draft:
    return replace(
        draft,
        text=with_pseudonyms(draft.text, called),
        answer=with_pseudonyms(draft.answer, called),
        wrong=tuple(replace(one, text=with_pseudonyms(one.text, called)) for one in draft.wrong),
    )
