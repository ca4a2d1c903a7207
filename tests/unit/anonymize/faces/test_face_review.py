"""Reviewing faces: what is left, one step an edit, and a review that is refused, recorded, revoked and restored."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.study import people as participants
from annotate.study import recording_edits as history
from anonymize.faces import face_review_edits as review
from anonymize.faces import text_regions_job as text_regions
from anonymize.faces.face_review import FaceSheet, build_face_sheet
from anonymize.masking.mask_coverage import Cover, ReviewReason
from models.text_regions.text_detectors import StaticTextRegion
from project.entities.face_regions import Keyframe, RegionKind
from project.entities.study_records import ParticipantRole
from project.errors import UserError
from project.progress import Silent
from project.queries.face_rows import regions_of, seen_spans
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.face_study import FRAMES, found_faces, only_recording, open_lab
from tests.builders.text_network import install_text_network

FRAME = 40_000
BOX = (50.0, 40.0, 30.0, 36.0)
HERE = Keyframe(0, 100, 60, 20, 20)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as session:
        yield session


def seen_now(lab: Session) -> FaceSheet:
    return build_face_sheet(lab, only_recording(lab))


def test_before_faces_were_looked_for_nothing_can_be_reviewed(lab: Session) -> None:
    assert [place.reason for place in seen_now(lab).pending] == [ReviewReason.UNSEARCHED]
    with pytest.raises(UserError, match="not been tracked yet"):
        review.mark_reviewed(lab, only_recording(lab))


def test_a_review_is_refused_with_the_count_until_every_place_was_seen(lab: Session) -> None:
    here = only_recording(lab)
    found_faces(lab, [BOX])
    review.add_region(lab, here, RegionKind.FACE, Keyframe(2 * FRAME, 90, 20, 30, 30), 3 * FRAME)
    found = seen_now(lab)
    assert found.count(Cover.UNCERTAIN) == 1
    with pytest.raises(UserError, match="1 uncertain place left"):
        review.mark_reviewed(lab, here)
    review.mark_seen(lab, here, [(place.start_us, place.end_us) for place in found.pending])
    assert seen_now(lab).pending_text() == "1 undecided track (hidden), to mark it as reviewed"
    review.mark_reviewed(lab, here)
    assert [face_review.annotator_id for face_review in seen_now(lab).reviews] == [lab.annotator().id]


def test_any_later_change_revokes_a_review_and_undoing_it_brings_it_back(lab: Session) -> None:
    here = only_recording(lab)
    found_faces(lab, [BOX])
    (track,) = seen_now(lab).tracks
    review.mark_reviewed(lab, here)
    edits = [
        lambda: review.dismiss_faces(lab, [track.id]),
        lambda: review.add_region(lab, here, RegionKind.AREA, HERE, FRAMES * FRAME),
        lambda: review.set_track_box(lab, here, track.id, Keyframe(0, 1, 2, 30, 30)),
    ]
    for edit in edits:
        edit()
        assert seen_now(lab).reviews == []
        assert len(seen_now(lab).revoked) == 1
        history.undo(lab)
        assert len(seen_now(lab).reviews) == 1
    review.withdraw_review(lab, here)
    assert seen_now(lab).revoked == []
    with pytest.raises(UserError, match="decisions can be withdrawn"):
        review.withdraw_review(lab, here)


def test_what_was_seen_before_a_new_run_was_not_seen_in_it(lab: Session) -> None:
    here = only_recording(lab)
    review.mark_seen(lab, here, [(0, FRAMES * FRAME)])
    assert seen_now(lab).count(Cover.UNCOVERED) == 1
    found_faces(lab, [BOX])
    review.add_region(lab, here, RegionKind.FACE, Keyframe(2 * FRAME, 90, 20, 30, 30), 3 * FRAME)
    assert len(seen_now(lab).pending) == 1
    review.mark_seen(lab, here, [(0, FRAMES * FRAME)])
    assert seen_now(lab).pending == []
    assert len(seen_spans(lab.study, here)) == 1
    history.undo(lab)
    assert len(seen_now(lab).pending) == 1


def test_a_region_is_moved_named_shortened_assigned_and_deleted(lab: Session) -> None:
    here = only_recording(lab)
    key, _ = review.add_region(lab, here, RegionKind.AREA, HERE, 10**12, label=" a  badge ")
    (made,) = regions_of(lab.study, here)
    assert (made.label, made.start_us, made.end_us) == ("a badge", 0, lab.recording(here).duration_us)
    with pytest.raises(UserError, match="Only a face"):
        review.assign_faces(lab, [], None, [key])
    review.change_region(lab, key, kind=RegionKind.FACE, label="Bo", start_us=FRAME, end_us=3 * FRAME)
    review.set_region_box(lab, key, Keyframe(4 * FRAME, 10, 10, 20, 20))
    (moved,) = regions_of(lab.study, here)
    assert (moved.kind, moved.label, moved.start_us, moved.end_us) == (RegionKind.FACE, "Bo", FRAME, 4 * FRAME + 1)
    assert len(moved.keyframes) == 2
    who, _ = participants.add_participant(lab, "P01", ParticipantRole.USER)
    review.assign_faces(lab, [], who, [key])
    assert regions_of(lab.study, here)[0].participant_id == who
    review.delete_region_box(lab, key, 4 * FRAME)
    with pytest.raises(UserError, match="only keyframe"):
        review.delete_region_box(lab, key, 0)
    review.delete_region(lab, key)
    assert regions_of(lab.study, here) == []
    history.undo(lab)
    assert len(regions_of(lab.study, here)) == 1


def test_text_that_a_run_found_is_suggested_until_an_area_masks_it(lab: Session, tmp_path: Path) -> None:
    here = only_recording(lab)
    install_text_network(tmp_path)
    work = text_regions.prepare(lab, here)
    result, changes = run_inline(lab, work, Silent())
    assert result.looks == 1
    assert len(changes.ids("run")) == 1
    found = StaticTextRegion((10, 12, 40, 8), 0, 80_000, 2, 0.9)
    text_regions.store(lab, work, replace(result, areas=(found, replace(found, box=(80, 90, 30, 10)))))
    first, second = text_regions.suggested_areas(lab, here)
    assert (first.box, first.start_us, first.end_us) == ((10, 12, 40, 8), 0, 80_000)
    review.add_areas(lab, here, [(Keyframe(0, *first.box), first.end_us)], "text")
    assert text_regions.suggested_areas(lab, here) == [second]
    assert [(region.kind, region.label) for region in regions_of(lab.study, here)] == [(RegionKind.AREA, "text")]
    history.undo(lab)
    assert len(text_regions.suggested_areas(lab, here)) == 2
