"""Reads the study in a thread, from a second look into its file, so that the window stays awake."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TypeVar

from app.core.session import Session
from app.gui.background import Background, Failed
from app.gui.stoppable import Stoppable
from project.progress import Progress

Found = TypeVar("Found")
Read = Callable[[Session, Progress], Found]
Show = Callable[[int, int, str], None]


class Look:
    """One reading; once it is stopped, nothing of it is told any more.

    Attributes:
        unwanted: set once nobody wants it any more.
    """

    def __init__(self) -> None:
        self.unwanted = Event()

    @property
    def stopped(self) -> bool:
        """Whether nobody wants it any more."""
        return self.unwanted.is_set()

    def stop(self) -> None:
        """Want it no more; it ends where it looks for that."""
        self.unwanted.set()


def look(
    background: Background,
    session: Session,
    read: Read[Found],
    then: Callable[[Found], None],
    failed: Failed,
    show: Show | None = None,
) -> Look:
    """Call `read(second, progress)` in a thread, then `then(result)` or `failed`; returns what stops it.

    The second look shows the study as it is on disk, seen with the same eyes.

    Args:
        background: runs the thread, and calls back in the window's thread.
        session: of the study that is open in the window.
        read: is given a read-only session that is closed after it.
        then: is given what was found.
        failed: is given why nothing was found.
        show: is told in the window's thread how far it is: done, total, text.
    """
    path, name, made = session.study.path, session.annotator_name, Look()

    def found(result: Found) -> None:
        if not made.stopped:
            then(result)

    def fail(error: Exception) -> None:
        if not made.stopped:
            failed(error)

    def told(done: int, total: int, text: str) -> None:
        if show is not None and not made.stopped:
            show(done, total, text)

    background.run(lambda progress: _read(path, name, read, Stoppable(progress, made.unwanted)), found, fail, told)
    return made


def _read(path: Path, name: str, read: Read[Found], progress: Progress) -> Found:
    with Session.open(path, name, read_only=True) as second:
        return read(second, progress)
