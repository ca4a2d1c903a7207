"""How a server is asked, and what becomes of a schema on the way down."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.openai_compatible.server_judge import ConstraintMode, ServerCapabilities
from models.judges.openai_compatible.server_requests import cap_lengths, strip_limits
from project.entities.study_records import Json

_NAMES = st.sampled_from(["verdict", "pattern", "format", "maxLength", "properties", "default", "$defs"])
_LIMITS = st.sampled_from(["maxLength", "minLength", "minimum", "maxItems", "pattern"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(_NAMES, inner, max_size=4)})


_SCHEMAS = st.recursive(st.dictionaries(_LIMITS, st.integers(0, 5000), max_size=3), _schemas, max_leaves=8)


def names(schema: Any) -> list[Any]:
    """Return the names of all properties, as they are nested."""
    return [[name, names(each)] for name, each in schema.get("properties", {}).items()]


def limits(schema: Any) -> list[str]:
    """Return every limit in a schema, names of properties left aside."""
    found = [key for key in schema if key not in ("type", "properties")]
    return found + [limit for each in schema.get("properties", {}).values() for limit in limits(each)]


@given(_SCHEMAS)
def test_a_lean_schema_loses_limits_and_no_names(schema: dict[str, Any]) -> None:
    before = json.dumps(schema)
    assert limits(strip_limits(schema)) == []
    assert names(strip_limits(schema)) == names(schema)
    assert json.dumps(schema) == before


@given(_SCHEMAS)
def test_a_capped_schema_has_short_texts_and_the_same_names(schema: dict[str, Any]) -> None:
    found = cap_lengths(schema)
    assert names(found) == names(schema)
    assert limits(found) == limits(schema)
    assert cap_lengths(found) == found


def test_limits_are_left_out_wherever_schemas_stand() -> None:
    schema: dict[str, Json] = {
        "$defs": {"format": {"type": "string", "maxLength": 9}},
        "properties": {"a": {"anyOf": [{"type": "array", "items": {"minimum": 1}, "maxItems": 3}, {"type": "null"}]}},
    }
    assert strip_limits(schema) == {
        "$defs": {"format": {"type": "string"}},
        "properties": {"a": {"anyOf": [{"type": "array", "items": {}}, {"type": "null"}]}},
    }


@pytest.mark.parametrize(
    ("rung", "kind"),
    [
        (ConstraintMode.SCHEMA, "json_schema"),
        (ConstraintMode.LEAN, "json_schema"),
        (ConstraintMode.OBJECT, "json_object"),
        (ConstraintMode.PROMPT, None),
    ],
)
def test_every_rung_says_the_form_somewhere(rung: ConstraintMode, kind: str | None) -> None:
    dialect = ServerCapabilities(rung)
    told: Any = dialect.response_format("x", {"type": "object"})
    assert (told or {}).get("type") == kind
    assert told is not None or dialect.puts_schema_in_prompt


@given(st.lists(st.sampled_from(ConstraintMode), max_size=6))
def test_nobody_climbs_up_again(rungs: list[ConstraintMode]) -> None:
    known = ServerCapabilities()
    for rung in rungs:
        known = known.weakened(rung)
    assert known.rung == max(rungs, default=ConstraintMode.SCHEMA)
