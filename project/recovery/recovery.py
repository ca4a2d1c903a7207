"""Recovers a damaged study: reads the rows that are left, and writes a new study."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

from project.encryption.commit_log import read_log
from project.encryption.container import EncryptedFileHeader, EncryptionKey, is_sealed, read_repaired_header, unseal
from project.encryption.encrypted_files import seal_copy
from project.encryption.passphrases import obtain_key
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, flush_file, publish_file
from project.files.filesystem import resolve_path
from project.files.temporary_files import OwnFolder, PrivateFolder, scratch_folder
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.recovery.rebuild import RebuildCounts, assemble
from project.recovery.recovery_report import RecoveryResult, TableSaved
from project.recovery.table_reader import Key, RecoveredTable, TableLayout, recover_tables, table_layouts
from project.schema.schema_comparison import ForeignSchema, compare_schema
from project.sharing.annotator_copy import free_copy_path
from project.store.backups import list_backups
from project.store.creation import create_file
from project.store.decrypted_copy import apply_pages, enable_wal
from project.store.locking import is_held
from project.store.opening import connect, sibling_path, verify_study
from project.text_format import escape_unprintable


def recover(path: str | Path, out: str | Path) -> RecoveryResult:
    """Save what can be read of a study into a new one; the damaged file is only read.

    Of a sealed study, the new one is sealed as it is, and a chunk that was changed counts as lost.
    """
    path, target = resolve_path(Path(path)), free_copy_path(Path(out))
    if is_held(path):
        raise UserError(f"“{escape_unprintable(path.name)}” is open in a window.", "Close it there first.")
    tables = table_layouts()
    key = obtain_key(path, _read_header(path)) if is_sealed(path) else None
    newest = next(iter(list_backups(path)), None)
    before = _read_backup(newest.path, tables) if newest else None
    with (
        explain_os_errors(f"“{escape_unprintable(path)}” cannot be read", "See who may read the file."),
        _open_damaged(path, key) as connection,
    ):
        foreign = _foreign_declarations(connection, path.name)
        known = {name: table.rows.keys() for name, table in before.items()} if before else {}
        left = recover_tables(connection, tables, known)
    if not any(table.rows for table in left.values()):
        raise UserError(
            f"Nothing of a study is left in “{escape_unprintable(path.name)}”.",
            "Go back to a backup: greenroom recover STUDY lists them.",
        )
    if not check_study(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is sound, so there is nothing to recover.", "Open it as it is."
        )
    try:
        with scratch_folder(target) if key is None else _memory_folder() as folder:
            made = create_file(folder / "recovered", path.stem)
            done, only = _fill_study(made, tables, left, before)
            problems = check_study(made)
            if key is None:
                publish_file(made, target)
            else:
                seal_copy(made, target, key)
    except FileExistsError:
        raise UserError(f"“{escape_unprintable(target.name)}” is there already.", "Choose another name.") from None
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(target.name)}” cannot be written: {error.strerror}.", "Choose another folder."
        ) from None
    return RecoveryResult(
        target,
        tuple(_report_tables(done, left, only)),
        done.whole_history,
        done.history_mismatches,
        (newest.path, newest.made) if newest else None,
        tuple(problems),
        foreign,
        _log_damage(path, key) if key is not None else "",
    )


def copy_backup(path: str | Path, number: int, out: str | Path) -> Path:
    """Copy a backup to a new study and return its path."""
    target = free_copy_path(Path(out))
    found = next((backup.path for backup in list_backups(path) if backup.number == number), None)
    if found is None:
        raise UserError(
            f"There is no backup {number} of “{escape_unprintable(Path(path).name)}”.", "Choose one that is listed."
        )
    problems = check_study(found)
    if problems:
        raise UserError(f"Backup {number} is not sound: {problems[0]}.", "Choose another one.")
    with (
        explain_os_errors(f"“{escape_unprintable(target.name)}” cannot be written", "Choose another folder."),
        scratch_folder(target) as folder,
    ):
        made = folder / "copy"
        shutil.copyfile(found, made)
        shutil.copymode(found, made)
        flush_file(made)
        publish_file(made, target)
    return target


@contextlib.contextmanager
def _memory_folder() -> Iterator[Path]:
    """Lend a folder in memory, for what is made of a sealed study in the clear."""
    private = PrivateFolder(0)
    try:
        yield private.path
    finally:
        private.remove()


def _read_header(path: Path) -> EncryptedFileHeader:
    with path.open("rb") as file:
        return read_repaired_header(file, path.name)


def _decrypt(path: Path, key: EncryptionKey) -> bytes:
    with path.open("rb") as file:
        return b"".join(unseal(file, key, read_repaired_header(file, path.name), path.name, lenient=True))


def _decrypt_with_log(path: Path, key: EncryptionKey) -> bytes:
    """Return a sealed study in the clear, with what was committed since it was sealed as far as that is intact."""
    clear = _decrypt(path, key)
    with path.open("rb") as file:
        log = read_log(path, key, read_repaired_header(file, path.name))
    if log.committed:
        with _memory_folder() as folder:
            copy = folder / "copy"
            copy.write_bytes(clear)
            enable_wal(copy)
            sibling_path(copy, "-wal").write_bytes(log.committed)
            clear = _checkpoint(copy)
    return apply_pages(clear, log.records_after_damage)


def _log_damage(path: Path, key: EncryptionKey) -> str:
    with path.open("rb") as file:
        return read_log(path, key, read_repaired_header(file, path.name)).damage


def _checkpoint(copy: Path) -> bytes:
    """Return a file with the logs beside it moved into it, as far as SQLite can."""
    with contextlib.suppress(UserError, sqlite3.Error), contextlib.closing(connect(copy, "rw")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return copy.read_bytes()


@contextlib.contextmanager
def _open_damaged(path: Path, key: EncryptionKey | None) -> Iterator[sqlite3.Connection]:
    """Open what is left of a study, on a copy where a killed process left something beside it or it is encrypted."""
    with contextlib.ExitStack() as stack:
        copy = path
        if key is not None:
            copy = stack.enter_context(_memory_folder()) / "copy"
            copy.write_bytes(_decrypt_with_log(path, key))
        elif any(sibling_path(path, ending).exists() for ending in ("-wal", "-journal")):
            copy = stack.enter_context(OwnFolder()) / "copy"
            for ending in ("", "-wal", "-journal"):
                if sibling_path(path, ending).exists():
                    shutil.copyfile(sibling_path(path, ending), sibling_path(copy, ending))
            _checkpoint(copy)
        else:
            path.stat()
        yield stack.enter_context(contextlib.closing(connect(copy, "ro", immutable=True)))


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
    tables: Mapping[str, TableLayout],
    left: Mapping[str, RecoveredTable],
    before: Mapping[str, RecoveredTable] | None,
) -> tuple[RebuildCounts, dict[str, int] | None]:
    with contextlib.closing(connect(made, "rw")) as connection:
        # Rows come in the order of the tables, and those that lack what they refer to are taken out at the end.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("BEGIN IMMEDIATE")
        given = dict(connection.execute("SELECT key, value FROM property").fetchall())
        connection.execute("DELETE FROM property")
        done = assemble(connection, tables, left, before)
        _keep_identity(connection, given, before)
        only = None if before is None else _count_only_in_backup(before, connection, tables)
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


def _read_backup(backup: Path, tables: Mapping[str, TableLayout]) -> dict[str, RecoveredTable] | None:
    try:
        key = obtain_key(backup, _read_header(backup), ask=False) if is_sealed(backup) else None
        with _open_damaged(backup, key) as connection:
            return recover_tables(connection, tables, {})
    except (OSError, UserError):
        return None


def _count_only_in_backup(
    before: Mapping[str, RecoveredTable], connection: sqlite3.Connection, tables: Mapping[str, TableLayout]
) -> dict[str, int]:
    """Count rows of a backup that are not in the new study, although nobody deleted them."""
    found = {}
    for name, shape in tables.items():
        key = ", ".join(shape.key)
        there = set(connection.execute(f"SELECT {key} FROM {name}").fetchall())
        there |= _deleted_keys(connection, shape)
        found[name] = len(before[name].rows.keys() - there)
    return found


def _deleted_keys(connection: sqlite3.Connection, shape: TableLayout) -> set[Key]:
    rows = connection.execute(
        "SELECT before FROM journal_change WHERE table_name = ? AND operation = 'delete' AND step_id NOT IN "
        "(SELECT id FROM journal_step WHERE name = 'Recover' AND kind = 'fixed')",
        (shape.name,),
    )
    return {shape.row_key(json.loads(before)) for (before,) in rows}


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
