"""What is wrong with a chain, as a list that leads to the nodes."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from resources.translation import tr
from widgets.chain_page.shown import ShownCheck
from widgets.icons import icon


class ChecksList(QListWidget):
    """Errors and warnings; a click or Return goes to the node.

    Signals:
        opened (str): a node's id.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What to look at in this chain"))
        self.setWordWrap(True)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)

    def show_checks(self, checks: Sequence[ShownCheck]) -> None:
        """Show these, or that there is nothing."""
        self.clear()
        if not checks:
            self.addItem(QListWidgetItem(icon("circle-check"), tr("Nothing to put right, and nothing to look at.")))
        for one in checks:
            text = f"{one.about}: {one.message}" if one.about else one.message
            item = QListWidgetItem(icon("triangle-alert" if one.warning else "circle-x"), text)
            item.setData(Qt.ItemDataRole.UserRole, one.node_id)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{tr('Warning') if one.warning else tr('Error')}: {text}")
            self.addItem(item)

    def _open(self, item: QListWidgetItem) -> None:
        found = item.data(Qt.ItemDataRole.UserRole)
        if found:
            self.opened.emit(found)
