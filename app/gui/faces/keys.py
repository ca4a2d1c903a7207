"""Keys of the mode Faces: those of the table of actions that hold in this mode only, and a few that are fixed."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from app.gui.faces.deciding import Deciding
from app.gui.faces.drawing import Drawing
from app.gui.mode_keys import ModeKeys
from resources.translation import tr
from widgets.participant_buttons import KEYS

Handler = Callable[[], object]
_STEPS = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}
REPEATING = frozenset(f"Alt+{shift}{key}" for shift in ("", "Shift+") for key in _STEPS)
"""Keys that go on while they are held down."""


class FaceKeys(ModeKeys):
    """Looks keys up by their text, so that a user's own keys hold at once."""

    def __init__(
        self, page: QWidget, fixed: Mapping[str, Handler], repeating: frozenset[str], holds: Callable[[str], bool]
    ) -> None:
        """Make the filter; `holds` tells whether a fixed key means something at this moment."""
        super().__init__(page, {})
        self._fixed = fixed
        self._holds = holds
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
        do = self._own.get(name) or (self._fixed.get(name) if self._holds(name) else None)
        return None if do is None else (do, name in self._repeats)


def fixed_keys(deciding: Deciding, drawing: Drawing, next_to_decide: Handler, deselect: Handler) -> dict[str, Handler]:
    """Return the keys that cannot be changed, and what they do."""
    digits: dict[str, Handler] = {
        str(number): partial(deciding.assign_by_digit, number) for number in range(1, KEYS + 1)
    }
    moves: dict[str, Handler] = {
        tr("Alt+{key}").format(key=key): partial(drawing.nudge, *by) for key, by in _STEPS.items()
    }
    sizes: dict[str, Handler] = {
        tr("Alt+Shift+{key}").format(key=key): partial(drawing.nudge, 0, 0, *by) for key, by in _STEPS.items()
    }
    return {
        **digits,
        **moves,
        **sizes,
        "X": deciding.toggle_dismissed,
        "Return": next_to_decide,
        "Esc": deselect,
        "Del": drawing.delete,
        "[": partial(drawing.trim, True),
        "]": partial(drawing.trim, False),
    }
