"""Encrypting in place: study and backups, another passphrase, and back again."""

import os
import shutil
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.encryption.encryption_key import EncryptionKey, is_encrypted
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.store import encryption_change as studies
from project.store.encryption_change import change_passphrase, decrypt_study, encrypt_study
from project.store.study import Study
from tests.builders.encrypted_study import PASSPHRASE, SECRET, found_on


@pytest.fixture
def backup(path: Path) -> Path:
    backup = path.with_name(path.name + ".bak-1")
    backup.write_bytes(path.read_bytes())
    os.utime(backup, (1_700_000_000, 1_700_000_000))
    return backup


def test_study_backups_and_copies_from_before_an_upgrade_are_encrypted_and_come_back(path: Path, backup: Path) -> None:
    path.chmod(0o600)
    older = path.with_name(f"{path.stem} (before version 2).greenroom")
    older.write_bytes(path.read_bytes())
    assert set(encrypt_study(path, PASSPHRASE).files) == {path, backup, older}
    assert found_on(path.parent) == []
    assert all(map(is_encrypted, (path, backup, older)))
    assert path.stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_mtime == 1_700_000_000, "the backup looks newer than it is"
    with pytest.raises(UserError, match="already encrypted"):
        encrypt_study(path, "other")
    assert set(decrypt_study(path).files) == {path, backup, older}
    for file in (path, backup, older):
        assert check_study(file) == []
        with Study.open(file, read_only=True) as study:
            assert study.get_property("secret") == SECRET


def test_what_was_in_the_clear_is_overwritten_where_it_lay(path: Path) -> None:
    with path.open("rb") as still_open:
        encrypt_study(path, PASSPHRASE)
        assert not any(still_open.read()), "the old file's bytes are there as before"


def test_a_study_is_encrypted_after_its_backups_and_all_under_one_key(
    path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = shutil.copyfile(backup, path.with_name(path.name + ".bak-2"))
    rewrite, left = studies._rewrite, iter(range(1))

    def killed_later(file: Path, old: EncryptionKey | None, new: EncryptionKey | None) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        rewrite(file, old, new)

    with monkeypatch.context() as patch:
        patch.setattr(studies, "_rewrite", killed_later)
        with pytest.raises(KeyboardInterrupt):
            encrypt_study(path, PASSPHRASE)
    assert not is_encrypted(path), "it says that it is encrypted while a backup is in the clear"
    assert is_encrypted(backup) is not is_encrypted(older)
    encrypt_study(path, PASSPHRASE)
    assert found_on(path.parent) == []
    passphrases._keys.clear()
    passphrases.unlock_key(path, PASSPHRASE)
    assert set(decrypt_study(path).files) == {path, backup, older}


def test_another_passphrase_opens_all_and_a_backup_under_the_old_one_is_left_and_named(
    path: Path, backup: Path
) -> None:
    encrypt_study(path, PASSPHRASE)
    before = backup.read_bytes()
    change_passphrase(path, "another sentence")
    for file in (path, backup):
        passphrases._keys.clear()
        with pytest.raises(UserError, match="not the passphrase"):
            passphrases.unlock_key(file, PASSPHRASE)
        passphrases.unlock_key(file, "another sentence")
        with Study.open(file, read_only=True) as study:
            assert study.get_property("secret") == SECRET
    backup.write_bytes(before)
    passphrases._keys.clear()
    passphrases.unlock_key(path, "another sentence")
    done = decrypt_study(path)
    assert (done.files, done.skipped_backups) == ((path,), (backup,))


def test_a_disk_that_is_full_leaves_every_file_whole(path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter(range(2))

    def full(descriptor: int) -> None:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("project.files.atomic_files.os.fsync", full)
        with pytest.raises(UserError, match="No space left"):
            encrypt_study(path, PASSPHRASE)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup.name]
    passphrases.unlock_key(backup, PASSPHRASE)
    assert [check_study(file) for file in (path, backup)] == [[], []]
    assert (is_encrypted(backup), is_encrypted(path)) == (True, False)


def test_a_study_that_is_open_or_damaged_is_not_encrypted(path: Path) -> None:
    with Study.open(path), pytest.raises(UserError, match="read-only"):
        encrypt_study(path, PASSPHRASE)
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        encrypt_study(path, PASSPHRASE)
    assert path.read_bytes() == content


def test_a_damaged_backup_is_named_before_anything_is_changed(path: Path, backup: Path) -> None:
    content = bytearray(backup.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    backup.write_bytes(content)
    with pytest.raises(UserError, match=r"bak-1” cannot be read completely, so nothing was changed"):
        encrypt_study(path, PASSPHRASE)
    assert not is_encrypted(path)
    assert backup.read_bytes() == content
