"""Chain drafts without ids, which imports, copies and judges hand over as a whole, and the checks they must pass."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotate.study.recording_edits import require_span
from annotate.transcript.transcript_edits import require_participant
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind
from project.entities.study_records import Json
from project.errors import UserError, require_length
from project.ids import new_id
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import find_segment, values_of
from project.queries.transcript_rows import find_utterance
from project.schemes.scheme import FieldKind
from project.session.session import Session

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 2_000
"""The most characters that a chain's name and a node's text have."""
MAX_NODES = 5_000
MAX_EDGES = 20_000
"""The most nodes and edges of one chain."""
_NONCHARACTERS = "\ufffe\uffff"
"""No XML holds them."""


def draw_node(
    kind: NodeKind, text: str, start_us: int, end_us: int, people: tuple[str, ...] = (), source: str = ""
) -> ChainNode:
    """Return a node without an id, of no chain yet."""
    return ChainNode("", "", kind, text, start_us, end_us, people, source)


def detach_node(node: ChainNode) -> ChainNode:
    """Return what a node says, without its id and chain."""
    return replace(node, id="", chain_id="")


@dataclass(frozen=True, slots=True)
class ChainDraft:
    """Nodes and which of them are reasons for which.

    Attributes:
        edges: (position of the reason, position of the result) in `nodes`.
    """

    name: str
    nodes: tuple[ChainNode, ...]
    edges: tuple[tuple[int, int], ...]


def draft_from_graph(graph: ChainGraph) -> ChainDraft:
    """Return a chain without its ids."""
    places = {node.id: at for at, node in enumerate(graph.nodes)}
    edges = [
        (places[edge.reason_id], places[edge.result_id])
        for edge in graph.edges
        if edge.reason_id in places and edge.result_id in places
    ]
    return ChainDraft(graph.chain.name, tuple(map(detach_node, graph.nodes)), tuple(sorted(edges)))


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
        raise UserError(
            f"A chain has at most {MAX_NODES} nodes and {MAX_EDGES} edges.", "Split it into several chains."
        )
    for reason, result in drawing.edges:
        if reason == result or not {reason, result} <= {*range(len(drawing.nodes))}:
            raise UserError("An edge cannot join a node to itself.", "Choose two different nodes.")
    if len({*drawing.edges}) < len(drawing.edges):
        raise UserError("Two edges join the same nodes.", "Keep one of them.")
    if find_cycle(len(drawing.nodes), drawing.edges):
        raise cycle_error()
    # Ids made within a millisecond are in no order; nodes of the same start are read by theirs.
    ids = sorted(new_id() for _ in drawing.nodes)
    nodes = [build_node(session, chain, node, node_id) for node, node_id in zip(drawing.nodes, ids, strict=True)]
    return chain, nodes, [Edge(ids[reason], ids[result]) for reason, result in drawing.edges]


def build_node(session: Session, chain: Chain, drawn: ChainNode, node_id: str) -> ChainNode:
    """Return what was drawn as a node of a chain."""
    require_span(session, chain.recording_id, drawn.start_us, drawn.end_us, "node")
    text = require_length(to_single_line(drawn.text), MAX_TEXT_CHARS, "A node's text")
    people = tuple(sorted({*drawn.people}))
    for who in people:
        require_participant(session, who)
    return replace(drawn, id=node_id, chain_id=chain.id, text=text, people=people)


def normalize_chain_name(name: str) -> str:
    """Return a chain's name as it is kept."""
    return require_length(to_single_line(name), MAX_NAME_CHARS, "A chain's name")


def require_own_node(graph: ChainGraph, node_id: str) -> None:
    """Refuse a node of another chain."""
    if node_id not in graph.nodes_by_id:
        raise UserError("An edge cannot join nodes of two chains.", "Choose two nodes of one chain.")


def cycle_error() -> UserError:
    """Return what is said of an edge that would close a cycle."""
    return UserError("This edge would create a cycle.", "Choose a result that is not already a reason for this node.")


SEGMENT, UTTERANCE = "segment", "utterance"
"""Tables that a node's `source` names."""
_STATE_TRACKS = {"emotion": NodeKind.EMOTION}
"""Track of a scheme -> the mental state that its segments tell of; all others tell of events."""


def node_from_segment(session: Session, recording_id: str, segment_id: str) -> ChainNode:
    """Return the node that a segment would be: its shown span, its first text or else its label, whom it names."""
    found = find_segment(session.study, segment_id)
    if found is None or found.recording_id != recording_id:
        raise UserError(
            "This segment belongs to another recording than the chain.", "Choose a segment on the chain's timeline."
        )
    values = values_of(session.study, found.id)
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
    start_us, end_us = found.shown_span(session.recording(recording_id).duration_us)
    return draw_node(kind, text[:MAX_TEXT_CHARS], start_us, end_us, whose, f"{SEGMENT}/{found.id}")


def node_from_utterance(session: Session, recording_id: str, utterance_id: str) -> ChainNode:
    """Return the event that an utterance would be: its words in quotation marks, its span, and who speaks."""
    found = find_utterance(session.study, utterance_id)
    if found is None or found.recording_id != recording_id:
        raise UserError(
            "This utterance belongs to another recording than the chain.",
            "Choose an utterance of the chain's transcript.",
        )
    words = to_single_line(found.text)[: MAX_TEXT_CHARS - 2]
    people = () if found.participant_id is None else (found.participant_id,)
    text = f"“{words}”" if words else ""
    return draw_node(NodeKind.EVENT, text, found.start_us, found.end_us, people, f"{UTTERANCE}/{found.id}")


def _participant_ids(value: Json) -> list[str]:
    if isinstance(value, list):
        return [participant_id for participant_id in value if isinstance(participant_id, str)]
    return [value] if isinstance(value, str) else []
