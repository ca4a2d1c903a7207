"""Edits of recordings, people and segments as the window and the command line ask for them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.segments import segment_edits as segments
from annotate.study import people as participants
from annotate.study import recording_edits as recordings
from annotate.study import recording_files as synchronizing
from annotate.study.people import add_participant, set_appearance
from annotate.study.recording_edits import (
    add_medium,
    add_recordings,
    describe_collection,
    move_medium,
    move_recording,
    probe_file,
    redo,
    undo,
)
from project.entities.study_records import ConsentUse, Json, Medium, MediumRole, ParticipantRole, Verdict
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


@pytest.mark.parametrize("pseudonym", ["", "  ", "P01", " P01", "P\t2", "P\u202e2", "P2\x00"])
def test_a_pseudonym_is_there_and_nobody_else_s(session: Session, pseudonym: str) -> None:
    participants.add_participant(session, "P01", ParticipantRole.USER)
    with pytest.raises(UserError):
        participants.add_participant(session, pseudonym, ParticipantRole.ROBOT)
    assert len(all_participants(session.study)) == 1


def test_further_files_join_a_recording_in_order(session: Session, here: str, tmp_path: Path) -> None:
    chapters = [make_clip(tmp_path / f"chapter {n}.mp4", size=(160, 120), frames=4 + n) for n in range(2)]
    for chapter in chapters:
        recordings.add_medium(session, here, recordings.probe_file(chapter), MediumRole.CHAPTER, 240_000)
    found = [m for m in media_of(session.study, here) if m.role is MediumRole.CHAPTER]
    assert [(m.path, m.position, m.offset_us) for m in found] == [
        ("chapter 0.mp4", 0, 240_000),
        ("chapter 1.mp4", 1, 240_000),
    ]
    with pytest.raises(UserError, match="main file already"):
        recordings.add_medium(session, here, recordings.probe_file(chapters[0]), MediumRole.MAIN)
    undo(session)
    undo(session)
    assert [m.role for m in media_of(session.study, here)] == [MediumRole.MAIN]


def test_a_further_file_is_moved_on_the_axis_and_the_main_one_is_not(
    session: Session, here: str, tmp_path: Path
) -> None:
    second = make_clip(tmp_path / "second.mp4", size=(160, 120), frames=5)
    recordings.add_medium(session, here, recordings.probe_file(second), MediumRole.CAMERA, 240_000)
    main, camera = media_of(session.study, here)
    assert recordings.move_medium(session, here, camera.id, -1_250_000).ids("medium") == {camera.id}
    assert [m.offset_us for m in media_of(session.study, here)] == [main.offset_us, -1_250_000]
    undo(session)
    assert [m.offset_us for m in media_of(session.study, here)] == [main.offset_us, 240_000]
    for wrong in (main.id, "nothing"):
        with pytest.raises(UserError):
            recordings.move_medium(session, here, wrong, 5)


def test_a_recording_gets_another_name_but_never_none(session: Session, here: str) -> None:
    recordings.rename_recording(session, here, " Kitchen ")
    assert session.recording(here).name == "Kitchen"
    with pytest.raises(UserError):
        recordings.rename_recording(session, here, "  ")
    undo(session)
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


def test_moving_several_is_one_step_and_all_or_none(session: Session, here: str) -> None:
    text, two = (segments.add_segment(session, here, at, at + 40_000, Verdict.ERROR)[0] for at in (0, 80_000))
    with pytest.raises(UserError, match="outside"):
        segments.move_segments(session, [(text, 40_000, 80_000), (two, 900_000, 940_000)])
    assert [s.start_us for s in segments_of(session.study, here)] == [0, 80_000]
    segments.move_segments(session, [(text, 40_000, 80_000), (two, 120_000, 160_000)])
    assert [s.start_us for s in segments_of(session.study, here)] == [40_000, 120_000]
    assert undo(session).name == "Move 2 segments"
    assert [s.start_us for s in segments_of(session.study, here)] == [0, 80_000]
    assert redo(session).name == "Move 2 segments"


@pytest.mark.parametrize("span", [(-1, 40_000), (40_000, 40_000), (40_000, 40_999), (80_000, 40_000), (0, 10**9)])
def test_a_segment_lies_in_its_recording_and_lasts(session: Session, here: str, span: tuple[int, int]) -> None:
    kept, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR)
    for act in (
        lambda: segments.add_segment(session, here, *span, Verdict.ERROR),
        lambda: segments.move_segments(session, [(kept, *span)]),
        lambda: segments.edit_segment(session, kept, start_us=span[0], end_us=span[1]),
    ):
        with pytest.raises(UserError):
            act()
    assert [(s.start_us, s.end_us) for s in segments_of(session.study, here)] == [(0, 40_000)]


def test_what_only_errors_have_is_kept_while_the_verdict_is_another(session: Session, here: str) -> None:
    text, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR, {"correction": "Wait."})
    segments.set_label(session, [text], Verdict.COMPETENCE)
    with pytest.raises(UserError, match="cannot be given"):
        segments.set_field(session, text, "correction", "Stop.")
    segments.set_label(session, [text], Verdict.ERROR)
    assert values_of(session.study, text)["correction"] == "Wait."
    segments.set_field(session, text, "correction", "")
    assert "correction" not in values_of(session.study, text)


def test_an_edit_needs_a_name_and_introduces_it_once(session: Session, here: str) -> None:
    session.annotator_name = " "
    with pytest.raises(UserError, match="name"):
        segments.add_segment(session, here, 0, 40_000, Verdict.ERROR)
    for _ in range(2):
        session.annotator_name = "Bo"
        made, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR)
    bo = session.annotator()
    found = find_segment(session.study, made)
    assert found.annotator_id == bo.id
    assert sorted(a.name for a in all_annotators(session.study)) == ["Ada", "Bo"]


def test_a_second_session_reads_and_every_edit_is_refused(session: Session, here: str) -> None:
    text, _ = segments.add_segment(session, here, 0, 40_000, Verdict.ERROR)
    with Session.open(session.study.path, "Bo") as second:
        for act in (
            lambda: segments.delete_segments(second, [text]),
            lambda: segments.set_field(second, text, "rationale", "x"),
            lambda: participants.add_participant(second, "P01", ParticipantRole.USER),
            lambda: undo(second),
        ):
            with pytest.raises(UserError, match="reading only"):
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
    with pytest.raises(UserError, match="in the study already, as recording 2"):
        recordings.add_recordings(session, [recordings.probe_file(two)])


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Session]:
    paths = [tmp_path / f"{number}.mp4" for number in range(2)]
    for number, path in enumerate(paths):
        make_clip(path, frames=5 + number)
    with Session(Study.create(tmp_path / "lab.greenroom", "Lab"), "A") as opened:
        add_recordings(opened, [probe_file(path) for path in paths])
        yield opened


def homes(session: Session) -> list[tuple[str, str]]:
    """Return the id of each recording and the name of the collection it is in."""
    names = {collection.id: collection.name for collection in all_collections(session.study)}
    rows = session.study.rows("SELECT id, collection_id FROM recording ORDER BY number")
    return [(str(row[0]), names[str(row[1])]) for row in rows]


def test_moving_makes_a_collection_and_removes_an_empty_one(two: Session) -> None:
    (first, before), (second, _) = homes(two)
    move_recording(two, first, " Coach ")
    assert [home for _, home in homes(two)] == ["Coach", before]
    move_recording(two, second, "Coach")
    assert [collection.name for collection in all_collections(two.study)] == ["Coach"]
    undo(two)
    undo(two)
    assert [home for _, home in homes(two)] == [before, before]


def test_a_collection_has_a_name_of_its_own(two: Session) -> None:
    (first, _), _ = homes(two)
    move_recording(two, first, "Coach")
    home = next(collection for collection in all_collections(two.study) if collection.name == "Coach")
    describe_collection(two, home.id, "Coach", "wellness coach robot")
    assert "wellness coach robot" in [collection.agent_context for collection in all_collections(two.study)]
    for name in ("", "Recordings"):
        with pytest.raises(UserError):
            describe_collection(two, home.id, name, "")
    with pytest.raises(UserError):
        move_recording(two, first, "  ")


def test_a_participant_is_taken_out_of_a_recording(two: Session) -> None:
    (first, _), _ = homes(two)
    add_participant(two, "P01", ParticipantRole.USER, first)
    (person,) = all_participants(two.study)
    set_appearance(two, first, person, False)
    assert not participants_in(two.study, first)
    assert undo(two).name == "Take P01 out of recording 1"
    assert participants_in(two.study, first) == [person]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    main = make_clip(tmp_path / "main.mp4", size=(64, 48), frames=50, fps=10, sound=True)
    late = make_clip(tmp_path / "side.mp4", size=(64, 48), frames=50, fps=10, sound=True, sound_offset_us=700_000)
    make_clip(tmp_path / "silent.mp4", size=(64, 48), frames=10)
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(main)])
        add_medium(session, recording, probe_file(late), MediumRole.CAMERA)
    return tmp_path / "lab.greenroom"


def media(session: Session) -> tuple[Medium, Medium]:
    (recording,) = (row[0] for row in session.study.rows("SELECT id FROM recording"))
    main, side = media_of(session.study, recording)[:2]
    return main, side


def test_the_offset_is_found_kept_and_moves_nothing(study: Path) -> None:
    with Session.open(study, "Ada") as session:
        main, side = media(session)
        assert synchronizing.latest_sync_result(session, side) is None
        undo = session.study.undo_name
        work = synchronizing.prepare(session, main.recording_id, side.id)
        run_inline(session, work, Silent())
        found = synchronizing.latest_sync_result(session, side)
        assert found.sure
        assert found.offset_us == pytest.approx(-700_000, abs=1500)
        assert "Begins at -0.699 s" in found.as_text()
        assert media(session)[1].offset_us == 0
        assert session.study.undo_name == undo
        move_medium(session, main.recording_id, side.id, found.offset_us)
        assert media(session)[1].offset_us == found.offset_us


def test_only_further_files_with_sound_that_are_there_can_be_compared(study: Path) -> None:
    with Session.open(study, "Ada") as session:
        main, side = media(session)
        with pytest.raises(UserError, match="main file"):
            synchronizing.prepare(session, main.recording_id, main.id)
        with pytest.raises(UserError, match="no longer"):
            synchronizing.prepare(session, main.recording_id, "nothing")
        add_medium(session, main.recording_id, probe_file(study.parent / "silent.mp4"), MediumRole.CAMERA)
        silent = media_of(session.study, main.recording_id)[2]
        with pytest.raises(UserError, match="no sound"):
            synchronizing.prepare(session, main.recording_id, silent.id)
        (study.parent / "side.mp4").unlink()
        with pytest.raises(UserError, match="missing"):
            synchronizing.prepare(session, main.recording_id, side.id)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (synchronizing.SyncResult(0, 1.1, False, None, None, 0), "Nothing was changed."),
        (synchronizing.SyncResult(1_234_000, 3, True, None, None, 9), "right to about 10 ms"),
        (synchronizing.SyncResult(0, 3, True, 40.0, 900, 3_600_000_000), "40 ppm fast, 0.14 s from end to end"),
        (synchronizing.SyncResult(0, 3, True, -40.0, 900, 3_600_000_000), "40 ppm slow"),
    ],
)
def test_what_was_found_is_said_in_a_line(found: synchronizing.SyncResult, words: str) -> None:
    assert words in found.as_text()
    assert "ppm" not in replace(found, drift_ppm=5.0, overlap_us=600_000_000).as_text(), (
        "a small drift is not worth words"
    )


def test_a_view_is_added_and_moved_from_the_command_line(study: Path, greenroom: Terminal) -> None:
    made = greenroom.json(
        "add-view", study, "--recording", "1", study.parent / "side.mp4", "--role", "microphone", "--offset", "-0:02.5"
    )
    assert made["offset_s"] == -2.5
    said = greenroom.json("sync", study, "--recording", "1", "--medium", made["id"], "--apply")
    (one,) = said["media"]
    assert one["applied"]
    assert one["offset_s"] == pytest.approx(-0.7, abs=0.002)
    with Session.open(study, "Ada") as session:
        main, camera = media(session)
        microphone = media_of(session.study, main.recording_id)[2]
        assert microphone.offset_us == pytest.approx(-700_000, abs=1500)
        assert camera.offset_us == 0, "only the one that was named is moved"
    greenroom("undo", study)
    with Session.open(study, "Ada") as session:
        assert media_of(session.study, media(session)[0].recording_id)[2].offset_us == -2_500_000


def test_what_makes_no_sense_is_one_line(study: Path, greenroom: Terminal) -> None:
    folder = study.parent
    assert "no sound" in greenroom(
        "add-view", study, "--recording", "1", folder / "silent.mp4", "--role", "microphone", code=2
    )
    assert "not a time" in greenroom(
        "add-view", study, "--recording", "1", folder / "side.mp4", "--role", "camera", "--offset", "soon", code=2
    )
    assert "side.mp4" in greenroom("sync", study, "--recording", "1", "--medium", "gone.wav", code=2)
    greenroom("undo", study)
    assert "add-view" in greenroom("sync", study, "--recording", "1", code=2)
