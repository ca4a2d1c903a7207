"""Sealing in place: study and backups, another passphrase, back again, and other files."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.encryption.container import EncryptionKey, is_sealed
from project.encryption.encrypted_files import seal_file, unseal_file
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.recovery.recovery import recover
from project.store import encryption_change as studies
from project.store.encrypted_opening import back_up_sealed
from project.store.encryption_change import change_passphrase, seal_study, unseal_study
from project.store.study import Study
from tests.builders.encrypted_study import PASSPHRASE, SECRET, found_on


@pytest.fixture
def backup(path: Path) -> Path:
    backup = path.with_name(path.name + ".bak-1")
    backup.write_bytes(path.read_bytes())
    os.utime(backup, (1_700_000_000, 1_700_000_000))
    return backup


def test_study_backups_and_copies_from_before_an_upgrade_are_sealed_and_come_back(path: Path, backup: Path) -> None:
    path.chmod(0o600)
    older = path.with_name(f"{path.stem} (before version 2).greenroom")
    older.write_bytes(path.read_bytes())
    before = backup.read_bytes()
    assert set(seal_study(path, PASSPHRASE).files) == {path, backup, older}
    assert found_on(path.parent) == []
    assert all(map(is_sealed, (path, backup, older)))
    assert path.stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_mtime == 1_700_000_000, "the backup looks newer than it is"
    with pytest.raises(UserError, match="sealed already"):
        seal_study(path, "other")
    assert set(unseal_study(path).files) == {path, backup, older}
    assert (backup.read_bytes(), check_study(path), check_study(older)) == (before, [], [])


def test_what_was_in_the_clear_is_overwritten_where_it_lay(path: Path) -> None:
    with path.open("rb") as still_open:
        seal_study(path, PASSPHRASE)
        assert not any(still_open.read()), "the old file's bytes are there as before"


def test_sealing_again_seals_the_backups_that_a_killed_process_left(path: Path, backup: Path) -> None:
    content = backup.read_bytes()
    seal_study(path, PASSPHRASE)
    backup.write_bytes(content)
    assert seal_study(path, "").files == (backup,)
    assert found_on(path.parent) == []


@pytest.mark.parametrize("sealed", [0, 1, 2])
def test_a_study_is_sealed_after_its_backups_and_all_under_one_key(
    path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch, sealed: int
) -> None:
    older = shutil.copyfile(backup, path.with_name(path.name + ".bak-2"))
    seal, left = studies._seal, iter(range(sealed))

    def killed_later(file: Path, key: EncryptionKey) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        seal(file, key)

    with monkeypatch.context() as patch:
        patch.setattr(studies, "_seal", killed_later)
        with pytest.raises(KeyboardInterrupt):
            seal_study(path, PASSPHRASE)
    assert not is_sealed(path), "it says that it is sealed while a backup is in the clear"
    seal_study(path, PASSPHRASE)
    assert found_on(path.parent) == []
    passphrases._keys.clear()
    passphrases.unlock_key(passphrases.read_file_header(path), PASSPHRASE, path)
    assert set(unseal_study(path).files) == {path, backup, older}


def test_another_passphrase_opens_all_and_the_old_one_nothing(path: Path, backup: Path) -> None:
    seal_study(path, PASSPHRASE)
    change_passphrase(path, "another sentence")
    for file in (path, backup):
        passphrases._keys.clear()
        header = passphrases.read_file_header(file)
        with pytest.raises(UserError, match="not the passphrase"):
            passphrases.unlock_key(header, PASSPHRASE, file)
        passphrases.unlock_key(header, "another sentence", file)
        with Study.open(file, read_only=True) as study:
            assert study.get_property("secret") == SECRET


def test_a_backup_under_another_passphrase_is_left_and_named(path: Path, backup: Path) -> None:
    seal_study(path, PASSPHRASE)
    other = backup.read_bytes()
    change_passphrase(path, "another sentence")
    backup.write_bytes(other)
    passphrases._keys.clear()
    passphrases.unlock_key(passphrases.read_file_header(path), "another sentence", path)
    done = unseal_study(path)
    assert (done.files, done.skipped) == ((path,), (backup,))


@pytest.mark.parametrize("when", ["backup", "study"])
def test_a_disk_that_is_full_leaves_every_file_whole(
    path: Path, backup: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = os.fsync
    left = [0 if when == "backup" else 2]

    def full(descriptor: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        usual(descriptor)

    monkeypatch.setattr("project.encryption.encrypted_files.os.fsync", full)
    with pytest.raises(UserError, match="No space left"):
        seal_study(path, PASSPHRASE)
    monkeypatch.undo()
    names = sorted(file.name for file in path.parent.iterdir())
    assert names == [path.name, backup.name]
    for file in (path, backup):
        if is_sealed(file):
            passphrases.unlock_key(passphrases.read_file_header(file), PASSPHRASE, file)
        assert check_study(file) == []
    assert is_sealed(backup) or not is_sealed(path)


def test_a_study_that_is_open_or_damaged_is_not_sealed(path: Path) -> None:
    with Study.open(path), pytest.raises(UserError, match="reading only"):
        seal_study(path, PASSPHRASE)
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        seal_study(path, PASSPHRASE)
    assert path.read_bytes() == content


def test_any_other_file(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    content = SECRET.encode() * 200_000
    clip.write_bytes(content)
    sealed = seal_file(clip, PASSPHRASE)
    assert [path.name for path in tmp_path.glob("clip*")] == ["clip.mp4.sealed"]
    assert found_on(tmp_path) == []
    passphrases._keys.clear()
    with pytest.raises(UserError, match="no passphrase"):
        unseal_file(sealed)
    passphrases.unlock_key(passphrases.read_file_header(sealed), PASSPHRASE, sealed)
    assert unseal_file(sealed).read_bytes() == content
    seal_file(clip, PASSPHRASE)
    clip.touch()
    with pytest.raises(UserError, match="there already"):
        unseal_file(sealed)


def test_what_is_left_of_a_damaged_sealed_study_and_was_committed_since_is_saved_and_stays_sealed(
    path: Path, quick_and_alone: Path
) -> None:
    with Study.open(path) as study:
        for start in range(0, 400, 40):
            with study.step("x"):
                for number in range(start, start + 40):
                    study.set_property(f"long {number}", SECRET * 200)
    seal_study(path, PASSPHRASE)
    killed = path.parent.parent / "killed"
    with Study.open(path) as study:
        with study.step("Since"):
            study.set_property("since", SECRET)
        shutil.copytree(path.parent, killed)
    left = killed / path.name
    content = bytearray(left.read_bytes())
    content[len(content) // 2] ^= 1
    left.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        Study.open(left)
    assert any("damaged" in line for line in check_study(left))
    found = recover(left, left.with_name("saved"))
    assert found_on(killed) == found_on(quick_and_alone) == []
    assert found.has_losses
    assert is_sealed(found.path)
    assert (check_study(found.path), left.read_bytes()) == ([], bytes(content))
    with Study.open(found.path) as study:
        assert study.get_property("since") == SECRET
        assert sum(study.get_property(f"long {number}") is not None for number in range(400)) > 100


def test_a_backup_is_not_written_through_a_link_that_lies_in_its_way(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    seal_study(path, PASSPHRASE)
    path.with_name(f".{path.name}.{os.getpid()}.bak").symlink_to(mine)
    back_up_sealed(path, 5, datetime(2100, 1, 1, tzinfo=UTC))
    assert mine.read_text() == "mine"
    assert is_sealed(path.with_name(f"{path.name}.bak-1"))


def test_a_mark_of_the_encoding_in_the_file_of_a_passphrase_is_no_part_of_it(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "passphrase.txt"
    file.write_bytes(f"\ufeff{PASSPHRASE}\r\n".encode())
    assert passphrases.read_passphrase(file) == PASSPHRASE
    # A file that was sealed before the mark was left out.
    seal_study(path, f"\ufeff{PASSPHRASE}")
    header = passphrases.read_file_header(path)
    passphrases.forget_key(header)
    passphrases.unlock_key(header, PASSPHRASE, path)
