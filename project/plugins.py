"""Loads classes named in registries as `module:attribute`, and creates methods with options."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from project.errors import UserError


def load_type(table: Mapping[str, str], name: str, what: str) -> Any:
    """Return the class that a table names as `module:attribute`.

    Args:
        table: of all methods of a sort.
        name: key in it.
        what: a method of what sort, for the message.
    """
    if name not in table:
        raise UserError(f"There is no {what} “{name}”.", f"Choose one of {', '.join(table)}.")
    module, _, attribute = table[name].partition(":")
    return getattr(import_module(module), attribute)


def create_plugin(kind: Any, told: str, options: Mapping[str, Any]) -> Any:
    """Return a method ready for use.

    Args:
        kind: its class, with `options_type`, a dataclass.
        told: the method in words, for the message.
        options: of it, by name; the others have their defaults.
    """
    known = kind.options_type.__dataclass_fields__
    for option in options:
        if option not in known:
            hint = f"It has {', '.join(known)}." if known else "It has no options."
            raise UserError(f"The {told} has no option “{option}”.", hint)
    return kind(kind.options_type(**options))
