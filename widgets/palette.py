"""The command palette: every command by a few letters of its name, for hands that stay on the keyboard."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListView, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.narrowing import Narrowing
from widgets.palette_list import EntriesModel, Entry, EntryDelegate, nothing_fits
from widgets.palette_matching import fit

_SIZE = QSize(620, 420)
_MOST = 200


class Palette(Narrowing):
    """Lies over its window: letters narrow the list down, Up and Down choose, Return does it, Esc gives up.

    Signals:
        chosen (str): the key of the entry that is to be done; the focus is where it was before.
        left: it goes away; `chosen` follows where something is to be done.
    """

    chosen = Signal(str)
    left = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._before = window.focusWidget()
        self._entries: Sequence[Entry] = ()
        self.setObjectName("palette")
        self.setAccessibleName(tr("Commands"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID] * 4)
        column.setSpacing(theme.GRID // 2)
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("What do you want to do?"))
        self.field.setAccessibleName(tr("Letters of a command"))
        self.field.textChanged.connect(self._narrow)
        self.list = QListView()
        self.list.setAccessibleName(tr("Commands that fit"))
        self.list.setUniformItemSizes(True)
        self._model = EntriesModel()
        self.list.setModel(self._model)
        self.list.setItemDelegate(EntryDelegate(self.list))
        self.list.clicked.connect(lambda _index: self.take())
        self.list.selectionModel().currentChanged.connect(lambda *_: self._say())
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.narrow_by(self.field, self.list)
        self.setGeometry(place_in(window))

    def offer(self, entries: Sequence[Entry]) -> None:
        """Open with these; they stand in this order until something is typed."""
        self._entries = entries
        self._narrow("")
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def shown(self) -> list[Entry]:
        """Return what fits what is typed, the best first."""
        return list(self._model.entries)

    def _narrow(self, typed: str) -> None:
        fits = (
            [(fit(typed, one.text, f"{one.group} {one.also}"), one) for one in self._entries] if typed.strip() else []
        )
        found = [(how - (1000 if one.why_not else 0), one) for how, one in fits if how is not None]
        ordered = [one for _, one in sorted(found, key=lambda pair: -pair[0])] if typed.strip() else [*self._entries]
        self._model.show(ordered[:_MOST] or [nothing_fits(typed)])
        self.list.setCurrentIndex(self._model.index(0))

    def _say(self) -> None:
        """Let a screen reader hear which one is chosen, while the focus stays with the letters."""
        one = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        self.field.setAccessibleDescription(one.said if one is not None else "")

    def take(self) -> None:
        one = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if one is None or not one.key or one.why_not:
            return
        self.leave()
        self.chosen.emit(one.key)

    def leave(self) -> None:
        if self.isHidden():
            return
        self.field.removeEventFilter(self)
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.left.emit()
        self.deleteLater()


def place_in(window: QWidget) -> QRect:
    """Return where the palette lies in a window, in its pixels."""
    room = window.rect().adjusted(theme.GRID, theme.GRID, -theme.GRID, -theme.GRID)
    size = _SIZE.boundedTo(room.size())
    return QRect(
        QPoint((window.width() - size.width()) // 2, min(theme.GRID * 10, room.bottom() - size.height())), size
    )
