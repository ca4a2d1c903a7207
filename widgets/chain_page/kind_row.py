"""The kinds of nodes as a row of buttons."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from project.chains import NodeKind
from resources.translation import tr
from widgets import theme
from widgets.chains.looks import KINDS
from widgets.label_paint import SIGN, sign_icon
from widgets.plain_tip import plain_tip


class KindRow(QWidget):
    """One of five is chosen.

    Signals:
        chosen (str): a kind, by the user.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        self._group = QButtonGroup(self)
        self.buttons: Mapping[NodeKind, QPushButton] = {kind: self._button(kind) for kind in NodeKind}
        for button in self.buttons.values():
            row.addWidget(button, 1)
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def show_kind(self, kind: NodeKind) -> None:
        """Show which kind it is."""
        self.buttons[kind].setChecked(True)

    def _button(self, kind: NodeKind) -> QPushButton:
        name = KINDS[kind].name
        button = QPushButton(name)
        button.setProperty("segment", True)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setIconSize(QSize(SIGN, SIGN))
        button.setAccessibleName(tr("Kind: {name}").format(name=name.lower()))
        button.setToolTip(plain_tip(tr("The selected node is: {name}").format(name=name.lower())))
        button.clicked.connect(lambda: self.chosen.emit(kind.value))
        self._group.addButton(button)
        return button

    def _tint(self) -> None:
        for kind, button in self.buttons.items():
            button.setIcon(sign_icon(KINDS[kind], self.devicePixelRatioF()))
