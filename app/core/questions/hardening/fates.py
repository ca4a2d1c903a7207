"""Whether a question is kept at a step, falls there, or is open, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.questions.hardening.reading import Reading
from app.core.questions.hardening.rules import Rule, Several
from app.core.questions.hardening.scores import Score, scores_of
from app.core.questions.hardening.steps import DUPLICATES, OPTIONS_ONLY, REVIEW, STABILITY, Needs, Step
from project.questions import Question


class Verdict(StrEnum):
    """What becomes of a question at a step."""

    KEPT = "kept"
    FELL = "fell"
    OPEN = "open"
    """No answer that can be counted is there. It goes no further."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one question at one step.

    Attributes:
        value: that was held against the limit; None where there is none.
        reason: one line for people, without a full stop at its end.
        scores: what each judge says, by name.
    """

    verdict: Verdict
    value: float | None
    reason: str
    scores: tuple[Score, ...] = ()


def fate_of(reading: Reading, step: Step, question: Question) -> Fate:
    """Return what becomes of a question at a step, by the study's rule for it."""
    key = (step.key, question.id)
    if key not in reading.fates:
        reading.fates[key] = _fate(reading, step, question)
    return reading.fates[key]


def _fate(reading: Reading, step: Step, question: Question) -> Fate:
    rule = reading.rules[step.key]
    if step.needs is Needs.NOTHING:
        return Fate(Verdict.KEPT, None, "")
    if step.key == DUPLICATES:
        return _likeness(reading, step, rule, question)
    scores = scores_of(reading, step, question)
    if rule.judges:
        scores = [one for one in scores if one.judge_id in rule.judges]
    silent = len({*rule.judges} - {one.judge_id for one in scores})
    values = [one.value for one in scores if one.value is not None]
    said = ", ".join(f"{one.judge} {one.text}" for one in scores)
    if not scores:
        return Fate(Verdict.OPEN, None, _nobody(reading, step, question))
    open_ = len(values) < len(scores) or silent > 0
    if rule.several is Several.MEAN:
        if open_:
            return Fate(Verdict.OPEN, None, _unfinished(said, silent), tuple(scores))
        value = sum(values) / len(values)
    else:
        worst = [one for one in values if not step.holds(one, rule.limit)]
        if open_ and not worst:
            return Fate(Verdict.OPEN, None, _unfinished(said, silent), tuple(scores))
        value = min(values) if step.needs is Needs.LEAST else max(values)
    verdict = Verdict.KEPT if step.holds(value, rule.limit) else Verdict.FELL
    return Fate(verdict, value, _told(step, rule, value, said, scores), tuple(scores))


def chance_of(step: Step, rule: Rule, options: int) -> float | None:
    """Return how likely a question falls though the judge only guesses among so many options; None for other steps.

    The chance that more than `limit` percent of `runs` independent guesses are right (binomial).
    """
    from math import comb

    if step.key != OPTIONS_ONLY or options < 1:
        return None
    p, n = 1 / options, rule.runs
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if not step.holds(100 * k / n, rule.limit))


def _likeness(reading: Reading, step: Step, rule: Rule, question: Question) -> Fate:
    value, other = reading.likeness.get(question.id, (0, ""))
    verdict = Verdict.KEPT if step.holds(value, rule.limit) else Verdict.FELL
    reason = f"{value} % alike: “{reading.questions[other].text}”" if other else "Like no other"
    return Fate(verdict, float(value), reason)


def _told(step: Step, rule: Rule, value: float, said: str, scores: Sequence[Score]) -> str:
    if step.key == STABILITY:
        return f"Answered {said}"
    mean = f"mean {value:.4g}: " if len(scores) > 1 and rule.several is Several.MEAN else ""
    return f"{mean}{said}"


def _unfinished(said: str, silent: int) -> str:
    missing = ""
    if silent:
        missing = "a judge that counts has not answered" if silent == 1 else f"{silent} judges have not answered"
    return "; ".join(part for part in (said, missing) if part)


def _nobody(reading: Reading, step: Step, question: Question) -> str:
    if step.key == REVIEW:
        for one in reading.said.get((question.id, step.task), ()):
            if why := reading.why_not_by(question, reading.judge(one.judge_id, one.judge)):
                return why.rstrip(".")
    return "Not asked yet, or the question was changed since"
