"""Obtains passphrases from a file that the environment names or from a person, never from the command line.

Derived keys are cached in this process, so that each study is asked for once.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from project.encryption.container import (
    EncryptedFileHeader,
    EncryptionKey,
    WrongPassphrase,
    damaged_file_error,
    open_key,
    read_header,
)
from project.errors import UserError
from project.text_format import escape_unprintable

PASSPHRASE_FILE_VARIABLE = "GREENROOM_PASSPHRASE_FILE"
Asker: TypeAlias = Callable[[Path, str], str | None]
"""Given a sealed file and why it is asked again ("" at first), returns what was typed, or None for no answer."""

_keys: dict[str, EncryptionKey] = {}
_asker: list[Asker] = []


def set_asker(asker: Asker | None) -> None:
    """Set the function that asks a person for a passphrase; with None nobody is asked."""
    _asker[:] = [] if asker is None else [asker]


def read_file_header(path: Path) -> EncryptedFileHeader:
    """Read the header of a sealed file."""
    try:
        with path.open("rb") as file:
            return read_header(file, path.name)
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(path)}” cannot be read: {error.strerror}.", "See who may read the file."
        ) from None


def obtain_key(path: Path, header: EncryptedFileHeader, *, ask: bool = True) -> EncryptionKey:
    """Return the key of a sealed file, from memory, from the file that the environment names, or by asking.

    Raises:
        WrongPassphrase: what was given is not the passphrase.
    """
    known = _keys.get(_wrapped_key(header))
    if known is not None:
        return known
    given = os.environ.get(PASSPHRASE_FILE_VARIABLE, "")
    if given:
        return unlock_key(header, read_passphrase(Path(given)), path)
    why = ""
    while ask and _asker:
        typed = _asker[0](path, why)
        if typed is None:
            break
        try:
            return unlock_key(header, typed, path)
        except WrongPassphrase as error:
            why = error.message
    raise UserError(
        f"“{escape_unprintable(path.name)}” is sealed, and no passphrase was given.",
        f"In a script, name a file that holds it: {PASSPHRASE_FILE_VARIABLE}=FILE.",
    )


def unlock_key(header: EncryptedFileHeader, passphrase: str, path: Path) -> EncryptionKey:
    """Derive the key of a file from its passphrase, and cache it until `forget_key`.

    Raises:
        WrongPassphrase: it is not the passphrase.
    """
    try:
        key = open_key(header.wrapped, passphrase, escape_unprintable(path.name))
    except ValueError:
        raise damaged_file_error(path.name, "its beginning makes no sense") from None
    _keys[_wrapped_key(header)] = key
    return key


def cache_key(header: EncryptedFileHeader, key: EncryptionKey) -> None:
    """Cache the key of a file that was just sealed."""
    _keys[_wrapped_key(header)] = key


def forget_key(header: EncryptedFileHeader) -> None:
    """Forget the key of a file, and of all that were sealed with it."""
    _keys.pop(_wrapped_key(header), None)


def read_passphrase(path: Path) -> str:
    """Return the first line of a file."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            # Editors on Windows put a mark of the encoding before the text, which nobody types.
            line = file.readline().rstrip("\r\n").removeprefix("\ufeff")
    except OSError as error:
        raise UserError(
            f"The passphrase cannot be read from “{escape_unprintable(path)}”: {error.strerror}.", "See the file."
        ) from None
    if not line:
        raise UserError(f"The first line of “{escape_unprintable(path)}” is empty.", "Write the passphrase there.")
    return line


def _wrapped_key(header: EncryptedFileHeader) -> str:
    return str(header.wrapped.get("key", ""))
