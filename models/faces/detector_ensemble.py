"""Combines face detectors: ensembles, a half-size first look, and a cheap search of large pictures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.boxes import Box as WindowsBox
from models.boxes import crop_windows, iou_matrix
from models.faces.face_detectors import QUICK_DETECTORS, SEPARATOR, Detections, FaceDetector
from project.entities.study_records import Json

_SAME_FACE = 0.3
MIN_LONE_SCORE = 0.2
_SUPPORT = 0.5
_SURE = 1e-6
"""What scores count for in the choice of pairs: less than any overlap."""

Box = NDArray[np.float32]


class DetectorEnsemble:
    """Asks every detector and merges what overlaps. Their scores must be on one scale.

    Attributes:
        key: the names of all, joined by `+`; the registry makes the same again from it.
    """

    def __init__(self, detectors: Sequence[FaceDetector]) -> None:
        self.detectors = tuple(detectors)
        self.key = SEPARATOR.join(detector.key for detector in detectors)
        merging = {"same_face": _SAME_FACE, "alone": MIN_LONE_SCORE, "support": _SUPPORT}
        self.parameters: Mapping[str, Json] = {
            **merging,
            **{detector.key: dict(detector.parameters) for detector in detectors},
        }

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find faces in an HxWx3 RGB picture of any size; see `merge` for which."""
        return merge([detector.detect(image, floor * _SUPPORT) for detector in self.detectors], floor)


@dataclass(slots=True)
class _Face:
    """What the detectors say about one face: their boxes, and the best hit."""

    boxes: list[Box]
    score: np.float32
    landmarks: NDArray[np.float32] | None

    def box(self) -> Box:
        corners = np.stack([np.concatenate([box[:2], box[:2] + box[2:]]) for box in self.boxes])
        outer = np.concatenate([corners[:, :2].min(0), corners[:, 2:].max(0)])
        middle = (corners.mean(0) + outer) / 2
        return np.concatenate([middle[:2], middle[2:] - middle[:2]]).astype(np.float32)

    def merge(self, hit: "_Face") -> None:
        self.boxes += hit.boxes
        if hit.score > self.score:
            self.score, self.landmarks = hit.score, hit.landmarks


def merge(answers: Sequence[Detections], floor: float, alone: float = MIN_LONE_SCORE) -> Detections:
    """Return one detection for every face, best first.

    Hits of two detectors are one face where they overlap by an intersection over union of at least 0.3, each with one
    at most, chosen so that the overlaps add up to the most; where several ways do, sure hits go with sure ones.

    What one detector alone found must score 0.2: a weaker hit counts where another detector saw something too, if only
    half of the floor. Most weak hits are things, and detectors that err independently seldom take the same thing for a
    face.

    The face's box lies, edge by edge, halfway between the mean of the detectors' boxes and the smallest box that holds
    them all. A mask reaches further than its box, so that it hides both boxes nearly always; around the smallest box
    that holds them all, the masks of the recording of a conversation were 4 % larger, and hid as many of YuNet's hits
    and 0.2 % more of a third network's. `answers` go down to half of the floor; score and landmarks of what is returned
    are those of a face's best hit.
    """
    faces: list[_Face] = []
    for answer in answers:
        hits = [
            _Face([box], score, None if answer.landmarks is None else answer.landmarks[i])
            for i, (box, score) in enumerate(zip(answer.boxes, answer.scores, strict=True))
        ]
        free = set(range(len(hits)))
        for face, hit in _pairs(faces, hits):
            faces[face].merge(hits[hit])
            free.remove(hit)
        faces += [hits[i] for i in sorted(free)]
    faces = [face for face in faces if face.score >= (floor if len(face.boxes) > 1 else max(floor, alone))]
    faces.sort(key=lambda face: -face.score)
    if not faces:
        return Detections.empty()
    landmarks = [face.landmarks for face in faces if face.landmarks is not None]
    return Detections(
        np.stack([face.box() for face in faces]),
        np.array([face.score for face in faces], np.float32),
        np.stack(landmarks) if len(landmarks) == len(faces) else None,
    )


def _pairs(ours: Sequence[_Face], theirs: Sequence[_Face]) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    if not ours or not theirs:
        return []
    shared = iou_matrix([face.box() for face in ours], [face.box() for face in theirs])
    shared[shared < _SAME_FACE] = 0
    sure = np.outer([face.score for face in ours], [face.score for face in theirs])
    rows, columns = linear_sum_assignment(-np.where(shared, shared + _SURE * sure, 0))
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if shared[r, c]]


# Pictures up to this are searched as they are.
_SMALL = 640
_REDUCED = 0.5
# A face this large in the whole picture, in pixels, is large enough for the detector when it is reduced.
_LARGE = 96
_CERTAIN = 0.35
_SUSPICIOUS = 0.1


class TwoScales:
    """A detector at less than a third of its price, which misses faces of a few pixels.

    What half the size shows beyond doubt, large and with a score of at least 0.35, counts. Around whatever else looks
    at all like a face there, windows of the picture are searched at full size, and they alone decide.
    """

    def __init__(self, detector: FaceDetector) -> None:
        self._detector, self.key = detector, detector.key
        scales = {"reduced": _REDUCED, "large": _LARGE, "certain": _CERTAIN, "suspicious": _SUSPICIOUS}
        self.parameters: Mapping[str, Json] = {**detector.parameters, **scales}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor` in an HxWx3 RGB picture of any size."""
        height, width = image.shape[:2]
        if max(height, width) <= _SMALL:
            return self._detector.detect(image, floor)
        first = _detect_reduced(self._detector, image, min(_SUSPICIOUS, floor))
        certain = (first.boxes[:, 2:].max(axis=1, initial=0) >= _LARGE) & (first.scores >= max(_CERTAIN, floor))
        answers = [first.selected(certain)]
        for left, top, right, bottom in crop_windows(first.boxes[~certain], width, height):
            part = np.ascontiguousarray(image[top:bottom, left:right])
            answers.append(self._detector.detect(part, floor).scaled(np.ones(2, np.float32), (left, top)))
        return merge(answers, floor, alone=floor)


def _detect_reduced(detector: FaceDetector, image: NDArray[np.uint8], floor: float) -> Detections:
    """Return what half the size shows, in pixels of the picture."""
    height, width = image.shape[:2]
    size = round(width * _REDUCED), round(height * _REDUCED)
    reduced = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array([width / size[0], height / size[1]], np.float32)
    return detector.detect(reduced, floor).scaled(scale)


def quick_detector(detector: FaceDetector) -> FaceDetector:
    """Return one that is quick among several, or else the first of them looking at two scales."""
    if not isinstance(detector, DetectorEnsemble):
        return detector if detector.key in QUICK_DETECTORS else TwoScales(detector)
    every = detector.detectors
    quick = next((detector for name in QUICK_DETECTORS for detector in every if detector.key == name), None)
    return EnsembleMember(quick or TwoScales(every[0]))


class EnsembleMember:
    """One detector without the others, by the same rule: what it alone found must score 0.2."""

    def __init__(self, detector: FaceDetector) -> None:
        self._detector, self.key = detector, detector.key
        self.parameters: Mapping[str, Json] = {**detector.parameters, "alone": MIN_LONE_SCORE}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor`, and 0.2, in an HxWx3 RGB picture of any size."""
        return self._detector.detect(image, max(floor, MIN_LONE_SCORE))


# On the test recordings, where a large face scored 0.5 at full size, it scored 0.42 or more reduced. Smaller ones
# scored down to 0.09, and a few nothing.
_LARGE_SUSPICIOUS = 0.25
# A window shows less than the whole picture, and scores differ a little; the whole picture decides.
_NEARLY = 0.35


def search_faces(
    detector: FaceDetector, image: NDArray[np.uint8], near: Iterable[WindowsBox], least: float
) -> Detections:
    """Find the faces that score at least `least` in an RGB picture.

    On a recording of a conversation (1280x720, 632 frames, nothing hidden) this found every one of the 1,633 faces that
    score 0.5 at full size, also without being told where any was. `near` are boxes around which to look closely in any
    case.
    """
    height, width = image.shape[:2]
    if max(height, width) <= _SMALL:
        return detector.detect(image, least)
    first = _detect_reduced(detector, image, min(_SUSPICIOUS, least))
    large = first.boxes[:, 2:].max(axis=1, initial=0) >= _LARGE
    suspicious = first.boxes[~large | (first.scores >= min(_LARGE_SUSPICIOUS, least))]
    small = [box for box in near if max(box[2], box[3]) < _LARGE]
    for left, top, right, bottom in crop_windows([*suspicious, *small], width, height):
        if len(detector.detect(np.ascontiguousarray(image[top:bottom, left:right]), min(_NEARLY, least))):
            return detector.detect(image, least)
    return Detections.empty()
