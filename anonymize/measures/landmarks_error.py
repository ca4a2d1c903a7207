"""How far the points of a face moved."""

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure

OUTER_EYE_CORNERS = {"ibug68": (36, 45), "mediapipe478": (33, 263)}
"""Layout of the points -> those at the outer corners of the eyes."""


def interocular(points: NDArray[np.floating], layout: str) -> float:
    """Return the distance of the outer corners of the eyes, in pixels (300-W, Sagonas et al., ICCVW 2013)."""
    one, other = OUTER_EYE_CORNERS[layout]
    return float(np.linalg.norm(points[one, :2] - points[other, :2]))


def normalized_error(raw: NDArray[np.floating], other: NDArray[np.floating], distance: float) -> float:
    """Return (1/K) sum ||p - q|| / distance, the normalized mean error of 300-W; NaN where the distance is 0.

    Args:
        raw: (k, 2) or (k, 3) points in the source; only x and y count.
        other: (k, ...) the same points in the rendering.
        distance: between the outer corners of the eyes in the source.
    """
    if distance <= 0:
        return float("nan")
    return float(np.linalg.norm(raw[:, :2] - other[:, :2], axis=1).mean() / distance)


def mean_error(errors: NDArray[np.floating]) -> Figure:
    """Return the mean of the faces that have an error."""
    known = errors[np.isfinite(errors)]
    if not len(known):
        return Figure(None, 0, "No face has landmarks both in the source and in the clip.")
    return Figure(float(known.mean()), len(known))
