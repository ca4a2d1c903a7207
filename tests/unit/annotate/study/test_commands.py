"""Edits of recordings, people and segments, and what hold-outs and consent say about every use of a recording."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments import segment_edits as segments
from annotate.study import people as participants
from annotate.study import recording_edits as recordings
from annotate.study import recording_files as synchronizing
from annotate.study.leave_permission import LeaveUse, may_leave
from annotate.study.people import add_participant, set_appearance, set_consent
from annotate.study.recording_edits import (
    add_medium,
    add_recordings,
    probe_file,
    undo,
)
from annotate.team.assignments import hold_out
from project.entities.study_records import ConsentUse, Json, MediumRole, ParticipantRole, Verdict
from project.errors import UserError
from project.progress import Silent
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_collections, all_participants, consents, media_of, participants_in
from project.queries.segment_rows import find_segment, segments_of, values_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.face_study import only_recording, open_lab
from tests.builders.terminal import Terminal


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


@pytest.fixture
def here(session: Session) -> str:
    return only_recording(session)


def test_consent_is_denied_until_given_and_again_when_withdrawn(session: Session, here: str) -> None:
    added, changes = participants.add_participant(session, " P01 ", ParticipantRole.USER, here)
    assert changes.ids("participant") == {added}
    (person,) = participants_in(session.study, here)
    assert (person.id, person.pseudonym) == (added, "P01")
    assert consents(session.study, added) == dict.fromkeys(ConsentUse, False)
    participants.set_consent(session, person, ConsentUse.RELEASE, True)
    assert consents(session.study, added) == {**dict.fromkeys(ConsentUse, False), ConsentUse.RELEASE: True}
    participants.set_consent(session, person, ConsentUse.RELEASE, False)
    assert consents(session.study, added) == dict.fromkeys(ConsentUse, False)
    assert undo(session).name == "Withdraw consent of P01 to release"
    assert consents(session.study, added)[ConsentUse.RELEASE]


def test_a_pseudonym_is_there_and_nobody_else_s(session: Session) -> None:
    participants.add_participant(session, "P01", ParticipantRole.USER)
    for pseudonym in ("  ", " P01", "P\t2", "P\u202e2"):
        with pytest.raises(UserError):
            participants.add_participant(session, pseudonym, ParticipantRole.ROBOT)
    assert len(all_participants(session.study)) == 1


def test_further_files_join_a_recording_in_order(session: Session, here: str, tmp_path: Path) -> None:
    chapters = [make_clip(tmp_path / f"chapter {n}.mp4", size=(64, 48), frames=4 + n) for n in range(2)]
    for chapter in chapters:
        recordings.add_medium(session, here, recordings.probe_file(chapter), MediumRole.CHAPTER, 240_000)
    found = [m for m in media_of(session.study, here) if m.role is MediumRole.CHAPTER]
    assert [(m.path, m.position, m.offset_us) for m in found] == [
        ("chapter 0.mp4", 0, 240_000),
        ("chapter 1.mp4", 1, 240_000),
    ]
    with pytest.raises(UserError, match="already has a main file"):
        recordings.add_medium(session, here, recordings.probe_file(chapters[0]), MediumRole.MAIN)
    main, first, _ = media_of(session.study, here)
    assert recordings.move_medium(session, here, first.id, -1_250_000).ids("medium") == {first.id}
    assert [m.offset_us for m in media_of(session.study, here)] == [main.offset_us, -1_250_000, 240_000]
    with pytest.raises(UserError):
        recordings.move_medium(session, here, main.id, 5)
    for _ in range(3):
        undo(session)
    assert [m.role for m in media_of(session.study, here)] == [MediumRole.MAIN]


def test_a_recording_has_a_name_and_a_collection_which_goes_when_it_is_empty(session: Session, here: str) -> None:
    recordings.rename_recording(session, here, " Kitchen ")
    assert session.recording(here).name == "Kitchen"
    for wrong in (recordings.rename_recording, recordings.move_recording):
        with pytest.raises(UserError):
            wrong(session, here, "  ")
    (before,) = all_collections(session.study)
    recordings.move_recording(session, here, " Coach ")
    (home,) = all_collections(session.study)
    recordings.describe_collection(session, home.id, home.name, "wellness coach robot")
    (home,) = all_collections(session.study)
    assert (home.name, home.agent_context) == ("Coach", "wellness coach robot")
    with pytest.raises(UserError):
        recordings.describe_collection(session, home.id, "", "")
    for _ in range(3):
        undo(session)
    assert all_collections(session.study) == [before]
    assert session.recording(here).name == "walk"


def test_splitting_keeps_the_values_on_both_sides(session: Session, here: str) -> None:
    given: dict[str, Json] = {"attributes": ["norms"], "rationale": "So.", "correction": "Wait."}
    first, _ = segments.add_segment(session, here, 0, 200_000, Verdict.ERROR, {**given})
    second, _ = segments.split_segment(session, first, 80_000)
    assert [(s.start_us, s.end_us) for s in segments_of(session.study, here)] == [(0, 80_000), (80_000, 200_000)]
    for part in (first, second):
        assert values_of(session.study, part) == given
    for outside in (80_000, 80_500, 200_000, 300_000):
        with pytest.raises(UserError, match="playhead"):
            segments.split_segment(session, second, outside)
    undo(session)
    assert [(s.start_us, s.end_us) for s in segments_of(session.study, here)] == [(0, 200_000)]


@pytest.mark.parametrize("span", [(-1, 40_000), (40_000, 40_999), (0, 10**9)])
def test_a_segment_lies_in_its_recording_and_lasts_and_several_move_in_one_step(
    session: Session, here: str, span: tuple[int, int]
) -> None:
    kept, other = (segments.add_segment(session, here, at, at + 40_000, Verdict.ERROR)[0] for at in (0, 80_000))
    for act in (
        lambda: segments.add_segment(session, here, *span, Verdict.ERROR),
        lambda: segments.move_segments(session, [(other, 120_000, 160_000), (kept, *span)]),
        lambda: segments.edit_segment(session, kept, start_us=span[0], end_us=span[1]),
    ):
        with pytest.raises(UserError):
            act()
    assert [(s.start_us, s.end_us) for s in segments_of(session.study, here)] == [(0, 40_000), (80_000, 120_000)]
    segments.move_segments(session, [(kept, 40_000, 80_000), (other, 120_000, 160_000)])
    assert [s.start_us for s in segments_of(session.study, here)] == [40_000, 120_000]
    assert undo(session).name == "Move 2 segments"
    assert [s.start_us for s in segments_of(session.study, here)] == [0, 80_000]


def test_what_only_errors_have_is_kept_while_the_verdict_is_another(session: Session, here: str) -> None:
    text, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR, {"correction": "Wait."})
    segments.set_label(session, [text], Verdict.COMPETENCE)
    with pytest.raises(UserError, match="does not apply"):
        segments.set_field(session, text, "correction", "Stop.")
    segments.set_label(session, [text], Verdict.ERROR)
    assert values_of(session.study, text)["correction"] == "Wait."
    segments.set_field(session, text, "correction", "")
    assert "correction" not in values_of(session.study, text)


def test_a_second_session_reads_and_every_edit_is_refused(session: Session, here: str) -> None:
    text, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR)
    with Session.open(session.study.path, "Bo") as second:
        for act in (
            lambda: segments.delete_segments(second, [text]),
            lambda: segments.set_field(second, text, "rationale", "x"),
            lambda: participants.add_participant(second, "P01", ParticipantRole.USER),
            lambda: undo(second),
        ):
            with pytest.raises(UserError, match="read-only"):
                act()
        assert [a.name for a in all_annotators(second.study)] == ["Ada"]
    assert find_segment(session.study, text) is not None


def test_the_same_footage_is_added_once(session: Session, tmp_path: Path) -> None:
    path = make_clip(tmp_path / "one.mp4", size=(64, 48), frames=3)
    two = tmp_path / "two.mp4"
    two.write_bytes(path.read_bytes())
    with pytest.raises(UserError, match=r"two\.mp4 has the same content as one\.mp4"):
        recordings.add_recordings(session, [recordings.probe_file(path), recordings.probe_file(two)])
    recordings.add_recordings(session, [recordings.probe_file(path)])
    with pytest.raises(UserError, match="already in the study, as recording 2"):
        recordings.add_recordings(session, [recordings.probe_file(two)])


def test_the_offset_of_a_further_file_is_found_and_one_that_is_named_is_moved(
    tmp_path: Path, greenroom: Terminal
) -> None:
    main = make_clip(tmp_path / "main.mp4", size=(64, 48), frames=50, fps=10, sound=True)
    late = make_clip(tmp_path / "side.mp4", size=(64, 48), frames=50, fps=10, sound=True, sound_offset_us=700_000)
    silent = make_clip(tmp_path / "silent.mp4", size=(64, 48), frames=10)
    study = tmp_path / "lab.greenroom"
    with Session(Study.create(study), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(main)])
        for file in (late, silent):
            add_medium(session, recording, probe_file(file), MediumRole.CAMERA)
        first, camera, mute = media_of(session.study, recording)
        for medium, said in ((first.id, "main file"), ("nothing", "no longer"), (mute.id, "no sound")):
            with pytest.raises(UserError, match=said):
                synchronizing.prepare(session, recording, medium)
        undo_name = session.study.undo_name
        run_inline(session, synchronizing.prepare(session, recording, camera.id), Silent())
        found = synchronizing.latest_sync_result(session, camera)
        assert found.sure
        assert found.offset_us == pytest.approx(-700_000, abs=1500)
        assert media_of(session.study, recording)[1].offset_us == 0
        assert session.study.undo_name == undo_name
    added = ("recording", "add-view", study, "--recording", "1", late, "--role", "microphone", "--offset")
    assert "not a time" in greenroom(*added, "soon", code=2)
    made = greenroom.json(*added, "-0:02.5")
    assert made["offset_s"] == -2.5
    (moved,) = greenroom.json("recording", "sync", study, "--recording", "1", "--medium", made["id"], "--apply")[
        "media"
    ]
    assert moved["applied"]
    assert moved["offset_s"] == pytest.approx(-0.7, abs=0.002)
    with Session.open(study, "Ada") as session:
        offsets = {medium.id: medium.offset_us for medium in media_of(session.study, recording)}
        assert offsets[made["id"]] == pytest.approx(-700_000, abs=1500)
        assert offsets[camera.id] == 0, "only the one that was named is moved"
        undo(session)
        assert {medium.offset_us for medium in media_of(session.study, recording)} == {0, -2_500_000}


_WITHOUT_CONSENT = {LeaveUse.EXPORT, LeaveUse.ITEM_SET}
_WHERE_NOBODY_IS_KNOWN = {LeaveUse.REMOTE_WORK, LeaveUse.RELEASE_OF_PICTURES, LeaveUse.RELEASE_OF_SPEECH}
_RELEASES = {LeaveUse.RELEASE_OF_PICTURES, LeaveUse.RELEASE_OF_SPEECH, LeaveUse.QUESTION_RELEASE}


def test_each_use_needs_its_own_consent_and_no_held_out_recording_leaves(tmp_path: Path) -> None:
    with open_lab(tmp_path) as session:
        here = only_recording(session)

        def permitted() -> set[LeaveUse]:
            permissions = {use: may_leave(session, here, use) for use in LeaveUse}
            assert all(bool(permission) == (permission.refusal == "") for permission in permissions.values())
            return {use for use, permission in permissions.items() if permission}

        assert permitted() == _WITHOUT_CONSENT | _WHERE_NOBODY_IS_KNOWN
        assert "nobody was asked" in may_leave(session, here, LeaveUse.MODEL_REQUEST).refusal
        add_participant(session, "Robot", ParticipantRole.ROBOT, here)
        assert permitted() == {*LeaveUse}
        add_participant(session, "P01", ParticipantRole.USER, here)
        assert permitted() == _WITHOUT_CONSENT
        person = next(participant for participant in all_participants(session.study) if participant.pseudonym == "P01")
        set_consent(session, person, ConsentUse.RELEASE, True)
        assert permitted() == _WITHOUT_CONSENT | _RELEASES
        assert may_leave(session, here, LeaveUse.MODEL_REQUEST).refusal.startswith("P01 of recording 1 did not agree")
        set_consent(session, person, ConsentUse.MODELS, True)
        assert permitted() == {*LeaveUse}
        hold_out(session, here)
        assert permitted() == set()
        hold_out(session, here, False)
        set_appearance(session, here, person, False)
        assert permitted() == {*LeaveUse}
