"""Computes the figures of a window in a thread, from a second read-only session of the study."""

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.gui.pages.context import Context
from app.gui.study.background import PendingRead, Read, read_in_background
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr

_log = logging.getLogger(__name__)


class FiguresComputing(QObject):
    """Computes one state of the study at a time; an answer that is no longer wanted is dropped.

    Signals:
        finished (object): the figures.
        working_changed (bool): whether they are computed.
        progressed (int, int, str): how far it is, of how many, and what is done.
        failed (str): why they cannot be.
        outdated (): the study has changed since it was looked at; they are not computed again by themselves.
    """

    finished = Signal(object)
    working_changed = Signal(bool)
    progressed = Signal(int, int, str)
    failed = Signal(str)
    outdated = Signal()

    def __init__(
        self, context: Context, asked: Callable[[Session], Read[object]], matters: frozenset[str], parent: QObject
    ) -> None:
        """Make it.

        Args:
            context: of the window.
            asked: is given the session that is open, and returns what computes the figures in a thread.
            matters: tables that the figures depend on.
            parent: which it is part of.
        """
        super().__init__(parent)
        self._context = context
        self._asked = asked
        self._matters = matters
        self._looking: PendingRead | None = None
        self._changed = False
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self.stop)

    def start(self) -> None:
        """Look at the study as it is now."""
        session = self._context.studio.session
        if session is None:
            return
        self.stop()
        self._changed = False
        self.working_changed.emit(True)
        self._looking = read_in_background(
            *(self._context.background, session, self._asked(session)),
            *(self._on_finished, self._fail, self.progressed.emit),
        )

    def stop(self) -> None:
        """Stop the computation; its answer is dropped."""
        if self._looking is not None:
            self._looking.stop()
            self._looking = None

    def cancel(self) -> None:
        """Stop on the user's request, and say so."""
        self.stop()
        self._end(tr("Cancelled. Refresh computes the figures."))

    def _on_finished(self, found: object) -> None:
        self.finished.emit(found)
        self._end()

    def _fail(self, error: Exception) -> None:
        if isinstance(error, UserError):
            self._end(str(error))
            return
        _log.error("The figures could not be computed", exc_info=error)
        self._end(tr("The figures could not be computed: {error}").format(error=error))

    def _end(self, why: str = "") -> None:
        self._looking = None
        self.working_changed.emit(False)
        if self._changed:
            self.outdated.emit()
        if why:
            self.failed.emit(why)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if self._matters & changes.tables.keys():
            self._changed = True
            if self._looking is None:
                self.outdated.emit()
