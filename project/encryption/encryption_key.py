"""Keys of encrypted files: Argon2id derives them from a passphrase and the salt that a file begins with.

SQLCipher begins a file with 16 bytes of salt, which alone are not encrypted. Here they are a mark of 4 bytes, by which
an encrypted file is known, 8 random bytes (RFC 9106, section 4, allows 64 bits where space is scarce), and a CRC-32 of
these, by which damage is told from a wrong passphrase.
"""

import os
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path

from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.text_format import escape_unprintable, pluralize

MIN_PASSPHRASE_CHARS = 8
_MIN_DISTINCT_CHARS = 4
_KEY_BYTES = 32
_KDF_COSTS = {"iterations": 3, "lanes": 4, "memory_kib": 65_536}
"""Of Argon2id, as RFC 9106 recommends where memory is scarce: a quarter of a second, and 64 MiB."""

FILE_MARK = b"GRE\x01"
_RANDOM_BYTES = 8
SALT_BYTES = 16


@dataclass(frozen=True, slots=True, repr=False)
class EncryptionKey:
    """The key of files that begin with `salt`; the passphrase is not kept."""

    secret: bytes
    salt: bytes

    @property
    def literal(self) -> str:
        """What SQLCipher takes in place of a passphrase: key and salt (https://www.zetetic.net/sqlcipher-api/#key)."""
        return f"x'{self.secret.hex()}{self.salt.hex()}'"


def new_key(passphrase: str) -> EncryptionKey:
    """Derive a key for new files from a passphrase; takes a quarter of a second on purpose."""
    require_strength(passphrase)
    start = FILE_MARK + os.urandom(_RANDOM_BYTES)
    return derive_key(passphrase, start + _checksum(start))


def derive_key(passphrase: str, salt: bytes) -> EncryptionKey:
    """Derive the key of a file from a passphrase and the file's salt."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    typed = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogateescape")
    try:
        kdf = Argon2id(
            salt=salt,
            length=_KEY_BYTES,
            iterations=_KDF_COSTS["iterations"],
            lanes=_KDF_COSTS["lanes"],
            memory_cost=_KDF_COSTS["memory_kib"],
        )
    except UnsupportedAlgorithm:
        raise UserError(
            "The installed library “cryptography” does not support Argon2id, so nothing can be encrypted or decrypted.",
            "Install its wheel: pip install --force-reinstall cryptography",
        ) from None
    return EncryptionKey(kdf.derive(typed), salt)


def require_strength(passphrase: str) -> None:
    """Return quietly where a new passphrase is not one of the first that anybody would try."""
    hint = "Take four words or more that have nothing to do with each other, or a sentence of your own."
    characters = unicodedata.normalize("NFC", passphrase).strip()
    if not characters:
        raise UserError("A passphrase cannot be empty.", hint)
    if len(characters) < MIN_PASSPHRASE_CHARS:
        raise UserError(
            f"This passphrase has {pluralize(len(characters), 'character')}; it needs at least "
            f"{MIN_PASSPHRASE_CHARS}, as a computer can try all shorter ones.",
            hint,
        )
    if len({*characters}) < _MIN_DISTINCT_CHARS:
        raise UserError("This passphrase repeats a few characters, so it is easy to guess.", hint)


def is_encrypted(path: Path) -> bool:
    """Tell whether a file begins as an encrypted one; a pipe or a device is none, and is not waited for."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return starts_encrypted(file.read(SALT_BYTES))
    except OSError:
        return False


def starts_encrypted(start: bytes) -> bool:
    """Tell whether the first bytes of a file are those of an encrypted one, also where one bit of them was changed."""
    return repair_salt(start) is not None or start.startswith(FILE_MARK)


def read_salt(path: Path) -> bytes:
    """Return the salt of an encrypted file."""
    with (
        explain_os_errors(f"“{escape_unprintable(path)}” cannot be read", "Check the permissions of the file."),
        path.open("rb") as file,
    ):
        start = file.read(SALT_BYTES)
    if not starts_encrypted(start):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is not encrypted.", "Encrypt it with: greenroom study encrypt FILE"
        )
    if not _is_whole(start):
        raise damaged_file_error(path.name, "its beginning was changed")
    return start


def repair_salt(start: bytes) -> bytes | None:
    """Return the salt that a file begins with, also where one bit of it was changed; None where there is none."""
    salt = start[:SALT_BYTES]
    number = int.from_bytes(salt)
    candidates = (salt, *((number ^ 1 << bit).to_bytes(SALT_BYTES) for bit in range(8 * SALT_BYTES)))
    return next(filter(_is_whole, candidates), None) if len(salt) == SALT_BYTES else None


def damaged_file_error(name: str, what: str) -> UserError:
    """Return the message for an encrypted file that was changed since it was written, whoever did it."""
    return UserError(
        f"The encrypted file “{escape_unprintable(name)}” is damaged: {what}.",
        "The passphrase is right. Save what can be read, or go back to a backup: greenroom study recover STUDY",
    )


def _is_whole(salt: bytes) -> bool:
    return (
        len(salt) == SALT_BYTES
        and salt.startswith(FILE_MARK)
        and _checksum(salt[: len(FILE_MARK) + _RANDOM_BYTES]) == salt[len(FILE_MARK) + _RANDOM_BYTES :]
    )


def _checksum(start: bytes) -> bytes:
    return zlib.crc32(start).to_bytes(4)
