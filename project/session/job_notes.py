"""Notes on this machine about jobs that had not ended when their study was closed.

They are restored at the next opening. A note is a file in the user's state folder, written when the job is asked for
and removed when it ended, so that it outlives a killed process. It holds what a person chose, never what was gathered.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_type_hints

import platformdirs

from project.codec import dump_bytes, load
from project.encryption.encrypted_files import read_encrypted, shred_file, write_encrypted
from project.encryption.encryption_key import is_encrypted
from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import write_atomically
from project.ids import new_id
from project.session.jobs import JOB_MODULES, JobSpec, load_kind
from project.session.session import Session
from project.store.study import Study
from project.timebase import utc_now

_MESSAGES_FILE = "ended"
_MAX_NOTE_BYTES = 256 << 20
"""Bytes; a longer note is none of ours."""

EXPORT, BENCHMARK, DEMO = "export", "benchmark", "demo"
PLAN_KINDS = frozenset({EXPORT, BENCHMARK, DEMO})
"""Notes about several jobs, one after the other: whoever runs them takes them up again."""


@dataclass(frozen=True, slots=True)
class InterruptedJob:
    """A job that was asked for and did not end.

    Attributes:
        id: of its note; notes sort by it in the order in which the jobs were asked for.
        kind: key in `JOB_MODULES`, or in `PLAN_KINDS`.
        title: as it stood in the list of jobs.
        recording_id: what it is about; "" where it is about no recording.
        parameters: what its kind needs to make it again.
        since: when it was asked for, as `utc_now` says it.
    """

    id: str
    kind: str
    title: str
    recording_id: str
    parameters: Mapping[str, Json] = field(default_factory=dict)
    since: str = ""


class JobNotes:
    """The notes about the jobs of one study. Only the process that may write to the study uses them."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._folder = notes_folder(study.path)

    def add(self, work: JobSpec) -> str:
        """Note a job that was asked for; returns the id of the note, "" where jobs of this kind are not noted."""
        kind = load_kind(work.kind)
        if kind.resume is None:
            return ""
        asked = {name: getattr(work.parameters, name) for name in kind.resume_fields}
        return self._write(work.kind, work.title, work.recording_id, asked)

    def add_plan(self, kind: str, title: str, asked: Mapping[str, Json]) -> str:
        """Note several jobs that follow from each other, of a kind in `PLAN_KINDS`; returns the id of the note."""
        return self._write(kind, title, "", asked)

    def remove(self, note_id: str) -> None:
        """Forget a job, because it ended or nobody wants it any more."""
        if note_id:
            with suppress(OSError):
                shred_file(self._folder / f"{note_id}.json")

    def interrupted(self) -> list[InterruptedJob]:
        """Return the jobs that did not end, in the order in which they were asked for.

        A note that cannot be read, as after a change of the passphrase, is removed.
        """
        jobs: list[InterruptedJob] = []
        for path in sorted(_notes_in(self._folder)):
            try:
                jobs.append(self.read(path))
            except (OSError, UserError, ValueError, RecursionError):
                with suppress(OSError):
                    shred_file(path)
        return jobs

    def keep_messages(self, lines: Sequence[str]) -> None:
        """Keep messages about jobs that ended while no window was open."""
        with suppress(OSError):
            if lines:
                write_private(self._study, self._folder / _MESSAGES_FILE, json.dumps([*lines]).encode())

    def take_messages(self) -> list[str]:
        """Return the messages that `keep_messages` kept, and delete them."""
        path, lines = self._folder / _MESSAGES_FILE, []
        with suppress(OSError, UserError, ValueError, RecursionError):
            found = json.loads(read_private(self._study, path))
            lines = [str(line) for line in found] if isinstance(found, list) else []
        with suppress(OSError):
            shred_file(path)
        return lines

    def _write(self, kind: str, title: str, recording_id: str, asked: Mapping[str, Json]) -> str:
        job = InterruptedJob(new_id(), kind, title, recording_id, asked, utc_now())
        # A folder that cannot be written to is no reason not to work: the job then ends with the program.
        with suppress(OSError):
            write_private(self._study, self._folder / f"{job.id}.json", dump_bytes(job))
            return job.id
        return ""

    def read(self, path: Path) -> InterruptedJob:
        """Return one of the notes.

        Raises:
            OSError, ValueError, RecursionError: it cannot be read.
        """
        job = load(InterruptedJob, json.loads(read_private(self._study, path)), path.name)
        if job.kind not in {*JOB_MODULES, *PLAN_KINDS}:
            raise ValueError(path.name)
        return replace(job, id=path.stem)


def recreate_job(session: Session, job: InterruptedJob) -> JobSpec | None:
    """Return the job for the present state of the study; None if nothing is left to do."""
    session.study.require_writable()
    kind = load_kind(job.kind)
    assert kind.resume is not None
    hints = get_type_hints(kind.parameters)
    try:
        chosen = {name: load(hints[name], job.parameters[name], job.title) for name in kind.resume_fields}
    except (KeyError, UserError) as error:
        raise UserError(f"“{job.title}” cannot be resumed: its stored state is damaged.", "Start it again.") from error
    return kind.resume(session, job.recording_id, **chosen)


def notes_folder(study: Path) -> Path:
    """Return the folder of the notes about a study; it may not be there."""
    return platformdirs.user_state_path("greenroom") / "jobs" / _digest(str(study.resolve()))


def is_noted(study: Study, kind: str, recording_id: str) -> bool:
    """Tell whether a job of a kind was asked for about a recording and has not ended; for who only reads the study.

    Notes that cannot be read are left as they are.
    """
    notes = JobNotes(study)
    for path in _notes_in(notes_folder(study.path)):
        with suppress(OSError, UserError, ValueError, RecursionError):
            job = notes.read(path)
            if (job.kind, job.recording_id) == (kind, recording_id):
                return True
    return False


def note_files(study: Path) -> list[Path]:
    """Return all files that are kept about the jobs of a study, as long as it lay where it lies now."""
    folder = notes_folder(study)
    return sorted(folder.iterdir()) if folder.is_dir() else []


def note_files_of_copies(study_id: str) -> list[Path]:
    """Return all files that are kept about the jobs of a study and its copies, wherever they lay and were called."""
    marks = sorted(_marks_folder().glob(f"{_digest(study_id)}-*"))
    folders = [_marks_folder().parent / place for place in sorted(place_digests(study_id))]
    return [*(file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir())), *marks]


def place_digests(study_id: str) -> frozenset[str]:
    """Return the checksums of the places where a study or a copy of it lay when something was noted about its jobs."""
    return frozenset(mark.name.rpartition("-")[2] for mark in _marks_folder().glob(f"{_digest(study_id)}-*"))


def _marks_folder() -> Path:
    """Return the folder of empty files that say which study the notes about a place are of."""
    return platformdirs.user_state_path("greenroom") / "jobs" / "studies"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _mark_study(study: Study) -> None:
    """Remember that notes about the place of a study are of this study: it may be renamed or moved later.

    Raises:
        OSError: it cannot be written.
    """
    _marks_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    (_marks_folder() / f"{_digest(study.id)}-{notes_folder(study.path).name}").touch(0o600)


def write_private(study: Study, path: Path, content: bytes) -> None:
    """Write a file that only the user can read, in one step; under the study's key where the study is encrypted.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _mark_study(study)
    if study.encryption_key is not None:
        write_encrypted([content], path, study.encryption_key)
        return
    with write_atomically(path) as file:
        file.write(content)


def read_private(study: Study, path: Path) -> bytes:
    """Read what `write_private` wrote.

    Raises:
        OSError: it cannot be read.
        ValueError: the study is encrypted and the file is not, or the other way round.
    """
    key = study.encryption_key
    if path.is_symlink() or path.stat().st_size > _MAX_NOTE_BYTES or is_encrypted(path) != (key is not None):
        raise ValueError(path.name)
    return path.read_bytes() if key is None else b"".join(read_encrypted(path, key))


def _notes_in(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.json") if not path.name.startswith(".")] if folder.is_dir() else []
