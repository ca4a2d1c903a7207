"""A chain as it is drawn, before it has ids: what an import, a copy or a draft hands over as a whole."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from project.chains import ChainGraph, NodeKind

LONGEST_NAME = 200
LONGEST_TEXT = 2_000
"""The most characters that a chain's name and a node's text have."""
SHORTEST_US = 1_000
"""The shortest span of a node."""
MOST_NODES = 5_000
MOST_EDGES = 20_000
"""How much one chain holds at most."""
_NO_CHARACTERS = "\ufffe\uffff"
"""No XML holds them."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node without an id; its fields are those of `project.chains.Node`."""

    kind: NodeKind
    text: str
    start_us: int
    end_us: int
    people: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and which of them are reasons for which.

    Attributes:
        name: of the chain.
        nodes: in any order.
        edges: (position of the reason, position of the result) in `nodes`.
    """

    name: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[tuple[int, int], ...]


def drawing_of(graph: ChainGraph) -> Drawing:
    """Return a chain without its ids."""
    places = {one.id: at for at, one in enumerate(graph.nodes)}
    nodes = [DrawnNode(one.kind, one.text, one.start_us, one.end_us, one.people, one.source) for one in graph.nodes]
    edges = [
        (places[one.reason_id], places[one.result_id])
        for one in graph.edges
        if one.reason_id in places and one.result_id in places
    ]
    return Drawing(graph.chain.name, tuple(nodes), tuple(sorted(edges)))


def circle(count: int, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the positions of nodes that go round in a circle, the first one again at the end; () where none do.

    Args:
        count: number of nodes.
        edges: (position of the reason, position of the result).
    """
    from graphlib import CycleError

    from project.chains import ordered

    reasons: dict[str, list[str]] = {str(at): [] for at in range(count)}
    for reason, result in edges:
        reasons[str(result)].append(str(reason))
    try:
        ordered(reasons)
    except CycleError as error:
        return tuple(int(one) for one in error.args[1])
    return ()


def one_line(text: str) -> str:
    """Return a text without line ends and what is no character, each run of blanks as one space."""
    kept = (" " if unicodedata.category(one) in ("Cc", "Cs") or one in _NO_CHARACTERS else one for one in text)
    return " ".join("".join(kept).split())
