"""Completion of the command line by a shell: what each command takes is kept in the cache of the program.

An import takes too long for a key press, so a command is imported for its options once after a change of the program.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from project.entities.study_records import Json
from project.files.atomic_files import write_atomically
from project.files.temporary_files import cache_folder
from project.version import __version__

_FOLDER = "completion"


def completed_command(name: str, place: str, load: Callable[[], click.Command]) -> click.Command:
    """Return a command that takes what another one takes, without what it needs to run.

    Args:
        name: of the command.
        place: `module:function` of the other command.
        load: imports the other command.
    """
    file = cache_folder() / _FOLDER / f"{place.replace(':', '.')}.json"
    program = _program_state()
    try:
        kept = json.loads(file.read_text("utf-8"))
        described = kept["parameters"] if kept["program"] == program else None
    except (OSError, ValueError, LookupError, TypeError):
        described = None
    if described is None:
        described = [_describe(parameter) for parameter in load().params]
        with suppress(OSError):
            file.parent.mkdir(mode=0o700, exist_ok=True)
            with write_atomically(file) as written:
                written.write(json.dumps({"program": program, "parameters": described}).encode())
    return click.Command(name, params=[_build(parameter) for parameter in described])


def _program_state() -> list[Json]:
    """Return what changes when the options of commands may have changed."""
    newest = max(path.stat().st_mtime_ns for path in Path(__file__).parent.rglob("*.py"))
    return [__version__, newest]


def _describe(parameter: click.Parameter) -> dict[str, Json]:
    kind = parameter.type
    described: dict[str, Json] = {
        "names": ["/".join(filter(None, pair)) for pair in _name_pairs(parameter)],
        "option": isinstance(parameter, click.Option),
        "nargs": parameter.nargs,
        "choices": [*map(str, kind.choices)] if isinstance(kind, click.Choice) else None,
        "path": isinstance(kind, click.Path),
        "files": isinstance(kind, click.Path) and kind.file_okay,
    }
    if isinstance(parameter, click.Option):
        described |= {"flag": parameter.is_flag, "multiple": parameter.multiple, "help": parameter.help}
    return described


def _name_pairs(parameter: click.Parameter) -> list[tuple[str, str]]:
    if isinstance(parameter, click.Option) and parameter.secondary_opts:
        return [*zip(parameter.opts, parameter.secondary_opts, strict=True)]
    return [(name, "") for name in parameter.opts]


def _build(described: dict[str, Any]) -> click.Parameter:
    kind: click.ParamType[Any] = click.STRING
    if described["choices"] is not None:
        kind = click.Choice(described["choices"])
    elif described["path"]:
        kind = click.Path(file_okay=described["files"])
    if not described["option"]:
        return click.Argument(described["names"], nargs=described["nargs"], type=kind, required=False)
    if described["flag"]:
        return click.Option(described["names"], is_flag=True, help=described["help"])
    return click.Option(
        described["names"],
        nargs=described["nargs"],
        type=kind,
        multiple=described["multiple"],
        help=described["help"],
    )
