"""The job that shows what a method makes of one frame, before anything is exported. It leaves nothing behind."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymize.faces.masking_plan import (
    MaskingParameters,
    build_render_plan,
    delete_tracks_file,
    gather_parameters,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, new_private_file
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress
from project.session.jobs import JobKind, JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, format_time

if TYPE_CHECKING:
    from anonymize.masking.masks import MaskSet

_SUFFIX = ".preview.npz"


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """One frame, before and after.

    Attributes:
        before: (height, width, 3) uint8 RGB, as it is in the recording.
        after: the same size, as it would be in a clip.
        time_us: its time stamp.
        faces: how many are hidden in it.
        undrawn: whether one of them could not be drawn and was painted solid.
        nearest_us: time of the nearest frame in which a face is hidden, where it is none in this one; None where no
            frame has one.
    """

    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    time_us: int
    faces: int
    undrawn: bool
    nearest_us: int | None


@dataclass(frozen=True, kw_only=True)
class PreviewParameters(MaskingParameters):
    """How faces are hidden, and the time of the frame."""

    time_us: int


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """What is known about the frame; see `Preview`. Its pictures are in a private file."""

    file: Path
    time_us: int
    faces: int
    undrawn: bool
    nearest_us: int | None


def prepare(
    session: Session,
    recording_id: str,
    method: str,
    time_us: int,
    *,
    options: Mapping[str, Json] | None = None,
    keep_robots: bool = False,
) -> JobSpec[PreviewParameters]:
    """Make the job for the frame that is on screen at a time."""
    found = gather_parameters(session, recording_id, method, options, keep_robots=keep_robots)
    parameters = PreviewParameters(**vars(found), time_us=time_us)
    return JobSpec("preview", f"Preview of {method}", recording_id, parameters)


def compute(parameters: PreviewParameters, progress: Progress) -> PreviewResult:
    """Render exactly one frame, into a private file that `take_preview` removes."""
    from anonymize.rendering.face_renderer import Painter
    from media.decoding import iterate_frames
    from media.frame_index import load_index

    path = parameters.path
    index = load_index(path, cache_folder(), progress)
    position = index.times.frame_at(parameters.time_us)
    start_us = index.times.time_of(position)
    end_us = index.times.end_us if position + 1 == len(index) else index.times.time_of(position + 1)
    progress.progress(0, 0, "Drawing this frame")
    with _preview_folder() as own:
        plan = build_render_plan(replace(parameters, start_us=start_us, end_us=end_us), path, own)
        painter = Painter(plan, index)
        picture = next(iterate_frames(path, index, start_us, end_us))
        before = picture.image
        try:
            painter.begin(progress)
            progress.check_cancelled()
            painter.paint(picture)
        finally:
            painter.end()
    faces = len(painter.masks.masks_at(position))
    return PreviewResult(
        _save(before, picture.image),
        start_us,
        faces,
        bool(painter.undrawn_us),
        None if faces else _nearest_time_us(painter.masks, position),
    )


def take_preview(result: PreviewResult) -> Preview:
    """Read what `compute` made, and remove its file."""
    path = result.file
    try:
        with np.load(path, allow_pickle=False) as kept:
            before, after = kept["before"], kept["after"]
    except OSError:
        raise UserError("The preview is no longer available.", "Make the preview again.") from None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return Preview(before, after, result.time_us, result.faces, result.undrawn, result.nearest_us)


def write_pictures(result: PreviewResult, folder: Path) -> dict[str, Json]:
    """Write what `compute` made as two PNG files, and return their paths and what is known about the frame."""
    import cv2

    made = take_preview(result)
    stamp = format_time(made.time_us).replace(":", "").replace(".", "")
    written: dict[str, Json] = {}
    with explain_os_errors(f"The folder {folder} cannot be written", "Choose another folder."):
        folder.mkdir(parents=True, exist_ok=True)
        for name, image in (("before", made.before), ("after", made.after)):
            path = folder.absolute() / f"preview-{stamp}-{name}.png"
            path.write_bytes(cv2.imencode(".png", np.ascontiguousarray(image[..., ::-1]))[1].tobytes())
            written[name] = str(path)
    nearest = None if made.nearest_us is None else made.nearest_us / SECOND_US
    return {
        **written,
        "time": made.time_us / SECOND_US,
        "faces": made.faces,
        "undrawn": made.undrawn,
        "nearest": nearest,
    }


def _nearest_time_us(masks: "MaskSet", position: int) -> int | None:
    frames = np.concatenate([np.zeros(0, np.int64), *(track.frames for track in masks.hidden)])
    times = np.concatenate([np.zeros(0, np.int64), *(track.times_us for track in masks.hidden)])
    return int(times[np.abs(frames - position).argmin()]) if len(times) else None


@contextmanager
def _preview_folder() -> Iterator[Path]:
    """Lend a folder among the previews, so that what a method keeps meanwhile is where pictures of a study may be."""
    folder = cache_folder() / "previews"
    with _explain_no_space(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep_caches("previews")
        own = Path(tempfile.mkdtemp(dir=folder, suffix=_SUFFIX))
    try:
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _explain_no_space(folder: Path) -> AbstractContextManager[None]:
    return explain_os_errors(f"The preview cannot be kept in {folder}", "Free some space.")


def _save(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Path:
    folder = cache_folder() / "previews"
    with _explain_no_space(folder), new_private_file(folder, _SUFFIX) as (path, file):
        np.savez(file, before=before, after=after)
    return path


JOB = JobKind(
    key="preview",
    parameters=PreviewParameters,
    result=PreviewResult,
    compute=compute,
    discard=delete_tracks_file,
)
