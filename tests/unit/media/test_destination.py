"""A file that is being written has a hidden name, and a killed writer's file is cleared away by the next one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from media.encoding import atomic_output, unnamed_file
from project.errors import UserError
from tests.builders.waiting import HANG_S

_KILLED = """
import os, signal, sys
from pathlib import Path
from media.encoding import atomic_output as replaced_when_whole
with replaced_when_whole(Path(sys.argv[1]), ()) as temporary:
    temporary.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_writer_clears_away_what_a_killed_one_left(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / "a.mp4")], check=False, timeout=HANG_S)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".")
    (tmp_path / ".greenroom-elsewhere-1.part.mp4").touch()
    with atomic_output(tmp_path / "b.mp4", ()) as temporary:
        temporary.write_bytes(b"whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".greenroom-elsewhere-1.part.mp4", "b.mp4"]


def test_a_writer_leaves_alone_what_another_is_writing(tmp_path: Path) -> None:
    with atomic_output(tmp_path / "a.mp4", ()) as first:
        first.write_bytes(b"one")
        with atomic_output(tmp_path / "b.mp4", ()) as second:
            second.write_bytes(b"two")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a.mp4": b"one", "b.mp4": b"two"}


def test_a_file_that_cannot_be_without_a_name_is_left_alone_by_other_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("media.encoding.DESCRIPTOR_FOLDER", tmp_path / "nowhere")
    with unnamed_file(tmp_path) as clip:
        assert clip.path.parent == tmp_path
        with atomic_output(tmp_path / "b.mp4", ()) as other:
            other.write_bytes(b"other")
        clip.path.write_bytes(b"clip")
        clip.copy_to(tmp_path / "a.mp4")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.mp4": b"clip", "b.mp4": b"other"}


def test_a_name_that_becomes_the_source_meanwhile_is_refused_too(tmp_path: Path) -> None:
    source, destination = tmp_path / "source.mp4", tmp_path / "out.mp4"
    source.write_bytes(b"footage")

    def write() -> None:
        with atomic_output(destination, (source,), overwrite=True) as temporary:
            temporary.write_bytes(b"clip")
            destination.hardlink_to(source)

    with pytest.raises(UserError, match="source file"):
        write()
    assert destination.samefile(source)
    assert source.read_bytes() == b"footage"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.mp4", "source.mp4"]


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_is_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, bool]] = []
    clip = tmp_path / "a.mp4"

    def note(handle: int) -> None:
        synced.append((Path(f"/proc/self/fd/{handle}").readlink().suffix, clip.exists()))

    monkeypatch.setattr(os, "fsync", note)
    with atomic_output(clip, ()) as temporary:
        temporary.write_bytes(b"clip")
    assert synced == [(".mp4", False), ("", True)]
