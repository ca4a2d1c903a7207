"""The render queue: clips of many recordings by several methods, kept on disk and resumed after a crash.

It estimates the disk space that they take before it starts.
"""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from anonymize.export import export_job
from anonymize.export.export_job import ClipExportResult
from anonymize.faces.masking_plan import require_method
from anonymize.voice.sound_choice import NONE, SoundChoice, require_choice
from project.codec import dump_bytes, load
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.files.filesystem import is_folder
from project.files.temporary_files import cache_folder
from project.progress import Progress
from project.queries.recording_rows import all_recordings
from project.session.job_notes import notes_folder, read_private, write_private
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.text_format import format_size
from project.timebase import SECOND_US

BITS_PER_PIXEL = 0.2
"""Upper bound of what the encoder took on six recordings of people, 0.074 (700 x 700) to 0.189 (640 x 360)."""
_SOUND_BITS_A_SECOND = 320_000
_LOSSLESS_BITS = 16


def estimate_clip_size(
    session: Session,
    recording_id: str,
    start_us: int | None = None,
    end_us: int | None = None,
    *,
    lossless: bool = False,
) -> int:
    """Return how many bytes a clip of a recording, or of a part of it, will take at most; 0 where it has no picture."""
    medium = session.main_medium(recording_id)
    if medium is None or medium.facts.video is None:
        return 0
    video = medium.facts.video
    whole = session.recording(recording_id).duration_us
    seconds = (min(whole, whole if end_us is None else end_us) - (start_us or 0)) / SECOND_US
    picture = video.width * video.height * video.frame_rate * BITS_PER_PIXEL
    audio = medium.facts.audio
    sound = 0
    if audio is not None:
        sound = audio.sample_rate * audio.channels * _LOSSLESS_BITS if lossless else _SOUND_BITS_A_SECOND
    return max(0, round(seconds * (picture + sound) / 8))


def require_disk_space(folder: Path, sizes: Iterable[int]) -> None:
    """Refuse clips that the disk has no room for. The folder need not exist yet; `sizes` are bytes."""
    place = next((parent for parent in (folder.absolute(), *folder.absolute().parents) if is_folder(parent)), Path("/"))
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return
    needed = sum(sizes)
    if needed > free:
        raise UserError(
            f"The clips need {format_size(needed)}, and the disk of {folder} has {format_size(free)} left.",
            "Free some space, choose another folder, or export fewer recordings at once.",
        )


_log = logging.getLogger(__name__)


class ClipState(StrEnum):
    """State of a clip in the queue."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


PENDING_STATES = frozenset({ClipState.WAITING, ClipState.RUNNING, ClipState.FAILED})
"""States of clips that are rendered when a queue is resumed; failed ones are, as the cause may be fixed."""


@dataclass(frozen=True, slots=True)
class QueuedClip:
    """One recording by one method.

    Attributes:
        problem: why it failed, and what to do; "" where it did not.
    """

    recording_id: str
    method: str
    options: Mapping[str, Json] = field(default_factory=dict)
    state: ClipState = ClipState.WAITING
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RenderQueue:
    """The clips of one request, and their states.

    Attributes:
        folder: where the clips go.
        sound: how the sound of all of them is treated.
    """

    folder: Path
    clips: tuple[QueuedClip, ...]
    start_us: int | None = None
    end_us: int | None = None
    keep_robots: bool = False
    overwrite: bool = False
    sound: SoundChoice = field(default_factory=SoundChoice)

    @property
    def pending(self) -> list[QueuedClip]:
        """Clips that are not there yet, and that nobody took back."""
        return [clip for clip in self.clips if clip.state in PENDING_STATES]

    @property
    def was_interrupted(self) -> bool:
        """Whether a clip was not come to, or was being made: what only failed was not interrupted."""
        return any(clip.state in (ClipState.WAITING, ClipState.RUNNING) for clip in self.clips)

    def with_state(self, clip: QueuedClip, state: ClipState, problem: str = "") -> "RenderQueue":
        """Return the queue with another state of one of its clips."""
        changed = replace(clip, state=state, problem=problem)
        same = (clip.recording_id, clip.method)
        return replace(
            self,
            clips=tuple(
                changed if (queued_clip.recording_id, queued_clip.method) == same else queued_clip
                for queued_clip in self.clips
            ),
        )


def make_queue(
    session: Session,
    recording_ids: Sequence[str],
    methods: Mapping[str, Mapping[str, Json]],
    folder: Path,
    *,
    start_us: int | None = None,
    end_us: int | None = None,
    keep_robots: bool = False,
    overwrite: bool = False,
    sound: SoundChoice | None = None,
) -> RenderQueue:
    """Make a queue of every recording by every method."""
    for method, options in methods.items():
        require_method(method, options)
    sound = sound or SoundChoice()
    require_choice(sound)
    lossless = sound.changes_sound and sound.voice != NONE
    sizes = [
        estimate_clip_size(session, recording_id, start_us, end_us, lossless=lossless)
        for recording_id in recording_ids
        for _ in methods
    ]
    require_disk_space(folder, sizes)
    clips = tuple(
        QueuedClip(recording_id, method, dict(methods[method])) for recording_id in recording_ids for method in methods
    )
    return RenderQueue(folder.absolute(), clips, start_us, end_us, keep_robots, overwrite, sound)


def queue_title(session: Session, queue: RenderQueue) -> str:
    """Name an export in a line, as one of the jobs of a study."""
    if len(queue.pending) != 1:
        return f"Export of {len(queue.pending)} clips"
    (clip,) = queue.pending
    return f"Export of recording {session.recording(clip.recording_id).number} ({clip.method})"


def prepare(session: Session, queue: RenderQueue, clip: QueuedClip) -> JobSpec:
    """Make the job for a clip. One that was being made when the program stopped replaces what is there."""
    return export_job.prepare(
        session,
        clip.recording_id,
        clip.method,
        queue.folder,
        options=clip.options,
        start_us=queue.start_us,
        end_us=queue.end_us,
        keep_robots=queue.keep_robots,
        overwrite=queue.overwrite or clip.state is ClipState.RUNNING,
        sound=queue.sound,
    )


def run_queue(
    session: Session, queue: RenderQueue, progress: Callable[[JobSpec], Progress]
) -> Iterator[tuple[QueuedClip, ClipExportResult | None]]:
    """Make what is left of a queue, one clip after the other, and yield each with its result; None where it failed.

    What fails is marked with the reason, and the rest goes on. How far it is stands on disk all the time, until
    everything is done.
    """
    save_queue(session, queue)
    for clip in queue.pending:
        result = None
        try:
            work = prepare(session, queue, clip)
            queue = queue.with_state(clip, ClipState.RUNNING)
            save_queue(session, queue)
            result, _ = run_inline(session, work, progress(work))
            ended, problem = ClipState.DONE, ""
        except Cancelled:
            raise
        except UserError as error:
            ended, problem = ClipState.FAILED, " ".join(part for part in (error.message, error.hint) if part)
        except Exception as error:
            _log.exception("A clip of recording %s by %s could not be made", clip.recording_id, clip.method)
            ended, problem = ClipState.FAILED, f"It stopped unexpectedly ({type(error).__name__}); the log says more."
        queue = queue.with_state(clip, ended, problem)
        save_queue(session, queue)
        yield replace(clip, state=ended, problem=problem), result


def save_queue(session: Session, queue: RenderQueue) -> None:
    """Keep a queue until everything in it is done; a newer one takes its place.

    A cache folder that cannot be written to is done without: the queue then ends with the program.
    """
    place = _study_queue_path(session)
    with suppress(OSError):
        if not queue.pending:
            place.unlink(missing_ok=True)
            return
        write_private(session.study, place, dump_bytes(queue))


def load_unfinished(session: Session) -> RenderQueue | None:
    """Return the queue of this study that was not finished, or None; clips of recordings that are gone are left out."""
    try:
        kept = json.loads(read_private(session.study, _study_queue_path(session)))
        queue = load(RenderQueue, kept, "The queue of exports")
    except (OSError, UserError, ValueError):
        return None
    there = {recording.id for recording in all_recordings(session.study)}
    queue = replace(queue, clips=tuple(clip for clip in queue.clips if clip.recording_id in there))
    return queue if queue.pending else None


def delete_queue(session: Session) -> None:
    """Forget the queue of this study."""
    with suppress(OSError):
        _study_queue_path(session).unlink(missing_ok=True)


def _study_queue_path(session: Session) -> Path:
    study = session.study
    return queue_path(study.path) if study.encryption_key is None else notes_folder(study.path) / "export.queue"


def queue_path(study: Path) -> Path:
    """Return the file of the queue of a study; it may not be there."""
    name = hashlib.sha256(str(study.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return cache_folder() / "queues" / f"{name}.json"
