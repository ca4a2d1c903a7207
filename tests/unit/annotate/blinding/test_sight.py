"""While somebody trains, the reference's segments and chains are out of sight, whatever shows them."""

from pathlib import Path

import pytest

from annotate.agreement.annotator_lanes import list_annotators_of, read_marks
from annotate.chains import chain_edits as chains
from annotate.interchange.document_export import build_document
from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import build_checklist
from annotate.review.text_search import StudySearch
from annotate.team.assignments import mark_done
from annotate.team.training_gate import evaluate_training, list_trainees, read_gate
from project.entities.causal_chains import NodeKind
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.annotator_rows import all_annotators, hidden_lanes, lane_visibility_changes
from project.queries.chain_rows import all_chains, find_chain, find_node, read_graphs
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, find_segment, segment_counts, segments_of, values_in, values_of
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.terminal import Terminal
from tests.builders.training_round import copy_for, mark, open_round


def everything(session: Session) -> str:
    """Return all that any reading says about segments, as one text."""
    study = session.study
    first = all_recordings(study)[0].id
    table = SegmentTable(session)
    search = StudySearch(session)
    hits = search.find_hits("over OR back OR talks OR asks")
    search.close()
    document = build_document(session, all_recordings(study), whole=True)
    ids = [annotator.id for annotator in all_annotators(study)]
    return repr(
        (
            all_segments(study),
            segments_of(study, first),
            segment_counts(study),
            values_in(study, first),
            [table.rows.values(), build_checklist(session, table)],
            [list_annotators_of(session, first), read_marks(session, first, ids)],
            hits,
            [(part.lanes) for part in document.recordings],
            [document.rows[name] for name in ("segment", "segment_value", "comment", "review")],
        )
    )


def test_a_copy_shows_nothing_of_the_reference_before_the_training_is_done(tmp_path: Path, greenroom: Terminal) -> None:
    with open_round(tmp_path) as session:
        hidden = [segment.id for segment in all_segments(session.study)]
        assert len(hidden) == 2
        reference, _ = draw(session, "Olga", 0, "Marigold")
        own, _ = draw(session, "Ada", 0, "Lavender")
        draw(session, "Bo", 0, "Hyacinth")
        path = copy_for(session, "Ada")
    assert b"Hyacinth" not in path.read_bytes()
    assert greenroom.json("segment", "list", path)["segments"] == []
    greenroom("segment", "export", path, "--format", "jsonl", "--out", tmp_path / "all.jsonl")
    assert "Talks over her" not in (tmp_path / "all.jsonl").read_text("utf-8")
    with Session.open(path) as copy:
        assert copy.annotator_name == "Ada", "the copy knows whose it is"
        seen = everything(copy)
        assert not [text for text in (*hidden, "Talks over her", "Asks back") if text in seen]
        assert find_segment(copy.study, hidden[0]) is None
        assert values_of(copy.study, hidden[0]) == {}
        assert [chain.id for chain in all_chains(copy.study)] == [own]
        assert find_chain(copy.study, reference) is None
        copy.annotator_name = "Olga"
        assert all_segments(copy.study) == [], "another name in the copy sees no more"
        copy.annotator_name = "Ada"
        mark_done(copy, all_recordings(copy.study)[0].id)
        seen = everything(copy)
        assert all(text in seen for text in (*hidden, "Talks over her", "Asks back"))
        assert find_chain(copy.study, reference) is not None
        copy.study.undo()
        assert "Talks over her" not in everything(copy)


def test_in_the_owners_study_each_trainee_sees_the_reference_once_done_and_figures_count_with_it(
    tmp_path: Path,
) -> None:
    with open_round(tmp_path) as session:
        first = all_recordings(session.study)[0].id
        reference = {segment.id for segment in all_segments(session.study)}
        assert len(reference) == 2
        session.annotator_name = "Ada"
        assert all_segments(session.study) == []
        mark(session, first, 1, 3, "So.")
        mark_done(session, first)
        assert len(all_segments(session.study)) == 3
        session.annotator_name = "Bo"
        assert not reference & {segment.id for segment in all_segments(session.study)}
        gate = read_gate(session)
        assert gate is not None
        ada = next(trainee for trainee in list_trainees(session) if trainee.name == "Ada")
        assert evaluate_training(session, ada, gate).figures["boundaries"] == pytest.approx(1 / 2)


def draw(session: Session, who: str, at: int, text: str) -> tuple[str, str]:
    """Let somebody draw a chain of two nodes in the n-th recording; returns its id and one of its nodes."""
    before, session.annotator_name = session.annotator_name, who
    chain_id, _ = chains.add_chain(session, all_recordings(session.study)[at].id, text)
    first, _ = chains.add_node(session, chain_id, NodeKind.EVENT, f"{text} begins", 0, 1_000_000)
    chains.add_node(session, chain_id, NodeKind.EVENT, f"{text} ends", 0, 1_000_000, reasons=[first])
    session.annotator_name = before
    return chain_id, first


def test_chains_of_the_reference_are_hidden_until_one_is_done_and_told_then(tmp_path: Path) -> None:
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
        with pytest.raises(UserError, match="no node"):
            chains.edit_node(session, node_id, text="seen")
        before = hidden_lanes(session.study)
        mark_done(session, first)
        changes: Changes = lane_visibility_changes(session.study, before ^ hidden_lanes(session.study))
        assert changes.ids("chain") == {chain_id}
        assert node_id in changes.ids("chain_node")
        assert find_chain(session.study, chain_id) is not None
        assert len(search.find_hits("Marigold")) == 3
        search.close()
