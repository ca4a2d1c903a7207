"""Folders beside a study: one's own go, another's stay, those of killed processes are swept."""

import subprocess
import sys
from pathlib import Path

import pytest

from project.files.temporary_files import OwnFolder, abandoned_folders, scratch_folder, sweep_own_folders, sweep_scratch
from project.store.study import Study

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


def test_it_goes_with_the_block_and_not_before(tmp_path: Path) -> None:
    with scratch_folder(tmp_path / "a.greenroom") as first:
        with scratch_folder(tmp_path / "a.greenroom") as second:
            assert first != second
            assert {*tmp_path.iterdir()} == {first, second}
        sweep_scratch(tmp_path)
        assert [*tmp_path.iterdir()] == [first]
    assert [*tmp_path.iterdir()] == []


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


def test_while_a_sealed_study_is_open_it_lies_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GREENROOM_CACHE_FOLDER", str(tmp_path))
    with OwnFolder() as folder:
        assert folder.parent == tmp_path
