"""Conversations whose speakers are known: synthetic voices one after the other, and two talkers side by side."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from media.exact_frames import FrameReader
from media.frame_index import load_index
from media.sound import read_mono
from project.timebase import SECOND_US

RATE = 16_000
Sound = NDArray[np.float32]

VOICES = ("en-us+Annie", "en-us+m7", "en-gb+f4", "en-us+Andy", "de+f1", "it+m8", "en-us+Alicia", "fr+m1")
"""Of espeak-ng, as different from their neighbours as it has them."""
LINES = (
    "Good morning, shall we start where we stopped last time?",
    "I did the exercises on Monday and on Wednesday, but not on Friday.",
    "Why was that? Did anything keep you from it?",
    "My neighbour came over with her dog, and then it was too late.",
    "That can happen to anybody. How did you feel afterwards?",
    "A little tired, to be honest, and my shoulder was stiff again.",
    "Would you like to try the second one together now?",
    "Yes please, but slowly, I always forget which arm goes first.",
    "Lift the left one, hold it, and count to five with me.",
    "It is easier than it was a week ago, don't you think so?",
    "I believe the warm weather helps, and the music too.",
    "Then let us do two more rounds and have a break with some tea.",
    "Sure.",
    "I would rather sit down for a moment first, if that is all right.",
    "Of course, take all the time that you need.",
    "Could you tell the robot to stop following me around the table?",
)


@dataclass(frozen=True, slots=True, eq=False)
class Dialogue:
    """Sound with its truth: (start, end) in seconds and the speaker's number of each turn."""

    sound: Sound
    turns: list[tuple[float, float, int]]


def espeak(text: str, voice: str) -> Sound:
    """Return a line as a synthetic voice says it; skips the test where espeak-ng is not there."""
    program = shutil.which("espeak-ng")
    if program is None:
        pytest.skip("needs espeak-ng")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "line.wav"
        subprocess.run([program, "-v", voice, "-s", "165", "-w", str(path), text], check=True, capture_output=True)
        return _trimmed(read_mono(path))


def synthetic(voices: Sequence[str], turns: int, seed: int) -> Dialogue:
    """Return a conversation in which synthetic voices take turns at random, with short pauses and a little noise."""
    random = np.random.default_rng(seed)
    lines = [(LINES[random.integers(len(LINES))], int(random.integers(len(voices)))) for _ in range(turns)]
    return arranged([(espeak(text, voices[who]), who) for text, who in lines], seed)


def arranged(pieces: Sequence[tuple[Sound, int]], seed: int) -> Dialogue:
    """Return pieces of sound one after the other with pauses of 0.1 to 0.7 s over a little noise."""
    random = np.random.default_rng(seed)
    parts, truth, at = [np.zeros(RATE // 2, np.float32)], [], 0.5
    for sound, who in pieces:
        pause = np.zeros(round(random.uniform(0.1, 0.7) * RATE), np.float32)
        parts += [sound, pause]
        truth.append((at, at + len(sound) / RATE, who))
        at += (len(sound) + len(pause)) / RATE
    whole = np.concatenate(parts)
    return Dialogue(whole + random.normal(0, 0.001, len(whole)).astype(np.float32), truth)


def side_by_side(
    left: Path, right: Path, target: Path, *, shift_s: float, turn_s: float, turns: int, only_left: bool = False
) -> list[tuple[float, float, int]]:
    """Write a video of two talkers, over and over, in which only one is heard at a time.

    Args:
        left: a clip; it is heard in the first turn and then every other.
        right: a clip; it may be the same.
        target: of the video, 720x360 at 25 frames a second with sound without loss.
        shift_s: how much later in its clip the right one is.
        turn_s: how long each is heard.
        turns: how often.
        only_left: whether the left one is heard all the time.

    Returns:
        Start and end in seconds of each turn, and who is heard: 0 for the left one.
    """
    side, fps = 360, 25
    with FrameReader(left) as frame_reader, FrameReader(right) as other:
        lengths = [load_index(path).times.end_us / SECOND_US for path in (left, right)]
        sounds = [read_mono(path) for path in (left, right)]
        with av.open(str(target), "w") as container:
            video = container.add_stream("libx264", rate=fps, options={"crf": "16"})
            video.width, video.height, video.pix_fmt = 2 * side, side, "yuv420p"
            audio = container.add_stream("flac", rate=RATE, layout="mono")
            for number in range(round(turns * turn_s * fps)):
                images = []
                for reader, shift, length in ((frame_reader, 0, lengths[0]), (other, shift_s, lengths[1])):
                    at_us = round((number / fps + shift) % length * SECOND_US)
                    images.append(_square(reader.frame_at(reader.times.frame_at(at_us)).image, side))
                frame = av.VideoFrame.from_ndarray(np.hstack(images), format="rgb24")
                frame.pts, frame.time_base = number, Fraction(1, fps)
                container.mux(video.encode(frame))
            container.mux(video.encode(None))
            heard = [0 if only_left else turn % 2 for turn in range(turns)]
            for turn, who in enumerate(heard):
                places = np.arange(round(turn * turn_s * RATE), round((turn + 1) * turn_s * RATE))
                shift, length = (0.0, shift_s)[who], lengths[who]
                inside = np.round((places / RATE + shift) % length * RATE).astype(int)
                values = sounds[who][np.minimum(inside, len(sounds[who]) - 1)]
                block = av.AudioFrame.from_ndarray(
                    (values * 32_767).astype(np.int16)[None], format="s16", layout="mono"
                )
                block.sample_rate, block.pts, block.time_base = RATE, int(places[0]), Fraction(1, RATE)
                container.mux(audio.encode(block))
            container.mux(audio.encode(None))
    return [(turn * turn_s, (turn + 1) * turn_s, who) for turn, who in enumerate(heard)]


def diarization_error(
    truth: Sequence[tuple[float, float, int]], found: Sequence[tuple[float, float, int]], collar_s: float = 0.25
) -> float:
    """Return the diarization error rate: missed, false and wrongly given time over the time of speech.

    As NIST's Rich Transcription evaluations define it (md-eval), with the collar on both sides of every true boundary
    left out, over steps of 10 ms; speakers are mapped so that it is smallest. At most one speaks at a time.
    """
    from scipy.optimize import linear_sum_assignment

    step = 0.01
    count = round(max([end for _, end, _ in (*truth, *found)], default=0.0) / step) + 1
    lanes = []
    for turns in (truth, found):
        lane = np.full(count, -1)
        for start, end, who in turns:
            lane[round(start / step) : round(end / step)] = who
        lanes.append(lane)
    judged = np.ones(count, np.bool_)
    for start, end, _ in truth:
        for edge in (start, end):
            judged[max(0, round((edge - collar_s) / step)) : round((edge + collar_s) / step)] = False
    true, guess = (lane[judged] for lane in lanes)
    spoken = np.count_nonzero(true >= 0)
    people, voices = max(true.max(initial=0), 0) + 1, max(guess.max(initial=0), 0) + 1
    both = (true >= 0) & (guess >= 0)
    table = np.zeros((people, voices))
    np.add.at(table, (true[both], guess[both]), 1)
    rows, columns = linear_sum_assignment(-table)
    right = table[rows, columns].sum()
    wrong = np.count_nonzero((true >= 0) | (guess >= 0)) - right
    return float(wrong / max(spoken, 1))


def _trimmed(sound: Sound) -> Sound:
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    return sound[loud[0] : loud[-1] + 1] if len(loud) else sound


def _square(image: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    cut = image[top : top + edge, left : left + edge]
    return np.asarray(cv2.resize(cut, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
