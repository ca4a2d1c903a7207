"""A changed voice made as loud as it was, from moment to moment."""

import numpy as np

from anonymize.voice.base import ALIASES_A_SECOND, Voice
from anonymize.voice.overlapping import framed

_WINDOW_S = 0.04
_MOST = 8.0
_FLOOR = 1e-9


def as_loud(made: Voice, before: Voice, rate: int) -> Voice:
    """Return `made` with the loudness that `before` has over 40 ms, nowhere over full scale.

    Args:
        made: (n,) samples.
        before: (n,) samples.
        rate: samples a second.
    """
    hop = round(rate / ALIASES_A_SECOND)
    window = np.sqrt(np.hanning(round(_WINDOW_S * rate) + 2)[1:-1])
    was, came = (np.sqrt((framed(part, window, hop) ** 2).sum(axis=1)) for part in (before, made))
    gain = np.minimum(was / np.maximum(came, _FLOOR), _MOST)
    smooth = np.interp(np.arange(len(made)), np.arange(len(gain)) * hop, gain)
    return np.asarray(np.clip(made * smooth, -1.0, 1.0), np.float64)
