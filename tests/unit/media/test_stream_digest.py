"""Footage in another container is recognised, and other footage is not."""

from pathlib import Path

import av
import numpy as np
import pytest

from media.probe import stream_digest
from project.errors import UserError
from tests.builders.clips import make_clip, remuxed


@pytest.mark.parametrize("ending", [".mkv", ".ts"])
def test_it_stays_in_another_container(tmp_path: Path, ending: str) -> None:
    clip = make_clip(tmp_path / "a.mp4", size=(64, 48), frames=30)
    copy = remuxed(clip, tmp_path / f"b{ending}")
    assert copy.read_bytes() != clip.read_bytes()
    assert stream_digest(copy) == stream_digest(clip) != ""


@pytest.mark.parametrize(
    ("codec", "first", "second"),
    [
        ("pcm_s16le", "a.wav", "b.mov"),
        ("aac", "a.m4a", "b.aac"),
        ("aac", "a.m4a", "b.ts"),
    ],
)
def test_sound_alone_stays_in_another_container(tmp_path: Path, codec: str, first: str, second: str) -> None:
    samples = (np.random.default_rng(1).standard_normal((1, 48_000)) * 3_000).astype(np.int16)
    with av.open(str(tmp_path / first), "w") as made:
        stream = made.add_stream(codec, rate=48_000)
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate, frame.pts = 48_000, 0
        made.mux([*stream.encode(frame), *stream.encode(None)])
    copy = remuxed(tmp_path / first, tmp_path / second)
    assert stream_digest(copy) == stream_digest(tmp_path / first) != ""


def test_other_footage_has_another_one(tmp_path: Path) -> None:
    first = make_clip(tmp_path / "a.mp4", size=(64, 48), frames=30)
    second = make_clip(tmp_path / "b.mp4", size=(80, 48), frames=30)
    assert stream_digest(first) != stream_digest(second)


def test_what_is_no_media_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("words")
    with pytest.raises(UserError):
        stream_digest(tmp_path / "a.mp4")
