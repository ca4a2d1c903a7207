"""A bar that says how far something is."""

from PySide6.QtWidgets import QProgressBar


class ProgressBar(QProgressBar):
    """Is painted with everything else; Qt's own paints the whole window at once whenever its value changes."""

    def show_value(self, value: int, total: int) -> None:
        """Show how much of `total` is done; a total of 0 means that nobody knows."""
        self.setUpdatesEnabled(False)
        self.setRange(0, total)
        self.setValue(value)
        self.setUpdatesEnabled(True)
