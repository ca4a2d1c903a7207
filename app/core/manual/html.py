"""A page as HTML, in the part of it that Qt's text documents know."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from app.core.manual.contents import markdown
from app.core.manual.links import anchors, target

WHOLE_PICTURE = "picture:"
"""What stands before the name of a picture where it is asked for in its own size, by a click on it."""


@dataclass(frozen=True, slots=True)
class Look:
    """How pages look.

    Attributes:
        points: size of ordinary text.
        text, muted, accent, border, code: colours as `#rrggbb`; `code` is what lies behind code and headings of tables.
        code_text: colour of code.
    """

    points: float
    text: str
    muted: str
    accent: str
    border: str
    code: str
    code_text: str


def style_sheet(look: Look) -> str:
    """Return the rules that a page is drawn by."""
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


def page_html(name: str, look: Look) -> str:
    """Return a page; where a link leads nowhere, its words stand as plain text."""
    places: dict[str, Any] = {"page": name}
    tokens = _parser().parse(markdown(name), places)
    headings = [after for token, after in pairwise(tokens) if token.type == "heading_open"]
    places["anchors"] = list(anchors(plain(one) for one in headings))
    places["look"] = look
    renderer = _Renderer()
    return f"<body>{renderer.render(tokens, _parser().options, places)}</body>"


def picture_html(name: str) -> str:
    """Return a page with one picture in its own size."""
    return f'<body><p><img src="{WHOLE_PICTURE}{escape(name)}"></p></body>'


def plain(token: Token) -> str:
    """Return the words of a piece of text, without what marks them."""
    children = token.children or []
    return "".join(" " if one.type == "softbreak" else one.content for one in children if one.type != "image")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


Places = MutableMapping[str, Any]
Tokens = Sequence[Token]


class _Renderer(RendererHTML):
    """Writes what Qt draws well: code and tables in cells with a colour, anchors as names, pictures as links."""

    def heading_open(self, tokens: Tokens, at: int, _options: OptionsDict, places: Places) -> str:
        return f'<{tokens[at].tag}><a name="{places["anchors"].pop(0)}"></a>'

    def paragraph_open(self, tokens: Tokens, at: int, options: OptionsDict, places: Places) -> str:
        # The height of a line counts for pictures too, and would leave as much room under a tall one.
        if any(one.type == "image" for one in tokens[at + 1].children or ()):
            return '<p style="line-height: 100%">'
        return str(self.renderToken(tokens, at, options, places))

    def fence(self, tokens: Tokens, at: int, _options: OptionsDict, places: Places) -> str:
        return _code(tokens[at].content, places["look"])

    def code_block(self, tokens: Tokens, at: int, _options: OptionsDict, places: Places) -> str:
        return _code(tokens[at].content, places["look"])

    def code_inline(self, tokens: Tokens, at: int, _options: OptionsDict, _places: Places) -> str:
        return f"<code>{escape(tokens[at].content)}</code>"

    def table_open(self, _tokens: Tokens, _at: int, _options: OptionsDict, places: Places) -> str:
        return (
            '<table cellspacing="0" cellpadding="5" border="1" style="border-collapse: collapse; border-style: solid;'
            f' border-color: {places["look"].border}; margin: 4px 0 12px 0">'
        )

    def html_block(self, _tokens: Tokens, _at: int, _options: OptionsDict, _places: Places) -> str:
        return ""

    def html_inline(self, tokens: Tokens, at: int, _options: OptionsDict, _places: Places) -> str:
        return escape(tokens[at].content)

    def image(self, tokens: Tokens, at: int, _options: OptionsDict, places: Places) -> str:
        found = target(places["page"], str(tokens[at].attrs["src"]))
        if found is None or not found.picture:
            return escape(tokens[at].content)
        name, said = escape(found.picture), escape(tokens[at].content)
        return f'<a href="{WHOLE_PICTURE}{name}" title="{said}"><img src="{name}" alt="{said}"></a>'

    def link_open(self, tokens: Tokens, at: int, _options: OptionsDict, places: Places) -> str:
        link = str(tokens[at].attrs["href"])
        leads = target(places["page"], link) is not None
        return f'<a href="{escape(link)}">' if leads else "<a>"


def _code(text: str, look: Look) -> str:
    inside = f"<pre>{escape(text.rstrip())}</pre>"
    return (
        f'<table width="100%" cellspacing="0" cellpadding="8" border="0" style="margin: 0 0 10px 0">'
        f'<tr><td bgcolor="{look.code}">{inside}</td></tr></table>'
    )
