"""A form as a schema that backends constrain answers to, and as the reader of what came back."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from benchmark.quoting import harmless
from benchmark.tasks.form import LABEL, Asked, FormSpec
from models.judges.base import AnswerForm
from project.schemes.scheme import Choice, FieldKind
from project.types import Json

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_LONGEST_READ = 10_000
"""Characters of a text that are read, where a backend does not hold a model to what the schema says."""
_MOST_STEPS = 201
"""Numbers of a range that are listed one by one: grammars do not know minimum and maximum."""


@lru_cache(maxsize=64)
def answer_form(spec: FormSpec, *, thinks: bool = False) -> AnswerForm:
    """Return the schema of a form and what reads an answer in it.

    Numbers are lists of what they can be, and texts have a longest length, because grammars of local models know
    neither bounds nor an end. With `thinks` the judge writes thoughts first; they are no part of the schema.
    """
    model, schema = _made(_shape(spec))

    def read(found: Json) -> dict[str, Json]:
        return _read(spec, model, found)

    return AnswerForm(spec.name, schema, read, thinks)


def numbers_of(one: Asked) -> list[int | float] | None:
    """Return every number that a scale or slider can have; None where they are too many to list."""
    field = one.field
    steps = round((field.maximum - field.minimum) / (field.step or 1))
    if not 0 <= steps < _MOST_STEPS:
        return None
    found = [field.minimum + at * (field.step or 1) for at in range(steps + 1)]
    if all(float(value).is_integer() for value in found):
        return [int(value) for value in found]
    return [round(value, 9) for value in found]


def _shape(spec: FormSpec) -> FormSpec:
    """Return a form without the words that its schema does not have: a question's options differ in nothing else."""
    asked = tuple(
        replace(
            one,
            field=replace(
                one.field,
                name="",
                definition="",
                choices=tuple(Choice(choice.key, "") for choice in one.field.choices),
            ),
        )
        for one in spec.asked
    )
    return FormSpec(spec.name, asked, tuple((label, "") for label, _ in spec.people))


@lru_cache(maxsize=64)
def _made(shape: FormSpec) -> "tuple[type[BaseModel], dict[str, Json]]":
    model = _model(shape)
    return model, _schema(model)


def _model(spec: FormSpec) -> "type[BaseModel]":
    from pydantic import ConfigDict, Field, create_model

    # Fields have names of our own and stand in JSON under theirs, so that no key can be the name of a method.
    fields: dict[str, Any] = {}
    for place, one in enumerate(spec.asked):
        fields[f"field_{place}"] = (_typed(one, spec), Field(alias=one.field.key))
    made: type[BaseModel] = create_model(spec.name, __config__=ConfigDict(extra="forbid"), **fields)
    return made


def _typed(one: Asked, spec: FormSpec) -> Any:
    from typing import Annotated, Literal

    from pydantic import Field

    field = one.field
    literal: Any = Literal
    kind: Any
    match field.kind:
        case FieldKind.CHOICES:
            # No more than there are, so that an answer cannot grow without end.
            keys = tuple(choice.key for choice in field.choices)
            return Annotated[list[literal[keys]], Field(max_length=len(keys))]
        case FieldKind.TEXT:
            longest: dict[str, Any] = {"maxLength": one.longest, **({"minLength": 1} if one.required else {})}
            return Annotated[str, Field(max_length=_LONGEST_READ, json_schema_extra=longest)]
        case FieldKind.CHOICE:
            kind = literal[tuple(choice.key for choice in field.choices)]
        case FieldKind.PARTICIPANT:
            kind = literal[tuple(label for label, _ in spec.people)]
        case FieldKind.SCALE | FieldKind.SLIDER:
            listed = numbers_of(one)
            if listed is not None and all(isinstance(value, int) for value in listed):
                kind = literal[tuple(listed)]
            else:
                more: dict[str, Any] = {} if listed is None else {"enum": listed}
                kind = Annotated[float, Field(ge=field.minimum, le=field.maximum, json_schema_extra=more)]
    return kind if one.required else kind | None


def _schema(model: "type[BaseModel]") -> dict[str, Json]:
    return cast(dict[str, Json], _plain(model.model_json_schema(by_alias=True)))


def _plain(found: Any, *, named: bool = False) -> Any:
    """Return a schema without the titles that pydantic gives, which tell a model nothing."""
    if isinstance(found, list):
        return [_plain(one) for one in found]
    if not isinstance(found, dict):
        return found
    return {
        key: _plain(value, named=key == "properties" and not named)
        for key, value in found.items()
        if named or key != "title"
    }


def _read(spec: FormSpec, model: "type[BaseModel]", found: Json) -> dict[str, Json]:
    from pydantic import ValidationError

    if not isinstance(found, dict):
        raise ValueError("The answer is not a JSON object.")
    try:
        checked = model.model_validate(_meant(spec, found)).model_dump(by_alias=True)
    except ValidationError as error:
        raise ValueError(_first(error)) from None
    label = checked.get(LABEL)
    answer: dict[str, Json] = {}
    for one in spec.asked:
        value = _stored(one, spec, checked[one.field.key])
        if value is not None and (label is None or one.field.applies_to(str(label))):
            answer[one.field.key] = value
        elif one.required:
            raise ValueError(f"{one.field.key}: it is empty.")
    return answer


def _meant(spec: FormSpec, found: Mapping[str, Json]) -> dict[str, Json]:
    """Return an answer in which what is plainly meant stands as it should be; what was not asked for is left out."""
    return {one.field.key: _value_meant(one, spec, found.get(one.field.key)) for one in spec.asked}


def _value_meant(one: Asked, spec: FormSpec, value: Json) -> Json:
    """Return a value with names in the place of keys, numbers in the place of digits, and None for what is empty."""
    field = one.field
    match field.kind:
        case FieldKind.TEXT:
            return "" if value is None else value
        case FieldKind.CHOICES:
            listed: list[Json] = value if isinstance(value, list) else [] if value in (None, "") else [value]
            return [*dict.fromkeys(_known(_keys(one), str(item)) for item in listed)]
        case FieldKind.CHOICE:
            return _known(_keys(one), value) if isinstance(value, str) and value.strip() else value or None
        case FieldKind.PARTICIPANT:
            names = {who: label for label, who in spec.people} | {label: label for label, _ in spec.people}
            return _known(names, value) if isinstance(value, str) and value.strip() else value or None
        case FieldKind.SCALE | FieldKind.SLIDER:
            return _number_meant(value)


def _keys(one: Asked) -> dict[str, str]:
    return {choice.name: choice.key for choice in one.field.choices} | {
        choice.key: choice.key for choice in one.field.choices
    }


def _known(keys: Mapping[str, str], value: str) -> str:
    """Return the key that a key or name stands for, whatever its case; the value itself where none does."""
    if value in keys:
        return keys[value]
    folded = harmless(value).strip().casefold()
    meant = {key for name, key in keys.items() if harmless(name).casefold() == folded}
    return meant.pop() if len(meant) == 1 else value


def _number_meant(value: Json) -> Json:
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
    # In Python True equals 1; in an answer it does not.
    return str(value) if isinstance(value, bool) else value


def _stored(one: Asked, spec: FormSpec, value: Any) -> Json:
    """Return a checked value as a segment keeps it; None for nothing."""
    field = one.field
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
            return _on_step(one, value)
        case _:
            return cast(Json, value)


def _on_step(one: Asked, value: float) -> int | float:
    field = one.field
    whole = field.kind is FieldKind.SCALE or float(field.step).is_integer()
    if whole and value != int(value):
        raise ValueError(f"{field.key}: it is a whole number.")
    return int(value) if whole else round(float(value), 9)


def _first(error: "ValidationError") -> str:
    """Return what is wrong first, in one line that a model can mend, without repeating what it wrote."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in found["loc"]) or "answer"
    return f"{where}: {found['msg'].rstrip('.')}."
