"""Recordings that are kept back: nothing of them is ever exported."""

from project.store import Study


def hold_outs(study: Study) -> frozenset[str]:
    """Return the ids of the recordings that are kept back."""
    return frozenset(row[0] for row in study.rows("SELECT recording_id FROM hold_out"))


def set_hold_out(study: Study, recording_id: str, held_out: bool) -> None:
    """Keep a recording back, or no longer; inside a step."""
    if held_out:
        study.write("INSERT INTO hold_out VALUES (?) ON CONFLICT DO NOTHING", (recording_id,))
    else:
        study.write("DELETE FROM hold_out WHERE recording_id = ?", (recording_id,))
