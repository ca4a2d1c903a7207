"""A form in words: what can be answered and what it means, and how the answer is written."""

import json
from collections.abc import Iterator
from functools import lru_cache

from benchmark.quoting import on_one_line
from benchmark.tasks.answer_form import numbers_of
from benchmark.tasks.form import Asked, FormSpec
from project.schemes.scheme import FieldKind
from project.types import Json


@lru_cache(maxsize=64)
def definitions_of(spec: FormSpec) -> str:
    """Return a line for each thing that is asked, and under it one for each of its choices."""
    return "\n".join(line for one in spec.asked for line in _defined(one, spec))


@lru_cache(maxsize=64)
def shape_of(spec: FormSpec, *, thinks: bool = False) -> str:
    """Return how an answer is written, as a JSON object in which each value says what it can be."""
    parts = [f"{_text(one.field.key)}: {_values(one, spec)}" for one in spec.asked]
    answer = "{" + ", ".join(parts) + "}"
    return f'{{"thoughts": "your thoughts, before anything else", "answer": {answer}}}' if thinks else answer


def written_answer(answer: dict[str, Json]) -> str:
    """Return an answer as JSON in one line."""
    return json.dumps(answer, ensure_ascii=False)


def _defined(one: Asked, spec: FormSpec) -> Iterator[str]:
    field = one.field
    only = f" Only where the label is {' or '.join(field.only_for)}." if field.only_for else ""
    head = on_one_line(f"{field.key}: {field.name}. {field.definition}{only}")
    yield f"{head} {_kind(one)}".rstrip()
    for choice in field.choices:
        definition = f". {choice.definition}" if choice.definition else ""
        yield f"    {on_one_line(f'{choice.key} = {choice.name}{definition}')}"
    if field.kind is FieldKind.PARTICIPANT:
        yield f"    {on_one_line(', '.join(label for label, _ in spec.people))}"


def _kind(one: Asked) -> str:
    field = one.field
    match field.kind:
        case FieldKind.CHOICES:
            return "Any number of:"
        case FieldKind.CHOICE | FieldKind.PARTICIPANT:
            return "One of:" if one.required else "One of these, or null where it is left open:"
        case FieldKind.TEXT:
            return f"At most {one.longest} characters."
        case FieldKind.SCALE | FieldKind.SLIDER:
            ends = f" ({field.minimum:g} = {field.ends[0]}, {field.maximum:g} = {field.ends[1]})" if field.ends else ""
            whole = "whole number" if float(field.step).is_integer() else "number"
            return on_one_line(f"A {whole} from {field.minimum:g} to {field.maximum:g}{ends}.")


def _values(one: Asked, spec: FormSpec) -> str:
    field = one.field
    match field.kind:
        case FieldKind.CHOICES:
            return f"[any of {', '.join(_text(choice.key) for choice in field.choices)}]"
        case FieldKind.TEXT:
            return '"text"' if one.required else '"text, or empty"'
        case FieldKind.CHOICE:
            told = [_text(choice.key) for choice in field.choices]
        case FieldKind.PARTICIPANT:
            told = [_text(label) for label, _ in spec.people]
        case FieldKind.SCALE | FieldKind.SLIDER:
            whole = numbers_of(one) is None or all(isinstance(value, int) for value in numbers_of(one) or ())
            kind = "a whole number" if whole and float(field.step).is_integer() else "a number"
            told = [f"{kind} from {field.minimum:g} to {field.maximum:g}"]
    return " | ".join(told if one.required else [*told, "null"])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
