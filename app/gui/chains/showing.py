"""Shows the chosen chain and the selected node on the page, and what is selected there everywhere else."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QObject

from app.gui.chains.chosen import ChosenChain
from app.gui.chains.drawing import ChainDrawing
from app.gui.context import Context
from project.chains import ChainGraph
from project.queries.chains import sizes_of
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.chain_page.page import ChainsPage, Part
from widgets.chain_page.shown import ListedChain, ShownCheck, ShownNode
from widgets.chains.looks import KINDS, Person

_NO_NODE = tr(
    "No node is selected.\nChoose one in the graph or on the timeline, or press N for a new one at the playhead."
)
_READ_ONE = tr("No node is selected.\nChoose one in the graph or on the timeline to read it.")
_NO_NODES = tr("No nodes yet. Go to where something happens and press N; I and O mark how long it takes.")


class Showing(QObject):
    """Keeps the page in step while it is in sight; what changed meanwhile is shown when it comes back."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain, drawing: ChainDrawing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._chosen = chosen
        self._drawing = drawing
        self._stale = True
        chosen.listed.connect(self._renew)
        chosen.changed.connect(self._renew)
        context.studio.nodes_selected.connect(self._show_selection)
        page.visible_changed.connect(lambda visible: self._show() if visible and self._stale else None)
        page.graph.selection_changed.connect(self._take_selection)
        page.graph.seek_requested.connect(context.playback.jump)
        page.bar.chosen.connect(chosen.choose)
        page.checks.opened.connect(self._go_to)
        page.form.opened.connect(lambda node: drawing.select([node]))

    def _renew(self) -> None:
        self._stale = True
        if self._page.isVisible():
            self._show()

    def _show(self) -> None:
        self._stale = False
        page, chosen, graph = self._page, self._chosen, self._chosen.graph
        session, recording = self._context.studio.session, self._context.studio.recording
        if session is None or recording is None:
            page.form.show_nothing("")
            page.show_nothing()
            return
        writable, reason = self._context.studio.writable, session.study.read_only_reason
        if graph is None:
            page.form.show_nothing("")
            page.show_no_chain(writable, reason)
            return
        sizes = sizes_of(session.study, recording.id)
        page.bar.show_chains(
            [
                ListedChain(
                    one.id,
                    one.name,
                    f"{chosen.author(one)}, {trn('{count} node', '{count} nodes', sizes.get(one.id, 0))}",
                )
                for one in chosen.chains
            ],
            graph.chain.id,
        )
        agreed = chosen.agreed
        page.bar.set_possible(writable, chosen.own, chosen.own or agreed)
        page.show_chain(self._read_only(reason))
        people = {key: Person(one.pseudonym, chosen.colours.get(key)) for key, one in chosen.people.items()}
        page.graph.show_graph(graph, people, dict(chosen.flags))
        page.show_checks([self._check(graph, one.node_id, one.message, one.warning) for one in chosen.problems])
        self._show_selection()

    def _read_only(self, reason: str) -> str:
        if not self._context.studio.writable:
            return tr("Only reading. {reason}").format(reason=escape(reason))
        if self._chosen.agreed:
            return tr("This is the agreed version: nobody changes it. Draw your own version, then agree on that one.")
        if not self._chosen.own:
            return tr(
                "Somebody else drew this chain: say what you think under <b>Review</b>, or draw your own version."
            )
        return ""

    def _check(self, graph: ChainGraph, node_id: str, message: str, warning: bool) -> ShownCheck:
        node = graph.by_id.get(node_id)
        about = (
            ""
            if node is None
            else node.text
            or tr("{name} at {start_us}").format(name=KINDS[node.kind].name, start_us=format_time(node.start_us))
        )
        return ShownCheck(node_id, about, message, warning)

    def _show_selection(self) -> None:
        if self._stale or not self._page.isVisible():
            self._stale = True
            return
        page, graph, node = self._page, self._chosen.graph, self._drawing.current()
        wanted = self._context.studio.selected_nodes
        if tuple(page.graph.selected()) != wanted:
            page.graph.select(wanted)
        if graph is None or node is None:
            page.form.show_nothing(self._no_node(graph))
            return
        shown = ShownNode(
            node,
            tuple(graph.by_id[one] for one in graph.reasons[node.id]),
            tuple(graph.by_id[one] for one in graph.results[node.id]),
            self._chosen.flags.get(node.id, ""),
        )
        page.form.show_node(shown, [*self._chosen.people.values()], self._chosen.editable)

    def _no_node(self, graph: ChainGraph | None) -> str:
        if not self._chosen.editable:
            return _READ_ONE
        return _NO_NODES if graph is not None and not graph.nodes else _NO_NODE

    def _take_selection(self, ids: Sequence[str]) -> None:
        if tuple(ids) != self._context.studio.selected_nodes:
            self._drawing.select(ids)

    def _go_to(self, node_id: str) -> None:
        self._drawing.select([node_id])
        self._page.show_part(Part.NODE)
