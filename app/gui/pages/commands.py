"""Describes an action of the window: its menu, its shortcuts and what it needs.

Also handles the single keys of a mode.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

W = TypeVar("W")


class Requirement(Flag):
    """What must be there for an action to make sense."""

    NOTHING = 0
    STUDY = auto()
    RECORDING = auto()
    WRITABLE = auto()
    SELECTION = auto()
    NO_SELECTION = auto()
    SEVERAL_VIEWS = auto()
    ENCRYPTED = auto()
    SIGHT = auto()
    """Nobody answers blind."""


@dataclass(frozen=True, slots=True)
class Command(Generic[W]):
    """One action of a window of the kind `W`.

    Attributes:
        menu: the menu it is in and its heading in the sheet.
        keys: shortcuts in Qt's portable writing; the first one is shown in the menu.
        text: in the menu; a menu shows a line above an entry whose `line` is set.
        repeats: whether holding the key down repeats it.
        keywords: by which the palette finds it too.
        is_ticked: whether the menu shows a tick, for an action that no signal ticks.
        mode: "faces" where its keys hold in that mode only; pages of other modes have `ModeKeys`.
    """

    key: str
    menu: str
    text: str
    keys: tuple[str, ...]
    handler: Callable[[W], object]
    needs: Requirement = Requirement.NOTHING
    icon: str = ""
    line: bool = False
    repeats: bool = False
    checkable: bool = False
    mode: str = ""
    keywords: str = ""
    is_ticked: Callable[[W], bool] | None = None


ON_RECORDING = Requirement.RECORDING
EDITING = Requirement.RECORDING | Requirement.WRITABLE
ON_SELECTION = Requirement.RECORDING | Requirement.WRITABLE | Requirement.SELECTION
MARKED = Requirement.RECORDING | Requirement.WRITABLE | Requirement.NO_SELECTION


_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class ModeKeys(QObject):
    """Takes keys before the shortcuts of the window get them, as long as the mode's page is in sight.

    What a field does not want for its text goes up to the window, where it is caught: typing stays typing. The press
    that follows goes to whatever has the focus, and lists take letters for the start of a name: so it is caught there.
    """

    def __init__(
        self,
        page: QWidget,
        keys: Mapping[Qt.Key, Callable[[], object]],
        repeating: frozenset[Qt.Key] = frozenset(),
    ) -> None:
        super().__init__(page)
        self._page = page
        self._keys = keys
        self._repeating = repeating
        self._watched: QWidget | None = None
        self._focused: QWidget | None = None

    def watch(self, window: QWidget) -> None:
        """Take keys on their way to this window, once the page is part of it."""
        if window is not self._watched:
            window.installEventFilter(self)
            self._watched = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) or not isinstance(event, QKeyEvent):
            return False
        override = event.type() == QEvent.Type.ShortcutOverride
        if watched is self._focused:
            if override:
                return False
            self._focused.removeEventFilter(self)
            self._focused = None
        meant = self.handler_for(event) if self._page.isVisible() else None
        if meant is None:
            return False
        do, repeats = meant
        event.accept()
        if override:
            self._filter_focused(QApplication.focusWidget())
        elif not event.isAutoRepeat() or repeats:
            do()
        return True

    def handler_for(self, event: QKeyEvent) -> tuple[Callable[[], object], bool] | None:
        """Return what a key does in this mode, and whether holding it down repeats that; None where it does nothing."""
        key = Qt.Key(event.key())
        if key not in self._keys or event.modifiers() | _PLAIN != _PLAIN:
            return None
        return self._keys[key], key in self._repeating

    def _filter_focused(self, focused: QWidget | None) -> None:
        if focused is not None and focused is not self._watched:
            self._focused = focused
            focused.installEventFilter(self)
