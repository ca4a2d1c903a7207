"""The edit of whether judges stay hidden from an annotator until they have said their own."""

from app.core.judging.annotators.reveals import BLIND_FIRST, blind_first
from app.core.session import Session
from project.types import Changes


def set_blind_first(session: Session, on: bool) -> Changes:
    """Hide what judges say until an annotator's own is saved, or show it at once.

    Raises:
        UserError: the study is open for reading only.
    """
    with session.step("Hide judges until one's own is saved" if on else "Show judges at once") as step:
        if on != blind_first(session):
            session.study.set_property(BLIND_FIRST, on)
    return step.changes
