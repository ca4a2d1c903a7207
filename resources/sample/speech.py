"""Synthetic voices for the sample, by espeak-ng."""

import io
import shutil
import subprocess
import wave
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly

from resources.sample.dialogue import DialogueLine, Speaker

RATE = 48_000

_VOICES: dict[Speaker, tuple[str, ...]] = {
    "user": ("-v", "en-us+f3", "-s", "152", "-p", "52"),
    "robot": ("-v", "en-gb+m3", "-s", "158", "-p", "38"),
}
_LOUDNESS = 0.085
_SILENT_BELOW = 0.004
_ROOM_TONE = 0.0006


@dataclass(frozen=True)
class SynthesizedLine:
    """A line with its place on the recording's axis.

    Attributes:
        line: What is said and by whom.
        start: First sample.
        sound: Samples of the voice alone, float32, mono, at `RATE`.
    """

    line: DialogueLine
    start: int
    sound: NDArray[np.float32]

    @property
    def end(self) -> int:
        """First sample after the line."""
        return self.start + len(self.sound)


def synthesizer() -> str:
    """Name and version of the speech synthesizer.

    Raises:
        SystemExit: When espeak-ng is not installed.
    """
    if shutil.which("espeak-ng") is None:
        raise SystemExit("espeak-ng is missing. Install it with: apt-get install espeak-ng")
    return subprocess.run(["espeak-ng", "--version"], check=True, capture_output=True, text=True).stdout.split("  ")[0]


def speak(lines: Sequence[DialogueLine]) -> list[SynthesizedLine]:
    """Say the lines one after the other, each after its own gap."""
    utterances: list[SynthesizedLine] = []
    at = 0
    for line in lines:
        sound = _say(line)
        start = at + round(line.gap_s * RATE)
        utterances.append(SynthesizedLine(line, start, sound))
        at = start + len(sound)
    return utterances


def mix(utterances: Sequence[SynthesizedLine], samples: int) -> NDArray[np.float32]:
    """All voices over a faint room tone, float32 in -1..1, of the given length."""
    track = np.random.default_rng(1).normal(0, _ROOM_TONE, samples).astype(np.float32)
    for utterance in utterances:
        track[utterance.start : utterance.end] += utterance.sound
    return np.clip(track, -0.98, 0.98)


def loudness(
    utterances: Sequence[SynthesizedLine], speaker: Speaker, times_s: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How loud one speaker is at each time, 0 to 1, over a window of 60 ms."""
    levels = np.zeros(len(times_s))
    half = RATE * 3 // 100
    for utterance in utterances:
        if utterance.line.speaker != speaker:
            continue
        for number, time_s in enumerate(times_s):
            at = round(time_s * RATE) - utterance.start
            window = utterance.sound[max(0, at - half) : max(0, at + half)]
            if len(window):
                levels[number] = max(levels[number], float(np.sqrt(np.mean(window**2))) / (2 * _LOUDNESS))
    return np.minimum(levels, 1)


def _say(line: DialogueLine) -> NDArray[np.float32]:
    command = ["espeak-ng", *_VOICES[line.speaker], "--stdout", line.text]
    spoken = subprocess.run(command, check=True, capture_output=True).stdout
    with wave.open(io.BytesIO(spoken)) as file:
        rate = file.getframerate()
        # A stream has no length to put in its header: what is announced is more than what is there.
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    divisor = np.gcd(RATE, rate)
    sound = resample_poly(samples / 32768, RATE // divisor, rate // divisor)
    if line.speaker == "robot":
        sound = _metallic(sound)
    loud = np.flatnonzero(np.abs(sound) > _SILENT_BELOW)
    sound = sound[loud[0] : loud[-1] + 1]
    return np.asarray(sound * (_LOUDNESS / np.sqrt(np.mean(sound**2))), np.float32)


def _metallic(sound: NDArray[np.float64]) -> NDArray[np.float64]:
    """A short comb filter: the voice as from a small case."""
    echoed = sound.copy()
    for delay_ms, gain in ((6, 0.45), (11, 0.3)):
        delay = RATE * delay_ms // 1000
        echoed[delay:] += gain * sound[:-delay]
    return echoed
