"""Flags for the options of all anonymization methods, derived from their dataclasses."""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from typing import Any, TypeVar

import click

from anonymize.methods.registry import METHODS, method_type
from project.types import Json

Function = TypeVar("Function", bound=Callable[..., Any])


def method_options(function: Function) -> Function:
    """Give a command one flag for every option that any method has; those not given come as None.

    Which method has which option, and what is allowed, is checked where the method is made.
    """
    for name, uses in reversed(_uses().items()):
        whole = all(isinstance(spec.default, int) for _, spec in uses)
        text = " ".join(_described(method, spec) for method, spec in uses)
        flag = f"--{name.replace('_', '-')}"
        function = click.option(flag, name, type=int if whole else float, help=text)(function)
    return function


def given(flags: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options that were given."""
    return {name: value for name, value in flags.items() if value is not None}


def _uses() -> dict[str, list[tuple[str, Field[Any]]]]:
    found: dict[str, list[tuple[str, Field[Any]]]] = {}
    for method in METHODS:
        for spec in fields(method_type(method).options_type):
            found.setdefault(spec.name, []).append((method, spec))
    return found


def _described(method: str, spec: Field[Any]) -> str:
    low, high, title, text = (spec.metadata[key] for key in ("minimum", "maximum", "title", "description"))
    return f"{title}, for {method}: {low} to {high}, by default {spec.default}. {text}"
