"""Long work, cut so that it runs the same way inline, in a thread or in the worker process.

A kind of job is a module with two functions:

    compute(parameters, progress) -> result     anywhere; reads and writes files, never the study
    store(session, work, result) -> Changes     in the process that holds the study

and, by convention, a `prepare(session, ...)` that makes the `Work`. Parameters and results are JSON; what is too
bulky for that goes through files named in them.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from app.core.session import Session
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
    "pii": "app.core.pii.search",
}


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


class JobKind(Protocol):
    """What the module of a kind of job offers."""

    def compute(self, parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
        """Do the work, without the study."""

    def store(self, session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
        """Put the result into the study."""


def kind_of(key: str) -> JobKind:
    """Load the module of a kind of job."""
    return cast(JobKind, importlib.import_module(KINDS[key]))


def run_here(session: Session, work: Work, progress: Progress) -> tuple[dict[str, Json], Changes]:
    """Do a job in this process and store its result; returns the result and what changed."""
    kind = kind_of(work.kind)
    result = kind.compute(work.parameters, progress)
    return result, kind.store(session, work, result)
