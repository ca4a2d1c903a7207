"""The kinds of jobs, which run the same way inline, in a thread or in the worker process.

Failures of the machine, such as too little memory, become messages.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Protocol

from project.codec import dump, load
from project.entities.study_records import Changes, Json, Run
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__
from resources.translation import tr

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    P = TypeVar("P", default=Any)
    R = TypeVar("R", default=Any)
else:
    from typing import TypeVar

    P, R = TypeVar("P"), TypeVar("R")

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
                f"There is not enough memory {where}.",
                "Close other programs and start the job again; finished parts are kept.",
            ) from error
        if _GRAPHICS_CARD.search(said):
            raise UserError(
                "The graphics card has stopped responding.",
                "Start the job again. If this happens again, restart the computer, or choose the processor “cpu”.",
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


@dataclass(frozen=True, slots=True)
class JobSpec(Generic[P]):
    """One job to be done.

    Attributes:
        kind: key in `JOB_MODULES`.
        title: what the user reads while it runs.
        recording_id: what it is about; "" where it is about no recording.
        parameters: what `compute` gets, also in another process.
    """

    kind: str
    title: str
    recording_id: str
    parameters: P


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


class JobOutcome(StrEnum):
    """Whether a job that ended gave all that was asked of it."""

    DONE = "done"
    INCOMPLETE = "incomplete"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind(Generic[P, R]):
    """A kind of job. Its module declares it as `JOB`.

    Attributes:
        key: in `JOB_MODULES`.
        parameters: a frozen dataclass that `project.codec` turns into JSON; the job may run in another process.
        result: likewise.
        compute: does the work, without the study.
        store: stores the result in the process that holds the study.
        summarize: says in a line what came of it.
        outcome: tells whether the result is all that was asked for.
        renew: prepares a job again that waited: the study may have changed.
        resume: prepares an interrupted job again, from the id of the recording and, by name, the parameters that
            `resume_fields` names; gives None where nothing is left to do. Kinds without it are not resumed.
        resume_fields: parameters that a person chose.
        store_part: stores a part that the job sent.
        answer: answers what the job asks while it runs.
        unsaved: names of parameters and results that the study does not keep.
        sent_files: parameters that name small files, which travel with the job to another machine.
        returned_files: likewise, of its result.
        discard: removes what was prepared for a job that failed or was cancelled.
        network: whether it may connect where a policy allows it; the kernel takes the network from any other.
        parallel: whether it must not wait behind long work.
        automatic: whether it begins by itself, and will again.
        single: whether a recording has one such job at a time.
    """

    key: str
    parameters: type[P]
    result: type[R]
    compute: Callable[[P, JobHost], R]
    store: Callable[[Session, JobSpec[P], R], Changes] = lambda _session, _work, _result: Changes()
    summarize: Callable[[JobSpec[P], R], str] = lambda _work, _result: tr("Done")
    outcome: Callable[[R], JobOutcome] = lambda _result: JobOutcome.DONE
    renew: Callable[[Session, JobSpec[P]], JobSpec[P]] = lambda _session, work: work
    resume: Callable[..., JobSpec[P] | None] | None = None
    resume_fields: tuple[str, ...] = ()
    store_part: Callable[[Session, JobSpec[P], Mapping[str, Json]], Changes] | None = None
    answer: Callable[[Session, JobSpec[P], Mapping[str, Json]], dict[str, Json]] | None = None
    unsaved: tuple[str, ...] = ("path",)
    sent_files: tuple[str, ...] = ()
    returned_files: tuple[str, ...] = ()
    discard: Callable[[P], None] = lambda _parameters: None
    network: bool = False
    parallel: bool = False
    automatic: bool = False
    single: bool = False


def load_kind(key: str) -> JobKind[Any, Any]:
    """Load the declaration of a kind of job."""
    kind: JobKind[Any, Any] = importlib.import_module(JOB_MODULES[key]).JOB
    return kind


def format_elapsed(seconds: float) -> str:
    """Return how long a job took."""
    return f"{seconds:.{0 if seconds >= 10 else 1}f} s"


def compute(key: str, parameters: Mapping[str, Json], host: JobHost) -> dict[str, Json]:
    """Do the work of a kind of job in a process without the study, from JSON to JSON."""
    kind = load_kind(key)
    with explain_machine_errors():
        return dump(kind.compute(load(kind.parameters, parameters, key), host))


def store_part(session: Session, work: JobSpec, part: Mapping[str, Json]) -> Changes:
    """Store a finished part of a job in the study."""
    store = load_kind(work.kind).store_part
    assert store is not None
    return store(session, work, part)


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer what a job asks while it runs."""
    reply = load_kind(work.kind).answer
    assert reply is not None
    return reply(session, work, question)


def run_inline(session: Session, work: JobSpec, progress: Progress) -> tuple[Any, Changes]:
    """Do a job in this process and store its result; returns the result and what changed."""
    kind, host = load_kind(work.kind), _InlineHost(session, work, progress)
    with explain_machine_errors():
        result = kind.compute(work.parameters, host)
    return result, host.changes | kind.store(session, work, result)


def record_run(
    session: Session,
    work: JobSpec,
    backend: str,
    result: object,
    *,
    parameters: Mapping[str, Json] = MappingProxyType({}),
    facts: Mapping[str, Json] = MappingProxyType({}),
) -> Run:
    """Insert the run of a job, within a run transaction.

    Args:
        session: holds the study.
        work: the job.
        backend: what did it.
        result: of the job.
        parameters: kept beside those of the job, or in place of them.
        facts: kept beside the result.
    """
    unsaved = load_kind(work.kind).unsaved

    def kept(value: object) -> dict[str, Json]:
        return {key: content for key, content in dump(value).items() if key not in unsaved}

    run = Run(
        new_id(),
        work.recording_id,
        work.kind,
        backend,
        {**kept(work.parameters), **parameters},
        {**kept(result), **facts},
        utc_now(),
        __version__,
    )
    insert_run(session.study, run)
    return run


def store_run(session: Session, work: JobSpec, backend: str, result: object, **more: Mapping[str, Json]) -> Changes:
    """Store a result that is a run and nothing else; takes what `record_run` takes."""
    with session.study.run_transaction():
        run = record_run(session, work, backend, result, **more)
    return Changes.from_pairs([("run", run.id)])


class _InlineHost:
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
