"""Hides faces in the pictures of a recording: composites a method's output under the masks.

Areas are always covered, and damaged pictures are covered as a whole.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import Area, FaceMask, MaskSet
from anonymize.methods.face_methods import Face, FaceMethod, Image, Method, PlaneMethod
from anonymize.methods.solid import NEUTRAL_GREY, Solid
from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from media.picture import DecodedFrame
from project.entities.face_regions import Region
from project.entities.study_records import FaceTrack
from project.progress import Progress

Plane = NDArray[np.uint8]


def hide_faces(planes: Sequence[Plane], masks: Iterable[FaceMask], method: PlaneMethod) -> None:
    """Hide faces in a picture, in place.

    Faces are hidden one after the other, so where masks overlap, a later one works on what an earlier one left:
    nothing that was hidden comes back.

    Args:
        planes: luma of the picture's size and chroma planes of half of it, rounded up; or one array, (h, w) or RGB.
        masks: of this frame.
        method: how to hide them.
    """
    height, width = planes[0].shape[:2]
    for mask in masks:
        area = mask.draw_area(width, height, math.lcm(2, method.grid(mask.face_width)))
        if area is None:
            continue
        for part, alpha, step in _parts(planes, area):
            _blend(part, method.cover(part, mask.face_width, (step, step)), alpha)


def paste_patch(planes: Sequence[Plane], area: Area, patch: Sequence[Plane]) -> None:
    """Put planes of the size of an area in its place, under its mask, in place.

    Args:
        planes: luma of the picture's size and chroma planes of half of it, rounded up.
        area: where; starts on even pixels.
        patch: luma and chroma planes of the area's size.
    """
    for (part, alpha, _), new in zip(_parts(planes, area), patch, strict=True):
        _blend(part, new, alpha)


def cover_rectangle(planes: Sequence[Plane], box: Sequence[float] | NDArray[np.floating]) -> None:
    """Paint a rectangle x, y, width, height grey, in place, with every sample that it touches."""
    height, width = planes[0].shape[:2]
    x, y, across, down = (float(v) for v in box)
    left, top = (max(0, math.floor(v)) for v in (x, y))
    right, bottom = min(width, math.ceil(x + across)), min(height, math.ceil(y + down))
    if left >= right or top >= bottom:
        return
    for plane in planes:
        step = 1 if plane is planes[0] else 2
        plane[top // step : math.ceil(bottom / step), left // step : math.ceil(right / step)] = NEUTRAL_GREY


def blank_picture(planes: Sequence[Plane]) -> None:
    """Paint a whole picture grey, in place."""
    for plane in planes:
        plane[:] = NEUTRAL_GREY


def _parts(planes: Sequence[Plane], area: Area) -> Iterator[tuple[Plane, Plane, int]]:
    """Yield the part of each plane that an area covers, the area's mask for it, and how many pixels a sample spans."""
    rows, columns = area.alpha.shape
    for plane in planes:
        step = 1 if plane is planes[0] else 2
        top, left = area.y // step, area.x // step
        part = plane[top : top + math.ceil(rows / step), left : left + math.ceil(columns / step)]
        yield part, area.alpha if step == 1 else _chroma_alpha(area.alpha), step


def _chroma_alpha(alpha: Plane) -> Plane:
    """Return the mask of a chroma plane: a sample is hidden as much as the most hidden of its two by two pixels."""
    rows, columns = alpha.shape
    if rows % 2 or columns % 2:
        alpha = np.pad(alpha, ((0, rows % 2), (0, columns % 2)))
    down = np.maximum(alpha[::2], alpha[1::2])
    return np.maximum(down[:, ::2], down[:, 1::2])


def _blend(part: Plane, cover: Plane, alpha: Plane) -> None:
    """Mix `cover` into `part`, in place; at 255 nothing of `part` is left, not even by rounding."""
    weight = alpha.astype(np.uint16)
    if part.ndim == 3:
        weight = weight[..., None]
    part[:] = (part * (255 - weight) + cover * weight + 127) // 255


@dataclass(frozen=True, slots=True, eq=False)
class HiddenFaces:
    """The faces of a recording, or of a part of it, that are to be hidden; see `FaceSource`."""

    path: Path
    index: FrameIndex
    masks: MaskSet
    identities: Mapping[str, str]
    areas: Sequence[Region]
    cuts: Sequence[int]
    cache: Path | None
    start_us: int | None
    end_us: int | None

    @property
    def tracks(self) -> Sequence[FaceTrack]:
        """Those that are hidden at some time between start and end."""
        start, end = self._span()
        return [t for t in self.masks.hidden if t.times_us[0] < end and t.times_us[-1] >= start]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.index.canvas.width, self.index.canvas.height

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        """Yield the face of a track, or of all, in every frame that it is hidden in, in order; decodes as it goes."""
        wanted_tracks = [track for track in self.tracks if track_id in (None, track.id)]
        if not wanted_tracks:
            return
        start, end = self._span()
        first = max(0, min(int(track.frames[0]) for track in wanted_tracks) - 1)
        last = min(len(self.index) - 1, max(int(track.frames[-1]) for track in wanted_tracks) + 1)
        begin = max(start, self.index.times.time_of(first))
        stop = min(end, self.index.times.time_of(last) + 1)
        if begin >= stop:
            return
        for picture in iterate_frames(self.path, self.index, begin, stop):
            if picture.damaged:
                continue
            wanted = [mask for mask in self.masks.masks_at(picture.index) if track_id in (None, mask.track_id)]
            image = self.masked_image(picture) if wanted else None
            for mask in wanted:
                found = None if image is None else self.build_face(mask, picture, image)
                if found is not None:
                    yield found

    def masked_image(self, picture: DecodedFrame) -> Image:
        """Return what methods may see of a picture: (h, w, 3) RGB, read-only, without what lies in areas."""
        image = picture.image
        for box in _boxes(self.areas, picture.time_us):
            cover_rectangle([image], box)
        image.setflags(write=False)
        return image

    def build_face(self, mask: FaceMask, picture: DecodedFrame, image: Image) -> Face | None:
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
        times = self.index.times
        start = times.time_of(0) if self.start_us is None else self.start_us
        return start, times.end_us if self.end_us is None else self.end_us


class Painter:
    """Paints pictures in order of time.

    Attributes:
        blanked_us: times of pictures that were painted over wholly.
        undrawn_us: times of pictures in which a face could not be drawn and was painted solid.
    """

    def __init__(self, faces: HiddenFaces, method: Method, damaged: frozenset[int], tracked_frames: int) -> None:
        """Get ready.

        Frames at the positions in `damaged`, and those from `tracked_frames` on, cannot be vouched for.
        """
        self._faces, self._method = faces, method
        self._damaged, self._tracked = damaged, tracked_frames
        self.blanked_us: list[int] = []
        self.undrawn_us: list[int] = []

    def begin(self, progress: Progress) -> None:
        """Let the method look ahead, where it does."""
        if self._method.kind == "face":
            self._method.begin(self._faces, progress)

    def end(self) -> None:
        """Let the method go."""
        if self._method.kind == "face":
            self._method.end()

    def paint(self, picture: DecodedFrame) -> None:
        """Hide what is to be hidden in one picture, in place."""
        if picture.damaged or picture.index in self._damaged or picture.index >= self._tracked:
            blank_picture(picture.planes)
            self.blanked_us.append(picture.time_us)
            return
        masks = self._faces.masks.masks_at(picture.index)
        if masks and self._method.kind == "face":
            self._draw(picture, masks, self._method)
        elif masks and self._method.kind == "plane":
            hide_faces(picture.planes, masks, self._method)
        for box in _boxes(self._faces.areas, picture.time_us):
            cover_rectangle(picture.planes, box)

    def _draw(self, picture: DecodedFrame, masks: Sequence[FaceMask], method: FaceMethod) -> None:
        """Draw what can be drawn and paint the rest solid.

        Solid masks lie under faces that owe nothing to the picture, so that a lamp beside a person does not hide the
        person's new face; and over faces that are made from it, so that nothing of what is under them shows.
        """
        image = self._faces.masked_image(picture)
        drawn: list[tuple[Face, Image]] = []
        undrawn: list[FaceMask] = []
        for mask in masks:
            face = self._faces.build_face(mask, picture, image)
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


def _boxes(areas: Sequence[Region], time_us: int) -> Iterator[NDArray[np.float64]]:
    """Yield where areas are at a time."""
    for area in areas:
        if area.is_active_at(time_us):
            yield area.boxes_at(np.array([time_us]))[0]
