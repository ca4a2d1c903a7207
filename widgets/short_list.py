"""A list of a few rows."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QListWidget


class ShortList(QListWidget):
    """Lays its rows out when it is shown: those that were placed before it had its style would overlap."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scheduleDelayedItemsLayout()
