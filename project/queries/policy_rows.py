"""Queries on the egress policy, the journal of requests, the waivers of a release, and who is seen or heard."""

import json
from dataclasses import asdict

from project.entities.egress_policy import Egress, EgressLevel, EgressRequest, Policy, Purpose, parse_policy
from project.entities.study_records import Json, Waiver
from project.errors import UserError
from project.ids import new_id
from project.store.column_values import to_json
from project.store.study import Row, Study

POLICY_PROPERTY = "policy"


def read_policy(study: Study) -> Policy:
    """Return the study's policy; one that is missing or damaged lets nothing out."""
    return parse_policy(stored_policy(study))


def stored_policy(study: Study) -> Json:
    """Return the policy as it stands in the study, with the id of its setting; None where it is missing or damaged."""
    try:
        return study.get_property(POLICY_PROPERTY)
    except UserError:
        return None


def policy_to_setting(policy: Policy) -> dict[str, Json]:
    """Return a policy as it is stored when it is set: with an id that no other setting has."""
    return {**policy.as_json(), "setting": new_id()}


def set_policy(study: Study, setting: dict[str, Json]) -> None:
    """Set the policy that `policy_to_setting` made; inside a step."""
    study.set_property(POLICY_PROPERTY, setting)


def insert_egress(study: Study, new: Egress) -> None:
    """Write down a request, before it is sent; inside `Study.run_transaction`."""
    study.write_run(
        "INSERT INTO egress VALUES (?, ?, ?, ?, ?, ?)",
        [(new.id, new.at, to_json(asdict(new.request)), new.level.value, new.permission, new.rule)],
    )


def all_egress(study: Study) -> list[Egress]:
    """Return every request that was written down, by time."""
    rows = study.rows("SELECT id, at, request, level, permission, rule FROM egress ORDER BY at, id")
    return [_egress(row) for row in rows]


def count_egress(study: Study) -> int:
    """Return how many requests were written down."""
    row = study.row("SELECT count(*) FROM egress")
    return 0 if row is None else int(row[0])


def _egress(row: Row) -> Egress:
    try:
        values = json.loads(row[2])
        values["purpose"] = Purpose(values["purpose"])
        for name in ("addresses", "frames", "clips", "others", "pictured"):
            values[name] = tuple(values[name])
        return Egress(row[0], row[1], EgressRequest(**values), EgressLevel(row[3]), row[4], row[5])
    except (ValueError, KeyError, TypeError):
        raise UserError(
            "A line of the journal of requests is damaged.", "Find out what else is: greenroom check STUDY"
        ) from None


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


def visible_participants(study: Study) -> dict[str, set[str]]:
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


def speaking_participants(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants who are said to speak in it, guesses among them."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows(
        "SELECT DISTINCT recording_id, participant_id FROM utterance WHERE participant_id IS NOT NULL"
    ):
        found.setdefault(recording_id, set()).add(participant_id)
    return found


def mentioned_participants(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants of whom a chain or the meta information of it tells, seen or not."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows(
        "SELECT c.recording_id, p.participant_id FROM chain_person p JOIN chain_node n ON n.id = p.node_id "
        "JOIN chain c ON c.id = n.chain_id UNION SELECT recording_id, participant_id FROM look"
    ):
        found.setdefault(recording_id, set()).add(participant_id)
    return found
