"""The job and the commands about where further files begin."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotate.study import recording_files as synchronizing
from annotate.study.recording_edits import add_medium, add_recordings, move_medium, probe_file
from project.entities.study_records import Medium, MediumRole
from project.errors import UserError
from project.progress import Silent
from project.queries.recording_rows import media_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal


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
