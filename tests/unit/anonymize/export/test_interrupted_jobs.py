"""What had not ended when a study was left is noted on this machine, and can be made again."""

import stat
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from annotate.cues.cue_detection import CueDetectionParameters
from annotate.meta.scenes import SceneChangeParameters
from annotate.speech import voice_activity
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.egress import weights_download_job as fetching
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_queue import QueuedClip, RenderQueue, queue_path
from anonymize.faces import face_tracking_job as tracking
from anonymize.local_files.file_traces import list_cache_files, list_program_notes
from anonymize.local_files.study_encryption import encrypt_study
from benchmark.judging import judge_trial
from project.encryption.passphrases import PASSPHRASE_FILE_VARIABLE
from project.entities.judgments import JudgeEntry
from project.erasure.erasure import WithdrawalFacts
from project.errors import UserError
from project.session.job_notes import (
    JobNotes,
    note_files,
    notes_folder,
    recreate_job,
    write_private,
)
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.clips import make_clip


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        yield opened


def scenes(recording: str = "r", title: str = "Find scene changes") -> JobSpec:
    return JobSpec("scenes", title, recording, SceneChangeParameters(Path("/walk.mp4"), "f"))


def test_a_note_stays_until_its_job_ended(session: Session) -> None:
    notes = JobNotes(session.study)
    first = notes.add(scenes("r1", "Find scene changes in recording 1"))
    second = notes.add(JobSpec("cues", "Suggest cues in recording 2", "r2", CueDetectionParameters()))
    titles = [job.title for job in JobNotes(session.study).interrupted()]
    assert titles == ["Find scene changes in recording 1", "Suggest cues in recording 2"]
    notes.remove(first)
    assert [job.id for job in notes.interrupted()] == [second]
    notes.remove(second)
    assert note_files(session.study.path) == []


def test_only_what_somebody_asked_for_is_noted_and_nobody_else_can_read_it(session: Session) -> None:
    asked = CueDetectionParameters(tracks=Path("/tmp/faces.npz"), spoken=(("p", 0, 1, "My name is Eve"),))
    work = JobSpec("cues", "Suggest cues in recording 1", "r", asked)
    JobNotes(session.study).add(work)
    (file,) = note_files(session.study.path)
    assert "Eve" not in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_key_is_never_noted(session: Session) -> None:
    assert JobNotes(session.study).add(judge_trial.prepare(JudgeEntry("j", "j", "random"), "sk-secret")) == ""
    assert note_files(session.study.path) == []


def test_a_job_is_made_again_as_it_was_asked_for(session: Session, tmp_path: Path) -> None:
    (recording,), _ = add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", sound=True))])
    works = [tracking.prepare(session, recording, processor="cpu"), voice_activity.prepare(session, recording)]
    notes = JobNotes(session.study)
    for work in works:
        notes.add(work)
    assert [recreate_job(session, job) for job in notes.interrupted()] == works


def test_a_download_goes_through_the_policy_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GREENROOM_OFFLINE", raising=False)
    notes = JobNotes(session.study)
    notes.add(fetching.prepare("yunet"))
    with pytest.raises(UserError, match="policy"):
        recreate_job(session, notes.interrupted()[0])


def test_the_notes_of_an_encrypted_study_are_encrypted_and_there_when_it_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_keys_cheap(monkeypatch)
    secret, encrypted = tmp_path / "passphrase", tmp_path / "closed.greenroom"
    secret.write_text("correct horse\n")
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(secret))
    Study.create(encrypted).close()
    encrypt_study(encrypted, lambda: "correct horse")
    with Session.open(encrypted, "Ada") as session:
        JobNotes(session.study).add(scenes("r", "Find scene changes in Eve.mp4"))
        queue = RenderQueue(tmp_path / "clips of Eve", (QueuedClip("r", "blur"),))
        rendering_queue.save_queue(session, queue)
        files = note_files(encrypted)
    assert len(files) == 2
    for file in files:
        assert b"Eve" not in file.read_bytes()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with Session.open(encrypted, "Ada") as session:
        titles = [job.title for job in JobNotes(session.study).interrupted()]
        assert titles == ["Find scene changes in Eve.mp4"]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"clips of Eve" in path.read_bytes()] == []


def test_encrypting_a_study_removes_its_notes_in_the_clear(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    make_keys_cheap(monkeypatch)
    path = session.study.path
    JobNotes(session.study).add(scenes())
    session.close()
    encrypt_study(path, lambda: "correct horse")
    assert note_files(path) == []


def test_a_withdrawal_takes_the_notes_along_also_of_a_moved_study(session: Session, tmp_path: Path) -> None:
    path, moved = session.study.path, tmp_path / "elsewhere" / "other.greenroom"
    write_private(session.study, notes_folder(path) / "x.json", b"{}")
    (note,) = note_files(path)
    assert str(platformdirs.user_state_path("greenroom")) in str(note)
    assert note_files(moved) == []
    facts = WithdrawalFacts(session.study.id, (), (), (), (), ())
    for place in (path, moved):
        assert note in list_program_notes(facts, place)
    write_private(session.study, queue_path(path), b"{}")
    assert queue_path(path) in list_cache_files(session.study.id, (), moved)
    assert note not in list_program_notes(WithdrawalFacts("another study", (), (), (), (), ()), moved)
