"""The job that makes a few seconds of a recording's sound to listen to, before and after. It leaves nothing behind."""

import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from anonymize.voice.sound_choice import SoundChoice, gather_sound_parameters
from anonymize.voice.sound_job import build_filter
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Progress
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, format_time

KIND = "listen"
BEFORE, AFTER = "before", "after"
PREVIEW_MARGIN_US = 4 * SECOND_US
_ROOM_TONE_US = 15 * SECOND_US
"""So much on each side is listened to for the tone of the room."""
_SUFFIX = ".preview.wav"
_ABANDONED_AFTER_S = 3600


def prepare(session: Session, recording_id: str, choice: SoundChoice, time_us: int) -> JobSpec:
    """Make the job for the seconds around a time."""
    located = session.require_picture(recording_id)
    if located.medium.facts.audio is None:
        raise UserError("This recording has no sound.", "There is nothing to listen to.")
    return JobSpec(
        KIND,
        f"Listen at {format_time(time_us)}",
        recording_id,
        {
            "path": str(located.path),
            "track": located.medium.sound_track,
            "sound": gather_sound_parameters(session, recording_id, choice),
            "start_us": max(0, time_us - PREVIEW_MARGIN_US),
            "end_us": min(located.medium.facts.duration_us, time_us + PREVIEW_MARGIN_US),
        },
    )


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Write the sound before and after into a private folder that `delete_preview` removes."""
    from media.sound import Silence
    from media.soundtrack import write_sound

    path = Path(str(parameters["path"]))
    start_us, end_us, track = (cast(int, parameters[key]) for key in ("start_us", "end_us", "track"))
    progress.progress(0, 0, "Treating the sound")
    near = (max(0, start_us - _ROOM_TONE_US), end_us + _ROOM_TONE_US)
    chosen = build_filter(cast(dict[str, Json], parameters["sound"]), path, progress, near, track=track)
    treatment = Silence() if chosen == "none" else None if chosen == "keep" else chosen
    folder = cache_folder() / "previews"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_abandoned_sound_previews(folder)
        place = Path(tempfile.mkdtemp(dir=folder, suffix=_SUFFIX))
    except OSError as error:
        raise UserError(f"The sound cannot be kept in {folder}: {error.strerror}.", "Make room there.") from None
    for which, how in ((BEFORE, None), (AFTER, treatment)):
        heard = place / f"{which}.wav"
        write_sound(path, heard, how, start_us=start_us, end_us=end_us, track=track, progress=progress)
    return {"file": str(place), "start_us": start_us, "end_us": end_us}


def store(_session: Session, _work: JobSpec, _result: Mapping[str, Json]) -> Changes:
    """Keep nothing: it is only listened to."""
    return Changes.from_pairs([])


def preview_file(result: Mapping[str, Json], which: str) -> Path:
    """Return the file of what `compute` made, `BEFORE` or `AFTER`."""
    return Path(str(result["file"])) / f"{which}.wav"


def delete_preview(result: Mapping[str, Json]) -> None:
    """Take away what `compute` wrote."""
    _delete_folder(Path(str(result["file"])))


def remove_abandoned_sound_previews(folder: Path) -> None:
    """Remove what a window that was closed meanwhile did not."""
    for place in folder.glob(f"*{_SUFFIX}"):
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > _ABANDONED_AFTER_S:
                _delete_folder(place)


def _delete_folder(place: Path) -> None:
    with suppress(OSError):
        for file in place.iterdir():
            file.unlink()
        place.rmdir()
