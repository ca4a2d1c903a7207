"""Vectors of identity of face tracks, from the best views of each."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from media.iterate import pictures
from models.faces.base import FaceDetector
from models.faces.identity.base import Embedder
from models.faces.windows import windows
from project.progress import Progress
from project.types import FaceTrack, Origin

_VIEWS = 3
_LEAST_SCORE = 0.5
_LEAST_SIDE = 24
_SAME_FACE = 0.5

Box = NDArray[np.float32]


def identities(
    path: Path,
    index: FrameIndex,
    tracks: Sequence[FaceTrack],
    detector: FaceDetector,
    embedder: Embedder,
    progress: Progress,
) -> dict[str, NDArray[np.float32]]:
    """Return (d,) unit vectors of the tracks that show a face well enough, by id.

    Args:
        path: of the recording.
        index: of its frames.
        tracks: whose.
        detector: finds the five points that faces are aligned by; one without points gives no vectors.
        embedder: what knows faces apart.
        progress: asked whether to stop.
    """
    wanted: dict[int, list[tuple[str, Box]]] = {}
    for track in tracks:
        for place in _best(track):
            wanted.setdefault(int(track.frames[place]), []).append((track.id, track.boxes[place]))
    sums: dict[str, NDArray[np.float32]] = {}
    for frame, faces in sorted(wanted.items()):
        progress.check_cancelled()
        time_us = index.times.time_of(frame)
        image = next(pictures(path, index, time_us, time_us + 1)).image
        for track_id, box in faces:
            points = _points(image, box, detector)
            if points is not None:
                vector = embedder.embed(image, points[None])[0]
                sums[track_id] = sums.get(track_id, np.zeros_like(vector)) + vector
    return {track_id: total / max(float(np.linalg.norm(total)), 1e-9) for track_id, total in sums.items()}


def _best(track: FaceTrack) -> list[int]:
    """Return the places of the surest hit in each third of the track."""
    good = (track.origins == Origin.DETECTED) & (track.scores >= _LEAST_SCORE)
    good &= track.boxes[:, 2:].min(axis=1) >= _LEAST_SIDE
    thirds = np.array_split(np.flatnonzero(good), _VIEWS)
    return [int(part[track.scores[part].argmax()]) for part in thirds if len(part)]


def _points(image: NDArray[np.uint8], box: Box, detector: FaceDetector) -> NDArray[np.float32] | None:
    height, width = image.shape[:2]
    for left, top, right, bottom in windows([box], width, height):
        found = detector.detect(np.ascontiguousarray(image[top:bottom, left:right]), _LEAST_SCORE)
        if found.landmarks is None or not len(found):
            return None
        middle = box[:2] + box[2:] / 2 - (left, top)
        away = np.abs(found.boxes[:, :2] + found.boxes[:, 2:] / 2 - middle).max(axis=1)
        nearest = int(away.argmin())
        if away[nearest] <= _SAME_FACE * max(box[2:]):
            points: NDArray[np.float32] = found.landmarks[nearest] + np.array((left, top), np.float32)
            return points
    return None
