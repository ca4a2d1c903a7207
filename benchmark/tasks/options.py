"""What the tasks about questions share: the options as choices."""

from benchmark.tasks.base import Item
from project.questions import LETTERS
from project.schemes.scheme import Choice

QUESTION = "Question"
"""What a question is called where it is told."""


def why_no_question(item: Item) -> str:
    """Return why nothing can be asked about a question; "" where it can."""
    if item.question is None:
        return "This is asked about questions."
    if not 1 <= len(item.question.wrong) < len(LETTERS):
        return f"This question has {len(item.question.wrong)} wrong options."
    return ""


def choices_of(item: Item) -> tuple[Choice, ...]:
    """Return the options as they are shown, a letter each."""
    assert item.question is not None
    return tuple(Choice(letter, text) for letter, text in zip(LETTERS, item.question.options, strict=False))
