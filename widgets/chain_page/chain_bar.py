"""Which chain is shown, and what can be done with it as a whole."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QToolButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.chain_page.shown import ListedChain
from widgets.icons import icon
from widgets.plain_tip import plain_tip

_BUTTONS = (
    ("chain_new", "plus", tr("New chain (Ctrl+Shift+N)")),
    ("chain_rename", "pencil", tr("Rename this chain (F2)")),
    ("chain_delete", "trash-2", tr("Delete this chain")),
)


class ChainBar(QWidget):
    """A list to choose from, and buttons.

    Signals:
        chosen (str): the id of a chain, by the user.
        asked (str): the key of the window's action that a button stands for.
    """

    chosen = Signal(str)
    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        self.combo = _Combo()
        self.combo.setAccessibleName(tr("Chain"))
        self.combo.setToolTip(tr("The chains of this recording (V: the next one)"))
        self.combo.setMinimumContentsLength(12)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.combo.activated.connect(lambda place: self.chosen.emit(self.combo.itemData(place)))
        row.addWidget(self.combo, 1)
        self.buttons: dict[str, QToolButton] = {}
        for key, picture, text in _BUTTONS:
            button = _tool(picture, text)
            button.clicked.connect(lambda _=False, key=key: self.asked.emit(key))
            row.addWidget(button)
            self.buttons[key] = button
        self.more = _tool("download", tr("Save a picture or a file of this chain, or read one"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more)
        for key, text in (
            ("chain_svg", tr("Save a picture as SVG…")),
            ("chain_png", tr("Save a picture as PNG…")),
            ("chain_json", tr("Save as JSON…")),
            ("chain_graphml", tr("Save as GraphML…")),
            ("chain_import", tr("Read a chain from a file…")),
        ):
            menu.addAction(text, partial(self.asked.emit, key))
        self.more.setMenu(menu)
        row.addWidget(self.more)

    def show_chains(self, chains: Sequence[ListedChain], chosen: str) -> None:
        """Offer these chains."""
        blocked = self.combo.blockSignals(True)
        self.combo.clear()
        for one in chains:
            self.combo.addItem(f"{one.name}   {one.about}", one.key)
        self.combo.setCurrentIndex(next((at for at, one in enumerate(chains) if one.key == chosen), -1))
        self.combo.blockSignals(blocked)

    def set_possible(self, writable: bool, own: bool, deletable: bool) -> None:
        """Switch off what cannot be done with the chosen chain."""
        self.buttons["chain_new"].setEnabled(writable)
        self.buttons["chain_rename"].setEnabled(writable and own)
        self.buttons["chain_delete"].setEnabled(writable and deletable)


class _Combo(QComboBox):
    """A list that shows each chain's whole line where there is room."""

    def showPopup(self) -> None:
        self.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        super().showPopup()


def _tool(picture: str, text: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(picture))
    button.setIconSize(QSize(16, 16))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(plain_tip(text))
    button.setAccessibleName(text)
    return button
