"""What is known of how a server wants to be asked: learned from its refusals, remembered for an address and a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from models.judges.ladder import Shape
from project.types import Json

Change = Callable[[Mapping[str, Json]], Mapping[str, Json]]

_LOOSE = {
    *("maxLength", "minLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "examples"),
}
"""Limits that not every server can hold an answer to; `AnswerForm.read` holds it to them all the same."""
_LONGEST = 600
"""Characters of a text that llama-cpp-python can count: from some 1,000 on, its server dies of the grammar."""
_OF_NAMES = {"properties", "$defs"}


class Rung(IntEnum):
    """How an answer is held to its shape, the surest way first."""

    SCHEMA = 0
    """`response_format` of type `json_schema`."""
    LEAN = 1
    """The same without limits on lengths and numbers, which OpenAI's own servers refuse."""
    OBJECT = 2
    """`response_format` of type `json_object` with the schema, as llama-cpp-python wants it, and in the prompt too."""
    PROMPT = 3
    """The schema in the prompt alone."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server is asked.

    Attributes:
        rung: how an answer is held to its shape.
        limit: what the server calls the number of tokens that an answer may have.
        seed: whether it takes one.
    """

    rung: Rung = Rung.SCHEMA
    limit: str = "max_tokens"
    seed: bool = True

    @property
    def in_prompt(self) -> bool:
        """Whether the schema is said in the prompt."""
        return self.rung >= Rung.OBJECT

    def response_format(self, shape: Shape) -> Json:
        """Return what the server is told about the shape of the answer; None for nothing."""
        schema = dict(shape.schema)
        if self.rung is Rung.PROMPT:
            return None
        if self.rung is Rung.OBJECT:
            return {"type": "json_object", "schema": capped(schema)}
        held = schema if self.rung is Rung.SCHEMA else lean(schema)
        return {"type": "json_schema", "json_schema": {"name": shape.name, "schema": held, "strict": True}}


class Dialects:
    """The dialects of all servers that this process has asked, by address and model."""

    def __init__(self) -> None:
        self._known: dict[str, Dialect] = {}

    def of(self, server: str) -> Dialect:
        """Return how a server is asked as far as is known."""
        return self._known.get(server, Dialect())

    def at_least(self, server: str, rung: Rung) -> None:
        """Remember that a server is held to nothing surer than a rung."""
        found = self.of(server)
        self._known[server] = replace(found, rung=max(found.rung, rung))

    def limit_is(self, server: str, name: str) -> None:
        """Remember what a server calls the longest answer."""
        self._known[server] = replace(self.of(server), limit=name)

    def no_seed(self, server: str) -> None:
        """Remember that a server takes no seed."""
        self._known[server] = replace(self.of(server), seed=False)


def lean(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema without limits; names of properties are kept, whatever they are called."""
    return _changed(schema, lambda found: {key: value for key, value in found.items() if key not in _LOOSE})


def capped(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema in which no text is longer than llama-cpp-python can count."""

    def cap(found: Mapping[str, Json]) -> Mapping[str, Json]:
        longest = found.get("maxLength")
        return {**found, "maxLength": min(longest, _LONGEST)} if isinstance(longest, int) else found

    return _changed(schema, cap)


def _changed(schema: Mapping[str, Json], change: Change) -> dict[str, Json]:
    """Return a schema in which it and every schema in it is changed; tables of names are no schemas."""
    found: dict[str, Json] = {}
    for key, value in change(schema).items():
        if key in _OF_NAMES and isinstance(value, dict):
            found[key] = {name: _inside(each, change) for name, each in value.items()}
        else:
            found[key] = _inside(value, change)
    return found


def _inside(value: Json, change: Change) -> Json:
    if isinstance(value, dict):
        return _changed(value, change)
    return [_inside(each, change) for each in value] if isinstance(value, list) else value
