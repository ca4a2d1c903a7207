"""What the tasks about questions share: what is told of a question, and its options as choices."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked
from project.judging import Modality, Subject
from project.questions import LETTERS
from project.schemes.scheme import Choice, Field, FieldKind
from project.types import Json

QUESTION, ANSWER, OPTIONS, RIGHT = "Question", "Its answer", "Its options", "Right option"
"""What the parts of a question are called where they are told."""


class OfQuestions:
    """What tasks about questions share."""

    subject: ClassVar[Subject] = Subject.QUESTION
    shows: ClassVar[Modality] = Modality.BOTH
    material: ClassVar[tuple[str, ...]] = ()

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no question, or its options cannot be told apart."""
        return why_no_question(item)

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the question."""
        assert item.question is not None
        return {QUESTION: item.question.text}

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: a question does not say how good it is."""
        return {}


def why_no_question(item: Item) -> str:
    """Return why nothing can be asked about a question; "" where it can."""
    if item.question is None:
        return "This is asked about questions."
    if not 1 <= len(item.question.wrong) < len(LETTERS):
        return f"This question has {len(item.question.wrong)} wrong options."
    options = [" ".join(one.casefold().split()) for one in item.question.options]
    if len({*options}) < len(options):
        # Also where two differed in nothing but what is personal, and are told without it.
        return "Two options of this question are the same as they would be told."
    return ""


def choices_of(item: Item) -> tuple[Choice, ...]:
    """Return the options as they are shown, a letter each."""
    assert item.question is not None
    return tuple(Choice(letter, text) for letter, text in zip(LETTERS, item.question.options, strict=False))


def asked_letter(item: Item, key: str) -> Asked:
    """Return the question for the letter of the right option."""
    return Asked(Field(key, FieldKind.CHOICE, RIGHT, "", choices_of(item)), True)


def told_options(item: Item) -> str:
    """Return the options with their letters, a line each."""
    return "\n".join(f"{one.key}: {' '.join(one.name.split())}" for one in choices_of(item))


def told_right(item: Item) -> str:
    """Return the right option with its letter."""
    assert item.question is not None
    return f"{item.question.letter}: {item.question.answer}"
