"""While somebody trains, the reference's segments are out of sight, whatever shows segments."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.agreement.annotator_lanes import list_annotators_of, read_marks
from annotate.interchange.document_export import build_document
from annotate.review.peer_review import build_recording_review, default_pair
from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import ChecklistItemKind, build_checklist
from annotate.review.text_search import StudySearch
from annotate.team.assignments import mark_done
from annotate.team.training_gate import TRAINING, evaluate_training, list_trainees, read_gate, require_training
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, find_segment, segment_counts, segments_of, values_in, values_of
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
    hits = [hit.as_json() for hit in search.find_hits("over OR back OR talks OR asks")]
    search.close()
    document = build_document(session, all_recordings(study), whole=True)
    ids = [annotator.id for annotator in all_annotators(study)]
    return repr(
        (
            all_segments(study),
            segments_of(study, first),
            segment_counts(study),
            values_in(study, first),
            [table.rows.values(), build_checklist(session, table).as_json()],
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


def test_a_figure_that_is_not_known_is_not_asked_for(tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        gate = read_gate(session)
        kept = gate.as_json()
        assert isinstance(kept, dict)
        with session.step("Another version's gate"):
            session.study.set_property(TRAINING, {**kept, "minimum": {"boundaries": 0.5, "politeness": 0.9}})
        again = read_gate(session)
        assert again.minimum == {"boundaries": 0.5}
        first, second, _ = all_recordings(session.study)
        session.annotator_name = "Ada"
        mark(session, first.id, 1, 3, "Interrupts.")
        mark(session, first.id, 5, 7, "Asks.")
        mark_done(session, first.id)
        require_training(session, second.id)
