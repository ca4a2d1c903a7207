"""Several detectors as one: a face that one of them misses, another may find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from models.boxes import overlaps
from models.faces.base import Detections, FaceDetector
from models.faces.registry import JOINED
from project.types import Json

_SAME_FACE = 0.3
ALONE = 0.2
_SUPPORT = 0.5
_SURE = 1e-6
"""What scores count for in the choice of pairs: less than any overlap."""

Box = NDArray[np.float32]


class Together:
    """Asks every detector and merges what overlaps. Their scores must be on one scale.

    Args:
        detectors: two or more.
    """

    def __init__(self, detectors: Sequence[FaceDetector]) -> None:
        self._detectors = tuple(detectors)

    @property
    def detectors(self) -> tuple[FaceDetector, ...]:
        """All that are asked."""
        return self._detectors

    @property
    def key(self) -> str:
        """The names of all, joined by `+`; the registry makes the same again from it."""
        return JOINED.join(each.key for each in self._detectors)

    @property
    def parameters(self) -> Mapping[str, Json]:
        """How they are merged, and the parameters of each by its name."""
        merging = {"same_face": _SAME_FACE, "alone": ALONE, "support": _SUPPORT}
        return {**merging, **{each.key: dict(each.parameters) for each in self._detectors}}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find faces in an HxWx3 RGB picture of any size; see `merge` for which."""
        return merge([each.detect(image, floor * _SUPPORT) for each in self._detectors], floor)


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

    def join(self, hit: "_Face") -> None:
        self.boxes += hit.boxes
        if hit.score > self.score:
            self.score, self.landmarks = hit.score, hit.landmarks


def merge(answers: Sequence[Detections], floor: float, alone: float = ALONE) -> Detections:
    """Return one detection for every face, best first.

    Hits of two detectors are one face where they overlap by an intersection over union of at least 0.3, each with
    one at most, chosen so that the overlaps add up to the most; where several ways do, sure hits go with sure ones.

    What one detector alone found must score 0.2: a weaker hit counts where another detector saw something too, if
    only half of the floor. Most weak hits are things, and detectors that err independently seldom take the same
    thing for a face.

    The face's box lies, edge by edge, halfway between the mean of the detectors' boxes and the smallest box that
    holds them all. A mask reaches further than its box, so that it hides both boxes nearly always; around the
    smallest box that holds them all, the masks of the recording of a conversation were 4 % larger, and hid as many of
    YuNet's hits and 0.2 % more of a third network's.

    Args:
        answers: of each detector, down to half of the floor.
        floor: the least score of what is returned; score and landmarks are those of a face's best hit.
        alone: the least score of what one detector alone found.
    """
    faces: list[_Face] = []
    for answer in answers:
        hits = [
            _Face([box], score, None if answer.landmarks is None else answer.landmarks[i])
            for i, (box, score) in enumerate(zip(answer.boxes, answer.scores, strict=True))
        ]
        free = set(range(len(hits)))
        for face, hit in _pairs(faces, hits):
            faces[face].join(hits[hit])
            free.remove(hit)
        faces += [hits[i] for i in sorted(free)]
    faces = [face for face in faces if face.score >= (floor if len(face.boxes) > 1 else max(floor, alone))]
    faces.sort(key=lambda face: -face.score)
    if not faces:
        return Detections.none()
    landmarks = [face.landmarks for face in faces if face.landmarks is not None]
    return Detections(
        np.stack([face.box() for face in faces]),
        np.array([face.score for face in faces], np.float32),
        np.stack(landmarks) if len(landmarks) == len(faces) else None,
    )


def _pairs(ours: Sequence[_Face], theirs: Sequence[_Face]) -> list[tuple[int, int]]:
    if not ours or not theirs:
        return []
    shared = overlaps(np.stack([one.box() for one in ours]), np.stack([one.box() for one in theirs])).astype(float)
    shared[shared < _SAME_FACE] = 0
    sure = np.outer([one.score for one in ours], [one.score for one in theirs])
    rows, columns = linear_sum_assignment(-np.where(shared, shared + _SURE * sure, 0))
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if shared[r, c]]
