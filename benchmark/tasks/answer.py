"""A question with options, answered."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.options import QUESTION, choices_of, why_no_question
from project.judging import Modality, Subject
from project.schemes.scheme import Field, FieldKind
from project.types import Json

KEY = "answer"


class Answer:
    """Which option is right (R3-VQA, section 4.1; ESI-Bench, appendix A.2)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Answer"
    description: ClassVar[str] = "Which option of a question is right."
    prompt: ClassVar[str] = KEY
    subject: ClassVar[Subject] = Subject.QUESTION
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = ()

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no question, or fewer than two options."""
        return why_no_question(item)

    def spec(self, item: Item) -> FormSpec:
        """Return one letter."""
        return FormSpec(KEY, (Asked(Field(KEY, FieldKind.CHOICE, "Right option", "", choices_of(item)), True),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the question."""
        assert item.question is not None
        return {QUESTION: item.question.text}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the letter of the right option."""
        assert item.question is not None
        return {KEY: item.question.letter}
