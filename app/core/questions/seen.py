"""What of a question somebody saw who said something about it, and whose word is not asked."""

from collections.abc import Iterable

from project.questions import Question, QuestionKind, Verification, VerificationDecision


def seen_state(question: Question) -> str:
    """Return what a verification is about: the words of a question, and what it was made from."""
    return f"{question.state}/{question.made_from}" if question.made_from else question.state


def is_author(question: Question, annotator_id: str) -> bool:
    """Tell whether somebody wrote a question themselves, so that others have to approve of it."""
    return question.kind is QuestionKind.WRITTEN and question.annotator_id == annotator_id


def kept(question: Question, said: Iterable[Verification]) -> bool:
    """Tell whether a question that a person wrote was kept as it is now, because judges failed at it.

    The author's own row among what was said stands for that; it is no approval.
    """
    return any(
        is_author(question, one.annotator_id)
        and one.decision is VerificationDecision.KEEP
        and one.state == seen_state(question)
        for one in said
    )
