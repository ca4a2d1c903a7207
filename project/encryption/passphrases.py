"""Obtains keys: from memory, from a file with the passphrase that the environment names, or by asking a person.

Derived keys are cached in this process, so that each study is asked for once. A passphrase is never an argument.
"""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

from project.encryption.encrypted_files import PAGE_BYTES, open_database
from project.encryption.encryption_key import EncryptionKey, derive_key, read_salt
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import read_announced_key
from project.text_format import escape_unprintable

PASSPHRASE_FILE_VARIABLE = "GREENROOM_PASSPHRASE_FILE"
Asker: TypeAlias = Callable[[Path, str], str | None]
"""Given an encrypted file and why it is asked again ("" at first), returns what was typed, or None for no answer."""

_keys: dict[bytes, EncryptionKey] = {}
_asker: list[Asker] = []


class WrongPassphrase(UserError):
    """A passphrase does not fit."""


def set_asker(asker: Asker | None) -> None:
    """Set the function that asks a person for a passphrase; with None nobody is asked."""
    _asker[:] = [] if asker is None else [asker]


def obtain_key(path: Path, *, ask: bool = True) -> EncryptionKey:
    """Return the key of an encrypted file, from memory, from the file that the environment names, or by asking.

    Raises:
        WrongPassphrase: what was given is not the passphrase.
    """
    salt = read_salt(path)
    if salt in _keys:
        return _keys[salt]
    if secret := read_announced_key(salt):
        return EncryptionKey(secret, salt)
    given = os.environ.get(PASSPHRASE_FILE_VARIABLE, "")
    if given:
        return unlock_key(path, read_passphrase(Path(given)))
    why = ""
    while ask and _asker:
        typed = _asker[0](path, why)
        if typed is None:
            break
        try:
            return unlock_key(path, typed)
        except WrongPassphrase as error:
            why = error.message
    raise UserError(
        f"“{escape_unprintable(path.name)}” is encrypted, and no passphrase was given.",
        f"In a script, name a file that holds it: {PASSPHRASE_FILE_VARIABLE}=FILE.",
    )


def unlock_key(path: Path, passphrase: str) -> EncryptionKey:
    """Derive the key of a file from its passphrase, and cache it until `forget_key`.

    Raises:
        WrongPassphrase: it is not the passphrase.
    """
    key = derive_key(passphrase, read_salt(path))
    if not _fits(path, key):
        raise WrongPassphrase(
            f"This is not the passphrase of “{escape_unprintable(path.name)}”.", "Check capital letters, and try again."
        )
    cache_key(key)
    return key


def _fits(path: Path, key: EncryptionKey) -> bool:
    """Tell whether a key opens a file, or would but for damage: then it authenticates some of its pages."""
    with closing(open_database(path, key, "mode=ro&immutable=1")) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.Error:
            bad_pages = connection.execute("PRAGMA cipher_integrity_check").fetchall()
            return len(bad_pages) < path.stat().st_size // PAGE_BYTES
    return True


def cache_key(key: EncryptionKey) -> None:
    """Cache the key of files that were just encrypted."""
    _keys[key.salt] = key


def forget_key(key: EncryptionKey) -> None:
    """Forget a key, and thereby all files that are encrypted with it."""
    _keys.pop(key.salt, None)


def read_passphrase(path: Path) -> str:
    """Return the first line of a file."""
    with (
        explain_os_errors(
            f"The passphrase cannot be read from “{escape_unprintable(path)}”", "Check the path and the file."
        ),
        path.open(encoding="utf-8", errors="surrogateescape") as file,
    ):
        # Editors on Windows put a mark of the encoding before the text, which nobody types.
        line = file.readline().rstrip("\r\n").removeprefix("\ufeff")
    if not line:
        raise UserError(
            f"The first line of “{escape_unprintable(path)}” is empty.", "Write the passphrase on the first line."
        )
    return line
