"""Whose doing the present state of a row is: an edit made in this study, or one that a merge brought."""

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from project.merging.shape import Key, Row, Table
from project.store import Study

Place: TypeAlias = tuple[str, Key]
"""Table and key of a row."""

_PREFIX = "merge:"


def merge_key(uid: str, label: str) -> str:
    """Return what marks the step that merges a copy up to its step `uid`."""
    return f"{_PREFIX}{uid}:{label}"


def brought_by(study: Study, tables: Mapping[str, Table], wanted: Iterable[Place]) -> dict[Place, str]:
    """Return place -> the copy whose merge changed the row last; rows that were edited here are left out."""
    asked = set(wanted)
    names = sorted({name for name, _ in asked})
    texts = {str(part) for _, key in asked for part in key}
    last: dict[Place, str | None] = {}
    for name, about, before, after, mark in study.rows(
        "SELECT c.table_name, c.row_id, c.before, c.after, s.merge_key FROM journal_change c JOIN journal_step s "
        f"ON s.id = c.step_id WHERE c.table_name IN ({', '.join('?' * len(names))}) ORDER BY c.id",
        names,
    ):
        table = tables[name]
        if table.subject in table.key and about not in texts:
            continue
        state: Row = json.loads(after or before)
        place = (name, table.key_of(state))
        if place in asked:
            last[place] = mark
    return {
        place: mark.split(":", 2)[2] for place, mark in last.items() if mark is not None and mark.startswith(_PREFIX)
    }
