"""The job that makes a few seconds of a recording's sound to listen to, before and after. It leaves nothing behind."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from anonymize.voice.sound_choice import SoundChoice, SoundParameters, build_filter, gather_sound_parameters
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress
from project.session.jobs import JobKind, JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, format_time

KIND = "listen"
BEFORE, AFTER = "before", "after"
PREVIEW_MARGIN_US = 4 * SECOND_US
_ROOM_TONE_US = 15 * SECOND_US
"""So much on each side is listened to for the tone of the room."""
_SUFFIX = ".preview.wav"


@dataclass(frozen=True, slots=True)
class SoundPreviewParameters:
    """What is listened to, and how it is treated."""

    path: Path
    track: int
    sound: SoundParameters
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class SoundPreviewResult:
    """A private folder with the sound before and after."""

    file: Path
    start_us: int
    end_us: int


def prepare(session: Session, recording_id: str, choice: SoundChoice, time_us: int) -> JobSpec[SoundPreviewParameters]:
    """Make the job for the seconds around a time."""
    located = session.require_picture(recording_id)
    if located.medium.facts.audio is None:
        raise UserError("This recording has no sound.", "Choose a recording with sound.")
    return JobSpec(
        KIND,
        f"Listen at {format_time(time_us)}",
        recording_id,
        SoundPreviewParameters(
            located.path,
            located.medium.sound_track,
            gather_sound_parameters(session, recording_id, choice),
            max(0, time_us - PREVIEW_MARGIN_US),
            min(located.medium.facts.duration_us, time_us + PREVIEW_MARGIN_US),
        ),
    )


def compute(parameters: SoundPreviewParameters, progress: Progress) -> SoundPreviewResult:
    """Write the sound before and after into a private folder that `delete_preview` removes."""
    from media.sound import Silence
    from media.soundtrack import write_sound

    path, track, start_us, end_us = parameters.path, parameters.track, parameters.start_us, parameters.end_us
    progress.progress(0, 0, "Treating the sound")
    near = (max(0, start_us - _ROOM_TONE_US), end_us + _ROOM_TONE_US)
    chosen = build_filter(parameters.sound, path, progress, near, track=track)
    treatment = Silence() if chosen == "none" else None if chosen == "keep" else chosen
    folder = cache_folder() / "previews"
    with explain_os_errors(f"The sound cannot be kept in {folder}", "Free some space."):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep_caches("previews")
        place = Path(tempfile.mkdtemp(dir=folder, suffix=_SUFFIX))
    for which, how in ((BEFORE, None), (AFTER, treatment)):
        heard = place / f"{which}.wav"
        write_sound(path, heard, how, start_us=start_us, end_us=end_us, track=track, progress=progress)
    return SoundPreviewResult(place, start_us, end_us)


def preview_file(result: SoundPreviewResult, which: str) -> Path:
    """Return the file of what `compute` made, `BEFORE` or `AFTER`."""
    return result.file / f"{which}.wav"


def delete_preview(result: SoundPreviewResult) -> None:
    """Take away what `compute` wrote."""
    shutil.rmtree(result.file, ignore_errors=True)


JOB = JobKind(key=KIND, parameters=SoundPreviewParameters, result=SoundPreviewResult, compute=compute)
