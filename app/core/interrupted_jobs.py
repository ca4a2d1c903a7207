"""Jobs that had not ended when their study was left: noted on this machine, and made again at the next opening.

A note is written when a job is asked for and removed when it ended, so it outlives a log out, a power cut and
`kill -9`. Notes lie in the user's own folder and not in the study, because they name folders of this machine; those of
a sealed study are sealed with its key. A note holds what somebody asked for, not what a job was given: tracks, texts
and secrets are gathered anew from the study, under the rules that hold then.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import platformdirs

from app.core.clock import utc_now
from app.core.jobs import Work
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.sealing.container import is_sealed
from project.sealing.files import overwrite
from project.store import Study
from project.types import Json

_FORMAT = 1
_ENDED = "ended"
_LONGEST = 256 << 20
"""Bytes; a longer note is none of ours."""

EXPORT, BENCHMARK = "export", "benchmark"
PLANS = frozenset({EXPORT, BENCHMARK})
"""Notes about several jobs, one after the other: whoever runs them takes them up again."""


@dataclass(frozen=True, slots=True)
class InterruptedJob:
    """A job that was asked for and did not end.

    Attributes:
        id: of its note; notes sort by it in the order in which the jobs were asked for.
        kind: of `app.core.jobs.KINDS`, or of `PLANS`.
        title: as it stood in the list of jobs.
        recording_id: what it is about; "" where it is about no recording.
        asked: what its kind needs to make it again.
        since: when it was asked for, as `utc_now` says it.
    """

    id: str
    kind: str
    title: str
    recording_id: str
    asked: Mapping[str, Json] = field(default_factory=dict)
    since: str = ""


class JobNotes:
    """The notes about the jobs of one study. Only the process that may write to the study uses them."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._folder = notes_folder(study.path)

    def keep(self, work: Work) -> str:
        """Note a job that was asked for; returns the id of the note, "" where jobs of this kind are not noted."""
        if work.kind not in ASKED:
            return ""
        asked = {key: work.parameters[key] for key in ASKED[work.kind] if key in work.parameters}
        if work.kind == "ask":
            asked = dict(work.parameters)
        return self._write(work.kind, work.title, work.recording_id, asked)

    def keep_plan(self, kind: str, title: str, asked: Mapping[str, Json]) -> str:
        """Note several jobs that follow from each other, of a kind of `PLANS`; returns the id of the note."""
        return self._write(kind, title, "", asked)

    def drop(self, note_id: str) -> None:
        """Forget a job, because it ended or nobody wants it any more."""
        if note_id:
            with suppress(OSError):
                overwrite(self._folder / f"{note_id}.json")

    def interrupted(self) -> list[InterruptedJob]:
        """Return the jobs that did not end, in the order in which they were asked for.

        A note that cannot be read, as after a change of the passphrase, is removed.
        """
        jobs: list[InterruptedJob] = []
        for path in sorted(_notes_in(self._folder)):
            try:
                jobs.append(self.read(path))
            except (OSError, UserError, ValueError, KeyError, TypeError, RecursionError):
                with suppress(OSError):
                    overwrite(path)
        return jobs

    def tell_later(self, lines: Sequence[str]) -> None:
        """Keep what came of jobs while no window was there to say so."""
        with suppress(OSError):
            if lines:
                write_private(self._study, self._folder / _ENDED, json.dumps([*lines]).encode())

    def take_told(self) -> list[str]:
        """Return what `tell_later` kept, once."""
        path, lines = self._folder / _ENDED, []
        with suppress(OSError, UserError, ValueError, RecursionError):
            found = json.loads(read_private(self._study, path))
            lines = [str(one) for one in found] if isinstance(found, list) else []
        with suppress(OSError):
            overwrite(path)
        return lines

    def _write(self, kind: str, title: str, recording_id: str, asked: Mapping[str, Json]) -> str:
        note_id = new_id()
        content = {
            "format": _FORMAT,
            "kind": kind,
            "title": title,
            "recording": recording_id,
            "asked": dict(asked),
            "since": utc_now(),
        }
        # A folder that cannot be written to is no reason not to work: the job then ends with the program.
        with suppress(OSError):
            write_private(self._study, self._folder / f"{note_id}.json", json.dumps(content).encode())
            return note_id
        return ""

    def read(self, path: Path) -> InterruptedJob:
        """Return one of the notes.

        Raises:
            OSError, UserError, ValueError, KeyError, TypeError, RecursionError: it cannot be read.
        """
        found: dict[str, Any] = json.loads(read_private(self._study, path))
        if found["format"] != _FORMAT or found["kind"] not in {*ASKED, *PLANS}:
            raise ValueError(path.name)
        return InterruptedJob(
            path.stem,
            str(found["kind"]),
            str(found["title"]),
            str(found["recording"]),
            cast(dict[str, Json], dict(found["asked"])),
            str(found["since"]),
        )


def make_again(session: Session, job: InterruptedJob) -> Work | None:
    """Return the job as the study wants it now; None where nothing of it is left to do.

    Raises:
        UserError: it cannot be done any more: its recording or a file is gone, a model is not installed.
    """
    session.study.require_writable()
    try:
        return _AGAIN[job.kind](session, job)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"“{job.title}” cannot be resumed: its note is damaged.", "Start it anew.") from error


def notes_folder(study: Path) -> Path:
    """Return the folder of the notes about a study; it may not be there."""
    return platformdirs.user_state_path("greenroom") / "jobs" / _digest(str(study.resolve()))


def is_noted(study: Study, kind: str, recording_id: str) -> bool:
    """Tell whether a job of a kind was asked for about a recording and has not ended; for who only reads the study.

    Notes that cannot be read are left as they are.
    """
    notes = JobNotes(study)
    for path in _notes_in(notes_folder(study.path)):
        with suppress(OSError, UserError, ValueError, KeyError, TypeError, RecursionError):
            job = notes.read(path)
            if (job.kind, job.recording_id) == (kind, recording_id):
                return True
    return False


def note_files(study: Path) -> list[Path]:
    """Return all files that are kept about the jobs of a study, as long as it lay where it lies now."""
    folder = notes_folder(study)
    return sorted(folder.iterdir()) if folder.is_dir() else []


def note_files_of(study_id: str) -> list[Path]:
    """Return all files that are kept about the jobs of a study and its copies, wherever they lay and were called."""
    marks = sorted(_marks_folder().glob(f"{_digest(study_id)}-*"))
    folders = [_marks_folder().parent / place for place in sorted(places_of(study_id))]
    return [*(file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir())), *marks]


def places_of(study_id: str) -> frozenset[str]:
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
    """Write a file that only the user can read, in one step; sealed with the study's key where the study is sealed.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _mark_study(study)
    if study.working is not None:
        study.working.seal_content(content, path)
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def read_private(study: Study, path: Path) -> bytes:
    """Read what `write_private` wrote.

    Raises:
        OSError: it cannot be read.
        UserError: it was sealed with another key, or damaged.
        ValueError: the study is sealed and the file is not, or the other way round.
    """
    if path.is_symlink() or path.stat().st_size > _LONGEST or is_sealed(path) != (study.working is not None):
        raise ValueError(path.name)
    return path.read_bytes() if study.working is None else study.working.unseal_content(path)


def _notes_in(folder: Path) -> list[Path]:
    return [one for one in folder.glob("*.json") if not one.name.startswith(".")] if folder.is_dir() else []


# How each kind is asked for again. Modules of models are imported by the functions that need them.


def _faces(session: Session, job: InterruptedJob) -> Work:
    from app.core.faces import tracking
    from models.faces.options import FaceOptions

    options = FaceOptions(**cast(dict[str, Any], job.asked["options"]))
    detectors, processor = str(job.asked["detector"]), str(job.asked["processor"])
    return tracking.prepare(session, job.recording_id, options, detectors, processor)


def _text(session: Session, job: InterruptedJob) -> Work:
    from app.core.faces import text_regions

    return text_regions.prepare(session, job.recording_id, str(job.asked["finder"]))


def _speech(session: Session, job: InterruptedJob) -> Work:
    from app.core.speech import voice_activity
    from models.speech.options import SpeechOptions

    return voice_activity.prepare(
        session, job.recording_id, SpeechOptions(**cast(dict[str, Any], job.asked["options"]))
    )


def _transcribe(session: Session, job: InterruptedJob) -> Work:
    from app.core.speech import transcription
    from app.core.speech.utterance_cutting import CuttingOptions

    return transcription.prepare(
        session,
        job.recording_id,
        str(job.asked["model"]),
        cast("str | None", job.asked["language"]),
        replace=bool(job.asked["replace"]),
        processor=str(job.asked["processor"]),
        options=CuttingOptions(**cast(dict[str, Any], job.asked["options"])),
    )


def _speakers(session: Session, job: InterruptedJob) -> Work:
    from app.core.speech import speakers

    return speakers.prepare(session, job.recording_id, cast("int | None", job.asked["number"]))


def _cues(session: Session, job: InterruptedJob) -> Work:
    from app.core.cues import job as cues

    return cues.prepare(session, job.recording_id)


def _scenes(session: Session, job: InterruptedJob) -> Work:
    from app.core.meta import scene_job

    return scene_job.prepare(session, job.recording_id)


def _sync(session: Session, job: InterruptedJob) -> Work:
    from app.core import synchronizing

    return synchronizing.prepare(session, job.recording_id, str(job.asked["medium"]))


def _privacy(session: Session, job: InterruptedJob) -> Work:
    from app.core.privacy import job as privacy

    options = cast(dict[str, Json], job.asked["measure"])
    return privacy.prepare(session, Path(str(job.asked["clip"])), options=options)


def _release(session: Session, job: InterruptedJob) -> Work:
    from app.core.release import job as release
    from app.core.release.plan import plan_from

    return release.prepare(session, Path(str(job.asked["folder"])), plan_from(cast(dict[str, Json], job.asked["plan"])))


def _fetch(session: Session, job: InterruptedJob) -> Work:
    from app.core import fetching

    name, key = str(job.asked["name"]), str(job.asked.get("key", ""))
    if "source" in job.asked:
        return fetching.prepare_adding(name, Path(str(job.asked["source"])), str(job.asked.get("licence", "")))
    refusal = fetching.why_not(session, name, key)
    if refusal is not None:
        raise refusal
    return fetching.prepare(name, key)


def _ask(session: Session, job: InterruptedJob) -> Work | None:
    from app.core.judging.runs.asking import unanswered

    return unanswered(session, Work(job.kind, job.title, job.recording_id, job.asked), job.since)


_AGAIN: Mapping[str, Callable[[Session, InterruptedJob], Work | None]] = {
    "faces": _faces,
    "text": _text,
    "speech": _speech,
    "transcribe": _transcribe,
    "speakers": _speakers,
    "cues": _cues,
    "scenes": _scenes,
    "sync": _sync,
    "privacy": _privacy,
    "release": _release,
    "fetch": _fetch,
    "ask": _ask,
}
ASKED: Mapping[str, tuple[str, ...]] = {
    "faces": ("detector", "processor", "options"),
    "text": ("finder",),
    "speech": ("options",),
    "transcribe": ("model", "language", "replace", "processor", "options"),
    "speakers": ("number",),
    "cues": (),
    "scenes": (),
    "sync": ("medium",),
    "privacy": ("clip", "measure"),
    "release": ("folder", "plan"),
    "fetch": ("name", "key", "source", "licence"),
    "ask": (),
}
"""Kind of job -> what of its parameters somebody asked for. A run of judges is noted whole: it names no secret."""
NOT_NOTED: Mapping[str, str] = {
    "anonymize": "a clip belongs to an export, which is noted",
    "preview": "a picture that somebody looks at now",
    "listen": "a sound that somebody listens to now",
    "voice": "only the command line asks for it",
    "pii": "begins by itself when it is needed",
    "try_judge": "holds a key, and somebody waits for the answer",
}
"""Kind of job -> why it is not noted."""
