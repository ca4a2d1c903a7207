"""Renders a recording with its faces hidden, and finds faces that their masks do not cover.

A frame that cannot be processed safely is not written as it is.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from anonymize.masking.masks import MaskOptions, MaskSet
from anonymize.methods.face_methods import Method
from anonymize.rendering.compositing import HiddenFaces, Painter
from media.clip_writer import paint_clip
from media.encoding import EncodeOptions
from media.frame_index import FrameIndex, forget_index, load_index
from media.picture import DecodedFrame
from media.sound import SoundFilter
from project.entities.face_regions import Region
from project.entities.study_records import FaceTrack
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Progress, Silent

# Time stamps of tracks went through the study as whole microseconds; nothing else may differ.
_TIME_TOLERANCE_US = 2


@dataclass(frozen=True, slots=True, eq=False)
class RenderPlan:
    """What to render, and how.

    Attributes:
        source: the recording's file; never changed.
        destination: where the clip is to be; appears when it is complete, or not at all.
        tracks: all face tracks of the source.
        tracked_frames: how many frames the tracking run looked at, from the first; frames after them are blanked.
        method: how faces are hidden.
        damaged_frames: positions of frames that were damaged when the tracking run looked at them; they are blanked,
            even where they decode cleanly now.
        start_us: first time that is rendered, on the recording's axis; the beginning when None.
        end_us: time that the clip ends before; the end when None.
        exempt: ids of tracks that stay visible.
        identities: track id -> who that is: a participant's pseudonym. A drawn face follows from it.
        areas: always painted over, whatever the method.
        cuts: positions of the frames with which a scene starts.
        cache: a folder of this work alone, where a method that works ahead keeps what it has; None keeps nothing.
        masks: shape of the masks.
        encoding: how the picture is encoded.
        overwrite: replace a clip of that name.
        sound: `keep`, `none`, or what changes it.
        track: which sound track of the source, from 1; see `media.source.sound_stream`.
        times_sha256: of the times of the source's frames by which boxes drawn by hand were given to frames; "" where
            that is not known.
    """

    source: Path
    destination: Path
    tracks: Sequence[FaceTrack]
    tracked_frames: int
    method: Method
    damaged_frames: frozenset[int] = frozenset()
    start_us: int | None = None
    end_us: int | None = None
    exempt: frozenset[str] = frozenset()
    identities: Mapping[str, str] = field(default_factory=dict)
    areas: Sequence[Region] = ()
    cuts: Sequence[int] = ()
    cache: Path | None = None
    masks: MaskOptions = field(default_factory=MaskOptions)
    encoding: EncodeOptions = field(default_factory=EncodeOptions)
    overwrite: bool = False
    sound: SoundFilter | Literal["keep", "none"] = "keep"
    track: int = 0
    times_sha256: str = ""


@dataclass(frozen=True, slots=True)
class RenderResult:
    """What was rendered.

    Attributes:
        output: the clip.
        frames: how many it has, the same number as the source has in that range.
        seconds: how long it took.
        start_us: where the clip's zero lies on the recording's axis.
        blanked_us: times on the recording's axis of frames that were painted over wholly, because the source is
            damaged there, was so when it was tracked, or the tracking run did not look at them.
        sha256: of the clip as it was written.
        undrawn_us: times of frames in which the method could not draw a face, so that it was painted solid.
    """

    output: Path
    frames: int
    seconds: float
    start_us: int
    blanked_us: tuple[int, ...]
    sha256: str
    undrawn_us: tuple[int, ...] = ()


def render(
    plan: RenderPlan, progress: Progress | None = None, examine: Callable[[Path, int], None] | None = None
) -> RenderResult:
    """Write a clip with the faces hidden, and the sound as planned.

    `examine` gets the finished clip under a temporary name, and where its zero lies on the recording's axis in
    microseconds. The clip takes its own name when this returns: what could not be examined is not there.
    """
    started = time.monotonic()
    progress = progress or Silent()
    index = load_index(plan.source, progress=progress)
    _check_times(plan, index)
    _check_numbering(plan, index)
    painter = create_painter(plan, index)
    first_us: int | None = None
    zero_us = 0

    def paint(picture: DecodedFrame) -> None:
        nonlocal first_us
        first_us = picture.time_us if first_us is None else first_us
        painter.paint(picture)

    def measure(clip: Path) -> None:
        nonlocal zero_us
        zero_us = (first_us or 0) - load_index(clip).times.time_of(0)
        if examine is not None:
            examine(clip, zero_us)

    try:
        painter.begin(progress)
        clip = paint_clip(
            plan.source,
            plan.destination,
            paint,
            start_us=plan.start_us,
            end_us=plan.end_us,
            progress=progress,
            options=plan.encoding,
            index=index,
            overwrite=plan.overwrite,
            examine=measure,
            sound=plan.sound,
            track=plan.track,
        )
    finally:
        painter.end()
    seconds = time.monotonic() - started
    blanked, undrawn = tuple(painter.blanked_us), tuple(painter.undrawn_us)
    return RenderResult(clip.path, clip.frames, seconds, zero_us, blanked, clip.sha256, undrawn)


def create_painter(plan: RenderPlan, index: FrameIndex) -> Painter:
    """Return what paints the pictures of a plan."""
    masks = MaskSet(plan.tracks, plan.masks, plan.exempt)
    faces = HiddenFaces(
        plan.source, index, masks, plan.identities, plan.areas, plan.cuts, plan.cache, plan.start_us, plan.end_us
    )
    return Painter(faces, plan.method, plan.damaged_frames, plan.tracked_frames)


def _check_times(plan: RenderPlan, index: FrameIndex) -> None:
    """Refuse tracks that were made with a list of frames from the cache that is not that of the file.

    A box drawn by hand at a time that the list does not have would be missing among the tracks.
    """
    if plan.times_sha256 and plan.times_sha256 != index.times.sha256():
        forget_index(plan.source, cache_folder())
        raise UserError(
            f"The list of the frames of {plan.source.name} in the cache was not that of the file, and was removed.",
            "Do it again: the file is read anew.",
        )


def _check_numbering(plan: RenderPlan, index: FrameIndex) -> None:
    times = index.times.times_us
    hint = "Find the faces of this file first."
    if plan.tracked_frames > len(times):
        raise UserError(f"The faces were found in a file with more frames than {plan.source.name}.", hint)
    for track in plan.tracks:
        frames = np.asarray(track.frames, np.int64)
        if not len(frames):
            continue
        inside = frames.min() >= 0 and frames.max() < plan.tracked_frames
        if not inside or (np.abs(times[frames] - track.times_us) > _TIME_TOLERANCE_US).any():
            raise UserError(f"The faces were found in another file than {plan.source.name}.", hint)


def find_uncovered_frames(plan: RenderPlan) -> list[int]:
    """Return the times of frames in which the box of a face does not lie wholly under its own mask."""
    canvas = load_index(plan.source).canvas
    masks = MaskSet(plan.tracks, plan.masks, plan.exempt)
    bare = set()
    for track in masks.hidden:
        for frame, time_us, box in zip(track.frames, track.times_us, track.boxes, strict=True):
            own = next((mask for mask in masks.masks_at(int(frame)) if mask.track_id == track.id), None)
            x, y = (max(0, round(float(v))) for v in box[:2])
            right = min(canvas.width, round(float(box[0] + box[2])))
            bottom = min(canvas.height, round(float(box[1] + box[3])))
            if right <= x or bottom <= y:
                continue
            area = own.draw_area(canvas.width, canvas.height) if own is not None else None
            if area is None:
                bare.add(int(time_us))
                continue
            inside = area.alpha[max(0, y - area.y) : bottom - area.y, max(0, x - area.x) : right - area.x]
            if inside.size != (right - x) * (bottom - y) or not np.all(inside == 255):
                bare.add(int(time_us))
    return sorted(bare)
