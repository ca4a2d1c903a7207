"""What releases and others leave behind when they are killed goes; one's own folders go, and another's stay."""

import subprocess
import sys
from pathlib import Path

import pytest

from project.files import publication as staging
from project.files.publication import create_texts_folder, staging_folder
from project.files.temporary_files import (
    OwnFolder,
    abandoned_folders,
    cache_folder,
    scratch_folder,
    sweep_own_folders,
)
from project.store.study import Study

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


def test_private_words_of_a_killed_release_go_with_the_next_one(other: subprocess.Popen[str], tmp_path: Path) -> None:
    with other:
        theirs = folder_of(other)
        assert theirs.is_relative_to(cache_folder())
        ours = create_texts_folder()
        (tmp_path / "mine").mkdir()
        (ours.parent.parent / "link").symlink_to(tmp_path / "mine")
        assert (theirs / "private").is_file(), "a release that is under way is left alone"
        other.kill()
        other.wait()
        assert create_texts_folder().is_dir()
        assert ours.is_dir()
        assert not theirs.exists()
        assert not theirs.parent.exists()
        assert (tmp_path / "mine").is_dir(), "links are not followed"


def test_a_folder_that_a_killed_release_left_goes_and_that_of_a_living_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "_ABANDONED_AFTER_S", -1)
    left = tmp_path / ".greenroom-release-left"
    left.mkdir()
    with staging_folder(tmp_path / "one") as first:
        (first / "a.txt").write_text("a")
        with staging_folder(tmp_path / "two") as second:
            assert not left.exists()
            assert (first / "a.txt").is_file()
            (second / "a.txt").write_text("a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


KILLED = """
import os, signal, sys
from pathlib import Path
from project.files.temporary_files import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "copy").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""

KILLED_WITH_FACES = """
import os, signal
from project.files.temporary_files import OwnFolder
with OwnFolder() as folder:
    (folder / "face.npz").write_text("a face")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    kept = [tmp_path / ".a.greenroom.notes", tmp_path / ".holiday.aaaaaaaa", tmp_path / ".a.greenroom.abcdefgh"]
    for folder in kept[:2]:
        folder.mkdir()
    kept[2].write_text("a file, not a folder")
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "a.greenroom"], check=False)
    assert len([*tmp_path.iterdir()]) == len(kept) + 1
    with scratch_folder(tmp_path / "b.greenroom") as folder:
        assert {*tmp_path.iterdir()} == {*kept, folder}


def test_the_next_who_opens_a_study_sweeps_what_was_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.greenroom"
    Study.create(path).close()
    (tmp_path / ".a.greenroom.bak-1.abcd_123").mkdir()
    for ending in ("backup", "backup-journal", "bak", "bak-journal", "new"):
        (tmp_path / f".a.greenroom.12.{ending}").write_text("half")
    kept = [tmp_path / name for name in (".a.greenroom.12.old", ".b.greenroom.12.bak", "a.greenroom.bak-2.txt")]
    for file in kept:
        file.write_text("somebody else's")
    with Study.open(path):
        Study.open(path).close()
    assert {*tmp_path.iterdir()} == {path, *kept}


def test_a_folder_of_ones_own_is_private_and_that_of_a_killed_process_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "greenroom-scratch-mine.txt").write_text("a file, not a folder")
    (tmp_path / "greenroom-notes").mkdir()
    done = subprocess.run([sys.executable, "-c", KILLED_WITH_FACES], check=False, capture_output=True, text=True)
    left = Path(done.stdout.strip())
    assert (left / "face.npz").exists()
    assert left.stat().st_mode & 0o077 == 0
    with OwnFolder() as folder:
        assert not left.exists()
        assert abandoned_folders() == []
        sweep_own_folders()
        assert folder.is_dir()
    assert {path.name for path in tmp_path.iterdir()} == {"greenroom-scratch-mine.txt", "greenroom-notes"}
    (tmp_path / "memory").mkdir()
    monkeypatch.setenv("GREENROOM_CACHE_FOLDER", str(tmp_path / "memory"))
    with OwnFolder() as folder:
        assert folder.parent == tmp_path / "memory", "an encrypted study is open"
