"""Participants: who they are, where they appear, and what they consented to."""

from project.store import Study
from project.types import ConsentUse, Participant, ParticipantRole

_COLUMNS = "p.id, p.pseudonym, p.role, p.note"


def all_participants(study: Study) -> list[Participant]:
    """Return every participant, in the order they were added."""
    return _read(study, f"SELECT {_COLUMNS} FROM participant p ORDER BY p.id")


def participants_in(study: Study, recording_id: str) -> list[Participant]:
    """Return who appears in a recording, in the order they were added to the study."""
    return _read(
        study,
        f"SELECT {_COLUMNS} FROM participant p JOIN appearance a ON a.participant_id = p.id "
        "WHERE a.recording_id = ? ORDER BY p.id",
        recording_id,
    )


def participants_there(study: Study, recording_id: str) -> list[Participant]:
    """Return who appears or speaks in a recording, in the order they were added to the study."""
    return _read(
        study,
        f"SELECT {_COLUMNS} FROM participant p WHERE p.id IN (SELECT participant_id FROM appearance "
        "WHERE recording_id = ? UNION SELECT participant_id FROM utterance WHERE recording_id = ?) ORDER BY p.id",
        *(recording_id, recording_id),
    )


def insert_participant(study: Study, new: Participant) -> None:
    """Add a participant; inside a step."""
    study.write("INSERT INTO participant VALUES (?, ?, ?, ?)", (new.id, new.pseudonym, new.role.value, new.note))


def update_participant(study: Study, new: Participant) -> None:
    """Replace the participant of the same id; inside a step."""
    study.write(
        "UPDATE participant SET pseudonym = ?, role = ?, note = ? WHERE id = ?",
        (new.pseudonym, new.role.value, new.note, new.id),
    )


def delete_participant(study: Study, participant_id: str) -> None:
    """Remove a participant, their appearances and consents, and their name from all that is theirs; inside a step."""
    one = (participant_id,)
    for table in ("track_correction", "region", "utterance", "private_word", "episode_agent"):
        study.write(f"UPDATE {table} SET participant_id = NULL WHERE participant_id = ?", one)
    for table in ("appearance", "consent", "chain_person", "look"):
        study.write(f"DELETE FROM {table} WHERE participant_id = ?", one)
    study.write("DELETE FROM participant WHERE id = ?", one)


def set_appearance(study: Study, recording_id: str, participant_id: str, present: bool) -> None:
    """Say whether a participant appears in a recording; inside a step."""
    if present:
        sql = "INSERT INTO appearance VALUES (?, ?) ON CONFLICT DO NOTHING"
    else:
        sql = "DELETE FROM appearance WHERE recording_id = ? AND participant_id = ?"
    study.write(sql, (recording_id, participant_id))


def consents(study: Study, participant_id: str) -> dict[ConsentUse, bool]:
    """Return what a participant consented to; every use is denied until it was given."""
    rows = study.rows("SELECT use, granted FROM consent WHERE participant_id = ?", (participant_id,))
    return dict.fromkeys(ConsentUse, False) | {ConsentUse(use): bool(granted) for use, granted in rows}


def set_consent(study: Study, participant_id: str, use: ConsentUse, granted: bool) -> None:
    """Give or take back consent to one use; inside a step."""
    study.write(
        "INSERT INTO consent VALUES (?, ?, ?) "
        "ON CONFLICT (participant_id, use) DO UPDATE SET granted = excluded.granted",
        (participant_id, use.value, int(granted)),
    )


def _read(study: Study, sql: str, *values: str) -> list[Participant]:
    return [Participant(row[0], row[1], ParticipantRole(row[2]), row[3]) for row in study.rows(sql, values)]
