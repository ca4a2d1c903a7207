"""Flags for the options of all anonymization methods, derived from their dataclasses."""

from collections.abc import Callable, Mapping, Sequence
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
        text = " ".join(_described(method, spec) for method, spec in uses)
        flag = f"--{name.replace('_', '-')}"
        kind = _kind([spec for _, spec in uses])
        if kind is bool:
            flag = f"{flag}/--no-{name.replace('_', '-')}"
        function = click.option(flag, name, type=kind, default=None, help=text)(function)
    return function


def given(flags: Mapping[str, Json], methods: Sequence[str]) -> dict[str, dict[str, Json]]:
    """Return for every method the options that were given.

    Of several methods, each gets those that it has. One that none of them has goes to all, so that it is refused.
    """
    said = {name: value for name, value in flags.items() if value is not None}
    known = {method: {spec.name for spec in fields(method_type(method).options_type)} for method in methods}
    nobodys = set(said) - set().union(*known.values())
    return {
        method: {name: value for name, value in said.items() if name in known[method] | nobodys} for method in methods
    }


def _uses() -> dict[str, list[tuple[str, Field[Any]]]]:
    found: dict[str, list[tuple[str, Field[Any]]]] = {}
    for method in METHODS:
        for spec in fields(method_type(method).options_type):
            found.setdefault(spec.name, []).append((method, spec))
    return found


def _kind(specs: Sequence[Field[Any]]) -> type | click.Choice[str]:
    if all("choices" in spec.metadata for spec in specs):
        return click.Choice(list(dict.fromkeys(one for spec in specs for one in spec.metadata["choices"])))
    if all(isinstance(spec.default, bool) for spec in specs):
        return bool
    return int if all(isinstance(spec.default, int) for spec in specs) else float


def _described(method: str, spec: Field[Any]) -> str:
    title, text = spec.metadata["title"], spec.metadata["description"]
    if "choices" in spec.metadata:
        allowed = f"one of {', '.join(spec.metadata['choices'])}"
    elif isinstance(spec.default, bool):
        allowed = "yes or no"
    else:
        allowed = f"{spec.metadata['minimum']} to {spec.metadata['maximum']}"
    default = spec.default if not isinstance(spec.default, bool) else "yes" if spec.default else "no"
    return f"{title}, for {method}: {allowed}, by default {default}. {text}"
