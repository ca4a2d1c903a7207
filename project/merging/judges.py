"""Judges that both sides added: the same one under two ids, or two others under one name, which a study cannot hold."""

import json
from typing import Any

from project.merging.decide import Decision
from project.merging.shape import Row
from project.store import Study

_LONGEST = 40
"""Characters of a name that stay where it is told apart from another."""


def same_judges(study: Study, copy: Study) -> dict[str, str]:
    """Return the id of each judge of the copy that the study has under another id -> that id; nothing else differs."""
    here = _judges(study)
    known = {_said(row): identifier for identifier, row in here.items()}
    there = {one: row for one, row in _judges(copy).items() if one not in here}
    return {one: known[_said(row)] for one, row in there.items() if _said(row) in known}


def tell_apart(study: Study, decision: Decision, label: str) -> dict[str, str]:
    """Give judges that come with a name that is taken another one; returns their names -> those that they got.

    Args:
        study: that they come to.
        decision: what comes; names in it are changed.
        label: what the copy is called.
    """
    coming = [*decision.inserts.get("judge", []), *decision.updates.get("judge", [])]
    if not coming:
        return {}
    replaced = {row["id"] for row in coming} | {key[0] for key in decision.deletes.get("judge", [])}
    taken = {row["name"] for identifier, row in _judges(study).items() if identifier not in replaced}
    given = {}
    for row in sorted(coming, key=lambda one: str(one["id"])):
        name = free_name(str(row["name"]), label, taken)
        if name != row["name"]:
            given[str(row["name"])] = name
            row["name"] = name
        taken.add(name)
    return given


def free_name(name: str, label: str, taken: set[Any]) -> str:
    """Return a name that is not taken: as it is, or with whose it is, or with a number as well."""
    if name not in taken:
        return name
    own, number = f"{name[:_LONGEST]} ({label})", 2
    while own in taken:
        own, number = f"{name[:_LONGEST]} ({label} {number})", number + 1
    return own


def make_way(study: Study, rows: list[Row]) -> None:
    """Take their names away from judges that get others, so that two can swap theirs; inside a step."""
    study.write_many("UPDATE judge SET name = id WHERE id = ?", [(row["id"],) for row in rows])


def _judges(study: Study) -> dict[str, Row]:
    rows = study.rows("SELECT id, name, backend, model, settings FROM judge")
    names = ("id", "name", "backend", "model", "settings")
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def _said(row: Row) -> str:
    try:
        settings = json.loads(row["settings"])
    except ValueError:
        settings = row["settings"]
    return json.dumps([row["name"], row["backend"], row["model"], settings], sort_keys=True)
