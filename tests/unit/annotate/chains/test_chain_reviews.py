"""A second expert agrees, changes or discusses; and what both agree on."""

import pytest

from annotate.chains import chain_edits as chains
from annotate.chains import chain_versions as chain_reviews
from annotate.chains.chain_versions import ChainReviewState, read_review_status, select_versions
from annotate.study.recording_edits import undo
from project.entities.causal_chains import ChainDecision
from project.errors import UserError
from project.queries.annotator_rows import all_annotators
from project.queries.chain_rows import all_chains
from project.session.session import Session
from tests.builders.chains import draw, graph, node


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


def test_nobody_reviews_their_own_chain_or_an_agreed_one(session: Session) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    with pytest.raises(UserError, match="You drew"):
        chain_reviews.review_chain(session, chain_id, ChainDecision.AGREE)
    agreed, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="agreed on"):
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


def test_twins_are_kept_and_go_one_by_one(session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    chains.edit_node(session, ids["B"], text="event A", start_us=0, end_us=5_000_000)
    agreed_id, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    assert not chain_reviews.make_consensus(session, chain_id, chain_id)[1]
    chains.delete_nodes(session, [ids["B"]])
    chain_reviews.make_consensus(session, chain_id, chain_id)
    assert [node.text for node in graph(session, agreed_id).nodes] == ["event A", "event C"]


def test_only_a_sound_version_of_the_same_chain_is_agreed_on(session: Session) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    other, _ = draw(session, {"C": "AB"})
    empty, _ = chains.add_chain(session, "walk")
    with pytest.raises(UserError, match="no versions"):
        chain_reviews.make_consensus(session, chain_id, other)
    with pytest.raises(UserError, match="no sound chain"):
        chain_reviews.make_consensus(session, empty, empty)


def test_anybody_deletes_an_agreed_version_and_nobody_edits_it(session: Session) -> None:
    chain_id, _ = draw(session, {"C": "AB"})
    agreed_id, _ = chain_reviews.make_consensus(session, chain_id, chain_id)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="somebody else"):
        chains.edit_node(session, graph(session, agreed_id).nodes[0].id, text="x")
    chains.delete_chain(session, agreed_id)
    assert [chain.id for chain in all_chains(session.study)] == [chain_id]
