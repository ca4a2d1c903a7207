"""The base of pages and windows about the study: when they read it, where they say what happened, and their foot."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.gui.pages.context import Context
from app.gui.pages.figure_export import PlotExporter
from app.gui.pages.live import Live, LiveState
from app.gui.study.background import Read, in_turn
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import close_button
from widgets.form.layouts import WIDE_MARGIN, LayoutPart, bounded_to_screen, make_column, make_row
from widgets.progress_bars import StatusLine
from widgets.text_labels import PlainLabel

T = TypeVar("T")


class StudyView(QWidget):
    """Reads the study while it is visible; what changes while it is hidden is read when it is shown.

    Signals:
        visible_changed (bool): the view was shown, or hidden.

    Attributes:
        title: of the window or tab.
        tables: a change of one of them makes the view out of date.
        preferred_size: width and height of a window, in pixels.
        pause_ms: how long edits pause before they are read; None reads each at once, as those of the view are.
        follows_recording: whether the view is about the recording that is shown.
        reads_in_turn: whether the study is read in a turn of its own after the view is shown, which took long to make.
        status: says what came of the last action, at the foot.
    """

    visible_changed = Signal(bool)
    title = ""
    tables: frozenset[str] = frozenset()
    preferred_size: tuple[int, int] | None = None
    pause_ms: int | None = None
    follows_recording = False
    reads_in_turn = False

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self._is_stale = True
        self._foot: QHBoxLayout | None = None
        self._close_at = -1
        self._pause = QTimer(self, singleShot=True, interval=self.pause_ms or 0)
        self._pause.timeout.connect(self.refresh)
        self.setWindowTitle(self.title)
        self.setAccessibleName(self.title)
        self.setAutoFillBackground(True)
        self.status: PlainLabel | StatusLine = PlainLabel(wordWrap=True, accessibleName=tr("State"))
        self._studio.bridge.changed.connect(self._on_changed)
        self._studio.session_changed.connect(self.refresh)
        self._studio.leaving.connect(self._pause.stop)
        if self.follows_recording:
            self._studio.recording_changed.connect(self.refresh)
        if self.preferred_size is not None:
            self.resize(bounded_to_screen(QSize(*map(theme.scaled, self.preferred_size)), self))

    def reload(self, session: Session) -> None:
        """Show the study as it is now."""

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        """Take note of changes, also while hidden; tells whether they make the view out of date."""
        return bool(self.tables & changes.tables.keys())

    def refresh(self) -> None:
        """Read the study again, now or when the view is shown."""
        self._is_stale = True
        session = self._studio.session
        if session is None or not self.isVisible():
            return
        self._pause.stop()
        self._is_stale = False
        try:
            self.reload(session)
        except UserError as error:
            self.show_error(error)

    def refresh_later(self, *_about: object) -> None:
        """Read the study again once edits pause."""
        self._is_stale = True
        self._pause.start()

    def tell(self, said: str | UserError) -> None:
        """Say what happened."""
        if isinstance(self.status, StatusLine):
            self.status.show_text(str(said))
        else:
            self.status.setText(str(said))

    def show_error(self, error: UserError) -> None:
        """Show why something could not be done here."""
        if self.status.parent() is None:
            self._studio.failed.emit(error)
        else:
            self.tell(error)

    def edit(self, command: Callable[[Session], Changes | None]) -> bool:
        """Run a command on the study; returns whether it was done, and else says why not."""
        self.tell("")
        return self._studio.edit(command, self)

    def lay_out(self, *parts: LayoutPart, foot: tuple[LayoutPart, ...] = ()) -> None:
        """Lay parts out below one another, each with its stretch behind it, and a foot with the state and buttons."""
        self._foot = make_row(self.status, 1, *foot)
        if foot and isinstance(foot[-1], QWidget) and foot[-1].property("primary"):
            self._close_at = self._foot.count() - 1
        self.setLayout(make_column(*parts, self._foot, margin=WIDE_MARGIN))

    def add_close_button(self) -> None:
        """Let the window be closed at the foot, left of the button that goes on, and by Esc."""
        if self._foot is not None:
            self._foot.insertWidget(self._close_at, close_button(self))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale and self.reads_in_turn:
            in_turn(self, self.refresh)
        elif self._is_stale:
            self.refresh()
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _on_changed(self, changes: Changes, initiator: object) -> None:
        if not self.needs_reload(changes, initiator):
            return
        if self.pause_ms is None or initiator is self:
            self.refresh()
        else:
            self.refresh_later()


class ComputedView(StudyView, Generic[T]):
    """Shows one value that is computed in a thread: whenever the view is shown and the value is not current.

    Attributes:
        computing: the value; `tables` make it out of date.
        exporting: copies and saves plots and tables.
        line: the status, with how far the computation is.
    """

    def __init__(
        self, context: Context, prepare: Callable[[], Read[T] | None], *, automatic_below_s: float = 0.0
    ) -> None:
        """Make it; arguments are those of `Live`."""
        super().__init__(context)
        self.computing = Live(context, self, self.tables, prepare, automatic_below_s=automatic_below_s)
        self.exporting = PlotExporter(context, self.tell)
        self.status = self.line = StatusLine(tr("State of the figures"), tr("Figures"))
        self.line.cancel_requested.connect(self.computing.cancel)

    def needs_reload(self, _changes: Changes, _initiator: object) -> bool:
        return False

    def reload(self, _session: Session) -> None:
        self.computing.start()

    def showEvent(self, event: QShowEvent) -> None:
        self._is_stale = self._is_stale or self.computing.state is not LiveState.CURRENT
        super().showEvent(event)
