"""What is wrong with a chain, or looks as if it were, after R3-VQA (Niu et al., section 3.1 and 3.2).

A command never makes what is wrong here but for what is not finished yet; the merge of two people's edits, each of them
fine, can.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError

from project.chains import ChainGraph, Node, ordered
from project.timebase import SECOND

CYCLE, DANGLING, EMPTY, NO_EDGES = "cycle", "dangling", "empty", "no_edges"
OUTSIDE, TEXT, CHARACTER = "outside", "text", "character"
ISOLATED, APART, LATE, TWICE = "isolated", "apart", "late", "twice"
"""Keys of problems; those of the last line are warnings."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        node_id: of the node that it is about; "" where it is about the chain.
        key: of its kind.
        message: one line for people.
        warning: it may be as it was meant to be.
    """

    node_id: str
    key: str
    message: str
    warning: bool = False


def problems(graph: ChainGraph, duration_us: int | None = None) -> list[Problem]:
    """Return what is wrong with a chain: what is about all of it first, then by node, errors before warnings.

    Args:
        graph: the chain; it may go round in circles.
        duration_us: of its recording; None where it does not matter whether the nodes lie in it.
    """
    if not graph.nodes:
        return [Problem("", EMPTY, "The chain has no nodes yet.")]
    found = [*_edges(graph), *_parts(graph)]
    texts = Counter(_same(one.text) for one in graph.nodes if one.text.strip())
    circles = in_circles(graph)
    for one in graph.nodes:
        if one.id in circles:
            found.append(Problem(one.id, CYCLE, "It is a reason for itself: reasons go round in a circle here."))
        found += _node(one, duration_us)
        found += _order(graph, one)
        if texts[_same(one.text)] > 1:
            found.append(Problem(one.id, TWICE, "Another node of the chain says the same.", warning=True))
    place = {one.id: at for at, one in enumerate(graph.nodes)}
    return sorted(found, key=lambda one: (place.get(one.node_id, -1), one.warning))


def by_node(found: Sequence[Problem]) -> dict[str, str]:
    """Return node id -> its messages, each on a line, errors first; what is about the whole chain is left out."""
    lines: dict[str, list[str]] = {}
    for one in found:
        if one.node_id:
            lines.setdefault(one.node_id, []).append(one.message)
    return {node: "\n".join(messages) for node, messages in lines.items()}


def sound(graph: ChainGraph) -> bool:
    """Whether a chain has neither circles nor edges without an end: what all that reckons with it takes for granted."""
    return not in_circles(graph) and not any(_edges(graph))


def in_circles(graph: ChainGraph) -> frozenset[str]:
    """Return the ids of the nodes that are reasons for themselves over others."""
    try:
        ordered(graph.reasons)
    except CycleError:
        left = {one.id for one in graph.nodes}
    else:
        return frozenset()
    trimmed = True
    while trimmed:
        # What has no reason or no result among the others is in no circle.
        outside = {
            one
            for one in left
            if not any(near in left for near in graph.reasons[one])
            or not any(near in left for near in graph.results[one])
        }
        left -= outside
        trimmed = bool(outside)
    return frozenset(one for one in left if one in _reached(graph.results, one))


def _reached(results: Mapping[str, Sequence[str]], start: str) -> set[str]:
    seen: set[str] = set()
    left = [start]
    while left:
        for one in results[left.pop()]:
            if one not in seen:
                seen.add(one)
                left.append(one)
    return seen


def _edges(graph: ChainGraph) -> list[Problem]:
    found = []
    for edge in graph.edges:
        if edge.reason_id not in graph.by_id or edge.result_id not in graph.by_id:
            there = next((one for one in (edge.result_id, edge.reason_id) if one in graph.by_id), "")
            found.append(Problem(there, DANGLING, "One of its edges leads to a node that is not in this chain."))
    return found


def _parts(graph: ChainGraph) -> list[Problem]:
    if not graph.subchains:
        return [Problem("", NO_EDGES, "No node is a reason for another yet.")]
    loose = [one.id for one in graph.nodes if not graph.reasons[one.id] and not graph.results[one.id]]
    found = [Problem(one, ISOLATED, "It is neither a reason nor a result.", warning=True) for one in loose]
    both = {one.id: (*graph.reasons[one.id], *graph.results[one.id]) for one in graph.nodes}
    left = {one.id for one in graph.nodes} - {*loose}
    parts = 0
    while left:
        left -= _reached(both, min(left))
        parts += 1
    if parts > 1:
        found.append(Problem("", APART, f"The chain falls into {parts} parts that do not hang together.", warning=True))
    return found


def _node(one: Node, duration_us: int | None) -> list[Problem]:
    found = []
    if not one.text.strip():
        found.append(Problem(one.id, TEXT, "It has no text."))
    if one.kind.mental and not one.people:
        found.append(Problem(one.id, CHARACTER, f"Nobody has this {one.kind.value}: name a character."))
    if duration_us is not None and one.end_us > duration_us:
        found.append(Problem(one.id, OUTSIDE, "It reaches beyond the end of the recording."))
    return found


def _order(graph: ChainGraph, one: Node) -> list[Problem]:
    late = [graph.by_id[each] for each in graph.reasons[one.id] if graph.by_id[each].start_us > one.start_us]
    if not late:
        return []
    by = max(each.start_us for each in late) - one.start_us
    what = "A reason for it starts" if len(late) == 1 else f"{len(late)} reasons for it start"
    return [Problem(one.id, LATE, f"{what} after it, by up to {by / SECOND:.2f} s.", warning=True)]


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
