"""While somebody trains, the reference's chains are out of sight; a copy holds one's own, and theirs to train on."""

from pathlib import Path

import pytest

from annotate.chains import chain_edits as chains
from annotate.review.text_search import StudySearch
from annotate.team.assignments import mark_done
from project.entities.causal_chains import NodeKind
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.annotator_rows import hidden_lanes, lane_visibility_changes
from project.queries.chain_rows import all_chains, find_chain, find_node, read_graphs
from project.queries.recording_rows import all_recordings
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.training_round import copy_for, open_round


def draw(session: Session, who: str, at: int, text: str) -> tuple[str, str]:
    """Let somebody draw a chain of two nodes in the n-th recording; returns its id and one of its nodes."""
    before, session.annotator_name = session.annotator_name, who
    chain_id, _ = chains.add_chain(session, all_recordings(session.study)[at].id, text)
    first, _ = chains.add_node(session, chain_id, NodeKind.EVENT, f"{text} begins", 0, 1_000_000)
    chains.add_node(session, chain_id, NodeKind.EVENT, f"{text} ends", 0, 1_000_000, reasons=[first])
    session.annotator_name = before
    return chain_id, first


def test_the_reference_is_hidden_until_one_is_done_and_told_then(tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        first = all_recordings(session.study)[0].id
        chain_id, node_id = draw(session, "Olga", 0, "Marigold")
        other, _ = draw(session, "Olga", 1, "Lavender")
        session.annotator_name = "Ada"
        assert [chain.id for chain in all_chains(session.study)] == [other]
        assert read_graphs(session.study, all_chains(session.study))[0].chain.id == other
        assert (find_chain(session.study, chain_id), find_node(session.study, node_id)) == (None, None)
        assert not [free_text for free_text in free_texts(session.study) if "Marigold" in free_text.text]
        search = StudySearch(session)
        assert search.find_hits("Marigold") == []
        with pytest.raises(UserError, match="No node"):
            chains.edit_node(session, node_id, text="seen")
        before = hidden_lanes(session.study)
        mark_done(session, first)
        changes: Changes = lane_visibility_changes(session.study, before ^ hidden_lanes(session.study))
        assert changes.ids("chain") == {chain_id}
        assert node_id in changes.ids("chain_node")
        assert find_chain(session.study, chain_id) is not None
        assert len(search.find_hits("Marigold")) == 3
        search.close()


def test_a_copy_holds_ones_own_chains_and_hides_those_to_train_on(tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        reference, _ = draw(session, "Olga", 0, "Marigold")
        own, _ = draw(session, "Bo", 0, "Lavender")
        draw(session, "Ada", 0, "Hyacinth")
        path = copy_for(session, "Bo")
    assert b"Hyacinth" not in path.read_bytes()
    with Session.open(path) as copy:
        assert [chain.id for chain in all_chains(copy.study)] == [own]
        assert len(read_graphs(copy.study, all_chains(copy.study))[0].edges) == 1
        assert find_chain(copy.study, reference) is None
        mark_done(copy, all_recordings(copy.study)[0].id)
        assert find_chain(copy.study, reference) is not None
