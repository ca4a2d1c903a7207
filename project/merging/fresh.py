"""Segments that are wholly new: nothing here can differ from them, so they are taken as they are, thousands at once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from project.merging.shape import ITEM, Table
from project.store import Row, Study

MANY = 500
"""From how many segments on it pays; fewer are compared row by row as all else."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """Ids of new segments, and table -> the rows that make them up."""

    segments: frozenset[str] = frozenset()
    rows: Mapping[str, list[Row]] = field(default_factory=dict)

    @property
    def as_json(self) -> str:
        """The ids as SQL takes them."""
        return json.dumps(sorted(self.segments))


def fresh_segments(study: Study, copy: Study, tables: Mapping[str, Table]) -> Fresh:
    """Return the segments of the copy that the study never had, in recordings that it has."""
    recordings = {row[0] for row in study.rows("SELECT id FROM recording")}
    new = {row[0] for row in copy.rows("SELECT id, recording_id FROM segment") if row[1] in recordings}
    new -= {row[0] for row in study.rows("SELECT id FROM segment")}
    if len(new) < MANY:
        return Fresh()
    new -= {
        row[0]
        for row in study.rows("SELECT row_id FROM journal_change WHERE table_name = 'segment' AND operation = 'delete'")
    }
    # In the order of the keys, in which rows are added fastest.
    asked = (json.dumps(sorted(new)),)
    return Fresh(
        frozenset(new),
        {
            name: copy.rows(
                f"SELECT {', '.join(tables[name].columns)} FROM {name} "
                f"WHERE {column} IN (SELECT value FROM json_each(?)) ORDER BY {', '.join(tables[name].key)}",
                asked,
            )
            for name, column in ITEM.items()
        },
    )


def store_fresh(study: Study, fresh: Fresh) -> None:
    """Add them; inside a step."""
    for name, rows in fresh.rows.items():
        if rows:
            study.insert_many(name, rows, sorted(fresh.segments))
