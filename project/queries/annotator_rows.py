"""Queries on annotators, assignments, completed work, active time, hidden lanes, and reviews of segments.

What training hides from a person: see `project.store.visibility`. Active seconds are a counter outside the history,
written inside `Study.without_history`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from project.entities.study_records import Annotator, Assignment, Changes, Review
from project.queries.row_mapper import RowMapper
from project.store.study import Study

ANNOTATORS = RowMapper(Annotator, "annotator")
ASSIGNMENTS = RowMapper(Assignment, "assignment", noun="The plan of work")
REVIEWS = RowMapper(Review, "review", noun="A review of a segment")

all_annotators = ANNOTATORS.query("ORDER BY id")


def annotator_names(study: Study) -> dict[str, str]:
    """Return id -> name of every annotator."""
    return {annotator.id: annotator.name for annotator in all_annotators(study)}


annotator_by_name = ANNOTATORS.query_first("WHERE name = ?")
insert_annotator = ANNOTATORS.insert
"""Add an annotator, whose name is new to the study; best inside a step with `undoable=False`."""
all_assignments = ASSIGNMENTS.query("ORDER BY recording_id, annotator_id")


def set_assignments(study: Study, wanted: Iterable[Assignment]) -> None:
    """Make the whole plan what is wanted, changing only what differs; inside a step."""
    present, goal = (
        {(assignment.recording_id, assignment.annotator_id): assignment for assignment in plan}
        for plan in (all_assignments(study), wanted)
    )
    for pair in sorted(present.keys() - goal.keys()):
        ASSIGNMENTS.delete(study, *pair)
    for pair in sorted(goal):
        if present.get(pair) != goal[pair]:
            ASSIGNMENTS.upsert(study, goal[pair])


def completions(study: Study) -> dict[tuple[str, str], str]:
    """Return (recording id, annotator id) -> when the annotator was done with it (UTC, ISO 8601)."""
    return {
        (recording_id, who): at
        for recording_id, who, at in study.rows("SELECT recording_id, annotator_id, at FROM completion")
    }


def is_completed(study: Study, recording_id: str, annotator_id: str) -> bool:
    """Tell whether an annotator is done with a recording."""
    asked = (recording_id, annotator_id)
    return study.row("SELECT 1 FROM completion WHERE recording_id = ? AND annotator_id = ?", asked) is not None


def set_completed(study: Study, recording_id: str, annotator_id: str, at: str | None) -> None:
    """Say that an annotator is done with a recording since `at`, or is not (None); inside a step."""
    if at is None:
        study.write("DELETE FROM completion WHERE recording_id = ? AND annotator_id = ?", (recording_id, annotator_id))
    else:
        study.write("INSERT INTO completion VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (recording_id, annotator_id, at))


Key = tuple[str, str, str]
"""Ids of a recording and an annotator, and a day such as `2026-11-21`."""


@dataclass(frozen=True, slots=True)
class Active:
    """Active seconds of an annotator on a recording in a day."""

    recording_id: str
    annotator_id: str
    day: str
    seconds: int


ACTIVITY = RowMapper(Active, "activity")


def all_activity(study: Study, annotator_id: str | None = None) -> list[Active]:
    """Return the counters, of one annotator where one is named, by day."""
    where = "WHERE annotator_id = coalesce(?, annotator_id) ORDER BY day, recording_id, annotator_id"
    return ACTIVITY.select(study, where, annotator_id)


def add_seconds(study: Study, seconds: Mapping[Key, int]) -> None:
    """Add seconds to counters; inside `Study.without_history`."""
    study.write_many(
        "INSERT INTO activity VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
        [(*key, count) for key, count in sorted(seconds.items()) if count > 0],
    )


def delete_activity(study: Study, annotator_id: str) -> None:
    """Delete the counters of an annotator; inside `Study.without_history`."""
    study.write("DELETE FROM activity WHERE annotator_id = ?", (annotator_id,))


Lane = tuple[str, str]
"""Ids of a recording and of the annotator whose segments and chains of it are hidden."""


def hidden_lanes(study: Study) -> frozenset[Lane]:
    """Return everything that is hidden while somebody trains."""
    return frozenset(study.rows("SELECT recording_id, annotator_id FROM hidden_lane"))


def recordings_with_hidden(study: Study) -> frozenset[str]:
    """Return ids of the recordings of which something is hidden, and of those that are hidden themselves."""
    return frozenset(
        row[0]
        for row in study.rows(
            "SELECT recording_id FROM hidden_lane "
            "UNION SELECT id FROM recording WHERE id NOT IN (SELECT id FROM seen_recording)"
        )
    )


def lane_visibility_changes(study: Study, lanes: Iterable[Lane]) -> Changes:
    """Return as changes what of lanes came into sight, or went out of it, with the episodes that go on from one."""
    found: list[tuple[str, str]] = []
    chains = "SELECT id FROM chain WHERE recording_id = ? AND annotator_id = ?"
    for lane in lanes:
        for table, where in (
            ("segment", "recording_id = ? AND annotator_id = ?"),
            ("chain", "recording_id = ? AND annotator_id = ?"),
            ("chain_node", f"chain_id IN ({chains})"),
            ("question", f"chain_id IN ({chains})"),
        ):
            found += [(table, row[0]) for row in study.rows(f"SELECT id FROM {table} WHERE {where}", lane)]
    found += [("recording", row[0]) for row in study.rows("SELECT recording_id FROM episode WHERE source = 'segment'")]
    return Changes.from_pairs(found)


reviews_in = REVIEWS.query_groups(
    "segment_id", "WHERE segment_id IN (SELECT id FROM segment WHERE recording_id = ?) ORDER BY at, reviewer_id"
)
review_by = REVIEWS.find
set_review = REVIEWS.upsert


def delete_review(study: Study, old: Review) -> None:
    """Take a review away; inside a step."""
    REVIEWS.delete(study, old.segment_id, old.reviewer_id)
