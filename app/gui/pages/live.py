"""A value of the study that is computed in a thread, and computed again as the study changes."""

import logging
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.pages.context import Context
from app.gui.study.background import PendingTask, Read
from project.entities.study_records import Changes
from project.errors import UserError
from resources.translation import tr
from widgets.progress_bars import StatusLine

T = TypeVar("T")
_log = logging.getLogger(__name__)
_EDIT_PAUSE_MS = 400


class LiveState(Enum):
    """How a value stands to the study."""

    EMPTY = auto()
    WORKING = auto()
    CURRENT = auto()
    OUTDATED = auto()
    FAILED = auto()


class Live(QObject, Generic[T]):
    """Computes one value at a time from a second, read-only session; an answer that is no longer wanted is dropped.

    Signals:
        changed (): `state`, `value` or `error` is another.
        finished (object): another value was computed.
        progressed (int, int, str): how far it is, of how many, and what is done.

    Attributes:
        value: the newest one; the one before stays while another is computed.
        error: why there is no newer one.
    """

    changed = Signal()
    finished = Signal(object)
    progressed = Signal(int, int, str)

    def __init__(
        self,
        context: Context,
        parent: QObject,
        tables: frozenset[str],
        prepare: Callable[[], Read[T] | None],
        *,
        wanted: Callable[[], bool] = lambda: True,
        automatic_below_s: float = 0.0,
    ) -> None:
        """Make it; nothing is computed before it is started.

        Args:
            context: of the window.
            parent: which it is part of.
            tables: a change of one of them makes the value out of date.
            prepare: returns what computes the value in a thread; None where nothing is to be computed.
            wanted: whether a value that is out of date is computed again by itself.
            automatic_below_s: computations that take longer wait until somebody asks for them.
        """
        super().__init__(parent)
        self.state = LiveState.EMPTY
        self.value: T | None = None
        self.error = ""
        self.seconds = 0.0
        self._context = context
        self._tables = tables
        self._prepare = prepare
        self._wanted = wanted
        self._automatic_below_s = automatic_below_s
        self._task: PendingTask | None = None
        self._is_stale = False
        self._pause = QTimer(self, singleShot=True, interval=_EDIT_PAUSE_MS)
        self._pause.timeout.connect(self.start)
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self._forget)

    def schedule(self) -> None:
        """Compute after a moment in which nothing else is asked for; what is there does not count meanwhile."""
        self._pause.start()
        if self.value is not None:
            self._set_state(LiveState.WORKING)

    def start(self) -> None:
        """Compute from the study as it is now."""
        session = self._context.studio.session
        read = self._prepare() if session is not None else None
        self.stop()
        if session is None or read is None:
            if self.state is LiveState.WORKING:
                self._set_state(LiveState.CURRENT)
            return
        began = time.monotonic()

        def then(found: T) -> None:
            self.seconds = time.monotonic() - began
            self.value, self.error = found, ""
            self.finished.emit(found)
            self._end(LiveState.CURRENT)

        self._is_stale = False
        self._task = self._context.background.read(session, read, then, self._fail, self.progressed.emit)
        self._set_state(LiveState.WORKING)

    def stop(self) -> None:
        """Drop what is computed."""
        self._pause.stop()
        if self._task is not None:
            self._task.stop()
            self._task = None

    def cancel(self) -> None:
        """Stop on the user's request, and say so."""
        if self.state is not LiveState.WORKING:
            return
        self.stop()
        self.error = tr("Cancelled. Refresh computes the figures.")
        self._set_state(LiveState.FAILED)

    def show_on(self, line: StatusLine, summary: Callable[[T], str]) -> None:
        """Show on a line how the value stands, and what `summary` says of a current one; the line's button cancels."""

        def show() -> None:
            if self.state is LiveState.WORKING:
                line.show_progress(0, 0, tr("Reading the study"))
            elif self.state is LiveState.FAILED:
                line.show_text(self.error)
            elif self.state is LiveState.CURRENT and self.value is not None:
                line.show_text(summary(self.value))
            elif self.state is LiveState.OUTDATED and self.value is not None:
                line.show_text(tr("Out of date: the study has changed. Refresh computes the figures again."))

        self.changed.connect(show)
        self.progressed.connect(line.show_progress)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, UserError):
            self.error = f"{error.message} {error.hint}".strip()
        else:
            _log.error("The figures could not be computed", exc_info=error)
            self.error = tr("The figures could not be computed: {error}").format(error=error)
        self._end(LiveState.FAILED)

    def _end(self, state: LiveState) -> None:
        self._task = None
        self._set_state(LiveState.OUTDATED if self._is_stale and state is LiveState.CURRENT else state)
        if self._is_stale:
            self._compute_again()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if not self._tables & changes.tables.keys() or self.state is LiveState.EMPTY:
            return
        self._is_stale = True
        if self._task is None:
            self._set_state(LiveState.OUTDATED)
            self._compute_again()

    def _compute_again(self) -> None:
        if self._wanted() and self.seconds < self._automatic_below_s:
            self._pause.start()

    def _forget(self) -> None:
        self.stop()
        self.value, self.error = None, ""
        self._set_state(LiveState.EMPTY)

    def _set_state(self, state: LiveState) -> None:
        self.state = state
        self.changed.emit()
