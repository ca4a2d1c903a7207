"""What is asked for on the page of a chain, and turned into edits: words, reasons, results."""

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QWidget

from app.core.commands.chains import find_own_chain
from app.gui.chains.chosen import ChosenChain
from app.gui.chains.drawing import ChainDrawing
from app.gui.context import Context
from project.chains import ChainGraph, Node, NodeKind
from project.errors import UserError
from resources.translation import tr
from widgets.chain_page.page import ChainsPage, Part


class Asking(QObject):
    """Joins the form, the graph and the picker with who edits."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain, drawing: ChainDrawing) -> None:
        super().__init__(page)
        self._page = page
        self._chosen = chosen
        self._drawing = drawing
        self._studio = context.studio
        self._timeline = context.timeline
        self._from: QWidget = context.timeline
        self._as_reason = True
        form, graph = page.form, page.graph
        form.kind_chosen.connect(lambda kind: drawing.set_kind(NodeKind(kind)))
        form.text_typed.connect(drawing.set_text)
        form.text_left.connect(self._go_back)
        page.review.note.left.connect(self._go_back)
        form.span_entered.connect(drawing.set_span)
        form.range_requested.connect(drawing.take_range)
        form.rejected.connect(context.studio.told)
        form.person_toggled.connect(drawing.set_person)
        form.reason_requested.connect(self.ask_reason)
        form.result_requested.connect(self.ask_result)
        form.reason_removed.connect(lambda other: self._part(other, reason=True))
        form.result_removed.connect(lambda other: self._part(other, reason=False))
        form.play_requested.connect(drawing.play)
        form.delete_requested.connect(lambda: drawing.delete())
        graph.edge_requested.connect(drawing.join)
        graph.edge_removal_requested.connect(drawing.part)
        graph.node_edit_requested.connect(self.type_words)
        graph.node_removal_requested.connect(drawing.delete)
        graph.node_add_requested.connect(lambda kind: drawing.add(NodeKind(kind)))
        page.picker.picked.connect(self._picked)
        page.picker.given_up.connect(self._go_back)
        drawing.typing_requested.connect(self.type_words)
        drawing.changing.connect(form.flush)
        context.studio.leaving.connect(form.flush)
        context.timeline.node_activated.connect(self.type_words)

    def type_words(self, node_id: str = "") -> None:
        """Let the words of a node be typed, by default of the current one."""
        if node_id and [one.id for one in self._drawing.selected()] != [node_id]:
            self._drawing.select([node_id])
        if self._page.isVisible():
            self._note_place()
            self._page.show_part(Part.NODE)
            self._page.form.type_words()

    def ask_reason(self) -> None:
        """Ask for a reason of the current node."""
        self._ask(reason=True)

    def ask_result(self) -> None:
        """Ask for a result of the current node."""
        self._ask(reason=False)

    def _ask(self, reason: bool) -> None:
        graph, node = self._chosen.graph, self._drawing.current()
        if graph is None or node is None:
            error = UserError(tr("No node is selected."), tr("Choose one in the graph or on the timeline."))
            self._studio.failed.emit(error)
            return
        if not self._may_change(graph):
            return
        self._as_reason = reason
        self._note_place()
        lists = self._page.form.reasons if reason else self._page.form.results
        what = tr("A reason for") if reason else tr("A result of")
        words = node.text or tr("this {kind}").format(kind=node.kind.value)
        title = f"{what} “{words if len(words) < 48 else words[:47] + '…'}”"
        self._page.show_part(Part.NODE)
        self._page.picker.offer(title, _possible(graph, node, reason), lists.mapTo(self._page, QPoint(0, 0)))

    def _may_change(self, graph: ChainGraph) -> bool:
        """Return whether who works here may change this chain; where not, say why."""
        session = self._studio.session
        if session is None:
            return False
        try:
            find_own_chain(session, graph.chain.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return False
        return True

    def _picked(self, other: str) -> None:
        node = self._drawing.current()
        if node is not None:
            self._drawing.join(*((other, node.id) if self._as_reason else (node.id, other)))
        self._go_back()

    def change_place(self) -> None:
        """Go to the graph, or from there to the timeline."""
        board = self._page.graph.board
        (self._timeline if board.hasFocus() else self._page.graph).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _note_place(self) -> None:
        """Note whether the graph or the timeline has the focus, to go back there."""
        board = self._page.graph.board
        self._from = next((one for one in (board, self._timeline) if one.hasFocus()), self._from)

    def _go_back(self) -> None:
        place = self._from if self._from.isVisible() else self._timeline
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    def _part(self, other: str, reason: bool) -> None:
        node = self._drawing.current()
        if node is not None and other:
            self._drawing.part(*((other, node.id) if reason else (node.id, other)))


def _possible(graph: ChainGraph, node: Node, reason: bool) -> list[Node]:
    """Return what may become a reason (or a result) of a node, nearest in time first."""
    ahead = graph.results if reason else graph.reasons
    barred, left = {node.id}, [node.id]
    while left:
        for one in ahead[left.pop()]:
            if one not in barred:
                barred.add(one)
                left.append(one)
    there = {*(graph.reasons if reason else graph.results)[node.id]}
    found = [one for one in graph.nodes if one.id not in barred | there]
    return sorted(found, key=lambda one: (abs(one.start_us - node.start_us), one.start_us))
