"""Full-text search in the documentation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app.docs_browser.docs_pages import Page, heading_anchors, list_pages, read_markdown
from project.text_matching.text_views import fold

_MAX_HITS = 60
_ABOUT_THE_PROJECT = "Project"
_CONTEXT_CHARS = 35
"""Characters shown before the first match."""
_EXCERPT_CHARS = 110
_HEADING = re.compile(r"^(#{1,4}) (.+)$")
_FENCE = re.compile(r"^\s*```")
_MARKS = (
    (re.compile(r"<!--.*?-->"), ""),
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\*\*|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"), ""),
    (re.compile(r"\s*\|\s*"), " "),
)
"""Patterns of Markdown markup, and their replacements."""
_LINE_START = re.compile(r"^\s*(?:[-*]|\d+\.|>)\s+|^[\s|:-]+$")
"""Markers of lists and quotes, and separator lines of tables."""
_PHRASE, _TITLE, _UNDER_HEADING, _WORD, _INSIDE = 60, 40, 20, 3, 1
_MAX_WORD_COUNT = 9
"""Largest number of occurrences of a word that count."""


@dataclass(frozen=True, slots=True)
class DocsSection:
    """The text under one heading.

    Attributes:
        anchor: of the heading; "" for the text under the title of the page.
        heading: "" for the text under the title of the page.
    """

    page: Page
    anchor: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class DocsSearchHit:
    """A section that contains all words, with an excerpt around the first match."""

    section: DocsSection
    excerpt: str


def search(typed: str) -> list[DocsSearchHit]:
    """Return the sections that contain all typed words, the best first; [] for an empty text.

    Words match as prefixes, without case and accents. Matches in titles and headings count more than in text, and the
    exact phrase in a heading most. Pages about the project itself come last.
    """
    words = split_words(typed)
    if not words:
        return []
    rated = (
        (_score(fold_section, words), fold_section.section)
        for page in list_pages()
        for fold_section in _fold_sections(page, read_markdown(page.name))
    )
    best = sorted(
        ((rate, section) for rate, section in rated if rate),
        key=lambda pair: (pair[1].page.section == _ABOUT_THE_PROJECT, -pair[0]),
    )
    return [DocsSearchHit(section, _excerpt(section.text, words)) for _, section in best[:_MAX_HITS]]


def split_words(typed: str) -> list[str]:
    """Return the words of a text without case and accents."""
    return fold(typed).split()


@dataclass(frozen=True, slots=True)
class _FoldedSection:
    """A section with its texts without case and accents."""

    section: DocsSection
    title: str
    heading: str
    text: str


@cache
def _fold_sections(page: Page, text: str) -> tuple[_FoldedSection, ...]:
    return tuple(
        _FoldedSection(
            section,
            fold(section.page.title),
            fold(section.heading),
            fold(section.text),
        )
        for section in _split_sections(page, text)
    )


def page_sections(page: Page) -> Iterator[DocsSection]:
    """Yield the section of each heading of a page, the title first."""
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


def _score(folded: _FoldedSection, words: Sequence[str]) -> int:
    """Return the score of a section; 0 if a word is missing, or all are only in the title of the page."""
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
    plain = fold(text)
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
