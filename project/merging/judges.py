"""Judges that both sides added: the same one under two ids, or two others under one name, which a study cannot hold.

A name or an id that stands for a judge here never comes to stand for one at another address by a merge: what is sent to
a judge would go elsewhere without anybody having said so.
"""

import json
from typing import TYPE_CHECKING, Any

from project.merging.shape import Row
from project.store import Study

if TYPE_CHECKING:
    from project.merging.decide import Decision

_LONGEST = 40
"""Characters of a name that stay where it is told apart from another."""


def same_judges(study: Study, copy: Study) -> dict[str, str]:
    """Return the id of each judge of the copy that the study has under another id -> that id; nothing else differs."""
    here = _judges(study)
    known = {_said(row): identifier for identifier, row in here.items()}
    there = {one: row for one, row in _judges(copy).items() if one not in here}
    return {one: known[_said(row)] for one, row in there.items() if _said(row) in known}


def tell_apart(study: Study, decision: "Decision", label: str) -> dict[str, str]:
    """Give judges that come with a name that is taken another one; returns their names -> those that they got.

    Args:
        study: that they come to.
        decision: what comes; names in it are changed.
        label: what the copy is called.
    """
    coming = [*decision.inserts.get("judge", []), *decision.updates.get("judge", [])]
    if not coming:
        return {}
    here = _judges(study)
    addresses = _addresses(study)
    replaced = {row["id"] for row in coming} | {key[0] for key in decision.deletes.get("judge", [])}
    taken = {row["name"] for identifier, row in here.items() if identifier not in replaced}
    given = {}
    for row in sorted(coming, key=lambda one: str(one["id"])):
        elsewhere = row["name"] in addresses and addresses[row["name"]] != _address(row)
        name = free_name(str(row["name"]), label, taken | {*addresses} if elsewhere else taken)
        if name != row["name"]:
            given[str(row["name"])] = name
            row["name"] = name
        taken.add(name)
    return given


def is_redirected(ours: Row | None, theirs: Row | None) -> bool:
    """Tell whether two versions of a judge are asked at different addresses, or in a different way."""
    return ours is not None and theirs is not None and _address(ours) != _address(theirs)


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


def _address(row: Row) -> str:
    """Return what says where a judge is asked: its kind, and its address as its settings give it."""
    try:
        settings = json.loads(row["settings"])
    except ValueError:
        settings = None
    url = settings.get("url") if isinstance(settings, dict) else row["settings"]
    return json.dumps([row["backend"], url])


def _addresses(study: Study) -> dict[str, str]:
    """Return each name that stands for a judge here, or did -> at which address it was asked last."""
    found = {}
    for before, after in study.rows("SELECT before, after FROM journal_change WHERE table_name = 'judge' ORDER BY id"):
        for state in (before, after):
            if state is not None:
                row = json.loads(state)
                found[str(row["name"])] = _address(row)
    return found | {str(row["name"]): _address(row) for row in _judges(study).values()}


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
