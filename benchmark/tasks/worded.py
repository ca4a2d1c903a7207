"""What the tasks that word something share: texts of a longest length, and the form of a new question."""

from benchmark.tasks.form import Asked
from project.schemes.scheme import Field, FieldKind

QUESTION_KEY, ANSWER_KEY = "question", "answer"
LONGEST_QUESTION = 300
LONGEST_OPTION = 240


def wrong_key(number: int) -> str:
    """Return the key of a wrong option, from 1."""
    return f"wrong_{number}"


def asked_text(key: str, name: str, longest: int, definition: str = "", *, required: bool = True) -> Asked:
    """Return the wish for a text."""
    return Asked(Field(key, FieldKind.TEXT, name, definition), required, longest)


def asked_question(wrong: int, question: str, answer: str = "The one right answer.") -> tuple[Asked, ...]:
    """Return the wish for a question, its answer and so many wrong options.

    Args:
        wrong: how many.
        question: what it asks.
        answer: what the answer tells.
    """
    return (
        asked_text(QUESTION_KEY, "Question", LONGEST_QUESTION, question),
        asked_text(ANSWER_KEY, "Answer", LONGEST_OPTION, answer),
        *(
            asked_text(wrong_key(number), f"Wrong option {number}", LONGEST_OPTION, "Like the answer, and wrong.")
            for number in range(1, wrong + 1)
        ),
    )
