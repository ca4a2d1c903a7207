"""Re-identification on stills of eight people: 80 pairs of one person and 700 of two."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MaskSet
from anonymize.measures.reidentification import equal_error_rate, match_threshold, reidentification_rate
from anonymize.methods.face_methods import PlaneMethod
from anonymize.rendering.compositing import hide_faces
from models.faces.face_detectors import FaceDetector
from models.faces.identity.face_embeddings import Embedder
from project.entities.study_records import FaceTrack

FAR = 1e-2

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """One picture with a face whose place is known."""

    person: str
    image: NDArray[np.uint8]
    box: NDArray[np.float32]
    points: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rates:
    """How a method did: shares of re-identified pairs at FAR 1e-2, naive and parrot, and the parrot's equal error."""

    naive: float
    parrot: float
    parrot_error: float
    pairs: int


def stills(folder: Path, detector: FaceDetector) -> list[Still]:
    """Read the pictures in which a face is found."""
    import cv2

    found = []
    for path in sorted(folder.glob("*.png")):
        image = np.ascontiguousarray(cv2.imread(str(path), cv2.IMREAD_COLOR)[..., ::-1])
        hits = detector.detect(image, 0.3)
        if len(hits) and hits.landmarks is not None:
            found.append(Still(path.stem.rsplit("_", 1)[0], image, hits.boxes[0], hits.landmarks[0]))
    return found


def hidden(still: Still, method: PlaneMethod) -> NDArray[np.uint8]:
    """Return a picture with its face hidden as in a rendering."""
    array = np.zeros(1, np.int32)
    track = FaceTrack(
        "face", array, array.astype(np.int64), still.box[None], array.astype(np.float32), array.astype(np.uint8)
    )
    image = still.image.copy()
    hide_faces([image], MaskSet([track]).masks_at(0), method)
    return image


def embed(found: Sequence[Still], images: Sequence[NDArray[np.uint8]], embedder: Embedder) -> Vectors:
    """Return (n, d) vectors, aligned by where the faces really are."""
    return np.concatenate(
        [embedder.embed(image, still.points[None]) for still, image in zip(found, images, strict=True)]
    )


def rates(found: Sequence[Still], raw: Vectors, other: Vectors) -> Rates:
    """Compare every picture that was hidden with every clean one (naive) and every other hidden one (parrot)."""
    pairs = [(a, b) for a, b in combinations(range(len(found)), 2)]
    same = np.array([found[a].person == found[b].person for a, b in pairs])
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    clean = (raw[first] * raw[second]).sum(1)
    naive = np.concatenate([(other[first] * raw[second]).sum(1)[same], (raw[first] * other[second]).sum(1)[same]])
    parrot = (other[first] * other[second]).sum(1)
    own = reidentification_rate(parrot[same], match_threshold(parrot[~same], FAR)).value
    return Rates(
        reidentification_rate(naive, match_threshold(clean[~same], FAR)).value or 0.0,
        own or 0.0,
        equal_error_rate(parrot[same], parrot[~same]).value or 0.0,
        int(same.sum()),
    )
