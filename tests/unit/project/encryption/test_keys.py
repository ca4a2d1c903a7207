"""Keys, salts and other files: what was encrypted comes back, and damage is not called a wrong passphrase."""

from pathlib import Path

import pytest

from project.encryption import passphrases
from project.encryption.encrypted_files import decrypt_file, encrypt_file, read_encrypted, write_encrypted
from project.encryption.encryption_key import SALT_BYTES, is_encrypted, new_key, read_salt, repair_salt
from project.encryption.passphrases import WrongPassphrase, cache_key, obtain_key, unlock_key
from project.errors import UserError
from project.store.encryption_change import encrypt_study
from tests.builders.encrypted_study import PASSPHRASE, SECRET, found_on


def test_a_wrong_passphrase_is_told_apart_in_one_line(path: Path) -> None:
    encrypt_study(path, PASSPHRASE)
    passphrases._keys.clear()
    for wrong in (PASSPHRASE.title(), f"{PASSPHRASE} ", ""):
        with pytest.raises(WrongPassphrase, match=r"not the passphrase of “a\.greenroom”") as told:
            unlock_key(path, wrong)
        assert "\n" not in told.value.message
    unlock_key(path, PASSPHRASE)
    with pytest.raises(UserError, match="empty"):
        new_key("")
    first, second = new_key("a sentence"), new_key("a sentence")
    assert first.secret != second.secret
    assert "secret" not in repr(first)


@pytest.mark.parametrize("place", [SALT_BYTES, 5000])
def test_a_flipped_bit_is_damage_and_no_wrong_passphrase(path: Path, place: int) -> None:
    encrypt_study(path, PASSPHRASE)
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)
    passphrases._keys.clear()
    unlock_key(path, PASSPHRASE)


def test_each_bit_of_a_salt_is_known_to_be_changed_and_can_be_mended(tmp_path: Path) -> None:
    salt = new_key("a sentence").salt
    file = tmp_path / "file"
    for bit in range(8 * SALT_BYTES):
        harmed = (int.from_bytes(salt) ^ 1 << bit).to_bytes(SALT_BYTES)
        file.write_bytes(harmed + b"rest")
        assert is_encrypted(file)
        with pytest.raises(UserError, match="damaged") as told:
            read_salt(file)
        assert not isinstance(told.value, WrongPassphrase)
        assert repair_salt(harmed) == salt
    assert repair_salt((int.from_bytes(salt) ^ 6).to_bytes(SALT_BYTES)) is None
    for other in (b"SQLite format 3\0", b"", b"GRE", b"some text that is long"):
        file.write_bytes(other)
        assert not is_encrypted(file)


@pytest.mark.parametrize("size", [0, 70_000])
def test_any_other_file_comes_back(tmp_path: Path, size: int) -> None:
    clip = tmp_path / "clip.mp4"
    content = (SECRET.encode() * (size // len(SECRET) + 1))[:size]
    clip.write_bytes(content)
    clip.chmod(0o640)
    encrypted = encrypt_file(clip, PASSPHRASE)
    assert [path.name for path in tmp_path.glob("*clip*")] == ["clip.mp4.encrypted"]
    assert encrypted.stat().st_mode & 0o777 == 0o640
    assert found_on(tmp_path) == []
    with pytest.raises(UserError, match="no passphrase"):
        obtain_key(encrypted)
    assert decrypt_file(encrypted, unlock_key(encrypted, PASSPHRASE)).read_bytes() == content
    encrypt_file(clip, PASSPHRASE)
    clip.touch()
    with pytest.raises(UserError, match="already exists"):
        decrypt_file(encrypted, unlock_key(encrypted, PASSPHRASE))


@pytest.mark.parametrize("harm", ["flipped", "cut", "exchanged"])
def test_damage_to_any_other_file_is_told(tmp_path: Path, harm: str) -> None:
    key, file = new_key(PASSPHRASE), tmp_path / "file"
    write_encrypted([b"a" * 20_000, b"b" * 20_000], file, key)
    content = bytearray(file.read_bytes())
    match harm:
        case "flipped":
            content[15_000] ^= 1
        case "cut":
            del content[-4096:]
        case _:
            content[8192:12288], content[12288:16384] = content[12288:16384], content[8192:12288]
    file.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        b"".join(read_encrypted(file, key))


def test_a_key_that_is_forgotten_is_asked_for_again(path: Path) -> None:
    encrypt_study(path, PASSPHRASE)
    key = obtain_key(path)
    passphrases.forget_key(key)
    with pytest.raises(UserError, match="no passphrase was given"):
        obtain_key(path)
    cache_key(key)
    assert obtain_key(path) == key
