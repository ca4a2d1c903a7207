"""What runs heard in the sound of a recording: stretches in which somebody speaks, and words."""

from collections.abc import Iterable

from project.queries.word_times import words_from_json, words_json
from project.store import Study
from project.transcript import Heard

_COLUMNS = "start_us, end_us, text, words"
SPEECH, TRANSCRIBE = "speech", "transcribe"
"""Kinds of runs that hear: voice activity, and recognised words."""


def insert_heard(study: Study, run_id: str, heard: Iterable[Heard]) -> None:
    """Store what a run heard, in order; inside `Study.recording_run`."""
    study.write_run(
        f"INSERT INTO heard (run_id, position, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (run_id, position, one.start_us, one.end_us, one.text, words_json(one.words))
            for position, one in enumerate(heard)
        ],
    )


def heard_of(study: Study, run_id: str) -> list[Heard]:
    """Return what a run heard, in order."""
    rows = study.rows(f"SELECT {_COLUMNS} FROM heard WHERE run_id = ? ORDER BY position", (run_id,))
    return [Heard(start, end, text, words_from_json(words)) for start, end, text, words in rows]


def speech_of(study: Study, recording_id: str) -> list[tuple[int, int]] | None:
    """Return start and end of the stretches in which somebody speaks, by the newest run; None where none looked."""
    row = study.row(
        "SELECT id FROM run WHERE recording_id = ? AND kind = ? ORDER BY finished_at DESC, rowid DESC LIMIT 1",
        (recording_id, SPEECH),
    )
    return None if row is None else [(one.start_us, one.end_us) for one in heard_of(study, row[0])]
