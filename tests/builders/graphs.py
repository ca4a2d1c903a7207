"""Small chains, and any number of larger ones, for tests of the graph view."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind

SECOND = 1_000_000


def node(name: str, second: float, person: str | Sequence[str] = "a", kind: NodeKind = NodeKind.EVENT) -> ChainNode:
    people = (person,) if isinstance(person, str) and person else tuple(person)
    return ChainNode(
        name, "chain", kind, f"what {name} tells", round(second * SECOND), round((second + 1) * SECOND), people
    )


def graph(nodes: Iterable[ChainNode], edges: str = "") -> ChainGraph:
    """Edges are written as in `a>b b>c`."""
    ranked = tuple(sorted(nodes, key=lambda chain_node: (chain_node.start_us, chain_node.id)))
    drawn = tuple(sorted(Edge(*part.split(">")) for part in edges.split()))
    return ChainGraph(Chain("chain", "r", "x", "Chain"), ranked, drawn)


@st.composite
def graphs(draw: st.DrawFn) -> ChainGraph:
    """Chains of up to 30 nodes of three people and nobody, many of them at the same time."""
    count = draw(st.integers(1, 30))
    people, kinds = st.sampled_from(["a", "b", "c", ""]), st.sampled_from(NodeKind)
    nodes = [node(f"n{at:02}", draw(st.integers(0, 40)), draw(people), draw(kinds)) for at in range(count)]
    ranked = sorted(nodes, key=lambda chain_node: (chain_node.start_us, chain_node.id))
    pairs = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=40))
    return graph(ranked, " ".join(f"{ranked[i].id}>{ranked[j].id}" for i, j in pairs if i < j))
