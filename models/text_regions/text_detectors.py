"""The text detector interface and registry, and the merging of text lines into static regions.

A new detector is one file and one line here. A burned-in date becomes one region, not one a second.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.boxes import iou
from models.weights.model_plugins import InferenceModel, ModelPlugins


@dataclass(frozen=True, slots=True, eq=False)
class TextBoxes:
    """Where text stands in one picture.

    Attributes:
        boxes: (n, 4) float32, x, y, width, height in pixels, inside the picture.
        scores: (n,) float32, 0 to 1.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]


class TextDetector(InferenceModel, Protocol):
    """Finds lines of text in pictures."""

    def find(self, image: NDArray[np.uint8]) -> TextBoxes:
        """Return where text stands in a (h, w, 3) RGB picture."""
        ...


FINDERS = ModelPlugins[TextDetector](
    "text detector",
    {"binarization": "models.text_regions.text_map:Binarization"},
    weights={"binarization": "text-regions"},
)
create_text_detector = FINDERS.make


def require_text_detector(name: str | None) -> str:
    """Return the name of a text detector that can be used."""
    chosen = name or FINDERS.default() or next(iter(FINDERS))
    FINDERS.require_installed(chosen)
    return chosen


_SAME = 0.5
_MISSED = 3
"""A line that is not found in so many looks in a row has gone."""
_LEAST_LOOKS = 2
"""A line that is found less often is left out."""


@dataclass(frozen=True, slots=True)
class StaticTextRegion:
    """Text that stays where it is for a while.

    Attributes:
        box: x, y, width, height in pixels, which holds all boxes that were found.
        start_us: of the first look that found it.
        end_us: of the look after the last that found it.
        looks: in how many it was found.
        score: the best.
    """

    box: tuple[int, int, int, int]
    start_us: int
    end_us: int
    looks: int
    score: float


@dataclass(slots=True)
class _TextLine:
    box: NDArray[np.float32]
    start_us: int
    last_us: int
    score: float
    looks: int = 1
    missed: int = 0


def merge_static_regions(found: Iterable[tuple[int, TextBoxes]], interval_us: int) -> list[StaticTextRegion]:
    """Return the areas in which text was found at least twice, by their start.

    `found` are time and answer of each look, in order of time. An area reaches `interval_us` further at both ends,
    since nobody looked there.
    """
    live: list[_TextLine] = []
    done: list[_TextLine] = []
    for time_us, text in found:
        taken: set[int] = set()
        for box, score in zip(text.boxes, text.scores, strict=True):
            fits = [(iou(line.box, box), at) for at, line in enumerate(live) if at not in taken]
            best, at = max(fits, default=(0.0, -1))
            if best >= _SAME:
                line = live[at]
                line.box, line.last_us = _hull(line.box, box), time_us
                line.score, line.looks, line.missed = max(line.score, float(score)), line.looks + 1, -1
            else:
                at = len(live)
                live.append(_TextLine(box.copy(), time_us, time_us, float(score), missed=-1))
            taken.add(at)
        for line in live:
            line.missed += 1
        done += [line for line in live if line.missed >= _MISSED]
        live = [line for line in live if line.missed < _MISSED]
    kept = [line for line in (*done, *live) if line.looks >= _LEAST_LOOKS]
    return [_area(line, interval_us) for line in sorted(kept, key=lambda line: line.start_us)]


def _area(line: _TextLine, interval_us: int) -> StaticTextRegion:
    (x, y), (right, bottom) = map(int, np.floor(line.box[:2])), map(int, np.ceil(line.box[:2] + line.box[2:]))
    start = max(0, line.start_us - interval_us)
    return StaticTextRegion((x, y, right - x, bottom - y), start, line.last_us + interval_us, line.looks, line.score)


def _hull(array: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    low = np.minimum(array[:2], other[:2])
    high = np.maximum(array[:2] + array[2:], other[:2] + other[2:])
    return np.concatenate([low, high - low]).astype(np.float32)
