"""Encrypts and decrypts files in place, atomically, and overwrites the old content.

A study is written anew under another key. Any other file is kept in pieces in an encrypted database, under its name
with `.encrypted` added: `clip.mp4` becomes `clip.mp4.encrypted`.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from project.encryption.encryption_key import SALT_BYTES, EncryptionKey, damaged_file_error, new_key
from project.errors import UserError
from project.files.atomic_files import flush_file, flush_folder, name_taken_error
from project.files.sqlcipher import sqlite3
from project.text_format import escape_unprintable

SUFFIX = ".encrypted"
_PIECE_BYTES = 1 << 20
PAGE_BYTES = 4096
_RESERVED_BYTES, _VECTOR_BYTES = 80, 16
"""At the end of a page: an initialization vector and an HMAC."""
_PLAIN_START = b"SQLite format 3\0"


def file_uri(path: Path, query: str) -> str:
    """Return how SQLite is told a file: as bytes, so that any name that a file can have reaches it unchanged."""
    return f"file:{quote(os.fsencode(path))}?{query}"


def open_database(path: Path, key: EncryptionKey | None, query: str, *, any_thread: bool = False) -> sqlite3.Connection:
    """Open a file with SQLite, encrypted where there is a key; transactions are begun and ended by hand.

    Args:
        path: of the file.
        key: that it is encrypted with, or will be; None for a plain file.
        query: parameters of SQLite's URI, such as `mode=ro&immutable=1`.
        any_thread: the connection may be used in any thread, one at a time.
    """
    connection = sqlite3.connect(
        file_uri(path, query),
        uri=True,
        isolation_level=None,
        cached_statements=512,
        timeout=5,
        check_same_thread=not any_thread,
    )
    if key is not None:
        connection.execute(f'PRAGMA key = "{key.literal}"')
    return connection


def open_new_database(path: Path, key: EncryptionKey | None) -> sqlite3.Connection:
    """Open a new file for writing that nobody needs before it is whole: it is flushed at the end, not at each step."""
    connection = open_database(path, key, "mode=rwc")
    for pragma in ("synchronous = OFF", "journal_mode = MEMORY", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def copy_from(source: Path, key: EncryptionKey | None, target: sqlite3.Connection, query: str) -> None:
    """Copy all of a file into an empty database, which may have another key, or none.

    Args:
        source: the file.
        key: of the file; None for a plain one.
        target: opened by its URI, with no transaction open.
        query: parameters of the URI of the source.

    Raises:
        sqlite3.Error: the file cannot be read, or the database not be written.
    """
    _export(target, file_uri(source, query), key, "other", "main")


def copy_into(source: sqlite3.Connection, target: Path, key: EncryptionKey | None) -> None:
    """Copy all of a database into a new file, encrypted where there is a key; the same as `copy_from` otherwise."""
    _export(source, file_uri(target, "mode=rwc"), key, "main", "other")


def _export(connection: sqlite3.Connection, uri: str, key: EncryptionKey | None, source: str, target: str) -> None:
    connection.execute("ATTACH DATABASE ? AS other KEY ?", (uri, key.literal if key else ""))
    try:
        connection.execute("SELECT sqlcipher_export(?, ?)", (target, source)).fetchall()
        for pragma in ("application_id", "user_version"):
            (value,) = connection.execute(f"PRAGMA {source}.{pragma}").fetchone()
            connection.execute(f"PRAGMA {target}.{pragma} = {value}")
    finally:
        connection.execute("DETACH DATABASE other")


def decrypt_pages(path: Path, key: EncryptionKey) -> Iterator[bytes]:
    """Yield the pages of a database in the clear, without authenticating them: for the recovery of a damaged one.

    The format: https://www.zetetic.net/sqlcipher/design/. A changed bit spoils 17 bytes.
    """
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    with path.open("rb") as file:
        begin, skipped = _PLAIN_START, SALT_BYTES
        while len(page := file.read(PAGE_BYTES)) == PAGE_BYTES:
            vector = page[-_RESERVED_BYTES:][:_VECTOR_BYTES]
            decryptor = Cipher(algorithms.AES(key.secret), modes.CBC(vector)).decryptor()
            clear = decryptor.update(page[skipped:-_RESERVED_BYTES]) + decryptor.finalize()
            yield begin + clear + bytes(_RESERVED_BYTES)
            begin, skipped = b"", 0


def rewrite_database(path: Path, old: EncryptionKey | None, new: EncryptionKey | None) -> None:
    """Write a database in one file anew under another key, or none, and overwrite what was there.

    Raises:
        OSError: it cannot be written; what was there is as it was.
        sqlite3.Error: the same, or it is damaged.
    """
    status = path.stat()
    with _replacement(path, path, wipe_old=True) as unfinished, closing(open_new_database(unfinished, new)) as target:
        copy_from(path, old, target, "mode=ro&immutable=1")
    # A backup is as old as it was.
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def write_encrypted(content: Iterable[bytes], path: Path, key: EncryptionKey, like: Path | None = None) -> None:
    """Encrypt what comes into a file, whole or not at all, with the rights of the file that it replaces (or of `like`).

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    try:
        with (
            _replacement(path, like or path) as unfinished,
            closing(open_new_database(unfinished, key)) as target,
        ):
            target.execute("CREATE TABLE content (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT")
            target.execute("BEGIN")
            target.executemany("INSERT INTO content (bytes) VALUES (?)", ((piece,) for piece in content))
            target.execute("COMMIT")
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None


def read_encrypted(path: Path, key: EncryptionKey) -> Iterator[bytes]:
    """Yield the content that `write_encrypted` wrote."""
    try:
        with closing(open_database(path, key, "mode=ro&immutable=1")) as source:
            for (piece,) in source.execute("SELECT bytes FROM content ORDER BY number"):
                yield piece
    except sqlite3.Error as error:
        raise damaged_file_error(path.name, str(error)) from None


def write_plaintext(content: Iterable[bytes], path: Path, like: Path, *, wipe_old: bool = False) -> None:
    """Write what comes into a file in the clear, whole or not at all, with the rights of another.

    With `wipe_old`, what was there before is overwritten.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    with _replacement(path, like, wipe_old=wipe_old) as unfinished, unfinished.open("wb") as file:
        file.writelines(content)


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


_UNFINISHED_SUFFIX = ".unfinished"


def remove_unfinished(path: Path) -> None:
    """Remove what a process that was killed while it wrote this file left; no other process writes it now."""
    for left in path.parent.iterdir():
        if left.name.startswith(f".{path.name}.") and left.name.endswith(_UNFINISHED_SUFFIX) and not left.is_symlink():
            with contextlib.suppress(OSError):
                shred_file(left)


@contextmanager
def _replacement(path: Path, like: Path, *, wipe_old: bool = False) -> Iterator[Path]:
    """Lend an empty file that takes the place of another when the block ends well."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED_SUFFIX}")
    os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600))
    try:
        yield unfinished
        with contextlib.suppress(FileNotFoundError):
            unfinished.chmod(stat.S_IMODE(like.stat().st_mode))
        flush_file(unfinished)
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
    flush_folder(path.parent)


def encrypt_file(path: Path, passphrase: str) -> Path:
    """Encrypt a file beside its place, overwrite it, and return the encrypted one."""
    out = path.with_name(path.name + SUFFIX)
    if os.path.lexists(out):
        raise name_taken_error(out)
    key = new_key(passphrase)
    try:
        with path.open("rb") as file:
            write_encrypted(iter(lambda: file.read(_PIECE_BYTES), b""), out, key, like=path)
        shred_file(path)
    except OSError as error:
        raise _access_error(path, error) from None
    return out


def decrypt_file(path: Path, key: EncryptionKey) -> Path:
    """Decrypt a file beside its place, remove the encrypted one, and return it."""
    out = path.with_name(path.name.removesuffix(SUFFIX))
    if os.path.lexists(out):
        raise name_taken_error(out)
    try:
        write_plaintext(read_encrypted(path, key), out, like=path)
        path.unlink()
    except OSError as error:
        raise _access_error(path, error) from None
    return out


def _access_error(path: Path, error: OSError) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” cannot be read or written: {error.strerror}.",
        "Check the permissions of its folder and the free space on its disk.",
    )
