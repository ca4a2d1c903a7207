"""Keeps foreign keys valid in a merge: rows that incoming rows refer to are restored, and rows in use are kept."""

from project.merging.changed_rows import Key, Row, Rows, find_rows
from project.merging.merge_decisions import MergePlan, RowConflict, last_merge_sources
from project.schema.tables import HUMAN_TABLES
from project.store.study import Study

_QUIET = "collection"
"""A collection only holds recordings: it comes back, or stays, without a question."""
_NEEDED = ("question", "chain_node", "chain", "recording", "participant", "collection")
"""Tables of whose rows a deletion is taken back while something still refers to them, what refers to others first."""


def keep_references(
    study: Study,
    copy: Study,
    decision: MergePlan,
    label: str,
    new_people: set[str],
) -> None:
    """Bring back what rows that come refer to, or leave such rows as conflicts where the owner deleted it.

    `new_people` are annotators who will be here before the rows of the decision.
    """
    there = _Present(study, decision, new_people)
    # What becomes a conflict is not here after all, so that what refers to it has to be looked at again.
    while _check_incoming(study, copy, decision, label, there):
        there.forget()
    _keep_needed(study, decision, label)


def _check_incoming(study: Study, copy: Study, decision: MergePlan, label: str, there: "_Present") -> bool:
    """Look at every row that comes once; tell whether one of them became a conflict."""
    before = len(decision.clashes)
    for coming in (decision.inserts, decision.updates):
        for name in [*coming]:
            if not there.any_missing(name, coming[name]):
                continue
            for row in [*coming[name]]:
                missing = there.missing(name, row)
                if missing:
                    _restore_parents(study, copy, decision, label, there, (name, row), missing)
    return len(decision.clashes) > before


class _Present:
    """The rows that the study will hold after the merge."""

    def __init__(self, study: Study, decision: MergePlan, new_people: set[str]) -> None:
        self._study = study
        self._known: dict[str, set[str]] = {}
        self._decision = decision
        self._people = new_people | {str(row[0]) for row in study.rows("SELECT id FROM annotator")}

    def forget(self) -> None:
        """Drop the cached view of the merged rows."""
        self._known.clear()

    def missing(self, name: str, row: Row) -> list[tuple[str, str]]:
        return [
            (parent, str(row[column]))
            for column, parent in HUMAN_TABLES[name].parents.items()
            if row[column] is not None and row[column] not in self._ids(parent)
        ]

    def any_missing(self, name: str, rows: list[Row]) -> bool:
        return any(
            {row[column] for row in rows} - self._ids(parent) - {None}
            for column, parent in HUMAN_TABLES[name].parents.items()
        )

    def _ids(self, name: str) -> set[str]:
        if name == "annotator":
            return self._people
        found = self._known.get(name)
        if found is None:
            found = {str(row[0]) for row in self._study.rows(f"SELECT id FROM {name}")}
            found |= {str(row["id"]) for row in self._decision.inserts.get(name, [])}
            self._known[name] = found
        return found

    def add(self, name: str, identifier: str) -> None:
        self._ids(name).add(identifier)


def _restore_parents(
    study: Study,
    copy: Study,
    decision: MergePlan,
    label: str,
    there: _Present,
    child: tuple[str, Row],
    missing: list[tuple[str, str]],
) -> None:
    name, row = child
    brought = last_merge_sources(study, [(parent, (text,)) for parent, text in missing])
    closure = _with_parents(copy, there, missing)
    if all(parent == _QUIET or (parent, (text,)) in brought for parent, text in missing):
        for parent, rows in closure.items():
            for found in rows:
                decision.add_change(HUMAN_TABLES[parent], None, found)
                there.add(parent, str(found["id"]))
                source = brought.get((parent, (found["id"],)))
                if parent != _QUIET and source is not None:
                    decision.clashes.append(RowConflict(parent, (found["id"],), {parent: [found]}, None, source))
        return
    for coming in (decision.inserts, decision.updates):
        if row in coming.get(name, []):
            coming[name].remove(row)
    key: Key = HUMAN_TABLES[name].key_of(row)
    ours = find_rows(study, HUMAN_TABLES[name], {key[0]}, HUMAN_TABLES[name].key[0]).get(key)
    decision.clashes.append(
        RowConflict(name, key, None if ours is None else {name: [ours]}, {**closure, name: [row]}, label)
    )


def _with_parents(copy: Study, there: _Present, missing: list[tuple[str, str]]) -> Rows:
    found: Rows = {}
    open_ones = [*missing]
    while open_ones:
        name, identifier = open_ones.pop()
        if name not in HUMAN_TABLES:
            continue
        for row in find_rows(copy, HUMAN_TABLES[name], {identifier}, "id").values():
            if row not in found.get(name, []):
                found.setdefault(name, []).append(row)
                open_ones += there.missing(name, row)
    return found


def _keep_needed(study: Study, decision: MergePlan, label: str) -> None:
    """Take back the deletion of what something here still refers to."""
    for name in _NEEDED:
        kept: list[Key] = []
        for key in decision.deletes.get(name, []):
            if not _still_needed(study, decision, name, str(key[0])):
                kept.append(key)
            elif name != _QUIET:
                row = find_rows(study, HUMAN_TABLES[name], {key[0]}, "id")[key]
                decision.clashes.append(RowConflict(name, key, {name: [row]}, None, label))
        if name in decision.deletes:
            decision.deletes[name] = kept


def _still_needed(study: Study, decision: MergePlan, name: str, identifier: str) -> bool:
    for child, table in HUMAN_TABLES.items():
        for column, parent in table.parents.items():
            if parent != name:
                continue
            here = set(find_rows(study, table, {identifier}, column))
            here -= set(decision.deletes.get(child, []))
            for row in decision.updates.get(child, []):
                here.discard(table.key_of(row))
            coming = (*decision.inserts.get(child, []), *decision.updates.get(child, []))
            if here or any(row[column] == identifier for row in coming):
                return True
    return False
