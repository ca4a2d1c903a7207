"""Recordings that are kept back: nothing of them is ever exported."""

from project.store import Study


def hold_outs(study: Study) -> frozenset[str]:
    """Return the ids of the recordings that are kept back."""
    return frozenset(row[0] for row in study.rows("SELECT recording_id FROM hold_out"))
