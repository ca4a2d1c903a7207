"""Describes an action of the window: its menu, its shortcuts and what it needs.

Also handles the single keys of a mode.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

from widgets.labels import DIGIT_KEYS

W = TypeVar("W")
Page = TypeVar("Page", bound=QWidget)


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
        shortcuts: keys in Qt's portable writing, parted by spaces; the first is shown in the menu.
        menu: the menu it is in and its heading in the sheet.
        text: in the menu; a menu shows a line above an entry whose `line` is set.
        repeats: whether holding the key down repeats it.
        keywords: by which the palette finds it too.
        is_ticked: whether the menu shows a tick, for an action that no signal ticks.
        mode: "faces" where its keys hold in that mode only; pages of other modes have `ModeKeys`.
    """

    key: str
    text: str
    shortcuts: str
    handler: Callable[[W], object]
    needs: Requirement = Requirement.NOTHING
    icon: str = ""
    line: bool = False
    repeats: bool = False
    checkable: bool = False
    mode: str = ""
    keywords: str = ""
    is_ticked: Callable[[W], bool] | None = None
    menu: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys, the one that is shown first."""
        return tuple(self.shortcuts.split())


def in_menu(menu: str, *commands: Command[W], needs: Requirement = Requirement.NOTHING) -> tuple[Command[W], ...]:
    """Return commands as entries of a menu, in this order; `needs` is of those that do not say themselves."""
    return tuple(replace(command, menu=menu, needs=command.needs or needs) for command in commands)


ON_STUDY = Requirement.STUDY
CHANGING = Requirement.STUDY | Requirement.WRITABLE
ON_RECORDING = Requirement.RECORDING
EDITING = Requirement.RECORDING | Requirement.WRITABLE
ON_SELECTION = Requirement.RECORDING | Requirement.WRITABLE | Requirement.SELECTION
MARKED = Requirement.RECORDING | Requirement.WRITABLE | Requirement.NO_SELECTION


Handler = Callable[[], object]


@dataclass(frozen=True, slots=True)
class PageKey(Generic[W]):
    """Keys that mean something on the page of a mode only, and stand in no menu.

    Attributes:
        shortcuts: as of a command.
        text: in the sheet of all keys; "" where another row there tells of them too.
        handler: what they do; None where a list or a field of the page does it itself.
        repeats: whether holding the key down repeats it.
        on_selection: whether something must be selected; else they mean what they mean elsewhere.
    """

    shortcuts: str
    text: str = ""
    handler: Callable[[W], object] | None = None
    repeats: bool = False
    on_selection: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys."""
        return tuple(self.shortcuts.split())


def key_sheet(keys: Iterable[PageKey[Any]]) -> list[tuple[tuple[str, ...], str]]:
    """Return keys and what they do, for the sheet of all keys and the documentation."""
    return [(entry.keys, entry.text) for entry in keys if entry.text]


class ModeKeys(QObject, Generic[W]):
    """Takes keys before the shortcuts of the window get them, as long as the mode's page is in sight.

    What a field does not want for its text goes up to the window, where it is caught: typing stays typing. The press
    that follows goes to whatever has the focus, and lists take letters for the start of a name: so it is caught there.

    Attributes:
        works_in_fields: whether keys with Ctrl or Alt mean the same while something is typed.
    """

    works_in_fields = False

    def __init__(
        self, page: QWidget, keys: Sequence[PageKey[W]], target: W, has_selection: Callable[[], bool] = lambda: True
    ) -> None:
        """Make it; handlers are called with the target."""
        super().__init__(page)
        self._page = page
        self._target = target
        self._has_selection = has_selection
        self._entries = {key: entry for entry in keys if entry.handler is not None for key in entry.keys}
        self._own: Mapping[str, Handler] = {}
        self._watched: QWidget | None = None
        self._focused: QWidget | None = None
        page.installEventFilter(self)

    def set_own_keys(self, keys: Mapping[str, Handler]) -> None:
        """Take the keys that the user can choose."""
        self._own = keys

    def press(self, key: str) -> None:
        """Do what a key does."""
        handler = self._entries[key].handler
        assert handler is not None
        handler(self._target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.Show:
            self._watch(self._page.window())
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) or not isinstance(event, QKeyEvent):
            return False
        override = event.type() == QEvent.Type.ShortcutOverride
        if watched is self._focused:
            if override:
                return False
            self._focused.removeEventFilter(self)
            self._focused = None
        elif watched is not self._watched:
            return False
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

    def handler_for(self, event: QKeyEvent) -> tuple[Handler, bool] | None:
        """Return what a key does in this mode, and whether holding it down repeats that; None where it does nothing."""
        held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        typing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)
        if typing and not (self.works_in_fields and held):
            return None
        name = key_name(event)
        if name in self._own:
            return self._own[name], False
        entry = self._entries.get(name)
        if entry is None or entry.handler is None or (entry.on_selection and not self._has_selection()):
            return None
        return partial(entry.handler, self._target), entry.repeats

    def _watch(self, window: QWidget) -> None:
        if window is not self._watched:
            window.installEventFilter(self)
            self._watched = window

    def _filter_focused(self, focused: QWidget | None) -> None:
        if focused is not None and focused not in (self._watched, self._page):
            self._focused = focused
            focused.installEventFilter(self)


def key_name(event: QKeyEvent) -> str:
    """Return the pressed key in Qt's portable writing; those of the keypad are called as the others."""
    pressed = event.keyCombination()
    modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    key = Qt.Key.Key_Return if pressed.key() == Qt.Key.Key_Enter else pressed.key()
    return QKeySequence(int(modifiers.value) | int(key)).toString(QKeySequence.SequenceFormat.PortableText)


def digit_keys(handler: Callable[[W, int], object], *, on_selection: bool = False) -> tuple[PageKey[W], ...]:
    """Return a key for each participant that has a digit; handlers get the number."""

    def make(number: int) -> PageKey[W]:
        return PageKey(str(number), "", lambda target: handler(target, number), on_selection=on_selection)

    return tuple(make(number) for number in range(1, DIGIT_KEYS + 1))


def add_page_keys(page: Page, keys: Iterable[PageKey[Page]]) -> None:
    """Let a page that stands alone in its window have keys as shortcuts."""
    for entry in keys:
        if entry.handler is not None:
            for key in entry.keys:
                QShortcut(QKeySequence(key), page).activated.connect(partial(entry.handler, page))
