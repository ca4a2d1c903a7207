"""Commands about this machine: the self-check, the documentation, the desktop entry and completion by the shell."""

from app.cli.command import argument, command, flags
from app.cli.console import Output, progress_bar
from app.diagnostics.doctor import DiagnosticReport, run_diagnostics
from app.docs_browser.docs_pages import Page, find_page, list_pages, read_markdown
from project.errors import UserError


@command()
def desktop(
    change: str | None = flags(install="Put it there, or renew what is there.", remove="Take it away."),
) -> Output:
    """Put Greenroom into the menu of your desktop.

    It has its icon there, and a double click on a study opens it, for this user alone. Without an option, this says
    whether Greenroom is there.

    \b
    Example:
      greenroom setup desktop --install
    """
    from app.diagnostics.desktop_entry import install, installed_files, remove

    if change == "install":
        files, said = install(), "Greenroom is in the menu now, and a double click on a study opens it."
    elif change == "remove":
        files, said = remove(), "Greenroom is gone from the menu."
    else:
        files = installed_files()
        said = (
            "Greenroom is in the menu. Take it away with: greenroom setup desktop --remove"
            if files
            else "Greenroom is not in the menu. Put it there with: greenroom setup desktop --install"
        )
    return Output({"installed": bool(installed_files()), "files": files}, said)


@command()
def completion(shell: str = argument(choices=["bash", "zsh", "fish"])) -> Output:
    """Print the script that makes a shell complete commands and options.

    \b
    Example:
      greenroom setup completion bash >> ~/.bashrc
      greenroom setup completion zsh >> ~/.zshrc
      greenroom setup completion fish > ~/.config/fish/completions/greenroom.fish
    """
    from click.shell_completion import get_completion_class

    from app.cli.main import COMPLETION_VARIABLE, greenroom

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(greenroom, {}, "greenroom", COMPLETION_VARIABLE).source()
    return Output({"shell": shell, "script": script}, script.strip("\n"))


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
