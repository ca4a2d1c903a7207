"""Writes the clips and pictures of a release, all from the rendering that was checked."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.core.release.codes import recording_code
from app.core.release.plan import ReleasePlan
from app.core.release.rendering import Rendering
from media.destination import UnnamedFile, unnamed_file
from media.lossless import SoundFilter
from media.silent import silent_copy
from media.sounding import sounding_copy
from media.steady import steady_copy
from media.stills import stills
from project.progress import Progress

STEADY_RATE = 15


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of a release, as it was written.

    Attributes:
        source: key of what it was made of.
        sha256: of the very bytes that were written; what lies in its place later may be another.
    """

    source: str
    sha256: str


def write_media(
    folder: Path,
    plan: ReleasePlan,
    renderings: Sequence[Rendering],
    treatments: Mapping[int, SoundFilter],
    progress: Progress,
) -> dict[str, ReleasedFile]:
    """Write what the plan asks for under a folder; returns path in it -> what was written there.

    Clips are made in files without a name, so that no other program changes them before their checksums are known.

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
    made: dict[str, ReleasedFile] = {}
    for one in renderings:
        method, code = one.outcome.method, recording_code(one.outcome.number)
        source = f"{code} {method}"
        treatment = treatments.get(one.outcome.number)

        def keep(kind: str, clip: UnnamedFile, method: str = method, code: str = code, source: str = source) -> None:
            target = folder / kind / method / f"{code}.mp4"
            target.parent.mkdir(parents=True, exist_ok=True)
            made[target.relative_to(folder).as_posix()] = ReleasedFile(source, clip.copy_to(target))

        with _with_sound(one, treatment, progress) as sounding:
            if "source" in plan.video:
                if sounding is not None:
                    keep("video-source", sounding)
                else:
                    with unnamed_file(folder) as silent:
                        silent_copy(one.clip, silent.path)
                        keep("video-source", silent)
            if "15hz" in plan.video:
                pictures = one.clip if sounding is None else sounding.path
                with unnamed_file(folder) as steady:
                    sound = sounding is not None
                    steady_copy(pictures, steady.path, STEADY_RATE, sound=sound, progress=progress)
                    keep("video-15hz", steady)
        if "1hz" in plan.video:
            place = folder / "frames-1hz" / method / code
            place.mkdir(parents=True, exist_ok=True)
            for still, sha256 in stills(one.clip, place, progress=progress).items():
                made[still.relative_to(folder).as_posix()] = ReleasedFile(source, sha256)
    return made


@contextmanager
def _with_sound(one: Rendering, treatment: SoundFilter | None, progress: Progress) -> Iterator[UnnamedFile | None]:
    """Lend a copy of a rendering with its treated sound; None where no sound leaves.

    Raises:
        UserError: it cannot be written, or somebody wrote to it while it was lent.
        Cancelled: the user stopped it.
    """
    if treatment is None:
        yield None
        return
    with unnamed_file(one.clip.parent) as made:
        sounding_copy(one.clip, one.plan.source, made.path, treatment, zero_us=one.zero_us, progress=progress)
        with made.unchanged():
            yield made
