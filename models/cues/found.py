"""What every detector of cues gives."""

from dataclasses import dataclass

SMILE, BROWS, MOUTH, GAZE_AWAY, NOD, SHAKE = "smile", "brows", "mouth", "gaze-away", "nod", "shake"
LIVELY, SHARP, SOFT, CALM = "lively", "sharp", "soft", "calm"
SEEN = (SMILE, BROWS, MOUTH, GAZE_AWAY, NOD, SHAKE)
"""Kinds that show in a face."""
HEARD = (LIVELY, SHARP, SOFT, CALM)
"""Kinds that sound in a voice."""


@dataclass(frozen=True, slots=True)
class Found:
    """A suggestion: something that stands out from what a person usually does.

    Attributes:
        kind: of `SEEN` or `HEARD`.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
        strength: how far it stands out: 1 is just enough, more is clearer.
        told: what was measured, in a few words.
    """

    kind: str
    start_us: int
    end_us: int
    strength: float
    told: str
