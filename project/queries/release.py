"""What people decided for a release: the rules that are waived; and who is known to be seen or heard."""

from project.store import Study
from project.types import Waiver


def waivers(study: Study) -> list[Waiver]:
    """Return every waiver, in the order they were given."""
    rows = study.rows("SELECT id, recording_id, rule, reason, annotator_id, at FROM waiver ORDER BY id")
    return [Waiver(*row) for row in rows]


def insert_waiver(study: Study, new: Waiver) -> None:
    """Store a waiver; inside a step."""
    study.write(
        "INSERT INTO waiver VALUES (?, ?, ?, ?, ?, ?)",
        (new.id, new.recording_id, new.rule, new.reason, new.annotator_id, new.at),
    )


def delete_waiver(study: Study, waiver_id: str) -> None:
    """Take a waiver back; inside a step."""
    study.write("DELETE FROM waiver WHERE id = ?", (waiver_id,))


def people_seen(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants whose faces are known in it: assigned tracks and faces drawn by hand."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows(
        "SELECT r.recording_id, c.participant_id FROM track_correction c JOIN face_track t ON t.id = c.track_id "
        "JOIN run r ON r.id = t.run_id WHERE c.participant_id IS NOT NULL AND NOT c.dismissed AND r.id = "
        "(SELECT n.id FROM run n WHERE n.recording_id = r.recording_id AND n.kind = 'faces' "
        "ORDER BY n.finished_at DESC, n.rowid DESC LIMIT 1) "
        "UNION SELECT recording_id, participant_id FROM region WHERE participant_id IS NOT NULL"
    ):
        found.setdefault(recording_id, set()).add(participant_id)
    return found


def people_heard(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants who are said to speak in it, guesses among them."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows(
        "SELECT DISTINCT recording_id, participant_id FROM utterance WHERE participant_id IS NOT NULL"
    ):
        found.setdefault(recording_id, set()).add(participant_id)
    return found


def people_told(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants of whom a chain or the meta information of it tells, seen or not."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows(
        "SELECT c.recording_id, p.participant_id FROM chain_person p JOIN chain_node n ON n.id = p.node_id "
        "JOIN chain c ON c.id = n.chain_id UNION SELECT recording_id, participant_id FROM look"
    ):
        found.setdefault(recording_id, set()).add(participant_id)
    return found
