"""The kinds of jobs, which run the same way inline, in a thread or in the worker process.

Failures of the machine, such as too little memory, become messages.
"""

import importlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, cast

from project.entities.study_records import Changes, Json
from project.errors import Cancelled, UserError
from project.progress import Progress
from project.session.session import Session

_NO_MEMORY = re.compile(r"out of memory|bad_alloc|failed to allocate|cannot allocate memory", re.IGNORECASE)
_GRAPHICS_CARD = re.compile(r"\b(CUDA|CUDNN|CUBLAS|NVML|nvidia)", re.IGNORECASE)


@contextmanager
def explain_machine_errors() -> Iterator[None]:
    """Turn a failure of the machine inside the block into a message; what is no such failure passes as it is.

    Libraries have no exceptions of their own for these, so what they say is looked at.
    """
    try:
        yield
    except (UserError, Cancelled):
        raise
    except Exception as error:
        said = str(error)
        if isinstance(error, MemoryError) or _NO_MEMORY.search(said):
            where = "on the graphics card" if _GRAPHICS_CARD.search(said) else "in this computer"
            raise UserError(
                f"There is not enough memory {where} for this.",
                "Close other programs and start it again; what was finished is kept.",
            ) from error
        if _GRAPHICS_CARD.search(said):
            raise UserError(
                "The graphics card stopped answering.",
                "Start it again; if it happens again, restart the computer or choose the processor “cpu”.",
            ) from error
        raise


JOB_MODULES = {
    "faces": "anonymize.faces.face_tracking_job",
    "anonymize": "anonymize.export.export_job",
    "preview": "anonymize.export.preview_job",
    "privacy": "anonymize.privacy.privacy_job",
    "release": "anonymize.release.release_job",
    "sync": "annotate.study.recording_files",
    "text": "anonymize.faces.text_regions_job",
    "fetch": "anonymize.egress.weights_download_job",
    "speech": "annotate.speech.voice_activity",
    "transcribe": "annotate.speech.transcription",
    "speakers": "annotate.speech.speaker_detection",
    "voice": "anonymize.voice.sound_job",
    "listen": "anonymize.voice.sound_preview_job",
    "cues": "annotate.cues.cue_detection",
    "scenes": "annotate.meta.scenes",
    "pii": "anonymize.pii_review.study_finder",
    "ask": "benchmark.judging.ask_job",
    "try_judge": "benchmark.judging.judge_trial",
}
NETWORK_KINDS = frozenset({"fetch", "ask", "try_judge"})
"""Kinds that may connect where a policy allows it. The kernel takes the network from a worker that does another one."""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job to be done.

    Attributes:
        kind: key in `JOB_MODULES`.
        title: what the user reads while it runs.
        recording_id: what it is about; "" where it is about no recording.
        parameters: JSON that `compute` gets, also in another process.
    """

    kind: str
    title: str
    recording_id: str
    parameters: Mapping[str, Json] = field(default_factory=dict)


class JobHost(Progress, Protocol):
    """Whoever holds the study, as a job sees it from wherever it runs.

    Attributes:
        threadsafe: whether any thread of the job may hand over and ask; otherwise only the study's own.
    """

    threadsafe: bool

    def part(self, part: dict[str, Json]) -> None:
        """Send one finished part; it is stored at once."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer. In the worker process any thread may ask; elsewhere the study's own."""


class JobKind(Protocol):
    """What the module of a kind of job offers."""

    def compute(self, parameters: Mapping[str, Json], progress: JobHost) -> dict[str, Json]:
        """Do the work, without the study."""

    def store(self, session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
        """Store the result in the study."""


def load_kind(key: str) -> JobKind:
    """Load the module of a kind of job."""
    return cast(JobKind, importlib.import_module(JOB_MODULES[key]))


def compute(key: str, parameters: Mapping[str, Json], progress: JobHost) -> dict[str, Json]:
    """Do the work of a kind of job, without the study."""
    with explain_machine_errors():
        return load_kind(key).compute(parameters, progress)


def store_part(session: Session, work: JobSpec, part: Mapping[str, Json]) -> Changes:
    """Store a finished part of a job in the study."""
    changes: Changes = importlib.import_module(JOB_MODULES[work.kind]).store_part(session, work, part)
    return changes


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer what a job asks while it runs."""
    found: dict[str, Json] = importlib.import_module(JOB_MODULES[work.kind]).answer(session, work, question)
    return found


def run_inline(session: Session, work: JobSpec, progress: Progress) -> tuple[dict[str, Json], Changes]:
    """Do a job in this process and store its result; returns the result and what changed."""
    holder = _Here(session, work, progress)
    result = compute(work.kind, work.parameters, holder)
    return result, holder.changes | load_kind(work.kind).store(session, work, result)


class _Here:
    """The process that runs the job holds the study too."""

    threadsafe = False

    def __init__(self, session: Session, work: JobSpec, progress: Progress) -> None:
        self._session, self._work = session, work
        self.progress = progress.progress
        self.check_cancelled = progress.check_cancelled
        self.changes = Changes()

    def part(self, part: dict[str, Json]) -> None:
        self.changes |= store_part(self._session, self._work, part)

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        return answer(self._session, self._work, question)
