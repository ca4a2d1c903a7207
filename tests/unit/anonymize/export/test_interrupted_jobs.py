"""What had not ended when a study was left is noted on this machine, and can be made again."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from annotate.speech import voice_activity
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.egress import weights_download_job as fetching
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_queue import QueuedClip, RenderQueue, queue_path
from anonymize.faces import face_tracking_job as tracking
from anonymize.local_files.file_traces import list_cache_files, list_program_notes
from anonymize.local_files.study_encryption import seal_study
from app.job_resumption import recreate_job
from project.encryption.passphrases import PASSPHRASE_FILE_VARIABLE
from project.erasure.erasure import WithdrawalFacts
from project.errors import UserError
from project.session.job_notes import (
    BENCHMARK,
    NOT_NOTED,
    NOTED_PARAMETERS,
    JobNotes,
    note_files,
    notes_folder,
    write_private,
)
from project.session.jobs import JOB_MODULES, JobSpec
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("state", "cache", "config"):
        monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path / kind))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as opened:
        yield opened


def recording_of(session: Session, folder: Path) -> str:
    (recording,), _ = add_recordings(session, [probe_file(make_clip(folder / "talk.mp4", sound=True))])
    return recording


def test_every_kind_of_job_is_noted_or_has_a_reason_not_to_be() -> None:
    assert {*NOTED_PARAMETERS} | {*NOT_NOTED} == {*JOB_MODULES}
    assert not {*NOTED_PARAMETERS} & {*NOT_NOTED}


def test_a_note_stays_until_its_job_ended(session: Session) -> None:
    notes = JobNotes(session.study)
    first = notes.add(JobSpec("scenes", "Find scene changes in recording 1", "r1"))
    second = notes.add(JobSpec("cues", "Suggest cues in recording 2", "r2"))
    assert [interrupted_job.title for interrupted_job in JobNotes(session.study).interrupted()] == [
        "Find scene changes in recording 1",
        "Suggest cues in recording 2",
    ]
    notes.remove(first)
    assert [interrupted_job.id for interrupted_job in notes.interrupted()] == [second]
    notes.remove(second)
    assert note_files(session.study.path) == []


def test_only_what_somebody_asked_for_is_noted_and_nobody_else_can_read_it(session: Session) -> None:
    work = JobSpec(
        "cues", "Suggest cues in recording 1", "r", {"tracks": "/tmp/faces.npz", "utterances": ["My name is Eve"]}
    )
    JobNotes(session.study).add(work)
    (file,) = note_files(session.study.path)
    assert "Eve" not in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_key_is_never_noted(session: Session) -> None:
    assert JobNotes(session.study).add(JobSpec("try_judge", "Try", "", {"judge": {}, "key": "sk-secret"})) == ""
    assert note_files(session.study.path) == []


def test_a_job_is_made_again_as_it_was_asked_for(session: Session, tmp_path: Path) -> None:
    recording = recording_of(session, tmp_path)
    works = [tracking.prepare(session, recording, processor="cpu"), voice_activity.prepare(session, recording)]
    notes = JobNotes(session.study)
    for work in works:
        notes.add(work)
    assert [recreate_job(session, interrupted_job) for interrupted_job in notes.interrupted()] == works


def test_what_cannot_be_done_any_more_says_why(session: Session) -> None:
    notes = JobNotes(session.study)
    notes.add(JobSpec("scenes", "Find scene changes in recording 9", "gone"))
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
    notes.add(JobSpec("scenes", "Find scene changes", "r"))
    folder = notes_folder(session.study.path)
    for name, text in {"a": "", "b": "[1]", "c": '{"format": 9}', "d": "[" * 100_000}.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "e.json").write_text(
        json.dumps({"format": 1, "kind": "rm -rf", "title": "", "recording": "", "asked": {}})
    )
    assert [interrupted_job.kind for interrupted_job in notes.interrupted()] == ["scenes"]
    assert len(note_files(session.study.path)) == 1


def test_a_folder_that_cannot_be_written_to_stops_no_work(session: Session, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    notes = JobNotes(session.study)
    assert notes.add(JobSpec("scenes", "Find scene changes", "r")) == ""
    notes.remove("")
    assert notes.interrupted() == []


def test_several_jobs_that_follow_from_each_other_are_one_note(session: Session) -> None:
    notes = JobNotes(session.study)
    notes.add_plan(BENCHMARK, "Benchmark with 2 judges", {"sets": ["s"]})
    assert [(interrupted_job.kind, interrupted_job.parameters) for interrupted_job in notes.interrupted()] == [
        (BENCHMARK, {"sets": ["s"]})
    ]


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    secret = tmp_path / "passphrase"
    secret.write_text("correct horse\n")
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(secret))
    Study.create(tmp_path / "closed.greenroom").close()
    seal_study(tmp_path / "closed.greenroom", lambda: "correct horse")
    return tmp_path / "closed.greenroom"


def test_the_notes_of_a_sealed_study_are_sealed_and_there_when_it_is_opened_again(sealed: Path, tmp_path: Path) -> None:
    with Session.open(sealed, "Ada") as session:
        JobNotes(session.study).add(JobSpec("sync", "Find where Eve.wav begins in recording 1", "r", {"medium": "m"}))
        queue = RenderQueue(tmp_path / "clips of Eve", (QueuedClip("r", "blur"),))
        rendering_queue.save_queue(session, queue)
        files = note_files(sealed)
    assert len(files) == 2
    for file in files:
        assert b"Eve" not in file.read_bytes()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with Session.open(sealed, "Ada") as session:
        assert [interrupted_job.title for interrupted_job in JobNotes(session.study).interrupted()] == [
            "Find where Eve.wav begins in recording 1"
        ]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"clips of Eve" in path.read_bytes()] == []


def test_a_sealed_study_takes_no_note_that_is_not_sealed(sealed: Path) -> None:
    with Session.open(sealed, "Ada") as session:
        notes = JobNotes(session.study)
        notes.add(JobSpec("scenes", "Find scene changes", "r"))
        (file,) = note_files(sealed)
        content = session.study.working.unseal_content(file) if session.study.working else b""
        file.write_bytes(content)
        assert notes.interrupted() == []


def test_sealing_a_study_removes_its_notes_in_the_clear(tmp_path: Path, session: Session) -> None:
    path = session.study.path
    JobNotes(session.study).add(JobSpec("scenes", "Find scene changes", "r"))
    session.close()
    seal_study(path, lambda: "correct horse")
    assert note_files(path) == []


def test_a_withdrawal_takes_the_notes_along(session: Session) -> None:
    write_private(session.study, notes_folder(session.study.path) / "x.json", b"{}")
    facts = WithdrawalFacts.__new__(WithdrawalFacts)
    object.__setattr__(facts, "study_id", session.study.id)
    assert note_files(session.study.path)[0] in list_program_notes(facts, session.study.path)
    assert str(platformdirs.user_state_path("greenroom")) in str(note_files(session.study.path)[0])


def test_notes_of_a_study_that_was_renamed_or_moved_are_found_by_the_study(session: Session, tmp_path: Path) -> None:
    write_private(session.study, notes_folder(session.study.path) / "x.json", b"{}")
    (note,) = note_files(session.study.path)
    moved = tmp_path / "elsewhere" / "other.greenroom"
    assert note_files(moved) == []
    facts = WithdrawalFacts(session.study.id, (), (), (), (), ())
    assert note in list_program_notes(facts, moved)
    write_private(session.study, queue_path(session.study.path), b"{}")
    assert queue_path(session.study.path) in list_cache_files(facts, moved)
    assert note not in list_program_notes(WithdrawalFacts("another study", (), (), (), (), ()), moved)
