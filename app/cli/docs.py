"""The command that prints the documentation, where there is no window to read it in."""

import click

from app.cli.output import json_option, tell
from app.core.manual.contents import Page, contents, markdown, page_called
from project.errors import UserError
from project.types import Json


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@json_option
def docs(pages: tuple[str, ...], as_json: bool) -> None:
    """Print pages of the documentation, or list them all.

    PAGE is a name of the list, such as faces or reference/commands. In the window, F1 shows the same pages with their
    pictures.

    \b
    Example:
      greenroom docs
      greenroom docs release | less
    """
    found = [_called(name) for name in pages]
    if not found:
        listed: list[Json] = [{"page": _short(one), "title": one.title, "section": one.section} for one in contents()]
        tell(as_json, {"pages": listed}, _list())
        return
    from docs.site.parts import filled

    texts = {one: filled(markdown(one.name)) for one in found}
    told: list[Json] = [{"page": _short(one), "title": one.title, "text": text} for one, text in texts.items()]
    tell(as_json, {"pages": told}, "\n".join(texts.values()))


def _called(name: str) -> Page:
    found = page_called(name) or next((one for one in contents() if _short(one).casefold() == name.casefold()), None)
    if found is None:
        raise UserError(f"There is no page called {name}.", "See the list: greenroom docs")
    return found


def _short(page: Page) -> str:
    return page.name.removeprefix("../").removesuffix(".md")


def _list() -> str:
    wide = max(len(_short(one)) for one in contents())
    lines: list[str] = []
    under = ("", "")
    for one in contents():
        if (one.section, one.group) != under:
            under = (one.section, one.group)
            lines += ["", ": ".join(part for part in under if part)]
        lines.append(f"  {_short(one).ljust(wide)}  {one.title}")
    return "\n".join(lines)
