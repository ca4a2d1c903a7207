"""The words of a study that a model should know how to spell: products, places, terms."""

from app.core.session import Session

PROPERTY = "vocabulary"
LONGEST = 600
"""Characters; a model is told no more than about 220 pieces of words."""


def vocabulary(session: Session) -> str:
    """Return the study's vocabulary as it was typed, in one line; "" where there is none."""
    found = session.study.get_property(PROPERTY)
    return " ".join(found.split())[:LONGEST] if isinstance(found, str) else ""
