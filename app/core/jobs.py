"""Long work, cut so that it runs the same way inline, in a thread or in the worker process.

A kind of job is a module with two functions:

    compute(parameters, progress) -> result     anywhere; reads and writes files, never the study
    store(session, work, result) -> Changes     in the process that holds the study

and, by convention, a `prepare(session, ...)` that makes the `Work`. Parameters and results are JSON; what is too
bulky for that goes through files named in them. Two more functions are for kinds whose work is worth keeping piece
by piece, or that must ask whoever holds the study while they run:

    store_part(session, work, part) -> Changes      puts one piece into the study, as soon as it is there
    answer(session, work, question) -> dict         answers; a UserError goes back to where it was asked
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from app.core.session import Session
from app.core.trouble import machine_explained
from project.progress import Progress
from project.types import Changes, Json

KINDS = {
    "faces": "app.core.faces.tracking",
    "anonymize": "app.core.rendering.anonymization",
    "preview": "app.core.rendering.preview",
    "privacy": "app.core.privacy.job",
    "release": "app.core.release.job",
    "sync": "app.core.synchronizing",
    "text": "app.core.faces.text_regions",
    "fetch": "app.core.fetching",
    "speech": "app.core.speech.voice_activity",
    "transcribe": "app.core.speech.transcription",
    "speakers": "app.core.speech.speakers",
    "voice": "app.core.voice.job",
    "listen": "app.core.voice.preview",
    "cues": "app.core.cues.job",
    "scenes": "app.core.meta.scene_job",
    "pii": "app.core.pii.search",
    "ask": "app.core.judging.runs.asking",
    "try_judge": "app.core.judging.judges.trying",
}
CONNECTING = frozenset({"fetch", "ask", "try_judge"})
"""Kinds that may connect where a policy allows it. The kernel takes the network from a worker that does another one."""


@dataclass(frozen=True, slots=True)
class Work:
    """One job to be done.

    Attributes:
        kind: key in `KINDS`.
        title: what the user reads while it runs.
        recording_id: what it is about; "" where it is about no recording.
        parameters: JSON that `compute` gets, also in another process.
    """

    kind: str
    title: str
    recording_id: str
    parameters: Mapping[str, Json] = field(default_factory=dict)


class Holder(Progress, Protocol):
    """Whoever holds the study, as a job sees it from wherever it runs.

    Attributes:
        threadsafe: whether any thread of the job may hand over and ask; otherwise only the study's own.
    """

    threadsafe: bool

    def part(self, part: dict[str, Json]) -> None:
        """Hand over one finished piece; it is stored at once."""

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """Ask, and wait for the answer. In the worker process any thread may ask; elsewhere the study's own.

        Raises:
            UserError: as whoever answers raised it; a `Forbidden` keeps its rule.
        """


class JobKind(Protocol):
    """What the module of a kind of job offers."""

    def compute(self, parameters: Mapping[str, Json], progress: Holder) -> dict[str, Json]:
        """Do the work, without the study."""

    def store(self, session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
        """Put the result into the study."""


def kind_of(key: str) -> JobKind:
    """Load the module of a kind of job."""
    return cast(JobKind, importlib.import_module(KINDS[key]))


def compute(key: str, parameters: Mapping[str, Json], progress: Holder) -> dict[str, Json]:
    """Do the work of a kind of job, without the study.

    Raises:
        UserError: the job says so, or the machine cannot: too little memory, a graphics card that is gone.
    """
    with machine_explained():
        return kind_of(key).compute(parameters, progress)


def store_part(session: Session, work: Work, part: Mapping[str, Json]) -> Changes:
    """Put a finished piece of a job into the study."""
    changes: Changes = importlib.import_module(KINDS[work.kind]).store_part(session, work, part)
    return changes


def answer(session: Session, work: Work, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer what a job asks while it runs.

    Raises:
        UserError: whatever was asked for is not granted.
    """
    found: dict[str, Json] = importlib.import_module(KINDS[work.kind]).answer(session, work, question)
    return found


def run_here(session: Session, work: Work, progress: Progress) -> tuple[dict[str, Json], Changes]:
    """Do a job in this process and store its result; returns the result and what changed."""
    holder = _Here(session, work, progress)
    result = compute(work.kind, work.parameters, holder)
    return result, holder.changes | kind_of(work.kind).store(session, work, result)


class _Here:
    """The process that runs the job holds the study too."""

    threadsafe = False

    def __init__(self, session: Session, work: Work, progress: Progress) -> None:
        self._session, self._work = session, work
        self.progress = progress.progress
        self.check_cancelled = progress.check_cancelled
        self.changes = Changes()

    def part(self, part: dict[str, Json]) -> None:
        self.changes |= store_part(self._session, self._work, part)

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        return answer(self._session, self._work, question)
