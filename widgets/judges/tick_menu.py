"""A button with a list to tick things in, which says what is ticked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_tip import plain_tip
from widgets.staying_menu import StayingMenu

_FEW = 2
_AROUND = 44
"""Pixels of a button for its edges and its arrow."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to tick; `hint` says why it is as it is, and what can be done with it stands in a menu of its own."""

    key: str
    name: str
    hint: str = ""


class TickMenu(QPushButton):
    """Several things out of a list, in its order; below it, things to do.

    Signals:
        changed: other things are ticked.
        acted (str, str): one of the things to do was chosen, for the entry with this key, or for none ("").
    """

    changed = Signal()
    acted = Signal(str, str)

    def __init__(self, title: str, none: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title, self._none, self._said = title, none, none
        self._entries: tuple[Entry, ...] = ()
        self._chosen: set[str] = set()
        self._common: Mapping[str, str] = {}
        self._own: Mapping[str, str] = {}
        self._list = StayingMenu(self)
        self._list.setToolTipsVisible(True)
        self._list.aboutToShow.connect(self._fill)
        self.setMenu(self._list)
        self.setProperty("filter", True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(72)
        self._say()

    def set_acts(self, common: Mapping[str, str], own: Mapping[str, str]) -> None:
        """Offer things to do, by key: for the list as a whole, and for each entry."""
        self._common, self._own = dict(common), dict(own)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Offer these; what is ticked and not among them is ticked again when it comes back."""
        self._entries = tuple(entries)
        self._say()

    def entries(self) -> tuple[Entry, ...]:
        """Return what is offered."""
        return self._entries

    def chosen(self) -> tuple[str, ...]:
        """Return the keys of what is ticked, in the list's order."""
        return tuple(one.key for one in self._entries if one.key in self._chosen)

    def wanted(self) -> frozenset[str]:
        """Return the keys of all that was ticked, also of what is not offered now."""
        return frozenset(self._chosen)

    def choose(self, keys: Iterable[str]) -> None:
        """Tick exactly these."""
        wanted = set(keys)
        if wanted != self._chosen:
            self._chosen = wanted
            self.changed.emit()
        self._say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what is said where a list beside it says it: at the left."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        said, option.text = option.text, ""
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        where = self.rect().adjusted(theme.GRID + 1, 0, -theme.GRID * 3, 0)
        how = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextShowMnemonic
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, QPalette.ColorRole.ButtonText))
        painter.drawText(where, int(how), said)

    def _fit(self) -> None:
        room = max(40, self.width() - _AROUND)
        shown = self.fontMetrics().elidedText(self._said, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))

    def _fill(self) -> None:
        self._list.clear()
        for entry in self._entries:
            action = self._list.addAction(entry.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(entry.key in self._chosen)
            action.setToolTip(plain_tip(entry.hint or entry.name))
            action.toggled.connect(lambda on, key=entry.key: self._tick(key, on))
        if self._entries and self._common:
            self._list.addSeparator()
        for act, text in self._common.items():
            self._list.addAction(text).triggered.connect(self._act(act, ""))
        for act, text in self._own.items():
            menu = self._list.addMenu(text)
            menu.setEnabled(bool(self._entries))
            for entry in self._entries:
                menu.addAction(entry.name.replace("&", "&&")).triggered.connect(self._act(act, entry.key))

    def _act(self, act: str, key: str) -> Callable[[], None]:
        return lambda: self.acted.emit(act, key)

    def _tick(self, key: str, on: bool) -> None:
        self.choose(self._chosen | {key} if on else self._chosen - {key})

    def _say(self) -> None:
        names = [one.name for one in self._entries if one.key in self._chosen]
        said = (
            ", ".join(names)
            if 0 < len(names) <= _FEW
            else tr("{names} chosen").format(names=len(names))
            if names
            else self._none
        )
        self._said = said
        self._fit()
        self.setAccessibleName(f"{self._title}: {', '.join(names) or self._none}")
        every = f"{self._title}: {', '.join(names) or self._none}"
        self.setToolTip(plain_tip(every))
