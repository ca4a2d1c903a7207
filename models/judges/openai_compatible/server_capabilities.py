"""The capabilities of servers, learned from their refusals and remembered by address and model.

It also converts messages to the format of OpenAI's chat completions.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from models.judges.judge_interface import Message
from models.judges.structured_output.completion import ResponseSchema
from project.entities.study_records import Json

Change = Callable[[Mapping[str, Json]], Mapping[str, Json]]

_LIMIT_KEYS = {
    *("maxLength", "minLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "examples"),
}
"""Limits that not every server can hold an answer to; `AnswerForm.parse` holds it to them all the same."""
_LONGEST = 600
"""Characters of a text that llama-cpp-python can count: from some 1,000 on, its server dies of the grammar."""
_OF_NAMES = {"properties", "$defs"}


class ConstraintMode(IntEnum):
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
class ServerCapabilities:
    """The request options that a server supports.

    Attributes:
        rung: how an answer is held to its shape.
        limit: what the server calls the number of tokens that an answer may have.
        seed: whether it takes one.
    """

    rung: ConstraintMode = ConstraintMode.SCHEMA
    limit: str = "max_tokens"
    seed: bool = True

    @property
    def puts_schema_in_prompt(self) -> bool:
        """Whether the schema is said in the prompt."""
        return self.rung >= ConstraintMode.OBJECT

    def weakened(self, mode: ConstraintMode) -> "ServerCapabilities":
        """Return those of a server that holds an answer to its shape no more surely than a mode does."""
        return replace(self, rung=max(self.rung, mode))

    def response_format(self, shape: ResponseSchema) -> Json:
        """Return what the server is told about the shape of the answer; None for nothing."""
        schema = dict(shape.schema)
        if self.rung is ConstraintMode.PROMPT:
            return None
        if self.rung is ConstraintMode.OBJECT:
            return {"type": "json_object", "schema": cap_lengths(schema)}
        held = schema if self.rung is ConstraintMode.SCHEMA else strip_limits(schema)
        return {"type": "json_schema", "json_schema": {"name": shape.name, "schema": held, "strict": True}}


def strip_limits(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema without limits; names of properties are kept, whatever they are called."""
    return _map_schema(schema, lambda found: {key: value for key, value in found.items() if key not in _LIMIT_KEYS})


def cap_lengths(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return a schema in which no text is longer than llama-cpp-python can count."""

    def cap(found: Mapping[str, Json]) -> Mapping[str, Json]:
        longest = found.get("maxLength")
        return {**found, "maxLength": min(longest, _LONGEST)} if isinstance(longest, int) else found

    return _map_schema(schema, cap)


def _map_schema(schema: Mapping[str, Json], change: Change) -> dict[str, Json]:
    """Return a schema in which it and every schema in it is changed; tables of names are no schemas."""
    found: dict[str, Json] = {}
    for key, value in change(schema).items():
        if key in _OF_NAMES and isinstance(value, dict):
            found[key] = {name: _map_value(member, change) for name, member in value.items()}
        else:
            found[key] = _map_value(value, change)
    return found


def _map_value(value: Json, change: Change) -> Json:
    if isinstance(value, dict):
        return _map_schema(value, change)
    return [_map_value(item, change) for item in value] if isinstance(value, list) else value


def to_wire_messages(messages: Sequence[Message], sees: str) -> list[Json]:
    """Return messages as a server takes them.

    A message without pictures is one text, which every server takes; one with pictures is a list of parts: each picture
    after its time, a clip, then the text.

    Args:
        messages: in order.
        sees: `text`, `frames` or `clip`; what a judge does not see is not sent to it.
    """
    return [_message(message, sees) for message in messages]


def _message(message: Message, sees: str) -> Json:
    parts: list[Json] = []
    if sees == "frames":
        for picture in message.pictures:
            if picture.time_label:
                parts.append({"type": "text", "text": picture.time_label})
            parts.append({"type": "image_url", "image_url": {"url": _data_url("image/jpeg", picture.jpeg)}})
    if sees == "clip" and message.clip is not None:
        parts.append({"type": "video_url", "video_url": {"url": _data_url("video/mp4", message.clip.mp4)}})
    if not parts:
        return {"role": message.role.value, "content": message.text}
    return {"role": message.role.value, "content": [*parts, {"type": "text", "text": message.text}]}


def _data_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
