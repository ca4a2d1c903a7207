import os
from pathlib import Path
from threading import Thread

import pytest

from media.clip_writer import Pipe, PipeClosedError
from media.excerpts import read_thumbnail
from project.errors import UserError
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from tests.builders.clips import make_clip
from tests.builders.waiting import HANG_S


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


def test_cache_folder_is_the_users_own() -> None:
    assert cache_folder().is_relative_to(os.environ["XDG_CACHE_HOME"])


def test_thumbnail_is_upright_and_small_also_of_one_pixel_and_there_is_none_of_sound(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=40, rotation=90)
    assert read_thumbnail(clip, 1_000_000, 100).shape == (100, 75, 3)
    assert max(read_thumbnail(clip, 99_000_000, 1000).shape) == 320
    tiny = make_clip(tmp_path / "a.mkv", size=(1, 1), frames=1, codec="ffv1", pix_fmt="yuv444p")
    assert read_thumbnail(tiny, 0, 64).shape == (1, 1, 3)
    with pytest.raises(UserError, match="no picture"):
        read_thumbnail(make_clip(tmp_path / "a.m4a", picture=False, sound=True), 0, 64)


def test_pipe_keeps_order_and_bound() -> None:
    pipe: Pipe[int] = Pipe(2)
    giver = Thread(target=lambda: [*(pipe.put(i) for i in range(100)), pipe.finish()])
    giver.start()
    assert list(pipe) == list(range(100))
    giver.join(HANG_S)
    assert not giver.is_alive()


def test_stopping_a_pipe_lets_both_sides_go() -> None:
    pipe: Pipe[int] = Pipe(1)
    ended = []

    def give() -> None:
        try:
            while True:
                pipe.put(0)
        except PipeClosedError:
            ended.append(True)

    giver = Thread(target=give)
    giver.start()
    assert next(iter(pipe)) == 0
    pipe.stop()
    giver.join(HANG_S)
    assert ended == [True]
    with pytest.raises(PipeClosedError):
        list(pipe)
