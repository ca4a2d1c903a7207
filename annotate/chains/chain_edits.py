"""Edits of causal chains: only who drew a chain changes it, and no edit leaves a cycle or a loose end."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotate.chains.chain_checks import reachable_from
from annotate.chains.chain_drafts import (
    MAX_EDGES,
    MAX_NODES,
    ChainDraft,
    build_chain,
    build_node,
    cycle_error,
    draw_node,
    node_from_segment,
    node_from_utterance,
    normalize_chain_name,
    require_own_node,
)
from annotate.study.recording_edits import require_span
from annotate.team.training_gate import require_training
from project.entities.causal_chains import Chain, ChainNode, Edge, NodeKind
from project.entities.study_records import Changes
from project.erasure.withdrawal_guard import guard_import
from project.errors import UserError, require_name, unknown_id
from project.ids import new_id
from project.queries import chain_rows
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import set_appearance
from project.session.session import Session

ADJUDICATED = "adjudicated"
"""Kind of the annotator whose chains several people agreed on."""


def find_chain(session: Session, chain_id: str) -> Chain:
    """Return a chain."""
    found = chain_rows.find_chain(session.study, chain_id)
    if found is None:
        raise unknown_id("chain", chain_id)
    return found


def find_own_chain(session: Session, chain_id: str) -> Chain:
    """Return a chain that the annotator of this session drew, and so may change."""
    found = find_chain(session, chain_id)
    problem = "This chain was drawn by somebody else."
    session.require_own(
        found.annotator_id, problem, "Only the annotator who drew it can change it; make your own copy."
    )
    return found


def is_consensus(session: Session, chain: Chain) -> bool:
    """Whether a chain is a version that several people agreed on."""
    return any(
        annotator.id == chain.annotator_id and annotator.kind == ADJUDICATED
        for annotator in all_annotators(session.study)
    )


def find_node(session: Session, node_id: str) -> ChainNode:
    """Return a node."""
    found = chain_rows.find_node(session.study, node_id)
    if found is None:
        raise unknown_id("node", node_id)
    return found


def add_chain(session: Session, recording_id: str, name: str = "") -> tuple[str, Changes]:
    """Begin a chain without nodes; returns its id and what changed.

    Without a name, the chain is called by its number in the recording.
    """
    return add_chain_from_draft(session, recording_id, ChainDraft(name, (), ()))


def add_chain_from_draft(
    session: Session, recording_id: str, drawing: ChainDraft, *, based_on: str = "", what: str = "Add chain"
) -> tuple[str, Changes]:
    """Add a chain with all its nodes and edges as one step; returns its id and what changed.

    `based_on` is the id of the chain that it was made from, `what` the name of the step.
    """
    (made,), changes = add_chains_from_drafts(session, [(recording_id, drawing)], based_on=based_on, what=what)
    return made, changes


def add_chains_from_drafts(
    session: Session,
    drawn: Sequence[tuple[str, ChainDraft]],
    *,
    based_on: str = "",
    what: str = "Add chains",
    keep_rest: bool = True,
) -> tuple[list[str], Changes]:
    """Add chains with all their nodes and edges as one step; returns their ids and what changed.

    `drawn` has the id of the recording and the draft of each. Where `keep_rest` is false, as for a file, nothing in
    them may look like somebody who withdrew.
    """
    chains: list[tuple[Chain, list[ChainNode], list[Edge]]] = []
    begun: dict[str, int] = {}
    for (recording_id, drawing), chain_id in zip(drawn, sorted(new_id() for _ in drawn), strict=True):
        require_training(session, recording_id)
        session.recording(recording_id)
        if recording_id not in begun:
            begun[recording_id] = len(chain_rows.chains_of(session.study, recording_id))
        begun[recording_id] += 1
        name = normalize_chain_name(drawing.name) or f"Chain {begun[recording_id]}"
        chains.append(build_chain(session, Chain(chain_id, recording_id, "", name, based_on), drawing))
    with session.step(what) as step, guard_import(session.study, keep_rest=keep_rest):
        author = session.author()
        for chain, nodes, edges in chains:
            chain_rows.insert_chain(session.study, replace(chain, annotator_id=author.id))
            _insert(session, chain, nodes, edges)
    return [chain.id for chain, _, _ in chains], step.changes


def rename_chain(session: Session, chain_id: str, name: str) -> Changes:
    """Give a chain of one's own another name."""
    chain = find_own_chain(session, chain_id)
    wanted = require_name(normalize_chain_name(name), "A chain")
    with session.step("Rename chain") as step:
        if wanted != chain.name:
            chain_rows.rename_chain(session.study, chain.id, wanted)
    return step.changes


def delete_chain(session: Session, chain_id: str) -> Changes:
    """Delete a chain with its nodes, edges and reviews, and the questions that were made from it, as one step.

    A version that several people agreed on is nobody's own, so anybody may delete it.
    """
    chain = find_chain(session, chain_id)
    if not is_consensus(session, chain):
        find_own_chain(session, chain_id)
    with session.step("Delete chain") as step:
        chain_rows.delete_chain(session.study, chain.id)
    return step.changes


def add_node(
    session: Session,
    chain_id: str,
    kind: NodeKind,
    text: str,
    start_us: int,
    end_us: int,
    people: Iterable[str] = (),
    source: str = "",
    *,
    reasons: Sequence[str] = (),
    results: Sequence[str] = (),
) -> tuple[str, Changes]:
    """Add a node to a chain of one's own, and its edges where wanted, as one step; returns its id and what changed.

    The participants of a node appear in the recording from then on. `people` are ids of participants whose event or
    state it is, `source` what it was made from, as `TABLE/ID`, `reasons` and `results` ids of nodes.
    """
    drawn = draw_node(kind, text, start_us, end_us, tuple(people), source)
    return _add_node(session, find_own_chain(session, chain_id), drawn, reasons, results)


def add_node_from_segment(session: Session, chain_id: str, segment_id: str) -> tuple[str, Changes]:
    """Make an event, or the state that a cue shows, of a segment; returns the node's id and what changed."""
    chain = find_own_chain(session, chain_id)
    return _add_node(session, chain, node_from_segment(session, chain.recording_id, segment_id))


def add_node_from_utterance(session: Session, chain_id: str, utterance_id: str) -> tuple[str, Changes]:
    """Make an event of what somebody says; returns the node's id and what changed."""
    chain = find_own_chain(session, chain_id)
    return _add_node(session, chain, node_from_utterance(session, chain.recording_id, utterance_id))


def _add_node(
    session: Session, chain: Chain, drawn: ChainNode, reasons: Sequence[str] = (), results: Sequence[str] = ()
) -> tuple[str, Changes]:
    graph = chain_rows.read_graph(session.study, chain)
    if len(graph.nodes) >= MAX_NODES:
        raise UserError(f"A chain has at most {MAX_NODES} nodes.", "Start another chain.")
    made = build_node(session, chain, drawn, new_id())
    edges = [*(Edge(node_id, made.id) for node_id in reasons), *(Edge(made.id, node_id) for node_id in results)]
    for node_id in (*reasons, *results):
        require_own_node(graph, node_id)
    for result in results:
        if not {result, *reachable_from(graph.results, result)}.isdisjoint(reasons):
            raise cycle_error()
    with session.step(f"Add {made.kind.value}") as step:
        _insert(session, chain, [made], list(dict.fromkeys(edges)))
    return made.id, step.changes


def edit_node(
    session: Session,
    node_id: str,
    *,
    kind: NodeKind | None = None,
    text: str | None = None,
    start_us: int | None = None,
    end_us: int | None = None,
    people: Iterable[str] | None = None,
    merge_key: str | None = None,
) -> Changes:
    """Change several things about a node as one step; None leaves a thing as it is.

    Edits with the same `merge_key` in quick succession (a text being typed) become one step.
    """
    old = find_node(session, node_id)
    chain = find_own_chain(session, old.chain_id)
    wanted = draw_node(
        old.kind if kind is None else kind,
        old.text if text is None else text,
        old.start_us if start_us is None else start_us,
        old.end_us if end_us is None else end_us,
        old.people if people is None else tuple(people),
        old.source,
    )
    new = build_node(session, chain, wanted, old.id)
    with session.step(f"Change {new.kind.value}", merge_key) as step:
        if new != old:
            chain_rows.update_node(session.study, new)
            _mark_appearances(session, chain, [new])
    return step.changes


def move_nodes(session: Session, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> Changes:
    """Give nodes new starts and ends, in microseconds, as one step."""
    moved: list[tuple[ChainNode, ChainNode]] = []
    for node_id, start_us, end_us in spans:
        old = find_node(session, node_id)
        chain = find_own_chain(session, old.chain_id)
        require_span(session, chain.recording_id, start_us, end_us, "node")
        moved.append((old, replace(old, start_us=start_us, end_us=end_us)))
    with session.step("Move node" if len(moved) == 1 else f"Move {len(moved)} nodes", merge_key) as step:
        for old, new in moved:
            if new != old:
                chain_rows.update_node(session.study, new)
    return step.changes


def delete_nodes(session: Session, node_ids: Iterable[str]) -> Changes:
    """Delete nodes with their edges as one step; questions that cover them stay and are out of date."""
    found = [find_node(session, node_id) for node_id in dict.fromkeys(node_ids)]
    for chain_id in {node.chain_id for node in found}:
        find_own_chain(session, chain_id)
    with session.step("Delete node" if len(found) == 1 else f"Delete {len(found)} nodes") as step:
        chain_rows.delete_nodes(session.study, *(node.id for node in found))
    return step.changes


def add_edge(session: Session, reason_id: str, result_id: str) -> Changes:
    """Say that one node is a reason for another one of the same chain; nothing changes where that was said already."""
    reason, result = find_node(session, reason_id), find_node(session, result_id)
    if reason.chain_id != result.chain_id:
        raise UserError("An edge cannot join nodes of two chains.", "Choose two nodes of one chain.")
    chain = find_own_chain(session, reason.chain_id)
    graph = chain_rows.read_graph(session.study, chain)
    if reason.id == result.id or reason.id in reachable_from(graph.results, result.id):
        raise cycle_error()
    if len(graph.edges) >= MAX_EDGES:
        raise UserError(f"A chain has at most {MAX_EDGES} edges.", "Draw the other edges in another chain.")
    with session.step("Add reason") as step:
        if Edge(reason.id, result.id) not in graph.edges:
            chain_rows.insert_edges(session.study, [Edge(reason.id, result.id)])
    return step.changes


def delete_edge(session: Session, reason_id: str, result_id: str) -> Changes:
    """Take back that one node is a reason for another."""
    result = find_node(session, result_id)
    chain = find_own_chain(session, result.chain_id)
    edge = Edge(reason_id, result_id)
    if edge not in chain_rows.read_graph(session.study, chain).edges:
        raise UserError("These nodes are not joined by an edge.", "Choose an edge of the chain.")
    with session.step("Remove reason") as step:
        chain_rows.delete_edges(session.study, [edge])
    return step.changes


def _insert(session: Session, chain: Chain, nodes: Sequence[ChainNode], edges: Sequence[Edge]) -> None:
    chain_rows.insert_nodes(session.study, nodes)
    chain_rows.insert_edges(session.study, edges)
    _mark_appearances(session, chain, nodes)


def _mark_appearances(session: Session, chain: Chain, nodes: Sequence[ChainNode]) -> None:
    for who in sorted({who for node in nodes for who in node.people}):
        set_appearance(session.study, chain.recording_id, who, True)
