"""A search over the words of every page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app.docs_browser.docs_pages import Page, anchors, contents, markdown
from project.text_matching.normalization import folded

_MOST = 60
_AROUND = 35
"""Letters that are shown before the first word that was found."""
_SHOWN = 110
_HEADING = re.compile(r"^(#{1,4}) (.+)$")
_FENCE = re.compile(r"^\s*```")
_MARKS = (
    (re.compile(r"<!--.*?-->"), ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"), ""),
    (re.compile(r"\s*\|\s*"), " "),
)
"""What Markdown writes around words, and what is left of it."""
_BEGINS = re.compile(r"^\s*(?:[-*]|\d+\.|>)\s+|^[\s|:-]+$")
"""What stands before the words of a list, or between the head and the rows of a table."""
_PHRASE, _TITLE, _UNDER_HEADING, _WORD, _INSIDE = 60, 40, 20, 3, 1
_ENOUGH = 9
"""How often a word counts at most."""


@dataclass(frozen=True, slots=True)
class DocsSection:
    """What stands under one heading.

    Attributes:
        anchor: of the heading; "" for what stands under the title of the page.
        heading: "" for what stands under the title of the page.
    """

    page: Page
    anchor: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class DocsSearchHit:
    """A section in which every word stands, with the piece of its text around the first of them."""

    section: DocsSection
    excerpt: str


def search(typed: str) -> list[DocsSearchHit]:
    """Return the sections that have every word that was typed, the best first; [] where nothing was typed.

    Words may be the beginnings of longer ones; capitals and accents make no difference. What stands in a title or a
    heading counts more than what stands in the text below it, most where it is there just as it was typed.
    """
    words = words_of(typed)
    if not words:
        return []
    rated = ((_rate(one, words), one.section) for page in contents() for one in _folded_of(page, markdown(page.name)))
    best = sorted(((rate, section) for rate, section in rated if rate), key=lambda one: -one[0])
    return [DocsSearchHit(section, _excerpt(section.text, words)) for _, section in best[:_MOST]]


def words_of(typed: str) -> list[str]:
    """Return the words of a text, as they are compared."""
    return folded(typed).split()


@dataclass(frozen=True, slots=True)
class _Folded:
    """A section with its words as they are compared."""

    section: DocsSection
    title: str
    heading: str
    text: str


@cache
def _folded_of(page: Page, text: str) -> tuple[_Folded, ...]:
    return tuple(
        _Folded(one, folded(one.page.title), folded(one.heading), folded(one.text)) for one in _split(page, text)
    )


def sections_of(page: Page) -> Iterator[DocsSection]:
    """Yield what stands under each heading of a page, the title first."""
    return _split(page, markdown(page.name))


def _split(page: Page, text: str) -> Iterator[DocsSection]:
    parts: list[tuple[str, list[str]]] = [("", [])]
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
            continue
        found = None if code else _HEADING.match(line)
        if found is not None:
            parts.append((_unmarked(found[2]), []))
        else:
            parts[-1][1].append(line if code else _plain(line))
    headed = parts[1:]
    places = anchors(heading for heading, _ in headed)
    for number, ((heading, lines), anchor) in enumerate(zip(headed, places, strict=True)):
        words = " ".join(" ".join(lines).split())
        yield DocsSection(page, anchor if number else "", heading if number else "", words)


def _rate(one: _Folded, words: Sequence[str]) -> int:
    """Return how well the words fit; 0 where one of them is nowhere, or all are in the title alone."""
    rate = _PHRASE * (len(words) > 1 and " ".join(words) in one.heading)
    for word in words:
        begins = re.compile(rf"\b{re.escape(word)}")
        titled = bool(begins.search(one.title))
        own = _UNDER_HEADING * bool(begins.search(one.heading)) + _TITLE * (titled and not one.heading)
        own += min(_ENOUGH, len(begins.findall(one.text))) * _WORD or _INSIDE * (word in one.text)
        if not own and not titled:
            return 0
        rate += own
    return rate


def _excerpt(text: str, words: Sequence[str]) -> str:
    plain = folded(text)
    places = [at for word in words if (at := plain.find(word)) >= 0]
    start = max(0, min(places) - _AROUND) if places and len(plain) == len(text) else 0
    if start:
        start = text.find(" ", start) + 1
    cut = text[start : start + _SHOWN]
    if start + _SHOWN < len(text):
        cut = cut.rpartition(" ")[0] + " …"
    return f"… {cut}" if start else cut


def _plain(line: str) -> str:
    return _unmarked(_BEGINS.sub("", line))


def _unmarked(line: str) -> str:
    for pattern, left in _MARKS:
        line = pattern.sub(left, line)
    return line
