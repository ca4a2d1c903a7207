"""What is said about chains that are not well, also where no command could have made them so."""

from annotate.chains.chain_checks import (
    ChainProblem,
    compute_chain_statistics,
    find_cycle_nodes,
    find_problems,
    is_sound,
    messages_by_node,
)
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind
from tests.builders.marked_study import SECOND

CHAIN = Chain("chain", "walk", "ada", "One")


def make(edges: str, starts: dict[str, float] | None = None, *, more: str = "", **changed: ChainNode) -> ChainGraph:
    """Return a graph; `edges` such as "AB BC" are reason and result, `more` nodes without edges."""
    pairs = [Edge(part[0], part[1]) for part in edges.split()]
    letters = sorted({*more} | {text for edge in pairs for text in (edge.reason_id, edge.result_id)})
    at = {one: round((starts or {}).get(one, place) * SECOND) for place, one in enumerate(letters)}
    nodes = [
        changed.get(
            letter, ChainNode(letter, "chain", NodeKind.EVENT, f"event {letter}", at[letter], at[letter] + SECOND)
        )
        for letter in letters
    ]
    return ChainGraph(
        CHAIN, tuple(sorted(nodes, key=lambda chain_node: (chain_node.start_us, chain_node.id))), tuple(pairs)
    )


def keys(found: list[ChainProblem]) -> list[tuple[str, str, bool]]:
    return [(problem.node_id, problem.key, problem.warning) for problem in found]


def test_a_chain_that_is_well_has_no_problems() -> None:
    assert find_problems(make("AB BC AC"), 60 * SECOND) == []
    assert is_sound(make("AB BC AC"))


def test_a_chain_without_nodes_or_edges() -> None:
    assert keys(find_problems(make(""))) == [("", "empty", False)]
    assert keys(find_problems(make("", more="AB"))) == [("", "no_edges", False)]


def test_the_nodes_of_circles_are_named_and_no_others() -> None:
    graph = make("AB BC CB CD DE EF FE", dict.fromkeys("ABCDEF", 0))
    assert find_cycle_nodes(graph) == {"B", "C", "E", "F"}
    assert not is_sound(graph)
    assert keys(find_problems(graph)) == [(text, "cycle", False) for text in "BCEF"]


def test_an_edge_to_a_node_that_is_gone() -> None:
    graph = make("AB BC")
    graph = ChainGraph(graph.chain, graph.nodes, (*graph.edges, Edge("Z", "C"), Edge("Y", "Z")))
    assert keys(find_problems(graph)) == [("", "dangling", False), ("C", "dangling", False)]
    assert not is_sound(graph)


def test_a_reason_that_starts_after_its_result_is_a_warning() -> None:
    (found,) = find_problems(make("AB", {"A": 3, "B": 1.5}))
    assert (found.node_id, found.key, found.warning) == ("B", "late", True)
    assert found.message == "A reason for it starts after it, by up to 1.50 s."
    assert find_problems(make("AB", {"A": 1, "B": 1})) == []


def test_a_state_needs_somebody_and_every_node_a_text() -> None:
    state = ChainNode("B", "chain", NodeKind.DESIRE, " ", SECOND, 2 * SECOND)
    assert keys(find_problems(make("AB", B=state))) == [("B", "text", False), ("B", "character", False)]


def test_a_node_beyond_the_end_of_the_recording() -> None:
    assert keys(find_problems(make("AB"), SECOND)) == [("B", "outside", False)]


def test_what_does_not_hang_together_is_a_warning() -> None:
    assert keys(find_problems(make("AB", more="C"))) == [("C", "isolated", True)]
    found = find_problems(make("AB CD"))
    assert keys(found) == [("", "apart", True)]
    assert "2 parts" in found[0].message


def test_two_nodes_that_say_the_same() -> None:
    again = ChainNode("B", "chain", NodeKind.EVENT, "EVENT  a", SECOND, 2 * SECOND)
    found = find_problems(make("AB", B=again))
    assert keys(found) == [("A", "twice", True), ("B", "twice", True)]
    assert messages_by_node(found)["A"] == found[0].message


def test_chains_are_counted_by_kind_and_length() -> None:
    state = ChainNode("C", "chain", NodeKind.EMOTION, "glad", 0, 1, ("p", "q"))
    found = compute_chain_statistics(
        [make("AB BC", C=state), make("AC BC CD"), make(""), make("", more="A"), make("AB BA")]
    )
    assert (found.recordings, found.chains, found.empty, found.unsound) == (1, 2, 2, 1)
    assert found.by_kind == {**dict.fromkeys(NodeKind, 0), NodeKind.EVENT: 6, NodeKind.EMOTION: 1}
    assert (found.nodes, found.subchains) == (7, 4)
    assert (found.steps, found.reasons, found.people) == ({2: 2}, {1: 3, 2: 1}, {0: 6, 2: 1})
    figures = {figure.key: figure for figure in found.figures()}
    assert (figures["steps.mean"].value, figures["steps.mean"].published) == (2, 3.3)
    assert figures["reasons.mean"].value == 5 / 4
    assert figures["reasons.mean"].published is None


def test_no_chains_give_no_means_and_the_published_counts_add_up() -> None:
    figures = {figure.key: figure for figure in compute_chain_statistics([]).figures()}
    assert (figures["chains"].value, figures["steps.mean"].value) == (0, None)
    theirs = {key: figure.published for key, figure in figures.items()}
    assert sum(theirs[f"nodes.{kind}"] or 0 for kind in NodeKind) == theirs["nodes"] == 2198
