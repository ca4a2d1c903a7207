"""What rows refer to and is lost: taken from a backup, or made up so that the rows can stay."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from project.ids import is_id, new_id
from project.recovering.pages import Value
from project.recovering.rows import Left, Shape, cells

_END = """SELECT coalesce(max(end_us), 0) FROM (
  SELECT end_us FROM segment WHERE recording_id = :id UNION ALL SELECT end_us FROM utterance WHERE recording_id = :id
  UNION ALL SELECT end_us FROM question WHERE recording_id = :id
  UNION ALL SELECT n.end_us FROM chain_node n JOIN chain c ON c.id = n.chain_id WHERE c.recording_id = :id)"""

_MADE_UP = {
    "collection": "INSERT INTO collection VALUES (:id, 'Lost collection ' || :number, '')",
    "annotator": "INSERT INTO annotator VALUES (:id, 'Lost annotator ' || :number, 'person')",
    "participant": "INSERT INTO participant VALUES (:id, 'Lost ' || :number, 'user', '')",
    "recording": (
        "INSERT INTO recording SELECT :id, (SELECT id FROM collection ORDER BY id LIMIT 1), "
        f"(SELECT coalesce(max(number), 0) + 1 FROM recording), 'Lost recording ' || :number, ({_END})"
    ),
}
"""What stands for a row that is lost; whose it was is known by its id alone."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns of a table that name a row of another one."""

    table: str
    parent: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def dangling(self) -> str:
        """The condition that holds for rows whose other row is not there."""
        given = " AND ".join(f"{self.table}.{here} IS NOT NULL" for here, _ in self.pairs)
        same = " AND ".join(f"p.{there} = {self.table}.{here}" for here, there in self.pairs)
        return f"{given} AND NOT EXISTS (SELECT 1 FROM {self.parent} AS p WHERE {same})"


def references(connection: sqlite3.Connection, table: str) -> list[Reference]:
    """Return all foreign keys of a table."""
    keys: dict[int, tuple[str, list[tuple[str, str]]]] = {}
    for number, _, parent, here, there, *_ in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
        keys.setdefault(number, (parent, []))[1].append((here, there or here))
    return [Reference(table, parent, tuple(pairs)) for parent, pairs in keys.values()]


def put_back_parents(
    connection: sqlite3.Connection, tables: Mapping[str, Shape], before: Mapping[str, Left] | None
) -> tuple[Counter[str], Counter[str]]:
    """Put back what rows refer to; return how many rows of which table came from the backup, and were made up."""
    from_backup, made_up = Counter[str](), Counter[str]()
    found = [one for name in tables for one in references(connection, name) if len(one.pairs) == 1]
    again = True
    while again:
        again = False
        for one in found:
            column = one.pairs[0][0]
            missing = connection.execute(f"SELECT DISTINCT {column} FROM {one.table} WHERE {one.dangling}").fetchall()
            for (key,) in missing:
                row = before[one.parent].rows.get((key,)) if before else None
                if row is not None and _insert(connection, tables[one.parent], row):
                    from_backup[one.parent] += 1
                elif one.parent in _MADE_UP and isinstance(key, str) and is_id(key):
                    _make_up(connection, one.parent, key, made_up)
                else:
                    continue
                again = True
    return from_backup, made_up


def _insert(connection: sqlite3.Connection, shape: Shape, row: Mapping[str, Value]) -> bool:
    marks = ", ".join("?" * len(shape.columns))
    try:
        connection.execute(
            f"INSERT INTO {shape.name} ({', '.join(shape.columns)}) VALUES ({marks})",
            cells(shape, row),
        )
    except sqlite3.Error:
        return False
    return True


def _make_up(connection: sqlite3.Connection, table: str, key: str, made_up: Counter[str]) -> None:
    if table == "recording" and not connection.execute("SELECT 1 FROM collection LIMIT 1").fetchone():
        made_up["collection"] += 1
        connection.execute(_MADE_UP["collection"], {"id": new_id(), "number": made_up["collection"]})
    made_up[table] += 1
    connection.execute(_MADE_UP[table], {"id": key, "number": made_up[table]})
