"""Builds masks from face tracks, with a margin and without gaps.

A mask is a set of ellipses that follow the face and fade out around it. What any method draws is put under the same
mask: nothing of the source is left where it hides fully, and no sample outside changes.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import FaceTrack
from project.errors import UserError
from project.plugins.option_limits import check_limits, limited_field

_CORNERS = 64
# The polygon goes around the ellipse, not inside it, and a tenth of a pixel more, for rounding.
_POLYGON_SCALE = 1 / math.cos(math.pi / _CORNERS)
_ROUNDING = 0.1
_TURN = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
_CIRCLE = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
# OpenCV draws polygons in fixed point: sixteenths of a pixel, and no further out than this.
_SHIFT = 4
_FAR = 30_000.0

Ellipses = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A rectangle of the picture and how much each of its pixels is hidden.

    Attributes:
        x: of the upper left corner.
        y: of the upper left corner.
        alpha: (h, w) uint8; 255 hides fully.
    """

    x: int
    y: int
    alpha: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class FaceMask:
    """The mask of one face in one frame: everything between an ellipse and the next.

    Attributes:
        track_id: whose it is.
        face_width: the greatest width of the face in its track, in pixels; the strength of a method derives from
            it, so that it does not change from frame to frame and is never too weak.
        box: (4,) float64, x, y, width, height of the face itself in this frame.
        ellipses: (k, 4) float64, x and y of the centre, half width, half height: in the frame before, in this one
            and in the next, as far as the track goes.
        feather: share of the radius over which the mask fades out.
    """

    track_id: str
    face_width: float
    box: NDArray[np.float64]
    ellipses: Ellipses
    feather: float

    def draw_area(self, width: int, height: int, grid: int = 1) -> Area | None:
        """Draw the mask into a picture.

        Args:
            width: of the picture.
            height: of the picture.
            grid: the rectangle starts and ends on multiples of this, save at the right and lower edge.

        Returns:
            None where the mask lies outside the picture.
        """
        centres, radii = self.ellipses[:, :2], self.ellipses[:, 2:]
        reach = radii * (1 + self.feather) * _POLYGON_SCALE + 2
        left, top = (math.floor(v / grid) * grid for v in np.clip((centres - reach).min(0), 0, (width, height)))
        right, bottom = (math.ceil(v / grid) * grid for v in np.clip((centres + reach).max(0), 0, (width, height)))
        right, bottom = min(right, width), min(bottom, height)
        if right <= left or bottom <= top:
            return None
        alpha = np.zeros((bottom - top, right - left), np.uint8)
        if np.abs(self.ellipses).max() > _FAR:
            alpha[:] = 255
            return Area(left, top, alpha)
        corner = left + 0.5, top + 0.5  # OpenCV counts from the middle of the first pixel.
        kernel = [2 * math.ceil(self.feather * float(radius) / 2) + 1 for radius in radii.max(0)]
        if max(kernel) > 1:
            # Grown by half of the feather and smeared by the other half, it falls from the ellipse to the rim.
            _fill(alpha, centres - corner, radii * (1 + self.feather / 2))
            cv2.blur(alpha, kernel, alpha, borderType=cv2.BORDER_REPLICATE)
        _fill(alpha, centres - corner, radii)
        return Area(left, top, alpha)


def _fill(alpha: NDArray[np.uint8], centres: NDArray[np.float64], radii: NDArray[np.float64]) -> None:
    """Set all that lies in an ellipse or on its way to the next, and no pixel less, to 255."""
    grown = radii * _POLYGON_SCALE + _ROUNDING
    corners = np.rint((centres[:, None] + _CIRCLE * grown[:, None]) * (1 << _SHIFT)).astype(np.int32)
    ways = [corners[0]] if len(corners) == 1 else [np.concatenate(way) for way in pairwise(corners)]
    for way in ways:
        cv2.fillConvexPoly(alpha, cv2.convexHull(way), 255, cv2.LINE_8, _SHIFT)


# Tracks are looked up by blocks of frames, so that a long recording with many costs no more a frame than a short one.
_FRAMES_PER_BLOCK = 256

MIN_MARGIN = 1.25
"""From here on the whole box lies inside the ellipse."""


@dataclass(frozen=True, slots=True)
class MaskOptions:
    """The shape of the masks.

    Attributes:
        margin: 1.3 adds 0.3 of the box's width on either side and 0.3 of its height above and below, as in deface;
            from 1.25 the whole box lies inside the ellipse.
        feather: how far the mask fades out around the ellipse, as a share of its radius; inside it nothing fades.
        minimum: the least width and height of an ellipse, in pixels.
        linger: frames for which a mask stays before the first and after the last box of its track.
        bridge_us: a gap in a track up to this long is filled with boxes in between.
    """

    margin: float = limited_field(1.3, MIN_MARGIN, 3.0, "Margin", "How much larger than the face the mask is.")
    feather: float = limited_field(0.05, 0.0, 1.0, "Feather", "How far the mask fades out around its edge.")
    minimum: int = limited_field(16, 8, 512, "Least size", "Masks are never smaller than this many pixels.")
    linger: int = limited_field(1, 0, 100, "Linger", "Frames for which a mask outlasts its face.")
    bridge_us: int = limited_field(
        1_000_000, 0, 60_000_000, "Bridge", "Gaps in a track that are covered, in microseconds."
    )

    def __post_init__(self) -> None:
        check_limits(self)


class _MaskStretch:
    """A track, or what lies between two of its long gaps: a box and an ellipse for every frame it is answerable for."""

    def __init__(
        self,
        track_id: str,
        face_width: float,
        feather: float,
        first: int,
        boxes: NDArray[np.float64],
        ellipses: Ellipses,
    ) -> None:
        self._track_id, self._face_width, self._feather = track_id, face_width, feather
        self._first, self._boxes, self._ellipses = first, boxes, ellipses
        self.frames = range(first, first + len(ellipses))

    def mask(self, frame: int) -> FaceMask:
        place = frame - self._first
        near = self._ellipses[max(0, place - 1) : place + 2]
        return FaceMask(self._track_id, self._face_width, self._boxes[place], near, self._feather)


def _split_track(track: FaceTrack, options: MaskOptions) -> list[_MaskStretch]:
    boxes = np.asarray(track.boxes, np.float64)
    frames = np.asarray(track.frames, np.int64)
    times = np.asarray(track.times_us, np.int64)
    if not (len(frames) == len(boxes) == len(times)) or (np.diff(frames) <= 0).any():
        raise UserError("A face track is damaged: its frames are not in order.", "Track the faces again.")
    if not np.isfinite(boxes).all():
        raise UserError("A face track is damaged: a box has no position.", "Track the faces again.")
    size = np.maximum(boxes[:, 2:], 1.0)
    # A face that the edge of the picture cuts, or that is seen from the side, has a box narrower than the face.
    face_width = float(np.maximum(size[:, 0], 0.75 * size[:, 1]).max())
    radii = np.maximum(size * (options.margin - 0.5), options.minimum / 2)
    ellipses = np.concatenate([boxes[:, :2] + boxes[:, 2:] / 2, radii], axis=1)
    cuts = np.flatnonzero((np.diff(frames) > 1) & (np.diff(times) > options.bridge_us)) + 1
    found = []
    for start, stop in pairwise([0, *cuts, len(frames)]):
        first, last = int(frames[start]) - options.linger, int(frames[stop - 1]) + options.linger
        every = np.arange(first, last + 1)
        filled = [
            np.stack([np.interp(every, frames[start:stop], column) for column in known[start:stop].T], axis=1)
            for known in (boxes, ellipses)
        ]
        found.append(_MaskStretch(track.id, face_width, options.feather, first, *filled))
    return found


class MaskSet:
    """The masks of a recording, from its face tracks.

    Tracks that somebody dismissed, and exempt ones, have no mask.

    Attributes:
        hidden: the tracks that have one.
    """

    def __init__(
        self, tracks: Sequence[FaceTrack], options: MaskOptions | None = None, exempt: Collection[str] = frozenset()
    ) -> None:
        """Prepare the masks."""
        unknown = set(exempt) - {track.id for track in tracks}
        if unknown:
            raise UserError(
                "A face that should stay visible is not in this recording.",
                "List the faces of the recording, then choose again.",
            )
        shape = options or MaskOptions()
        self.hidden = tuple(t for t in tracks if len(t.frames) and not t.dismissed and t.id not in exempt)
        self._near: dict[int, list[_MaskStretch]] = {}
        for stretch in (stretch for track in self.hidden for stretch in _split_track(track, shape)):
            for block in range(
                stretch.frames.start // _FRAMES_PER_BLOCK, (stretch.frames.stop - 1) // _FRAMES_PER_BLOCK + 1
            ):
                self._near.setdefault(block, []).append(stretch)

    def masks_at(self, frame: int) -> list[FaceMask]:
        """Return the masks of a frame, in the order of the tracks."""
        return [
            stretch.mask(frame) for stretch in self._near.get(frame // _FRAMES_PER_BLOCK, ()) if frame in stretch.frames
        ]

    def draw_alpha(self, frame: int, width: int, height: int) -> NDArray[np.uint8]:
        """Return (height, width) uint8 for a whole frame: how much each pixel is hidden."""
        whole = np.zeros((height, width), np.uint8)
        for mask in self.masks_at(frame):
            area = mask.draw_area(width, height)
            if area is not None:
                rows, columns = area.alpha.shape
                part = whole[area.y : area.y + rows, area.x : area.x + columns]
                np.maximum(part, area.alpha, out=part)
        return whole


def covered_share(alpha: NDArray[np.uint8], box: Sequence[float] | NDArray[np.floating]) -> float:
    """Return the share of a box's visible pixels that are fully hidden; 1 where none is visible.

    Args:
        alpha: (h, w), 255 where hidden.
        box: x, y, width, height in pixels.
    """
    x, y, width, height = (float(v) for v in box)
    rows = slice(max(0, round(y)), max(0, round(y + height)))
    columns = slice(max(0, round(x)), max(0, round(x + width)))
    inside = alpha[rows, columns]
    return float((inside == 255).mean()) if inside.size else 1.0
