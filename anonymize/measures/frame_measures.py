"""Measures of one rendering against its source: detection, leaks, expression, landmark error, and motion over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.privacy_report import MeasuredValue, share_value
from models.boxes import iou_matrix
from models.faces.face_detectors import FaceDetector
from models.faces.identity.face_embeddings import Embedder
from models.faces.landmarks.landmark_finders import LandmarkFinder
from models.flow.optical_flow import OpticalFlow
from project.timebase import SECOND_US

MIN_SCORE = 0.5
MIN_OVERLAP = 0.3

Boxes = NDArray[np.floating]


def match_detections(faces: Boxes, hits: Boxes, scores: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Tell for each source face whether a hit of score >= 0.5 lies on it by an IoU of >= 0.3.

    `faces` and `hits` are (n, 4) and (m, 4) boxes, `scores` (m,).
    """
    sure = np.asarray(hits).reshape(-1, 4)[np.asarray(scores) >= MIN_SCORE]
    return np.asarray((iou_matrix(faces, sure) >= MIN_OVERLAP).any(axis=1), np.bool_)


OUTER_EYE_CORNERS = {"ibug68": (36, 45), "mediapipe478": (33, 263)}
"""Layout of the points -> those at the outer corners of the eyes."""


def interocular_distance(points: NDArray[np.floating], layout: str) -> float:
    """Return the distance of the outer corners of the eyes, in pixels (300-W, Sagonas et al., ICCVW 2013)."""
    number, other = OUTER_EYE_CORNERS[layout]
    return float(np.linalg.norm(points[number, :2] - points[other, :2]))


def normalized_error(raw: NDArray[np.floating], other: NDArray[np.floating], distance: float) -> float:
    """Return (1/K) sum ||p - q|| / distance, the normalized mean error of 300-W; NaN where the distance is 0.

    `raw` and `other` are (k, 2) or (k, 3) points, of which x and y count; `distance` is that of the outer corners of
    the eyes in the source.
    """
    if distance <= 0:
        return float("nan")
    return float(np.linalg.norm(raw[:, :2] - other[:, :2], axis=1).mean() / distance)


def mean_error(errors: NDArray[np.floating]) -> MeasuredValue:
    """Return the mean of the faces that have an error."""
    known = errors[np.isfinite(errors)]
    if not len(known):
        return MeasuredValue(None, 0, "No face has landmarks both in the source and in the clip.")
    return MeasuredValue(float(known.mean()), len(known))


COVERED_SHARE = 0.9
"""A face is covered when at least this share of its box lies where nothing is left of the source."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """What the masks missed.

    Attributes:
        coverage: share of faces in frames that are covered.
        frames: looked-at frames with a face that is not.
        longest_frames: the longest run of such frames, in frames of the clip: every looked-at frame stands for those
            up to the next one.
        longest_s: the same in seconds.
        first_us: time of the first such frame; None without any.
    """

    coverage: MeasuredValue
    frames: int
    longest_frames: int
    longest_s: float
    first_us: int | None


def count_leaks(
    shares: NDArray[np.floating],
    frames: NDArray[np.integer],
    looked: NDArray[np.integer],
    times_us: NDArray[np.integer],
    end_us: int,
    stride: int = 1,
) -> Leaks:
    """Count faces and frames that are not covered.

    Args:
        shares: (n,) of each face's box that is hidden, 0 to 1.
        frames: (n,) in which frame of `looked` each face is.
        looked: (k,) the frames that were looked at, rising.
        times_us: (k,) their times.
        end_us: when the last of them stops being shown, or stops standing for those after it.
        stride: how many frames a looked-at one stands for.
    """
    bare = np.asarray(shares) < COVERED_SHARE
    leaking = np.isin(looked, np.asarray(frames)[bare])
    edges = np.append(np.asarray(times_us, np.int64), end_us)
    changes = np.flatnonzero(np.diff(np.concatenate([[False], leaking, [False]]).astype(np.int8)))
    starts, stops = changes[::2], changes[1::2]
    return Leaks(
        share_value(int((~bare).sum()), len(bare), "faces to cover"),
        int(leaking.sum()),
        int((stops - starts).max(initial=0)) * stride,
        int((edges[stops] - edges[starts]).max(initial=0)) / SECOND_US,
        int(edges[starts[0]]) if len(starts) else None,
    )


MIN_PAIRS = 10
"""Fewer pairs than this have no correlation worth naming."""
# A signal that moves less than this share of its own size does not move: what is left is rounding.
_STILL = 1e-6

Signal = NDArray[np.floating]


def mean_difference(raw: Signal, other: Signal, turn: float = 0.0) -> MeasuredValue:
    """Return the mean of |raw - other| over the pairs that both have.

    Both are (n,) or (n, k), NaN where unknown. Of angles, `turn` is 360: the shorter way round counts.
    """
    apart = np.abs(np.asarray(raw, np.float64) - np.asarray(other, np.float64))
    if turn:
        apart = np.minimum(apart % turn, turn - apart % turn)
    known = apart[np.isfinite(apart)]
    if not len(known):
        return MeasuredValue(None, 0, "It was not seen both in the source and in the clip.")
    return MeasuredValue(float(known.mean()), len(known))


def pearson(raw: Signal, other: Signal) -> MeasuredValue:
    """Return Pearson's r of two signals over the pairs that both have.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2), as it is used for the intensity of
    action units (Valstar et al., FERA 2015). None where one of them does not move, or with fewer than ten pairs.
    """
    x, y = np.asarray(raw, np.float64), np.asarray(other, np.float64)
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < MIN_PAIRS:
        return MeasuredValue(None, len(x), f"It takes {MIN_PAIRS} pairs; there are {len(x)}.")
    for name, signal in (("source", x), ("clip", y)):
        if np.ptp(signal) <= _STILL * max(1.0, float(np.abs(signal).max())):
            return MeasuredValue(None, len(x), f"The signal does not move in the {name}.")
    x, y = x - x.mean(), y - y.mean()
    r = float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum()))
    return MeasuredValue(min(1.0, max(-1.0, r)), len(x))


def estimate_lag(raw: Signal, other: Signal, most: int) -> MeasuredValue:
    """Return by how many steps `other` comes later than `raw`: where Pearson's r of the shifted signals is greatest.

    Both are (n,) at even steps, NaN where unknown; at most `most` steps are tried, either way.
    """
    found: list[tuple[float, int]] = []
    reason = ""
    for shift in range(-most, most + 1):
        first, second = (raw[: len(raw) - shift], other[shift:]) if shift >= 0 else (raw[-shift:], other[:shift])
        r = pearson(first, second)
        reason = reason or r.note
        if r.value is not None:
            found.append((r.value, shift))
    if not found:
        return MeasuredValue(None, len(raw), reason)
    return MeasuredValue(float(max(found, key=lambda pair: (round(pair[0], 9), -abs(pair[1])))[1]), len(raw))


@dataclass(frozen=True, slots=True)
class Tools:
    """Models; what is missing is not measured, and the report says so.

    Attributes:
        detector: looks for faces in the clip; best none of those that found the tracks.
        independent: whether it is none of those.
        embedders: recognize people; the strictest answer counts.
        landmarks: measures points, pose and expression; best another one than `driver`.
        driver: finds landmarks of the source a second time: what a drawn face is driven by, and the only one with the
            iris.
        flow: motion in the source.
    """

    detector: FaceDetector | None = None
    independent: bool = False
    embedders: Sequence[Embedder] = ()
    landmarks: LandmarkFinder | None = None
    driver: LandmarkFinder | None = None
    flow: OpticalFlow | None = None


@dataclass(frozen=True, slots=True)
class Stranger:
    """Somebody who is not in the recording that is measured.

    Attributes:
        frames: positions of a few frames in which their face is large.
        boxes: x, y, width, height of their face in each of these.
    """

    identity: str
    path: Path
    frames: tuple[int, ...]
    boxes: tuple[tuple[float, float, float, float], ...]
