"""What fits into a chain: looked at before an edit is written."""

from app.core.chains.drawing import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_EDGES,
    MOST_NODES,
    SHORTEST_US,
    Drawing,
    DrawnNode,
    circle,
    one_line,
)
from app.core.commands.who_speaks import require_participant
from app.core.session import Session
from project.chains import Chain, ChainGraph, Edge, Node, NodeKind
from project.errors import UserError
from project.ids import new_id
from project.timebase import format_time


def joined(session: Session, chain: Chain, drawing: Drawing) -> tuple[Chain, list[Node], list[Edge]]:
    """Return a chain that was drawn as a whole, with its nodes and edges.

    Raises:
        UserError: it is too large, an edge is none, or edges go round in a circle; or as `node_of`.
    """
    if len(drawing.nodes) > MOST_NODES or len(drawing.edges) > MOST_EDGES:
        raise UserError(
            f"A chain has up to {MOST_NODES:,} nodes and {MOST_EDGES:,} edges.", "Draw it as several chains."
        )
    for reason, result in drawing.edges:
        if reason == result or not {reason, result} <= {*range(len(drawing.nodes))}:
            raise UserError("An edge leads to no other node of the chain.", "Join two different nodes.")
    if len({*drawing.edges}) < len(drawing.edges):
        raise UserError("Two edges join the same nodes.", "Keep one of them.")
    if circle(len(drawing.nodes), drawing.edges):
        raise circle_error()
    # Ids made within a millisecond are in no order; nodes of the same start are read by theirs.
    ids = sorted(new_id() for _ in drawing.nodes)
    nodes = [node_of(session, chain, one, node_id) for one, node_id in zip(drawing.nodes, ids, strict=True)]
    return chain, nodes, [Edge(ids[reason], ids[result]) for reason, result in drawing.edges]


def node_of(session: Session, chain: Chain, one: DrawnNode, node_id: str) -> Node:
    """Return what was drawn as a node of a chain.

    Raises:
        UserError: its span or its text does not fit, or somebody in it is not in the study.
    """
    require_span(session, chain, one.start_us, one.end_us)
    text = one_line(one.text)
    if len(text) > LONGEST_TEXT:
        raise UserError(f"A node's text has up to {LONGEST_TEXT:,} characters.", "Say it more briefly.")
    people = tuple(sorted({*one.people}))
    for who in people:
        require_participant(session, who)
    return Node(node_id, chain.id, NodeKind(one.kind), text, one.start_us, one.end_us, people, one.source)


def require_span(session: Session, chain: Chain, start_us: int, end_us: int) -> None:
    """Refuse a span that does not fit the recording.

    Raises:
        UserError: it ends before it starts, or reaches outside.
    """
    recording = session.recording(chain.recording_id)
    if end_us - start_us < SHORTEST_US:
        raise UserError("A node must end after it starts.", "Mark a start and a later end.")
    if start_us < 0 or end_us > recording.duration_us:
        raise UserError(
            f"The node reaches outside recording {recording.number}.",
            f"It lasts from 0:00:00.000 to {format_time(recording.duration_us)}.",
        )


def name_of(name: str) -> str:
    """Return a chain's name as it is kept.

    Raises:
        UserError: it is too long.
    """
    wanted = one_line(name)
    if len(wanted) > LONGEST_NAME:
        raise UserError(f"A chain's name has up to {LONGEST_NAME} characters.", "Give a shorter one.")
    return wanted


def require_own_node(graph: ChainGraph, node_id: str) -> None:
    """Refuse a node of another chain.

    Raises:
        UserError: it is one.
    """
    if node_id not in graph.by_id:
        raise UserError("These nodes belong to two chains.", "A reason and its result are nodes of one chain.")


def leads(graph: ChainGraph, start_id: str, goal_id: str) -> bool:
    """Whether a way leads from one node to another by results; also where there is a circle."""
    seen, left = {start_id}, [start_id]
    while left:
        for one in graph.results.get(left.pop(), ()):
            if one == goal_id:
                return True
            if one not in seen:
                seen.add(one)
                left.append(one)
    return False


def circle_error() -> UserError:
    """Return what is said of an edge that would close a circle."""
    return UserError("This would make a node a reason for itself.", "Reasons lead to results, never round in a circle.")
