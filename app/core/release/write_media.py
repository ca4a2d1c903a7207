"""Writes the clips and pictures of a release, all from the rendering that was checked."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from app.core.release.codes import recording_code
from app.core.release.plan import KEEP, ReleasePlan
from app.core.release.rendering import Rendering
from media.silent import silent_copy
from media.steady import steady_copy
from media.stills import stills
from project.progress import Progress

STEADY_RATE = 15


def write_media(folder: Path, plan: ReleasePlan, renderings: Sequence[Rendering], progress: Progress) -> dict[str, str]:
    """Write what the plan asks for under a folder; returns path in it -> key of the source that it was made of.

    Raises:
        UserError: a file cannot be written.
        Cancelled: the user stopped it.
    """
    made: dict[str, str] = {}
    for one in renderings:
        method, code = one.outcome.method, recording_code(one.outcome.number)
        sound = plan.sound == KEEP

        def place(kind: str, name: str, method: str = method, code: str = code) -> Path:
            target = folder / kind / method / name
            target.parent.mkdir(parents=True, exist_ok=True)
            made[target.relative_to(folder).as_posix()] = f"{code} {method}"
            return target

        if "source" in plan.video:
            target = place("video-source", f"{code}.mp4")
            if sound:
                shutil.copyfile(one.clip, target)
            else:
                silent_copy(one.clip, target)
        if "15hz" in plan.video:
            steady_copy(one.clip, place("video-15hz", f"{code}.mp4"), STEADY_RATE, sound=sound, progress=progress)
        if "1hz" in plan.video:
            pictures = folder / "frames-1hz" / method / code
            pictures.mkdir(parents=True, exist_ok=True)
            for still in stills(one.clip, pictures, progress=progress):
                made[still.relative_to(folder).as_posix()] = f"{code} {method}"
    return made
