"""Splits face tracks into shots, stabilizes their crops, chooses key frames and groups them into batches.

Frames between key frames are interpolated by optical flow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import FaceTrack

Image = NDArray[np.uint8]

# A mask of the usual margin is 1.7 times as wide as the box; the crop shows a little more than that.
SIDE = 2.0
_MASK_SIDE = 1.7
_SMOOTHING_S = 0.4
_SIZE_MULTIPLE = 64


@dataclass(frozen=True, slots=True)
class CropWindow:
    """A rectangle of the picture, in pixels; it may reach outside."""

    x: float
    y: float
    width: float
    height: float

    def crop(self, picture: Image, size: tuple[int, int]) -> Image:
        """Return what the rectangle shows, `size` wide and high; beyond the picture its edge is repeated."""
        across, down = size[0] / self.width, size[1] / self.height
        # From the middle of a pixel to the middle of a pixel.
        way = np.array([[across, 0, (0.5 - self.x) * across - 0.5], [0, down, (0.5 - self.y) * down - 0.5]])
        return np.asarray(cv2.warpAffine(picture, way, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def paste(self, drawn: Image, rect: tuple[int, int, int, int]) -> Image:
        """Return what a drawn crop shows in a rectangle of the picture; beyond the crop its edge is repeated.

        `drawn`, (H, W, 3), is the crop at any size, `rect` x, y, width, height. Returns (height, width, 3).
        """
        height, width = drawn.shape[:2]
        across, down = width / self.width, height / self.height
        x, y, wide, high = rect
        way = np.array([[across, 0, (x + 0.5 - self.x) * across - 0.5], [0, down, (y + 0.5 - self.y) * down - 0.5]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        placed = cv2.warpAffine(drawn, way, (wide, high), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(placed, np.uint8)


def stabilize_boxes(boxes: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return a square around each box whose centre and size change smoothly.

    `boxes`, (n, 4), are of one face in consecutive frames, `rate` of which are shown a second. Returns (n, 3) x and y
    of the centre and the side; each square holds the mask of its box.
    """
    reach = max(1, round(_SMOOTHING_S * rate))
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    calm = np.stack([_smooth(column, reach) for column in centres.T], axis=1)
    extent = boxes[:, 2:].max(axis=1)
    needed = np.maximum(SIDE * extent, 2 * np.abs(centres - calm).max(axis=1) + _MASK_SIDE * extent)
    padded = np.pad(needed, reach, mode="edge")
    greatest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return np.concatenate([calm, _smooth(greatest, reach)[:, None]], axis=1)


def whole_frame_window(size: tuple[int, int], shorter: int) -> tuple[CropWindow, tuple[int, int]]:
    """Return the view of a whole picture, and the size that it goes through the network in.

    The shorter side of the latter is about `shorter`; both are multiples of 64.
    """
    scale = shorter / min(size)
    wide, high = (max(_SIZE_MULTIPLE, round(side * scale / _SIZE_MULTIPLE) * _SIZE_MULTIPLE) for side in size)
    return CropWindow(0, 0, *size), (wide, high)


def _smooth(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Return weighted means over `reach` values on either side; the ends are repeated."""
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (reach / 2)) ** 2)
    return np.convolve(np.pad(values, reach, mode="edge"), weights / weights.sum(), mode="valid")


# Longer gaps than this break a shot; nothing is known of the face meanwhile.
_GAP_US = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class FaceShot:
    """A face from one frame to another, with a view for each.

    Attributes:
        squares: (n, 3), x and y of the centre and side of the crop in each frame from the first on.
    """

    track_id: str
    identity: str
    first: int
    squares: NDArray[np.float64]

    @property
    def last(self) -> int:
        """Position of its last frame."""
        return self.first + len(self.squares) - 1

    def contains(self, frame: int) -> bool:
        """Tell whether the frame is one of the shot's."""
        return self.first <= frame <= self.last

    def window_at(self, frame: int) -> CropWindow:
        """Return the crop of a frame; that of the nearest where the frame lies outside."""
        x, y, side = self.squares[min(max(frame, self.first), self.last) - self.first]
        return CropWindow(x - side / 2, y - side / 2, side, side)


def split_into_shots(track: FaceTrack, identity: str, cuts: Sequence[int]) -> list[FaceShot]:
    """Divide a track at cuts and at long gaps; boxes between found ones are interpolated.

    `cuts` are the positions of the frames that a scene starts with, ascending.
    """
    frames, times = np.asarray(track.frames, np.int64), np.asarray(track.times_us, np.int64)
    boxes = np.asarray(track.boxes, np.float64)
    scene = np.searchsorted(np.asarray(cuts, np.int64), frames, side="right")
    breaks = np.flatnonzero((np.diff(times) > _GAP_US) | (np.diff(scene) > 0)) + 1
    found = []
    for start, stop in pairwise([0, *breaks, len(frames)]):
        first, last = int(frames[start]), int(frames[stop - 1])
        every = np.arange(first, last + 1)
        filled = np.stack([np.interp(every, frames[start:stop], column) for column in boxes[start:stop].T], axis=1)
        lasted = max(1, int(times[stop - 1] - times[start])) / 1e6
        found.append(FaceShot(track.id, identity, first, stabilize_boxes(filled, (last - first) / lasted)))
    return found


def nearest_shot(there: Sequence[FaceShot], frame: int) -> FaceShot:
    """Return the shot that a frame belongs to; the nearest where it lies outside of all."""
    return min(there, key=lambda shot: max(shot.first - frame, frame - shot.last, 0))


_BLUR_SIZE = (9, 9)
# Mean squared error of a cell, in grey levels, that is more than the noise of a camera.
_NOISE = 25.0
# Half way of a steady motion a frame is a quarter as far from either end, in squares, as they are from each other.
_STEADY_MOTION_SHARE = 0.5
THUMBNAIL = (64, 64)


def frame_change(before: NDArray[np.uint8], after: NDArray[np.uint8], cells: int = 1) -> float:
    """Return how much a picture changed: the mean squared error, both smoothed over 9 x 9 pixels.

    Over the whole picture it is the measure of FRESCO (Yang et al., CVPR 2024). In a face a blink is a small part of
    that, so the greatest error of any cell tells more. The picture is divided into so many cells across and down.
    """
    return _max_cell_error(cv2.GaussianBlur(before, _BLUR_SIZE, 0), cv2.GaussianBlur(after, _BLUR_SIZE, 0), cells)


def _max_cell_error(first: NDArray[Any], second: NDArray[Any], cells: int) -> float:
    error = np.square(first.astype(np.float32) - second.astype(np.float32))
    return float(cv2.resize(error, (cells, cells), interpolation=cv2.INTER_AREA).max())


def choose_keyframes(changes: Sequence[float], least: int, most: int) -> list[int]:
    """Choose the key frames of a shot, as FRESCO does.

    The first and the last frame are keys. Then the frame that changed most is added again and again, none closer than
    `least` to a key, until no two keys are further apart than `most`. Where no frame is far enough from the keys and a
    gap is still too wide, it is halved. With `least` equal to `most` the keys are evenly spaced. `changes` are of each
    frame to the one before it, from the second on. Returns ascending positions in the shot.
    """
    last = len(changes)
    if least == most:
        return sorted({*range(0, last, least), last})
    keys, near = sorted({0, last}), np.zeros(last + 1, np.bool_)
    near[:least] = near[max(0, last - least + 1) :] = True
    changed = np.concatenate([[0.0], np.asarray(changes, np.float64)])
    while max((b - a for a, b in pairwise(keys)), default=0) > most:
        start, stop = max(pairwise(keys), key=lambda gap: gap[1] - gap[0])
        key = (start + stop) // 2 if near.all() else int(np.where(near, -np.inf, changed).argmax())
        keys = sorted([*keys, key])
        near[max(0, key - least + 1) : key + least] = True
    return keys


def add_excursions(keys: Sequence[int], thumbnails: Sequence[NDArray[np.uint8]], least: int, cells: int) -> list[int]:
    """Add the frames of what comes and goes between two keys, such as lids that are closed for a moment.

    The greatest changes are where lids fall and where they rise, so those become keys, and what lies between would be
    made of two half-open eyes. Between two keys the frame that is least like either of them becomes one too, if it is
    not on the way from the one to the other; again and again. `thumbnails` are of all frames of the shot, (64, 64)
    grey; added keys are `least` frames apart from others.
    """
    found = [keys[0]]
    for key in keys[1:]:
        found += [*_between(found[-1], key, thumbnails, least, cells), key]
    return found


def _between(start: int, stop: int, thumbnails: Sequence[NDArray[np.uint8]], least: int, cells: int) -> list[int]:
    inside = range(start + least, stop - least + 1)
    if not inside:
        return []
    apart = [min(_max_cell_error(thumbnails[k], thumbnails[frame], cells) for k in (start, stop)) for frame in inside]
    place = int(np.argmax(apart))
    if apart[place] <= max(_NOISE, _STEADY_MOTION_SHARE * _max_cell_error(thumbnails[start], thumbnails[stop], cells)):
        return []
    middle = inside[place]
    before = _between(start, middle, thumbnails, least, cells)
    return [*before, middle, *_between(middle, stop, thumbnails, least, cells)]


@dataclass(frozen=True, slots=True)
class Batch:
    """Key frames that are drawn together.

    Attributes:
        frames: which, those known from earlier batches first.
        known: how many of them were drawn before: none in the first batch; then the first key of the shot and the
            last key of the batch before, as far as the size of the batch has room for both and one new frame.
    """

    frames: tuple[int, ...]
    known: int

    @property
    def new_frames(self) -> tuple[int, ...]:
        """The frames that this batch draws."""
        return self.frames[self.known :]


def group_into_batches(keys: Sequence[int], size: int) -> list[Batch]:
    """Group the key frames of a shot, at most `size` in a batch; every key is new in exactly one, in order."""
    first = tuple(keys[:size])
    found = [Batch(first, 0)] if first else []
    done = len(first)
    while done < len(keys):
        known = tuple(dict.fromkeys((keys[0], keys[done - 1])))[: size - 1]
        new = tuple(keys[done : done + size - len(known)])
        found.append(Batch((*known, *new), len(known)))
        done += len(new)
    return found
