"""Keys of the mode Faces: those of the table of actions that hold in this mode only, and a few that are fixed."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.gui.mode_keys import ModeKeys

Handler = Callable[[], object]


class FaceKeys(ModeKeys):
    """Looks keys up by their text, so that a user's own keys hold at once."""

    def __init__(self, page: QWidget, fixed: Mapping[str, Handler], repeating: frozenset[str]) -> None:
        super().__init__(page, {})
        self._fixed = fixed
        self._own: dict[str, Handler] = {}
        self._repeats = repeating

    def set_own(self, keys: Mapping[str, Handler]) -> None:
        """Take the keys that the user can choose."""
        self._own = dict(keys)

    def meant(self, event: QKeyEvent) -> tuple[Handler, bool] | None:
        if isinstance(QApplication.focusWidget(), QLineEdit):
            return None
        pressed = event.keyCombination()
        modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = Qt.Key.Key_Return if pressed.key() == Qt.Key.Key_Enter else pressed.key()
        name = QKeySequence(int(modifiers.value) | int(key)).toString(QKeySequence.SequenceFormat.PortableText)
        do = self._own.get(name) or self._fixed.get(name)
        return None if do is None else (do, name in self._repeats)
