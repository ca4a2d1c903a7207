"""What is gathered about a recording to make questions from: looks, summaries, contradictions; written inside steps."""

from collections.abc import Sequence

from project.questions import Contradiction, Look, LookKind, Summary, SummarySource
from project.store import Row, Study


def looks_in(study: Study, recording_id: str) -> list[Look]:
    """Return how everybody in a recording looks, by person and kind."""
    rows = study.rows(
        "SELECT recording_id, participant_id, kind, text FROM look WHERE recording_id = ? "
        "AND participant_id IN (SELECT id FROM participant) ORDER BY participant_id, kind",
        (recording_id,),
    )
    return [Look(row[0], row[1], LookKind(row[2]), row[3]) for row in rows]


def set_look(study: Study, new: Look) -> None:
    """Set one thing by which somebody is told apart; an empty text removes it."""
    key = (new.recording_id, new.participant_id, new.kind.value)
    if not new.text:
        study.write("DELETE FROM look WHERE recording_id = ? AND participant_id = ? AND kind = ?", key)
        return
    study.write(
        "INSERT INTO look VALUES (?, ?, ?, ?) "
        "ON CONFLICT (recording_id, participant_id, kind) DO UPDATE SET text = excluded.text",
        (*key, new.text),
    )


def summaries_of(study: Study, recording_id: str) -> dict[SummarySource, Summary]:
    """Return the summaries of a recording."""
    rows = study.rows(
        "SELECT recording_id, source, text, judgment_id FROM summary WHERE recording_id = ?", (recording_id,)
    )
    return {SummarySource(row[1]): Summary(row[0], SummarySource(row[1]), row[2], row[3]) for row in rows}


def set_summary(study: Study, new: Summary) -> None:
    """Set a summary; an empty text removes it."""
    if not new.text:
        study.write("DELETE FROM summary WHERE recording_id = ? AND source = ?", (new.recording_id, new.source.value))
        return
    study.write(
        "INSERT INTO summary VALUES (?, ?, ?, ?) ON CONFLICT (recording_id, source) "
        "DO UPDATE SET text = excluded.text, judgment_id = excluded.judgment_id",
        (new.recording_id, new.source.value, new.text, new.judgment_id),
    )


def contradictions_in(study: Study, recording_id: str) -> list[Contradiction]:
    """Return what the summaries of a recording say differently, in the order in which it was noted."""
    rows = study.rows(
        "SELECT id, recording_id, text, resolution, settled, judgment_id FROM contradiction WHERE recording_id = ? "
        "ORDER BY id",
        (recording_id,),
    )
    return [_contradiction(row) for row in rows]


def contradiction_called(study: Study, contradiction_id: str) -> Contradiction | None:
    """Return one contradiction, or None where there is none of that id."""
    row = study.row(
        "SELECT id, recording_id, text, resolution, settled, judgment_id FROM contradiction WHERE id = ?",
        (contradiction_id,),
    )
    return None if row is None else _contradiction(row)


def insert_contradictions(study: Study, new: Sequence[Contradiction]) -> None:
    """Add contradictions."""
    study.write_many(
        "INSERT INTO contradiction VALUES (?, ?, ?, ?, ?, ?)",
        [(one.id, one.recording_id, one.text, one.resolution, int(one.settled), one.judgment_id) for one in new],
    )


def update_contradiction(study: Study, new: Contradiction) -> None:
    """Replace the contradiction of the same id."""
    study.write(
        "UPDATE contradiction SET text = ?, resolution = ?, settled = ? WHERE id = ?",
        (new.text, new.resolution, int(new.settled), new.id),
    )


def delete_contradiction(study: Study, contradiction_id: str) -> None:
    """Remove a contradiction."""
    study.write("DELETE FROM contradiction WHERE id = ?", (contradiction_id,))


def _contradiction(row: Row) -> Contradiction:
    return Contradiction(row[0], row[1], row[2], row[3], bool(row[4]), row[5])
