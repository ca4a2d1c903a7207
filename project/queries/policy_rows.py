"""Queries on the egress policy, the journal of requests, the waivers of a release, and who is seen or heard."""

import json
from dataclasses import asdict

from project.entities.egress_policy import Egress, EgressRequest, Policy, Purpose, parse_policy
from project.entities.study_records import Json, Waiver
from project.errors import UserError
from project.ids import new_id
from project.queries.row_mapper import RowMapper, group_values
from project.store.column_values import to_json
from project.store.study import Study

WAIVERS = RowMapper(Waiver, "waiver")

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


def count_egress(study: Study) -> int:
    """Return how many requests were written down."""
    return int(study.rows("SELECT count(*) FROM egress")[0][0])


def _parse_request(text: str) -> EgressRequest:
    values = json.loads(text)
    try:
        values["purpose"] = Purpose(values["purpose"])
        for name in ("addresses", "frames", "clips", "others", "pictured"):
            values[name] = tuple(values[name])
    except KeyError:
        raise ValueError(text) from None
    return EgressRequest(**values)


EGRESS = RowMapper(
    Egress,
    "egress",
    noun="A line of the journal of requests",
    codecs={"request": (lambda request: to_json(asdict(request)), _parse_request)},
)
all_egress = EGRESS.query("ORDER BY at, id")
insert_egress = EGRESS.insert
"""Write down a request, before it is sent."""


waivers = WAIVERS.query("ORDER BY id")
insert_waiver = WAIVERS.insert
delete_waiver = WAIVERS.delete


def visible_participants(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants whose faces are known in it: assigned tracks and faces drawn by hand."""
    return group_values(
        study.rows(
            "SELECT r.recording_id, c.participant_id FROM track_correction c JOIN face_track t ON t.id = c.track_id "
            "JOIN run r ON r.id = t.run_id WHERE c.participant_id IS NOT NULL AND NOT c.dismissed AND r.id = "
            "(SELECT n.id FROM run n WHERE n.recording_id = r.recording_id AND n.kind = 'faces' "
            "ORDER BY n.finished_at DESC, n.rowid DESC LIMIT 1) "
            "UNION SELECT recording_id, participant_id FROM region WHERE participant_id IS NOT NULL"
        )
    )


def speaking_participants(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants who are said to speak in it, guesses among them."""
    return group_values(
        study.rows("SELECT DISTINCT recording_id, participant_id FROM utterance WHERE participant_id IS NOT NULL")
    )


def mentioned_participants(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the participants of whom a chain or the meta information of it tells, seen or not."""
    return group_values(
        study.rows(
            "SELECT c.recording_id, p.participant_id FROM chain_person p JOIN chain_node n ON n.id = p.node_id "
            "JOIN chain c ON c.id = n.chain_id UNION SELECT recording_id, participant_id FROM look"
        )
    )
