"""What is taken over from a person: the pose of the head, and a few distances in the face in millimetres.

The points of a face are laid onto an average of many faces. What differs there in shape stays behind; the distances
that expressions change are read off, and nothing else is kept.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_PAIRED = {
    (98, 327): (18.5, 45.6, -15.1),
    (33, 263): (44.5, 0.0, 0.0),
    (133, 362): (17.3, 1.9, -5.4),
    (127, 356): (69.4, -0.1, 49.9),
    (234, 454): (69.0, 13.6, 56.2),
    (67, 297): (35.0, -46.7, -14.4),
    (54, 284): (59.2, -34.5, 10.9),
    (116, 345): (63.6, 15.8, 14.4),
}
_MIDDLE = {
    10: (0.0, -48.9, -23.1),
    151: (0.0, -33.7, -25.0),
    9: (0.0, -18.2, -26.0),
    8: (0.0, -9.9, -23.9),
    168: (0.0, -1.9, -22.8),
    6: (0.0, 6.8, -26.4),
    197: (0.0, 14.6, -30.8),
    195: (0.0, 21.8, -35.6),
    1: (0.0, 44.9, -39.4),
    2: (0.0, 49.4, -23.1),
}
_STILL = np.array([number for pair in _PAIRED for number in pair] + list(_MIDDLE))
_USUAL = np.array(
    [(side * x, y, z) for x, y, z in _PAIRED.values() for side in (-1, 1)] + list(_MIDDLE.values()), np.float64
)
"""Where points that no expression moves lie in the average of fourteen groups of faces, made symmetric: x to the
picture's right, y down, z away from the camera, from between the outer corners of the eyes."""


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where the head is.

    Attributes:
        turn: (3,) rotation vector, from the head's axes to the camera's.
        place: (2,) of the point between the outer corners of the eyes, in pixels of the picture.
        scale: pixels per millimetre.
    """

    turn: NDArray[np.float64]
    place: NDArray[np.float64]
    scale: float


@dataclass(frozen=True, slots=True)
class Expression:
    """What a face does; right and left are the picture's left and right side, as on a person who looks at us.

    Attributes:
        open: gap between the inner lips, mm.
        width: from corner to corner of the mouth, mm.
        corner_right: how far the mouth's corner lies below the base of the nose, mm.
        corner_left: the same.
        lip: how far the upper lip's inner edge lies below the base of the nose, mm.
        chin: how far the chin lies below the base of the nose, mm.
        aside: how far the mouth is pushed to the picture's right, mm.
        eye_right: height of the opening between the lids as a share of the eye's width.
        eye_left: the same.
        inner_right: how far the brow's inner end lies above the corners of the eye, mm.
        inner_left: the same.
        outer_right: the same of the outer half.
        outer_left: the same.
        across: how far the irises are turned to the picture's right, as a share of the eye's width.
        down: how far they are turned down.
    """

    open: float
    width: float
    corner_right: float
    corner_left: float
    lip: float
    chin: float
    aside: float
    eye_right: float
    eye_left: float
    inner_right: float
    inner_left: float
    outer_right: float
    outer_left: float
    across: float
    down: float


SIGNALS = tuple(field.name for field in fields(Expression))
REST = Expression(0.5, 56.0, 17.0, 17.0, 19.0, 65.0, 0.0, 0.27, 0.27, 17.0, 17.0, 20.5, 20.5, 0.0, -0.045)
"""A usual face at rest."""


def read(points: NDArray[np.float32]) -> tuple[Pose, Expression]:
    """Read pose and expression off the 478 points of a face, (478, 3) in pixels of the picture.

    The pose is the least squares fit of turn, scale and shift (Umeyama, "Least-Squares Estimation of Transformation
    Parameters Between Two Point Patterns", IEEE PAMI 13(4), 1991) between points that no expression moves.
    """
    seen = np.asarray(points, np.float64)
    still = seen[_STILL]
    middle, aim = _USUAL.mean(0), still.mean(0)
    u, stretch, vt = np.linalg.svd((_USUAL - middle).T @ (still - aim))
    proper = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    turn = (u * proper) @ vt  # rows: head to camera
    scale = float((stretch * proper).sum() / ((_USUAL - middle) ** 2).sum())
    place = (aim - scale * middle @ turn)[:2]
    head = (seen - aim) @ turn.T / max(scale, 1e-9) + middle
    return Pose(_vector(turn.T), place, scale), _expression(head)


def _expression(head: Points) -> Expression:
    def gap(*pairs: tuple[int, int]) -> float:
        return float(np.mean([np.linalg.norm(head[a] - head[b]) for a, b in pairs]))

    def eye(corners: tuple[int, int], lids: tuple[tuple[int, int], tuple[int, int]]) -> float:
        return gap(*lids) / max(gap(corners), 1e-6)

    def above(brow: tuple[int, ...], corners: tuple[int, int]) -> float:
        return float(head[list(corners), 1].mean() - head[list(brow), 1].mean())

    def iris(centre: int, corners: tuple[int, int], axis: int) -> float:
        ends = head[list(corners)]
        return float((head[centre, axis] - ends[:, axis].mean()) / max(np.ptp(ends[:, 0]), 1e-6))

    base = head[2]
    right, left = (33, 133), (362, 263)
    return Expression(
        open=gap((81, 178), (13, 14), (311, 402)),
        width=gap((61, 291)),
        corner_right=float(head[61, 1] - base[1]),
        corner_left=float(head[291, 1] - base[1]),
        lip=float(head[13, 1] - base[1]),
        chin=float(head[152, 1] - base[1]),
        aside=float(head[[61, 291, 13, 14], 0].mean() - base[0]),
        eye_right=eye(right, ((160, 144), (158, 153))),
        eye_left=eye(left, ((385, 380), (387, 373))),
        inner_right=above((55, 107), right),
        inner_left=above((285, 336), left),
        outer_right=above((105, 63, 70), right),
        outer_left=above((334, 293, 300), left),
        across=float(np.mean([iris(468, right, 0), iris(473, left, 0)])),
        down=float(np.mean([iris(468, right, 1), iris(473, left, 1)])),
    )


def matrix(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) rotation of a rotation vector, by Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-9:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def _vector(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation vector of a rotation by less than half a turn."""
    axis = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)) / 2, (float(np.trace(rotation)) - 1) / 2
    return axis * (0.5 if sine < 1e-9 else np.arctan2(sine, cosine) / (2 * sine))
