"""The central area of the window: the workspace of an open study, and the welcome page while none is open."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QSplitter, QStackedWidget, QToolButton, QWidget

from app.gui.jobs.jobs_panel import JobsButton, JobsPanel
from app.gui.recordings.recordings_list import RecordingsList
from app.gui.team.training_notice import GateLine
from app.gui.timeline.live_coding import CodingLine
from app.gui.window.page_registry import MODES
from resources import resource
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import tool_button
from widgets.form.layouts import make_column, make_row
from widgets.player.camera_grid import ViewsGrid
from widgets.player.player_view import PlayerView
from widgets.player.transport_bar import TransportBar
from widgets.timeline.range_slider import RangeSlider
from widgets.timeline.timeline_view import TimelineView

_RECENT_PREFIX = "recent "
_MAX_RECENT = 5
_SAMPLE_KEY = "sample"


class Welcome(EmptyState):
    """Offers a new study, one that exists, the sample, and those that were open last.

    Signals:
        study_chosen (str): the path of a study that was open before.
        sample_chosen: the sample.
        action_chosen (str): the key of one of the window's actions.
    """

    study_chosen = Signal(str)
    sample_chosen = Signal()
    action_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            "film",
            tr("Welcome to Greenroom"),
            tr(
                "Annotate, anonymize and compare recordings of social interaction, on this machine. "
                "A study is one file that knows everything about a set of recordings."
            ),
            [
                EmptyStateAction("new", tr("New study…"), "Ctrl+N", primary=True),
                EmptyStateAction("open", tr("Open study…"), "Ctrl+Shift+O"),
                EmptyStateAction(_SAMPLE_KEY, tr("Try the sample")),
                EmptyStateAction("tutorial", tr("Read the tutorial")),
            ],
        )
        self.button_clicked.connect(self._choose)

    def picture(self, _ink: QColor) -> QPixmap:
        """Return the icon of the application, in its own colours."""
        return QIcon(str(resource("icons", "greenroom.svg"))).pixmap(QSize(72, 72), self.devicePixelRatioF())

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer the newest of the studies that are still there."""
        there = [path for path in paths if Path(path).exists()][:_MAX_RECENT]
        self.set_links([EmptyStateAction(f"{_RECENT_PREFIX}{path}", path) for path in there])

    def _choose(self, key: str) -> None:
        if key == _SAMPLE_KEY:
            self.sample_chosen.emit()
        elif key.startswith(_RECENT_PREFIX):
            self.study_chosen.emit(key.removeprefix(_RECENT_PREFIX))
        else:
            self.action_chosen.emit(key)


_KEYS = {
    "back": "Left",
    "forward": "Right",
    "time": "Ctrl+L",
    "loop": "R",
    "full_screen": "F",
}
_SLIDER_MARGIN = 12
_ROOMY_PAGE = 560
"""Pixels; a narrower page gets room from the list of recordings."""
_MAX_SCROLL_BAR_WIDTH = 64
"""Pixels that a scroll bar takes at most, whatever the style."""


class ModesBar(QWidget):
    """The modes on top, and the jobs at the right.

    Signals:
        mode_chosen (str): key of a mode.
    """

    mode_chosen = Signal(str)

    def __init__(self, jobs: JobsPanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Modes"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        for mode in MODES:
            button = tool_button(
                "",
                tr("Mode {name}").format(name=mode.name),
                f"{mode.name} ({mode.keys})",
                lambda _=False, key=mode.key: self.mode_chosen.emit(key),
                checkable=True,
                text=mode.name,
                focusPolicy=Qt.FocusPolicy.TabFocus,
                minimumWidth=80,
            )
            self._group.addButton(button)
            self._buttons[mode.key] = button
        self.jobs = JobsButton(jobs)
        margin = (theme.GRID, 2, theme.GRID, theme.GRID // 2)
        self.setLayout(make_row(*self._buttons.values(), None, self.jobs, margin=margin, spacing=theme.GRID // 2))

    def show_mode(self, key: str) -> None:
        """Show which mode is on."""
        self._buttons[key].setChecked(True)


class Workspace(QWidget):
    """Lays the widgets out; what they do is joined elsewhere.

    Each is made inside the one that holds it: Qt styles all that is in a widget again when it is put elsewhere.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.jobs_panel = JobsPanel(self)
        self.jobs_panel.setWindowFlags(Qt.WindowType.Popup)
        self.jobs_panel.resize(400, 320)
        self.modes = ModesBar(self.jobs_panel, self)
        self.columns = QSplitter(Qt.Orientation.Horizontal, self)
        self.columns.setChildrenCollapsible(False)
        self.recordings = RecordingsList(self.columns)
        self.rows = QSplitter(Qt.Orientation.Vertical, self.columns)
        self.rows.setChildrenCollapsible(False)
        self.pages = QStackedWidget(self.columns)
        self.view = PlayerView()
        self.views = ViewsGrid(self.view, self.rows)
        self._lower = QWidget(self.rows)
        self.transport = TransportBar(_KEYS, self._lower)
        self.slider = RangeSlider(self._lower)
        self.timeline = TimelineView(self._lower)
        self.gate_line = GateLine(self._lower)
        self.coding_line = CodingLine(self._lower)
        self.lent: tuple[int, int] | None = None
        """How wide list and page were before the page got some of the picture's pixels; None where it has none."""
        self._wanted = 0
        self._chosen = 0
        self._fit_text()
        theme.notifier.changed.connect(self._fit_text)
        self.pages.setAutoFillBackground(True)
        self._lay_out_lower()
        # On a large screen the timeline gets its share of what there is more.
        self.rows.setStretchFactor(0, 2)
        self.rows.setStretchFactor(1, 1)
        for place, stretch in enumerate((0, 1, 0)):
            self.columns.setStretchFactor(place, stretch)
        self.columns.setSizes([248, 728, 352])
        self.rows.setSizes([440, 320])
        self.setLayout(make_column(self.modes, self.columns, 1, spacing=0))
        QWidget.setTabOrder(self.recordings.tree, self.transport)

    def show_picture_only(self, only: bool) -> None:
        """Hide everything around the picture, or show it again."""
        for part in (self.modes, self.recordings, self._lower, self.pages):
            part.setVisible(not only)

    def set_page_width(self, width: int) -> None:
        """Let the page at the right have so many pixels of the picture, which keeps a third; 0 gives them back."""
        self._wanted = width
        if self.isVisible():
            self._apply_page_width()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            # The columns get their widths when the event loop runs next.
            QTimer.singleShot(0, self, self._apply_page_width)

    def _apply_page_width(self) -> None:
        sizes = self.columns.sizes()
        room, third, least = sum(sizes[:3]), sum(sizes) // 3, self.recordings.minimumWidth()
        most = room - sizes[0] - third
        if most < _ROOMY_PAGE:
            most = room - least - third
        width = (self._chosen or min(self._wanted, room // 2, most)) if self._wanted else 0
        if width and self.lent is None and sizes[2] < width:
            self.lent = sizes[0], sizes[2]
            listed = max(least, min(sizes[0], room - width - third))
            self.columns.setSizes([listed, room - listed - width, width, *sizes[3:]])
        elif not self._wanted and self.lent is not None:
            self._chosen = sizes[2]
            (listed, lent), self.lent = self.lent, None
            listed = max(sizes[0], listed)
            self.columns.setSizes([listed, room - listed - lent, lent, *sizes[3:]])

    def _fit_text(self) -> None:
        self.pages.setMinimumWidth(theme.scaled(304))

    def _lay_out_lower(self) -> None:
        self._slider_row = make_row(self.slider)
        # The slider's track ends before its own edge: the timeline ends there too, so that times stand above times.
        timeline = make_row(self.timeline, margin=(0, 0, _SLIDER_MARGIN, 0))
        parts = (self.transport, self.gate_line, self.coding_line, self._slider_row, timeline, 1)
        self._lower.setLayout(make_column(*parts, spacing=0))
        self.timeline.edges_changed.connect(self._align_slider)
        self._align_slider()

    def _align_slider(self) -> None:
        """Let the slider's track begin and end where the times of the timeline do, with a scroll bar and without."""
        begin, end = self.timeline.edges()
        beside = self.timeline.width() - end
        if not 0 <= beside <= _MAX_SCROLL_BAR_WIDTH:
            # The parts have no sizes yet: these come with the next layout.
            beside = 0
        self._slider_row.setContentsMargins(begin - _SLIDER_MARGIN, 0, beside, 0)
