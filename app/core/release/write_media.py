"""Writes the clips and pictures of a release, all from the rendering that was checked."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.core.release.codes import recording_code
from app.core.release.plan import ReleasePlan
from app.core.release.rendering import Rendering
from media.lossless import SoundFilter
from media.silent import silent_copy
from media.sounding import sounding_copy
from media.steady import steady_copy
from media.stills import stills
from media.whole_file import read_whole
from project.progress import Progress

STEADY_RATE = 15


def write_media(
    folder: Path,
    plan: ReleasePlan,
    renderings: Sequence[Rendering],
    treatments: Mapping[int, SoundFilter],
    progress: Progress,
) -> dict[str, str]:
    """Write what the plan asks for under a folder; returns path in it -> key of the source that it was made of.

    Args:
        folder: of the release.
        plan: of the release.
        renderings: what was rendered and looked at.
        treatments: number of a recording -> what is done to its sound, for those whose sound leaves.
        progress: told.

    Raises:
        UserError: a file cannot be written.
        Cancelled: the user stopped it.
    """
    made: dict[str, str] = {}
    for one in renderings:
        method, code = one.outcome.method, recording_code(one.outcome.number)
        treatment = treatments.get(one.outcome.number)

        def place(kind: str, name: str, method: str = method, code: str = code) -> Path:
            target = folder / kind / method / name
            target.parent.mkdir(parents=True, exist_ok=True)
            made[target.relative_to(folder).as_posix()] = f"{code} {method}"
            return target

        with _with_sound(one, treatment, progress) as sounding:
            if "source" in plan.video:
                target = place("video-source", f"{code}.mp4")
                if sounding is not None:
                    shutil.copyfile(sounding, target)
                else:
                    silent_copy(one.clip, target)
            if "15hz" in plan.video:
                steady = place("video-15hz", f"{code}.mp4")
                sound = sounding is not None
                steady_copy(sounding or one.clip, steady, STEADY_RATE, sound=sound, progress=progress)
        if "1hz" in plan.video:
            pictures = folder / "frames-1hz" / method / code
            pictures.mkdir(parents=True, exist_ok=True)
            for still in stills(one.clip, pictures, progress=progress):
                made[still.relative_to(folder).as_posix()] = f"{code} {method}"
    return made


@contextmanager
def _with_sound(one: Rendering, treatment: SoundFilter | None, progress: Progress) -> Iterator[Path | None]:
    """Lend a copy of a rendering with its treated sound, beside it; None where no sound leaves.

    Raises:
        UserError: it cannot be written, or somebody touched it while it was lent.
        Cancelled: the user stopped it.
    """
    if treatment is None:
        yield None
        return
    made = one.clip.with_name("sounding.mp4")
    try:
        sounding_copy(one.clip, one.plan.source, made, treatment, zero_us=one.zero_us, progress=progress)
        lent = read_whole(made, progress)
        yield made
        lent.require_same()
    finally:
        made.unlink(missing_ok=True)
