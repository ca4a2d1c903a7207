"""One pass over the pictures of a recording: what the faces in it do over time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from media.iterate import pictures
from models.cues.face import FaceSignals
from models.faces.landmarks.base import LandmarkFinder, Landmarks
from models.faces.landmarks.signals import (
    brow_height,
    corner_lift,
    eye_closure,
    head_pose,
    iris_offset,
    mouth_opening,
    mouth_width,
)
from project.progress import Progress
from project.timebase import SECOND
from project.types import FaceTrack

LOOKS_PER_SECOND = 15
"""More than three for each swing of the quickest nod."""
_SLACK_US = 4_000
_LEAST_SIDE = 36
_FIELDS = (
    "yaw", "pitch", "mouth_width", "corner_lift", "mouth_opening", "brow_height", "eye_closure", "iris_side",
    "iris_down", "smile",
)  # fmt: skip


def face_signals(
    path: Path, index: FrameIndex, people: Mapping[str, Sequence[FaceTrack]], finder: LandmarkFinder, progress: Progress
) -> dict[str, FaceSignals]:
    """Look at every face about 15 times a second; faces less than 36 pixels wide are left out.

    Args:
        path: of the video.
        index: of the same file.
        people: name of a person -> the tracks that are their face.
        finder: of landmarks.
        progress: told in seconds of the video.

    Returns:
        Name -> what was seen; people who are never seen are left out.
    """
    places = _places(people)
    if not places:
        return {}
    rows: dict[str, list[tuple[int, tuple[float, ...]]]] = {}
    total = max(1, index.times.end_us // SECOND)
    first, last = min(places), max(places)
    due = index.times.time_of(first)
    for picture in pictures(path, index, due, index.times.time_of(last) + 1):
        progress.check_cancelled()
        if picture.time_us < due - _SLACK_US:
            continue
        due = max(due, picture.time_us) + SECOND // LOOKS_PER_SECOND
        here = places.get(picture.index, [])
        if not here or picture.damaged:
            continue
        image = picture.image
        found = finder.find(image, np.array([box for _, box in here], np.float32))
        for (name, _), face in zip(here, found, strict=True):
            if face is not None:
                size = image.shape[1], image.shape[0]
                rows.setdefault(name, []).append((picture.time_us, _row(face, size)))
        progress.progress(min(picture.time_us // SECOND, total), total, "Watching faces")
    return {name: _signals(seen) for name, seen in rows.items()}


def _places(people: Mapping[str, Sequence[FaceTrack]]) -> dict[int, list[tuple[str, NDArray[np.float32]]]]:
    """Return position of a frame -> the faces in it."""
    found: dict[int, list[tuple[str, NDArray[np.float32]]]] = {}
    for name, tracks in people.items():
        for track in tracks:
            for frame, box in zip(track.frames.tolist(), track.boxes, strict=True):
                if box[2] >= _LEAST_SIDE:
                    found.setdefault(frame, []).append((name, box))
    return found


def _row(face: Landmarks, size: tuple[int, int]) -> tuple[float, ...]:
    yaw, pitch, _ = head_pose(face, size)
    iris = iris_offset(face)
    side, down = (float("nan"),) * 2 if iris is None else (float(value) for value in iris.mean(0))
    shapes = face.blendshapes or {}
    smiles = [shapes[name] for name in ("mouthSmileLeft", "mouthSmileRight") if name in shapes]
    return (
        *(yaw, pitch, mouth_width(face), corner_lift(face), mouth_opening(face)),
        *(float(np.mean(brow_height(face))), float(np.mean(eye_closure(face))), side, down),
        float(np.mean(smiles)) if smiles else float("nan"),
    )


def _signals(seen: Sequence[tuple[int, tuple[float, ...]]]) -> FaceSignals:
    ordered = sorted(dict(seen).items())
    times = np.array([time for time, _ in ordered], np.int64)
    columns = dict(zip(_FIELDS, np.array([row for _, row in ordered], np.float64).T, strict=True))
    smile = columns.pop("smile")
    return FaceSignals(times, **columns, smile=smile if np.isfinite(smile).any() else None)
