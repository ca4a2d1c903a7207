"""Whether a detector still finds the faces that were hidden."""

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure, share
from models.boxes import overlaps

LEAST_SCORE = 0.5
LEAST_OVERLAP = 0.3

Boxes = NDArray[np.floating]


def still_found(faces: Boxes, hits: Boxes, scores: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Tell for each source face whether a hit of score >= 0.5 lies on it by an IoU of >= 0.3.

    Args:
        faces: (n, 4) of the source.
        hits: (m, 4) that a detector found.
        scores: (m,) of the hits.
    """
    sure = np.asarray(hits).reshape(-1, 4)[np.asarray(scores) >= LEAST_SCORE]
    return np.asarray((overlaps(faces, sure) >= LEAST_OVERLAP).any(axis=1), np.bool_)


def detection_rate(found: NDArray[np.bool_]) -> Figure:
    """Return the share of faces that a detector finds: wanted near 0 for masks and near 1 for synthesis."""
    return share(int(found.sum()), len(found), "faces to look for")
