"""How many questions survive each step, and why the others fell."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from app.core.questions.hardening.fates import Fate, Verdict, fate_of
from app.core.questions.hardening.proposals import hardened
from app.core.questions.hardening.reading import Reading, read
from app.core.questions.hardening.rules import Rule, anything_decides
from app.core.questions.hardening.steps import DISTRACTORS, STEPS, Step, step_called
from app.core.session import Session
from project.queries.history import newest_mark
from project.queries.question_scores import newest_judgment
from project.queries.questions import question_rows
from project.types import Json


@dataclass(frozen=True)
class Stage:
    """One step of a funnel.

    Attributes:
        rule: of the study, for this step.
        fates: of the questions that reach the step, by id, in the order in which they were made.
        taken_over: questions whose wrong options are those that a judge proposed; empty but at that step.
    """

    step: Step
    rule: Rule
    fates: Mapping[str, Fate]
    taken_over: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The step's key."""
        return self.step.key

    @property
    def entered(self) -> tuple[str, ...]:
        """Questions that reach it."""
        return (*self.fates,)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """Questions that go on."""
        return tuple(key for key, one in self.fates.items() if one.verdict is Verdict.KEPT)

    @cached_property
    def fallen(self) -> dict[str, str]:
        """Question -> why it falls."""
        return {key: one.reason for key, one in self.fates.items() if one.verdict is Verdict.FELL}

    @cached_property
    def open(self) -> dict[str, str]:
        """Question -> why nothing can be said yet. It does not go on."""
        return {key: one.reason for key, one in self.fates.items() if one.verdict is Verdict.OPEN}

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "step": self.key,
            "name": self.step.name,
            "in": len(self.fates),
            "kept": len(self.kept),
            "fell": len(self.fallen),
            "open": len(self.open),
            "rule": self.rule.as_json(),
            "needs": self.step.needs.value,
            "taken_over": len(self.taken_over),
            "fallen": [_fate_json(key, self.fates[key]) for key in self.fallen],
            "waiting": [_fate_json(key, self.fates[key]) for key in self.open],
        }


@dataclass(frozen=True)
class Funnel:
    """Steps one after another: each is reached by what the one before keeps."""

    steps: tuple[Stage, ...]
    questions: tuple[str, ...]

    @property
    def survivors(self) -> tuple[str, ...]:
        """Questions that every step keeps."""
        return self.steps[-1].kept if self.steps else self.questions

    def at(self, step: str) -> Stage:
        """Return one step of it."""
        return next(one for one in self.steps if one.key == step)


def funnel(session: Session, question_ids: Collection[str] = (), steps: Sequence[str] = ()) -> Funnel:
    """Return how many questions survive each step.

    Args:
        session: of the study.
        question_ids: that are looked at; all of the study where empty.
        steps: keys of `steps.STEPS`; all where empty. They come in the order of the registry.

    Raises:
        UserError: there is no such step, or the study is damaged.
    """
    return funnel_of(read(session), question_ids, steps)


def funnel_of(reading: Reading, question_ids: Collection[str] = (), steps: Sequence[str] = ()) -> Funnel:
    """Do what `funnel` does, from what was read before; in any thread.

    Raises:
        UserError: there is no such step.
    """
    wanted = {step_called(key).key for key in steps}
    chosen = [one for key, one in STEPS.items() if not wanted or key in wanted]
    asked = {*question_ids}
    start = tuple(key for key in reading.questions if not asked or key in asked)
    stages: list[Stage] = []
    going = start
    for step in chosen:
        fates = {key: fate_of(reading, step, reading.questions[key]) for key in going}
        taken = hardened(reading, going) if step.key == DISTRACTORS else frozenset()
        stages.append(Stage(step, reading.rules[step.key], fates, taken))
        going = stages[-1].kept
    return Funnel(tuple(stages), start)


def deciding(reading: Reading) -> tuple[str, ...]:
    """Return the steps that decide in a study which questions go on."""
    return tuple(key for key in STEPS if reading.rules[key].decides)


def survivors_of(reading: Reading) -> frozenset[str]:
    """Return the questions that every step which decides keeps; all where none does."""
    steps = deciding(reading)
    return frozenset(funnel_of(reading, (), steps).survivors) if steps else frozenset(reading.questions)


def survives(session: Session) -> set[str]:
    """Return the questions that go on to verification and export.

    Those that every step keeps that decides in this study. Where none does, as in a study that was never filtered and
    in an annotator's copy, that is all of them. A question that is open at such a step does not go on; it stays in the
    study.

    Raises:
        UserError: the study is damaged.
    """
    if not anything_decides(session.study):
        return {str(row[0]) for row in question_rows(session.study)}
    mark = (newest_mark(session.study), newest_judgment(session.study), session.annotator_name)
    kept = _SURVIVORS.get(session)
    if kept is None or kept[0] != mark:
        kept = _SURVIVORS[session] = (mark, survivors_of(read(session)))
    return {*kept[1]}


_SURVIVORS: WeakKeyDictionary[Session, tuple[object, frozenset[str]]] = WeakKeyDictionary()
"""Of each open study, as it was at a mark: a queue asks often, and reads thousands of answers otherwise."""


def _fate_json(question_id: str, one: Fate) -> dict[str, Json]:
    return {
        "question": question_id,
        "why": one.reason,
        "value": one.value,
        "scores": [{"judge": each.judge, "value": each.value, "said": each.text} for each in one.scores],
    }
