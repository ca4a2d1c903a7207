from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from project.entities.study_records import (
    AudioFacts,
    Collection,
    ConsentUse,
    FaceTrack,
    FieldValue,
    MediaFacts,
    Medium,
    MediumRole,
    Participant,
    ParticipantRole,
    Recording,
    Run,
    VideoFacts,
)
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.queries import annotator_rows as annotators
from project.queries import face_rows as faces
from project.queries import history_rows as runs
from project.queries import recording_rows as recordings
from project.queries import segment_rows as segments
from tests.builders.small_study import Small

FACTS = MediaFacts(
    "mov,mp4",
    10_000_000,
    123,
    VideoFacts("h264", 1280, 720, 90, 29.97002997002997, True, 300, 1_700_000, 9_000_000, "yuv420p10le", 10),
    AudioFacts("aac", 48_000, 2, 0, 10_000_000),
)


def medium(recording_id: str, role: MediumRole = MediumRole.MAIN, position: int = 0, path: str = "a/b.mp4") -> Medium:
    return Medium(new_id(), recording_id, role, position, -5, path, "fp", FACTS)


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


def test_collections(small: Small) -> None:
    other = Collection(new_id(), "Zoo")
    with small.study.step("x"):
        recordings.insert_collection(small.study, other)
        recordings.update_collection(small.study, replace(other, agent_context="A keeper"))
    assert recordings.all_collections(small.study) == [small.collection, replace(other, agent_context="A keeper")]
    with small.study.step("x"):
        recordings.delete_collection(small.study, other.id)
        with pytest.raises(UserError, match="still holds"):
            recordings.delete_collection(small.study, small.collection.id)
    assert recordings.all_collections(small.study) == [small.collection]


def test_recordings(small: Small) -> None:
    assert recordings.next_number(small.study) == 2
    other = Recording(new_id(), small.collection.id, 7, "Second", 0)
    with small.study.step("x"):
        recordings.insert_recording(small.study, other)
        recordings.update_recording(small.study, replace(other, name="2nd"))
    assert recordings.all_recordings(small.study) == [small.recording, replace(other, name="2nd")]
    assert recordings.find_recording(small.study, other.id) == replace(other, name="2nd")
    assert recordings.find_recording(small.study, "?") is None
    assert annotators.annotator_by_name(small.study, "Anna") == small.annotator
    assert annotators.annotator_by_name(small.study, "anna") is None
    assert recordings.next_number(small.study) == 8


def test_media(small: Small) -> None:
    here = small.recording.id
    camera, second, main = medium(here, MediumRole.CAMERA), medium(here, MediumRole.CHAPTER, 1), medium(here)
    first = medium(here, MediumRole.CHAPTER)
    silent = replace(first, facts=replace(FACTS, audio=None))
    with small.study.step("x"):
        for each_medium in (camera, second, main, first):
            recordings.insert_medium(small.study, each_medium)
        recordings.update_medium(small.study, silent)
    assert recordings.media_of(small.study, here) == [main, camera, silent, second]
    assert recordings.all_media(small.study) == [main, camera, silent, second]
    assert recordings.media_of(small.study, "?") == []
    with small.study.step("x"), pytest.raises(UserError, match="not valid text"):
        recordings.insert_medium(small.study, medium(here, path="a\udcff.mp4"))


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


@pytest.mark.parametrize(("start", "end"), [(5, 5), (6, 5), (-1, 5)])
def test_a_segment_is_a_span(small: Small, start: int, end: int) -> None:
    added = small.add()
    for write in (segments.insert_segment, segments.update_segment):
        with small.study.step("x"), pytest.raises(UserError):
            write(small.study, replace(added, start_us=start, end_us=end))


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


@pytest.mark.parametrize("sql", ["UPDATE run SET kind = 'x'", "DELETE FROM run", "UPDATE face_track SET position = 9"])
def test_what_a_run_stored_is_never_changed(small: Small, sql: str) -> None:
    stored_run(small, track(1))
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        small.study._connection.execute(sql)


def test_tracks_with_corrections(small: Small) -> None:
    here, user = small.recording.id, Participant(new_id(), "P1", ParticipantRole.USER)
    first, second, superseded = track(300), track(1), track(4)
    for at, found in (("2026-01-01", [superseded]), ("2026-01-02", [first, second])):
        with small.study.run_transaction():
            one_run = run(here, at)
            runs.insert_run(small.study, one_run)
            faces.insert_tracks(small.study, one_run.id, "m", found)
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


def test_naming_a_face_that_nobody_was_is_an_edit_like_any_other(small: Small) -> None:
    here, user, found = small.recording.id, Participant(new_id(), "P1", ParticipantRole.USER), track(2)
    with small.study.run_transaction():
        one_run = run(here, "2026-01-01")
        runs.insert_run(small.study, one_run)
        faces.insert_tracks(small.study, one_run.id, "m", [found])
    with small.study.step("Add"):
        recordings.insert_participant(small.study, user)
        faces.set_dismissed(small.study, found.id, False)
    for who in (user.id, None):
        with small.study.step("Name") as step:
            faces.assign_participant(small.study, found.id, who)
        assert step.changes.ids("track_correction") == {found.id}
    for who in (user.id, None):
        small.study.undo()
        assert faces.tracks_of(small.study, here)[0].participant_id == who


@pytest.mark.parametrize("change", [lambda one: one.boxes[:1], lambda one: one.boxes[:, :3]])
def test_arrays_of_another_length_are_refused(small: Small, change: Callable[[FaceTrack], object]) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        stored_run(small, replace(track(2), boxes=change(track(2))))
    assert runs.runs_of(small.study, small.recording.id) == [], "a run that fails leaves nothing"
