"""The form of an answer: as data, as a JSON schema that constrains backends, as text in a prompt, and as a parser.

Also quotes texts of a study in prompts, so that nothing in them can pass for an instruction.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from models.judges.judge_interface import AnswerForm
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldChoice, FieldKind

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError


QUOTE_PREFIX = "| "
EMPTY_TEXT = "(nothing)"
_INVISIBLE_CHARS = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_TAGS = re.compile("[\ud800-\udfff\U000e0000-\U000e007f]")
_BRACKETED = re.compile(r"\[(/?[A-Z][A-Z_]*)\]")
_BRACKETS = str.maketrans({"<": "\u2039", ">": "\u203a", "\uff1c": "\u2039", "\uff1e": "\u203a"})


@lru_cache(maxsize=256)
def quote_lines(text: str) -> str:
    """Return a text as quoted lines, at least one."""
    lines = [sanitize(line) for line in text.splitlines()]
    return "\n".join(
        f"{QUOTE_PREFIX}{line}".rstrip() if not line.strip() else f"{QUOTE_PREFIX}{line}"
        for line in lines or [EMPTY_TEXT]
    )


def to_single_line(text: str) -> str:
    """Return a text on one line, for a part of a quoted line."""
    return " ".join(sanitize(text).split())


def sanitize(text: str) -> str:
    """Return a text in NFC without invisible characters and without control tokens of models.

    Angle brackets become single guillemets, because control tokens (`<|im_end|>`, `</s>`, `<image>`) are written with
    them; `[INST]` and the like get round brackets. Invisible characters and lone surrogates are replaced.
    """
    text = unicodedata.normalize("NFC", _TAGS.sub("\ufffd", text)).translate(_BRACKETS)
    return _BRACKETED.sub(r"(\1)", _INVISIBLE_CHARS.sub("\ufffd", text))


LABEL_KEY = "label"
"""Key of the label of a segment in an answer; no field of a scheme may have it."""
NO_LABEL = "none"
"""The label of a segment that has none of the labels."""
MAX_TEXT_CHARS = 600
MAX_REASON_CHARS = 240


@dataclass(frozen=True, slots=True)
class AnswerField:
    """One field of a form.

    Attributes:
        field: how it is filled in; its `only_for` names the labels that it belongs to.
        required: it must be answered.
        max_chars: longest text, in characters.
    """

    field: Field
    required: bool = False
    max_chars: int = MAX_TEXT_CHARS


@dataclass(frozen=True, slots=True)
class FormSpec:
    """The fields of an answer.

    Attributes:
        name: short, of letters, digits and `_`.
        fields: in the order in which they are answered.
        people: (name in this request, participant id), for fields of the kind `participant`.
    """

    name: str
    fields: tuple[AnswerField, ...]
    people: tuple[tuple[str, str], ...] = ()

    def has_field(self, key: str) -> bool:
        return any(answer_field.field.key == key for answer_field in self.fields)


@lru_cache(maxsize=64)
def without_definitions(spec: FormSpec) -> FormSpec:
    """Return a form with what its schema and its parser need, and nothing else."""
    return replace(
        spec,
        fields=tuple(
            replace(
                answer_field,
                field=Field(
                    field.key,
                    field.kind,
                    field.name,
                    choices=tuple(FieldChoice(choice.key, choice.name) for choice in field.choices),
                    only_for=field.only_for,
                    minimum=field.minimum,
                    maximum=field.maximum,
                    step=field.step,
                ),
            )
            for answer_field in spec.fields
            for field in (answer_field.field,)
        ),
    )


def label_field(name: str, choices: tuple[FieldChoice, ...]) -> Field:
    """Return the field that holds a label."""
    return Field(LABEL_KEY, FieldKind.CHOICE, name, "", choices)


_MAX_READ_CHARS = 10_000
"""Characters of a text that are accepted from backends that do not enforce the schema."""
_MAX_LISTED_NUMBERS = 201
"""Numbers of a range that are enumerated at most; grammars do not support minimum and maximum."""


@lru_cache(maxsize=64)
def answer_form(spec: FormSpec, *, thinks: bool = False) -> AnswerForm:
    """Return the schema of a form and its parser.

    Numbers are enumerated, and texts have a maximum length, because grammars of local models support no bounds. With
    `thinks` the judge writes thoughts first; they are not part of the schema.
    """
    model, schema = _cached_model(_schema_form(spec))

    def read(found: Json) -> dict[str, Json]:
        return _read_answer(spec, model, found)

    return AnswerForm(spec.name, schema, read, thinks)


def list_numbers(answer_field: AnswerField) -> list[int | float] | None:
    """Return all numbers of a scale or slider; None if there are too many to enumerate."""
    field = answer_field.field
    steps = round((field.maximum - field.minimum) / (field.step or 1))
    if not 0 <= steps < _MAX_LISTED_NUMBERS:
        return None
    found = [field.minimum + step * (field.step or 1) for step in range(steps + 1)]
    if all(float(value).is_integer() for value in found):
        return [int(value) for value in found]
    return [round(value, 9) for value in found]


def _schema_form(spec: FormSpec) -> FormSpec:
    """Return a form without texts that its schema does not contain, so that it can be a cache key."""
    asked = tuple(
        replace(
            answer_field,
            field=replace(
                answer_field.field,
                name="",
                definition="",
                choices=tuple(FieldChoice(choice.key, "") for choice in answer_field.field.choices),
            ),
        )
        for answer_field in spec.fields
    )
    return FormSpec(spec.name, asked, tuple((label, "") for label, _ in spec.people))


@lru_cache(maxsize=64)
def _cached_model(shape: FormSpec) -> "tuple[type[BaseModel], dict[str, Json]]":
    model = _build_model(shape)
    return model, _schema(model)


def _build_model(spec: FormSpec) -> "type[BaseModel]":
    from pydantic import ConfigDict, Field, create_model

    # Fields have generated names and their keys as aliases, so that no key can be the name of a method.
    fields: dict[str, Any] = {}
    for place, answer_field in enumerate(spec.fields):
        fields[f"field_{place}"] = (_field_type(answer_field, spec), Field(alias=answer_field.field.key))
    made: type[BaseModel] = create_model(spec.name, __config__=ConfigDict(extra="forbid"), **fields)
    return made


def _field_type(answer_field: AnswerField, spec: FormSpec) -> Any:
    from typing import Annotated, Literal

    from pydantic import Field

    field = answer_field.field
    literal: Any = Literal
    kind: Any
    match field.kind:
        case FieldKind.CHOICES:
            # A maximum length, so that an answer cannot grow without end.
            keys = tuple(choice.key for choice in field.choices)
            return Annotated[list[literal[keys]], Field(max_length=len(keys))]
        case FieldKind.TEXT:
            longest: dict[str, Any] = {
                "maxLength": answer_field.max_chars,
                **({"minLength": 1} if answer_field.required else {}),
            }
            return Annotated[str, Field(max_length=_MAX_READ_CHARS, json_schema_extra=longest)]
        case FieldKind.CHOICE:
            kind = literal[tuple(choice.key for choice in field.choices)]
        case FieldKind.PARTICIPANT:
            kind = literal[tuple(label for label, _ in spec.people)]
        case FieldKind.SCALE | FieldKind.SLIDER:
            listed = list_numbers(answer_field)
            if listed is not None and all(isinstance(value, int) for value in listed):
                kind = literal[tuple(listed)]
            else:
                more: dict[str, Any] = {} if listed is None else {"enum": listed}
                kind = Annotated[float, Field(ge=field.minimum, le=field.maximum, json_schema_extra=more)]
    return kind if answer_field.required else kind | None


def _schema(model: "type[BaseModel]") -> dict[str, Json]:
    return cast(dict[str, Json], _strip_titles(model.model_json_schema(by_alias=True)))


def _strip_titles(found: Any, *, named: bool = False) -> Any:
    """Return a schema without the titles that pydantic adds."""
    if isinstance(found, list):
        return [_strip_titles(entry) for entry in found]
    if not isinstance(found, dict):
        return found
    return {
        key: _strip_titles(value, named=key == "properties" and not named)
        for key, value in found.items()
        if named or key != "title"
    }


def _read_answer(spec: FormSpec, model: "type[BaseModel]", found: Json) -> dict[str, Json]:
    from pydantic import ValidationError

    if not isinstance(found, dict):
        raise ValueError("The answer is not a JSON object.")
    try:
        checked = model.model_validate(_normalize_answer(spec, found)).model_dump(by_alias=True)
    except ValidationError as error:
        raise ValueError(_first_error(error)) from None
    label = checked.get(LABEL_KEY)
    answer: dict[str, Json] = {}
    for answer_field in spec.fields:
        value = _stored_value(answer_field, spec, checked[answer_field.field.key])
        if value is not None and (label is None or answer_field.field.applies_to(str(label))):
            answer[answer_field.field.key] = value
        elif answer_field.required:
            raise ValueError(f"{answer_field.field.key}: it is empty.")
    return answer


def _normalize_answer(spec: FormSpec, found: Mapping[str, Json]) -> dict[str, Json]:
    """Return an answer with normalized values, and without keys that were not asked for."""
    return {
        answer_field.field.key: _normalize_value(answer_field, spec, found.get(answer_field.field.key))
        for answer_field in spec.fields
    }


def _normalize_value(answer_field: AnswerField, spec: FormSpec, value: Json) -> Json:
    """Return a value with names replaced by keys, digits by numbers, and empty values by None."""
    field = answer_field.field
    match field.kind:
        case FieldKind.TEXT:
            return "" if value is None else value
        case FieldKind.CHOICES:
            listed: list[Json] = value if isinstance(value, list) else [] if value in (None, "") else [value]
            return [*dict.fromkeys(_match_key(_choice_keys(answer_field), str(item)) for item in listed)]
        case FieldKind.CHOICE:
            return (
                _match_key(_choice_keys(answer_field), value)
                if isinstance(value, str) and value.strip()
                else value or None
            )
        case FieldKind.PARTICIPANT:
            names = {who: label for label, who in spec.people} | {label: label for label, _ in spec.people}
            return _match_key(names, value) if isinstance(value, str) and value.strip() else value or None
        case FieldKind.SCALE | FieldKind.SLIDER:
            return _normalize_number(value)


def _choice_keys(answer_field: AnswerField) -> dict[str, str]:
    return {choice.name: choice.key for choice in answer_field.field.choices} | {
        choice.key: choice.key for choice in answer_field.field.choices
    }


_WRAPPING = " \t\r\n\"'`*_.,:;()[]{}\u201c\u201d\u2018\u2019\u2039\u203a"
_ANNOUNCEMENT = re.compile(
    r"\A[\W_]*(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option|choice)\b[\W_]*(?:is\b)?", re.IGNORECASE
)
_LETTER_AND_TEXT = re.compile(r"[\W_]*([^\W_])(?:[\W_]*?([).:\]])[\W_]*?\s+|[\W_]*\n)(\S.*)", re.DOTALL)


def _match_key(keys: Mapping[str, str], value: str) -> str:
    """Return the key for a key or name as people and models write it; the value itself if there is none.

    Case, quotes, brackets and marks around it do not count, nor does “The answer is” before it. A key of one letter may
    be followed by its name, or, behind a point or bracket, by any text that names no other key.
    """
    if value in keys:
        return keys[value]
    for text in (value, _ANNOUNCEMENT.sub("", value, count=1)):
        meant = {key for name, key in keys.items() if _fold(name) == _fold(text)} if _fold(text) else set()
        lettered = _LETTER_AND_TEXT.fullmatch(text)
        if lettered is not None and not meant:
            meant = _keys_of_letter(keys, *lettered.groups())
        if len(meant) == 1:
            return meant.pop()
    return value


def _keys_of_letter(keys: Mapping[str, str], letter: str, sign: str | None, text: str) -> set[str]:
    own = {key for key in keys.values() if key.casefold() == letter.casefold()}
    others = {*keys.values()} - own
    named = {key for name, key in keys.items() if _fold(name) == _fold(text)}
    if named or sign == ":":
        return own & named
    return own if not others.intersection(re.findall(r"\w+", text)) else set()


def _fold(text: str) -> str:
    return sanitize(text).strip(_WRAPPING).casefold()


def _normalize_number(value: Json) -> Json:
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    # In Python True equals 1; as an answer it is not a number.
    return str(value) if isinstance(value, bool) else value


def _stored_value(answer_field: AnswerField, spec: FormSpec, value: Any) -> Json:
    """Return a validated value in the form that segments store; None for an empty one."""
    field = answer_field.field
    if value is None or value in ("", []):
        return None
    match field.kind:
        case FieldKind.TEXT:
            return str(value).strip() or None
        case FieldKind.CHOICES:
            return [choice.key for choice in field.choices if choice.key in value]
        case FieldKind.PARTICIPANT:
            return dict(spec.people)[value]
        case FieldKind.SCALE | FieldKind.SLIDER:
            return _round_to_step(answer_field, value)
        case _:
            return cast(Json, value)


def _round_to_step(answer_field: AnswerField, value: float) -> int | float:
    field = answer_field.field
    whole = field.kind is FieldKind.SCALE or float(field.step).is_integer()
    if whole and value != int(value):
        raise ValueError(f"{field.key}: it is a whole number.")
    return int(value) if whole else round(float(value), 9)


def _first_error(error: "ValidationError") -> str:
    """Return the first problem in one line that a model can act on, without its input."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in found["loc"]) or "answer"
    return f"{where}: {found['msg'].rstrip('.')}."


@lru_cache(maxsize=64)
def field_definitions(spec: FormSpec) -> str:
    """Return a line for each field, followed by one for each of its choices."""
    return "\n".join(line for answer_field in spec.fields for line in _definition_lines(answer_field, spec))


@lru_cache(maxsize=64)
def answer_shape(spec: FormSpec, *, thinks: bool = False) -> str:
    """Return the shape of an answer, as a JSON object whose values are descriptions."""
    parts = [
        f"{_json_string(answer_field.field.key)}: {_values_text(answer_field, spec)}" for answer_field in spec.fields
    ]
    answer = "{" + ", ".join(parts) + "}"
    return f'{{"thoughts": "your thoughts, before anything else", "answer": {answer}}}' if thinks else answer


def answer_json(answer: dict[str, Json]) -> str:
    """Return an answer as JSON in one line."""
    return json.dumps(answer, ensure_ascii=False)


def _definition_lines(answer_field: AnswerField, spec: FormSpec) -> Iterator[str]:
    field = answer_field.field
    only = f" Only where the label is {' or '.join(field.only_for)}." if field.only_for else ""
    head = to_single_line(f"{field.key}: {field.name}. {field.definition}{only}")
    yield f"{head} {_kind_text(answer_field)}".rstrip()
    for choice in field.choices:
        definition = f". {choice.definition}" if choice.definition else ""
        yield f"    {to_single_line(f'{choice.key} = {choice.name}{definition}')}"
    if field.kind is FieldKind.PARTICIPANT:
        yield f"    {to_single_line(', '.join(label for label, _ in spec.people))}"


def _kind_text(answer_field: AnswerField) -> str:
    field = answer_field.field
    match field.kind:
        case FieldKind.CHOICES:
            return "Any number of:"
        case FieldKind.CHOICE | FieldKind.PARTICIPANT:
            return "One of:" if answer_field.required else "One of these, or null where it is left open:"
        case FieldKind.TEXT:
            return f"At most {answer_field.max_chars} characters."
        case FieldKind.SCALE | FieldKind.SLIDER:
            ends = f" ({field.minimum:g} = {field.ends[0]}, {field.maximum:g} = {field.ends[1]})" if field.ends else ""
            whole = "whole number" if float(field.step).is_integer() else "number"
            return to_single_line(f"A {whole} from {field.minimum:g} to {field.maximum:g}{ends}.")


def _values_text(answer_field: AnswerField, spec: FormSpec) -> str:
    field = answer_field.field
    match field.kind:
        case FieldKind.CHOICES:
            return f"[any of {', '.join(_json_string(choice.key) for choice in field.choices)}]"
        case FieldKind.TEXT:
            return '"text"' if answer_field.required else '"text, or empty"'
        case FieldKind.CHOICE:
            values = [_json_string(choice.key) for choice in field.choices]
        case FieldKind.PARTICIPANT:
            values = [_json_string(label) for label, _ in spec.people]
        case FieldKind.SCALE | FieldKind.SLIDER:
            whole = list_numbers(answer_field) is None or all(
                isinstance(value, int) for value in list_numbers(answer_field) or ()
            )
            kind = "a whole number" if whole and float(field.step).is_integer() else "a number"
            values = [f"{kind} from {field.minimum:g} to {field.maximum:g}"]
    return " | ".join(values if answer_field.required else [*values, "null"])


def _json_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
