"""What models stored in a copy, what else happened, and the seconds its annotators were active: they only add up."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.store import Cell, Row, Study

_RUN = "id, recording_id, kind, backend, parameters, result, finished_at, program_version"
_PARTS = {
    "face_track": "id, run_id, medium_id, position, count, frames, times_us, boxes, scores, origins",
    "heard": "run_id, position, start_us, end_us, text, words",
}
"""Table that holds what runs found -> its columns."""

_FACTS = {
    "judgment": ("id", "annotator_id"),
    "reveal": ("segment_id, annotator_id", "annotator_id"),
    "egress": ("id", ""),
    "item_set": ("id", ""),
    "item": ("id", ""),
    "benchmark_run": ("id", "annotator_id"),
    "benchmark_answer": ("run_id, item_id, part", ""),
    "withdrawal": ("id", ""),
}
"""Table of other things that happened -> its key, and the column that names an annotator."""


@dataclass(frozen=True, slots=True)
class NewRuns:
    """Ids of the runs that the study lacks, and how many rows of which table come with them."""

    ids: tuple[str, ...]
    rows: Mapping[str, int]

    def __bool__(self) -> bool:
        return bool(self.ids)


def runs_of(study: Study, copy: Study) -> NewRuns:
    """Return what models stored in the copy and the study does not have; runs are never changed."""
    here = {row[0] for row in study.rows("SELECT id FROM run")}
    ids = tuple(row[0] for row in copy.rows("SELECT id FROM run ORDER BY rowid") if row[0] not in here)
    counts = {
        table: sum(
            int(row[0]) for one in ids for row in copy.rows(f"SELECT count(*) FROM {table} WHERE run_id = ?", (one,))
        )
        for table in _PARTS
    }
    return NewRuns(ids, {"run": len(ids), **counts})


def store_runs(study: Study, copy: Study, runs: NewRuns) -> None:
    """Store them as they are."""
    if not runs:
        return
    with study.recording_run():
        for one in runs.ids:
            study.write_run(
                f"INSERT INTO run ({_RUN}) VALUES ({_marks(_RUN)})",
                copy.rows(f"SELECT {_RUN} FROM run WHERE id = ?", (one,)),
            )
            for table, columns in _PARTS.items():
                study.write_run(
                    f"INSERT INTO {table} ({columns}) VALUES ({_marks(columns)})",
                    copy.rows(f"SELECT {columns} FROM {table} WHERE run_id = ?", (one,)),
                )


def activity_of(study: Study, copy: Study, same_person: Mapping[str, str]) -> list[tuple[Cell, ...]]:
    """Return the counters in which the copy is ahead; of two, the larger counts, so that merging again adds nothing."""
    ask = "SELECT recording_id, annotator_id, day, seconds FROM activity"
    here = {row[:3]: row[3] for row in study.rows(ask)}
    found: list[Row] = [(row[0], same_person.get(row[1], row[1]), row[2], row[3]) for row in copy.rows(ask)]
    return [row for row in found if row[3] > here.get(row[:3], -1)]


def store_activity(study: Study, active: list[tuple[Cell, ...]]) -> None:
    """Set the counters."""
    if active:
        with study.without_history():
            study.write_many(
                "INSERT INTO activity VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET seconds = max(seconds, excluded.seconds)",
                active,
            )


def facts_of(
    study: Study, copy: Study, same_person: Mapping[str, str], same_judge: Mapping[str, str]
) -> dict[str, list[Row]]:
    """Return what happened in the copy and is not written in the study, by table; whole rows.

    Annotators and judges are called as they are in the study: id in the copy -> id here.
    """
    found = {}
    for table, (key, author) in _FACTS.items():
        columns = [row[1] for row in study.rows(f"PRAGMA main.table_info({table})")]
        at, where = [columns.index(one) for one in key.split(", ")], columns.index(author) if author else None
        judge = columns.index("judge_id") if "judge_id" in columns else None
        here = {tuple(row) for row in study.rows(f"SELECT {key} FROM {table}")}
        new = []
        for row in copy.rows(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {key}"):
            one = [*row]
            if where is not None:
                one[where] = same_person.get(str(one[where]), one[where])
            if judge is not None:
                one[judge] = same_judge.get(str(one[judge]), one[judge])
            if (place := tuple(one[i] for i in at)) not in here:
                here.add(place)
                new.append(tuple(one))
        found[table] = new
    return found


def store_facts(study: Study, facts: Mapping[str, list[Row]]) -> None:
    """Store them as they are."""
    with study.recording_run():
        for table, rows in facts.items():
            if rows:
                study.write_run(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def _marks(columns: str) -> str:
    return ", ".join("?" * len(columns.split(", ")))
