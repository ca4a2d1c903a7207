"""A second expert agrees, changes or discusses; and what is said about chains that are not well."""

import pytest

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from annotate.chains.chain_checks import (
    compute_chain_statistics,
    find_cycle_nodes,
    find_problems,
    is_sound,
)
from annotate.chains.chain_versions import ChainReviewState, read_review_status, select_versions
from annotate.study.recording_edits import undo
from project.entities.causal_chains import Chain, ChainDecision, ChainGraph, ChainNode, Edge, NodeKind
from project.errors import UserError
from project.queries.annotator_rows import all_annotators
from project.queries.chain_rows import all_chains
from project.session.session import Session
from tests.builders.chains import draw, graph, node
from tests.builders.marked_study import SECOND


def test_a_review_holds_for_the_chain_as_it_was(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    session.annotator_name = "Bo"
    chain_reviews.review_chain(session, chain_id, ChainDecision.AGREE)
    assert read_review_status(session, graph(session, chain_id)).state is ChainReviewState.AGREED
    session.annotator_name = "Ada"
    chains.rename_chain(session, chain_id, "Another name")
    assert read_review_status(session, graph(session, chain_id)).state is ChainReviewState.AGREED
    chains.edit_node(session, ids["A"], text="something else")
    found = read_review_status(session, graph(session, chain_id))
    assert (found.state, len(found.current), len(found.earlier)) == (ChainReviewState.OPEN, 0, 1)
    undo(session)
    assert read_review_status(session, graph(session, chain_id)).state is ChainReviewState.AGREED


def test_one_who_wants_to_discuss_weighs_more_than_one_who_agrees(session: Session) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    for who, decision in (("Bo", ChainDecision.AGREE), ("Cy", ChainDecision.CHANGE), ("Di", ChainDecision.DISCUSS)):
        session.annotator_name = who
        chain_reviews.review_chain(session, chain_id, decision, " Why? ")
        assert read_review_status(session, graph(session, chain_id)).state == decision.value.replace("agree", "agreed")
    chain_reviews.withdraw_chain_review(session, chain_id)
    assert read_review_status(session, graph(session, chain_id)).state is ChainReviewState.CHANGE
    with pytest.raises(UserError, match="did not review"):
        chain_reviews.withdraw_chain_review(session, chain_id)


def test_nobody_reviews_their_own_chain_or_an_agreed_one_and_only_sound_versions_are_agreed_on(
    session: Session,
) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    with pytest.raises(UserError, match="You drew"):
        chain_reviews.review_chain(session, chain_id, ChainDecision.AGREE)
    other, _ = draw(session, {"C": "AB"})
    with pytest.raises(UserError, match="not versions"):
        chain_reviews.make_consensus(session, chain_id, other)
    empty, _ = chains.add_chain(session, "walk")
    with pytest.raises(UserError, match="not a valid chain"):
        chain_reviews.make_consensus(session, empty, empty)
    agreed, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="is the agreed"):
        chain_reviews.review_chain(session, agreed, ChainDecision.AGREE)


def test_a_copy_is_ones_own_and_becomes_the_agreed_version(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"}, name="The proposal")
    before = graph(session, chain_id)
    session.annotator_name = "Bo"
    copy_id, _ = chain_reviews.copy_for_change(session, chain_id)
    copied = graph(session, copy_id)
    assert copied.chain.based_on == chain_id
    assert not {drawn.id for drawn in copied.nodes} & {*ids.values()}
    assert [(drawn.text, drawn.start_us, drawn.end_us) for drawn in copied.nodes] == [
        (drawn.text, drawn.start_us, drawn.end_us) for drawn in before.nodes
    ]
    added = node(session, copy_id, "and another", 40)
    chains.add_edge(session, copied.nodes[2].id, added)
    assert graph(session, chain_id) == before
    agreed_id, _ = chain_reviews.make_consensus(session, chain_id, copy_id)
    agreed = graph(session, agreed_id)
    assert (agreed.longest_path_length, agreed.chain.name, agreed.chain.based_on) == (2, "The proposal", chain_id)
    assert next(
        annotator.kind for annotator in all_annotators(session.study) if annotator.id == agreed.chain.annotator_id
    ) == ("adjudicated")
    assert read_review_status(session, agreed).state is ChainReviewState.CONSENSUS
    assert [version.id for version in select_versions(session, all_chains(session.study))] == [agreed_id]


def test_agreeing_again_keeps_what_is_as_it_was(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    agreed_id, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    first = graph(session, agreed_id)
    assert not chain_reviews.make_consensus(session, chain_id, chain_id)[1]
    chains.edit_node(session, ids["C"], text="another end")
    assert chain_reviews.make_consensus(session, agreed_id, chain_id)[0] == agreed_id
    second = graph(session, agreed_id)
    assert [node.id for node in second.nodes][:2] == [node.id for node in first.nodes][:2]
    assert second.nodes[2].text == "another end"
    assert second.nodes[2].id != first.nodes[2].id
    assert len(second.edges) == 2
    undo(session)
    assert graph(session, agreed_id) == first


def test_anybody_deletes_an_agreed_version_and_nobody_edits_it(session: Session) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    agreed_id, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="somebody else"):
        chains.edit_node(session, graph(session, agreed_id).nodes[0].id, text="x")
    chains.delete_chain(session, agreed_id)
    assert [chain.id for chain in all_chains(session.study)] == [chain_id]


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


def keys(graph: ChainGraph, duration_us: int | None = None) -> list[tuple[str, str, bool]]:
    return [(problem.node_id, problem.key, problem.warning) for problem in find_problems(graph, duration_us)]


def test_each_problem_of_a_chain_is_told_with_its_nodes_and_whether_it_is_a_warning() -> None:
    assert keys(make("AB BC AC"), 60 * SECOND) == []
    assert keys(make("")) == [("", "empty", False)]
    assert keys(make("", more="AB")) == [("", "no_edges", False)]
    assert keys(make("AB", {"A": 3, "B": 1.5})) == [("B", "late", True)]
    assert keys(make("AB", {"A": 1, "B": 1})) == []
    assert keys(make("AB"), SECOND) == [("B", "outside", False)]
    assert keys(make("AB", more="C")) == [("C", "isolated", True)]
    assert keys(make("AB CD")) == [("", "apart", True)]
    state = ChainNode("B", "chain", NodeKind.DESIRE, " ", SECOND, 2 * SECOND)
    assert keys(make("AB", B=state)) == [("B", "text", False), ("B", "character", False)]
    again = ChainNode("B", "chain", NodeKind.EVENT, "EVENT  a", SECOND, 2 * SECOND)
    assert keys(make("AB", B=again)) == [("A", "twice", True), ("B", "twice", True)]
    graph = make("AB BC")
    gone = ChainGraph(graph.chain, graph.nodes, (*graph.edges, Edge("Z", "C"), Edge("Y", "Z")))
    assert keys(gone) == [("", "dangling", False), ("C", "dangling", False)]
    round_about = make("AB BC CB CD DE EF FE", dict.fromkeys("ABCDEF", 0))
    assert find_cycle_nodes(round_about) == {"B", "C", "E", "F"}
    assert keys(round_about) == [(text, "cycle", False) for text in "BCEF"]
    assert [is_sound(each) for each in (graph, gone, round_about)] == [True, False, False]


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
    none = {figure.key: figure.value for figure in compute_chain_statistics([]).figures()}
    assert (none["chains"], none["steps.mean"]) == (0, None)
