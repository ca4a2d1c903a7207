"""Searches a study that somebody left for what was theirs: every table, the history, and the bytes of the file."""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from project.columns import COLUMNS, Kind
from project.sealing.container import is_sealed
from project.withdrawing.cleaning import KEPT
from project.withdrawing.file import in_memory
from project.withdrawing.personal import PersonalString
from project.withdrawing.reach import Reach
from project.withdrawing.rows import Row, parsed, texts_of
from project.withdrawing.wording import Wording
from project.withdrawing.written import is_shipped

_LEAST = 6
"""Signs of what is looked for in the bytes: shorter strings stand in them by chance."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a search of a finished file came to.

    Attributes:
        tables: how many tables were searched, the history among them.
        texts: how many texts were.
        kept: `TABLE.COLUMN` -> how many texts hold something that is kept: names of others, keys of a scheme.
        found: `TABLE.COLUMN` -> how many texts hold something that should be gone; `bytes` for the rest of the file.
        free_pages: pages of the file that belong to no table.
        bytes_searched: whether the bytes of the file were searched too; those of a sealed one say nothing.
    """

    tables: int = 0
    texts: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)
    found: Mapping[str, int] = field(default_factory=dict)
    free_pages: int = 0
    bytes_searched: bool = False


def verify_left(path: Path, reach: Reach) -> Verified:
    """Search a finished file.

    Raises:
        UserError: it cannot be read.
    """
    memory = in_memory(path)
    try:
        kept: Counter[str] = Counter()
        found: Counter[str] = Counter()
        names = [row[0] for row in memory.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        count = 0
        for table in names:
            count += _search_table(memory, table, reach.wording, kept, found)
        (free,) = memory.execute("PRAGMA freelist_count").fetchone()
    finally:
        memory.close()
    sealed = is_sealed(path)
    if not sealed and not kept and not found and (hits := _in_bytes(path.read_bytes(), reach)):
        found["bytes"] = hits
    return Verified(len(names), count, kept, found, int(free), not sealed)


def _search_table(
    memory: sqlite3.Connection, table: str, wording: Wording, kept: Counter[str], found: Counter[str]
) -> int:
    if table == "journal_change":
        return _search_history(memory, wording, kept, found)
    columns = [*texts_of(table)] if table in COLUMNS else []
    # A table that the program does not know is searched as a whole.
    columns += [row[1] for row in memory.execute(f'PRAGMA table_info("{table}")') if not columns or row[1] == "key"]
    listed = ", ".join(f'"{name}"' for name in dict.fromkeys(columns))
    count = 0
    for values in memory.execute(f'SELECT {listed} FROM "{table}"'):
        count += _search_row(table, dict(zip(dict.fromkeys(columns), values, strict=True)), wording, kept, found)
    return count


def _search_history(memory: sqlite3.Connection, wording: Wording, kept: Counter[str], found: Counter[str]) -> int:
    count = 0
    for table, before, after in memory.execute("SELECT table_name, before, after FROM journal_change"):
        for side in (before, after):
            row = {} if side is None else parsed(side)
            count += _search_row(table, row, wording, kept, found, "history of ")
    return count


def _search_row(
    table: str, row: Row, wording: Wording, kept: Counter[str], found: Counter[str], where: str = ""
) -> int:
    kinds = texts_of(table) if table in COLUMNS else dict.fromkeys(row, Kind.TEXT)
    count = 0
    for column, kind in kinds.items():
        text = row.get(column)
        if not isinstance(text, str) or len(text) < 2:
            continue
        count += 1
        if wording.in_json_text(text) if kind is Kind.JSON else wording.in_text(text):
            counter = kept if _is_kept(table, column, str(row.get("key", "")), text) else found
            counter[f"{where}{table}.{column}"] += 1
    return count


def _is_kept(table: str, column: str, key: str, text: str) -> bool:
    """Tell whether a text may stay: a name of somebody or something else, or what keys of a scheme stand in."""
    if column in KEPT.get(table, ()) or (table, column) == ("scheme_version", "text"):
        return True
    return table == "prompt_version" and is_shipped(table, key, text)


def _in_bytes(content: bytes, reach: Reach) -> int:
    """Return how many of the strings stand in the bytes of a file, as UTF-8 or UTF-16, in small or large letters."""
    texts = {one.text for one in reach.strings if isinstance(one, PersonalString) and one.is_exact}
    texts |= {name for name in reach.wording.names if " " in name}
    small = content.lower()
    forms = {
        form.encode(code).lower()
        for text in texts
        if len(text) >= _LEAST
        for form in (text, text.lower(), text.upper())
        for code in ("utf-8", "utf-16-le", "utf-16-be")
    }
    return sum(form in small for form in forms)
