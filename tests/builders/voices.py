"""Sound with and without speech, and files that hold it."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from media.sound import read_mono
from resources import resource

RATE = 16_000
Sound = NDArray[np.float32]


@cache
def spoken() -> Sound:
    """Return the (n,) sound of the sample recording: a robot and a user talk, by a speech synthesizer."""
    return read_mono(Path(str(resource("sample", "sample.mp4"))), RATE)


def said() -> list[dict[str, Any]]:
    """Return who says what in it, and when."""
    found: list[dict[str, Any]] = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))["utterances"]
    return found


def silence(seconds: float) -> Sound:
    """Return nothing to hear."""
    return np.zeros(round(seconds * RATE), np.float32)


def hiss(seconds: float) -> Sound:
    """Return loud noise."""
    return np.random.default_rng(1).normal(0, 0.2, round(seconds * RATE)).clip(-1, 1).astype(np.float32)


def chords(seconds: float) -> Sound:
    """Return music: three notes that change every half second, with overtones."""
    at = np.arange(round(seconds * RATE)) / RATE
    root = 220 * 2 ** (np.array([0, 5, 7, 3])[(at * 2).astype(int) % 4] / 12)
    notes = sum(np.sin(2 * np.pi * root * step * over * at) / over for step in (1, 1.26, 1.5) for over in (1, 2, 3))
    return np.asarray(0.15 * notes * np.exp(-3 * (at * 2 % 1)), np.float32)


def write_sound(path: Path, sound: Sound, rate: int = RATE, layout: str = "mono", codec: str = "pcm_s16le") -> Path:
    """Write a file of sound; with several channels it is in all of them, each a little softer than the one before."""
    channels = av.AudioLayout(layout).nb_channels
    times = np.arange(round(len(sound) * rate / RATE)) * RATE / rate
    first = np.interp(times, np.arange(len(sound)), sound).astype(np.float32)
    planes = np.stack([first * 0.9**channel for channel in range(channels)])
    with av.open(f"file:{path.absolute()}", "w") as output:
        stream = output.add_stream(codec, rate=rate, layout=layout)
        size = stream.codec_context.frame_size or 1024
        resampler = av.AudioResampler(stream.codec_context.format, layout, rate)
        for begin in range(0, planes.shape[1], size):
            block = np.ascontiguousarray(planes[:, begin : begin + size])
            frame = av.AudioFrame.from_ndarray(block, format="fltp", layout=layout)
            frame.sample_rate, frame.time_base, frame.pts = rate, Fraction(1, rate), begin
            for piece in resampler.resample(frame):
                output.mux(stream.encode(piece))
        output.mux(stream.encode(None))
    return path
