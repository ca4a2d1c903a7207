"""Clips of many recordings by several methods: one queue, kept on disk, taken up again after a crash.

It lies in the cache folder and not in the study, because it names folders of this machine; that of a sealed study lies
with the notes about its jobs, sealed with its key.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from app.core.faces.hiding import require_method
from app.core.interrupted_jobs import notes_folder, read_private, write_private
from app.core.jobs import Work, run_here
from app.core.rendering import anonymization
from app.core.rendering.clip_room import require_room, room_for
from app.core.session import Session
from app.core.voice.choice import NONE, SoundChoice, choice_from, require_choice
from media.cache import cache_folder
from project.errors import Cancelled, UserError
from project.progress import Progress
from project.queries.recordings import all_recordings
from project.types import Json

_log = logging.getLogger(__name__)
_FORMAT = 1


class ClipState(StrEnum):
    """Where a clip stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


LEFT = frozenset({ClipState.WAITING, ClipState.RUNNING, ClipState.FAILED})
"""What is done when a queue is taken up again: also what failed, since somebody may have put it right."""


@dataclass(frozen=True, slots=True)
class Clip:
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
class Queue:
    """What was asked for at once, and how far it is.

    Attributes:
        folder: where the clips go.
        sound: how the sound of all of them is treated.
    """

    folder: Path
    clips: tuple[Clip, ...]
    start_us: int | None = None
    end_us: int | None = None
    keep_robots: bool = False
    overwrite: bool = False
    sound: SoundChoice = field(default_factory=SoundChoice)

    @property
    def left(self) -> list[Clip]:
        """Clips that are not there yet, and that nobody took back."""
        return [clip for clip in self.clips if clip.state in LEFT]

    @property
    def interrupted(self) -> bool:
        """Whether a clip was not come to, or was being made: what only failed was not interrupted."""
        return any(clip.state in (ClipState.WAITING, ClipState.RUNNING) for clip in self.clips)

    def marked(self, clip: Clip, state: ClipState, problem: str = "") -> "Queue":
        """Return the queue with another state of one of its clips."""
        changed = replace(clip, state=state, problem=problem)
        same = (clip.recording_id, clip.method)
        return replace(
            self, clips=tuple(changed if (one.recording_id, one.method) == same else one for one in self.clips)
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
) -> Queue:
    """Make a queue of every recording by every method.

    Args:
        session: where the recordings are.
        recording_ids: which.
        methods: name -> options.
        folder: where the clips go.
        start_us: see `anonymization.prepare`, as all that follows.
        end_us: likewise.
        keep_robots: likewise.
        overwrite: likewise.
        sound: likewise.

    Raises:
        UserError: a method cannot run here, or the disk has no room for the clips.
    """
    for method, options in methods.items():
        require_method(method, options)
    sound = sound or SoundChoice()
    require_choice(sound)
    lossless = sound.treats and sound.voice != NONE
    sizes = [room_for(session, each, start_us, end_us, lossless=lossless) for each in recording_ids for _ in methods]
    require_room(folder, sizes)
    clips = tuple(Clip(each, method, dict(methods[method])) for each in recording_ids for method in methods)
    return Queue(folder.absolute(), clips, start_us, end_us, keep_robots, overwrite, sound)


def plan_title(session: Session, queue: Queue) -> str:
    """Name an export in a line, as one of the jobs of a study."""
    if len(queue.left) != 1:
        return f"Export of {len(queue.left)} clips"
    (clip,) = queue.left
    return f"Export of recording {session.recording(clip.recording_id).number} ({clip.method})"


def prepare(session: Session, queue: Queue, clip: Clip) -> Work:
    """Make the job for a clip. One that was being made when the program stopped replaces what is there.

    Raises:
        UserError: see `anonymization.prepare`.
    """
    return anonymization.prepare(
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
    session: Session, queue: Queue, progress: Callable[[Work], Progress]
) -> Iterator[tuple[Clip, dict[str, Json] | None]]:
    """Make what is left of a queue, one clip after the other, and yield each with its result; None where it failed.

    What fails is marked with the reason, and the rest goes on. How far it is stands on disk all the time, until
    everything is done.
    """
    save(session, queue)
    for clip in queue.left:
        result = None
        try:
            work = prepare(session, queue, clip)
            queue = queue.marked(clip, ClipState.RUNNING)
            save(session, queue)
            result, _ = run_here(session, work, progress(work))
            ended, problem = ClipState.DONE, ""
        except Cancelled:
            raise
        except UserError as error:
            ended, problem = ClipState.FAILED, " ".join(part for part in (error.message, error.hint) if part)
        except Exception as error:
            _log.exception("A clip of recording %s by %s could not be made", clip.recording_id, clip.method)
            ended, problem = ClipState.FAILED, f"It stopped unexpectedly ({type(error).__name__}); the log says more."
        queue = queue.marked(clip, ended, problem)
        save(session, queue)
        yield replace(clip, state=ended, problem=problem), result


def save(session: Session, queue: Queue) -> None:
    """Keep a queue until everything in it is done; a newer one takes its place.

    A cache folder that cannot be written to is done without: the queue then ends with the program.
    """
    place = _place_for(session)
    with suppress(OSError):
        if not queue.left:
            place.unlink(missing_ok=True)
            return
        kept = {**asdict(queue), "folder": str(queue.folder), "sound": queue.sound.as_json()}
        write_private(session.study, place, json.dumps({"format": _FORMAT, **kept}).encode())


def unfinished(session: Session) -> Queue | None:
    """Return the queue of this study that was not finished, or None; clips of recordings that are gone are left out."""
    try:
        kept: dict[str, Any] = json.loads(read_private(session.study, _place_for(session)))
        if kept.pop("format") != _FORMAT:
            return None
        clips = [Clip(**{**one, "state": ClipState(one["state"])}) for one in cast(list[dict[str, Any]], kept["clips"])]
        sound = choice_from(kept.get("sound", {}))
        queue = Queue(**{**kept, "folder": Path(kept["folder"]), "clips": tuple(clips), "sound": sound})
    except (OSError, UserError, ValueError, KeyError, TypeError):
        return None
    there = {one.id for one in all_recordings(session.study)}
    queue = replace(queue, clips=tuple(clip for clip in queue.clips if clip.recording_id in there))
    return queue if queue.left else None


def drop(session: Session) -> None:
    """Forget the queue of this study."""
    with suppress(OSError):
        _place_for(session).unlink(missing_ok=True)


def _place_for(session: Session) -> Path:
    study = session.study
    return queue_place(study.path) if study.working is None else notes_folder(study.path) / "export.queue"


def queue_place(study: Path) -> Path:
    """Return the file of the queue of a study; it may not be there."""
    name = hashlib.sha256(str(study.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return cache_folder() / "queues" / f"{name}.json"
