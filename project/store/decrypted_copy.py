"""The decrypted copy of an open sealed study: plain in memory only, encrypted on disk at every commit.

What a transaction wrote to SQLite's write-ahead log is encrypted and added to the sealed log beside the study before it
counts as saved. Closing seals the whole again. So the disk never has the study in the clear, and a killed process loses
nothing that was committed: sealed file and sealed log together are the study.
"""

import logging
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from project.encryption.commit_log import LogContent, SealedLog, read_log
from project.encryption.container import (
    EncryptedFileHeader,
    EncryptionKey,
    read_header,
    read_state,
    unseal,
    write_state,
)
from project.encryption.encrypted_files import seal_bytes, seal_copy
from project.encryption.passphrases import cache_key
from project.errors import UserError
from project.files.temporary_files import PrivateFolder, announce_open_study, retract_announcements, use_cache
from project.store.locking import is_held
from project.store.opening import sibling_path
from project.text_format import escape_unprintable

_log = logging.getLogger(__name__)
_TRIES, _PAUSE_S = 5, 0.05
_MAX_LOG_BYTES = 48 << 20
"""From so many bytes of write-ahead log on, the study is sealed anew and the log begins anew."""
_FRAME_HEAD = 24
_WAL_HEAD = 32


class DecryptedCopy:
    """A sealed study in the clear, in a private folder in memory.

    Attributes:
        file: what SQLite opens.
        damage: why nobody may write to the study: its log was changed, and edits in it cannot be read. None for none.
    """

    def __init__(self, path: Path, key: EncryptionKey) -> None:
        """Unseal a study, with what was committed after it was sealed, up to where the log is damaged."""
        self._path, self._key = path, key
        with _open_with_log(path, key) as (sealed, header, log):
            self._header = header
            need = 2 * path.stat().st_size + 2 * len(log.committed)
            self._folder = PrivateFolder(need)
            self.file = self._folder.path / "study.greenroom"
            try:
                with os.fdopen(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as clear:
                    for part in unseal(sealed, key, header, path.name):
                        clear.write(part)
                self._page_size = enable_wal(self.file)
                if log.committed:
                    sibling_path(self.file, "-wal").write_bytes(log.committed)
            except OSError as error:
                self._folder.remove()
                raise UserError(
                    f"“{escape_unprintable(path.name)}” cannot be unsealed in memory: {error.strerror}.",
                    "Close other programs.",
                ) from None
            except BaseException:
                self._folder.remove()
                raise
        self.damage = damaged_log_error(path.name, log.damage) if log.damage else None
        self._after_kill = bool(log.committed)
        self._absorbed = log.salt
        self._sealed_log: SealedLog | None = None
        self._at, self._head = 0, b""
        self._changed = False
        self._named = False
        use_cache(self._folder)
        cache_key(self._header, key)

    def start_log(self, connection: sqlite3.Connection) -> None:
        """Make ready for edits; the connection uses the write-ahead log already, and this process holds the lock."""
        # The log grows until it is sealed: its bytes must stay where they are, and hold what was committed only.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA cache_spill = OFF")
        announce_open_study(self._path, self.file)
        try:
            # Beside a file of version 1, older programs would pass over the log that is begun here.
            if self._after_kill or self._header.version == 1 or read_state(self._header, self._key) != b"":
                self._seal(connection)
            self._renew_log(connection)
        except OSError as error:
            raise _not_saved_error(self._path, error) from None

    def reserve_space(self) -> None:
        """Reserve space for the next transaction."""
        if self._sealed_log is not None:
            self._sealed_log.reserve_space()

    def save_commit(self, connection: sqlite3.Connection) -> None:
        """Save what the transaction that just ended wrote."""
        if self._sealed_log is None:
            return
        new = self._new_frames()
        if new == b"":
            return
        self._changed = True
        # It is closed where no other log could be begun after sealing: its edits are in the sealed file already.
        appendable = new is not None and not self._sealed_log.closed
        try:
            if new is not None and appendable:
                self._sealed_log.append(new)
                self._at += len(new)
            if appendable:
                self._note_log(self._sealed_log)
            if not appendable or self._at > _MAX_LOG_BYTES:
                self._reseal(connection, saved=appendable)
        except OSError as error:
            raise _not_saved_error(self._path, error) from None

    def _note_log(self, log: SealedLog) -> None:
        """Say in the sealed file that there is a log with edits: without it, nobody would miss them."""
        if self._named:
            return
        self._named = True
        try:
            write_state(self._path, self._header, self._key, log.salt)
        except OSError as error:
            # The edit itself is in the log.
            _log.warning("“%s” could not name its log (%s).", escape_unprintable(self._path.name), error)

    def _reseal(self, connection: sqlite3.Connection, *, saved: bool) -> None:
        """Seal all of it, and begin another log; where it is saved already, this can be done later, too."""
        try:
            self._seal(connection)
        except OSError as error:
            if not saved:
                raise
            _log.warning(
                "“%s” was not sealed anew (%s); its log has every edit.", escape_unprintable(self._path.name), error
            )
            return
        self._renew_log(connection)

    def new_folder(self) -> Path:
        """Return a new empty folder in memory, for what is made of the study in the clear."""
        return Path(tempfile.mkdtemp(dir=self._folder.path))

    def seal_copy(self, clear: Path, path: Path) -> None:
        """Seal a file that was made of the study under the study's passphrase, where nothing of that name may be.

        Raises:
            FileExistsError: the name is taken.
            OSError: it cannot be written.
        """
        seal_copy(clear, path, self._key)

    def seal_content(self, content: bytes, path: Path) -> None:
        """Seal what belongs to the study but lies elsewhere, such as notes of this machine, into a file.

        Raises:
            OSError: it cannot be written; what was there is as it was.
        """
        seal_bytes(content, path, self._key)
        path.chmod(0o600)

    def unseal_content(self, path: Path) -> bytes:
        """Return what `seal_content` wrote.

        Raises:
            OSError: it cannot be read.
        """
        with path.open("rb") as sealed:
            header = read_header(sealed, path.name)
            return b"".join(unseal(sealed, self._key, header, path.name))

    def close(self, connection: sqlite3.Connection) -> None:
        """Seal what was changed, and leave nothing in the clear. What cannot be sealed stays in the sealed log."""
        try:
            if self._sealed_log is not None:
                self._finish(connection, self._sealed_log)
        finally:
            self.discard(connection)

    def discard(self, connection: sqlite3.Connection | None) -> None:
        """Delete the decrypted content; the sealed file and its log stay as they are."""
        if self._sealed_log is not None:
            self._sealed_log.close()
        if connection is not None:
            connection.close()
        retract_announcements(self._folder)
        self._folder.remove()

    def _finish(self, connection: sqlite3.Connection, log: SealedLog) -> None:
        # Sealing begins SQLite's log anew, and may fail afterwards.
        whole = self._append_rest(log)
        try:
            if self._changed:
                self._seal(connection)
            log.remove()
        except (OSError, UserError, sqlite3.Error) as error:
            what = "its log has every edit" if whole else "edits that were not saved before are lost"
            _log.warning("“%s” was not sealed anew (%s); %s.", escape_unprintable(self._path.name), error, what)
            log.close()

    def _append_rest(self, log: SealedLog) -> bool:
        """Add to the log what could not be added when it was committed; tell whether the log has all of it."""
        try:
            rest = self._new_frames()
            if rest:
                log.append(rest)
        except OSError:
            return False
        return rest is not None

    def _seal(self, connection: sqlite3.Connection) -> None:
        content = _mark_closed(connection.serialize())
        self._header = seal_bytes(content, self._path, self._key, self._absorbed)
        # Only now: where sealing fails, edits are added to the log as before.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        cache_key(self._header, self._key)
        self._changed = False

    def _renew_log(self, connection: sqlite3.Connection) -> None:
        """Begin a log that continues the sealed file, with all that the write-ahead log has."""
        if self._sealed_log is not None:
            self._sealed_log.close()
        self._sealed_log = SealedLog(self._path, self._key, self._header)
        self._absorbed = self._sealed_log.salt
        self._at, self._named = 0, False
        self.save_commit(connection)
        self._sealed_log.reserve_space()

    def _new_frames(self) -> bytes | None:
        """Return what was added to the write-ahead log up to its last commit; None where it began anew meanwhile.

        The format: https://www.sqlite.org/fileformat2.html, section 4.
        """
        try:
            with sibling_path(self.file, "-wal").open("rb") as file:
                head = file.read(_WAL_HEAD)
                if self._at and head != self._head:
                    return None
                file.seek(self._at or _WAL_HEAD)
                rest = file.read()
        except FileNotFoundError:
            return b""
        frame, end = _FRAME_HEAD + self._page_size, 0
        for at in range(0, len(rest) - frame + 1, frame):
            # The size of the database stands in the frame that ends a transaction, and 0 in all others.
            if int.from_bytes(rest[at + 4 : at + 8]):
                end = at + frame
        self._head = head
        return (b"" if self._at else head) + rest[:end] if end else b""


@contextmanager
def _open_with_log(path: Path, key: EncryptionKey) -> Iterator[tuple[BinaryIO, EncryptedFileHeader, LogContent]]:
    """Lend a sealed file, whose header was read, with the log that belongs to it.

    Who has the study open may seal it anew between the two readings, and begin another log: they are read again then.
    """
    for tries in range(_TRIES, 0, -1):
        with path.open("rb") as sealed:
            header = read_header(sealed, path.name)
            log = read_log(path, key, header)
            if log.damage and tries > 1 and (_was_replaced(path, header) or is_held(path)):
                time.sleep(_PAUSE_S)
                continue
            yield sealed, header, log
            return


def _was_replaced(path: Path, header: EncryptedFileHeader) -> bool:
    with path.open("rb") as file:
        return file.read(len(header.raw)) != header.raw


def damaged_log_error(name: str, what: str) -> UserError:
    """Return the message for a study whose log was changed."""
    return UserError(
        f"The log of edits of “{escape_unprintable(name)}” is damaged: {what}.",
        "It can be read as far as it is intact, and not written to; the file and its log stay as they are. "
        "Save what is left of both: greenroom recover STUDY --out NEW",
    )


def enable_wal(file: Path) -> int:
    """Say in the header that the write-ahead log is used, so that SQLite reads one beside it; return the page size."""
    with file.open("r+b") as clear:
        size = int.from_bytes(clear.read(18)[16:])
        clear.write(b"\2\2")
    return 65536 if size == 1 else size


def apply_pages(content: bytes, records: Sequence[bytes]) -> bytes:
    """Return a study with the pages of records of its log put into their places, whatever was lost before them.

    SQLite would not apply them: it checks each page of its log against all before it. What fits together of the result
    is for `project.recovery` to find out.
    """
    if not records or len(content) < 100:
        return content
    size = int.from_bytes(content[16:18])
    size = 65536 if size == 1 else size
    pages = bytearray(content)
    for record in records:
        frames = record[_WAL_HEAD:] if len(record) % (_FRAME_HEAD + size) == _WAL_HEAD else record
        for at in range(0, len(frames) - _FRAME_HEAD - size + 1, _FRAME_HEAD + size):
            place = (int.from_bytes(frames[at : at + 4]) - 1) * size
            # The record is authentic; a number that is too large would still fill the memory.
            if 0 <= place <= len(pages) + _MAX_LOG_BYTES:
                pages[len(pages) :] = bytes(max(0, place - len(pages)))
                pages[place : place + size] = frames[at + _FRAME_HEAD : at + _FRAME_HEAD + size]
    return bytes(pages)


def _mark_closed(content: bytes) -> bytes:
    """Return a study whose header says that it was closed."""
    return content[:18] + b"\1\1" + content[20:]


def _not_saved_error(path: Path, error: OSError) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” could not be saved: {error.strerror}. "
        "It is in memory, and was not lost yet.",
        "Free some space, and make the next edit or close the study: all is saved then.",
    )
