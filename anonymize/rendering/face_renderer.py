"""Renders a recording with its faces hidden, and finds faces that their masks do not cover.

A frame that cannot be processed safely is not written as it is.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import Area, FaceMask, MaskOptions, MaskSet
from anonymize.methods.face_methods import Face, FaceMethod, Image, Method
from anonymize.methods.solid import Solid
from anonymize.rendering.compositing import blank_picture, cover_rectangle, hide_faces, paste_patch
from media.clip_writer import paint_clip
from media.decoding import iterate_frames
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


class Painter:
    """Paints the pictures of a plan in order of time; for its method it is the `FaceSource`.

    Attributes:
        masks: of all faces that are hidden.
        blanked_us: times of pictures that were painted over wholly.
        undrawn_us: times of pictures in which a face could not be drawn and was painted solid.
    """

    def __init__(self, plan: RenderPlan, index: FrameIndex) -> None:
        self._plan, self._index = plan, index
        self.masks = MaskSet(plan.tracks, plan.masks, plan.exempt)
        self.identities, self.cuts, self.cache = plan.identities, plan.cuts, plan.cache
        self.blanked_us: list[int] = []
        self.undrawn_us: list[int] = []

    @property
    def tracks(self) -> Sequence[FaceTrack]:
        """Those that are hidden at some time between start and end."""
        start, end = self._span()
        return [t for t in self.masks.hidden if t.times_us[0] < end and t.times_us[-1] >= start]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self._index.canvas.width, self._index.canvas.height

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        """Yield the face of a track, or of all, in every frame that it is hidden in, in order; decodes as it goes."""
        wanted_tracks = [track for track in self.tracks if track_id in (None, track.id)]
        if not wanted_tracks:
            return
        start, end = self._span()
        first = max(0, min(int(track.frames[0]) for track in wanted_tracks) - 1)
        last = min(len(self._index) - 1, max(int(track.frames[-1]) for track in wanted_tracks) + 1)
        begin = max(start, self._index.times.time_of(first))
        stop = min(end, self._index.times.time_of(last) + 1)
        if begin >= stop:
            return
        for picture in iterate_frames(self._plan.source, self._index, begin, stop):
            if picture.damaged:
                continue
            wanted = [mask for mask in self.masks.masks_at(picture.index) if track_id in (None, mask.track_id)]
            image = self._masked_image(picture) if wanted else None
            for mask in wanted:
                found = None if image is None else self._build_face(mask, picture, image)
                if found is not None:
                    yield found

    def begin(self, progress: Progress) -> None:
        """Let the method look ahead, where it does."""
        if self._plan.method.kind == "face":
            self._plan.method.begin(self, progress)

    def end(self) -> None:
        """Let the method go."""
        if self._plan.method.kind == "face":
            self._plan.method.end()

    def paint(self, picture: DecodedFrame) -> None:
        """Hide what is to be hidden in one picture, in place."""
        plan, index = self._plan, picture.index
        if picture.damaged or index in plan.damaged_frames or index >= plan.tracked_frames:
            blank_picture(picture.planes)
            self.blanked_us.append(picture.time_us)
            return
        masks = self.masks.masks_at(index)
        if masks and plan.method.kind == "face":
            self._draw(picture, masks, plan.method)
        elif masks and plan.method.kind == "plane":
            hide_faces(picture.planes, masks, plan.method)
        for box in _boxes(plan.areas, picture.time_us):
            cover_rectangle(picture.planes, box)

    def _draw(self, picture: DecodedFrame, masks: Sequence[FaceMask], method: FaceMethod) -> None:
        """Draw what can be drawn and paint the rest solid.

        Solid masks lie under faces that owe nothing to the picture, so that a lamp beside a person does not hide the
        person's new face; and over faces that are made from it, so that nothing of what is under them shows.
        """
        image = self._masked_image(picture)
        drawn: list[tuple[Face, Image]] = []
        undrawn: list[FaceMask] = []
        for mask in masks:
            face = self._build_face(mask, picture, image)
            if face is None:
                continue
            new = method.draw(face)
            if new is None:
                undrawn.append(mask)
            elif new.shape != (*face.alpha.shape, 3) or new.dtype != np.uint8:
                raise ValueError(f"{method.name} drew {new.shape} {new.dtype} for a face of {face.alpha.shape}")
            else:
                drawn.append((face, new))
        if not method.from_source:
            hide_faces(picture.planes, undrawn, Solid())
        for face, new in drawn:
            paste_patch(
                picture.planes, Area(face.x, face.y, face.alpha), picture.rgb_to_planes(np.ascontiguousarray(new))
            )
        if method.from_source:
            hide_faces(picture.planes, undrawn, Solid())
        if undrawn:
            self.undrawn_us.append(picture.time_us)

    def _masked_image(self, picture: DecodedFrame) -> Image:
        """Return what methods may see of a picture: (h, w, 3) RGB, read-only, without what lies in areas."""
        image = picture.image
        for box in _boxes(self._plan.areas, picture.time_us):
            cover_rectangle([image], box)
        image.setflags(write=False)
        return image

    def _build_face(self, mask: FaceMask, picture: DecodedFrame, image: Image) -> Face | None:
        """Return what a method is told about a face; None where its mask lies outside the picture."""
        area = mask.draw_area(picture.width, picture.height, 2)
        if area is None:
            return None
        who = self.identities.get(mask.track_id, mask.track_id)
        return Face(
            mask.track_id,
            who,
            picture.index,
            picture.time_us,
            mask.box,
            mask.face_width,
            image,
            area.x,
            area.y,
            area.alpha,
        )

    def _span(self) -> tuple[int, int]:
        times = self._index.times
        start = times.time_of(0) if self._plan.start_us is None else self._plan.start_us
        return start, times.end_us if self._plan.end_us is None else self._plan.end_us


def _boxes(areas: Sequence[Region], time_us: int) -> Iterator[NDArray[np.float64]]:
    """Yield where areas are at a time."""
    for area in areas:
        if area.is_active_at(time_us):
            yield area.boxes_at(np.array([time_us]))[0]


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
    painter = Painter(plan, index)
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


def _check_times(plan: RenderPlan, index: FrameIndex) -> None:
    """Refuse tracks that were made with a list of frames from the cache that is not that of the file.

    A box drawn by hand at a time that the list does not have would be missing among the tracks.
    """
    if plan.times_sha256 and plan.times_sha256 != index.times.sha256():
        forget_index(plan.source, cache_folder())
        raise UserError(
            f"The cached frame index of {plan.source.name} belonged to another file and was removed.",
            "Start the job again; the index is built again.",
        )


def _check_numbering(plan: RenderPlan, index: FrameIndex) -> None:
    times = index.times.times_us
    hint = "Find the faces of this file first."
    if plan.tracked_frames > len(times):
        raise UserError(f"The faces were tracked in a file with more frames than {plan.source.name}.", hint)
    for track in plan.tracks:
        frames = np.asarray(track.frames, np.int64)
        if not len(frames):
            continue
        inside = frames.min() >= 0 and frames.max() < plan.tracked_frames
        if not inside or (np.abs(times[frames] - track.times_us) > _TIME_TOLERANCE_US).any():
            raise UserError(f"The faces were tracked in another file than {plan.source.name}.", hint)


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
