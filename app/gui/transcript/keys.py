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
from resources.translation import tr
from widgets.participant_buttons import KEYS
from widgets.transcript.page import TranscriptPage

Handler = Callable[[], object]
_LARGE_US, _SMALL_US = 50_000, 10_000
_REPEATING = frozenset(
    {f"{held}{key}" for held in ("", "Ctrl+", "Alt+", "Ctrl+Alt+") for key in ",."}
    | {"N", "Shift+N", "D", "Shift+D", "Ctrl+Left", "Ctrl+Right"}
)
SHEET: tuple[tuple[str, str], ...] = (
    ("Return", tr("Type in the current utterance; again: it is right, go on to the next")),
    ("Tab", tr("Hear the current utterance again, also while typing")),
    ("Ctrl+Space", tr("Play or pause, also while typing")),
    ("Shift+Return", tr("While typing: split at the cursor")),
    ("Backspace", tr("While typing, at the start: merge with the one before")),
    ("Ctrl+D", tr("While typing: select the next doubtful word")),
    ("Esc", tr("While typing: take back what was typed; again: stop typing")),
    ("Up, Down", tr("Previous or next utterance")),
    ("Ctrl+Left, Ctrl+Right", tr("Previous or next word")),
    ("Y", tr("Checked, go on to the next")),
    ("C", tr("Checked, or a draft again")),
    ("N", tr("Next draft; with Shift, the previous one")),
    ("D", tr("Next doubtful word; with Shift, the previous one")),
    ("1, 2, 3", tr("This participant speaks")),
    ("0", tr("Nobody knows who speaks")),
    ("P", tr("A new participant speaks")),
    ("A", tr("The suggested speaker is right")),
    ("S", tr("Split at the playhead")),
    ("M", tr("Merge with the next, or what is selected")),
    ("[, ]", tr("Start or end the utterance at the playhead")),
    (",", tr("Start 50 ms earlier; with Alt, the end; with Ctrl, 10 ms")),
    (".", tr("Start 50 ms later; with Alt, the end; with Ctrl, 10 ms")),
    ("Ins", tr("Add an utterance at the playhead")),
    ("Del", tr("Delete what is selected")),
    ("Ctrl+F", tr("Find in the transcript")),
    ("Ctrl+H", tr("Find and replace")),
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
            (tr("Edit"), "Return", lambda: view.edit_text(view.current())),
            (tr("Split at the playhead"), "S", self._do["S"]),
            (tr("Merge"), "M", self._do["M"]),
            (tr("Start at the playhead"), "[", self._do["["]),
            (tr("End at the playhead"), "]", self._do["]"]),
            None,
            (tr("Checked, or a draft again"), "C", self._do["C"]),
            (tr("Accept suggested speaker"), "A", self._do["A"]),
            (tr("New speaker…"), "P", self._do["P"]),
            None,
            (tr("Add utterance at the playhead"), "Ins", self._do["Ins"]),
            (tr("Node of a chain"), "Ctrl+Shift+A", partial(self._context.trigger, "node_from_selected")),
            (tr("Delete"), "Del", self._do["Del"]),
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
