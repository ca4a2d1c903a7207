"""What has to hold of a study after any kill, and what two studies have in common."""

import hashlib
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from project.integrity.integrity_check import check_study
from project.store.backups import backup_paths
from project.store.study import Study

STUDY = "lab.greenroom"


def sound(study: Path) -> None:
    """The study is well before anybody opens it, can be opened for writing, and is well after that."""
    for _ in range(2):
        assert check_study(study) == []
        with Study.open(study) as opened:
            assert not opened.read_only, opened.read_only_reason


def alone(folder: Path, *others: str) -> None:
    """Nothing lies in the folder of the study but the study, its backups and what is known; and no copy elsewhere."""
    backups = backup_paths(folder / STUDY)
    for backup in backups:
        assert check_study(backup) == [], f"{backup.name} is no sound backup"
    there = {path.name for path in folder.iterdir()} - {backup.name for backup in backups}
    assert there == {STUDY, *others}
    # What libraries make of their own, such as the look for a system library, has other names.
    assert [path.name for path in (folder.parent / "temporary").glob("*greenroom*")] == []


def rows_of(study: Path, tables: Collection[str], without: Collection[str] = ()) -> dict[str, str]:
    """Return table -> checksum of its rows, whatever their order; some columns are left out."""
    found = {}
    with closing(sqlite3.connect(f"file:{study}?mode=ro&immutable=1", uri=True)) as connection:
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] not in without]
            rows = sorted(repr(row) for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}"))
            found[table] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found
