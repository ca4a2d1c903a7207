"""Work in the background: what runs, how far it is, how it ended."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.job_row import ENDED, JobRow, JobState
from widgets.plain_label import PlainLabel

__all__ = ["JobState", "JobsPanel"]


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
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        title = PlainLabel(tr("Jobs"))
        title.setFont(theme.font(semibold=True))
        self._clear = QPushButton(tr("Clear finished"))
        self._clear.setProperty("flat", True)
        self._clear.setAccessibleName(tr("Clear finished jobs"))
        self._clear.setToolTip(tr("Take finished jobs off this list"))
        self._clear.clicked.connect(self.clear_finished)
        kept = self._clear.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self._clear.setSizePolicy(kept)
        head.addWidget(title)
        head.addStretch()
        head.addWidget(self._clear)
        column.addLayout(head)
        self._stack = QStackedLayout()
        self._stack.addWidget(
            EmptyState(
                "list-checks", tr("No jobs"), tr("Finding faces and exporting run here, while you go on working.")
            )
        )
        inner = QWidget()
        self._list = QVBoxLayout(inner)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(theme.GRID)
        self._list.addStretch()
        area = QScrollArea(widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        self._stack.addWidget(area)
        column.addLayout(self._stack, 1)
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
        for job_id in [job_id for job_id, row in self._jobs.items() if row.state in ENDED]:
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
        self._clear.setVisible(any(row.state in ENDED for row in self._jobs.values()))
        counted = [row for job, row in self._jobs.items() if job not in self._uncounted]
        open_jobs = [row for row in counted if row.state not in ENDED]
        running = [row.percent for row in open_jobs if row.state == JobState.RUNNING]
        self.counts_changed.emit(len(open_jobs), running[0] if running else -1)
