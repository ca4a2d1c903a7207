"""What is made of a study once, and anew whenever its history or who looks at it has changed."""

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from app.core.session import Session
from project.queries.history import newest_mark

Made = TypeVar("Made")


class PerState(Generic[Made]):
    """Remembers the newest for each open study, as long as that is open."""

    def __init__(self, make: Callable[[Session], Made]) -> None:
        self._make = make
        self._known: WeakKeyDictionary[Session, tuple[object, Made]] = WeakKeyDictionary()

    def of(self, session: Session) -> Made:
        """Return what was made of the study as it is now."""
        mark = (newest_mark(session.study), session.annotator_name)
        kept = self._known.get(session)
        if kept is None or kept[0] != mark:
            kept = self._known[session] = (mark, self._make(session))
        return kept[1]
