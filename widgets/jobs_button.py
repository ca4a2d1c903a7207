"""The button that opens the jobs."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from project.counted import counted
from widgets.icons import icon
from widgets.jobs_panel import JobsPanel


class JobsButton(QToolButton):
    """Opens the jobs; tells how many run, and how far the first one is."""

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
        """Show how many jobs wait or run and how far the running one is (-1: unknown)."""
        if not open_jobs:
            words = "No jobs run"
        else:
            words = counted(open_jobs, "job") + (f", {percent} %" if percent >= 0 else "")
        self.setText(f" {words}" if open_jobs else " Jobs")
        self.setAccessibleName(f"Jobs: {words}")
        self.setToolTip(f"{words} ({self._keys})")
