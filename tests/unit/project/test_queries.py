from dataclasses import replace

import numpy as np
import pytest

from project.entities.study_records import (
    ConsentUse,
    FaceTrack,
    FieldValue,
    Participant,
    ParticipantRole,
    Run,
)
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.queries import face_rows as faces
from project.queries import history_rows as runs
from project.queries import recording_rows as recordings
from project.queries import segment_rows as segments
from tests.builders.small_study import Small


def track(count: int) -> FaceTrack:
    chance = np.random.default_rng(count)
    return FaceTrack(
        new_id(),
        np.arange(count, dtype=np.int32) * 3,
        np.arange(count, dtype=np.int64) * 33_366_700_000,
        np.abs(chance.normal(size=(count, 4))).astype(np.float32),
        chance.random(count).astype(np.float32),
        chance.integers(0, 3, count).astype(np.uint8),
    )


def run(recording_id: str, finished_at: str, kind: str = "faces") -> Run:
    return Run(new_id(), recording_id, kind, "centerface", {"threshold": 0.1}, {"frames": 3}, finished_at, "0.1")


def stored_run(small: Small, *found: FaceTrack, at: str = "2026-01-01") -> Run:
    made = run(small.recording.id, at)
    with small.study.run_transaction():
        runs.insert_run(small.study, made)
        faces.insert_tracks(small.study, made.id, "m", found)
    return made


def test_a_collection_that_holds_recordings_stays(small: Small) -> None:
    with small.study.step("x"), pytest.raises(UserError, match="not empty"):
        recordings.delete_collection(small.study, small.collection.id)
    assert recordings.all_collections(small.study) == [small.collection]


def test_participants(small: Small) -> None:
    robot = Participant(new_id(), "Robo", ParticipantRole.ROBOT)
    user = Participant(new_id(), "P1", ParticipantRole.USER, "left")
    with small.study.step("x"):
        recordings.insert_participant(small.study, robot)
        recordings.insert_participant(small.study, replace(user, note=""))
        recordings.update_participant(small.study, user)
        for present in (True, True):
            recordings.set_appearance(small.study, small.recording.id, user.id, present)
        recordings.set_appearance(small.study, small.recording.id, robot.id, True)
        recordings.set_appearance(small.study, small.recording.id, robot.id, False)
    assert recordings.all_participants(small.study) == [robot, user]
    assert recordings.participants_in(small.study, small.recording.id) == [user]
    assert recordings.consents(small.study, user.id) == dict.fromkeys(ConsentUse, False)
    with small.study.step("x"):
        recordings.set_consent(small.study, user.id, ConsentUse.RELEASE, True)
        recordings.set_consent(small.study, user.id, ConsentUse.MODELS, True)
        recordings.set_consent(small.study, user.id, ConsentUse.MODELS, False)
    given = recordings.consents(small.study, user.id)
    assert given == {ConsentUse.ANNOTATE: False, ConsentUse.RELEASE: True, ConsentUse.MODELS: False}
    with small.study.step("x"):
        recordings.PARTICIPANTS.delete_tree(small.study, user.id)
    assert recordings.all_participants(small.study) == [robot]
    small.study.undo()
    assert recordings.participants_in(small.study, small.recording.id) == [user]
    assert recordings.consents(small.study, user.id) == given


def test_segments_and_their_values(small: Small) -> None:
    late, early = small.add(5, 9), small.add(1, 9)
    assert segments.segments_of(small.study, small.recording.id) == [early, late]
    assert segments.all_segments(small.study) == [early, late]
    assert segments.find_segment(small.study, "?") is None
    assert segments.segment_counts(small.study) == {small.recording.id: {small.annotator.id: 2}}

    def value(version: int, text: str | None, scheme: str = "shrec", field: str = "rationale") -> FieldValue:
        return FieldValue(late.id, scheme, version, field, text)

    with small.study.step("x") as step:
        for new in (value(2, "new"), value(1, "old"), value(1, "?", "other"), value(1, "verbal", field="channel")):
            segments.set_value(small.study, new)
    assert step.changes.ids("segment_value") == {late.id}
    expected = {"rationale": "new", "channel": "verbal"}
    assert segments.values_of(small.study, late.id) == expected
    assert segments.values_of(small.study, late.id, "other") == {"rationale": "?"}
    assert segments.values_in(small.study, small.recording.id) == {late.id: expected}
    with small.study.step("x"):
        segments.set_value(small.study, value(2, None))
    assert set(segments.values_of(small.study, late.id)) == {"channel"}
    with small.study.step("Delete"):
        segments.delete_segments(small.study, late.id)
    assert small.study.row("SELECT count(*) FROM segment_value") == (0,)
    small.study.undo()
    small.study.undo()
    assert segments.values_of(small.study, late.id) == expected


def test_a_segment_lies_in_its_recording_and_ends_no_earlier_than_it_starts(small: Small) -> None:
    added = small.add()
    for start, end in ((5, 4), (-1, 5)):
        with small.study.step("x"), pytest.raises(UserError):
            segments.update_segment(small.study, replace(added, start_us=start, end_us=end))


def test_runs_are_newest_first_and_outside_the_history(small: Small) -> None:
    here = small.recording.id
    old, new, other = run(here, "2026-01-01"), run(here, "2026-01-02"), run(here, "2026-01-03", "anonymize")
    with small.study.run_transaction():
        for one_run in (new, old, other):
            runs.insert_run(small.study, one_run)
    assert runs.runs_of(small.study, here) == [other, new, old]
    assert runs.runs_of(small.study, here, "faces") == [new, old]
    assert runs.latest_run(small.study, here, "faces") == new
    assert runs.latest_run(small.study, here, "speech") is None
    assert small.study.undo_name is None
    with pytest.raises(RuntimeError), small.study.step("x"):
        runs.insert_run(small.study, run(here, "2026-01-04"))
    stored_run(small, track(1))
    for sql in ("UPDATE run SET kind = 'x'", "DELETE FROM run", "UPDATE face_track SET position = 9"):
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            small.study._connection.execute(sql)


def test_tracks_with_corrections(small: Small) -> None:
    here, user = small.recording.id, Participant(new_id(), "P1", ParticipantRole.USER)
    first, second, superseded = track(300), track(1), track(4)
    stored_run(small, superseded)
    stored_run(small, first, second, at="2026-01-02")
    with small.study.step("Name") as step:
        recordings.insert_participant(small.study, user)
        faces.assign_participant(small.study, first.id, user.id)
        faces.set_dismissed(small.study, first.id, True)
        faces.set_dismissed(small.study, second.id, True)
        faces.set_dismissed(small.study, second.id, False)
    assert step.changes.ids("track_correction") == {first.id, second.id}
    read = faces.tracks_of(small.study, here)
    assert [(face_track.id, face_track.participant_id, face_track.dismissed) for face_track in read] == [
        (first.id, user.id, True),
        (second.id, None, False),
    ]
    for written, found in zip((first, second), read, strict=True):
        for name in ("frames", "times_us", "boxes", "scores", "origins"):
            before, after = getattr(written, name), getattr(found, name)
            assert before.dtype == after.dtype
            assert before.shape == after.shape
            np.testing.assert_array_equal(before, after)
    with small.study.step("x"):
        recordings.PARTICIPANTS.delete_tree(small.study, user.id)
    assert faces.tracks_of(small.study, here)[0].participant_id is None
    small.study.undo()
    small.study.undo()
    assert [face_track.dismissed for face_track in faces.tracks_of(small.study, here)] == [False, False]
    assert faces.tracks_of(small.study, "?") == []


def test_arrays_of_another_length_are_refused(small: Small) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        stored_run(small, replace(track(2), boxes=track(2).boxes[:, :3]))
    assert runs.runs_of(small.study, small.recording.id) == [], "a run that fails leaves nothing"
