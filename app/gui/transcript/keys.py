"""Keys of the mode Transcript, and the menu that offers the same by mouse."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QMenu, QPlainTextEdit

from app.gui.context import Context
from app.gui.mode_keys import ModeKeys
from app.gui.transcript.correcting import Correcting
from app.gui.transcript.making import Making
from app.gui.transcript.reading_along import ReadingAlong
from app.gui.transcript.searching import Searching
from app.gui.transcript.walking import Walking
from widgets.participant_buttons import KEYS
from widgets.transcript.page import TranscriptPage

Handler = Callable[[], object]
_LARGE_US, _SMALL_US = 50_000, 10_000
_REPEATING = frozenset(
    {f"{held}{key}" for held in ("", "Ctrl+", "Alt+", "Ctrl+Alt+") for key in ",."}
    | {"N", "Shift+N", "D", "Shift+D", "Ctrl+Left", "Ctrl+Right"}
)
SHEET: tuple[tuple[str, str], ...] = (
    ("Return", "Type in the current utterance; again: it is right, go on to the next"),
    ("Tab", "Hear the current utterance again, also while typing"),
    ("Ctrl+Space", "Play or pause, also while typing"),
    ("Shift+Return", "While typing: split at the cursor"),
    ("Backspace", "While typing, at the start: merge with the one before"),
    ("Ctrl+D", "While typing: select the next doubtful word"),
    ("Esc", "While typing: it was better before"),
    ("Up, Down", "Previous or next utterance"),
    ("Ctrl+Left, Ctrl+Right", "Previous or next word"),
    ("Y", "Checked, go on to the next"),
    ("C", "Checked, or a draft again"),
    ("N", "Next draft; with Shift, the previous one"),
    ("D", "Next doubtful word; with Shift, the previous one"),
    ("1, 2, 3", "This participant speaks"),
    ("0", "Nobody knows who speaks"),
    ("P", "A new participant speaks"),
    ("A", "The suggested speaker is right"),
    ("S", "Split at the playhead"),
    ("M", "Merge with the next, or what is selected"),
    ("[, ]", "Start or end the utterance at the playhead"),
    (",", "Start 50 ms earlier; with Alt, the end; with Ctrl, 10 ms"),
    (".", "Start 50 ms later; with Alt, the end; with Ctrl, 10 ms"),
    ("Ins", "Add an utterance at the playhead"),
    ("Del", "Delete what is selected"),
    ("Ctrl+F", "Find in the transcript"),
    ("Ctrl+H", "Find and replace"),
)
"""Keys and what they do, for the sheet of all keys; the documentation lists the same."""


class TranscriptKeys(ModeKeys):
    """Looks keys up by their text. In a field, only keys with Ctrl or Alt mean something else than typing."""

    def __init__(
        self,
        context: Context,
        page: TranscriptPage,
        correcting: Correcting,
        reading: ReadingAlong,
        walking: Walking,
        searching: Searching,
        making: Making,
    ) -> None:
        super().__init__(page, {})
        self._transcript = page
        self._context = context
        self._reading = reading
        view = page.view
        do: dict[str, Handler] = {
            "Y": walking.check_and_go_on,
            "C": correcting.check,
            "N": partial(walking.draft, 1),
            "Shift+N": partial(walking.draft, -1),
            "D": partial(walking.doubtful, 1),
            "Shift+D": partial(walking.doubtful, -1),
            "0": partial(correcting.assign, None),
            "P": correcting.assign_to_new,
            "A": correcting.accept_speakers,
            "S": correcting.split_here,
            "M": correcting.merge,
            "[": partial(correcting.set_edge, False),
            "]": partial(correcting.set_edge, True),
            "Ins": correcting.add,
            "Del": correcting.delete,
            "Backspace": correcting.delete,
            "Ctrl+A": view.selectAll,
            "Ctrl+F": partial(searching.open, False),
            "Ctrl+H": partial(searching.open, True),
            "Ctrl+Space": context.player.toggle,
            "Ctrl+Left": partial(reading.step_word, -1),
            "Ctrl+Right": partial(reading.step_word, 1),
        }
        for held, end, by in (
            ("", False, _LARGE_US),
            ("Ctrl+", False, _SMALL_US),
            ("Alt+", True, _LARGE_US),
            ("Ctrl+Alt+", True, _SMALL_US),
        ):
            do[f"{held},"] = partial(correcting.nudge_edge, end, -by)
            do[f"{held}."] = partial(correcting.nudge_edge, end, by)
        do |= {str(number): partial(correcting.assign_by_digit, number) for number in range(1, KEYS + 1)}
        self._do = do
        page.acts = {
            **{name: do[key] for name, key in _NAMED.items()},
            "type": self._type,
            "drop_without_speech": making.drop_without_speech,
            "drop_speaker": making.drop_speaker,
        }
        view.menu_requested.connect(self._menu)
        page.visible_changed.connect(self._enter)
        context.studio.recording_changed.connect(lambda: QTimer.singleShot(0, self._focus))

    def meant(self, event: QKeyEvent) -> tuple[Handler, bool] | None:
        pressed = event.keyCombination()
        modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
        in_field = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)
        held = modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        if in_field and not held:
            return None
        name = QKeySequence(int(modifiers.value) | int(pressed.key())).toString(
            QKeySequence.SequenceFormat.PortableText
        )
        do = self._do.get(name)
        return None if do is None else (do, name in _REPEATING)

    def _enter(self, visible: bool) -> None:
        if visible:
            self.watch(self._transcript.window())
            self._focus()

    def _focus(self) -> None:
        view = self._transcript.view
        if self._transcript.isVisible() and self._transcript.model.lines:
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            if not view.selected():
                self._reading.select_here()

    def _type(self) -> None:
        chosen = self._context.studio.selected_utterances
        if chosen:
            self._transcript.view.edit_text(chosen[-1])

    def _menu(self, where: QPoint) -> None:
        view, writable = self._transcript.view, self._context.studio.writable
        menu = QMenu(self._transcript)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        offered: tuple[tuple[str, str, Handler] | None, ...] = (
            ("Edit", "Return", lambda: view.edit_text(view.current())),
            ("Split at the playhead", "S", self._do["S"]),
            ("Merge", "M", self._do["M"]),
            ("Start at the playhead", "[", self._do["["]),
            ("End at the playhead", "]", self._do["]"]),
            None,
            ("Checked, or a draft again", "C", self._do["C"]),
            ("Accept suggested speaker", "A", self._do["A"]),
            ("New speaker…", "P", self._do["P"]),
            None,
            ("Add utterance at the playhead", "Ins", self._do["Ins"]),
            ("Node of a chain", "Ctrl+Shift+A", partial(self._context.trigger, "node_from_selected")),
            ("Delete", "Del", self._do["Del"]),
        )
        for one in offered:
            if one is None:
                menu.addSeparator()
                continue
            text, key, do = one
            action = menu.addAction(f"{text}\t{key}")
            action.triggered.connect(lambda _=False, do=do: do())
            action.setEnabled(writable)
        menu.popup(where)


_NAMED = {"find": "Ctrl+F", "replace": "Ctrl+H", "add": "Ins", "check": "C", "merge": "M", "split": "S"}
"""What the window's menu asks for -> the key that does it here."""
