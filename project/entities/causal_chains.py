"""Causal chains as frozen dataclasses: events and mental states, and the edges from reasons to results.

After R3-VQA (Niu et al., section 3.1): a subchain is one result and all of its reasons, each of them needed; a chain is
a set of subchains that hang together. So a chain is a directed graph without cycles, and its subchains follow from its
edges.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class NodeKind(StrEnum):
    """What a node tells of: something that happens, or a state of somebody's mind."""

    EVENT = "event"
    BELIEF = "belief"
    INTENT = "intent"
    DESIRE = "desire"
    EMOTION = "emotion"

    @property
    def is_mental(self) -> bool:
        """Whether it is a mental state."""
        return self is not NodeKind.EVENT


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain of a recording.

    Attributes:
        annotator_id: who drew it; an `adjudicated` annotator for the version that two people agreed on.
        based_on: id of the chain that it was made from, by a reviewer or as the agreed version; "" for none.
    """

    id: str
    recording_id: str
    annotator_id: str
    name: str
    based_on: str = ""


@dataclass(frozen=True, slots=True)
class ChainNode:
    """An event or a mental state, with its span on the recording's axis.

    Attributes:
        people: ids of the participants whose event or state it is, sorted.
        source: what it was made from, as `TABLE/ID` of a segment or an utterance; "" for nothing.
    """

    id: str
    chain_id: str
    kind: NodeKind
    text: str
    start_us: int
    end_us: int
    people: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """That one node is a reason for another one of the same chain."""

    reason_id: str
    result_id: str


@dataclass(frozen=True, slots=True)
class Subchain:
    """One result and all of its reasons, by time (R3-VQA, section 3.1); it is known by the id of its result."""

    result_id: str
    reason_ids: tuple[str, ...]

    @property
    def node_ids(self) -> tuple[str, ...]:
        """Its nodes, the result first."""
        return (self.result_id, *self.reason_ids)


@dataclass(frozen=True)
class ChainGraph:
    """A chain with its nodes, by start, and its edges."""

    chain: Chain
    nodes: tuple[ChainNode, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def nodes_by_id(self) -> Mapping[str, ChainNode]:
        """Node id -> node."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def reasons(self) -> Mapping[str, tuple[str, ...]]:
        """Node id -> ids of its reasons, by time; () for none."""
        return self._neighbours((edge.result_id, edge.reason_id) for edge in self.edges)

    @cached_property
    def results(self) -> Mapping[str, tuple[str, ...]]:
        """Node id -> ids of what it is a reason for, by time; () for none."""
        return self._neighbours((edge.reason_id, edge.result_id) for edge in self.edges)

    @cached_property
    def subchains(self) -> tuple[Subchain, ...]:
        """Every node that has reasons, with these; by time."""
        return tuple(Subchain(node.id, self.reasons[node.id]) for node in self.nodes if self.reasons[node.id])

    @cached_property
    def longest_path_length(self) -> int:
        """The number of edges on the longest way through the chain: its length (R3-VQA, section 3.3); 0 without edges.

        Raises:
            graphlib.CycleError: it goes round in a circle.
        """
        longest: dict[str, int] = {}
        for text in topological_order(self.reasons):
            longest[text] = max((longest[reason] + 1 for reason in self.reasons.get(text, ())), default=0)
        return max(longest.values(), default=0)

    @property
    def span(self) -> tuple[int, int]:
        """From the start of its first node to the end of its last; (0, 0) without nodes."""
        if not self.nodes:
            return 0, 0
        return min(node.start_us for node in self.nodes), max(node.end_us for node in self.nodes)

    def _neighbours(self, pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        place = {chain_node.id: at for at, chain_node in enumerate(self.nodes)}
        found: dict[str, list[str]] = {chain_node.id: [] for chain_node in self.nodes}
        for node, other in pairs:
            if node in found and other in found:
                found[node].append(other)
        return {node: tuple(sorted(others, key=place.__getitem__)) for node, others in found.items()}


def topological_order(reasons: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the nodes so that each comes after its reasons.

    Args:
        reasons: node id -> ids of its reasons.

    Raises:
        graphlib.CycleError: they go round in a circle; its `args[1]` lists the nodes of one.
    """
    from graphlib import TopologicalSorter

    return [*TopologicalSorter(reasons).static_order()]


class ChainDecision(StrEnum):
    """What a second expert says about a chain."""

    AGREE = "agree"
    CHANGE = "change"
    DISCUSS = "discuss"


@dataclass(frozen=True, slots=True)
class ChainReview:
    """What one annotator says about a chain that another drew.

    Attributes:
        state: of the chain when it was said, see `annotate.chains.chain_versions.chain_checksum`; another state is not
            reviewed.
        at: UTC, ISO 8601.
    """

    chain_id: str
    reviewer_id: str
    decision: ChainDecision
    note: str
    state: str
    at: str
