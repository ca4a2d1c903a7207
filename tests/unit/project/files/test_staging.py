"""What a release leaves behind when it is killed, and when that goes."""

import errno
import fcntl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from project.files import publication as staging
from project.files.publication import create_texts_folder, staging_folder
from project.files.temporary_files import cache_folder

PREPARE = """
import sys
from project.files.publication import create_texts_folder as new_prepared
made = new_prepared()
(made / "private").write_text("Anna")
print(made, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other() -> subprocess.Popen[str]:
    """Another process that has prepared texts and holds them until its input ends or it is killed."""
    return subprocess.Popen([sys.executable, "-c", PREPARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def folder_of(process: subprocess.Popen[str]) -> Path:
    return Path(process.stdout.readline().strip())


def test_private_words_of_a_killed_release_go_with_the_next_one(other: subprocess.Popen[str]) -> None:
    with other:
        theirs = folder_of(other)
        assert theirs.is_relative_to(cache_folder())
        ours = create_texts_folder()
        assert (theirs / "private").is_file(), "a release that is under way is left alone"
        other.kill()
        other.wait()
        assert create_texts_folder().is_dir()
        assert ours.is_dir()
        assert not theirs.exists()
        assert not theirs.parent.exists()


def test_what_lies_there_from_no_process_goes_and_links_are_not_followed(tmp_path: Path) -> None:
    base = create_texts_folder().parent.parent
    (base / "older").mkdir()
    (base / "older" / "private").write_text("Anna")
    (tmp_path / "mine").mkdir()
    (base / "link").symlink_to(tmp_path / "mine")
    create_texts_folder()
    assert not (base / "older").exists()
    assert (tmp_path / "mine").is_dir()


def test_texts_can_be_prepared_after_somebody_emptied_the_cache() -> None:
    first = create_texts_folder()
    first.rmdir()
    first.parent.rmdir()
    assert create_texts_folder().is_dir()


def test_a_folder_that_a_killed_release_left_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    left = tmp_path / ".greenroom-release-left"
    left.mkdir()
    with staging_folder(tmp_path / "one") as first:
        (first / "a.txt").write_text("a")
        with staging_folder(tmp_path / "two") as second:
            assert not left.exists()
            assert (first / "a.txt").is_file()
            (second / "a.txt").write_text("a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_release_that_takes_more_than_a_day_keeps_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "_ABANDONED_AFTER_S", -1)
    with staging_folder(tmp_path / "first") as first:
        with staging_folder(tmp_path / "second"):
            pass
        assert first.is_dir()


def test_where_no_lock_tells_a_folder_goes_after_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_about: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    left = tmp_path / ".greenroom-release-left"
    left.mkdir()
    with staging_folder(tmp_path / "one") as folder:
        (folder / "a.txt").write_text("a")
    assert left.is_dir(), "another release may be writing it"
    now: Callable[[], float] = time.time
    monkeypatch.setattr("project.files.publication.time.time", lambda: now() + 25 * 3600)
    with staging_folder(tmp_path / "two") as folder:
        (folder / "a.txt").write_text("a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
