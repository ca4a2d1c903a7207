"""Exact frames of a ten-minute recording: how fast, and whether they are right.

Against OpenCV's `CAP_PROP_POS_MSEC`, in turns for every time, and libVLC's paused `set_time` at the first of them.
"""

import time
import zlib
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.exact_frames import FrameReader
from media.frame_index import FrameIndex, load_index
from tests.builders.clips import make_clip, number_of, numbered
from tools.bench.measuring import KEPT
from tools.bench.row import Row
from tools.bench.vlc_seek import shown_at

Sums = NDArray[np.uint32]

_SIZE = (1280, 720)
_FRAMES = 18_000
_FRAME_MS = 1000 / 30
_INTO_FRAME_US = 16_000
_NUMBERS = 4096
_VLC_TIMES = 30
_NEAR_TIMES = 40
_LOOK_SECONDS = 0.25
_SETTLE_SECONDS = 0.1
_STEPS = 300


def run(times: int = 200, seed: int = 0) -> list[Row]:
    """Measure frames far away, frames near the last one, and steps."""
    clip = ten_minutes()
    index = load_index(clip, KEPT)
    truth = _truth(clip, index)
    rng = np.random.default_rng(seed)
    return [*_far(clip, index, truth, rng, times), *_near(clip, index, truth, rng), *_steps(clip, index, truth)]


def ten_minutes() -> Path:
    """Return the clip: 1280x720 H.264, 30 frames a second, B-frames, ten seconds between keyframes; made once."""
    path = KEPT / "ten-minutes-720p.mp4"
    if not path.exists():
        KEPT.mkdir(exist_ok=True)
        part = path.with_suffix(".part.mp4")
        texture = _texture()

        def draw(frame: int, width: int, height: int) -> NDArray[np.uint8]:
            x = round(160 + 150 * np.sin(frame / 47))
            y = round(90 + 85 * np.sin(frame / 31))
            image = texture[y : y + height, x : x + width].copy()
            image[: height // 4] = numbered_bars(frame, width, height)
            image[400:600, frame * 5 % 1000 : frame * 5 % 1000 + 200] = texture[:200, :200]
            return image

        make_clip(part, size=_SIZE, frames=_FRAMES, fps=30, bframes=3, gop=300, draw=draw, options={"crf": "23"})
        part.rename(path)
    return path


def numbered_bars(frame: int, width: int, height: int) -> NDArray[np.uint8]:
    """The strip of `numbered` that tells frames apart: its number, which starts again after 4095."""
    return numbered(frame % _NUMBERS, width, height)[: height // 4]


def _texture() -> NDArray[np.uint8]:
    rough = np.random.default_rng(7).normal(128, 60, (912, 1612, 3)).astype(np.float32)
    return np.clip(cv2.GaussianBlur(rough, (0, 0), 2) * 3 - 256, 0, 255).astype(np.uint8)


def _truth(clip: Path, index: FrameIndex) -> Sums:
    """A checksum of every frame from one full sequential decode."""
    kept = KEPT / f"{clip.stem}-{clip.stat().st_size}.npy"
    if kept.exists():
        return np.asarray(np.load(kept), np.uint32)
    sums = np.array([zlib.crc32(picture.planes[0]) for picture in iterate_frames(clip, index)], np.uint32)
    np.save(kept, sums)
    return sums


def _far(clip: Path, index: FrameIndex, truth: Sums, rng: np.random.Generator, count: int) -> list[Row]:
    wanted = rng.integers(0, len(index), count)
    ours, theirs, right, cv_right = [], [], 0, 0
    capture = cv2.VideoCapture(str(clip))
    with FrameReader(clip, index) as reader:
        for frame in map(int, wanted):
            time_us = index.times.time_of(frame) + _INTO_FRAME_US
            start = time.perf_counter()
            image = reader.frame_at(reader.times.frame_at(time_us)).image
            ours.append(time.perf_counter() - start)
            right += _same(reader, frame, truth) and number_of(image) == frame % _NUMBERS
            # What is decoded ahead meanwhile must not slow the peer down.
            time.sleep(_SETTLE_SECONDS)
            start = time.perf_counter()
            capture.set(cv2.CAP_PROP_POS_MSEC, index.times.time_of(frame) / 1000)
            _, bgr = capture.read()
            theirs.append(time.perf_counter() - start)
            cv_right += number_of(bgr) == frame % _NUMBERS
    capture.release()
    ms, cv_ms = _median(ours), _median(theirs)
    return [
        Row(
            f"exact frame at {count} random times, 10 minutes of 720p",
            f"{ms:.0f} ms, {right} right",
            f"OpenCV `CAP_PROP_POS_MSEC`, {cv_ms:.0f} ms, {cv_right} right",
            f"{ms / cv_ms:.2f}",
            "<= 1.1x, all right",
            ms <= 1.1 * cv_ms and right == count,
        ),
        _vlc(clip, index, wanted[:_VLC_TIMES], ms, right == count),
    ]


def _vlc(clip: Path, index: FrameIndex, wanted: NDArray[np.int64], ms: float, all_right: bool) -> Row:
    shown = shown_at(clip, *_SIZE, [index.times.time_of(int(frame)) + _INTO_FRAME_US for frame in wanted])
    right = sum(each_shown.number == int(frame) % _NUMBERS for each_shown, frame in zip(shown, wanted, strict=False))
    peer = "libVLC paused, `set_time`, "
    if shown:
        peer += f"{_median([each_shown.seconds for each_shown in shown]):.0f} ms, {right} of {len(shown)} right"
    else:
        peer += "gave no picture"
    return Row("exact frame at random times", f"{ms:.0f} ms", peer, target="all right", ok=all_right)


def _near(clip: Path, index: FrameIndex, truth: Sums, rng: np.random.Generator) -> list[Row]:
    rows = []
    with FrameReader(clip, index) as reader:
        for name, low, high, look in (
            ("of the last one, at once", -30, 31, 0.0),
            ("before the last one, at once", -30, 0, 0.0),
            ("after the last one, at once", 1, 31, 0.0),
            (f"after the last one, seen for {_LOOK_SECONDS} s", 1, 31, _LOOK_SECONDS),
        ):
            took, right = [], 0
            for anchor in map(int, rng.integers(100, len(index) - 100, _NEAR_TIMES)):
                reader.frame_at(anchor)
                time.sleep(look)
                frame = anchor + int(rng.integers(low, high))
                start = time.perf_counter()
                _ = reader.frame_at(frame).image
                took.append(time.perf_counter() - start)
                right += _same(reader, frame, truth)
            ms = _median(took)
            found = f"{ms:.1f} ms, {right} of {len(took)} right"
            ok = ms <= 15 and right == len(took)
            rows.append(Row(f"exact frame within a second {name}", found, target="<= 15 ms", ok=ok))
    return rows


def _steps(clip: Path, index: FrameIndex, truth: Sums) -> list[Row]:
    rows = []
    with FrameReader(clip, index) as reader:
        for name, start, step in (("next", 5_000, 1), ("previous", 9_100, -1)):
            reader.frame_at(start)
            took, right = [], 0
            for frame in range(start + step, start + (_STEPS + 1) * step, step):
                begin = time.perf_counter()
                _ = reader.frame_at(frame).image
                took.append(time.perf_counter() - begin)
                right += _same(reader, frame, truth)
                # A key that is held down repeats at this pace at most.
                time.sleep(max(0.0, _FRAME_MS / 1000 - (time.perf_counter() - begin)))
            p95 = float(np.percentile(took, 95) * 1000)
            worst = f"{p95:.1f} ms (p95), {max(took) * 1000:.0f} ms at worst, {right} of {len(took)} right"
            ok = p95 <= _FRAME_MS and right == len(took)
            rows.append(Row(f"{name}-frame step, 720p30", worst, target=f"<= {_FRAME_MS:.1f} ms, p95", ok=ok))
    return rows


def _same(reader: FrameReader, frame: int, truth: Sums) -> bool:
    return zlib.crc32(reader.frame_at(frame).planes[0]) == int(truth[frame])


def _median(seconds: list[float]) -> float:
    return float(np.median(seconds) * 1000)
