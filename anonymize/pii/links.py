"""Links as Presidio's pattern finds them: a run of letters, digits, dots and hyphens up to a domain that exists.

Presidio's own pattern tries every length of such a run at every place of it, which takes a minute for some texts of a
hundred kilobytes. Here each character is read a bounded number of times.
"""

import re
from collections.abc import Iterator
from functools import cache

from anonymize.pii.hit import CERTAIN, Stretch
from anonymize.pii.kinds import LINK
from models.names.light_imports import without_heavy_packages

_RUN = re.compile(r"[a-z0-9.\-]+", re.IGNORECASE)
_SCHEME = re.compile(r"https?://\Z", re.IGNORECASE)
_PATH = re.compile(r"/[^\s()<>\"']*")
_LETTERS = re.compile(r"[a-z0-9-]*", re.IGNORECASE)
_LONGEST_SCHEME = len("https://")
_LONGEST = 253
"""No name of a host is longer (RFC 1035, 2.3.4)."""
_LONGEST_PATH = 2_048
_NAMED_DOMAIN = re.compile(r"\(\?:([a-z0-9-]+)\)")


def links(text: str) -> Iterator[Stretch]:
    """Yield links whose domain ends in a public suffix, by the list that is installed; no host is asked."""
    for run in _RUN.finditer(text):
        start = run.start()
        ends = _ends(text, run) if "." in run[0] else []
        while ends:
            reached = [pair for pair in ends if pair[0] - start <= _LONGEST]
            if not reached:
                start = ends[0][0] - _LONGEST
                continue
            _, end = reached[-1]
            ends = ends[len(reached) :]
            yield from _link(text, start, end, run.end())
            start = end


def _link(text: str, start: int, end: int, run_end: int) -> Iterator[Stretch]:
    """Yield the link that begins and whose host ends at some places, with its scheme and path."""
    if scheme := _SCHEME.search(text[max(0, start - _LONGEST_SCHEME) : start]):
        start -= len(scheme[0])
    path = _PATH.match(text, end, end + _LONGEST_PATH) if end == run_end else None
    whole = text[start : path.end() if path else end]
    if _is_public(whole):
        yield Stretch(start, start + len(whole), LINK, CERTAIN, "presidio")


def _ends(text: str, run: re.Match[str]) -> list[tuple[int, int]]:
    """Return where a dot stands in a run that a known top-level domain follows, and where that ends."""
    known, longest = _top_level()
    found = []
    for dot in re.finditer(r"\.", run[0]):
        at = run.start() + dot.start()
        label = _LETTERS.match(text, at + 1, min(run.end(), at + 1 + longest))
        following = label[0].lower() if label else ""
        length = next((size for size in range(len(following), 1, -1) if following[:size] in known), 0)
        if length and at > run.start():
            found.append((at, at + 1 + length))
    return found


def _is_public(link: str) -> bool:
    from anonymize.pii.presidio_parts import SUFFIXES

    return bool(SUFFIXES(link).top_domain_under_public_suffix)


@cache
def _top_level() -> tuple[frozenset[str], int]:
    """Return the top-level domains that Presidio knows, and the length of the longest."""
    with without_heavy_packages():
        from presidio_analyzer.predefined_recognizers import UrlRecognizer

    known = frozenset(_NAMED_DOMAIN.findall(UrlRecognizer.BASE_URL_REGEX))
    return known, max(map(len, known))
