"""Which chains are versions of one another, and what was said about each as it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.chains.state import state_of
from app.core.session import Session
from project.chains import Chain, ChainDecision, ChainGraph, ChainReview
from project.queries.annotators import all_annotators
from project.queries.chains import chain_reviews

ADJUDICATED = "adjudicated"


class Standing(StrEnum):
    """How far a chain has come."""

    OPEN = "open"
    """Nobody else said anything about it as it stands."""
    AGREED = "agreed"
    """All who said something about it as it stands agree."""
    CHANGE = "change"
    """Somebody would change it."""
    DISCUSS = "discuss"
    """Somebody wants to discuss it."""
    CONSENSUS = "consensus"
    """It is the version that was agreed on."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A chain with what was said about it.

    Attributes:
        standing: how far it has come.
        current: what was said about it as it stands, by time.
        earlier: what was said before it was changed, by time.
    """

    standing: Standing
    current: tuple[ChainReview, ...]
    earlier: tuple[ChainReview, ...]


def reviewed(session: Session, graph: ChainGraph) -> Reviewed:
    """Return what was said about a chain, apart by whether it has been changed since."""
    state = state_of(graph)
    said = chain_reviews(session.study, graph.chain.id)
    current = tuple(one for one in said if one.state == state)
    earlier = tuple(one for one in said if one.state != state)
    if is_consensus(session, graph.chain):
        return Reviewed(Standing.CONSENSUS, current, earlier)
    return Reviewed(_standing({one.decision for one in current}), current, earlier)


def is_consensus(session: Session, chain: Chain) -> bool:
    """Whether a chain is a version that several people agreed on."""
    return any(one.id == chain.annotator_id and one.kind == ADJUDICATED for one in all_annotators(session.study))


def original_of(chains: Mapping[str, Chain], chain: Chain) -> Chain:
    """Return the chain that all versions of one go back to, as far as it is still there.

    Args:
        chains: id -> chain, of its recording.
        chain: any version.
    """
    seen = {chain.id}
    while (before := chains.get(chain.based_on)) is not None and before.id not in seen:
        seen.add(before.id)
        chain = before
    return chain


def chosen_versions(session: Session, chains: Sequence[Chain]) -> list[Chain]:
    """Return one version of each chain: the one that was agreed on where there is one, else the original.

    Of what several people drew of the same thing, this is what counts once.
    """
    here = {one.id: one for one in chains}
    chosen: dict[str, Chain] = {}
    for one in chains:
        first = original_of(here, one).id
        if first not in chosen or is_consensus(session, one):
            chosen[first] = one
    return [one for one in chains if one in chosen.values()]


def _standing(said: set[ChainDecision]) -> Standing:
    for decision, standing in (
        (ChainDecision.DISCUSS, Standing.DISCUSS),
        (ChainDecision.CHANGE, Standing.CHANGE),
        (ChainDecision.AGREE, Standing.AGREED),
    ):
        if decision in said:
            return standing
    return Standing.OPEN
