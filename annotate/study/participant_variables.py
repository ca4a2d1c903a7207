"""Variables of participants, such as age, group and condition: edits, and the import of a table."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from project.entities.study_records import Changes, Participant, ParticipantVariable, VariableKind
from project.erasure.withdrawal_guard import guard_import
from project.errors import UserError, require_length
from project.files.atomic_files import explain_os_errors
from project.queries.recording_rows import all_participants, all_variables, delete_variable, set_variable
from project.session.session import Session
from project.store.study import Study
from project.text_format import describe_rows, escape_unprintable, restore_formula

_MAX_NAME, _MAX_VALUE = 60, 1000
_MAX_TABLE_BYTES = 10_000_000
_FIRST_COLUMNS = ("participant", "pseudonym", "id", "subject")


def variable_kinds(study: Study) -> dict[str, VariableKind]:
    """Return name -> kind of every variable that a participant has; text where two copies said different kinds."""
    found: dict[str, VariableKind] = {}
    for variable in all_variables(study):
        known = found.setdefault(variable.name, variable.kind)
        found[variable.name] = known if known is variable.kind else VariableKind.TEXT
    return found


def variables_by_participant(study: Study) -> dict[str, dict[str, str]]:
    """Return participant id -> name -> value."""
    found: dict[str, dict[str, str]] = {}
    for variable in all_variables(study):
        found.setdefault(variable.participant_id, {})[variable.name] = variable.value
    return found


def variable_values(study: Study) -> dict[str, dict[str, float | str]]:
    """Return participant id -> name -> value, numbers as numbers."""
    kinds = variable_kinds(study)
    return {
        participant: {
            name: float(value) if kinds[name] is VariableKind.NUMBER and is_number(value) else value
            for name, value in values.items()
        }
        for participant, values in variables_by_participant(study).items()
    }


def is_number(value: str) -> bool:
    """Tell whether a value can be computed with."""
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def enter_variables(
    session: Session, participant: Participant, values: Mapping[str, str], kind: VariableKind | None = None
) -> Changes:
    """Fill in variables of a participant; an empty value takes one away.

    All values of these variables become of the kind that is given. Without one, a new variable is a number where its
    value is one, and a choice where it is not.
    """
    with session.step(f"Change variables of {participant.pseudonym}") as step:
        _write(session.study, {participant.id: values}, kind)
    return step.changes


def read_variables(path: Path) -> dict[str, dict[str, str]]:
    """Read a CSV table: a row for each participant, their pseudonym first, and a column for each variable.

    Commas, semicolons and tabs separate.
    """
    unreadable = f"“{escape_unprintable(path.name)}” cannot be read"
    with explain_os_errors(unreadable, "See where it lies."), path.open("rb") as file:
        content = file.read(_MAX_TABLE_BYTES + 1)
    if len(content) > _MAX_TABLE_BYTES:
        raise UserError("The table is larger than 10 MB.", "Leave out what is no variable of participants.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError("The table is not in UTF-8.", "Save it as “CSV UTF-8”.") from None
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [[restore_formula(cell).strip() for cell in row] for row in table]
    except csv.Error as error:
        raise UserError(f"{unreadable} at line {table.line_num}: {error}.", "Save it as “CSV UTF-8” again.") from None
    rows = [row for row in rows if any(row)]
    if not rows or len(rows[0]) < 2 or rows[0][0].casefold() not in _FIRST_COLUMNS:
        raise UserError(
            "The first row of the table does not name its columns.",
            "Begin it with “participant”, then the name of each variable.",
        )
    _, *names = rows[0]
    if len(set(names)) < len(names) or not all(names):
        raise UserError("A column of the table has no name, or that of another one.", "Name each column once.")
    found: dict[str, dict[str, str]] = {}
    for line, (pseudonym, *cells) in enumerate(rows[1:], start=2):
        if len(cells) != len(names) or not pseudonym:
            raise UserError(
                f"Row {line} of the table has another number of cells.", "Give each row as many as the first."
            )
        if pseudonym in found:
            raise UserError(f"{escape_unprintable(pseudonym)} has two rows in the table.", "Leave one.")
        found[pseudonym] = {name: cell for name, cell in zip(names, cells, strict=True) if cell}
    return found


def import_variables(
    session: Session, table: Mapping[str, Mapping[str, str]], *, keep_rest: bool = False
) -> tuple[int, Changes]:
    """Fill in what `read_variables` read, as one step; returns how many values, and what changed.

    Nobody who withdrew comes back by it; with `keep_rest`, what looks like them comes in all the same.
    """
    people = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
    unknown = [pseudonym for pseudonym in table if pseudonym not in people]
    if unknown:
        names = ", ".join(map(escape_unprintable, unknown[:5]))
        raise UserError(f"Nobody in the study is called {names}.", "Add them first, or correct the table.")
    count = sum(map(len, table.values()))
    title = f"Import {describe_rows(count, 'variable')}"
    with session.step(title) as step, guard_import(session.study, keep_rest=keep_rest):
        _write(session.study, {people[pseudonym]: values for pseudonym, values in table.items()}, None)
    return count, step.changes


def _write(study: Study, values: Mapping[str, Mapping[str, str]], kind: VariableKind | None) -> None:
    """Write participant id -> name -> value; inside a step."""
    known = variable_kinds(study)
    present = {(variable.participant_id, variable.name) for variable in all_variables(study)}
    given: dict[str, list[str]] = {}
    for own in values.values():
        for name, value in own.items():
            given.setdefault(name.strip(), []).append(value.strip())
    kinds = {name: kind or known.get(name) or _guess_kind(cells) for name, cells in given.items()}
    for participant, own in values.items():
        for name, value in ((name.strip(), value.strip()) for name, value in own.items()):
            _check_name(name)
            if value:
                _check_value(name, kinds[name], value)
                set_variable(study, ParticipantVariable(participant, name, kinds[name], value))
            elif (participant, name) in present:
                delete_variable(study, participant, name)
    for variable in all_variables(study):
        wanted = kinds.get(variable.name, variable.kind)
        if variable.kind is not wanted:
            _check_value(variable.name, wanted, variable.value)
            set_variable(study, replace(variable, kind=wanted))


def _guess_kind(values: Sequence[str]) -> VariableKind:
    return VariableKind.NUMBER if all(is_number(value) for value in values if value) else VariableKind.CHOICE


def _check_name(name: str) -> None:
    if not name or not name.isprintable() or "/" in name or "=" in name:
        raise UserError(f"A variable cannot be called “{escape_unprintable(name)}”.", "Use letters, digits and spaces.")
    require_length(name, _MAX_NAME, "The name of a variable")


def _check_value(name: str, kind: VariableKind, value: str) -> None:
    require_length(value, _MAX_VALUE, "A value")
    if kind is VariableKind.NUMBER and not is_number(value):
        raise UserError(f"{name} is a number, and “{escape_unprintable(value)}” is none.", "Type one, such as 23.")
