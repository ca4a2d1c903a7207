"""Who annotates which recording, and who is done with which."""

from collections.abc import Iterable

from project.store import Study
from project.types import Assignment, WorkPurpose


def all_assignments(study: Study) -> list[Assignment]:
    """Return the whole plan, by recording and annotator."""
    rows = study.rows("SELECT recording_id, annotator_id, purpose FROM assignment ORDER BY recording_id, annotator_id")
    return [Assignment(row[0], row[1], WorkPurpose(row[2])) for row in rows]


def set_assignments(study: Study, wanted: Iterable[Assignment]) -> None:
    """Make the whole plan what is wanted, changing only what differs; inside a step."""
    goal = {(one.recording_id, one.annotator_id): one.purpose for one in wanted}
    present = {(one.recording_id, one.annotator_id): one.purpose for one in all_assignments(study)}
    study.write_many(
        "DELETE FROM assignment WHERE recording_id = ? AND annotator_id = ?", sorted(present.keys() - goal.keys())
    )
    study.write_many(
        "INSERT INTO assignment VALUES (?, ?, ?) "
        "ON CONFLICT (recording_id, annotator_id) DO UPDATE SET purpose = excluded.purpose",
        [(*pair, purpose.value) for pair, purpose in sorted(goal.items()) if present.get(pair) is not purpose],
    )


def completions(study: Study) -> dict[tuple[str, str], str]:
    """Return (recording id, annotator id) -> when the annotator was done with it (UTC, ISO 8601)."""
    return {(row[0], row[1]): row[2] for row in study.rows("SELECT recording_id, annotator_id, at FROM completion")}


def is_done(study: Study, recording_id: str, annotator_id: str) -> bool:
    """Tell whether an annotator is done with a recording."""
    asked = (recording_id, annotator_id)
    return study.row("SELECT 1 FROM completion WHERE recording_id = ? AND annotator_id = ?", asked) is not None


def set_done(study: Study, recording_id: str, annotator_id: str, at: str | None) -> None:
    """Say that an annotator is done with a recording since `at`, or is not (None); inside a step."""
    if at is None:
        study.write("DELETE FROM completion WHERE recording_id = ? AND annotator_id = ?", (recording_id, annotator_id))
    else:
        study.write("INSERT INTO completion VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (recording_id, annotator_id, at))
