"""Which pages there are, in which order, and what stands in them."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from resources import documentation

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_WITHOUT_TITLE = {"../NOTICE": ("Greenroom", "Licences")}
"""A page that is no Markdown page of ours -> the words it begins with, and what it is called in place of them."""

_MADE = "<!-- made from the code: "
_TEXTS: dict[str, str] = {}
"""The pages that were read, or filled in."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        name: its path from `docs/`, as links between pages write it.
        title: its heading.
        section: what kind of page it is, `Tutorial`, `How to`, ...; "" for the first page.
        group: the heading below the section that it stands under; "" where the section has none.
    """

    name: str
    title: str
    section: str = ""
    group: str = ""


@cache
def contents() -> tuple[Page, ...]:
    """Return every page, the first one first.

    Raises:
        FileNotFoundError: the documentation is not part of this installation.
    """
    with documentation("contents.toml").open("rb") as file:
        listed = tomllib.load(file)
    pages = [Page(listed["home"], _title(listed["home"]))]
    for group in listed["group"]:
        section, title = group["section"], group.get("title", "")
        pages += [Page(name, _title(name), section, title) for name in group["pages"]]
    return tuple(pages)


def page_called(name: str) -> Page | None:
    """Return the page of that name; None where there is none."""
    return next((page for page in contents() if page.name == name), None)


def markdown(name: str) -> str:
    """Return the text of a page; what is made from the program is in it once it was `fill`ed in."""
    if name not in _TEXTS:
        text = documentation(name).read_text("utf-8")
        begins, called = _WITHOUT_TITLE.get(name, ("", ""))
        _TEXTS[name] = f"# {called}\n\n{text.removeprefix(begins).lstrip()}" if called else text
    return _TEXTS[name]


def unfilled() -> list[str]:
    """Return the pages of which a part is made from the program, and not filled in yet."""
    return [page.name for page in contents() if _MADE in markdown(page.name)]


def fill(name: str, text: str) -> None:
    """Let a page have this text, in which the parts that are made from the program are filled in."""
    _TEXTS[name] = text


def _title(name: str) -> str:
    found = _TITLE.search(markdown(name))
    return found[1].strip() if found else Path(name).stem
