"""The button that opens the jobs."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from resources.translation import tr, trn
from widgets.icons import icon
from widgets.jobs_panel import JobsPanel
from widgets.plain_tip import plain_tip


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
        self.setAccessibleName(tr("Jobs: {words}").format(words=words))
        self.setToolTip(plain_tip(f"{words} ({self._keys})"))
