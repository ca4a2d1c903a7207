"""What had not ended when a study was left is noted on this machine, and can be made again."""

import json
import stat
from collections.abc import Iterator
from dataclasses import fields
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
    BENCHMARK,
    JobNotes,
    note_files,
    notes_folder,
    read_private,
    recreate_job,
    write_private,
)
from project.session.jobs import JOB_MODULES, JobSpec, load_kind
from project.session.session import Session
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.clips import make_clip


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        yield opened


def recording_of(session: Session, folder: Path) -> str:
    (recording,), _ = add_recordings(session, [probe_file(make_clip(folder / "talk.mp4", sound=True))])
    return recording


def scenes(recording: str = "r", title: str = "Find scene changes") -> JobSpec:
    return JobSpec("scenes", title, recording, SceneChangeParameters(Path("/walk.mp4"), "f"))


def test_what_a_kind_notes_are_its_parameters() -> None:
    for key in JOB_MODULES:
        kind = load_kind(key)
        assert kind.key == key
        assert {*kind.resume_fields} <= {field.name for field in fields(kind.parameters)}
        assert kind.resume is not None or not kind.resume_fields


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
    recording = recording_of(session, tmp_path)
    works = [tracking.prepare(session, recording, processor="cpu"), voice_activity.prepare(session, recording)]
    notes = JobNotes(session.study)
    for work in works:
        notes.add(work)
    assert [recreate_job(session, job) for job in notes.interrupted()] == works


def test_what_cannot_be_done_any_more_says_why(session: Session) -> None:
    notes = JobNotes(session.study)
    notes.add(scenes("gone"))
    with pytest.raises(UserError):
        recreate_job(session, notes.interrupted()[0])


def test_a_download_goes_through_the_policy_again(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GREENROOM_OFFLINE", raising=False)
    notes = JobNotes(session.study)
    notes.add(fetching.prepare("yunet"))
    with pytest.raises(UserError, match="policy"):
        recreate_job(session, notes.interrupted()[0])


def test_damaged_notes_are_no_jobs(session: Session) -> None:
    notes = JobNotes(session.study)
    notes.add(scenes())
    folder = notes_folder(session.study.path)
    for name, text in {"a": "", "b": "[1]", "c": '{"format": 9}', "d": "[" * 100_000}.items():
        (folder / f"{name}.json").write_text(text)
    unknown = {"format": 1, "kind": "rm -rf", "title": "", "recording": "", "asked": {}}
    (folder / "e.json").write_text(json.dumps(unknown))
    assert [job.kind for job in notes.interrupted()] == ["scenes"]
    assert len(note_files(session.study.path)) == 1


def test_a_folder_that_cannot_be_written_to_stops_no_work(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state").write_text("in the way")
    notes = JobNotes(session.study)
    assert notes.add(scenes()) == ""
    notes.remove("")
    assert notes.interrupted() == []


def test_several_jobs_that_follow_from_each_other_are_one_note(session: Session) -> None:
    notes = JobNotes(session.study)
    notes.add_plan(BENCHMARK, "Benchmark with 2 judges", {"sets": ["s"]})
    assert [(job.kind, job.parameters) for job in notes.interrupted()] == [(BENCHMARK, {"sets": ["s"]})]


@pytest.fixture
def encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_keys_cheap(monkeypatch)
    secret = tmp_path / "passphrase"
    secret.write_text("correct horse\n")
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(secret))
    Study.create(tmp_path / "closed.greenroom").close()
    encrypt_study(tmp_path / "closed.greenroom", lambda: "correct horse")
    return tmp_path / "closed.greenroom"


def test_the_notes_of_an_encrypted_study_are_encrypted_and_there_when_it_is_opened_again(
    encrypted: Path, tmp_path: Path
) -> None:
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


def test_an_encrypted_study_takes_no_note_that_is_not_encrypted(encrypted: Path) -> None:
    with Session.open(encrypted, "Ada") as session:
        notes = JobNotes(session.study)
        notes.add(scenes())
        (file,) = note_files(encrypted)
        file.write_bytes(read_private(session.study, file))
        assert notes.interrupted() == []


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
