"""Spoken sentences to change voices of: synthetic speakers of espeak-ng, and people of the test footage."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.sound import read_mono

RATE = 16_000
MEDIA = Path(__file__).resolve().parents[3] / "shared" / "data" / "media"
SENTENCES = (
    "Could you tell me where the station is, please? I have been walking around for an hour.",
    "She bought three apples and a loaf of bread at the market yesterday morning.",
    "The robot asked him whether he was feeling better, and he said that he was tired.",
    "If the weather stays like this, we should take the children to the lake on Sunday.",
)
SPEAKERS = (
    "en-us+m3",
    "en-gb+m7",
    "en-gb-scotland+m1",
    "en-us+f2",
    "en-gb+f4",
    "en-us+klatt4",
    "en-gb-x-rp+m5",
    "en-029+f3",
)
PEOPLE = (
    ("talk_vfr_tags.mp4", "talker", 0.0, 3.1, "my biggest weaknesses is asking for help when i need it"),
    ("talk_vfr_tags.mp4", "talker", 3.1, 6.1, "i'd like to do better at that"),
    (
        "conv_multi_friends_720p.mp4",
        "woman",
        13.04,
        16.56,
        "now you're sure phoebe just threw away two jacks because they didn't look happy",
    ),
    (
        "conv_multi_friends_720p.mp4",
        "man",
        22.5,
        26.75,
        "i'm ready so just deal okay all right last minute lesson last minute lesson",
    ),
)
"""File, who, start and end in seconds, and what is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """One sentence of one speaker, as mono sound at 16 kHz."""

    speaker: str
    text: str
    samples: NDArray[np.float32]


def synthetic() -> list[Spoken]:
    """Return every sentence by every synthetic speaker; none where espeak-ng is not installed."""
    if shutil.which("espeak-ng") is None:
        return []
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for speaker in SPEAKERS:
            for text in SENTENCES:
                file = Path(folder) / "said.wav"
                subprocess.run(["espeak-ng", "-v", speaker, "-s", "150", "-w", str(file), text], check=True)
                found.append(Spoken(speaker, text, read_mono(file, RATE)))
    return found


def people() -> list[Spoken]:
    """Return the sentences of people; none without the footage."""
    found = []
    for file, speaker, start, end, text in PEOPLE:
        if (MEDIA / file).exists():
            whole = read_mono(MEDIA / file, RATE)
            found.append(Spoken(speaker, text, whole[round(start * RATE) : round(end * RATE)]))
    return found
