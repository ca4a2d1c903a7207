"""Harder wrong options that judges propose, and whether they can be taken over."""

from collections.abc import Collection
from dataclasses import dataclass

from app.core.questions.hardening.reading import Reading
from app.core.questions.hardening.scores import answer_of
from app.core.questions.hardening.steps import DISTRACTORS, STEPS
from benchmark.questions.base import Draft
from benchmark.questions.validity import why_not
from project.judging import JudgmentStatus
from project.queries.question_scores import Given
from project.questions import Question, WrongOption

MOST_PLAUSIBLE = 100
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one judge proposes for a question as it is now.

    Attributes:
        judge: its name when it answered.
        wrong: the most plausible first.
        why_not: why it cannot be taken over, in one sentence; "" where it can.
    """

    judgment_id: str
    question_id: str
    judge: str
    wrong: tuple[WrongOption, ...]
    why_not: str


def proposals_for(reading: Reading, question: Question) -> list[Proposal]:
    """Return what judges propose for a question as it is now, newest first; of each judge its newest."""
    found: dict[str, Proposal] = {}
    for one in reading.said.get((question.id, STEPS[DISTRACTORS].task), ()):
        if one.status is JudgmentStatus.OK and one.judge_id not in found:
            wrong = wrong_in(one, len(question.wrong))
            name = reading.judge(one.judge_id, one.judge).name
            found[one.judge_id] = Proposal(one.id, question.id, name, wrong, why_not_taken(question, wrong))
    return [*found.values()]


def why_not_taken(question: Question, wrong: Collection[WrongOption]) -> str:
    """Return why wrong options cannot take the place of those that a question has, in a sentence; "" where they can."""
    if len(wrong) != len(question.wrong):
        return f"It proposes {len(wrong)} wrong options that can be read, and the question has {len(question.wrong)}."
    draft = Draft(question.kind, question.aspect, question.covers, question.text, question.answer, tuple(wrong))
    return why_not(draft, len(question.wrong) + 1)


def hardened(reading: Reading, question_ids: Collection[str]) -> frozenset[str]:
    """Return which of some questions have the wrong options that a judge proposed, all of them."""
    said = reading.of_any_state(STEPS[DISTRACTORS].task)
    found = set()
    for key in question_ids:
        question = reading.questions[key]
        now = {one.text for one in question.wrong}
        proposed = ({each.text for each in wrong_in(one, len(question.wrong))} for one in said.get(key, ()))
        if any(one == now for one in proposed):
            found.add(key)
    return frozenset(found)


def wrong_in(one: Given, count: int) -> tuple[WrongOption, ...]:
    """Return the wrong options in an answer, the most plausible first; what cannot be read is left out.

    Args:
        one: an answer to the task of harder distractors.
        count: how many are asked for.
    """
    answer = answer_of(one)
    found = []
    for number in range(1, count + 1):
        text, likely = answer.get(f"wrong_{number}"), answer.get(f"plausibility_{number}")
        if not isinstance(text, str) or not (plain := " ".join(text.split())) or len(plain) > _LONGEST:
            continue
        known = isinstance(likely, int) and not isinstance(likely, bool) and 0 <= likely <= MOST_PLAUSIBLE
        found.append(WrongOption(plain, likely if known and isinstance(likely, int) else None))
    return tuple(sorted(found, key=lambda each: -1 if each.plausibility is None else each.plausibility, reverse=True))
