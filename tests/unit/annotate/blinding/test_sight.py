"""While somebody trains, the reference's segments and chains are out of sight, whatever shows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.agreement.annotator_lanes import list_annotators_of, read_marks
from annotate.chains import chain_edits as chains
from annotate.interchange.document_export import build_document
from annotate.review.peer_review import build_recording_review, default_pair
from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import ChecklistItemKind, build_checklist
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


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Session]:
    with open_round(tmp_path) as session:
        yield session


@pytest.fixture
def copy(study: Session) -> Iterator[Session]:
    with Session.open(copy_for(study, "Ada")) as session:
        yield session


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


def test_nothing_of_the_reference_is_seen_before_the_training_is_done(study: Session, copy: Session) -> None:
    assert copy.annotator_name == "Ada", "the copy knows whose it is"
    hidden = [segment.id for segment in all_segments(study.study)]
    assert len(hidden) == 2
    seen = everything(copy)
    assert not [text for text in (*hidden, "Talks over her", "Asks back") if text in seen]
    assert find_segment(copy.study, hidden[0]) is None
    assert values_of(copy.study, hidden[0]) == {}

    first = all_recordings(copy.study)[0].id
    mark_done(copy, first)
    seen = everything(copy)
    assert all(text in seen for text in (*hidden, "Talks over her", "Asks back"))
    copy.study.undo()
    assert "Talks over her" not in everything(copy)


def test_another_name_in_the_copy_sees_no_more(study: Session, copy: Session) -> None:
    copy.annotator_name = "Olga"
    assert all_segments(copy.study) == []


def test_the_owner_sees_all_and_who_trains_in_the_owners_study_does_not(study: Session) -> None:
    assert len(all_segments(study.study)) == 2
    study.annotator_name = "Bo"
    assert all_segments(study.study) == []
    study.annotator_name = "Olga"
    assert len(all_segments(study.study)) == 2


def test_the_reference_stays_hidden_until_one_is_done_oneself(study: Session) -> None:
    study.annotator_name = "Ada"
    mark_done(study, all_recordings(study.study)[0].id)
    assert len(all_segments(study.study)) == 2
    study.annotator_name = "Bo"
    assert all_segments(study.study) == []


def test_figures_are_computed_with_what_is_out_of_sight(study: Session) -> None:
    first = all_recordings(study.study)[0].id
    study.annotator_name = "Ada"
    mark(study, first, 1, 3, "So.")
    mark_done(study, first)
    study.annotator_name = "Bo"
    gate = read_gate(study)
    assert gate is not None
    ada = next(trainee for trainee in list_trainees(study) if trainee.name == "Ada")
    assert evaluate_training(study, ada, gate).figures["boundaries"] == pytest.approx(1 / 2)


def test_the_command_line_hides_it_too(study: Session, copy: Session, capsys: pytest.CaptureFixture[str]) -> None:
    greenroom = Terminal(capsys)
    path = copy.study.path
    copy.close()
    assert greenroom.json("segment", "list", path)["segments"] == []
    out = path.parent / "all.jsonl"
    greenroom("export", path, "--format", "jsonl", "--out", out)
    assert "Talks over her" not in out.read_text("utf-8")
    greenroom("done", path, "--recording", "1", "--annotator", "Ada")
    assert len(greenroom.json("segment", "list", path)["segments"]) == 2


def test_the_checklist_has_no_reviews_of_what_people_train_on(study: Session) -> None:
    first, second = (recording.id for recording in all_recordings(study.study)[:2])
    for who in ("Ada", "Bo"):
        study.annotator_name = who
        mark(study, first, 1, 3, f"{who} says so.", "error" if who == "Ada" else "competence")
        mark_done(study, first)
    for who, seconds in (("Ada", 1), ("Bo", 5)):
        # The training is over: both may work.
        study.annotator_name = who
        end = study.study.get_property("training")
        with study.study.step("End"):
            study.study.set_property("training", None)
        mark(study, second, seconds, seconds + 1, f"{who} again.")
        mark_done(study, second)
        with study.study.step("Begin"):
            study.study.set_property("training", end)
    found = build_checklist(study, SegmentTable(study))
    waiting = [
        (task.annotator.name, task.recording.number, task.count)
        for task in found.tasks
        if task.kind is ChecklistItemKind.REVIEW
    ]
    assert waiting == [("Ada", 2, 1), ("Bo", 2, 1)]
    ada = next(annotator for annotator in found.annotators if annotator.name == "Ada")
    study.annotator_name = "Ada"
    pair = default_pair(study, second)
    assert pair is not None
    assert (
        found.counts(ada)[ChecklistItemKind.REVIEW]
        == build_recording_review(study, second, *pair).progress(ada.id).total
    )
    assert default_pair(study, first) is None


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
