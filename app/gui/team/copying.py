"""Makes a copy for an annotator in a thread; in the window's thread it only gets its name."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.commands.splitting import CopyFor, MediaWith
from app.core.session import Session
from app.gui.background import Background
from app.gui.second_look import Look, look
from app.gui.studio import Studio
from project.errors import UserError
from project.progress import Silent
from resources.translation import tr

_TRIES = 3
"""So often it is filled in a thread while somebody edits; after that in the window's own, where nobody can."""


class Copying(QObject):
    """One copy at a time.

    Signals:
        progressed: (int, int, str) how far it is: done, total, what is counted.
        made: (Split) it has its name.
        failed: (UserError) it cannot be made; nothing is left of it.
        ended: it goes on no more, whatever came of it.
    """

    progressed = Signal(int, int, str)
    made = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, studio: Studio, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._background = background
        self._copy: CopyFor | None = None
        self._look: Look | None = None
        self._tries = 0
        studio.leaving.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether a copy is being made."""
        return self._copy is not None

    def begin(self, annotator: str, out: Path, media: MediaWith) -> None:
        """Make one."""
        session = self._studio.session
        if session is None or self.busy:
            return
        try:
            self._copy = CopyFor(session, annotator, out, media)
        except UserError as error:
            self.failed.emit(error)
            return
        self._tries = 0
        self._fill(session, self._copy)

    def cancel(self) -> None:
        """Make it no more; nothing is left of it."""
        if self._look is not None:
            self._look.stop()
        self._end()

    def _fill(self, session: Session, copy: CopyFor) -> None:
        self.progressed.emit(0, 0, tr("Making the copy"))
        self._tries += 1

        self._look = look(
            *(self._background, session, copy.fill, lambda _none: self._finish(session, copy), self._fail),
            lambda done, total, _text: self.progressed.emit(done, total, tr("Megabytes copied")),
        )

    def _finish(self, session: Session, copy: CopyFor) -> None:
        try:
            made = copy.finish(session)
            if made is None and self._tries < _TRIES:
                self._fill(session, copy)
                return
            if made is None:
                copy.fill(session, Silent())
                made = copy.finish(session)
        except UserError as error:
            self._fail(error)
            return
        self._end()
        self.made.emit(made)

    def _fail(self, error: Exception) -> None:
        self._end()
        if not isinstance(error, UserError):
            raise error
        self.failed.emit(error)

    def _end(self) -> None:
        copy, self._copy, self._look = self._copy, None, None
        if copy is not None:
            copy.close()
            self.ended.emit()
