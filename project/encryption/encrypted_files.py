"""Seals and unseals files in place, atomically, and overwrites the old content.

A sealed file that is no study has the suffix `.sealed`: `clip.mp4` becomes `clip.mp4.sealed`.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from project.encryption.container import EncryptedFileHeader, EncryptionKey, new_key, read_header, seal, unseal
from project.encryption.passphrases import obtain_key, read_file_header
from project.errors import UserError
from project.text_format import escape_unprintable

_PIECE_BYTES = 1 << 20


def seal_bytes(content: bytes, path: Path, key: EncryptionKey, absorbed: bytes = b"") -> EncryptedFileHeader:
    """Seal a study into the place of its sealed file; it is on disk when this returns.

    `absorbed` is the salt of the log whose edits are in the content.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    pieces = (content[at : at + _PIECE_BYTES] for at in range(0, len(content), _PIECE_BYTES))
    return seal_stream(pieces, path, key, absorbed=absorbed)


def seal_stream(
    content: Iterator[bytes],
    path: Path,
    key: EncryptionKey,
    like: Path | None = None,
    *,
    wipe_old: bool = False,
    absorbed: bytes = b"",
) -> EncryptedFileHeader:
    """Seal what comes into a file, whole or not at all, with the rights of the file that it replaces (or of `like`).

    With `wipe_old`, what was there before is overwritten.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    header: list[EncryptedFileHeader] = []

    def write(file: int) -> None:
        with os.fdopen(os.dup(file), "wb") as sealed:
            header.append(seal(content, sealed, key, absorbed))

    _replace_file(path, write, like or path, wipe_old=wipe_old)
    return header[0]


def seal_copy(clear: Path, path: Path, key: EncryptionKey) -> None:
    """Seal a file that lies in memory under a name that must be free.

    Raises:
        FileExistsError: the name is taken.
        OSError: it cannot be written.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    try:
        seal_bytes(clear.read_bytes(), path, key)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def write_plaintext(content: Iterable[bytes], path: Path, like: Path, *, wipe_old: bool = False) -> None:
    """Write what comes into a file in the clear, whole or not at all, with the rights of another.

    With `wipe_old`, what was there before is overwritten.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """

    def write(file: int) -> None:
        with os.fdopen(os.dup(file), "wb") as clear:
            for part in content:
                clear.write(part)

    _replace_file(path, write, like, wipe_old=wipe_old)


def shred_file(path: Path) -> None:
    """Write zeros over a file and remove it.

    What an SSD, a file system that copies on write, or a snapshot keeps elsewhere is not reached by that.

    Raises:
        OSError: it cannot be removed.
    """
    if path.lstat().st_nlink == 1:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
            try:
                overwrite_with_zeros(descriptor)
            finally:
                os.close(descriptor)
    path.unlink()


def overwrite_with_zeros(descriptor: int) -> None:
    """Write zeros over an open file."""
    size, at = os.fstat(descriptor).st_size, 0
    zeros = bytes(_PIECE_BYTES)
    while at < size:
        at += os.pwrite(descriptor, zeros[: min(_PIECE_BYTES, size - at)], at)
    os.fsync(descriptor)


def remove_unfinished(path: Path) -> None:
    """Remove what a process that was killed while it wrote this file left; no other process writes it now."""
    for left in path.parent.iterdir():
        if left.name.startswith(f".{path.name}.") and left.name.endswith(".sealing") and not left.is_symlink():
            with contextlib.suppress(OSError):
                shred_file(left)


def _replace_file(path: Path, write: Callable[[int], None], like: Path, *, wipe_old: bool = False) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.sealing")
    descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            write(descriptor)
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(like.stat().st_mode))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        old = os.open(path, os.O_WRONLY | os.O_NOFOLLOW) if wipe_old else -1
        try:
            unfinished.replace(path)
            if old >= 0 and os.fstat(old).st_nlink == 0:
                overwrite_with_zeros(old)
        finally:
            if old >= 0:
                os.close(old)
    except BaseException:
        with contextlib.suppress(OSError):
            shred_file(unfinished)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


SUFFIX = ".sealed"


def seal_file(path: Path, passphrase: str) -> Path:
    """Encrypt a file beside its place, overwrite it, and return the sealed one."""
    out = path.with_name(path.name + SUFFIX)
    _require_free(out)
    try:
        with path.open("rb") as file:
            seal_stream(iter(lambda: file.read(1 << 20), b""), out, new_key(passphrase), like=path)
        shred_file(path)
    except OSError as error:
        raise _access_error(path, error) from None
    return out


def unseal_file(path: Path) -> Path:
    """Decrypt a file beside its place, remove the sealed one, and return it."""
    out = path.with_name(path.name.removesuffix(SUFFIX))
    _require_free(out)
    key = obtain_key(path, read_file_header(path))

    def content() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from unseal(file, key, read_header(file, path.name), path.name)

    try:
        write_plaintext(content(), out, like=path)
        path.unlink()
    except OSError as error:
        raise _access_error(path, error) from None
    return out


def _require_free(path: Path) -> None:
    if os.path.lexists(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is there already.", "Move it away first; no file is overwritten."
        )


def _access_error(path: Path, error: OSError) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” cannot be read or written: {error.strerror}.",
        "See its folder and what is left free.",
    )
