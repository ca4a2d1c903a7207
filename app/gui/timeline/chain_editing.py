"""The chosen chain of the recording, and the edits of its nodes and edges. Every change goes through a command."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from annotate.chains import chain_edits
from annotate.chains.chain_checks import ChainProblem, find_problems, messages_by_node
from annotate.chains.chain_edits import ADJUDICATED
from annotate.study.people import add_participant
from app.gui.player.player import Player
from app.gui.study.dialogs import Rows, deleted_message
from app.gui.study.study_controller import StudyController
from app.gui.timeline.segment_editing import SegmentEditing, nudge_span
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, NodeKind
from project.entities.study_records import Annotator, Changes, Participant, ParticipantRole
from project.errors import UserError
from project.queries.annotator_rows import all_annotators
from project.queries.chain_rows import chains_of, find_node, read_graph
from project.queries.recording_rows import all_participants, participants_in
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn
from widgets.labels import participant_colours

_LIST_TABLES = frozenset({"chain", "annotator", "completion", "assignment", "property"})
_PEOPLE_TABLES = frozenset({"participant", "appearance"})
_PART_TABLES = ("chain_node", "chain_person", "chain_edge")


class ChosenChain(QObject):
    """Holds the chains of the recording that is shown, and the graph of the one that is chosen.

    Signals:
        chains_changed: other chains are there, or under other names.
        changed: the chosen chain is another one, or something in it changed.

    Attributes:
        chains: of the recording, in the order in which they were begun.
        graph: of the chosen chain; None where there is none.
        problems: of the chosen chain.
        flags: node id -> what is wrong with it, in lines.
        people: of the study, by id.
        here: of the recording; a digit stands for each of the first nine.
        colours: participant id -> `#rrggbb`.
        authors: annotator id -> annotator.
    """

    chains_changed = Signal()
    changed = Signal()

    def __init__(self, studio: StudyController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._last: dict[str, str] = {}
        self.chains: tuple[Chain, ...] = ()
        self.graph: ChainGraph | None = None
        self.problems: Sequence[ChainProblem] = ()
        self.flags: Mapping[str, str] = {}
        self.people: Mapping[str, Participant] = {}
        self.here: Sequence[Participant] = ()
        self.colours: Mapping[str, str] = {}
        self.authors: Mapping[str, Annotator] = {}
        studio.session_changed.connect(self._last.clear)
        studio.recording_changed.connect(self.reload)
        studio.bridge.changed.connect(lambda changes, _initiator: self._apply(changes))

    @property
    def id(self) -> str:
        """Id of the chosen chain; "" for none."""
        return self.graph.chain.id if self.graph is not None else ""

    @property
    def is_own(self) -> bool:
        """Whether the chosen chain was drawn by the current annotator."""
        session = self._studio.session
        who = session.annotator() if session is not None else None
        return who is not None and self.graph is not None and self.graph.chain.annotator_id == who.id

    @property
    def is_editable(self) -> bool:
        """Whether the chosen chain may be changed here."""
        return self._studio.writable and self.is_own

    @property
    def is_agreed(self) -> bool:
        """Whether the chosen chain is a version that was agreed on."""
        found = self.authors.get(self.graph.chain.annotator_id) if self.graph is not None else None
        return found is not None and found.kind == ADJUDICATED

    def author_name(self, chain: Chain) -> str:
        """Return who drew a chain, for people to read."""
        found = self.authors.get(chain.annotator_id)
        return (
            tr("agreed version")
            if found is not None and found.kind == ADJUDICATED
            else self.annotator_name(chain.annotator_id)
        )

    def annotator_name(self, annotator_id: str) -> str:
        """Return the name of an annotator."""
        found = self.authors.get(annotator_id)
        return found.name if found is not None else "somebody"

    def reload(self) -> None:
        """Read the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            self.chains, self.people = (), {}
            self.chains_changed.emit()
            self._show(None)
            return
        self._read_people(session, recording.id)
        self._read_list(session, recording.id)

    def select_chain(self, chain_id: str) -> None:
        """Work on another chain of the recording."""
        session = self._studio.session
        found = next((chain for chain in self.chains if chain.id == chain_id), None)
        if session is None or found is None or found.id == self.id:
            return
        self._studio.select_nodes(())
        self._last[found.recording_id] = found.id
        self._show(read_graph(session.study, found))

    def step(self, by: int) -> None:
        """Work on the next (1) or previous (-1) chain, and round."""
        ids = [chain.id for chain in self.chains]
        if ids:
            self.select_chain(ids[(ids.index(self.id) + by) % len(ids)] if self.id in ids else ids[0])

    def _read_people(self, session: Session, recording_id: str) -> None:
        everybody = all_participants(session.study)
        self.colours = participant_colours([participant.id for participant in everybody])
        self.people = {participant.id: participant for participant in everybody}
        here = {participant.id for participant in participants_in(session.study, recording_id)}
        self.here = [participant for participant in everybody if participant.id in here]

    def _read_list(self, session: Session, recording_id: str, new: frozenset[str] = frozenset()) -> None:
        """Read which chains there are; one of `new` is chosen where it came."""
        before = {chain.id for chain in self.chains}
        self.chains = tuple(chains_of(session.study, recording_id))
        self.authors = {annotator.id: annotator for annotator in all_annotators(session.study)}
        self.chains_changed.emit()
        came = [chain for chain in self.chains if chain.id in new - before]
        wanted = came[-1].id if came else self._last.get(recording_id, "")
        own = session.annotator()
        mine = [chain for chain in self.chains if own is not None and chain.annotator_id == own.id]
        found = next((chain for chain in self.chains if chain.id == wanted), None)
        found = found or next(iter(mine or self.chains), None)
        if found is not None:
            self._last[recording_id] = found.id
        self._show(read_graph(session.study, found) if found is not None else None)

    def _apply(self, changes: Changes) -> None:
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        if _PEOPLE_TABLES & set(changes):
            self._read_people(session, recording.id)
        if _LIST_TABLES & set(changes):
            self._read_list(session, recording.id, frozenset(changes.ids("chain")))
        elif self.graph is not None and self._is_touched(session, changes):
            # A first edit adds its author as an annotator, which the changes do not mention.
            self.authors = {annotator.id: annotator for annotator in all_annotators(session.study)}
            self._show(read_graph(session.study, self.graph.chain))
        elif self.graph is not None and _PEOPLE_TABLES & set(changes):
            self.changed.emit()

    def _is_touched(self, session: Session, changes: Changes) -> bool:
        assert self.graph is not None
        ids = frozenset[str]().union(*(changes.ids(table) for table in _PART_TABLES))
        if ids & self.graph.nodes_by_id.keys() or self.id in changes.ids("chain_review"):
            return True
        found = (find_node(session.study, node_id) for node_id in ids)
        return any(chain_node is not None and chain_node.chain_id == self.id for chain_node in found)

    def _show(self, graph: ChainGraph | None) -> None:
        self.graph = graph
        recording = self._studio.recording
        duration = recording.duration_us if recording is not None else None
        self.problems = find_problems(graph, duration) if graph is not None else ()
        self.flags = messages_by_node(self.problems)
        known = graph.nodes_by_id if graph is not None else {}
        gone = [selected_node for selected_node in self._studio.selected_nodes if selected_node not in known]
        self.changed.emit()
        if gone:
            self._studio.select_nodes(node for node in self._studio.selected_nodes if node in known)


_NEW_NODE_US = 2 * SECOND_US
"""How long a node is that somebody adds at the playhead, at most."""


class ChainEditor(QObject):
    """Edits the chosen chain. The first node begins a chain where the recording has none.

    Signals:
        edit_text_requested (str): the id of a node whose words should be typed.
        about_to_change: something is about to be changed, so what is being typed has to be there before.
    """

    edit_text_requested = Signal(str)
    about_to_change = Signal()

    def __init__(
        self, studio: StudyController, player: Player, editing: SegmentEditing, chosen: ChosenChain, parent: QObject
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

    def selected(self) -> list[ChainNode]:
        """Return the selected nodes, in the order in which they were selected."""
        graph = self._chosen.graph
        known = graph.nodes_by_id if graph is not None else {}
        return [known[selected_node] for selected_node in self._studio.selected_nodes if selected_node in known]

    def current(self) -> ChainNode | None:
        """Return the node that was selected last."""
        return next(reversed(self.selected()), None)

    def play(self) -> None:
        """Play the span of the selected nodes once."""
        chosen = self.selected()
        if chosen:
            self._player.play_span(
                min(chain_node.start_us for chain_node in chosen), max(chain_node.end_us for chain_node in chosen)
            )

    # Making nodes

    def add(self, kind: NodeKind) -> None:
        """Add a node over the marked range, or from the playhead on, and let its words be typed."""
        recording = self._studio.recording
        if recording is None:
            return
        start, end = self._studio.mark_in, self._studio.mark_out
        if start is None and end is None:
            start = self._player.frame_time_us(self._player.position_us)
            start = max(0, min(start, recording.duration_us - _NEW_NODE_US // 20))
        if start is None:
            assert end is not None
            start = max(0, end - _NEW_NODE_US)
        if end is None:
            end = min(start + _NEW_NODE_US, recording.duration_us)
        self._add(kind, start, end)

    def add_over_span(self, start_us: int, end_us: int) -> None:
        """Add a node of the kind that was used last over a stretch that was drawn on the timeline."""
        self._add(self._kind, start_us, end_us)

    def _add(self, kind: NodeKind, start_us: int, end_us: int) -> None:
        made = self._create_node(
            lambda session, chain: chain_edits.add_node(session, chain, kind, "", start_us, end_us),
        )
        if made:
            self._kind = kind
            self._studio.set_marks(None, None)
            self.select(made)
            self.edit_text_requested.emit(made[0])

    def add_beside(self, node: ChainNode, text: str, *, as_reason: bool) -> None:
        """Add a node that is a reason for another, or its result, over the marked range or just before or after it."""
        recording = self._studio.recording
        start, end = self._studio.mark_in, self._studio.mark_out
        if recording is None:
            return
        if start is None or end is None:
            start = max(0, node.start_us - _NEW_NODE_US) if as_reason else min(node.end_us, recording.duration_us - 1)
            end = min(start + _NEW_NODE_US, recording.duration_us)
        results, reasons = ([node.id], []) if as_reason else ([], [node.id])
        made = self._create_node(
            lambda session, chain: chain_edits.add_node(
                session, chain, self._kind, text, start, end, results=results, reasons=reasons
            )
        )
        if made:
            self._studio.set_marks(None, None)
            self.select(made)
            if not text:
                self.edit_text_requested.emit(made[0])

    def add_from_selected(self) -> None:
        """Make a node of each selected segment, cue and utterance."""
        segments, utterances = self._studio.selected, self._studio.selected_utterances
        if not segments and not utterances:
            self._report_problem(
                tr("No segment, utterance or cue is selected."), tr("Select one on the timeline or in the transcript.")
            )
            return
        made: list[str] = []
        for segment in segments:
            made += self._create_node(partial(_add_node_from_segment, segment))
        for utterance in utterances:
            made += self._create_node(partial(_add_node_from_utterance, utterance))
        graph = self._chosen.graph
        if made and graph is not None:
            self.select(made)
            self._studio.message.emit(
                tr("Added {count} to {name}.").format(
                    count=trn("{count} node", "{count} nodes", len(made)), name=graph.chain.name
                )
            )

    def _create_node(self, how: Callable[[Session, str], tuple[str, Changes]]) -> list[str]:
        """Add a node to the chosen chain, or to a new one where there is none; returns its id."""
        recording = self._studio.recording
        if recording is None:
            return []
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = how(session, self._chosen.id)
            made.append(new)
            return changes

        if not self._chosen.id and not self._edit(lambda session: chain_edits.add_chain(session, recording.id)[1]):
            return []
        return made if self._edit(do) else []

    # Changing nodes

    def set_kind(self, kind: NodeKind) -> None:
        """Make the current node one of another kind."""
        self._edit_current(lambda session, chain_node: chain_edits.edit_node(session, chain_node.id, kind=kind))

    def set_text(self, node_id: str, text: str) -> None:
        """Write what a node says; typing in one go is one step."""
        self._studio.edit(
            lambda session: chain_edits.edit_node(session, node_id, text=text, merge_key=f"node text {node_id}"), self
        )

    def set_span(self, start_us: int, end_us: int) -> None:
        """Give the current node another start and end."""
        self._edit_current(
            lambda session, chain_node: chain_edits.edit_node(session, chain_node.id, start_us=start_us, end_us=end_us)
        )

    def apply_marked_range(self) -> None:
        """Give the current node the marked start and end."""
        start, end = self._studio.mark_in, self._studio.mark_out
        if start is None or end is None:
            self._report_problem(
                tr("No start and end are marked."), tr("Mark a start (I) and an end (O) at the playhead.")
            )
            return
        if self.current() is not None:
            self.set_span(start, end)
            self._studio.set_marks(None, None)

    def trim(self, end: bool) -> None:
        """Start or end the current node at the frame on screen."""
        chain_node = self.current()
        if chain_node is None:
            return
        if end:
            self.set_span(chain_node.start_us, self._editing.end_at_playhead())
        else:
            self.set_span(self._player.frame_time_us(self._player.position_us), chain_node.end_us)

    def move(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give nodes new starts and ends."""
        self._edit(lambda session: chain_edits.move_nodes(session, spans, merge_key))

    def nudge(self, ids: Sequence[str], frames: int, edge: str = "both") -> None:
        """Move nodes, or one edge of them, by frames; a key held down is one step."""
        graph, recording = self._chosen.graph, self._studio.recording
        if graph is None or recording is None:
            return
        found = [graph.nodes_by_id[node_id] for node_id in ids if node_id in graph.nodes_by_id]
        spans = [(node.id, *nudge_span(node.start_us, node.end_us, frames, edge, self._player.times)) for node in found]
        if spans and all(start >= 0 and end <= recording.duration_us for _, start, end in spans):
            self.move(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def set_person(self, participant_id: str, has: bool) -> None:
        """Say whether the current node is an event or a state of somebody."""

        def do(session: Session, chain_node: ChainNode) -> Changes:
            people = {*chain_node.people} | {participant_id} if has else {*chain_node.people} - {participant_id}
            return chain_edits.edit_node(session, chain_node.id, people=sorted(people))

        self._edit_current(do)

    def toggle_person_by_digit(self, number: int) -> None:
        """Say of the participant with this digit that the current node is theirs, or not after all."""
        here, chain_node = self._chosen.here, self.current()
        if chain_node is None:
            return
        if number > len(here):
            self._report_problem(
                tr("No participant of this recording has the key {number}.").format(number=number),
                tr("Choose somebody under Others, or press P for a new character."),
            )
            return
        who = here[number - 1].id
        self.set_person(who, who not in chain_node.people)

    def add_character(self, pseudonym: str) -> None:
        """Add a participant who appears in the recording, and say that the current node is theirs."""
        recording = self._studio.recording
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = add_participant(
                session, pseudonym, ParticipantRole.USER, None if recording is None else recording.id
            )
            made.append(new)
            return changes

        if self._edit(do):
            self.set_person(made[0], True)

    def delete(self, ids: Collection[str] | None = None) -> None:
        """Delete nodes, by default the selected ones; undo brings them back."""
        gone = [*(self._studio.selected_nodes if ids is None else ids)]
        graph, current = self._chosen.graph, self.current()
        if not gone or graph is None:
            return
        left = [node for node in graph.nodes if node.id not in gone]
        if self._edit(lambda session: chain_edits.delete_nodes(session, gone)):
            self._studio.message.emit(deleted_message(Rows.NODES, len(gone)))
            if current is not None and current.id in gone and left:
                beside = min(left, key=lambda chain_node: abs(chain_node.start_us - current.start_us))
                self.select([beside.id])

    # Edges

    def add_edge(self, reason_id: str, result_id: str) -> None:
        """Say that one node is a reason for another."""
        self._edit(lambda session: chain_edits.add_edge(session, reason_id, result_id))

    def connect_selected(self) -> None:
        """Say that the nodes selected before are reasons for the one selected last."""
        chosen = self.selected()
        if len(chosen) < 2:
            self._report_problem(
                tr("Reasons and a result are joined when several nodes are selected."),
                tr("Select the reasons, then the result with Ctrl and a click; or press R and choose a reason."),
            )
            return
        for chain_node in chosen[:-1]:
            self.add_edge(chain_node.id, chosen[-1].id)

    def remove_edge(self, reason_id: str, result_id: str) -> None:
        """Take back that one node is a reason for another."""
        self._edit(lambda session: chain_edits.delete_edge(session, reason_id, result_id))

    def _edit(self, do: Callable[[Session], Changes]) -> bool:
        self.about_to_change.emit()
        return self._studio.edit(do)

    def _edit_current(self, how: Callable[[Session, ChainNode], Changes]) -> None:
        chain_node = self.current()
        if chain_node is not None:
            self._edit(lambda session: how(session, chain_node))

    def _report_problem(self, message: str, hint: str) -> None:
        self._studio.failed.emit(UserError(message, hint))


def _add_node_from_segment(segment_id: str, session: Session, chain_id: str) -> tuple[str, Changes]:
    return chain_edits.add_node_from_segment(session, chain_id, segment_id)


def _add_node_from_utterance(utterance_id: str, session: Session, chain_id: str) -> tuple[str, Changes]:
    return chain_edits.add_node_from_utterance(session, chain_id, utterance_id)
