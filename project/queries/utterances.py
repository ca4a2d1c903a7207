"""What is said, and by whom."""

from collections.abc import Sequence

from project.store import Study
from project.types import Utterance

_COLUMNS = "id, recording_id, start_us, end_us, text, participant_id"


def utterances_of(study: Study, recording_id: str) -> list[Utterance]:
    """Return the utterances of a recording, by start."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM utterance WHERE recording_id = ? ORDER BY start_us, end_us, id", (recording_id,)
    )
    return [Utterance(*row) for row in rows]


def utterances_called(study: Study, ids: Sequence[str]) -> dict[str, Utterance]:
    """Return id -> utterance, for those that are there; up to some hundreds."""
    marks = ", ".join("?" * len(ids))
    return {
        row[0]: Utterance(*row) for row in study.rows(f"SELECT {_COLUMNS} FROM utterance WHERE id IN ({marks})", ids)
    }


def utterance_ids(study: Study) -> set[str]:
    """Return the id of every utterance."""
    return {row[0] for row in study.rows("SELECT id FROM utterance")}


def insert_utterances(study: Study, new: Sequence[Utterance]) -> None:
    """Add utterances; inside a step."""
    study.write_many(
        f"INSERT INTO utterance ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        [(one.id, one.recording_id, one.start_us, one.end_us, one.text, one.participant_id) for one in new],
    )
