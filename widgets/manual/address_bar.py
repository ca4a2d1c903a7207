"""Asks before a link leads out of the program: it says the address, and nothing is fetched before a yes."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel


class AddressBar(QFrame):
    """A line under a page, out of sight until a link leads out.

    Signals:
        open_requested (str): this address is to be opened in the browser.
        copy_requested (str): this address is to be copied.
    """

    open_requested = Signal(str)
    copy_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._address = ""
        self.words = PlainLabel(wordWrap=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_it = QPushButton(tr("Open in the browser"))
        self.open_it.setToolTip(tr("Your browser asks the network for this page; the study has no part in it"))
        self.copy_it = QPushButton(tr("Copy the address"))
        self.copy_it.setToolTip(tr("Copy the address, and fetch nothing"))
        leave = QPushButton(tr("Stay here"))
        leave.setToolTip(tr("Close this line (Esc)"))
        self.open_it.clicked.connect(lambda: self._end(self.open_requested))
        self.copy_it.clicked.connect(lambda: self._end(self.copy_requested))
        leave.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GRID * 2, theme.GRID, theme.GRID * 2, theme.GRID)
        row.addWidget(self.words, 1)
        for button in (self.open_it, self.copy_it, leave):
            row.addWidget(button)
        self.hide()

    def ask(self, address: str) -> None:
        """Show where a link leads, and wait."""
        self._address = address
        self.words.setText(tr("This link leads out of Greenroom, to {address}").format(address=address))
        self.show()
        self.open_it.setFocus()

    def _end(self, told: object) -> None:
        self.hide()
        told.emit(self._address)  # type: ignore[attr-defined]
