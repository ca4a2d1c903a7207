"""Whether a row that was read from a damaged file can be what somebody wrote."""

import json
from collections.abc import Mapping

from project.check import JSON_LISTS, JSON_OBJECTS, JSON_VALUES
from project.errors import UserError
from project.item_contents import why_unfit
from project.journal import SUBJECTS
from project.queries.media import facts_from_json
from project.queries.questions import QUESTION_COLUMNS, questions_in
from project.recovering.pages import Value
from project.recovering.rows import Shape
from project.schemes.loader import parse_scheme
from project.types import MediumRole, ParticipantRole

Row = dict[str, Value]
_SIDES = ("before", "after")


def is_sensible(tables: Mapping[str, Shape], table: str, row: Row) -> bool:
    """Tell whether the values of a row can be read as what they are, such as JSON."""
    try:
        for column in JSON_VALUES.get(table, ()):
            if row[column] is not None:
                json.loads(str(row[column]))
        for known, kind in ((JSON_OBJECTS, dict), (JSON_LISTS, list)):
            if not all(isinstance(json.loads(str(row[column])), kind) for column in known.get(table, ())):
                return False
        return _is_readable(tables, table, row)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, UserError):
        return False


def _is_readable(tables: Mapping[str, Shape], table: str, row: Row) -> bool:
    """Tell what needs to know the table; what is raised says no."""
    match table:
        case "journal_change":
            return _is_change(tables, row)
        case "scheme_version":
            scheme = parse_scheme(str(row["text"]), "")
            return (scheme.key, scheme.version) == (row["key"], row["version"])
        case "item":
            return not why_unfit(str(row["about"]), json.loads(str(row["content"])))
        case "question":
            (question,) = questions_in([tuple(row[column.strip()] for column in QUESTION_COLUMNS.split(","))])
            return len({*question.options}) == len(question.options)
        case "medium":
            MediumRole(str(row["role"]))
            facts_from_json(str(row["facts"]))
        case "participant":
            ParticipantRole(str(row["role"]))
    return True


def _is_change(tables: Mapping[str, Shape], row: Row) -> bool:
    name = str(row["table_name"])
    states = [json.loads(str(row[side])) for side in _SIDES if row[side] is not None]
    if name not in SUBJECTS or not states:
        return False
    return all(isinstance(state, dict) and {*state} == {*tables[name].columns} for state in states)
