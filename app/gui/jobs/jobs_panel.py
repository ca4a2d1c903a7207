"""The list of background jobs with their state and progress, and the button that opens it."""

import time
from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from project.progress import RemainingTimeEstimator, format_time_left
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.controls import push_button, tool_button
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area, make_stack
from widgets.progress_bars import ProgressBar
from widgets.text_labels import ElidedLabel, PlainLabel, describe
from widgets.theme import icon, pixmap


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    INCOMPLETE = "incomplete"
    """It ended, and something of what was asked is missing."""
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED_STATES = frozenset(JobState) - {JobState.WAITING, JobState.RUNNING}
_ICONS = {
    JobState.WAITING: "circle-dashed",
    JobState.RUNNING: "loader",
    JobState.DONE: "circle-check",
    JobState.INCOMPLETE: "triangle-alert",
    JobState.REFUSED: "circle-x",
    JobState.FAILED: "circle-alert",
    JobState.CANCELLED: "circle-x",
}


class JobRow(QFrame):
    """Its title, how far it is, how long it still takes, and how it ended."""

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._remaining = RemainingTimeEstimator(clock)
        self.state = JobState.WAITING
        self.percent = -1
        self._picture = PlainLabel()
        self._title = ElidedLabel()
        self._title.set_text(title)
        self.open = push_button(
            tr("Show"),
            tr("Show the result"),
            name=tr("Show the result of {title}").format(title=title),
            look="flat",
            visible=False,
        )
        self.cancel = tool_button("x", tr("Cancel {title}").format(title=title), tr("Cancel this job"), side=14)
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Progress of {title}").format(title=title))
        self.text = PlainLabel(tr("Waiting"), wordWrap=True)
        self.setLayout(
            make_column(
                make_row(self._picture, self._title, 1, self.open, self.cancel),
                self._bar,
                self.text,
                margin=(0, 0, 0, theme.GRID // 2),
                spacing=4,
            )
        )
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_progress(self, done: int, total: int, text: str) -> None:
        """Show how far it is; a total of 0 means that nobody knows."""
        self.state = JobState.RUNNING
        self.percent = min(100, 100 * done // total) if total > 0 else -1
        self._bar.show_value(max(0, self.percent), 100 if total > 0 else 0)
        figures = f"{self.percent} %" if total > 0 else ""
        left = format_time_left(self._remaining.estimate(done, total), tr)
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
        tints = {
            JobState.RUNNING: colours.accent,
            JobState.DONE: colours.competence,
            JobState.INCOMPLETE: colours.uncertain,
            JobState.REFUSED: colours.error,
            JobState.FAILED: colours.error,
        }
        tint = tints.get(self.state, colours.muted)
        self._picture.setPixmap(pixmap(_ICONS[self.state], 16, tint, self.devicePixelRatioF()))
        self._picture.setAccessibleName(self.state.capitalize())
        ink = colours.error if self.state in (JobState.REFUSED, JobState.FAILED) else colours.muted
        self.text.setStyleSheet(f"color: {ink.name()};")


class JobsPanel(QFrame):
    """A list of jobs, the newest first. Ended ones stay until they are cleared.

    Signals:
        cancel_requested (str): id of the job to stop.
        result_requested (str): id of a done job whose result the user wants to see.
        counts_changed (int, int): jobs that wait or run; the percentage of the one that runs, -1 unknown.
    """

    cancel_requested = Signal(str)
    result_requested = Signal(str)
    counts_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs: dict[str, JobRow] = {}
        self._uncounted: set[str] = set()
        self.setAccessibleName(tr("Jobs"))
        self.setMinimumWidth(360)
        title = PlainLabel(tr("Jobs"), font=theme.font(semibold=True))
        self._clear = push_button(
            tr("Clear finished"),
            tr("Take finished jobs off this list"),
            self.clear_finished,
            name=tr("Clear finished jobs"),
            look="flat",
        )
        kept = self._clear.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self._clear.setSizePolicy(kept)
        idle = EmptyState(
            "list-checks", tr("No jobs"), tr("Finding faces and exporting run here, while you go on working.")
        )
        self._list = make_column(None)
        self._stack = make_stack(idle, make_scroll_area(make_panel(self._list), frame=True, sideways=True))
        self.setLayout(make_column(make_row(title, None, self._clear), self._stack, 1, margin=theme.GRID * 3 // 2))
        self._refresh()

    def add(self, job_id: str, title: str, *, counted: bool = True) -> None:
        """Put a job on the list, waiting for its turn; one that stands for others is not counted."""
        row = JobRow(title)
        if not counted:
            self._uncounted.add(job_id)
        row.cancel.clicked.connect(lambda: self.cancel_requested.emit(job_id))
        row.open.clicked.connect(lambda: self.result_requested.emit(job_id))
        self._jobs[job_id] = row
        self._list.insertWidget(0, row)
        self._refresh()

    def set_progress(self, job_id: str, done: int, total: int, text: str = "") -> None:
        """Show that a job runs and how far it is; a total of 0 means that nobody knows."""
        self._jobs[job_id].set_progress(done, total, text)
        self._refresh()

    def finish(self, job_id: str, state: JobState, text: str = "", openable: bool = False) -> None:
        """Show how a job ended: what came of it, or what went wrong and what to do next."""
        self._jobs[job_id].finish(state, text, openable)
        self._refresh()

    def clear_finished(self) -> None:
        """Take ended jobs off the list."""
        for job_id in [job_id for job_id, row in self._jobs.items() if row.state in ENDED_STATES]:
            self._jobs.pop(job_id).deleteLater()
        self._refresh()

    def state(self, job_id: str) -> JobState:
        """Return where a job stands."""
        return self._jobs[job_id].state

    def text(self, job_id: str) -> str:
        """Return the line under a job's title."""
        return self._jobs[job_id].text.text()

    def _refresh(self) -> None:
        self._stack.setCurrentIndex(1 if self._jobs else 0)
        self._clear.setVisible(any(row.state in ENDED_STATES for row in self._jobs.values()))
        counted = [row for job, row in self._jobs.items() if job not in self._uncounted]
        open_jobs = [row for row in counted if row.state not in ENDED_STATES]
        running = [row.percent for row in open_jobs if row.state == JobState.RUNNING]
        self.counts_changed.emit(len(open_jobs), running[0] if running else -1)


class JobsButton(QToolButton):
    """Opens the jobs; tells how many run, or how far the only one is."""

    def __init__(self, panel: JobsPanel, keys: str = "Ctrl+Shift+J", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self.setIcon(icon("list-checks"))
        self.setIconSize(QSize(16, 16))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        panel.counts_changed.connect(self.set_counts)
        self.set_counts(0, -1)

    def set_counts(self, open_jobs: int, percent: int) -> None:
        """Show how many jobs wait or run, or how far the only one is (-1: unknown); the tip tells both.

        The button is about as wide whatever goes on: a job that begins must not make the window wider.
        """
        jobs, far = trn("{count} job", "{count} jobs", open_jobs), f"{percent} %" if percent >= 0 else ""
        words = ", ".join(filter(None, (jobs, far))) if open_jobs else tr("No jobs run")
        short = (open_jobs == 1 and far) or jobs
        self.setText(f" {short}" if open_jobs else tr(" Jobs"))
        describe(self, tr("Jobs: {words}").format(words=words), f"{words} ({self._keys})")
