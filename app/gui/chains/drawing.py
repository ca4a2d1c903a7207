"""What is done to the nodes and edges of the chain that is worked on; every change goes through a command."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.core.commands import chains as commands
from app.core.session import Session
from app.gui.chains.chosen import ChosenChain
from app.gui.edit_text import Rows, tell_deleted
from app.gui.nudging import nudged
from app.gui.player import Player
from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from project.chains import Node, NodeKind
from project.errors import UserError
from project.timebase import SECOND
from project.types import Changes
from resources.translation import tr, trn

_NEW_US = 2 * SECOND
"""How long a node is that somebody adds at the playhead, at most."""


class ChainDrawing(QObject):
    """Edits the chosen chain. The first node begins a chain where the recording has none.

    Signals:
        typing_requested (str): the id of a node whose words should be typed.
        changing: something is about to be changed, so what is being typed has to be there before.
    """

    typing_requested = Signal(str)
    changing = Signal()

    def __init__(
        self, studio: Studio, player: Player, editing: SegmentEditing, chosen: ChosenChain, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._editing = editing
        self._chosen = chosen
        self._kind = NodeKind.EVENT

    # Which nodes

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these nodes, and nothing else."""
        self._studio.select(())
        self._studio.select_utterances(())
        self._studio.select_nodes(ids)

    def selected(self) -> list[Node]:
        """Return the selected nodes, in the order in which they were selected."""
        graph = self._chosen.graph
        known = graph.by_id if graph is not None else {}
        return [known[one] for one in self._studio.selected_nodes if one in known]

    def current(self) -> Node | None:
        """Return the node that was selected last."""
        return next(reversed(self.selected()), None)

    def play(self) -> None:
        """Play the span of the selected nodes once."""
        chosen = self.selected()
        if chosen:
            self._player.play_span(min(one.start_us for one in chosen), max(one.end_us for one in chosen))

    # Making nodes

    def add(self, kind: NodeKind) -> None:
        """Add a node over the marked range, or from the playhead on, and let its words be typed."""
        recording = self._studio.recording
        if recording is None:
            return
        start, end = self._studio.mark_in, self._studio.mark_out
        if start is None and end is None:
            start = self._player.exact_us(self._player.position_us)
            start = max(0, min(start, recording.duration_us - _NEW_US // 20))
        if start is None:
            assert end is not None
            start = max(0, end - _NEW_US)
        if end is None:
            end = min(start + _NEW_US, recording.duration_us)
        self._add(kind, start, end)

    def draw(self, start_us: int, end_us: int) -> None:
        """Add a node of the kind that was used last over a stretch that was drawn on the timeline."""
        self._add(self._kind, start_us, end_us)

    def _add(self, kind: NodeKind, start_us: int, end_us: int) -> None:
        made = self._make(
            lambda session, chain: commands.add_node(session, chain, kind, "", start_us, end_us),
        )
        if made:
            self._kind = kind
            self._studio.set_marks(None, None)
            self.select(made)
            self.typing_requested.emit(made[0])

    def add_from_selected(self) -> None:
        """Make a node of each selected segment, cue and utterance."""
        segments, utterances = self._studio.selected, self._studio.selected_utterances
        if not segments and not utterances:
            self._refuse(
                tr("No segment, utterance or cue is selected."), tr("Select one on the timeline or in the transcript.")
            )
            return
        made: list[str] = []
        for one in segments:
            made += self._make(partial(_from_segment, one))
        for one in utterances:
            made += self._make(partial(_from_utterance, one))
        graph = self._chosen.graph
        if made and graph is not None:
            self.select(made)
            self._studio.told.emit(
                tr("Added {count} to {name}.").format(
                    count=trn("{count} node", "{count} nodes", len(made)), name=graph.chain.name
                )
            )

    def _make(self, how: Callable[[Session, str], tuple[str, Changes]]) -> list[str]:
        """Add a node to the chosen chain, or to a new one where there is none; returns its id."""
        recording = self._studio.recording
        if recording is None:
            return []
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = how(session, self._chosen.id)
            made.append(new)
            return changes

        if not self._chosen.id and not self._edit(lambda session: commands.add_chain(session, recording.id)[1]):
            return []
        return made if self._edit(do) else []

    # Changing nodes

    def set_kind(self, kind: NodeKind) -> None:
        """Make the current node one of another kind."""
        self._edit_current(lambda session, one: commands.edit_node(session, one.id, kind=kind))

    def set_text(self, node_id: str, text: str) -> None:
        """Write what a node says; typing in one go is one step."""
        self._studio.edit(
            lambda session: commands.edit_node(session, node_id, text=text, merge_key=f"node text {node_id}"), self
        )

    def set_span(self, start_us: int, end_us: int) -> None:
        """Give the current node another start and end."""
        self._edit_current(lambda session, one: commands.edit_node(session, one.id, start_us=start_us, end_us=end_us))

    def take_range(self) -> None:
        """Give the current node the marked start and end."""
        start, end = self._studio.mark_in, self._studio.mark_out
        if start is None or end is None:
            self._refuse(tr("No start and end are marked."), tr("Mark a start (I) and an end (O) at the playhead."))
            return
        if self.current() is not None:
            self.set_span(start, end)
            self._studio.set_marks(None, None)

    def trim(self, end: bool) -> None:
        """Start or end the current node at the frame on screen."""
        one = self.current()
        if one is None:
            return
        if end:
            self.set_span(one.start_us, self._editing.end_here())
        else:
            self.set_span(self._player.exact_us(self._player.position_us), one.end_us)

    def move(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give nodes new starts and ends."""
        self._edit(lambda session: commands.move_nodes(session, spans, merge_key))

    def nudge(self, ids: Sequence[str], frames: int, edge: str = "both") -> None:
        """Move nodes, or one edge of them, by frames; a key held down is one step."""
        graph, recording = self._chosen.graph, self._studio.recording
        if graph is None or recording is None:
            return
        found = [graph.by_id[one] for one in ids if one in graph.by_id]
        spans = [(one.id, *nudged(one.start_us, one.end_us, frames, edge, self._player.times)) for one in found]
        if spans and all(start >= 0 and end <= recording.duration_us for _, start, end in spans):
            self.move(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def set_person(self, participant_id: str, has: bool) -> None:
        """Say whether the current node is an event or a state of somebody."""

        def do(session: Session, one: Node) -> Changes:
            people = {*one.people} | {participant_id} if has else {*one.people} - {participant_id}
            return commands.edit_node(session, one.id, people=sorted(people))

        self._edit_current(do)

    def toggle_digit(self, number: int) -> None:
        """Say of the participant with this digit that the current node is theirs, or not after all."""
        people, one = [*self._chosen.people], self.current()
        if one is not None and number <= len(people):
            who = people[number - 1]
            self.set_person(who, who not in one.people)

    def delete(self, ids: Collection[str] | None = None) -> None:
        """Delete nodes, by default the selected ones; undo brings them back."""
        gone = [*(self._studio.selected_nodes if ids is None else ids)]
        graph, current = self._chosen.graph, self.current()
        if not gone or graph is None:
            return
        left = [one for one in graph.nodes if one.id not in gone]
        if self._edit(lambda session: commands.delete_nodes(session, gone)):
            self._studio.told.emit(tell_deleted(Rows.NODES, len(gone)))
            if current is not None and current.id in gone and left:
                beside = min(left, key=lambda one: abs(one.start_us - current.start_us))
                self.select([beside.id])

    # Edges

    def join(self, reason_id: str, result_id: str) -> None:
        """Say that one node is a reason for another."""
        self._edit(lambda session: commands.add_edge(session, reason_id, result_id))

    def join_selected(self) -> None:
        """Say that the nodes selected before are reasons for the one selected last."""
        chosen = self.selected()
        if len(chosen) < 2:
            self._refuse(
                tr("Reasons and a result are joined when several nodes are selected."),
                tr("Select the reasons, then the result with Ctrl and a click; or press R and choose a reason."),
            )
            return
        for one in chosen[:-1]:
            self.join(one.id, chosen[-1].id)

    def part(self, reason_id: str, result_id: str) -> None:
        """Take back that one node is a reason for another."""
        self._edit(lambda session: commands.delete_edge(session, reason_id, result_id))

    def _edit(self, do: Callable[[Session], Changes]) -> bool:
        self.changing.emit()
        return self._studio.edit(do)

    def _edit_current(self, how: Callable[[Session, Node], Changes]) -> None:
        one = self.current()
        if one is not None:
            self._edit(lambda session: how(session, one))

    def _refuse(self, message: str, hint: str) -> None:
        self._studio.failed.emit(UserError(message, hint))


def _from_segment(segment_id: str, session: Session, chain_id: str) -> tuple[str, Changes]:
    return commands.add_node_from_segment(session, chain_id, segment_id)


def _from_utterance(utterance_id: str, session: Session, chain_id: str) -> tuple[str, Changes]:
    return commands.add_node_from_utterance(session, chain_id, utterance_id)
