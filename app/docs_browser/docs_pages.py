"""The pages of the documentation: their order and text, the targets of their links, and their HTML for Qt."""

import posixpath
import re
import tomllib
import unicodedata
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from resources import documentation

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_WITHOUT_TITLE = {"../NOTICE": ("Greenroom", "Licences")}
"""Page without a Markdown title -> the text it begins with, and the title that replaces it."""

_GENERATED_MARK = "<!-- made from the code: "
_PAGE_TEXTS: dict[str, str] = {}
"""Cached texts of pages, as read or with generated parts filled in."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the documentation.

    Attributes:
        name: its path from `docs/`, as links between pages write it.
        title: its heading.
        section: what kind of page it is, `Tutorial`, `How to`, ...; "" for the first page.
        group: heading of its group in the section; "" if the section has none.
    """

    name: str
    title: str
    section: str = ""
    group: str = ""


@cache
def list_pages() -> tuple[Page, ...]:
    """Return all pages in their order.

    Raises:
        FileNotFoundError: the documentation is not part of this installation.
    """
    with documentation("contents.toml").open("rb") as file:
        listed = tomllib.load(file)
    pages = [Page(listed["home"], _read_title(listed["home"]))]
    for group in listed["group"]:
        section, title = group["section"], group.get("title", "")
        pages += [Page(name, _read_title(name), section, title) for name in group["pages"]]
    return tuple(pages)


def find_page(name: str) -> Page | None:
    """Return the page with a name, or None."""
    return next((page for page in list_pages() if page.name == name), None)


def read_markdown(name: str) -> str:
    """Return the text of a page; generated parts are in it after `set_page_text`."""
    if name not in _PAGE_TEXTS:
        text = documentation(name).read_text("utf-8")
        begins, called = _WITHOUT_TITLE.get(name, ("", ""))
        _PAGE_TEXTS[name] = f"# {called}\n\n{text.removeprefix(begins).lstrip()}" if called else text
    return _PAGE_TEXTS[name]


def unfilled_pages() -> list[str]:
    """Return the pages with generated parts that were not filled in yet."""
    return [page.name for page in list_pages() if _GENERATED_MARK in read_markdown(page.name)]


def set_page_text(name: str, text: str) -> None:
    """Set the text of a page with its generated parts filled in."""
    _PAGE_TEXTS[name] = text


def _read_title(name: str) -> str:
    found = _TITLE.search(read_markdown(name))
    return found[1].strip() if found else Path(name).stem


_URL_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_PICTURE_SUFFIXES = (".png", ".svg")


@dataclass(frozen=True, slots=True)
class DocsLinkTarget:
    """The target of a link: a page with an anchor, a picture, or an external address.

    Attributes:
        page: the name of a page, or "".
        anchor: in the page; "" for its beginning.
        picture: the name of a picture, or "".
        address: an external address, or "".
    """

    page: str = ""
    anchor: str = ""
    picture: str = ""
    address: str = ""


def resolve_link(page: str, link: str) -> DocsLinkTarget | None:
    """Return the target of a link on a page; None if there is none."""
    if _URL_SCHEME.match(link):
        return DocsLinkTarget(address=link)
    path, _, anchor = link.partition("#")
    name = _without_docs_prefix(posixpath.normpath(posixpath.join(posixpath.dirname(page), path))) if path else page
    if find_page(name) is not None:
        return DocsLinkTarget(page=name, anchor=anchor)
    return DocsLinkTarget(picture=name) if find_picture(name) is not None else None


def find_picture(name: str) -> Path | None:
    """Return the file of a picture, or None."""
    outside = name.startswith(("/", "../"))
    if outside or not name.endswith(_PICTURE_SUFFIXES):
        return None
    try:
        return documentation(name)
    except FileNotFoundError:
        return None


def heading_anchors(headings: Iterator[str]) -> Iterator[str]:
    """Yield the anchor of each heading of a page, as on the site; repeated headings get a number."""
    taken: set[str] = set()
    for heading in headings:
        anchor = wanted = _slug(heading)
        number = 0
        while anchor in taken:
            number += 1
            anchor = f"{wanted}_{number}"
        taken.add(anchor)
        yield anchor


def _slug(heading: str) -> str:
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _without_docs_prefix(name: str) -> str:
    return name.removeprefix("../docs/")


PICTURE_PREFIX = "picture:"
"""Prefix of a link that opens a picture in its original size."""


@dataclass(frozen=True, slots=True)
class DocsTheme:
    """Colours and text size of pages.

    Attributes:
        points: size of ordinary text.
        text, muted, accent, border, code: colours as `#rrggbb`; `code` is the background of code and of
            table headings.
        code_text: colour of code.
    """

    points: float
    text: str
    muted: str
    accent: str
    border: str
    code: str
    code_text: str


def style_sheet(look: DocsTheme) -> str:
    """Return the style sheet of pages."""
    size = look.points
    return (
        f"body {{ color: {look.text}; font-size: {size:.2f}pt; }}"
        f"h1 {{ font-size: {size * 1.8:.2f}pt; font-weight: 600; margin: 0 0 8px 0; }}"
        f"h2 {{ font-size: {size * 1.4:.2f}pt; font-weight: 600; margin: 24px 0 6px 0; }}"
        f"h3 {{ font-size: {size * 1.15:.2f}pt; font-weight: 600; margin: 18px 0 4px 0; }}"
        f"h4 {{ font-size: {size:.2f}pt; font-weight: 600; margin: 12px 0 4px 0; }}"
        "p { margin: 0 0 9px 0; line-height: 130%; }"
        "li { margin: 0 0 4px 0; line-height: 130%; }"
        "b, strong, th { font-weight: 600; }"
        f"a {{ color: {look.accent}; text-decoration: none; }}"
        f"code, pre {{ font-family: monospace; font-size: {size * 0.95:.2f}pt; color: {look.code_text}; }}"
        f"code {{ background-color: {look.code}; }}"
        "pre { margin: 0; white-space: pre-wrap; line-height: 120%; }"
        f"th {{ text-align: left; background-color: {look.code}; }}"
    )


def page_html(name: str, look: DocsTheme) -> str:
    """Return a page as HTML; links without a target become plain text."""
    places: dict[str, Any] = {"page": name}
    tokens = _parser().parse(read_markdown(name), places)
    headings = [after for token, after in pairwise(tokens) if token.type == "heading_open"]
    places["anchors"] = list(heading_anchors(inline_text(heading) for heading in headings))
    places["look"] = look
    renderer = _Renderer()
    return f"<body>{renderer.render(tokens, _parser().options, places)}</body>"


def picture_html(name: str) -> str:
    """Return a page with one picture in its original size."""
    return f'<body><p><img src="{PICTURE_PREFIX}{escape(name)}"></p></body>'


def inline_text(token: Token) -> str:
    """Return the text of an inline token, without markup."""
    children = token.children or []
    return "".join(" " if child.type == "softbreak" else child.content for child in children if child.type != "image")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


RenderEnvironment = MutableMapping[str, Any]
Tokens = Sequence[Token]


class _Renderer(RendererHTML):
    """Renders HTML that Qt supports: code in coloured table cells, anchors as names, pictures as links."""

    def heading_open(self, tokens: Tokens, at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        return f'<{tokens[at].tag}><a name="{places["anchors"].pop(0)}"></a>'

    def paragraph_open(self, tokens: Tokens, at: int, options: OptionsDict, places: RenderEnvironment) -> str:
        # The line height applies to pictures too, and would leave a large gap below a tall one.
        if any(child.type == "image" for child in tokens[at + 1].children or ()):
            return '<p style="line-height: 100%">'
        return str(self.renderToken(tokens, at, options, places))

    def fence(self, tokens: Tokens, at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        return _code_table(tokens[at].content, places["look"])

    def code_block(self, tokens: Tokens, at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        return _code_table(tokens[at].content, places["look"])

    def code_inline(self, tokens: Tokens, at: int, _options: OptionsDict, _places: RenderEnvironment) -> str:
        return f"<code>{escape(tokens[at].content)}</code>"

    def table_open(self, _tokens: Tokens, _at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        return (
            '<table cellspacing="0" cellpadding="5" border="1" style="border-collapse: collapse; border-style: solid;'
            f' border-color: {places["look"].border}; margin: 4px 0 12px 0">'
        )

    def html_block(self, _tokens: Tokens, _at: int, _options: OptionsDict, _places: RenderEnvironment) -> str:
        return ""

    def html_inline(self, tokens: Tokens, at: int, _options: OptionsDict, _places: RenderEnvironment) -> str:
        return escape(tokens[at].content)

    def image(self, tokens: Tokens, at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        found = resolve_link(places["page"], str(tokens[at].attrs["src"]))
        if found is None or not found.picture:
            return escape(tokens[at].content)
        name, said = escape(found.picture), escape(tokens[at].content)
        return f'<a href="{PICTURE_PREFIX}{name}" title="{said}"><img src="{name}" alt="{said}"></a>'

    def link_open(self, tokens: Tokens, at: int, _options: OptionsDict, places: RenderEnvironment) -> str:
        link = str(tokens[at].attrs["href"])
        leads = resolve_link(places["page"], link) is not None
        return f'<a href="{escape(link)}">' if leads else "<a>"


def _code_table(text: str, look: DocsTheme) -> str:
    inside = f"<pre>{escape(text.rstrip())}</pre>"
    return (
        f'<table width="100%" cellspacing="0" cellpadding="8" border="0" style="margin: 0 0 10px 0">'
        f'<tr><td bgcolor="{look.code}">{inside}</td></tr></table>'
    )
