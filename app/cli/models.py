"""Commands about the weights that the program can use and does not bring along."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from models import weights
from models.catalogue import WEIGHTS, entry
from project.names import shown
from project.types import Json

NAME = click.argument("name", type=click.Choice([*WEIGHTS]))


@click.group()
def models() -> None:
    """Get, add, check and remove the weights of further models. Nothing is fetched unless you ask for it."""


@models.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the weights there are: what for, under which licence, from where, and whether they are installed.

    \b
    Example:
      greenroom models list
    """
    found: list[Json] = []
    lines = []
    for each in WEIGHTS.values():
        there = weights.installed(each.name)
        found.append(
            {
                "name": each.name,
                "purpose": each.purpose,
                "licence": each.licence,
                "source": each.source,
                "size": each.size,
                "sha256": each.sha256,
                "installed": there,
            }
        )
        state = "installed" if there else f"not installed; get it with: greenroom models fetch {each.name}"
        lines += [
            f"{each.name}: {each.purpose} ({state})",
            f"  {each.licence}, {each.size / 1e6:.1f} MB, from {each.source}",
        ]
    tell(as_json, {"folder": str(weights.folder()), "models": found}, "\n".join(lines))


@models.command()
@NAME
@json_option
def fetch(name: str, as_json: bool) -> None:
    """Fetch weights over the network from their source and install them; goes on where an earlier try was cut off.

    \b
    Example:
      greenroom models fetch yunet
    """
    from models.fetching import fetch as run_fetch

    with progress_bar("Fetching") as bar:
        file = run_fetch(name, bar)
    _tell_installed(as_json, name, file)


@models.command()
@NAME
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@json_option
def add(name: str, source: Path, as_json: bool) -> None:
    """Install weights from a file, or from a folder that holds them: for machines without a network.

    \b
    Example:
      greenroom models add yunet /media/stick
    """
    _tell_installed(as_json, name, weights.add(name, source))


@models.command()
@click.argument("name", required=False, type=click.Choice([*WEIGHTS]))
@json_option
def verify(name: str | None, as_json: bool) -> int:
    """Check the installed weights, or one of them, against the catalogue. Exits with 2 when one is wrong.

    \b
    Example:
      greenroom models verify
    """
    chosen = [name] if name else [each for each in WEIGHTS if weights.installed(each)]
    problems = {each: problem for each in chosen if (problem := _problem(each))}
    lines = [f"{each}: {problems.get(each, 'sound')}" for each in chosen] or ["No weights are installed."]
    tell(
        as_json,
        {"ok": not problems, "verified": [*chosen], "problems": {**problems}},
        "\n".join(lines),
    )
    return 2 if problems else 0


@models.command()
@NAME
@json_option
def remove(name: str, as_json: bool) -> None:
    """Delete installed weights, and what a fetch that was cut off has left of them.

    \b
    Example:
      greenroom models remove yunet
    """
    removed = weights.remove(name)
    tell(as_json, {"name": name, "removed": removed}, f"Removed {name}" if removed else f"{name} was not installed.")


def _problem(name: str) -> str:
    if not weights.installed(name):
        return f"not installed; get it with: greenroom models fetch {name}"
    try:
        right = weights.matches(entry(name), weights.place(name))
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if right else f"damaged; get it again with: greenroom models fetch {name}"


def _tell_installed(as_json: bool, name: str, file: Path) -> None:
    tell(as_json, {"name": name, "file": str(file)}, f"Installed {name} in {shown(str(file))}")
