"""Versions of a chain: reviews of it, copies with changes, and the consensus version.

A review applies to the state of the chain that it was given for.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotate.agreement.adjudication import DEFAULT_LANE_NAME, get_or_create_lane
from annotate.chains.chain_checks import is_sound
from annotate.chains.chain_drafts import detach_node, draft_from_graph
from annotate.chains.chain_edits import add_chain_from_draft, find_chain, is_consensus
from annotate.team.training_gate import require_training
from project.entities.causal_chains import Chain, ChainDecision, ChainGraph, ChainNode, ChainReview, Edge
from project.entities.study_records import MAX_NOTE_CHARS, Changes
from project.errors import UserError, no_own_decision, require_length
from project.ids import new_id
from project.queries import chain_rows
from project.queries.chain_rows import chain_reviews
from project.session.session import Session
from project.timebase import utc_now


def chain_checksum(graph: ChainGraph) -> str:
    """Return a checksum over everything that a chain says; its name is not part of it."""
    nodes = [[node.id, node.kind.value, node.text, node.start_us, node.end_us, [*node.people]] for node in graph.nodes]
    edges = sorted([edge.reason_id, edge.result_id] for edge in graph.edges)
    said = json.dumps([sorted(nodes, key=lambda node: str(node[0])), edges], ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


class ChainReviewState(StrEnum):
    """The review state of a chain."""

    OPEN = "open"
    """Nobody reviewed its current state."""
    AGREED = "agreed"
    """All reviews of its current state agree."""
    CHANGE = "change"
    """Somebody would change it."""
    DISCUSS = "discuss"
    """Somebody wants to discuss it."""
    CONSENSUS = "consensus"
    """It is the version that was agreed on."""


@dataclass(frozen=True, slots=True)
class ChainReviews:
    """The reviews of a chain.

    Attributes:
        current: the reviews of its current state, by time.
        earlier: the reviews of earlier states, by time.
    """

    state: ChainReviewState
    current: tuple[ChainReview, ...]
    earlier: tuple[ChainReview, ...]


def read_review_status(session: Session, graph: ChainGraph) -> ChainReviews:
    """Return the reviews of a chain, those of its current state apart from earlier ones."""
    state = chain_checksum(graph)
    said = chain_reviews(session.study, graph.chain.id)
    current = tuple(review for review in said if review.state == state)
    earlier = tuple(review for review in said if review.state != state)
    if is_consensus(session, graph.chain):
        return ChainReviews(ChainReviewState.CONSENSUS, current, earlier)
    return ChainReviews(_review_state({review.decision for review in current}), current, earlier)


def find_original(chains: Mapping[str, Chain], chain: Chain) -> Chain:
    """Return the chain that all versions of one go back to, as far as it is still there.

    `chains` are those of its recording, by id.
    """
    seen = {chain.id}
    while (before := chains.get(chain.based_on)) is not None and before.id not in seen:
        seen.add(before.id)
        chain = before
    return chain


def select_versions(session: Session, chains: Sequence[Chain]) -> list[Chain]:
    """Return one version of each chain: the one that was agreed on where there is one, else the original.

    Of what several people drew of the same thing, this is what counts once.
    """
    here = {chain.id: chain for chain in chains}
    chosen: dict[str, Chain] = {}
    for chain in chains:
        first = find_original(here, chain).id
        if first not in chosen or is_consensus(session, chain):
            chosen[first] = chain
    return [chain for chain in chains if chain in chosen.values()]


def _review_state(said: set[ChainDecision]) -> ChainReviewState:
    for decision, standing in (
        (ChainDecision.DISCUSS, ChainReviewState.DISCUSS),
        (ChainDecision.CHANGE, ChainReviewState.CHANGE),
        (ChainDecision.AGREE, ChainReviewState.AGREED),
    ):
        if decision in said:
            return standing
    return ChainReviewState.OPEN


def review_chain(session: Session, chain_id: str, decision: ChainDecision, note: str = "") -> Changes:
    """Agree with somebody else's chain, or say that it needs a change or a talk, in place of what was said before."""
    chain = find_chain(session, chain_id)
    author = session.annotator()
    if author is not None and author.id == chain.annotator_id:
        raise UserError("You drew this chain yourself.", "Another annotator has to review it.")
    if is_consensus(session, chain):
        raise UserError("This is the agreed version of the chain.", "Review the version that it was made from.")
    note = require_length(note.strip(), MAX_NOTE_CHARS, "A note")
    state = chain_checksum(chain_rows.read_graph(session.study, chain))
    with session.step(_STEP_NAMES[decision]) as step:
        reviewer = session.author()
        said = [
            review for review in chain_rows.chain_reviews(session.study, chain.id) if review.reviewer_id == reviewer.id
        ]
        if not said or (said[0].decision, said[0].note, said[0].state) != (decision, note, state):
            chain_rows.set_chain_review(
                session.study, ChainReview(chain.id, reviewer.id, decision, note, state, utc_now())
            )
    return step.changes


def withdraw_chain_review(session: Session, chain_id: str) -> Changes:
    """Take back what the annotator of this session said about a chain."""
    chain = find_chain(session, chain_id)
    reviewer = session.annotator()
    said = {review.reviewer_id for review in chain_rows.chain_reviews(session.study, chain.id)}
    if reviewer is None or reviewer.id not in said:
        raise no_own_decision("review", "chain")
    with session.step("Withdraw review of chain") as step:
        chain_rows.delete_chain_review(session.study, chain.id, reviewer.id)
    return step.changes


def copy_for_change(session: Session, chain_id: str) -> tuple[str, Changes]:
    """Make a version of one's own of a chain, to change it; returns its id and what changed."""
    chain = find_chain(session, chain_id)
    drawn = draft_from_graph(chain_rows.read_graph(session.study, chain))
    return add_chain_from_draft(session, chain.recording_id, drawn, based_on=chain.id, what="Copy chain")


def make_consensus(session: Session, chain_id: str, from_id: str) -> tuple[str, Changes]:
    """Make one version of a chain the agreed one, in place of the agreed version before; returns its id.

    Nodes that are as they were keep their ids, so that questions about them stay as they are. `chain_id` is that of any
    version, `from_id` that of the one that people agreed on, which stays as it is.
    """
    chain, chosen = find_chain(session, chain_id), find_chain(session, from_id)
    require_training(session, chain.recording_id)
    here = {version.id: version for version in chain_rows.chains_of(session.study, chain.recording_id)}
    first = find_original(here, chain)
    if chosen.id not in here or find_original(here, chosen).id != first.id:
        raise UserError("These are not versions of the same chain.", "Choose a version that was made from this chain.")
    graph = chain_rows.read_graph(session.study, chosen)
    if not graph.subchains or not is_sound(graph):
        raise UserError("This version is not a valid chain.", "Correct what its checks list first.")
    if is_consensus(session, chosen):
        raise UserError("This is already the agreed version.", "Choose the version that should replace it.")
    lane = get_or_create_lane(session, DEFAULT_LANE_NAME)
    before = next(
        (
            version
            for version in here.values()
            if version.annotator_id == lane.id and find_original(here, version).id == first.id
        ),
        None,
    )
    with session.step("Agree on chain") as step:
        if before is None:
            agreed = Chain(new_id(), chain.recording_id, lane.id, chosen.name, first.id)
            chain_rows.insert_chain(session.study, agreed)
        else:
            agreed = before
            if agreed.name != chosen.name:
                chain_rows.rename_chain(session.study, agreed.id, chosen.name)
        _replace_content(session, chain_rows.read_graph(session.study, agreed), graph)
    return agreed.id, step.changes


def _replace_content(session: Session, old: ChainGraph, new: ChainGraph) -> None:
    """Turn a chain into another one's nodes and edges; what it has already stays."""
    kept: dict[ChainNode, list[str]] = {}
    for node in reversed(old.nodes):
        kept.setdefault(detach_node(node), []).append(node.id)
    ids: dict[str, str] = {}
    fresh: list[ChainNode] = []
    for node in new.nodes:
        same = kept.get(detach_node(node))
        ids[node.id] = same.pop() if same else new_id()
        if ids[node.id] not in old.nodes_by_id:
            fresh.append(replace(node, id=ids[node.id], chain_id=old.chain.id))
    edges = {Edge(ids[edge.reason_id], ids[edge.result_id]) for edge in new.edges}
    chain_rows.delete_edges(session.study, sorted({*old.edges} - edges))
    chain_rows.delete_nodes(session.study, *sorted(node_id for left in kept.values() for node_id in left))
    chain_rows.insert_nodes(session.study, fresh)
    chain_rows.insert_edges(session.study, sorted(edges - {*old.edges}))


_STEP_NAMES = {
    ChainDecision.AGREE: "Agree with chain",
    ChainDecision.CHANGE: "Ask for a change of chain",
    ChainDecision.DISCUSS: "Ask to discuss chain",
}
