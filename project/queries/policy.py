"""What may leave this machine, as a study says it, and the journal of what did or was kept from it."""

import json
from dataclasses import asdict

from project.errors import UserError
from project.ids import new_id
from project.json_text import to_json
from project.policy import Departure, Egress, Level, Policy, Purpose, policy_from
from project.store import Row, Study
from project.types import Json

KEY = "policy"


def policy_of(study: Study) -> Policy:
    """Return the study's policy; one that is missing or damaged lets nothing out."""
    return policy_from(stored_policy(study))


def stored_policy(study: Study) -> Json:
    """Return the policy as it stands in the study, with the id of its setting; None where it is missing or damaged."""
    try:
        return study.get_property(KEY)
    except UserError:
        return None


def new_setting(policy: Policy) -> dict[str, Json]:
    """Return a policy as it is stored when it is set: with an id that no other setting has."""
    return {**policy.as_json(), "setting": new_id()}


def set_policy(study: Study, setting: dict[str, Json]) -> None:
    """Set the policy that `new_setting` made; inside a step."""
    study.set_property(KEY, setting)


def insert_egress(study: Study, new: Egress) -> None:
    """Write down a request, before it is sent; inside `Study.recording_run`."""
    study.write_run(
        "INSERT INTO egress VALUES (?, ?, ?, ?, ?, ?)",
        [(new.id, new.at, to_json(asdict(new.departure)), new.level.value, new.permission, new.rule)],
    )


def all_egress(study: Study) -> list[Egress]:
    """Return every request that was written down, by time.

    Raises:
        UserError: one of them is damaged.
    """
    rows = study.rows("SELECT id, at, request, level, permission, rule FROM egress ORDER BY at, id")
    return [_egress(row) for row in rows]


def egress_count(study: Study) -> int:
    """Return how many requests were written down."""
    row = study.row("SELECT count(*) FROM egress")
    return 0 if row is None else int(row[0])


def _egress(row: Row) -> Egress:
    try:
        values = json.loads(row[2])
        values["purpose"] = Purpose(values["purpose"])
        for name in ("addresses", "frames", "clips", "others"):
            values[name] = tuple(values[name])
        return Egress(row[0], row[1], Departure(**values), Level(row[3]), row[4], row[5])
    except (ValueError, KeyError, TypeError):
        raise UserError(
            "A line of the journal of requests is damaged.", "Find out what else is: greenroom check STUDY"
        ) from None
