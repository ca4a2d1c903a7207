"""The detections of each frame, with appearance descriptors, and the checkpoint file of a long run."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import Json
from project.files.resumable_log import ResumableLog

_SIDE = 24
_AROUND = 0.25
_BANDS = 3
_LUMA_BINS, _CHROMA_BINS, _DIRECTIONS = 8, 8, 8
# Skin, hair and cloth lie within this of grey on the scale of the chroma planes.
_CHROMA_REACH = 40.0
_PARTS = 4
DESCRIPTION_LENGTH = _BANDS * (_LUMA_BINS + 2 * _CHROMA_BINS) + 4 * _DIRECTIONS
"""Numbers in a description."""

Description = NDArray[np.uint8]

_PLACES = np.arange(_SIDE * _SIDE) // _SIDE
_BAND = _PLACES * _BANDS // _SIDE
_QUARTER = _PLACES // (_SIDE // 2) * 2 + np.arange(_SIDE * _SIDE) % _SIDE // (_SIDE // 2)


def describe_face(planes: Sequence[NDArray[np.uint8]], box: Sequence[float] | NDArray[np.floating]) -> Description:
    """Describe a face as (104,) uint8; all zero where its box lies outside the picture.

    `planes` are luma (h, w) and two chroma planes of half of its size, rounded up; `box` is in pixels of the former.
    """
    luma, blue, red = (_crop(plane, box, step) for plane, step in zip(planes, (1, 2, 2), strict=True))
    if luma is None or blue is None or red is None:
        return np.zeros(DESCRIPTION_LENGTH, np.uint8)
    spread = max(float(luma.std()), 8.0)
    levels = (luma - luma.mean()) / (4 * spread) + 0.5
    chroma = [(plane - 128) / (2 * _CHROMA_REACH) + 0.5 for plane in (blue, red)]
    along = cv2.Sobel(luma, cv2.CV_32F, 1, 0, ksize=3).ravel()
    down = cv2.Sobel(luma, cv2.CV_32F, 0, 1, ksize=3).ravel()
    strength, turn = np.hypot(along, down), np.arctan2(down, along) / (2 * np.pi) + 0.5
    parts = [
        _histogram(levels.ravel(), _BAND, _BANDS, _LUMA_BINS),
        _histogram(chroma[0].ravel(), _BAND, _BANDS, _CHROMA_BINS),
        _histogram(chroma[1].ravel(), _BAND, _BANDS, _CHROMA_BINS),
        _histogram(turn, _QUARTER, 4, _DIRECTIONS, strength),
    ]
    return np.asarray(np.rint(np.sqrt(np.concatenate(parts)) * 255), np.uint8)


def compare_descriptions(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.float64]:
    """Compare (n, 104) and (m, 104) descriptions: (n, m), about 1 for the same picture, 0 where one is all zero."""
    return np.asarray(a, np.float64) @ np.asarray(b, np.float64).T / (_PARTS * 255.0**2)


def _crop(
    plane: NDArray[np.uint8], box: Sequence[float] | NDArray[np.floating], step: int
) -> NDArray[np.float32] | None:
    x, y, width, height = (float(v) / step for v in box)
    left, top = max(0, round(x - _AROUND * width)), max(0, round(y - _AROUND * height))
    right, bottom = round(x + (1 + _AROUND) * width), round(y + (1 + _AROUND) * height)
    part = plane[top : max(top + 1, bottom), left : max(left + 1, right)]
    if not part.size:
        return None
    return cv2.resize(part, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)


def _histogram(
    values: NDArray[np.floating],
    cells: NDArray[np.int64],
    count: int,
    bins: int,
    weights: NDArray[np.floating] | None = None,
) -> NDArray[np.float64]:
    """Return (count * bins,) that sums to 1; a value between the middles of two bins counts in both."""
    place = np.clip(values, 0, 1) * (bins - 1)
    low = np.minimum(place.astype(np.int64), bins - 2)
    upper = place - low
    whole = np.ones_like(place) if weights is None else weights
    found = np.bincount(cells * bins + low, whole * (1 - upper), count * bins)
    found += np.bincount(cells * bins + low + 1, whole * upper, count * bins)
    total = float(found.sum())
    return found / total if total > 0 else np.full(count * bins, 1 / (count * bins))


_FORMAT = 2
_FRAME = struct.Struct("<IqB")
_HIT = 5 * 4 + DESCRIPTION_LENGTH
_LOOKED, _CUT, _DAMAGED, _THOROUGH = 1, 2, 4, 8


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One frame.

    Attributes:
        was_searched: somebody looked at it, all detectors or the quick one.
        thorough: all detectors did.
        cut: a new scene starts with it.
        damaged: it could not be decoded properly, so that nothing can be said about it.
        hits: (n, 5) float32, x, y, width, height, score.
        descriptions: (n, 104) uint8, what each of them looks like, see `describe_face`.
    """

    frame: int
    time_us: int
    was_searched: bool
    thorough: bool
    cut: bool
    damaged: bool
    hits: NDArray[np.float32]
    descriptions: NDArray[np.uint8]


def _pack(seen: Observation) -> bytes:
    flags = _LOOKED * seen.was_searched | _CUT * seen.cut | _DAMAGED * seen.damaged | _THOROUGH * seen.thorough
    return (
        _FRAME.pack(seen.frame, seen.time_us, flags) + seen.hits.astype("<f4").tobytes() + seen.descriptions.tobytes()
    )


def _unpack(body: bytes) -> Observation:
    frame, time_us, flags = _FRAME.unpack_from(body)
    found = (len(body) - _FRAME.size) // _HIT
    hits = np.frombuffer(body, "<f4", found * 5, _FRAME.size).reshape(-1, 5).astype(np.float32)
    looks = np.frombuffer(body, np.uint8, found * DESCRIPTION_LENGTH, _FRAME.size + hits.nbytes).reshape(
        -1, DESCRIPTION_LENGTH
    )
    looked, thorough, cut, damaged = (bool(flags & flag) for flag in (_LOOKED, _THOROUGH, _CUT, _DAMAGED))
    return Observation(frame, time_us, looked, thorough, cut, damaged, hits, looks.copy())


class ObservationLog:
    """Observations in a file that a killed run leaves usable.

    Attributes:
        found: what an earlier run of the same work left, frames 0, 1, 2...
    """

    def __init__(self, path: Path | None, work: Mapping[str, Json]) -> None:
        """Open or start the file; without a path nothing is kept."""
        self.found: list[Observation] = []
        form = {"format": _FORMAT, **work}
        self._log = None if path is None else ResumableLog(path, form, self._accept, "face tracking")

    def _accept(self, record: bytes) -> bool:
        seen = _unpack(record)
        if seen.frame != len(self.found):
            return False
        self.found.append(seen)
        return True

    def add(self, seen: Observation) -> None:
        """Append one frame; it survives the end of this process from here on."""
        if self._log is not None:
            self._log.append(_pack(seen))

    def remove(self) -> None:
        """Delete the file after the run is complete."""
        if self._log is not None:
            self._log.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._log is not None:
            self._log.close()
