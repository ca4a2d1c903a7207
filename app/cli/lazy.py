"""A group of commands whose subcommands lie in files of their own, loaded when they are asked for."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Loads a subcommand's file when it is needed.

    Args:
        places: name -> `file:function`, with the file in `app.cli`.
    """

    def __init__(self, *args: Any, places: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self._places = places

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of the table."""
        return [*self._places]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Return a subcommand; None where there is none of that name."""
        if name not in self._places:
            return None
        file, function = self._places[name].split(":")
        found = getattr(import_module(f"app.cli.{file}"), function)
        assert isinstance(found, click.Command)
        return found
