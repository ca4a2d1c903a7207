"""What a face does over a whole track: smooth without lag, over short gaps, beyond what it is at rest."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from anonymize.methods.synthetic.expression import REST, SIGNALS, Expression, Pose

Array = NDArray[np.float64]

GAP_US = 400_000
"""Frames without landmarks are drawn from those before and after, up to this long."""
HOLD_US = 250_000
"""And up to this long before the first and after the last."""

# A look at many frames tells what a face is like at rest; one at few does not, and a usual face stands in.
_MANY = 50
_PERSONAL = 0.7
_JUMP = 0.6
_FEW = 3
_TURNED = 1.25
_EYES = slice(SIGNALS.index("eye_right"), SIGNALS.index("eye_left") + 1)
_GAZE = slice(SIGNALS.index("across"), SIGNALS.index("down") + 1)
_REST = np.array(astuple(REST))
# Of the one-euro filter: least cut-off in hertz, and how much it rises with the speed of each signal.
_POSE_FILTER = (1.2, np.array([6.0, 6.0, 6.0, 9.0, 9.0, 12.0]))
_FACE_FILTER = (3.0, np.array([0.25] * 7 + [14.0, 14.0] + [0.2] * 4 + [10.0, 10.0]))


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One face in one frame, as it was looked at.

    Attributes:
        frame: position in the source.
        time_us: its time stamp.
        box: (4,) x, y, width, height.
        read: pose and expression; None where no landmarks were found.
    """

    frame: int
    time_us: int
    box: NDArray[np.float64]
    read: tuple[Pose, Expression] | None


def motion(track: Sequence[Seen], cuts: Collection[int]) -> Mapping[int, tuple[Pose, Expression]]:
    """Return pose and expression for every frame of a track that can be drawn.

    In the expression, the eyes' openings are 0 shut and 1 open; everything else is a usual face's at rest plus what
    this face does beyond its own.

    Args:
        track: in order of frames.
        cuts: frames with which a scene starts; nothing is smoothed across them.
    """
    usable = [one for one in track if one.read is not None and _plausible(one.read[0])]
    if not usable:
        return {}
    faces = np.array([astuple(one.read[1]) for one in usable if one.read is not None])
    rest, opened = _at_rest(faces)
    drawn: dict[int, tuple[Pose, Expression]] = {}
    for stretch in _stretches(track, usable, frozenset(cuts)):
        known = [one for one in stretch if one.read is not None and _plausible(one.read[0])]
        if len(known) < min(_FEW, len(track)):
            continue
        times = np.array([one.time_us for one in stretch], np.float64)
        poses, raw = _filled(stretch, known, times)
        seconds = times / 1e6
        size = np.median([one.box[2] for one in stretch])
        poses[:, 3:5] /= size
        poses = _smooth(poses, seconds, *_POSE_FILTER)
        poses[:, 3:5] *= size
        values = _normal(_smooth(raw, seconds, *_FACE_FILTER), rest, opened)
        for one, pose, value in zip(stretch, poses, values, strict=True):
            drawn[one.frame] = Pose(pose[:3], pose[3:5], float(np.exp(pose[5]))), Expression(*value.tolist())
    return drawn


def _plausible(pose: Pose) -> bool:
    numbers = np.concatenate([pose.turn, pose.place, [pose.scale]])
    return bool(np.isfinite(numbers).all() and pose.scale > 0 and np.linalg.norm(pose.turn) < _TURNED)


def _at_rest(faces: Array) -> tuple[Array, float]:
    """Return what the signals are at rest, and how far open the eyes are when they are open."""
    trust = len(faces) / (len(faces) + _MANY)
    rest = _REST + _PERSONAL * trust * (np.median(faces, axis=0) - _REST)
    rest[0] = min(max(float(np.percentile(faces[:, 0], 10)), 0.0), 2.0) * trust + _REST[0] * (1 - trust)
    usual = float(_REST[_EYES].mean())
    opened = usual + trust * (float(np.percentile(faces[:, _EYES].mean(axis=1), 80)) - usual)
    return rest, float(np.clip(opened, 0.20, 0.36))


def _normal(faces: Array, rest: Array, opened: float) -> Array:
    values = faces - rest + _REST
    values[:, 0] = np.maximum(faces[:, 0] - rest[0], 0)
    values[:, _EYES] = np.clip((faces[:, _EYES] / opened - 0.28) / 0.64, 0, 1.18)
    values[:, _GAZE] -= _REST[_GAZE]
    return np.asarray(values, np.float64)


def _stretches(track: Sequence[Seen], usable: Sequence[Seen], cuts: frozenset[int]) -> Iterator[list[Seen]]:
    """Yield runs of frames that can be drawn as one movement."""
    times = np.array([one.time_us for one in usable])
    run: list[Seen] = []
    for one in track:
        place = int(np.searchsorted(times, one.time_us))
        before = one.time_us - times[place - 1] if place else None
        after = times[place] - one.time_us if place < len(times) else None
        between = before is not None and after is not None and before + after <= GAP_US
        held = min(each for each in (before, after) if each is not None) <= HOLD_US
        broken = bool(run) and (_cut(run[-1].frame, one.frame, cuts) or _jumped(run[-1].box, one.box))
        if run and (broken or not (between or held)):
            yield run
            run = []
        if between or held:
            run.append(one)
    if run:
        yield run


def _cut(before: int, after: int, cuts: frozenset[int]) -> bool:
    return any(frame in cuts for frame in range(before + 1, after + 1))


def _jumped(before: Array, after: Array) -> bool:
    middle = (after[:2] + after[2:] / 2) - (before[:2] + before[2:] / 2)
    return bool(np.hypot(*middle) > _JUMP * max(before[2], after[2]))


def _filled(stretch: Sequence[Seen], known: Sequence[Seen], times: Array) -> tuple[Array, Array]:
    """Return (n, 6) poses (turn, place, logarithm of the scale) and (n, k) signals; between known ones by the box."""
    at = np.array([one.time_us for one in known], np.float64)
    poses, faces = [], []
    for one in known:
        assert one.read is not None
        pose, face = one.read
        poses.append([*pose.turn, *((pose.place - one.box[:2]) / one.box[2:]), np.log(pose.scale / one.box[2])])
        faces.append(astuple(face))
    inside = [
        np.stack([np.interp(times, at, column) for column in np.array(part).T], axis=1) for part in (poses, faces)
    ]
    boxes = np.array([one.box for one in stretch])
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
        speed += _share(np.full_like(rise, 2.0), step) * (raw - speed)
        share = _share(least + rise * np.abs(speed), step)
        smooth[i] = smooth[i - 1] + share * (values[i] - smooth[i - 1])
    return smooth


def _share(cutoff: Array, step: float) -> Array:
    """Return the weight of a new value for a low-pass of these cut-offs in hertz and a step in seconds."""
    return np.asarray(1 / (1 + 1 / (2 * np.pi * cutoff * step)))
