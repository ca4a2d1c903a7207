"""Harder wrong options for a question."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.options import ANSWER, QUESTION, OfQuestions
from benchmark.tasks.worded import LONGEST_OPTION, asked_text, wrong_key
from project.schemes.scheme import Field, FieldKind

KEY = "distractors"
MOST_PLAUSIBLE = 100


class Distractors(OfQuestions):
    """Wrong options that tempt, each with how plausible it is (ESI-Bench, appendix A.1.4).

    The judge knows the answer, so that none of its options can be as good.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Wrong options"
    description: ClassVar[str] = "Harder wrong options for a question, each with how plausible it is."
    prompt: ClassVar[str] = KEY

    def spec(self, item: Item) -> FormSpec:
        """Return as many wrong options as the question has, and a number from 0 to 100 for each."""
        assert item.question is not None
        asked: list[Asked] = []
        for number in range(1, len(item.question.wrong) + 1):
            name = f"Plausibility of wrong option {number}"
            told = "How easily somebody who did not follow closely would take it for the answer."
            scale = Field(plausibility_key(number), FieldKind.SCALE, name, told, maximum=MOST_PLAUSIBLE)
            asked += [asked_text(wrong_key(number), f"Wrong option {number}", LONGEST_OPTION), Asked(scale, True)]
        return FormSpec(KEY, tuple(asked))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the question and its answer."""
        assert item.question is not None
        return {QUESTION: item.question.text, ANSWER: item.question.answer}


def plausibility_key(number: int) -> str:
    """Return the key of the plausibility of a wrong option, from 1."""
    return f"plausibility_{number}"
