"""A button that opens a list to tick things in, and says what is ticked."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from resources.translation import tr
from widgets.plain_tip import plain_tip
from widgets.staying_menu import StayingMenu

_FEW = 2


class ChoiceButton(QPushButton):
    """Several things out of a list; nothing ticked means that it does not matter.

    Signals:
        changed: other things are ticked.
    """

    changed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title = title
        self._names: dict[str, str] = {}
        self._chosen: set[str] = set()
        self._list = StayingMenu(self)
        self._list.aboutToShow.connect(self._fill)
        self.setMenu(self._list)
        self.setProperty("filter", True)
        self._say()

    def set_choices(self, names: Mapping[str, str]) -> None:
        """Offer these, by key; what is gone is no longer ticked."""
        self._names = dict(names)
        self.choose(self._chosen & self._names.keys())
        self.setVisible(len(self._names) > 1)

    def chosen(self) -> frozenset[str]:
        """Return the keys of what is ticked."""
        return frozenset(self._chosen)

    def choose(self, keys: Iterable[str]) -> None:
        """Tick exactly these."""
        wanted = set(keys)
        if wanted != self._chosen:
            self._chosen = wanted
            self.changed.emit()
        self._say()

    def _fill(self) -> None:
        self._list.clear()
        for key, name in self._names.items():
            action = self._list.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(key in self._chosen)
            action.toggled.connect(lambda on, key=key: self._tick(key, on))

    def _tick(self, key: str, on: bool) -> None:
        self.choose(self._chosen | {key} if on else self._chosen - {key})

    def _say(self) -> None:
        names = [name for key, name in self._names.items() if key in self._chosen]
        said = ", ".join(names) if len(names) <= _FEW else tr("{names} chosen").format(names=len(names))
        text = f"{self._title}: {said}" if names else self._title
        self.setText(text.replace("&", "&&"))
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(f"{self._title}: {', '.join(names) or 'any'}"))
        self.setProperty("on", bool(names))
        self.style().unpolish(self)
        self.style().polish(self)
