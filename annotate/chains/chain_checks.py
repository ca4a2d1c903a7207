"""Checks and statistics of causal chains, after R3-VQA (Niu et al., sections 3.1 to 3.3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError

from annotate.agreement.figure_intervals import load_published
from project.entities.causal_chains import ChainGraph, ChainNode, NodeKind, topological_order
from project.timebase import SECOND_US

CYCLE, DANGLING, EMPTY, NO_EDGES = "cycle", "dangling", "empty", "no_edges"
OUTSIDE, TEXT, CHARACTER = "outside", "text", "character"
ISOLATED, APART, LATE, TWICE = "isolated", "apart", "late", "twice"
"""Keys of problems; those of the last line are warnings."""


@dataclass(frozen=True, slots=True)
class ChainProblem:
    """One thing that is wrong.

    Attributes:
        node_id: of the node that it is about; "" where it is about the chain.
        warning: it may be as it was meant to be.
    """

    node_id: str
    key: str
    message: str
    warning: bool = False


def find_problems(graph: ChainGraph, duration_us: int | None = None) -> list[ChainProblem]:
    """Return what is wrong with a chain: what is about all of it first, then by node, errors before warnings.

    The chain may have cycles. Without `duration_us`, that of its recording, nodes may lie outside of it.
    """
    if not graph.nodes:
        return [ChainProblem("", EMPTY, "The chain has no nodes yet.")]
    found = [*_edges(graph), *_parts(graph)]
    texts = Counter(_normalize_text(node.text) for node in graph.nodes if node.text.strip())
    circles = find_cycle_nodes(graph)
    for node in graph.nodes:
        if node.id in circles:
            found.append(ChainProblem(node.id, CYCLE, "It is a reason for itself: reasons go round in a circle here."))
        found += _node(node, duration_us)
        found += _order(graph, node)
        if texts[_normalize_text(node.text)] > 1:
            found.append(ChainProblem(node.id, TWICE, "Another node of the chain says the same.", warning=True))
    place = {chain_node.id: at for at, chain_node in enumerate(graph.nodes)}
    return sorted(found, key=lambda chain_problem: (place.get(chain_problem.node_id, -1), chain_problem.warning))


def messages_by_node(found: Sequence[ChainProblem]) -> dict[str, str]:
    """Return node id -> its messages, each on a line, errors first; what is about the whole chain is left out."""
    lines: dict[str, list[str]] = {}
    for problem in found:
        if problem.node_id:
            lines.setdefault(problem.node_id, []).append(problem.message)
    return {node: "\n".join(messages) for node, messages in lines.items()}


def is_sound(graph: ChainGraph) -> bool:
    """Tell whether a chain has neither cycles nor dangling edges, which every computation over it takes for granted."""
    return not find_cycle_nodes(graph) and not any(_edges(graph))


def find_cycle_nodes(graph: ChainGraph) -> frozenset[str]:
    """Return the ids of the nodes that lie on a cycle."""
    try:
        topological_order(graph.reasons)
    except CycleError:
        left = {node.id for node in graph.nodes}
    else:
        return frozenset()
    trimmed = True
    while trimmed:
        # What has no reason or no result among the others is in no cycle.
        outside = {
            node_id
            for node_id in left
            if not any(near in left for near in graph.reasons[node_id])
            or not any(near in left for near in graph.results[node_id])
        }
        left -= outside
        trimmed = bool(outside)
    return frozenset(node_id for node_id in left if node_id in reachable_from(graph.results, node_id))


def reachable_from(results: Mapping[str, Sequence[str]], start: str) -> set[str]:
    """Return the nodes to which a way leads from one by results, also where there is a cycle."""
    seen: set[str] = set()
    left = [start]
    while left:
        for result in results.get(left.pop(), ()):
            if result not in seen:
                seen.add(result)
                left.append(result)
    return seen


def _edges(graph: ChainGraph) -> list[ChainProblem]:
    found = []
    for edge in graph.edges:
        if edge.reason_id not in graph.nodes_by_id or edge.result_id not in graph.nodes_by_id:
            there = next((node_id for node_id in (edge.result_id, edge.reason_id) if node_id in graph.nodes_by_id), "")
            found.append(ChainProblem(there, DANGLING, "One of its edges leads to a node that is not in this chain."))
    return found


def _parts(graph: ChainGraph) -> list[ChainProblem]:
    if not graph.subchains:
        return [ChainProblem("", NO_EDGES, "No node is a reason for another yet.")]
    loose = [node.id for node in graph.nodes if not graph.reasons[node.id] and not graph.results[node.id]]
    found = [ChainProblem(node_id, ISOLATED, "It is neither a reason nor a result.", warning=True) for node_id in loose]
    both = {node.id: (*graph.reasons[node.id], *graph.results[node.id]) for node in graph.nodes}
    left = {node.id for node in graph.nodes} - {*loose}
    parts = 0
    while left:
        left -= reachable_from(both, min(left))
        parts += 1
    if parts > 1:
        found.append(
            ChainProblem("", APART, f"The chain falls into {parts} parts that do not hang together.", warning=True)
        )
    return found


def _node(node: ChainNode, duration_us: int | None) -> list[ChainProblem]:
    found = []
    if not node.text.strip():
        found.append(ChainProblem(node.id, TEXT, "It has no text."))
    if node.kind.is_mental and not node.people:
        found.append(ChainProblem(node.id, CHARACTER, f"Nobody has this {node.kind.value}: name a character."))
    if duration_us is not None and node.end_us > duration_us:
        found.append(ChainProblem(node.id, OUTSIDE, "It reaches beyond the end of the recording."))
    return found


def _order(graph: ChainGraph, node: ChainNode) -> list[ChainProblem]:
    late = [
        graph.nodes_by_id[reason_id]
        for reason_id in graph.reasons[node.id]
        if graph.nodes_by_id[reason_id].start_us > node.start_us
    ]
    if not late:
        return []
    by = max(reason.start_us for reason in late) - node.start_us
    what = "A reason for it starts" if len(late) == 1 else f"{len(late)} reasons for it start"
    return [ChainProblem(node.id, LATE, f"{what} after it, by up to {by / SECOND_US:.2f} s.", warning=True)]


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())


PUBLISHED_NAME = "r3vqa-chains"
"""Name of the published figures that stand beside a study's."""


@dataclass(frozen=True, slots=True)
class ChainFigure:
    """One number.

    Attributes:
        key: such as `nodes.event`.
        value: the study's; None where there is nothing to take it from.
        published: R3-VQA's; None where the paper does not give it.
        source: the place in the paper; "" for none.
    """

    key: str
    name: str
    value: float | None
    published: float | None
    source: str


@dataclass(frozen=True, slots=True)
class ChainStatistics:
    """What chains are made of.

    Attributes:
        recordings: how many have a chain that counts.
        chains: how many count: sound chains with at least one edge.
        empty: how many have no edges; they are left out of all that follows.
        unsound: how many have a cycle or loose edges; they are left out too.
        by_kind: kind -> nodes; every kind is there.
        subchains: of all chains.
        steps: length of a chain in edges on its longest way -> chains.
        reasons: reasons of a subchain -> subchains.
        people: characters of a node -> nodes.
    """

    recordings: int
    chains: int
    empty: int
    unsound: int
    by_kind: Mapping[NodeKind, int]
    subchains: int
    steps: Mapping[int, int]
    reasons: Mapping[int, int]
    people: Mapping[int, int]

    @property
    def nodes(self) -> int:
        """The nodes of all kinds."""
        return sum(self.by_kind.values())

    def figures(self) -> list[ChainFigure]:
        """Return the numbers with R3-VQA's beside them."""
        lengths = [length for length, many in self.steps.items() for _ in range(many)]
        own: dict[str, tuple[str, float | None]] = {
            "recordings": ("Recordings with chains", self.recordings),
            "chains": ("Chains", self.chains),
            "nodes": ("Nodes", self.nodes),
            **{f"nodes.{kind.value}": (f"{kind.value.capitalize()} nodes", self.by_kind[kind]) for kind in NodeKind},
            "subchains": ("Subchains", self.subchains),
            "steps.mean": ("Steps of a chain, mean", _mean(lengths)),
            "steps.least": ("Steps of the shortest chain", min(lengths, default=None)),
            "steps.most": ("Steps of the longest chain", max(lengths, default=None)),
            "reasons.mean": ("Reasons of a subchain, mean", _mean([*Counter(self.reasons).elements()])),
        }
        found = load_published(PUBLISHED_NAME)
        assert found is not None
        theirs = {figure.figure: figure for figure in found.figures}
        return [
            ChainFigure(key, name, value, theirs[key].value, theirs[key].source)
            if key in theirs
            else ChainFigure(key, name, value, None, "")
            for key, (name, value) in own.items()
        ]


def compute_chain_statistics(graphs: Sequence[ChainGraph]) -> ChainStatistics:
    """Count chains, nodes and steps; empty and unsound chains are counted apart."""
    whole = [graph for graph in graphs if graph.edges and is_sound(graph)]
    nodes = [node for graph in whole for node in graph.nodes]
    kinds = Counter(node.kind for node in nodes)
    subchains = [subchain for graph in whole for subchain in graph.subchains]
    return ChainStatistics(
        recordings=len({graph.chain.recording_id for graph in whole}),
        chains=len(whole),
        empty=sum(not graph.edges for graph in graphs),
        unsound=sum(bool(graph.edges) and not is_sound(graph) for graph in graphs),
        by_kind={kind: kinds[kind] for kind in NodeKind},
        subchains=len(subchains),
        steps=_count_sorted(graph.longest_path_length for graph in whole),
        reasons=_count_sorted(len(subchain.reason_ids) for subchain in subchains),
        people=_count_sorted(len(node.people) for node in nodes),
    )


def _count_sorted(numbers: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(numbers).items()))


def _mean(numbers: Sequence[int]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
