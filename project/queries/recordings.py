"""Recordings; a training round hides the episodes that tell what it is about (see `project.sight`)."""

from project.sight import SEEN_RECORDING
from project.store import Study
from project.types import Recording

_COLUMNS = "id, collection_id, number, name, duration_us"


def all_recordings(study: Study) -> list[Recording]:
    """Return every recording that is seen, by number."""
    return [Recording(*row) for row in study.rows(f"SELECT {_COLUMNS} FROM {SEEN_RECORDING} ORDER BY number, id")]


def recording(study: Study, recording_id: str) -> Recording | None:
    """Return one recording, or None where there is none of that id to be seen."""
    row = study.row(f"SELECT {_COLUMNS} FROM {SEEN_RECORDING} WHERE id = ?", (recording_id,))
    return None if row is None else Recording(*row)


def next_number(study: Study) -> int:
    """Return the number that the next recording gets: one more than the highest."""
    row = study.row("SELECT coalesce(max(number), 0) + 1 FROM recording")
    return 1 if row is None else int(row[0])


def insert_recording(study: Study, new: Recording) -> None:
    """Add a recording; inside a step."""
    study.write(
        "INSERT INTO recording VALUES (?, ?, ?, ?, ?)",
        (new.id, new.collection_id, new.number, new.name, new.duration_us),
    )


def update_recording(study: Study, new: Recording) -> None:
    """Replace the recording of the same id; inside a step."""
    study.write(
        "UPDATE recording SET collection_id = ?, number = ?, name = ?, duration_us = ? WHERE id = ?",
        (new.collection_id, new.number, new.name, new.duration_us, new.id),
    )


def delete_recording(study: Study, recording_id: str) -> None:
    """Remove a recording with all that was marked, said or planned about it; inside a step.

    Its runs and seconds of activity stay in the file, out of sight, so that undo brings them back with it.
    """
    one = (recording_id,)
    for table in ("comment", "review", "adoption", "segment_value"):
        study.write(f"DELETE FROM {table} WHERE segment_id IN (SELECT id FROM segment WHERE recording_id = ?)", one)
    chains = "SELECT id FROM chain WHERE recording_id = ?"
    nodes = f"SELECT id FROM chain_node WHERE chain_id IN ({chains})"
    study.write("DELETE FROM verification WHERE question_id IN (SELECT id FROM question WHERE recording_id = ?)", one)
    study.write("DELETE FROM question WHERE recording_id = ?", one)
    study.write(f"DELETE FROM chain_review WHERE chain_id IN ({chains})", one)
    study.write(f"DELETE FROM chain_edge WHERE result_id IN ({nodes})", one)
    study.write(f"DELETE FROM chain_person WHERE node_id IN ({nodes})", one)
    study.write(f"DELETE FROM chain_node WHERE chain_id IN ({chains})", one)
    study.write("DELETE FROM region_box WHERE region_id IN (SELECT id FROM region WHERE recording_id = ?)", one)
    for table in (
        *("segment", "medium", "appearance", "hold_out", "assignment", "completion", "utterance"),
        *("region", "face_review", "seen_span", "waiver", "pii_decision"),
        *("chain", "look", "summary", "contradiction", "episode_agent", "episode"),
    ):
        study.write(f"DELETE FROM {table} WHERE recording_id = ?", one)
    study.write("DELETE FROM recording WHERE id = ?", one)
