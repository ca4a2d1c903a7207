"""Recovers a damaged study: reads what is left of it, and makes a new one of that."""

import contextlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from project.encryption.commit_log import read_log
from project.encryption.container import EncryptedFileHeader, EncryptionKey, is_sealed, read_mended_header, unseal
from project.encryption.encrypted_files import seal_copy
from project.encryption.passphrases import key_of
from project.errors import UserError
from project.files.filesystem import resolved
from project.files.publication import put_in_place
from project.files.temporary_files import OwnFolder, PrivateFolder, scratch_folder
from project.ids import new_id
from project.integrity.integrity_check import check
from project.recovery.page_reader import RecoveredTable, TableLayout, left_in, shapes
from project.recovery.rebuild import Assembled, assemble
from project.recovery.recovery_report import Recovered, TableSaved
from project.schema.schema_comparison import ForeignSchema, compare_schema
from project.sharing.annotator_copy import free_place
from project.store.backups import list_backups
from project.store.creation import copy_own_tables, create_file
from project.store.decrypted_copy import use_log, with_pages
from project.store.locking import is_held
from project.store.opening import beside, connect, verify
from project.text_format import shown


def recover(path: str | Path, out: str | Path) -> Recovered:
    """Save what can be read of a study into a new one; the damaged file is only read.

    Of a sealed study, the new one is sealed as it is, and a chunk that was changed counts as lost.

    Raises:
        UserError: the file is sound, cannot be read, is open in a window, or holds no row of a study; or something of
            the new name is there already.
    """
    path, target = resolved(Path(path)), free_place(Path(out))
    if is_held(path):
        raise UserError(f"“{shown(path.name)}” is open in a window.", "Close it there first.")
    tables = shapes()
    key = key_of(path, _header_of(path)) if is_sealed(path) else None
    content, foreign = _own_tables(_content(path, key), path.name)
    left = left_in(content, tables)
    if not any(one.rows or one.loose for one in left.values()):
        raise UserError(
            f"Nothing of a study is left in “{shown(path.name)}”.",
            "Go back to a backup: greenroom recover STUDY lists them.",
        )
    if not check(path):
        raise UserError(f"“{shown(path.name)}” is sound, so there is nothing to recover.", "Open it as it is.")
    newest = next(iter(list_backups(path)), None)
    before = _rows_of(newest.path, tables) if newest else None
    try:
        with scratch_folder(target) if key is None else _in_memory() as folder:
            made = create_file(folder / "recovered", path.stem)
            done, only = _fill(made, tables, left, before)
            problems = check(made)
            if key is None:
                put_in_place(made, target)
            else:
                seal_copy(made, target, key)
    except FileExistsError:
        raise UserError(f"“{shown(target.name)}” is there already.", "Choose another name.") from None
    except OSError as error:
        raise UserError(
            f"“{shown(target.name)}” cannot be written: {error.strerror}.", "Choose another folder."
        ) from None
    return Recovered(
        target,
        tuple(_reported(done, left, only)),
        done.whole_history,
        done.unlike_history,
        (newest.path, newest.made) if newest else None,
        tuple(problems),
        foreign,
        _damage_to_log(path, key) if key is not None else "",
    )


def copy_backup(path: str | Path, number: int, out: str | Path) -> Path:
    """Copy a backup to a new study and return its path.

    Raises:
        UserError: there is no such backup, it is damaged, or something of the new name is there already.
    """
    target = free_place(Path(out))
    found = next((one.path for one in list_backups(path) if one.number == number), None)
    if found is None:
        raise UserError(f"There is no backup {number} of “{shown(Path(path).name)}”.", "Choose one that is listed.")
    problems = check(found)
    if problems:
        raise UserError(f"Backup {number} is not sound: {problems[0]}.", "Choose another one.")
    try:
        with scratch_folder(target) as folder:
            made = folder / "copy"
            shutil.copyfile(found, made)
            shutil.copymode(found, made)
            with made.open("rb") as file:
                os.fsync(file.fileno())
            put_in_place(made, target)
    except OSError as error:
        raise UserError(
            f"“{shown(target.name)}” cannot be written: {error.strerror or error}.", "Choose another folder."
        ) from None
    return target


@contextlib.contextmanager
def _in_memory() -> Iterator[Path]:
    """Lend a folder in memory, for what is made of a sealed study in the clear."""
    private = PrivateFolder(0)
    try:
        yield private.path
    finally:
        private.remove()


def _header_of(path: Path) -> EncryptedFileHeader:
    with path.open("rb") as file:
        return read_mended_header(file, path.name)


def _unsealed(path: Path, key: EncryptionKey) -> bytes:
    with path.open("rb") as file:
        return b"".join(unseal(file, key, read_mended_header(file, path.name), path.name, lenient=True))


def _with_log(path: Path, key: EncryptionKey) -> bytes:
    """Return a sealed study in the clear, with what was committed since it was sealed as far as that is intact."""
    clear = _unsealed(path, key)
    with path.open("rb") as file:
        log = read_log(path, key, read_mended_header(file, path.name))
    if log.committed:
        with _in_memory() as folder:
            copy = folder / "copy"
            copy.write_bytes(clear)
            use_log(copy)
            beside(copy, "-wal").write_bytes(log.committed)
            clear = _put_together(copy)
    return with_pages(clear, log.later)


def _damage_to_log(path: Path, key: EncryptionKey) -> str:
    with path.open("rb") as file:
        return read_log(path, key, read_mended_header(file, path.name)).damage


def _put_together(copy: Path) -> bytes:
    """Return a file with the logs beside it moved into it, as far as SQLite can."""
    with contextlib.suppress(UserError, sqlite3.Error), contextlib.closing(connect(copy, "rw")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return copy.read_bytes()


def _content(path: Path, key: EncryptionKey | None) -> bytes:
    """Return the file with what a killed process left beside it, put together on a copy as far as SQLite can."""
    try:
        if key is not None:
            return _with_log(path, key)
        if not any(beside(path, ending).exists() for ending in ("-wal", "-journal")):
            return path.read_bytes()
        with OwnFolder() as folder:
            copy = folder / "copy"
            for ending in ("", "-wal", "-journal"):
                if beside(path, ending).exists():
                    shutil.copyfile(beside(path, ending), beside(copy, ending))
            return _put_together(copy)
    except OSError as error:
        raise UserError(f"“{shown(path)}” cannot be read: {error.strerror}.", "See who may read the file.") from None


def _own_tables(content: bytes, name: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a study without what others declared in it, where all else is sound, and name that; else as it is."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as source:
        try:
            # A database in memory has no write-ahead log.
            source.deserialize(content[:18] + b"\1\1" + content[20:])
            source.execute("PRAGMA trusted_schema = OFF")
            verify(source, name, pages=False)
        except ForeignSchema:
            with contextlib.suppress(UserError, sqlite3.Error):
                (version,) = source.execute("PRAGMA user_version").fetchone()
                foreign = tuple(difference.as_noun() for difference in compare_schema(source, int(version)))
                with contextlib.closing(copy_own_tables(source, int(version), name)) as own:
                    return own.serialize(), foreign
        except (UserError, sqlite3.Error, OverflowError, MemoryError):
            pass
    return content, ()


def _fill(
    made: Path,
    tables: Mapping[str, TableLayout],
    left: Mapping[str, RecoveredTable],
    before: Mapping[str, RecoveredTable] | None,
) -> tuple[Assembled, dict[str, int] | None]:
    with contextlib.closing(connect(made, "rw")) as connection:
        # Rows come in the order of the tables, and those that lack what they refer to are taken out at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        given = dict(connection.execute("SELECT key, value FROM property").fetchall())
        connection.execute("DELETE FROM property")
        done = assemble(connection, tables, left, before)
        _keep_identity(connection, given, before)
        only = None if before is None else _only_in(before, connection, tables)
        connection.execute("COMMIT")
    return done, only


def _keep_identity(
    connection: sqlite3.Connection, given: Mapping[str, str], before: Mapping[str, RecoveredTable] | None
) -> None:
    """Give the study the id and the name of the newest backup where its own are lost, so that copies can be merged."""
    for key, usual in (("id", json.dumps(new_id())), ("name", given["name"])):
        row = before["property"].rows.get((key,)) if before else None
        value = usual if row is None else row["value"]
        connection.execute("INSERT INTO property VALUES (?, ?) ON CONFLICT DO NOTHING", (key, value))


def _rows_of(backup: Path, tables: Mapping[str, TableLayout]) -> dict[str, RecoveredTable] | None:
    try:
        if is_sealed(backup):
            return left_in(_unsealed(backup, key_of(backup, _header_of(backup), ask=False)), tables)
        return left_in(backup.read_bytes(), tables)
    except (OSError, UserError):
        return None


def _only_in(
    before: Mapping[str, RecoveredTable], connection: sqlite3.Connection, tables: Mapping[str, TableLayout]
) -> dict[str, int]:
    """Count rows of a backup that are not in the new study, although nobody deleted them."""
    found = {}
    for name, shape in tables.items():
        key = ", ".join(shape.key)
        there = set(connection.execute(f"SELECT {key} FROM {name}").fetchall())
        there |= _deleted(connection, shape)
        found[name] = len(before[name].rows.keys() - there)
    return found


def _deleted(connection: sqlite3.Connection, shape: TableLayout) -> set[tuple[object, ...]]:
    rows = connection.execute(
        "SELECT before FROM journal_change WHERE table_name = ? AND operation = 'delete' AND step_id NOT IN "
        "(SELECT id FROM journal_step WHERE name = 'Recover' AND kind = 'fixed')",
        (shape.name,),
    )
    return {shape.key_of(json.loads(before)) for (before,) in rows}


def _reported(done: Assembled, left: Mapping[str, RecoveredTable], only: Mapping[str, int] | None) -> list[TableSaved]:
    found = [
        TableSaved(
            name,
            done.saved[name],
            done.from_history[name],
            done.loose[name],
            done.from_backup[name],
            done.made_up[name],
            one.bad_pages,
            one.bad_rows,
            done.left_out[name],
            None if only is None else only[name],
        )
        for name, one in left.items()
    ]
    return [
        one
        for one in found
        if any((one.saved, one.loose, one.bad_pages, one.bad_rows, one.left_out, one.only_in_backup))
    ]
