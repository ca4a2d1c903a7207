"""Rewrites a study file after an erasure, so that no page, log or free space holds erased content, and verifies it.

The verification searches every table, the history, and the bytes of the file.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from project.encryption.encrypted_files import copy_from, copy_into, overwrite_with_zeros
from project.encryption.encryption_key import is_encrypted
from project.encryption.passphrases import obtain_key
from project.entities.study_records import Json
from project.erasure.personal_strings import PersonalString
from project.erasure.plain_search import PlainSearch
from project.erasure.raw_rows import Row, cell_texts, parse_row, text_columns
from project.erasure.row_erasure import KEPT_COLUMNS, is_shipped
from project.erasure.subject_scope import SubjectScope
from project.files.atomic_files import explain_os_errors, flush_file, flush_folder
from project.files.filesystem import resolve_path
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import scratch_folder
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.schema.table_declaration import ColumnKind
from project.schema.tables import TABLES
from project.store import locking
from project.store.column_values import to_json
from project.store.locking import exclusive_lock
from project.store.opening import Snapshot, connect, inspect_file, sibling_path, translate_errors, verify_study
from project.store.study import Study
from project.text_format import escape_unprintable
from project.text_matching.spellings import squeeze_letters


def load_into_memory(path: Path) -> sqlite3.Connection:
    """Return a connection on a copy of a study that is in memory alone."""
    path = resolve_path(path)
    leftover = inspect_file(path)
    if locking.is_held(path):
        with contextlib.closing(connect(path, "ro")) as connection:
            # Whoever has it open may have looked at it before another program changed its tables.
            verify_study(connection, path.name, pages=False)
            return _copy_to_memory(connection, path)
    with Snapshot(path, leftover) as snapshot:
        _verify_snapshot(snapshot, path)
        return _copy_to_memory(snapshot.connection, path)


def require_readable(path: Path) -> None:
    """Return quietly where `load_into_memory` can read a file that nobody has open."""
    path = resolve_path(path)
    with Snapshot(path, inspect_file(path)) as snapshot:
        _verify_snapshot(snapshot, path)


def _verify_snapshot(snapshot: Snapshot, path: Path) -> None:
    if snapshot.damage is not None:
        raise snapshot.damage
    verify_study(snapshot.connection, path.name, pages=True)


def copy_to_memory(study: Study) -> sqlite3.Connection:
    """Return a connection on a copy of a study that is open; the copy is in memory alone."""
    with study.lend_connection() as connection:
        return _copy_to_memory(connection, study.path)


def _copy_to_memory(source: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    memory = sqlite3.connect("file::memory:", uri=True, isolation_level=None)
    with translate_errors(path.name):
        for pragma in ("trusted_schema = OFF", "temp_store = MEMORY"):
            memory.execute(f"PRAGMA {pragma}")
        (name,) = source.execute("SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'").fetchone()
        file = Path(os.fsdecode(name))
        if name and is_encrypted(file):
            # SQLCipher refuses to copy the pages of an encrypted file into a plain database.
            copy_from(file, obtain_key(file), memory, "mode=ro")
        else:
            source.backup(memory)
    return memory


@contextlib.contextmanager
def exclusive_access(path: Path) -> Iterator[None]:
    """Hold a study exclusively: closed, in one file, at the newest version of the format."""
    path = resolve_path(path)
    with Study.open(path) as study:
        study.require_writable()
        study.finish_opening()
    with exclusive_lock(path):
        yield


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A rewritten study file that is not in its place yet.

    Attributes:
        path: where it lies, in a folder of its own beside the study.
        study: the file whose place it takes.
    """

    path: Path
    study: Path

    def add_certificate(self, at: str, person: str, withdrawn: str, content: dict[str, Json]) -> None:
        """Add what was removed, which is known by now.

        Args:
            at: when, as in the study's list of withdrawals.
            person: checksum over the pseudonym, by which the certificate is found.
            withdrawn: what the certificate calls them.
            content: the rest of it.
        """
        row = (new_id(), at, person, withdrawn, to_json(content))
        with contextlib.closing(connect(self.path, "rw")) as connection:
            connection.execute("INSERT INTO withdrawal_certificate VALUES (?, ?, ?, ?, ?)", row)
        flush_file(self.path)

    def publish(self) -> None:
        """Put it in its place, and overwrite the old content, unless that has another name too (a hard link)."""
        with self.study.open("r+b") as old:
            only = os.fstat(old.fileno()).st_nlink == 1
            self.path.replace(self.study)
            flush_folder(self.study.parent)
            if only:
                overwrite_with_zeros(old.fileno())
        for ending in ("-wal", "-shm", "-journal"):
            sibling_path(self.study, ending).unlink(missing_ok=True)


@contextlib.contextmanager
def prepare_rewrite(memory: sqlite3.Connection, path: Path) -> Iterator[RewrittenFile]:
    """Write what is in memory beside a file, and lend the result, to be searched and put in the file's place.

    The caller holds `exclusive_access`. Overwriting reaches what this file system keeps; not what a disk keeps by
    itself (solid-state disks write elsewhere), nor snapshots and copies.
    """
    path = resolve_path(path)
    sound = not check_study(path)
    with (
        explain_os_errors(
            f"“{escape_unprintable(path.name)}” cannot be written",
            "Check the permissions of its folder and the free space on its disk.",
        ),
        scratch_folder(path) as folder,
    ):
        made = folder / "withdrawn"
        with translate_errors(path.name):
            # Into a new file, which has no free page.
            copy_into(memory, made, obtain_key(path) if is_encrypted(path) else None)
        if sound and (problems := check_study(made)):
            raise RuntimeError(f"a study would not be sound any more: {problems[0]}")
        made.chmod(path.stat().st_mode & 0o777)
        flush_file(made)
        yield RewrittenFile(made, path)


_MIN_STRING_CHARS = 6
"""Signs of what is looked for in the bytes: shorter strings stand in them by chance."""


def verify_erasure(path: Path, reach: SubjectScope, decided: Iterable[str] = ()) -> "ErasureVerification":
    """Search a finished file; `decided` are look-alikes that a person decided to keep."""
    done = ErasureVerification(reach.search, frozenset(map(squeeze_letters, decided)), not is_encrypted(path))
    with contextlib.closing(load_into_memory(path)) as memory:
        (done.free_pages,) = memory.execute("PRAGMA freelist_count").fetchone()
        done.search_study(memory)
    if done.bytes_searched and not done.kept and not done.found and (hits := _count_in_bytes(path.read_bytes(), reach)):
        done.found["bytes"] = hits
    return done


@dataclass(slots=True)
class ErasureVerification:
    """The search of a rewritten file for erased content.

    Attributes:
        search: finds it.
        decided: letters of look-alikes that a person decided to keep.
        bytes_searched: whether the bytes of the file are searched too; those of an encrypted one say nothing.
        tables: how many tables were searched, the history among them.
        texts: how many texts were.
        kept: `TABLE.COLUMN` -> how many texts hold something that is kept: names of others, keys of a scheme.
        found: `TABLE.COLUMN` -> how many texts hold something that should be gone; `bytes` for the rest of the file.
        free_pages: pages of the file that belong to no table.
    """

    search: PlainSearch
    decided: frozenset[str]
    bytes_searched: bool
    tables: int = 0
    texts: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    free_pages: int = 0

    def search_study(self, memory: sqlite3.Connection) -> None:
        """Search every table and the history."""
        names = [row[0] for row in memory.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        for table in names:
            if table != "journal_change":
                self._search_table(memory, table)
        for table, before, after in memory.execute("SELECT table_name, before, after FROM journal_change"):
            for side in (before, after):
                self._search_row(table, {} if side is None else parse_row(side), "history of ")
        self.tables = len(names)

    def _search_table(self, memory: sqlite3.Connection, table: str) -> None:
        columns = [*text_columns(table)] if table in TABLES else []
        # A table that the program does not know is searched as a whole.
        columns += [row[1] for row in memory.execute(f'PRAGMA table_info("{table}")') if not columns or row[1] == "key"]
        listed = ", ".join(f'"{name}"' for name in dict.fromkeys(columns))
        for values in memory.execute(f'SELECT {listed} FROM "{table}"'):
            self._search_row(table, dict(zip(dict.fromkeys(columns), values, strict=True)))

    def _search_row(self, table: str, row: Row, where: str = "") -> None:
        kinds = text_columns(table) if table in TABLES else dict.fromkeys(row, ColumnKind.TEXT)
        for column, kind in kinds.items():
            text = row.get(column)
            if not isinstance(text, str) or len(text) < 2:
                continue
            self.texts += 1
            if any(map(self._is_left, cell_texts(text, kind))):
                counter = self.kept if _is_kept(table, column, str(row.get("key", "")), text) else self.found
                counter[f"{where}{table}.{column}"] += 1

    def _is_left(self, text: str) -> bool:
        return any(
            match.is_certain or squeeze_letters(match.text) not in self.decided for match in self.search.find(text)
        )


def _is_kept(table: str, column: str, key: str, text: str) -> bool:
    """Tell whether a text may stay: a name of somebody or something else, or what keys of a scheme stand in."""
    if column in KEPT_COLUMNS.get(table, ()) or (table, column) == ("scheme_version", "text"):
        return True
    return table == "prompt_version" and is_shipped(table, key, text)


def _count_in_bytes(content: bytes, reach: SubjectScope) -> int:
    """Return how many of the strings stand in the bytes of a file, as UTF-8 or UTF-16, in small or large letters."""
    texts = {string.text for string in reach.strings if isinstance(string, PersonalString) and string.is_exact}
    texts |= {name for name in reach.terms.names if " " in name}
    small = content.lower()
    forms = {
        form.encode(code).lower()
        for text in texts
        if len(text) >= _MIN_STRING_CHARS
        for form in (text, text.lower(), text.upper())
        for code in ("utf-8", "utf-16-le", "utf-16-be")
    }
    return sum(form in small for form in forms)
