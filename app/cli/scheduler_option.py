"""The option of commands whose work a cluster can do."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])


def scheduler_option(function: Function) -> Function:
    """Give a command the option `--scheduler`."""
    return click.option(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="A Dask cluster does it, such as tcp://node7:8786. Its workers: dask worker --preload greenroom ADDRESS.",
    )(function)
