"""Above the list of questions: which are listed, and where more come from."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.escape import mark_search
from widgets.icons import icon
from widgets.plain_tip import plain_tip

EVERY = ""
"""Key of the entry of a choice that leaves nothing out."""
KIND, STANDING, MAKER, SCOPE = "kind", "standing", "maker", "scope"


class ListBar(QWidget):
    """Words to look for, what is listed, and a menu of makers.

    Signals:
        changed: something else is listed.
        make_requested (str): key of the maker that was chosen.
    """

    changed = Signal()
    make_requested = Signal(str)

    def __init__(self, makers: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        upper, lower = QHBoxLayout(), QHBoxLayout()
        for row in (upper, lower):
            row.setSpacing(theme.GRID // 2)
            column.addLayout(row)
        self.words = QLineEdit(placeholderText=tr("Find in questions and options"), clearButtonEnabled=True)
        mark_search(self.words)
        self.words.setAccessibleName(tr("Find in questions and options"))
        self.words.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.words.textChanged.connect(lambda _text: self.changed.emit())
        self.make = QPushButton(tr(" Make"))
        self.make.setIcon(icon("plus"))
        self.make.setAccessibleName(tr("Make questions"))
        self.make.setToolTip(tr("Make questions from the chains, or write one"))
        self._menu = QMenu(self.make)
        for key, text in makers:
            self._menu.addAction(text).triggered.connect(lambda _=False, key=key: self.make_requested.emit(key))
        self.make.setMenu(self._menu)
        upper.addWidget(self.words, 1)
        upper.addWidget(self.make)
        self._boxes: dict[str, QComboBox] = {}
        for key, name in (
            (SCOPE, tr("Of which recordings")),
            (STANDING, tr("How far")),
            (KIND, tr("Kind")),
            (MAKER, tr("Made by")),
        ):
            box = QComboBox()
            box.setAccessibleName(name)
            box.setToolTip(plain_tip(name))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            box.currentIndexChanged.connect(lambda _at: self.changed.emit())
            lower.addWidget(box, 1)
            self._boxes[key] = box

    def set_choices(self, which: str, choices: Mapping[str, str]) -> None:
        """Offer these (key -> text) without a signal; what was chosen stays chosen, else the first is."""
        box, chosen = self._boxes[which], self.chosen(which)
        with QSignalBlocker(box):
            box.clear()
            for key, text in choices.items():
                box.addItem(text, key)
            box.setCurrentIndex(max(box.findData(chosen), 0))

    def chosen(self, which: str) -> str:
        """Return the key of what is chosen."""
        return str(self._boxes[which].currentData() or EVERY)

    def choose(self, which: str, key: str) -> None:
        """Choose one, where it is offered."""
        box = self._boxes[which]
        place = box.findData(key)
        if place >= 0:
            box.setCurrentIndex(place)
