"""A question with options, answered."""

from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import FormSpec
from benchmark.tasks.options import OfQuestions, asked_letter
from project.types import Json

KEY = "answer"


class Answer(OfQuestions):
    """Which option is right (R3-VQA, section 4.1; ESI-Bench, appendix A.2)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Answer"
    description: ClassVar[str] = "Which option of a question is right."
    prompt: ClassVar[str] = KEY

    def spec(self, item: Item) -> FormSpec:
        """Return one letter."""
        return FormSpec(KEY, (asked_letter(item, KEY),))

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the letter of the right option."""
        assert item.question is not None
        return {KEY: item.question.letter}
