"""Flags for the options of all backends of judges, derived from their dataclasses."""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from typing import Any, TypeVar

import click

from models.judges.registry import BACKENDS, backend_of
from project.types import Json

Function = TypeVar("Function", bound=Callable[..., Any])


def judge_options(function: Function) -> Function:
    """Give a command one flag for every option that any backend has; those not given come as None.

    Which backend has which option, and what is allowed, is checked where the judge is added.
    """
    for name, uses in reversed(_uses().items()):
        flag = f"--{name.replace('_', '-')}"
        kind = _kind([spec for _, spec in uses])
        if kind is bool:
            flag = f"{flag}/--no-{name.replace('_', '-')}"
        text = _described(uses)
        function = click.option(flag, name, type=kind, default=None, help=text)(function)
    return function


def given(flags: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options that were given."""
    return {name: value for name, value in flags.items() if value is not None}


def _uses() -> dict[str, list[tuple[str, Field[Any]]]]:
    found: dict[str, list[tuple[str, Field[Any]]]] = {}
    for key in BACKENDS:
        for spec in fields(backend_of(key).options_type):
            found.setdefault(spec.name, []).append((key, spec))
    return found


def _kind(specs: list[Field[Any]]) -> type | click.Choice[str]:
    if all("choices" in spec.metadata for spec in specs):
        return click.Choice(list(dict.fromkeys(one for spec in specs for one in spec.metadata["choices"])))
    for kind in (bool, int, str):
        if all(isinstance(spec.default, kind) for spec in specs):
            return kind
    return float


def _described(uses: list[tuple[str, Field[Any]]]) -> str:
    """Say what an option is: once for the backends that mean the same by it, and again for each that differs."""
    said: dict[str, list[str]] = {}
    for backend, spec in uses:
        said.setdefault(_told(spec), []).append(backend)
    return " ".join(f"For {' and '.join(backends)}: {text}" for text, backends in said.items())


def _told(spec: Field[Any]) -> str:
    words = spec.metadata.get("description", "")
    if "choices" in spec.metadata:
        return f"{words} One of {', '.join(spec.metadata['choices'])}; by default {spec.default}."
    if isinstance(spec.default, bool):
        return f"{words} By default {'yes' if spec.default else 'no'}."
    if "minimum" in spec.metadata:
        low, high = spec.metadata["minimum"], spec.metadata["maximum"]
        return f"{words} {low} to {high}; by default {spec.default}."
    return f"{words} By default {spec.default}." if spec.default else words
