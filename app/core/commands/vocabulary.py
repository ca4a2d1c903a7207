"""The edit of a study's vocabulary."""

from app.core.session import Session
from app.core.speech.vocabulary import LONGEST, PROPERTY, vocabulary
from project.errors import UserError
from project.types import Changes


def set_vocabulary(session: Session, text: str) -> Changes:
    """Keep words for recognition, such as `Greenroom, Ada Lovelace Centre`; "" forgets them.

    Raises:
        UserError: there are too many.
    """
    words = " ".join(text.split())
    if len(words) > LONGEST:
        raise UserError(
            f"A vocabulary has {LONGEST} characters at most, and this one has {len(words)}.", "Leave out usual words."
        )
    if words == vocabulary(session):
        return Changes()
    with session.step("Set vocabulary") as step:
        session.study.set_property(PROPERTY, words)
    return step.changes
