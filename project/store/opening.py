"""Inspects and verifies a study file without changing a byte of it, and translates SQLite's errors.

`StudyThread` looks for damaged pages, or makes a backup, while the study is already being read.
"""

import contextlib
import json
import os
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from project.encryption.encrypted_files import open_database
from project.encryption.encryption_key import is_encrypted, read_salt, starts_encrypted
from project.encryption.passphrases import obtain_key
from project.errors import UserError, path_not_found
from project.files.atomic_files import explain_os_errors, name_taken_error
from project.files.filesystem import is_folder
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import OwnFolder
from project.schema import format_versions
from project.schema.schema_comparison import compare_schema, find_foreign_code, foreign_schema_error
from project.store.wal_index import is_log_shortened, read_wal_index
from project.text_format import escape_unprintable

_NO_TEXT = "Could not decode to UTF-8"
"""How Python's module begins what it says of bytes that another program stored as text."""


class DamagedStudy(UserError):
    """A file is, or was, a study and cannot be read whole: what can be read of it may be saved."""


def damaged_study_error(name: str, detail: str = "") -> DamagedStudy:
    """Return the message for a file that is, or was, a study and cannot be read whole."""
    about = f" ({detail})" if detail else ""
    return DamagedStudy(
        f"The study “{escape_unprintable(name)}” is damaged{about}.",
        "Nothing was changed. Save what can be read, or go back to a backup: greenroom study recover STUDY",
    )


def translate_error(error: sqlite3.Error, name: str) -> UserError | None:
    """Return what to tell the user about an error of SQLite on the study `name`, or None where it is a bug of ours."""
    if str(error).startswith(_NO_TEXT):
        return damaged_study_error(name, "a text in it is no UTF-8")
    # Attributes that sqlite3 leaves out where the error did not come from SQLite itself.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return UserError(
                f"The disk of “{escape_unprintable(name)}” is full, so this was not saved.",
                "Free some space and try again.",
            )
        case sqlite3.SQLITE_IOERR:
            return UserError(
                f"The disk of “{escape_unprintable(name)}” cannot be read or written, so this was not saved.",
                "Check that it is connected and not full, and try again.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged_study_error(name)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return UserError(
                f"Another program is using the study “{escape_unprintable(name)}”.", "Close it there and try again."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return UserError(
                f"The study “{escape_unprintable(name)}” cannot be written to.",
                "Check the permissions of the file and its folder.",
            )
        case _:
            return None


@contextlib.contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Turn SQLite's refusals inside the block into messages about the study `name`; bugs of ours pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        message = translate_error(error, name)
        if message is None:
            raise
        raise message from error


SUFFIX = ".greenroom"
_MAGIC = b"SQLite format 3\0"
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_SUPER_TAIL = 16
"""Bytes at the end of a journal after the name of its super-journal: length, checksum, and the magic bytes."""
_PLAIN_ID = re.compile(r"[0-9A-Za-z_-]{0,64}")
"""What may stand in the name of a file that is kept about a study."""
_SAFETY_PRAGMAS = ("trusted_schema = OFF", "cell_size_check = ON", "secure_delete = ON")
"""No schema is trusted; what is deleted is overwritten, also where SQLite was built without that."""
_DEFAULT_NAME_BYTES = 255
_SIBLING_NAME_BYTES = 32
"""What names of files beside a study add to its own: backups, its lock, a copy before an upgrade."""


@dataclass(frozen=True, slots=True)
class LeftoverFiles:
    """Whether files beside the study hold what a killed process had not yet moved into it."""

    wal: bool
    journal: bool

    def __bool__(self) -> bool:
        return self.wal or self.journal


def inspect_file(path: Path) -> LeftoverFiles:
    """Read the file's header, without SQLite."""
    name = path.name
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise UserError(
                f"“{escape_unprintable(name)}” is a folder, not a study.", f"Choose a file whose name ends in {SUFFIX}."
            )
        if not stat.S_ISREG(status.st_mode):
            raise UserError(
                f"“{escape_unprintable(name)}” is not a file.", f"Choose a file whose name ends in {SUFFIX}."
            )
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise path_not_found("study", path, "Check its path, or make a study with `greenroom new`.") from None
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(path)}” cannot be read: {error.strerror}.", "Check the permissions of the file."
        ) from None
    if not header:
        raise UserError(
            f"“{escape_unprintable(name)}” is empty (0 bytes), so it is not a study.", "Go back to a backup."
        )
    if starts_encrypted(header):
        read_salt(path)
        _require_harmless_neighbours(path)
        return LeftoverFiles(
            wal=any(sibling_path(path, ending).exists() for ending in ("-wal", "-shm")),
            journal=_has_content(sibling_path(path, "-journal")),
        )
    if not header.startswith(_MAGIC[: len(header)]):
        raise UserError(
            f"“{escape_unprintable(name)}” is not a study but another kind of file.",
            f"Choose a file whose name ends in {SUFFIX}.",
        )
    if len(header) < 100:
        raise damaged_study_error(name, "its end is missing")
    if int.from_bytes(header[68:72]) != format_versions.APPLICATION_ID:
        raise _other_program_error(name)
    _require_harmless_neighbours(path)
    leftover = LeftoverFiles(
        wal=header[18] == 2 or _has_content(sibling_path(path, "-wal")),
        journal=_has_content(sibling_path(path, "-journal")),
    )
    page_size = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    # A process that was killed while it moved the log into the file leaves a header that is ahead of the file.
    if not leftover and status.st_size < pages * (65536 if page_size == 1 else page_size):
        raise damaged_study_error(name, "its end is missing")
    return leftover


def _other_program_error(name: str) -> UserError:
    return UserError(
        f"“{escape_unprintable(name)}” is a database of another program, not a study.",
        f"Choose a file whose name ends in {SUFFIX}.",
    )


def _require_harmless_neighbours(path: Path) -> None:
    """Return quietly where SQLite can be let loose on what lies beside a study.

    It would write through a link, and at the end of a rollback it deletes the file that a journal names as its
    super-journal (https://www.sqlite.org/fileformat.html, section 3.1). A study's journal never names one.
    """
    for ending in ("-wal", "-journal", "-shm"):
        place = sibling_path(path, ending)
        try:
            status = place.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            raise UserError(
                f"Beside the study “{escape_unprintable(path.name)}” is “{escape_unprintable(place.name)}”, which "
                "is not a plain file.",
                "Somebody may have put it there to harm you, so the study is not opened. Move it away first.",
            )
    if _names_another_file(sibling_path(path, "-journal")):
        raise UserError(
            f"A file beside the study “{escape_unprintable(path.name)}” refers to another file, which no file "
            "of a study does.",
            "Somebody may have tampered with it, so the study is not opened. Ask the sender for the study file alone.",
        )


def _names_another_file(journal: Path) -> bool:
    try:
        with journal.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _SUPER_TAIL))
            tail = file.read()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(journal.name)}” cannot be read: {error.strerror}.",
            "Check the permissions of the file.",
        ) from None
    return len(tail) == _SUPER_TAIL and tail.endswith(_JOURNAL_MAGIC)


def free_study_path(out: Path) -> Path:
    """Return where a new study goes, with the suffix that studies have."""
    path = out.absolute()
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    if not is_folder(path.parent):
        raise path_not_found("folder", path.parent, "Create it first.")
    require_short_name(path)
    if os.path.lexists(path):
        raise name_taken_error(path)
    return path


def require_short_name(path: Path) -> None:
    """Return quietly where the folder takes the name of a new study, and those of its backups and its lock."""
    try:
        longest = os.pathconf(path.parent, "PC_NAME_MAX")
    except OSError:
        longest = 0
    # Some network drives do not tell, and say 0 or -1.
    most = (longest if longest > 0 else _DEFAULT_NAME_BYTES) - _SIBLING_NAME_BYTES
    if len(os.fsencode(path.name)) > most:
        raise UserError(
            f"The name “{escape_unprintable(path.name[:_SIBLING_NAME_BYTES])}…” is too long.",
            f"Choose a name of at most {most - len(SUFFIX)} plain letters; letters with accents or of other "
            "scripts count as two to four.",
        )


def sibling_path(path: Path, ending: str) -> Path:
    """Return the file that SQLite keeps beside a study, such as `-wal`."""
    return path.with_name(path.name + ending)


def connect(
    path: Path, mode: str, *, immutable: bool = False, any_thread: bool = False, ask: bool = True
) -> sqlite3.Connection:
    """Open a file with SQLite; `mode` is `ro` or `rw`. Transactions are begun and ended by hand.

    The connection is for the thread that asked for it, or for `any_thread`, but only one at a time. The passphrase of
    an encrypted file is asked for where it is not known and `ask` allows it.
    """
    key = obtain_key(path, ask=ask) if is_encrypted(path) else None
    with translate_errors(path.name):
        query = f"mode={mode}{'&immutable=1' if immutable else ''}"
        connection = open_database(path, key, query, any_thread=any_thread)
        try:
            for pragma in (*_SAFETY_PRAGMAS, "foreign_keys = ON", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
    return connection


def _folder_for_copy(path: Path) -> OwnFolder:
    with explain_os_errors(
        f"“{escape_unprintable(path.name)}” was not closed properly, so a copy of it is read. "
        f"A folder for the copy cannot be created in “{escape_unprintable(tempfile.gettempdir())}”",
        "Free some space there, or set TMPDIR to a folder that you may write to.",
    ):
        return OwnFolder()


class Snapshot:
    """A study as it is on disk at this moment, for reading, without touching it or the files beside it.

    What a killed process left beside the study is part of it, and reading that changes files; so it is done on a copy.

    Attributes:
        connection: on the study, or on the copy.
        damage: why nobody may write to the study: edits that were saved cannot be read from its log. None for none.
    """

    def __init__(self, path: Path, leftover: LeftoverFiles) -> None:
        self._folder: OwnFolder | None = None
        self.damage: UserError | None = None
        try:
            if leftover:
                self._folder = _folder_for_copy(path)
                copy = self._folder.path / "copy"
                for ending in ("", "-wal", "-journal"):
                    if sibling_path(path, ending).exists():
                        shutil.copyfile(sibling_path(path, ending), sibling_path(copy, ending))
                self.connection = connect(copy, "rw")
                self.damage = _log_damage(self.connection, path, copy)
            else:
                self.connection = connect(path, "ro", immutable=True)
        except OSError as error:
            self._remove_copy()
            raise UserError(
                f"“{escape_unprintable(path.name)}” cannot be read: {error.strerror}.",
                "Check the free space on its disk.",
            ) from None
        except BaseException:
            self._remove_copy()
            raise

    def close(self) -> None:
        """Close the connection and remove the copy."""
        self.connection.close()
        self._remove_copy()

    def _remove_copy(self) -> None:
        if self._folder is not None:
            self._folder.remove()

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _log_damage(connection: sqlite3.Connection, path: Path, copy: Path) -> UserError | None:
    """Return what to say where SQLite found fewer edits in the log of a copy than a killed process had saved."""
    with contextlib.suppress(sqlite3.Error):
        # Reads the log, and thereby writes its index.
        connection.execute("PRAGMA user_version").fetchone()
    if not is_log_shortened(read_wal_index(sibling_path(path, "-shm")), read_wal_index(sibling_path(copy, "-shm"))):
        return None
    return UserError(
        f"The write-ahead log of “{escape_unprintable(path.name)}” is damaged: saved edits cannot be read.",
        "The study opens read-only, with the edits before the damage. Save what is left: greenroom "
        "study recover STUDY --out NEW",
    )


def verify_study(connection: sqlite3.Connection, name: str, *, pages: bool) -> int:
    """Return the version of the file's format, after making sure that it can be opened safely.

    Args:
        connection: on the study.
        name: of the study, for messages.
        pages: also look through every page of the file for damage.

    Raises:
        ForeignSchema: it can be read and is not to be written to: it has tables, indices or columns that no study has.
    """
    try:
        if connection.execute("PRAGMA application_id").fetchone()[0] != format_versions.APPLICATION_ID:
            raise _other_program_error(name)
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(format_versions.VERSIONS):
            raise UserError(
                f"The study “{escape_unprintable(name)}” was made by a newer version of Greenroom (file format "
                f"{version}; this version reads up to {len(format_versions.VERSIONS)}).",
                "Update Greenroom; the study was not changed.",
            )
        code = find_foreign_code(connection)
        if code:
            raise UserError(
                f"The study “{escape_unprintable(name)}” contains SQL code that no study has: {code[0]}.",
                "Somebody may have tampered with it, so it is not opened. `greenroom study check` lists everything.",
            )
        if version < 1:
            raise damaged_study_error(name, "it has no tables")
        differences = compare_schema(connection, version)
        lost = next((found for found in differences if found.is_loss), None)
        if lost is not None:
            raise damaged_study_error(name, f"its table {escape_unprintable(lost.name)} is not as it should be")
        _require_valid_id(connection, name)
        if differences:
            raise foreign_schema_error(name, differences)
    except UnicodeDecodeError:
        # What SQLite says of a damaged schema holds the bytes of it.
        raise damaged_study_error(name, "a text in it is no UTF-8") from None
    except sqlite3.Error as error:
        raise translate_error(error, name) or damaged_study_error(name, str(error)) from None
    if pages:
        check_pages(connection, name)
    return version


def _require_valid_id(connection: sqlite3.Connection, name: str) -> None:
    """Look at the study's identifier, which stands in names of files kept about it, before anything is written."""
    row = connection.execute("SELECT value FROM property WHERE key = 'id'").fetchone()
    try:
        found = "" if row is None else json.loads(row[0])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, str) or not _PLAIN_ID.fullmatch(found):
        raise damaged_study_error(name, "its identifier is none")


def check_pages(connection: sqlite3.Connection, name: str) -> None:
    """Look through every page of the file, which takes about a millisecond a megabyte."""
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise damaged_study_error(name)
    except sqlite3.Error as error:
        raise translate_error(error, name) or damaged_study_error(name, str(error)) from None


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


class StudyThread:
    """Work on the file of an open study, in a thread and on a connection of its own.

    Attributes:
        problem: why it failed, once the thread has ended; `unfinished` until then.
    """

    def __init__(
        self,
        path: Path,
        work: Callable[[sqlite3.Connection], object],
        ended: Callable[[], None] | None,
        unfinished: UserError | None = None,
    ) -> None:
        """Start; `ended` is called in the thread, unless it was stopped."""
        self._work, self._ended = work, ended
        self.problem = unfinished
        self._stopped = False
        # Opened here, where it can still be refused.
        self._connection = connect(path, "ro", any_thread=True)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Return once the work is done; raises its problem."""
        self._thread.join()
        if self.problem is not None:
            raise self.problem

    def stop(self) -> None:
        """End the work early; returns when the file is closed. Safe to call after it has ended."""
        self._stopped = True
        while self._thread.is_alive():
            # Asked again: work that has not begun yet does not hear it.
            with contextlib.suppress(sqlite3.ProgrammingError):
                self._connection.interrupt()
            self._thread.join(0.01)

    def _run(self) -> None:
        try:
            self._work(self._connection)
            self.problem = None
        except UserError as error:
            self.problem = error
        finally:
            self._connection.close()
            if self._ended is not None and not self._stopped:
                self._ended()


def start_page_check(path: Path, ended: Callable[[], None]) -> StudyThread:
    """Look for damaged pages of a file that nobody writes to until that has ended."""
    # What is no finding (a bug, too little memory) must not look like a sound file.
    unfinished = UserError(f"“{escape_unprintable(path.name)}” could not be checked for damage.", "Open it again.")
    return StudyThread(path, lambda connection: check_pages(connection, path.name), ended, unfinished)
