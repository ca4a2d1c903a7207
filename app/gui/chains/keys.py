"""Keys of the mode Chains: a chain is drawn and reviewed with them alone."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit, QWidget

from app.gui.chains.asking import Asking
from app.gui.chains.chosen import ChosenChain
from app.gui.chains.drawing import ChainDrawing
from app.gui.chains.reviewing import ChainReviewing
from app.gui.context import Context
from app.gui.mode_keys import ModeKeys
from project.chains import ChainDecision, NodeKind
from resources.translation import tr
from widgets.chain_page.neighbours import NodeList
from widgets.chain_page.page import ChainsPage
from widgets.participant_buttons import KEYS

Handler = Callable[[], object]
KIND_KEYS = {
    "E": NodeKind.EVENT,
    "B": NodeKind.BELIEF,
    "I": NodeKind.INTENT,
    "D": NodeKind.DESIRE,
    "M": NodeKind.EMOTION,
}
"""Which key after N adds a node of which kind, as in the graph."""
_REPEATING = frozenset({",", ".", "Alt+,", "Alt+."})
_HELD = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)
_OF_LISTS = frozenset({"Return", "Del", "Backspace"})
NAMING = tr(
    "New node: <b>E</b> event, <b>B</b> belief, <b>I</b> intent, <b>D</b> desire, <b>M</b> emotion. <b>Esc</b> leaves."
)
SHEET: tuple[tuple[str, str], ...] = (
    ("N", tr("New node, over the marked range or here; then E event, B belief, I intent, D desire, M emotion")),
    ("Alt+1, Alt+2, Alt+3, Alt+4, Alt+5", tr("The node is an event, belief, intent, desire or emotion after all")),
    ("Return", tr("Type what the selected node says; again: done")),
    ("1, 2, 3", tr("The node is an event or a state of this participant, or not after all")),
    ("E", tr("Draw an edge from the node: arrows choose its result, Return draws it")),
    ("R", tr("Choose a reason for the node by letters; with Shift, a result")),
    ("C", tr("The nodes selected before are reasons for the one selected last")),
    ("[, ]", tr("Start or end the node at the playhead")),
    ("S", tr("Take the marked range as the node's span")),
    (",", tr("The node one frame earlier; with Alt, its end")),
    (".", tr("The node one frame later; with Alt, its end")),
    ("Left, Right, Up, Down", tr("In the graph: the node beside, above or below; with Ctrl, along the edges")),
    ("G", tr("Go to the graph, or from there back to the timeline")),
    ("T", tr("In the graph: lay it out anew")),
    ("Shift+Space", tr("Play the selected nodes' span")),
    ("V", tr("Next chain of the recording")),
    ("Del", tr("Delete the selected nodes")),
    ("F2", tr("Rename the chain")),
    ("Esc", tr("Select nothing")),
    ("Y, X, Q", tr("Agree with the chain, want a change, or discuss it")),
    ("W", tr("Take back what you said about the chain")),
    ("K", tr("Write a note about the chain")),
)
"""Keys and what they do, for the sheet of all keys; the documentation lists the same."""


class ChainKeys(ModeKeys):
    """Looks keys up by their text. Fields keep what is typed in them, lists of nodes what is meant for them."""

    def __init__(
        self,
        context: Context,
        page: ChainsPage,
        chosen: ChosenChain,
        drawing: ChainDrawing,
        asking: Asking,
        reviewing: ChainReviewing,
    ) -> None:
        super().__init__(page, {})
        self._shown = page
        self._studio = context.studio
        self._add = drawing.add
        self._naming = False
        self._needs_node: dict[str, Handler] = {
            "Return": asking.type_words,
            "E": page.graph.start_edge,
            "R": asking.ask_reason,
            "Shift+R": asking.ask_result,
            "C": drawing.join_selected,
            "[": partial(drawing.trim, False),
            "]": partial(drawing.trim, True),
            "S": drawing.take_range,
            ",": partial(self._nudge, drawing, -1, "both"),
            ".": partial(self._nudge, drawing, 1, "both"),
            "Alt+,": partial(self._nudge, drawing, -1, "end"),
            "Alt+.": partial(self._nudge, drawing, 1, "end"),
            "Shift+Space": drawing.play,
            "Del": drawing.delete,
            "Backspace": drawing.delete,
            "Esc": partial(drawing.select, ()),
        }
        self._needs_node |= {
            tr("Alt+{at}").format(at=at): partial(drawing.set_kind, kind) for at, kind in enumerate(NodeKind, 1)
        }
        self._needs_node |= {str(number): partial(drawing.toggle_digit, number) for number in range(1, KEYS + 1)}
        self._always: dict[str, Handler] = {
            "N": self._name_kind,
            "G": asking.change_place,
            "V": partial(chosen.step, 1),
            "F2": partial(context.trigger, "chain_rename"),
            "Y": partial(reviewing.decide, ChainDecision.AGREE),
            "X": partial(reviewing.decide, ChainDecision.CHANGE),
            "Q": partial(reviewing.decide, ChainDecision.DISCUSS),
            "W": reviewing.withdraw,
            "K": reviewing.write_note,
        }
        page.visible_changed.connect(lambda visible: self.watch(page.window()) if visible else None)

    def meant(self, event: QKeyEvent) -> tuple[Handler, bool] | None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QLineEdit | QPlainTextEdit | QAbstractSpinBox):
            return None
        name = _name(event)
        if self._naming and name in (*KIND_KEYS, "Esc"):
            return partial(self._named, name), False
        if self._naming and event.key() not in _HELD:
            self._named("")
        if name in _OF_LISTS and _has_own(focused):
            return None
        do = self._always.get(name)
        if do is None and self._studio.selected_nodes:
            do = self._needs_node.get(name)
        return None if do is None else (do, name in _REPEATING)

    def _name_kind(self) -> None:
        """Wait for the key of a kind, any other leaves; the graph does the same while it has the focus."""
        if self._studio.writable:
            self._naming = True
            self._shown.show_hint(NAMING)

    def _named(self, name: str) -> None:
        self._naming = False
        self._shown.show_hint("")
        if name in KIND_KEYS:
            self._add(KIND_KEYS[name])

    def _nudge(self, drawing: ChainDrawing, frames: int, edge: str) -> None:
        drawing.nudge(self._studio.selected_nodes, frames, edge)


def _name(event: QKeyEvent) -> str:
    pressed = event.keyCombination()
    modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    key = Qt.Key.Key_Return if pressed.key() == Qt.Key.Key_Enter else pressed.key()
    return QKeySequence(int(modifiers.value) | int(key)).toString(QKeySequence.SequenceFormat.PortableText)


def _has_own(focused: QWidget | None) -> bool:
    return isinstance(focused, NodeList) and bool(focused.current())
