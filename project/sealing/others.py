"""Seals and unseals any other file, such as a rendering: `clip.mp4` becomes `clip.mp4.sealed`."""

import os
from collections.abc import Iterator
from pathlib import Path

from project.errors import UserError
from project.names import shown
from project.sealing.container import read_header, unseal
from project.sealing.files import overwrite, seal_stream, write_clear
from project.sealing.keys import new_key
from project.sealing.passphrases import header_of, key_of

SUFFIX = ".sealed"


def seal_file(path: Path, passphrase: str) -> Path:
    """Encrypt a file beside its place, overwrite it, and return the sealed one.

    Raises:
        UserError: something of that name is there already, or it cannot be read or written.
    """
    out = path.with_name(path.name + SUFFIX)
    _require_free(out)
    try:
        with path.open("rb") as file:
            seal_stream(iter(lambda: file.read(1 << 20), b""), out, new_key(passphrase), like=path)
        overwrite(path)
    except OSError as error:
        raise _refused(path, error) from None
    return out


def unseal_file(path: Path) -> Path:
    """Decrypt a file beside its place, remove the sealed one, and return it.

    Raises:
        UserError: no passphrase was given, it is damaged, or it cannot be read or written.
    """
    out = path.with_name(path.name.removesuffix(SUFFIX))
    _require_free(out)
    key = key_of(path, header_of(path))

    def content() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from unseal(file, key, read_header(file, path.name), path.name)

    try:
        write_clear(content(), out, like=path)
        path.unlink()
    except OSError as error:
        raise _refused(path, error) from None
    return out


def _require_free(path: Path) -> None:
    if os.path.lexists(path):
        raise UserError(f"“{shown(path.name)}” is there already.", "Move it away first; no file is overwritten.")


def _refused(path: Path, error: OSError) -> UserError:
    return UserError(
        f"“{shown(path.name)}” cannot be read or written: {error.strerror}.", "See its folder and what is left free."
    )
