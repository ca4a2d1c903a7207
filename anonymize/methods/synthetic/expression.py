"""Reads head pose and expression of a face from landmarks and smooths them over a track without lag.

Distances are in millimetres. Short gaps are filled, and expressions are relative to the face at rest.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_PAIRED_POINTS = {
    (98, 327): (18.5, 45.6, -15.1),
    (33, 263): (44.5, 0.0, 0.0),
    (133, 362): (17.3, 1.9, -5.4),
    (127, 356): (69.4, -0.1, 49.9),
    (234, 454): (69.0, 13.6, 56.2),
    (67, 297): (35.0, -46.7, -14.4),
    (54, 284): (59.2, -34.5, 10.9),
    (116, 345): (63.6, 15.8, 14.4),
}
_MIDLINE_POINTS = {
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
_RIGID_INDICES = np.array([number for pair in _PAIRED_POINTS for number in pair] + list(_MIDLINE_POINTS))
_RIGID_POINTS = np.array(
    [(side * x, y, z) for x, y, z in _PAIRED_POINTS.values() for side in (-1, 1)] + list(_MIDLINE_POINTS.values()),
    np.float64,
)
"""Points that no expression moves, in the average of fourteen groups of faces, made symmetric: x to the picture's
right, y down, z away from the camera, from between the outer corners of the eyes."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadPose:
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
REST_EXPRESSION = Expression(0.5, 56.0, 17.0, 17.0, 19.0, 65.0, 0.0, 0.27, 0.27, 17.0, 17.0, 20.5, 20.5, 0.0, -0.045)
"""A usual face at rest."""


def read_pose_and_expression(points: NDArray[np.float32]) -> tuple[HeadPose, Expression]:
    """Read pose and expression off the 478 points of a face, (478, 3) in pixels of the picture.

    The pose is the least squares fit of turn, scale and shift (Umeyama, "Least-Squares Estimation of Transformation
    Parameters Between Two Point Patterns", IEEE PAMI 13(4), 1991) between points that no expression moves.
    """
    import cv2  # the window lists the methods without loading it

    seen = np.asarray(points, np.float64)
    still = seen[_RIGID_INDICES]
    middle, aim = _RIGID_POINTS.mean(0), still.mean(0)
    u, stretch, vt = np.linalg.svd((_RIGID_POINTS - middle).T @ (still - aim))
    proper = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    turn = (u * proper) @ vt  # rows: head to camera
    scale = float((stretch * proper).sum() / ((_RIGID_POINTS - middle) ** 2).sum())
    place = (aim - scale * middle @ turn)[:2]
    head = (seen - aim) @ turn.T / max(scale, 1e-9) + middle
    return HeadPose(cv2.Rodrigues(turn.T)[0].ravel(), place, scale), _expression(head)


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


Array = NDArray[np.float64]

MAX_GAP_US = 400_000
"""Frames without landmarks are drawn from those before and after, up to this long."""
MAX_HOLD_US = 250_000
"""And up to this long before the first and after the last."""

# A look at many frames tells what a face is like at rest; one at few does not, and a usual face stands in.
_TRUSTED_FRAMES = 50
_PERSONAL_SHARE = 0.7
_MAX_JUMP_SHARE = 0.6
_MIN_KNOWN_FRAMES = 3
_MAX_TURN = 1.25
_EYES = slice(SIGNALS.index("eye_right"), SIGNALS.index("eye_left") + 1)
_GAZE = slice(SIGNALS.index("across"), SIGNALS.index("down") + 1)
_REST = np.array(astuple(REST_EXPRESSION))
# Of the one-euro filter: least cut-off in hertz, and how much it rises with the speed of each signal.
_POSE_FILTER = (1.2, np.array([6.0, 6.0, 6.0, 9.0, 9.0, 12.0]))
_FACE_FILTER = (3.0, np.array([0.25] * 7 + [14.0, 14.0] + [0.2] * 4 + [10.0, 10.0]))


@dataclass(frozen=True, slots=True, eq=False)
class FaceSample:
    """One face in one frame, as it was looked at.

    Attributes:
        box: (4,) x, y, width, height.
        reading: pose and expression; None where no landmarks were found.
    """

    frame: int
    time_us: int
    box: NDArray[np.float64]
    reading: tuple[HeadPose, Expression] | None


def smooth_motion(track: Sequence[FaceSample], cuts: Collection[int]) -> Mapping[int, tuple[HeadPose, Expression]]:
    """Return pose and expression for every frame of a track that can be drawn.

    In the expression, the eyes' openings are 0 shut and 1 open; everything else is a usual face's at rest plus what
    this face does beyond its own. Nothing is smoothed across the frames in `cuts`, with which a scene starts.
    """
    readings = {sample.frame: sample.reading for sample in track if sample.reading is not None}
    readings = {frame: reading for frame, reading in readings.items() if _is_plausible(reading[0])}
    usable = [sample for sample in track if sample.frame in readings]
    if not usable:
        return {}
    rest, opened = _estimate_rest(np.array([astuple(expression) for _, expression in readings.values()]))
    drawn: dict[int, tuple[HeadPose, Expression]] = {}
    for stretch in _continuous_runs(track, usable, frozenset(cuts)):
        known = [sample for sample in stretch if sample.frame in readings]
        if len(known) < min(_MIN_KNOWN_FRAMES, len(track)):
            continue
        times = np.array([sample.time_us for sample in stretch], np.float64)
        poses, raw = _fill_gaps(stretch, known, times)
        seconds = times / 1e6
        size = np.median([sample.box[2] for sample in stretch])
        poses[:, 3:5] /= size
        poses = _smooth(poses, seconds, *_POSE_FILTER)
        poses[:, 3:5] *= size
        values = _normalize(_smooth(raw, seconds, *_FACE_FILTER), rest, opened)
        for sample, pose, value in zip(stretch, poses, values, strict=True):
            head = HeadPose(pose[:3], pose[3:5], float(np.exp(pose[5])))
            drawn[sample.frame] = head, Expression(*value.tolist())
    return drawn


def _is_plausible(pose: HeadPose) -> bool:
    numbers = np.concatenate([pose.turn, pose.place, [pose.scale]])
    return bool(np.isfinite(numbers).all() and pose.scale > 0 and np.linalg.norm(pose.turn) < _MAX_TURN)


def _estimate_rest(faces: Array) -> tuple[Array, float]:
    """Return what the signals are at rest, and how far open the eyes are when they are open."""
    trust = len(faces) / (len(faces) + _TRUSTED_FRAMES)
    rest = _REST + _PERSONAL_SHARE * trust * (np.median(faces, axis=0) - _REST)
    rest[0] = min(max(float(np.percentile(faces[:, 0], 10)), 0.0), 2.0) * trust + _REST[0] * (1 - trust)
    usual = float(_REST[_EYES].mean())
    opened = usual + trust * (float(np.percentile(faces[:, _EYES].mean(axis=1), 80)) - usual)
    return rest, float(np.clip(opened, 0.20, 0.36))


def _normalize(faces: Array, rest: Array, opened: float) -> Array:
    values = faces - rest + _REST
    values[:, 0] = np.maximum(faces[:, 0] - rest[0], 0)
    values[:, _EYES] = np.clip((faces[:, _EYES] / opened - 0.28) / 0.64, 0, 1.18)
    values[:, _GAZE] -= _REST[_GAZE]
    return np.asarray(values, np.float64)


def _continuous_runs(
    track: Sequence[FaceSample], usable: Sequence[FaceSample], cuts: frozenset[int]
) -> Iterator[list[FaceSample]]:
    """Yield runs of frames that can be drawn as one movement."""
    times = np.array([sample.time_us for sample in usable])
    run: list[FaceSample] = []
    for sample in track:
        place = int(np.searchsorted(times, sample.time_us))
        before = sample.time_us - times[place - 1] if place else None
        after = times[place] - sample.time_us if place < len(times) else None
        between = before is not None and after is not None and before + after <= MAX_GAP_US
        held = min(gap for gap in (before, after) if gap is not None) <= MAX_HOLD_US
        broken = bool(run) and (_has_cut(run[-1].frame, sample.frame, cuts) or _has_jump(run[-1].box, sample.box))
        if run and (broken or not (between or held)):
            yield run
            run = []
        if between or held:
            run.append(sample)
    if run:
        yield run


def _has_cut(before: int, after: int, cuts: frozenset[int]) -> bool:
    return any(frame in cuts for frame in range(before + 1, after + 1))


def _has_jump(before: Array, after: Array) -> bool:
    middle = (after[:2] + after[2:] / 2) - (before[:2] + before[2:] / 2)
    return bool(np.hypot(*middle) > _MAX_JUMP_SHARE * max(before[2], after[2]))


def _fill_gaps(stretch: Sequence[FaceSample], known: Sequence[FaceSample], times: Array) -> tuple[Array, Array]:
    """Return (n, 6) poses (turn, place, logarithm of the scale) and (n, k) signals; between known ones by the box."""
    at = np.array([sample.time_us for sample in known], np.float64)
    poses, faces = [], []
    for sample in known:
        assert sample.reading is not None
        pose, face = sample.reading
        place = (pose.place - sample.box[:2]) / sample.box[2:]
        poses.append([*pose.turn, *place, np.log(pose.scale / sample.box[2])])
        faces.append(astuple(face))
    inside = [
        np.stack([np.interp(times, at, column) for column in np.array(part).T], axis=1) for part in (poses, faces)
    ]
    boxes = np.array([sample.box for sample in stretch])
    inside[0][:, 3:5] = boxes[:, :2] + inside[0][:, 3:5] * boxes[:, 2:]
    inside[0][:, 5] += np.log(boxes[:, 2])
    return inside[0], inside[1]


def _smooth(values: Array, seconds: Array, least: float, rise: Array) -> Array:
    """Run the one-euro filter (Casiez et al., CHI 2012) forward and backward, and take the mean: no lag is left."""
    forward = _one_euro(values, np.diff(seconds), least, rise)
    backward = _one_euro(values[::-1], np.diff(seconds)[::-1], least, rise)[::-1]
    return (forward + backward) / 2


def _one_euro(values: Array, steps: Array, least: float, rise: Array) -> Array:
    smooth = values.copy()
    speed = np.zeros(values.shape[1])
    for i, step in enumerate(np.maximum(steps, 1e-3), start=1):
        raw = (values[i] - values[i - 1]) / step
        speed += _filter_weight(np.full_like(rise, 2.0), step) * (raw - speed)
        share = _filter_weight(least + rise * np.abs(speed), step)
        smooth[i] = smooth[i - 1] + share * (values[i] - smooth[i - 1])
    return smooth


def _filter_weight(cutoff: Array, step: float) -> Array:
    """Return the weight of a new value for a low-pass of these cut-offs in hertz and a step in seconds."""
    return np.asarray(1 / (1 + 1 / (2 * np.pi * cutoff * step)))
