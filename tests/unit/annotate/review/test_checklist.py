"""The checklist names what is to be done, and nothing once it is done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.review.peer_review import review_segment
from annotate.review.segment_table import SegmentTable
from annotate.review.study_progress import ChecklistItemKind, ReviewsWaiting, build_checklist
from annotate.segments.bulk_edits import add_comment, resolve_comments
from annotate.segments.segment_edits import add_segment, set_field
from project.entities.study_records import Annotator, Assignment, ReviewDecision, WorkPurpose
from project.queries.annotator_rows import set_assignments, set_completed
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import unresolved_comments
from project.session.session import Session
from tests.builders.random_edits import FIRST, SECOND, open_lab


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path, recordings=2, segments=0) as opened:
        yield opened


def tasks(session: Session, name: str) -> list[tuple[ChecklistItemKind, str, str | None]]:
    table = SegmentTable(session)
    who = person(table, name)
    return [(task.kind, task.text, task.segment_id) for task in build_checklist(session, table, [who]).tasks]


def person(table: SegmentTable, name: str) -> Annotator:
    return next(annotator for annotator in table.annotators.values() if annotator.name == name)


def test_from_a_plan_to_nothing_left(session: Session) -> None:
    first, second = all_recordings(session.study)
    people = SegmentTable(session).annotators
    assert tasks(session, FIRST) == []
    with session.step("Plan"):
        set_assignments(session.study, [Assignment(first.id, person) for person in people])
    assert [kind for kind, _, _ in tasks(session, FIRST)] == [ChecklistItemKind.EMPTY]

    made, _ = add_segment(session, first.id, 1_000_000, 2_000_000, "competence", {"channel": "verbal"})
    found = tasks(session, FIRST)
    assert [kind for kind, _, _ in found] == [ChecklistItemKind.INCOMPLETE, ChecklistItemKind.OPEN]
    assert found[0] == (ChecklistItemKind.INCOMPLETE, "Attributes is missing. Rationale is missing.", made)
    set_field(session, made, "attributes", ["norms"])
    set_field(session, made, "rationale", "It waits.")
    assert [kind for kind, _, _ in tasks(session, FIRST)] == [ChecklistItemKind.OPEN]

    session.annotator_name = SECOND
    add_comment(session, made, "Really?")
    assert tasks(session, FIRST)[0] == (ChecklistItemKind.COMMENT, f"{SECOND}: Really?", made)
    resolve_comments(session, [unresolved_comment.id for unresolved_comment in unresolved_comments(session.study)])
    with session.step("Done"):
        for person in people:
            set_completed(session.study, first.id, person, "2026-01-01T00:00:00.000Z")
    assert tasks(session, FIRST) == []
    assert tasks(session, SECOND) == [
        (ChecklistItemKind.REVIEW, f"1 segment of {FIRST} to agree or disagree with.", None)
    ]
    review_segment(session, made, ReviewDecision.AGREE)
    assert tasks(session, SECOND) == []
    assert second.number == 2


def test_reviews_that_were_found_before_are_found_anew_where_something_changed(session: Session) -> None:
    recording = all_recordings(session.study)[0]
    table, reviews = SegmentTable(session), ReviewsWaiting(session)
    own, changes = add_segment(session, recording.id, 1_000_000, 2_000_000, "error")
    table.apply(changes)
    with session.step("Done") as step:
        for annotator in table.annotators:
            set_completed(session.study, recording.id, annotator, "2026-01-01T00:00:00.000Z")
    table.apply(step.changes)
    assert [item.annotator.name for item in reviews.find_pending(table)] == [SECOND]
    assert [*reviews.find_pending(table)] == [*ReviewsWaiting(session).find_pending(table)]
    session.annotator_name = SECOND
    table.apply(review_segment(session, own, ReviewDecision.DISAGREE))
    assert [*reviews.find_pending(table)] == []
    table.apply(session.study.undo())
    assert [item.annotator.name for item in reviews.find_pending(table)] == [SECOND]


def test_in_json_everybody_is_counted(session: Session) -> None:
    recording = all_recordings(session.study)[0]
    add_segment(session, recording.id, 1_000_000, 2_000_000, "error")
    found = build_checklist(session, SegmentTable(session))
    said = found.as_json()
    people = said["annotators"]
    assert isinstance(people, list)
    assert [person["incomplete"] for person in people if isinstance(person, dict)] == [1, 0]
    assert f"{SECOND}: nothing to do" in found.as_text()
    assert "recording 1, 0:00:01.000" in found.as_text()


def test_training_is_not_reviewed(session: Session) -> None:
    recording = all_recordings(session.study)[0]
    add_segment(session, recording.id, 1_000_000, 2_000_000, "error")
    people = SegmentTable(session).annotators
    with session.step("Train"):
        set_assignments(session.study, [Assignment(recording.id, person, WorkPurpose.TRAINING) for person in people])
        for person in people:
            set_completed(session.study, recording.id, person, "2026-01-01T00:00:00.000Z")
    assert tasks(session, SECOND) == []
