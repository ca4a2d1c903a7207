"""Finds smiles, raised brows, an open mouth, averted gaze, nods and head shakes from face landmarks over time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from models.cues.cue_baseline import (
    BROWS,
    GAZE_AWAY,
    MOUTH,
    NOD,
    SHAKE,
    SMILE,
    CueSuggestion,
    Times,
    Values,
    find_spans,
    resample_evenly,
    robust_scores,
    running_median,
    scores_over_rest,
)
from models.faces.landmarks.face_signals import (
    brow_height,
    corner_lift,
    eye_closure,
    head_pose,
    iris_offset,
    mouth_opening,
    mouth_width,
)
from models.faces.landmarks.landmark_finders import LandmarkFinder, Landmarks
from project.entities.study_records import FaceTrack
from project.progress import Progress
from project.timebase import SECOND_US

SAMPLE_RATE = 25.0
BAND_HZ = (0.8, 4.0)
_HOLE_US = 250_000
_SWINGS = 3
_LEAST_DEG = {NOD: 3.5, SHAKE: 5.0}
_OVER_NOISE = 6.0
_OVER_OTHER = 1.4
_ITSELF = 0.4
_EVEN = 0.35
_SHORTEST_S = 1.5
_QUIET = 25


def head_movements(times_us: Times, yaw: Values, pitch: Values) -> list[CueSuggestion]:
    """Find nods and shakes of one head.

    Yaw is positive to the picture's right, pitch upwards, both in degrees, NaN where unknown.
    """
    pieces = [
        (times, pose, np.stack([_in_band(pose[:, axis]) for axis in (0, 1)], axis=1))
        for times, pose in resample_evenly(times_us, np.stack([yaw, pitch], axis=1), SAMPLE_RATE, _HOLE_US)
        if len(times) >= _SHORTEST_S * SAMPLE_RATE
    ]
    if not pieces:
        return []
    quiet = [_quiet_level([band[:, axis] for *_, band in pieces]) for axis in (0, 1)]
    found = [
        cue
        for times, pose, band in pieces
        for kind, axis in ((NOD, 1), (SHAKE, 0))
        for cue in _swinging(times, pose, band, axis, kind, max(_LEAST_DEG[kind], _OVER_NOISE * quiet[axis]))
    ]
    return sorted(found, key=lambda cue: cue.start_us)


def _in_band(values: Values) -> Values:
    from scipy.signal import butter, sosfiltfilt

    low_high = [edge / (SAMPLE_RATE / 2) for edge in BAND_HZ]
    made: Values = sosfiltfilt(butter(2, low_high, "bandpass", output="sos"), values)
    return made


def _quiet_level(bands: list[Values]) -> float:
    """Return the standard deviation of the quiet quarter of the time, second by second."""
    size = round(SAMPLE_RATE)
    parts = [band[: len(band) // size * size].reshape(-1, size).std(1) for band in bands]
    return float(np.percentile(np.concatenate(parts), _QUIET))


def _swinging(times: Times, pose: Values, band: Values, axis: int, kind: str, least: float) -> Iterator[CueSuggestion]:
    signal, other = band[:, axis], band[:, 1 - axis]
    turns = _turns(signal, least / 2)
    longest, shortest = SAMPLE_RATE / BAND_HZ[0] / 2, SAMPLE_RATE / BAND_HZ[1] / 2
    run: list[int] = []
    for before, turn in zip([-1, *turns], turns, strict=False):
        fits = before >= 0 and shortest - 1 <= turn - before <= longest + 1
        if fits and _is_head_swing(signal, pose[:, axis], before, turn, least):
            run = run or [before]
            run.append(turn)
        else:
            yield from _movement_cue(times, signal, other, run, kind, least)
            run = []
    yield from _movement_cue(times, signal, other, run, kind, least)


def _is_head_swing(signal: Values, pose: Values, before: int, turn: int, least: float) -> bool:
    """Tell whether the head itself turned back: the filter alone makes swings around a single quick turn."""
    filtered, itself = float(signal[turn] - signal[before]), float(pose[turn] - pose[before])
    return abs(filtered) >= least and itself * np.sign(filtered) >= _ITSELF * abs(filtered)


def _movement_cue(
    times: Times, signal: Values, other: Values, run: list[int], kind: str, least: float
) -> Iterator[CueSuggestion]:
    if len(run) <= _SWINGS:
        return
    swings = np.abs(np.diff(signal[run]))
    mean = float(swings.mean())
    part = slice(run[0], run[-1] + 1)
    if float(swings.min()) < _EVEN * float(swings.max()):
        return
    if float(signal[part].std()) < _OVER_OTHER * float(other[part].std()):
        return
    start, end = int(times[run[0]]), int(times[run[-1]])
    pace = len(swings) / 2 / ((end - start) / 1e6)
    yield CueSuggestion(
        kind, start, end, mean / least, f"{len(swings)} swings of {mean:.0f} degrees, {pace:.1f} a second"
    )


def _turns(signal: Values, prominence: float) -> list[int]:
    """Return the positions of alternating highs and lows that stand out by a prominence, also at both ends."""
    from scipy.signal import find_peaks

    sides = (np.pad(side, 1, constant_values=-np.inf) for side in (signal, -signal))
    return sorted(int(at) - 1 for side in sides for at in find_peaks(side, prominence=2 * prominence)[0])


MIN_SEEN_SAMPLES = 40
"""Moments in which a face must be seen before anything is said about what is usual for it."""
_SMOOTH_US = 240_000
_BRIDGE_US = 300_000
_SHUT = 0.6
_AWAY_DEG = 25.0
_AWAY_TEXT = "gaze {:.1f} times 25 degrees off its usual place"
_EYE_TURN = 2.5
"""Sine of the eye's turn for an iris that is one width of the eye off its middle: an eyeball's radius of 12 mm in a
palpebral fissure of 30 mm."""


@dataclass(frozen=True, slots=True)
class FaceSignals:
    """What the points of one person's face say over time; all (n,), NaN where the face is not seen.

    Attributes:
        times_us: ascending, on the recording's axis.
        yaw: of the head, degrees, positive to the picture's right.
        pitch: of the head, degrees, positive upwards.
        mouth_width: between the corners, in distances between the outer corners of the eyes.
        corner_lift: of the mouth's corners over the middle of the lips, in the same unit.
        mouth_opening: of the inner lips, in the same unit.
        brow_height: over the eyes, in the same unit.
        eye_closure: 1 shut, about 0 open.
        iris_side: of the irises off the middle of the eyes to the picture's right, in widths of the eye.
        iris_down: likewise to the picture's lower edge.
        smile: of a model's own blendshapes, 0 to 1; None where the model gives none.
    """

    times_us: Times
    yaw: Values
    pitch: Values
    mouth_width: Values
    corner_lift: Values
    mouth_opening: Values
    brow_height: Values
    eye_closure: Values
    iris_side: Values
    iris_down: Values
    smile: Values | None = None


def face_cues(signals: FaceSignals) -> list[CueSuggestion]:
    """Find what stands out in one person's face, by start; nothing where the face is hardly seen."""
    if int(np.isfinite(signals.pitch).sum()) < MIN_SEEN_SAMPLES:
        return []
    brows = robust_scores(_smooth(signals, signals.brow_height), 0.02)
    mouth = scores_over_rest(_smooth(signals, signals.mouth_opening), 0.06)
    found = [
        *_smile_cues(signals),
        *_span_cues(signals, BROWS, brows, (3.0, 1.8), 250_000, "brows raised by {:.1f} usual spreads"),
        *_span_cues(signals, MOUTH, mouth, (3.5, 2.0), 400_000, "mouth opened wide"),
        *_gaze_away_cues(signals),
        *head_movements(signals.times_us, signals.yaw, signals.pitch),
    ]
    return sorted(found, key=lambda cue: (cue.start_us, cue.end_us))


def _smile_cues(signals: FaceSignals) -> list[CueSuggestion]:
    if signals.smile is not None:
        return _span_cues(signals, SMILE, signals.smile / 0.5, (1.0, 0.7), 400_000, "smile {:.1f}")
    wide = scores_over_rest(_smooth(signals, signals.mouth_width), 0.03)
    lift = scores_over_rest(_smooth(signals, signals.corner_lift), 0.015)
    # Speech widens the mouth and lowers its corners in turn; a smile does both at once, so the lesser one counts.
    return _span_cues(
        signals, SMILE, np.minimum(wide, lift + 0.7), (2.0, 1.2), 500_000, "mouth wider and its corners up"
    )


def _gaze_away_cues(signals: FaceSignals) -> list[CueSuggestion]:
    open_eyes = signals.eye_closure < _SHUT
    side = signals.yaw + _eye_angle(signals.iris_side)
    down = -signals.pitch + _eye_angle(signals.iris_down)
    apart = np.hypot(side - np.nanmedian(side), down - np.nanmedian(down))
    scores = np.where(open_eyes, _smooth(signals, apart) / _AWAY_DEG, np.nan)
    return _span_cues(signals, GAZE_AWAY, scores, (1.0, 0.8), 600_000, _AWAY_TEXT)


def _eye_angle(offset: Values) -> Values:
    return np.degrees(np.arcsin(np.clip(_EYE_TURN * offset, -1, 1)))


def _smooth(signals: FaceSignals, values: Values) -> Values:
    return running_median(signals.times_us, values, _SMOOTH_US)


def _span_cues(
    signals: FaceSignals, kind: str, scores: Values, limits: tuple[float, float], least_us: int, told: str
) -> list[CueSuggestion]:
    enter, leave = limits
    found = []
    for first, last, start, end in find_spans(signals.times_us, scores, enter, leave, least_us, _BRIDGE_US):
        most = float(np.nanmax(scores[first : last + 1]))
        found.append(CueSuggestion(kind, start, end, most / enter, told.format(most)))
    return found


SAMPLES_PER_SECOND = 15
"""More than three for each swing of the quickest nod."""
_SLACK_US = 4_000
_LEAST_SIDE = 36


def face_signals(
    path: Path, index: FrameIndex, people: Mapping[str, Sequence[FaceTrack]], finder: LandmarkFinder, progress: Progress
) -> dict[str, FaceSignals]:
    """Look at every face about 15 times a second; faces less than 36 pixels wide are left out.

    `people` are names with the tracks that are their face; people who are never seen are left out of the answer.
    Progress is in seconds of the video.
    """
    places = _places(people)
    if not places:
        return {}
    rows: dict[str, dict[int, tuple[float, ...]]] = {}
    total = max(1, index.times.end_us // SECOND_US)
    first, last = min(places), max(places)
    due = index.times.time_of(first)
    for picture in iterate_frames(path, index, due, index.times.time_of(last) + 1):
        progress.check_cancelled()
        if picture.time_us < due - _SLACK_US:
            continue
        due = max(due, picture.time_us) + SECOND_US // SAMPLES_PER_SECOND
        here = places.get(picture.index, [])
        if not here or picture.damaged:
            continue
        image = picture.image
        found = finder.find(image, np.array([box for _, box in here], np.float32))
        for (name, _), face in zip(here, found, strict=True):
            if face is not None:
                rows.setdefault(name, {})[picture.time_us] = _row(face, (image.shape[1], image.shape[0]))
        progress.progress(min(picture.time_us // SECOND_US, total), total, "Watching faces")
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
    """Return the fields of `FaceSignals` after the time, in their order."""
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


def _signals(seen: Mapping[int, tuple[float, ...]]) -> FaceSignals:
    times = sorted(seen)
    table = np.array([seen[time] for time in times], np.float64).T
    signals = FaceSignals(np.array(times, np.int64), *table)
    return signals if np.isfinite(table[-1]).any() else replace(signals, smile=None)
