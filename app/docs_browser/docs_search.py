"""A search over the words of every page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app.docs_browser.docs_pages import Page, heading_anchors, list_pages, read_markdown
from project.text_matching.normalization import fold_case_accents

_MAX_HITS = 60
_CONTEXT_CHARS = 35
"""Letters that are shown before the first word that was found."""
_EXCERPT_CHARS = 110
_HEADING = re.compile(r"^(#{1,4}) (.+)$")
_FENCE = re.compile(r"^\s*```")
_MARKS = (
    (re.compile(r"<!--.*?-->"), ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"), ""),
    (re.compile(r"\s*\|\s*"), " "),
)
"""What Markdown writes around words, and what is left of it."""
_LINE_START = re.compile(r"^\s*(?:[-*]|\d+\.|>)\s+|^[\s|:-]+$")
"""What stands before the words of a list, or between the head and the rows of a table."""
_PHRASE, _TITLE, _UNDER_HEADING, _WORD, _INSIDE = 60, 40, 20, 3, 1
_MAX_WORD_COUNT = 9
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
    words = split_words(typed)
    if not words:
        return []
    rated = (
        (_score(fold_section, words), fold_section.section)
        for page in list_pages()
        for fold_section in _fold_sections(page, read_markdown(page.name))
    )
    best = sorted(((rate, section) for rate, section in rated if rate), key=lambda pair: -pair[0])
    return [DocsSearchHit(section, _excerpt(section.text, words)) for _, section in best[:_MAX_HITS]]


def split_words(typed: str) -> list[str]:
    """Return the words of a text, as they are compared."""
    return fold_case_accents(typed).split()


@dataclass(frozen=True, slots=True)
class _Folded:
    """A section with its words as they are compared."""

    section: DocsSection
    title: str
    heading: str
    text: str


@cache
def _fold_sections(page: Page, text: str) -> tuple[_Folded, ...]:
    return tuple(
        _Folded(
            section,
            fold_case_accents(section.page.title),
            fold_case_accents(section.heading),
            fold_case_accents(section.text),
        )
        for section in _split_sections(page, text)
    )


def page_sections(page: Page) -> Iterator[DocsSection]:
    """Yield what stands under each heading of a page, the title first."""
    return _split_sections(page, read_markdown(page.name))


def _split_sections(page: Page, text: str) -> Iterator[DocsSection]:
    parts: list[tuple[str, list[str]]] = [("", [])]
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
            continue
        found = None if code else _HEADING.match(line)
        if found is not None:
            parts.append((_strip_marks(found[2]), []))
        else:
            parts[-1][1].append(line if code else _plain_line(line))
    headed = parts[1:]
    places = heading_anchors(heading for heading, _ in headed)
    for number, ((heading, lines), anchor) in enumerate(zip(headed, places, strict=True)):
        words = " ".join(" ".join(lines).split())
        yield DocsSection(page, anchor if number else "", heading if number else "", words)


def _score(folded: _Folded, words: Sequence[str]) -> int:
    """Return how well the words fit; 0 where one of them is nowhere, or all are in the title alone."""
    rate = _PHRASE * (len(words) > 1 and " ".join(words) in folded.heading)
    for word in words:
        begins = re.compile(rf"\b{re.escape(word)}")
        titled = bool(begins.search(folded.title))
        own = _UNDER_HEADING * bool(begins.search(folded.heading)) + _TITLE * (titled and not folded.heading)
        own += min(_MAX_WORD_COUNT, len(begins.findall(folded.text))) * _WORD or _INSIDE * (word in folded.text)
        if not own and not titled:
            return 0
        rate += own
    return rate


def _excerpt(text: str, words: Sequence[str]) -> str:
    plain = fold_case_accents(text)
    places = [at for word in words if (at := plain.find(word)) >= 0]
    start = max(0, min(places) - _CONTEXT_CHARS) if places and len(plain) == len(text) else 0
    if start:
        start = text.find(" ", start) + 1
    cut = text[start : start + _EXCERPT_CHARS]
    if start + _EXCERPT_CHARS < len(text):
        cut = cut.rpartition(" ")[0] + " …"
    return f"… {cut}" if start else cut


def _plain_line(line: str) -> str:
    return _strip_marks(_LINE_START.sub("", line))


def _strip_marks(line: str) -> str:
    for pattern, left in _MARKS:
        line = pattern.sub(left, line)
    return line
