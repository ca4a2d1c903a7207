"""Chain drafts without ids, which imports, copies and judges hand over as a whole, and the checks they must pass."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from annotate.transcript.transcript_edits import require_participant
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind
from project.entities.study_records import Json
from project.errors import UserError
from project.ids import new_id
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import find_segment, values_of
from project.queries.transcript_rows import find_utterance
from project.schemes.scheme import FieldKind
from project.session.session import Session
from project.timebase import format_time

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 2_000
"""The most characters that a chain's name and a node's text have."""
MIN_SPAN_US = 1_000
"""The shortest span of a node."""
MAX_NODES = 5_000
MAX_EDGES = 20_000
"""The most nodes and edges of one chain."""
_NONCHARACTERS = "\ufffe\uffff"
"""No XML holds them."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node without an id; its fields are those of `project.entities.causal_chains.ChainNode`."""

    kind: NodeKind
    text: str
    start_us: int
    end_us: int
    people: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ChainDraft:
    """Nodes and which of them are reasons for which.

    Attributes:
        edges: (position of the reason, position of the result) in `nodes`.
    """

    name: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[tuple[int, int], ...]


def draft_from_graph(graph: ChainGraph) -> ChainDraft:
    """Return a chain without its ids."""
    places = {chain_node.id: at for at, chain_node in enumerate(graph.nodes)}
    nodes = [
        DrawnNode(node.kind, node.text, node.start_us, node.end_us, node.people, node.source) for node in graph.nodes
    ]
    edges = [
        (places[edge.reason_id], places[edge.result_id])
        for edge in graph.edges
        if edge.reason_id in places and edge.result_id in places
    ]
    return ChainDraft(graph.chain.name, tuple(nodes), tuple(sorted(edges)))


def find_cycle(count: int, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the positions of the nodes of a cycle, the first one again at the end; () where there is none.

    An edge is (position of the reason, position of the result).
    """
    from graphlib import CycleError

    from project.entities.causal_chains import topological_order

    reasons: dict[str, list[str]] = {str(at): [] for at in range(count)}
    for reason, result in edges:
        reasons[str(result)].append(str(reason))
    try:
        topological_order(reasons)
    except CycleError as error:
        return tuple(int(arg) for arg in error.args[1])
    return ()


def to_single_line(text: str) -> str:
    """Return a text without line ends and what is no character, each run of blanks as one space."""
    kept = (" " if unicodedata.category(char) in ("Cc", "Cs") or char in _NONCHARACTERS else char for char in text)
    return " ".join("".join(kept).split())


def build_chain(session: Session, chain: Chain, drawing: ChainDraft) -> tuple[Chain, list[ChainNode], list[Edge]]:
    """Return a chain that was drawn as a whole, with its nodes and edges."""
    if len(drawing.nodes) > MAX_NODES or len(drawing.edges) > MAX_EDGES:
        raise UserError(f"A chain has up to {MAX_NODES:,} nodes and {MAX_EDGES:,} edges.", "Draw it as several chains.")
    for reason, result in drawing.edges:
        if reason == result or not {reason, result} <= {*range(len(drawing.nodes))}:
            raise UserError("An edge leads to no other node of the chain.", "Join two different nodes.")
    if len({*drawing.edges}) < len(drawing.edges):
        raise UserError("Two edges join the same nodes.", "Keep one of them.")
    if find_cycle(len(drawing.nodes), drawing.edges):
        raise cycle_error()
    # Ids made within a millisecond are in no order; nodes of the same start are read by theirs.
    ids = sorted(new_id() for _ in drawing.nodes)
    nodes = [
        build_node(session, chain, drawn_node, node_id) for drawn_node, node_id in zip(drawing.nodes, ids, strict=True)
    ]
    return chain, nodes, [Edge(ids[reason], ids[result]) for reason, result in drawing.edges]


def build_node(session: Session, chain: Chain, drawn_node: DrawnNode, node_id: str) -> ChainNode:
    """Return what was drawn as a node of a chain."""
    require_span(session, chain, drawn_node.start_us, drawn_node.end_us)
    text = to_single_line(drawn_node.text)
    if len(text) > MAX_TEXT_CHARS:
        raise UserError(f"A node's text has up to {MAX_TEXT_CHARS:,} characters.", "Say it more briefly.")
    people = tuple(sorted({*drawn_node.people}))
    for who in people:
        require_participant(session, who)
    return ChainNode(
        node_id,
        chain.id,
        NodeKind(drawn_node.kind),
        text,
        drawn_node.start_us,
        drawn_node.end_us,
        people,
        drawn_node.source,
    )


def require_span(session: Session, chain: Chain, start_us: int, end_us: int) -> None:
    """Refuse a span that does not fit the recording."""
    recording = session.recording(chain.recording_id)
    if end_us - start_us < MIN_SPAN_US:
        raise UserError("A node must end after it starts.", "Mark a start and a later end.")
    if start_us < 0 or end_us > recording.duration_us:
        raise UserError(
            f"The node reaches outside recording {recording.number}.",
            f"It lasts from 0:00:00.000 to {format_time(recording.duration_us)}.",
        )


def normalize_chain_name(name: str) -> str:
    """Return a chain's name as it is kept."""
    wanted = to_single_line(name)
    if len(wanted) > MAX_NAME_CHARS:
        raise UserError(f"A chain's name has up to {MAX_NAME_CHARS} characters.", "Give a shorter one.")
    return wanted


def require_own_node(graph: ChainGraph, node_id: str) -> None:
    """Refuse a node of another chain."""
    if node_id not in graph.nodes_by_id:
        raise UserError("These nodes belong to two chains.", "A reason and its result are nodes of one chain.")


def is_reachable(graph: ChainGraph, start_id: str, goal_id: str) -> bool:
    """Whether a way leads from one node to another by results; also where there is a cycle."""
    seen, left = {start_id}, [start_id]
    while left:
        for result in graph.results.get(left.pop(), ()):
            if result == goal_id:
                return True
            if result not in seen:
                seen.add(result)
                left.append(result)
    return False


def cycle_error() -> UserError:
    """Return what is said of an edge that would close a cycle."""
    return UserError("This would make a node a reason for itself.", "Reasons lead to results, never round in a circle.")


SEGMENT, UTTERANCE = "segment", "utterance"
"""Tables that a node's `source` names."""
_STATE_TRACKS = {"emotion": NodeKind.EMOTION}
"""Track of a scheme -> the mental state that its segments tell of; all others tell of events."""


def node_from_segment(session: Session, recording_id: str, segment_id: str) -> DrawnNode:
    """Return the node that a segment would be: its span, its first text or else its label, and whom it names."""
    found = find_segment(session.study, segment_id)
    if found is None or found.recording_id != recording_id:
        raise UserError("This segment is not of the chain's recording.", "Choose one that is on its timeline.")
    values = {key: field_value.value for key, field_value in values_of(session.study, found.id).items()}
    scheme = session.schemes.find(found.scheme)
    label, texts, people = found.label, [str(values.get("description") or "")], []
    if scheme is not None:
        lane = scheme.track_or_empty(found.track)
        label = (lane.label(found.label) or lane).name
        fields = [field for field in scheme.fields_of(found.track) if field.key in values]
        texts += [str(values[field.key]) for field in fields if field.kind is FieldKind.TEXT and values[field.key]]
        known = {participant.id for participant in all_participants(session.study)}
        people = [who for field in fields for who in _participant_ids(values[field.key]) if who in known]
    text = next((line for line in map(to_single_line, texts) if line), label)
    kind = _STATE_TRACKS.get(found.track, NodeKind.EVENT)
    whose = tuple(sorted({*people}))
    return DrawnNode(kind, text[:MAX_TEXT_CHARS], found.start_us, found.end_us, whose, f"{SEGMENT}/{found.id}")


def node_from_utterance(session: Session, recording_id: str, utterance_id: str) -> DrawnNode:
    """Return the event that an utterance would be: its words in quotation marks, its span, and who speaks."""
    found = find_utterance(session.study, utterance_id)
    if found is None or found.recording_id != recording_id:
        raise UserError("This utterance is not of the chain's recording.", "Choose one of its transcript.")
    words = to_single_line(found.text)[: MAX_TEXT_CHARS - 2]
    people = () if found.participant_id is None else (found.participant_id,)
    text = f"“{words}”" if words else ""
    return DrawnNode(NodeKind.EVENT, text, found.start_us, found.end_us, people, f"{UTTERANCE}/{found.id}")


def _participant_ids(value: Json) -> list[str]:
    if isinstance(value, list):
        return [participant_id for participant_id in value if isinstance(participant_id, str)]
    return [value] if isinstance(value, str) else []
