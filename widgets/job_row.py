"""One job in the list of jobs."""

import time
from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout

from project.progress import Remaining, time_left
from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon, pixmap
from widgets.plain_label import PlainLabel
from widgets.progress_bar import ProgressBar


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})
_ICONS = {
    JobState.WAITING: "circle-dashed",
    JobState.RUNNING: "loader",
    JobState.DONE: "circle-check",
    JobState.FAILED: "circle-alert",
    JobState.CANCELLED: "circle-x",
}


class JobRow(QFrame):
    """Its title, how far it is, how long it still takes, and how it ended."""

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._remaining = Remaining(clock)
        self.state = JobState.WAITING
        self.percent = -1
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, theme.GRID // 2)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        self._picture = PlainLabel()
        self._title = ElidedLabel()
        self._title.set_text(title)
        self.open = QPushButton(tr("Show"))
        self.open.setProperty("flat", True)
        self.open.setAccessibleName(tr("Show the result of {title}").format(title=title))
        self.open.setToolTip(tr("Show the result"))
        self.open.hide()
        self.cancel = QToolButton()
        self.cancel.setIcon(icon("x"))
        self.cancel.setIconSize(QSize(14, 14))
        self.cancel.setToolTip(tr("Cancel this job"))
        self.cancel.setAccessibleName(tr("Cancel {title}").format(title=title))
        head.addWidget(self._picture)
        head.addWidget(self._title, 1)
        head.addWidget(self.open)
        head.addWidget(self.cancel)
        column.addLayout(head)
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Progress of {title}").format(title=title))
        column.addWidget(self._bar)
        self.text = PlainLabel(tr("Waiting"), wordWrap=True)
        column.addWidget(self.text)
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_progress(self, done: int, total: int, text: str) -> None:
        """Show how far it is; a total of 0 means that nobody knows."""
        self.state = JobState.RUNNING
        self.percent = min(100, 100 * done // total) if total > 0 else -1
        self._bar.show_value(max(0, self.percent), 100 if total > 0 else 0)
        figures = f"{self.percent} %" if total > 0 else ""
        left = time_left(self._remaining.seconds(done, total), tr)
        self.text.setText("  ".join(part for part in (figures, left, text) if part) or tr("Running"))
        self._tint()

    def finish(self, state: JobState, text: str, openable: bool) -> None:
        """Show how it ended."""
        self.state = state
        self._bar.hide()
        self.cancel.hide()
        self.open.setVisible(openable)
        self.text.setText(text or state.capitalize())
        self._tint()

    def _tint(self) -> None:
        colours = theme.palette()
        tints = {JobState.DONE: colours.competence, JobState.FAILED: colours.error, JobState.RUNNING: colours.accent}
        tint = tints.get(self.state, colours.muted)
        self._picture.setPixmap(pixmap(_ICONS[self.state], 16, tint, self.devicePixelRatioF()))
        self._picture.setAccessibleName(self.state.capitalize())
        self.text.setStyleSheet(f"color: {(colours.error if self.state == JobState.FAILED else colours.muted).name()};")
