"""The tables of a study file, as SQLite has them in a new one."""

import re
import sqlite3
import tempfile
from pathlib import Path

from docs.site.markdown import code, table
from project.store.study import Study

_MEANING = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| (.+) \|$", re.MULTILINE)
_PAGE = Path(__file__).resolve().parents[1] / "study-file.md"


def tables() -> str:
    """Return a section for each table: its columns, what refers to what, its indices and what must hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.greenroom"
        Study.create(path).close()
        connection = sqlite3.connect(path)
        try:
            meanings = _meanings()
            names = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
                " ORDER BY substr(name, 1, 1) = '_', rowid"
            ).fetchall()
            return "\n".join(_section(connection, name, meanings.get(name, "not described yet")) for (name,) in names)
        finally:
            connection.close()


def _meanings() -> dict[str, str]:
    """Return what the page on the study file says about the rows of each table."""
    found = _MEANING.findall(_PAGE.read_text("utf-8"))
    linked = ((names, text.replace("](", "](../")) for names, text in found)
    return {name: text for names, text in linked for name in re.findall(r"`(\w+)`", names)}


def _section(connection: sqlite3.Connection, name: str, meaning: str) -> str:
    led = {row[3]: f"`{row[2]}.{row[4]}`" for row in connection.execute(f"PRAGMA foreign_key_list({name})")}
    rows = [
        (code(column), kind, "" if not_null else "may be NULL", f"key {place}" if place else "", led.get(column, ""))
        for _, column, kind, not_null, _, place in connection.execute(f"PRAGMA table_info({name})")
    ]
    (text,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    listed = table(("Column", "Type", "NULL", "Primary key", "Refers to"), rows)
    return f"## {name}\n\nA row is {meaning}.\n\n{listed}\n```sql\n{text}\n```\n"
