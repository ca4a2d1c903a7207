"""How long annotators were active: a counter beside the history, written inside `Study.without_history`."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.store import Study

Key = tuple[str, str, str]
"""Ids of a recording and an annotator, and a day such as `2026-11-21`."""


@dataclass(frozen=True, slots=True)
class Active:
    """Active seconds of an annotator on a recording in a day."""

    recording_id: str
    annotator_id: str
    day: str
    seconds: int


def all_activity(study: Study, annotator_id: str | None = None) -> list[Active]:
    """Return the counters, of one annotator where one is named, by day."""
    rows = study.rows(
        "SELECT recording_id, annotator_id, day, seconds FROM activity WHERE annotator_id = coalesce(?, annotator_id) "
        "ORDER BY day, recording_id, annotator_id",
        (annotator_id,),
    )
    return [Active(*row) for row in rows]


def add_seconds(study: Study, seconds: Mapping[Key, int]) -> None:
    """Add seconds to counters; inside `Study.without_history`."""
    study.write_many(
        "INSERT INTO activity VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
        [(*key, count) for key, count in sorted(seconds.items()) if count > 0],
    )


def delete_activity(study: Study, annotator_id: str) -> None:
    """Delete the counters of an annotator; inside `Study.without_history`."""
    study.write("DELETE FROM activity WHERE annotator_id = ?", (annotator_id,))
