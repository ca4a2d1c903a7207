"""Recovers a damaged study: reads the rows that are left, and writes a new study."""

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from project.encryption.encrypted_files import decrypt_pages
from project.encryption.encryption_key import SALT_BYTES, EncryptionKey, repair_salt
from project.encryption.passphrases import obtain_key
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, explain_unwritable, flush_file, publish_file
from project.files.filesystem import resolve_path
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import MemoryCache, OwnFolder, scratch_folder
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.recovery.rebuild import RebuildCounts, assemble
from project.recovery.recovery_report import RecoveryResult, TableSaved
from project.recovery.table_reader import Key, RecoveredTable, recover_tables
from project.schema.schema_comparison import ForeignSchema, compare_schema
from project.schema.table_declaration import StudyTable
from project.schema.tables import TABLES
from project.store.backups import list_backups
from project.store.creation import create_file
from project.store.locking import is_held
from project.store.opening import Snapshot, connect, free_study_path, inspect_file, sibling_path, verify_study
from project.text_format import escape_unprintable


def recover(path: str | Path, out: str | Path) -> RecoveryResult:
    """Save what can be read of a study into a new one; the damaged file is only read.

    Of an encrypted study, the new one is encrypted as it is, and what was changed counts as lost.
    """
    path, target = resolve_path(Path(path)), free_study_path(Path(out))
    if is_held(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is open in another window.", "Close it there and try again."
        )
    newest = next(iter(list_backups(path)), None)
    before = _read_backup(newest.path) if newest else None
    with (
        explain_os_errors(f"“{escape_unprintable(path)}” cannot be read", "Check the permissions of the file."),
        _open_damaged(path) as (connection, key),
    ):
        foreign = _foreign_declarations(connection, path.name)
        known = {name: table.rows.keys() for name, table in before.items()} if before else {}
        left = recover_tables(connection, known)
    if not any(table.rows for table in left.values()):
        raise UserError(
            f"Nothing can be recovered from “{escape_unprintable(path.name)}”.",
            "Go back to a backup: greenroom study recover STUDY lists them.",
        )
    if not check_study(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is not damaged, so there is nothing to recover.", "Open it as usual."
        )
    with explain_unwritable(target), scratch_folder(target) as folder:
        made = create_file(folder / "recovered", path.stem, key)
        done, only = _fill_study(made, left, before)
        problems = check_study(made)
        publish_file(made, target)
    return RecoveryResult(
        target,
        tuple(_report_tables(done, left, only)),
        done.whole_history,
        done.history_mismatches,
        (newest.path, newest.made) if newest else None,
        tuple(problems),
        foreign,
        _is_log_damaged(path),
    )


def copy_backup(path: str | Path, number: int, out: str | Path) -> Path:
    """Copy a backup to a new study and return its path."""
    target = free_study_path(Path(out))
    found = next((backup.path for backup in list_backups(path) if backup.number == number), None)
    if found is None:
        raise UserError(
            f"There is no backup {number} of “{escape_unprintable(Path(path).name)}”.", "Choose a backup from the list."
        )
    problems = check_study(found)
    if problems:
        raise UserError(f"Backup {number} is damaged: {problems[0]}.", "Choose another backup.")
    with explain_unwritable(target), scratch_folder(target) as folder:
        made = folder / "copy"
        shutil.copyfile(found, made)
        shutil.copymode(found, made)
        flush_file(made)
        publish_file(made, target)
    return target


def _is_log_damaged(path: Path) -> bool:
    with contextlib.suppress(UserError), Snapshot(path, inspect_file(path)) as snapshot:
        return snapshot.damage is not None
    return False


def _checkpoint(copy: Path, *, ask: bool) -> None:
    """Move the logs beside a file into it, as far as SQLite can."""
    with contextlib.suppress(UserError, sqlite3.Error), contextlib.closing(connect(copy, "rw", ask=ask)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextlib.contextmanager
def _open_damaged(path: Path, *, ask: bool = True) -> Iterator[tuple[sqlite3.Connection, EncryptionKey | None]]:
    """Open what is left of a study, and return its key where it is encrypted.

    It is a copy where a killed process left something beside it. Of an encrypted study, it is one in memory and in the
    clear: SQLCipher reads nothing more of a file once it met a damaged page.
    """
    with contextlib.ExitStack() as stack:
        with path.open("rb") as file:
            start = file.read(SALT_BYTES)
        copy, key, salt = path, None, repair_salt(start)
        if salt not in (None, start) or any(sibling_path(path, ending).exists() for ending in ("-wal", "-journal")):
            copy = stack.enter_context(OwnFolder()) / "copy"
            for ending in ("", "-wal", "-journal"):
                if sibling_path(path, ending).exists():
                    shutil.copyfile(sibling_path(path, ending), sibling_path(copy, ending))
            if salt is not None:
                with copy.open("r+b") as file:
                    file.write(salt)
            _checkpoint(copy, ask=ask)
        if salt is not None:
            key = obtain_key(copy, ask=ask)
            stack.callback(MemoryCache(key.salt, key.secret).remove)
            clear = stack.enter_context(OwnFolder()) / "clear"
            with clear.open("wb") as file:
                file.writelines(decrypt_pages(copy, key))
            copy = clear
        yield stack.enter_context(contextlib.closing(connect(copy, "ro", immutable=True))), key


def _foreign_declarations(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Name what others declared in a study whose schema is sound otherwise: it is not read."""
    with contextlib.suppress(UserError, sqlite3.Error):
        try:
            verify_study(connection, name, pages=False)
        except ForeignSchema:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return tuple(difference.as_noun() for difference in compare_schema(connection, int(version)))
    return ()


def _fill_study(
    made: Path,
    left: Mapping[str, RecoveredTable],
    before: Mapping[str, RecoveredTable] | None,
) -> tuple[RebuildCounts, dict[str, int] | None]:
    with contextlib.closing(connect(made, "rw")) as connection:
        # Rows come in the order of the tables, and those that lack what they refer to are taken out at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        given = dict(connection.execute("SELECT key, value FROM property").fetchall())
        connection.execute("DELETE FROM property")
        done = assemble(connection, left, before)
        _keep_identity(connection, given, before)
        only = None if before is None else _count_only_in_backup(before, connection)
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


def _read_backup(backup: Path) -> dict[str, RecoveredTable] | None:
    try:
        with _open_damaged(backup, ask=False) as (connection, _):
            return recover_tables(connection, {})
    except (OSError, UserError):
        return None


def _count_only_in_backup(before: Mapping[str, RecoveredTable], connection: sqlite3.Connection) -> dict[str, int]:
    """Count rows of a backup that are not in the new study, although nobody deleted them."""
    found = {}
    for name, table in TABLES.items():
        there = set(connection.execute(f"SELECT {', '.join(table.key)} FROM {name}").fetchall())
        there |= _deleted_keys(connection, table)
        found[name] = len(before[name].rows.keys() - there)
    return found


def _deleted_keys(connection: sqlite3.Connection, table: StudyTable) -> set[Key]:
    rows = connection.execute(
        "SELECT before FROM journal_change WHERE table_name = ? AND operation = 'delete' AND step_id NOT IN "
        "(SELECT id FROM journal_step WHERE name = 'Recover' AND kind = 'fixed')",
        (table.name,),
    )
    return {table.key_of(json.loads(before)) for (before,) in rows}


def _report_tables(
    done: RebuildCounts, left: Mapping[str, RecoveredTable], only: Mapping[str, int] | None
) -> list[TableSaved]:
    found = [
        TableSaved(
            name,
            done.saved[name],
            done.from_history[name],
            done.from_backup[name],
            done.placeholders[name],
            table.incomplete,
            table.unreadable_rows,
            done.left_out[name],
            None if only is None else only[name],
        )
        for name, table in left.items()
    ]
    return [table for table in found if table.saved or table.has_losses]
