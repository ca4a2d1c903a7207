"""Smiles, raised brows, an open mouth and gaze away: departures of a face from how it usually is.

Each signal counts against the person's own face at rest in the recording, so that a face that smiles by build does not
smile all the time. The units of the face's action are FACS's (Ekman and Friesen, "Facial Action Coding
System", 1978): AU 12 draws the corners of the lips outward and up, AU 1 and 2 raise the brows, AU 26 and 27 open the
jaw.
"""

from dataclasses import dataclass

import numpy as np

from models.cues.found import BROWS, GAZE_AWAY, MOUTH, SMILE, Found
from models.cues.head import head_movements
from models.cues.usual import Times, Values, robust_scores, scores_over_rest, smoothed, stretches

LEAST_SEEN = 40
"""Moments in which a face must be seen before anything is said about what is usual for it."""
_SMOOTH_US = 240_000
_BRIDGE_US = 300_000
_SHUT = 0.6
_AWAY_DEG = 25.0
_AWAY_TOLD = "gaze {:.1f} times 25 degrees off its usual place"
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


def face_cues(signals: FaceSignals) -> list[Found]:
    """Find what stands out in one person's face, by start; nothing where the face is hardly seen."""
    if int(np.isfinite(signals.pitch).sum()) < LEAST_SEEN:
        return []
    brows = robust_scores(_steady(signals, signals.brow_height), 0.02)
    mouth = scores_over_rest(_steady(signals, signals.mouth_opening), 0.06)
    found = [
        *_smiles(signals),
        *_spans(signals, BROWS, brows, (3.0, 1.8), 250_000, "brows raised by {:.1f} usual spreads"),
        *_spans(signals, MOUTH, mouth, (3.5, 2.0), 400_000, "mouth opened wide"),
        *_away(signals),
        *head_movements(signals.times_us, signals.yaw, signals.pitch),
    ]
    return sorted(found, key=lambda one: (one.start_us, one.end_us))


def _smiles(signals: FaceSignals) -> list[Found]:
    if signals.smile is not None:
        return _spans(signals, SMILE, signals.smile / 0.5, (1.0, 0.7), 400_000, "smile {:.1f}")
    wide = scores_over_rest(_steady(signals, signals.mouth_width), 0.03)
    lift = scores_over_rest(_steady(signals, signals.corner_lift), 0.015)
    # Speech widens the mouth and lowers its corners in turn; a smile does both at once, so the lesser one counts.
    return _spans(signals, SMILE, np.minimum(wide, lift + 0.7), (2.0, 1.2), 500_000, "mouth wider and its corners up")


def _away(signals: FaceSignals) -> list[Found]:
    open_eyes = signals.eye_closure < _SHUT
    side = signals.yaw + _turned(signals.iris_side)
    down = -signals.pitch + _turned(signals.iris_down)
    apart = np.hypot(side - np.nanmedian(side), down - np.nanmedian(down))
    scores = np.where(open_eyes, _steady(signals, apart) / _AWAY_DEG, np.nan)
    return _spans(signals, GAZE_AWAY, scores, (1.0, 0.8), 600_000, _AWAY_TOLD)


def _turned(offset: Values) -> Values:
    return np.degrees(np.arcsin(np.clip(_EYE_TURN * offset, -1, 1)))


def _steady(signals: FaceSignals, values: Values) -> Values:
    return smoothed(signals.times_us, values, _SMOOTH_US)


def _spans(
    signals: FaceSignals, kind: str, scores: Values, limits: tuple[float, float], least_us: int, told: str
) -> list[Found]:
    enter, leave = limits
    found = []
    for first, last, start, end in stretches(signals.times_us, scores, enter, leave, least_us, _BRIDGE_US):
        most = float(np.nanmax(scores[first : last + 1]))
        found.append(Found(kind, start, end, most / enter, told.format(most)))
    return found
