"""Builds the page of the mode Chains and joins it to the study.

Handles its keys, the edits made on it, and the review by a second expert.
"""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from annotate.chains import chain_versions
from annotate.chains.chain_edits import find_own_chain
from annotate.chains.chain_versions import chain_checksum
from app.gui.chains.chains_page import ChainPageTab, ChainsPage
from app.gui.chains.node_form import NodeList
from app.gui.pages.commands import Handler, ModeKeys, PageKey, digit_keys, key_name
from app.gui.pages.context import Context
from app.gui.timeline.chain_editing import ChainEditor, ChosenChain
from project.entities.causal_chains import ChainDecision, ChainGraph, ChainNode, ChainReview, NodeKind
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.chain_rows import chain_reviews, chain_sizes
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.labels import KIND_LOOKS, NodePerson


class ChainInputController(QObject):
    """Joins the form, the graph and the picker with who edits."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain, drawing: ChainEditor) -> None:
        super().__init__(page)
        self._page = page
        self._chosen = chosen
        self._drawing = drawing
        self._studio = context.studio
        self._questions = context.questions
        self._timeline = context.timeline
        self._from: QWidget = context.timeline
        self._as_reason = True
        form, graph = page.form, page.graph
        form.kind_chosen.connect(lambda kind: drawing.set_kind(NodeKind(kind)))
        form.text_typed.connect(drawing.set_text)
        form.editing_finished.connect(self._restore_focus)
        page.review.note.exited.connect(self._restore_focus)
        form.span_entered.connect(drawing.set_span)
        form.range.clicked.connect(drawing.apply_marked_range)
        form.rejected.connect(context.studio.message)
        form.person_toggled.connect(drawing.set_person)
        form.people.character_requested.connect(self.add_character)
        form.reasons.add_requested.connect(self.ask_reason)
        form.result_requested.connect(self.ask_result)
        form.reasons.removal_requested.connect(lambda other: self._remove_edge(other, reason=True))
        form.results.removal_requested.connect(lambda other: self._remove_edge(other, reason=False))
        form.play_requested.connect(drawing.play)
        form.delete_requested.connect(lambda: drawing.delete())
        graph.edge_requested.connect(drawing.add_edge)
        graph.edge_removal_requested.connect(drawing.remove_edge)
        graph.node_edit_requested.connect(self.edit_node_text)
        graph.node_removal_requested.connect(drawing.delete)
        graph.node_add_requested.connect(lambda kind: drawing.add(NodeKind(kind)))
        page.picker.node_picked.connect(self._on_node_picked)
        page.picker.new_node_requested.connect(self._on_new_node)
        page.picker.cancelled.connect(self._restore_focus)
        drawing.edit_text_requested.connect(self.edit_node_text)
        drawing.about_to_change.connect(form.flush)
        context.studio.leaving.connect(form.flush)
        context.timeline.node_requests.activate.connect(self.edit_node_text)
        context.chains.chain_begun.connect(lambda: self._timeline.setFocus() if page.isVisible() else None)

    def edit_node_text(self, node_id: str = "") -> None:
        """Let the words of a node be typed, by default of the current one."""
        if node_id and [chain_node.id for chain_node in self._drawing.selected()] != [node_id]:
            self._drawing.select([node_id])
        if self._page.isVisible():
            self._remember_focus()
            self._page.show_tab(ChainPageTab.NODE)
            self._page.form.edit_text()

    def ask_reason(self) -> None:
        """Ask for a reason of the current node."""
        self._ask(reason=True)

    def ask_result(self) -> None:
        """Ask for a result of the current node."""
        self._ask(reason=False)

    def _ask(self, reason: bool) -> None:
        graph, node = self._chosen.graph, self._drawing.current()
        if graph is None or node is None:
            error = UserError(tr("No node is selected."), tr("Select a node in the graph or on the timeline."))
            self._studio.failed.emit(error)
            return
        if not self._check_editable(graph):
            return
        self._as_reason = reason
        self._remember_focus()
        lists = self._page.form.reasons if reason else self._page.form.results
        what = tr("A reason for") if reason else tr("A result of")
        words = node.text or tr("this {kind}").format(kind=node.kind.value)
        title = f"{what} “{words if len(words) < 48 else words[:47] + '…'}”"
        self._page.show_tab(ChainPageTab.NODE)
        self._page.picker.open_at(title, _edge_candidates(graph, node, reason), lists.mapTo(self._page, QPoint(0, 0)))

    def _check_editable(self, graph: ChainGraph) -> bool:
        """Return whether the current annotator may change this chain; where not, say why."""
        session = self._studio.session
        if session is None:
            return False
        try:
            find_own_chain(session, graph.chain.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return False
        return True

    def _on_node_picked(self, other: str) -> None:
        node = self._drawing.current()
        if node is not None:
            self._drawing.add_edge(*((other, node.id) if self._as_reason else (node.id, other)))
        self._restore_focus()

    def _on_new_node(self, text: str) -> None:
        node = self._drawing.current()
        self._restore_focus()
        if node is not None:
            self._drawing.add_beside(node, text, as_reason=self._as_reason)

    def add_character(self) -> None:
        """Ask for a participant who is new in the study, and say that the current node is theirs."""
        graph = self._chosen.graph
        if graph is not None and self._check_editable(graph):
            name = self._questions.text(tr("New character"), tr("Pseudonym, such as P03"), "")
            if name:
                self._drawing.add_character(name)

    def toggle_focus(self) -> None:
        """Go to the graph, or from there to the timeline."""
        board = self._page.graph.board
        (self._timeline if board.hasFocus() else self._page.graph).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _remember_focus(self) -> None:
        """Note whether the graph or the timeline has the focus, to go back there."""
        board = self._page.graph.board
        self._from = next((widget for widget in (board, self._timeline) if widget.hasFocus()), self._from)

    def _restore_focus(self) -> None:
        place = self._from if self._from.isVisible() else self._timeline
        place.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remove_edge(self, other: str, reason: bool) -> None:
        node = self._drawing.current()
        if node is not None and other:
            self._drawing.remove_edge(*((other, node.id) if reason else (node.id, other)))


def _edge_candidates(graph: ChainGraph, node: ChainNode, reason: bool) -> list[ChainNode]:
    """Return what may become a reason (or a result) of a node, nearest in time first."""
    ahead = graph.results if reason else graph.reasons
    barred, left = {node.id}, [node.id]
    while left:
        for node_id in ahead[left.pop()]:
            if node_id not in barred:
                barred.add(node_id)
                left.append(node_id)
    there = {*(graph.reasons if reason else graph.results)[node.id]}
    found = [chain_node for chain_node in graph.nodes if chain_node.id not in barred | there]
    return sorted(found, key=lambda chain_node: (abs(chain_node.start_us - node.start_us), chain_node.start_us))


class ChainReviewing(QObject):
    """Fills the review part and turns what is said there into edits."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain) -> None:
        super().__init__(page)
        self._studio = context.studio
        self._page = page
        self._chosen = chosen
        chosen.changed.connect(self._refresh)
        page.visible_changed.connect(lambda visible: self._refresh() if visible else None)
        page.review.decided.connect(self._decide)
        page.review.withdraw.clicked.connect(self.withdraw)
        page.review.copy.clicked.connect(self.copy_chain)
        page.review.agreed.clicked.connect(self.make_consensus)

    def decide(self, decision: ChainDecision) -> None:
        """Say something about the chain, with the note that stands on the page."""
        if self._chosen.graph is None:
            return
        self._page.show_tab(ChainPageTab.REVIEW)
        self._page.review.decide(decision)

    def write_note(self) -> None:
        """Let a note be typed."""
        if self._chosen.graph is None:
            return
        self._page.show_tab(ChainPageTab.REVIEW)
        self._page.review.write_note()

    def withdraw(self) -> None:
        """Take back what one said."""
        self._studio.edit(lambda session: chain_versions.withdraw_chain_review(session, self._chosen.id))

    def copy_chain(self) -> None:
        """Draw a version of one's own, and go on with that one."""
        if self._studio.edit(lambda session: chain_versions.copy_for_change(session, self._chosen.id)[1]):
            self._studio.message.emit(
                tr("This is your own version: what you change in it leaves the other one as it is.")
            )

    def make_consensus(self) -> None:
        """Make the chosen version the agreed one."""
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = chain_versions.make_consensus(session, self._chosen.id, self._chosen.id)
            made.append(new)
            return changes

        if self._studio.edit(do):
            self._chosen.select_chain(made[0])
            self._studio.message.emit(tr("This is the agreed version now."))

    def _decide(self, decision: str, note: str) -> None:
        self._studio.edit(
            lambda session: chain_versions.review_chain(session, self._chosen.id, ChainDecision(decision), note)
        )

    def _refresh(self) -> None:
        session, graph, chosen = self._studio.session, self._chosen.graph, self._chosen
        if session is None or graph is None or not self._page.isVisible():
            return
        chain, state = graph.chain, chain_checksum(graph)
        who = session.annotator()
        said = chain_reviews(session.study, chain.id)
        mine = next(
            (chain_review for chain_review in said if who is not None and chain_review.reviewer_id == who.id), None
        )
        based = next((known_chain for known_chain in chosen.chains if known_chain.id == chain.based_on), None)
        lines = [
            tr("Drawn by {author}.").format(author=chosen.author_name(chain))
            if not chosen.is_agreed
            else tr("The version that was agreed on.")
        ]
        if based is not None:
            lines.append(
                tr("Made from “{name}” of {author}.").format(name=based.name, author=chosen.author_name(based))
            )
        why = ""
        if not self._studio.writable:
            why = session.study.read_only_reason
        elif chosen.is_agreed:
            why = tr("Review the chain that this version was made from.")
        elif chosen.is_own:
            why = tr("You drew this chain: somebody else reviews it.")
        self._page.set_review_count(len(said))
        self._page.review.show_reviews(
            chain.id,
            lines,
            [self._review_text(chain_review, chain_review.state != state) for chain_review in said],
            (None, "") if mine is None else (mine.decision, mine.note),
            copyable=self._studio.writable and not chosen.is_own,
            agreeable=self._studio.writable and not chosen.is_agreed and bool(graph.edges),
            why_not=why,
        )

    def _review_text(self, review: ChainReview, outdated: bool) -> str:
        says = {
            ChainDecision.AGREE: tr("agrees"),
            ChainDecision.CHANGE: tr("wants a change"),
            ChainDecision.DISCUSS: tr("wants to discuss"),
        }[review.decision]
        note = f": “{review.note}”" if review.note else ""
        changed = tr(", before it was changed") if outdated else ""
        return f"{self._chosen.annotator_name(review.reviewer_id)} {says}{note} ({review.at[:10]}{changed})"


KIND_KEYS = {
    "E": NodeKind.EVENT,
    "B": NodeKind.BELIEF,
    "I": NodeKind.INTENT,
    "D": NodeKind.DESIRE,
    "M": NodeKind.EMOTION,
}
"""Which key after N adds a node of which kind, as in the graph."""
_MODIFIER_KEYS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)
_LIST_KEYS = frozenset({"Return", "Del", "Backspace"})
NAMING_HINT = tr(
    "New node: <b>E</b> event, <b>B</b> belief, <b>I</b> intent, <b>D</b> desire, <b>M</b> emotion. <b>Esc</b> leaves."
)


def _on_node(
    shortcuts: str, text: str, handler: Callable[["ChainKeys"], object], *, repeats: bool = False
) -> PageKey["ChainKeys"]:
    return PageKey(shortcuts, text, handler, repeats, on_selection=True)


def _set_kind(kind: NodeKind) -> Callable[["ChainKeys"], object]:
    return lambda k: k.drawing.set_kind(kind)


class ChainKeys(ModeKeys["ChainKeys"]):
    """Joins the keys with what they do. Lists of nodes keep what is meant for them."""

    def __init__(
        self,
        context: Context,
        page: ChainsPage,
        chosen: ChosenChain,
        drawing: ChainEditor,
        asking: ChainInputController,
        reviewing: ChainReviewing,
    ) -> None:
        super().__init__(page, KEYS, self, lambda: bool(context.studio.selected_nodes))
        self.context, self.page, self.chosen = context, page, chosen
        self.drawing, self.asking, self.reviewing = drawing, asking, reviewing
        self._naming = False

    def handler_for(self, event: QKeyEvent) -> tuple[Handler, bool] | None:
        meant, name = super().handler_for(event), key_name(event)
        if self._naming and name in (*KIND_KEYS, "Esc"):
            return partial(self._finish_naming, name), False
        if self._naming and event.key() not in _MODIFIER_KEYS:
            self._finish_naming("")
        focused = QApplication.focusWidget()
        if name in _LIST_KEYS and isinstance(focused, NodeList) and focused.current():
            return None
        return meant

    def start_naming(self) -> None:
        """Wait for the key of a kind, any other leaves; the graph does the same while it has the focus."""
        if self.context.studio.writable:
            self._naming = True
            self.page.show_hint(NAMING_HINT)

    def _finish_naming(self, name: str) -> None:
        self._naming = False
        self.page.show_hint("")
        if name in KIND_KEYS:
            self.drawing.add(KIND_KEYS[name])

    def nudge(self, frames: int, edge: str) -> None:
        """Move the selected nodes, or their ends."""
        self.drawing.nudge(self.context.studio.selected_nodes, frames, edge)


KEYS: tuple[PageKey["ChainKeys"], ...] = (
    PageKey(
        "N",
        tr("New node, over the marked range or here; then E event, B belief, I intent, D desire, M emotion"),
        lambda k: k.start_naming(),
    ),
    PageKey("Alt+1 Alt+2 Alt+3 Alt+4 Alt+5", tr("The node is an event, belief, intent, desire or emotion after all")),
    *(_on_node(f"Alt+{at}", "", _set_kind(kind)) for at, kind in enumerate(NodeKind, 1)),
    _on_node("Return", tr("Type what the selected node says; again: done"), lambda k: k.asking.edit_node_text()),
    PageKey("1 2 3", tr("The node is an event or a state of this participant, or not after all")),
    *digit_keys(lambda k, number: k.drawing.toggle_person_by_digit(number), on_selection=True),
    _on_node("P", tr("The node is an event or a state of a new character"), lambda k: k.asking.add_character()),
    _on_node(
        "E",
        tr("Draw an edge from the node: arrows choose its result, Return draws it"),
        lambda k: k.page.graph.start_edge(),
    ),
    _on_node(
        "R",
        tr("Choose a reason for the node by letters, or type a new one; with Shift, a result"),
        lambda k: k.asking.ask_reason(),
    ),
    _on_node("Shift+R", "", lambda k: k.asking.ask_result()),
    _on_node(
        "C",
        tr("The nodes selected before are reasons for the one selected last"),
        lambda k: k.drawing.connect_selected(),
    ),
    PageKey("[ ]", tr("Start or end the node at the playhead")),
    _on_node("[", "", lambda k: k.drawing.trim(False)),
    _on_node("]", "", lambda k: k.drawing.trim(True)),
    _on_node("S", tr("Take the marked range as the node's span"), lambda k: k.drawing.apply_marked_range()),
    _on_node(",", tr("The node one frame earlier; with Alt, its end"), lambda k: k.nudge(-1, "both"), repeats=True),
    _on_node(".", tr("The node one frame later; with Alt, its end"), lambda k: k.nudge(1, "both"), repeats=True),
    _on_node("Alt+,", "", lambda k: k.nudge(-1, "end"), repeats=True),
    _on_node("Alt+.", "", lambda k: k.nudge(1, "end"), repeats=True),
    PageKey("Left Right Up Down", tr("In the graph: the node beside, above or below; with Ctrl, along the edges")),
    PageKey("G", tr("Go to the graph, or from there back to the timeline"), lambda k: k.asking.toggle_focus()),
    PageKey("T", tr("In the graph: lay it out again")),
    _on_node("Shift+Space", tr("Play the selected nodes' span"), lambda k: k.drawing.play()),
    PageKey("V", tr("Next chain of the recording"), lambda k: k.chosen.step(1)),
    _on_node("Del", tr("Delete the selected nodes"), lambda k: k.drawing.delete()),
    _on_node("Backspace", "", lambda k: k.drawing.delete()),
    PageKey("F2", tr("Rename the chain"), lambda k: k.context.trigger("chain_rename")),
    _on_node("Esc", tr("Select nothing"), lambda k: k.drawing.select(())),
    PageKey("Y X Q", tr("Agree with the chain, want a change, or discuss it")),
    PageKey("Y", "", lambda k: k.reviewing.decide(ChainDecision.AGREE)),
    PageKey("X", "", lambda k: k.reviewing.decide(ChainDecision.CHANGE)),
    PageKey("Q", "", lambda k: k.reviewing.decide(ChainDecision.DISCUSS)),
    PageKey("W", tr("Take back your review of the chain"), lambda k: k.reviewing.withdraw()),
    PageKey("K", tr("Write a note about the chain"), lambda k: k.reviewing.write_note()),
)
"""Keys and what they do; the sheet of all keys and the documentation list them."""


_NO_NODE_SELECTED_HINT = tr(
    "No node is selected.\nChoose one in the graph or on the timeline, or press N for a new one at the playhead."
)
_READ_ONLY_HINT = tr("No node is selected.\nChoose one in the graph or on the timeline to read it.")
_EMPTY_CHAIN_HINT = tr("No nodes yet. Go to where something happens and press N; I and O mark how long it takes.")


class ChainPresenter(QObject):
    """Keeps the page in step while it is in sight; what changed meanwhile is shown when it comes back."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain, drawing: ChainEditor) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._chosen = chosen
        self._drawing = drawing
        self._stale = True
        chosen.chains_changed.connect(self._refresh)
        chosen.changed.connect(self._refresh)
        context.studio.nodes_selected.connect(self._show_selection)
        page.visible_changed.connect(lambda visible: self._show() if visible and self._stale else None)
        page.graph.selection_changed.connect(self._on_graph_selection)
        page.graph.seek_requested.connect(context.playback.jump)
        page.bar.chain_chosen.connect(chosen.select_chain)
        page.checks.opened.connect(self._go_to)
        page.form.opened.connect(lambda node: drawing.select([node]))

    def _refresh(self) -> None:
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
        sizes = chain_sizes(session.study, recording.id)
        page.bar.show_chains(
            {
                chain.id: f"{chain.name}   {chosen.author_name(chain)}, "
                f"{trn('{count} node', '{count} nodes', sizes.get(chain.id, 0))}"
                for chain in chosen.chains
            },
            graph.chain.id,
        )
        agreed = chosen.is_agreed
        page.bar.set_permissions(writable, chosen.is_own, chosen.is_own or agreed)
        page.show_chain(self._read_only_reason(reason))
        people = {
            key: NodePerson(participant.pseudonym, chosen.colours.get(key))
            for key, participant in chosen.people.items()
        }
        page.graph.show_graph(graph, people, dict(chosen.flags))
        page.show_checks(
            [
                (problem.node_id, _check_text(graph, problem.node_id, problem.message), problem.warning)
                for problem in chosen.problems
            ]
        )
        self._show_selection()

    def _read_only_reason(self, reason: str) -> str:
        if not self._context.studio.writable:
            return tr("Only reading. {reason}").format(reason=escape(reason))
        if self._chosen.is_agreed:
            return tr("This is the agreed version: nobody changes it. Draw your own version, then agree on that one.")
        if not self._chosen.is_own:
            return tr(
                "Somebody else drew this chain: say what you think under <b>Review</b>, or draw your own version."
            )
        return ""

    def _show_selection(self) -> None:
        if self._stale or not self._page.isVisible():
            self._stale = True
            return
        page, graph, node = self._page, self._chosen.graph, self._drawing.current()
        wanted = self._context.studio.selected_nodes
        if tuple(page.graph.selected()) != wanted:
            page.graph.select(wanted)
        if graph is None or node is None:
            page.form.show_nothing(self._empty_hint(graph))
            return
        here = self._chosen.here
        elsewhere = [person for person in self._chosen.people.values() if person not in here]
        page.form.people.set_people(here, elsewhere)
        page.form.show_node(node, graph, self._chosen.flags.get(node.id, ""), self._chosen.is_editable)

    def _empty_hint(self, graph: ChainGraph | None) -> str:
        if not self._chosen.is_editable:
            return _READ_ONLY_HINT
        return _EMPTY_CHAIN_HINT if graph is not None and not graph.nodes else _NO_NODE_SELECTED_HINT

    def _on_graph_selection(self, ids: Sequence[str]) -> None:
        if tuple(ids) != self._context.studio.selected_nodes:
            self._drawing.select(ids)

    def _go_to(self, node_id: str) -> None:
        self._drawing.select([node_id])
        self._page.show_tab(ChainPageTab.NODE)


def _check_text(graph: ChainGraph, node_id: str, message: str) -> str:
    node = graph.nodes_by_id.get(node_id)
    if node is None:
        return message
    when = tr("{name} at {start_us}").format(name=KIND_LOOKS[node.kind].name, start_us=format_time(node.start_us))
    return f"{node.text or when}: {message}"


def make_chains_page(context: Context) -> QWidget:
    """Return the page."""
    page = ChainsPage(context)
    chosen, drawing = context.chains.chosen, context.chains.drawing
    ChainPresenter(context, page, chosen, drawing)
    asking = ChainInputController(context, page, chosen, drawing)
    reviewing = ChainReviewing(context, page, chosen)
    ChainKeys(context, page, chosen, drawing, asking, reviewing)
    page.action_requested.connect(context.trigger)
    page.graph.menu_requested.connect(lambda where, _node: context.chains.show_menu(where, _make_menu(page)))
    page.acts = {
        "type": asking.edit_node_text,
        "reason": asking.ask_reason,
        "result": asking.ask_result,
        "copy": reviewing.copy_chain,
        "agree_on": reviewing.make_consensus,
    }
    return page


def _make_menu(page: QWidget) -> QMenu:
    menu = QMenu(page)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu
