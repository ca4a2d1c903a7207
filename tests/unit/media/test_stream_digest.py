"""Footage is recognised by its content: a file by its fingerprint, a stream in whatever container."""

import os
from pathlib import Path

import av
import numpy as np
import pytest

from media.probe import stream_digest
from project.errors import UserError
from project.files.fingerprints import fingerprint
from tests.builders.clips import make_clip, remuxed


def test_a_picture_stays_in_another_container_and_other_footage_is_told_apart(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", size=(64, 48), frames=30)
    for ending in (".mkv", ".ts"):
        copy = remuxed(clip, tmp_path / f"b{ending}")
        assert copy.read_bytes() != clip.read_bytes()
        assert stream_digest(copy) == stream_digest(clip) != ""
    other = make_clip(tmp_path / "b.mp4", size=(80, 48), frames=30)
    assert stream_digest(clip) != stream_digest(other)
    (tmp_path / "words.mp4").write_text("words")
    with pytest.raises(UserError):
        stream_digest(tmp_path / "words.mp4")


@pytest.mark.parametrize(
    ("codec", "first", "second"),
    [
        ("pcm_s16le", "a.wav", "b.mov"),
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


def test_fingerprint_goes_with_the_content(tmp_path: Path) -> None:
    first = tmp_path / "a.bin"
    first.write_bytes(os.urandom(3_000_000))
    known = fingerprint(first)
    moved = first.rename(tmp_path / "b é.bin")
    os.utime(moved, (0, 0))
    assert fingerprint(moved) == known
    for place in (0, 1_500_000, 2_999_999):
        data = bytearray(moved.read_bytes())
        data[place] ^= 1
        (tmp_path / "c.bin").write_bytes(data)
        assert fingerprint(tmp_path / "c.bin") != known
    (tmp_path / "d.bin").write_bytes(moved.read_bytes() + b"\0")
    assert fingerprint(tmp_path / "d.bin") != known


def test_fingerprint_of_a_huge_file_reads_little_and_says_what_is_wrong(tmp_path: Path) -> None:
    huge = tmp_path / "huge.bin"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    assert len(fingerprint(huge)) == 32
    with pytest.raises(UserError, match="cannot be read"):
        fingerprint(tmp_path / "gone")
    with pytest.raises(UserError):
        fingerprint(tmp_path)
