"""Other ways to read a text, in which rules find more: digits of any script as 0 to 9, digits apart from letters.

Every view knows where each of its characters stands in the original (`Written`).
"""

import re
import unicodedata
from functools import lru_cache

from project.number_words import Written

_LATIN = "a-z\u00e0-\u00f6\u00f8-\u024f"
_LEAST_LETTERS = 3
_BEFORE_DIGIT = re.compile(
    rf"(?:(?<=[{_LATIN}]{{{_LEAST_LETTERS}}})|(?<=[^\W\d_])(?<![{_LATIN}]))(?=\d)", re.IGNORECASE
)
_AFTER_DIGIT = re.compile(rf"(?<=\d)(?=[{_LATIN}]{{{_LEAST_LETTERS},}}|(?![{_LATIN}])[^\W\d_])", re.IGNORECASE)
_LONG_NUMBER = re.compile(
    rf"(?<=[{_LATIN}])(?=\+?\d(?:[ .-]?\d){{5}})|(?<=\d[ .-]\d\d)(?=[{_LATIN}])|(?<=\d{{6}})(?=[{_LATIN}])",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad\u2011][ \t]*(?:\r?\n[ \t]*|[ \t]+(?=[^\W\d_a-z]))(?=[^\W\d_])")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u30fc"
_UNSEEN = frozenset({"Cf", "Mn", "Me"})


def plain(text: str) -> Written:
    """Return a text with digits, spaces and signs of any script as ASCII has them, without what cannot be seen."""
    if text.isascii():
        return Written(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, letter in enumerate(text):
        for sign in _ascii_sign(letter):
            out.append(sign)
            starts.append(place)
            ends.append(place + 1)
    return Written("".join(out), tuple(starts), tuple(ends))


@lru_cache(maxsize=4096)
def _ascii_sign(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter in _DASHES:
        return "-"
    category = unicodedata.category(letter)
    if category in _UNSEEN:
        # An accent that stands by itself belongs to its letter; between digits it is nothing.
        return "" if category == "Cf" else letter
    if category == "Nd":
        return str(unicodedata.decimal(letter))
    if category == "Zs":
        return " "
    wide = unicodedata.normalize("NFKC", letter)
    return wide if len(wide) == 1 and wide.isascii() else letter


def apart(text: str) -> Written | None:
    """Return a text with a blank between letters and the digits beside them; None where there are none such."""
    cuts = {match.end() for match in _BEFORE_DIGIT.finditer(text)}
    cuts |= {match.start() for pattern in (_AFTER_DIGIT, _LONG_NUMBER) for match in pattern.finditer(text)}
    if not cuts:
        return None
    out: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        if place in cuts:
            out.append(" ")
            places.append(place)
        out.append(letter)
        places.append(place)
    ends = tuple(place if sign == " " and place in cuts else place + 1 for place, sign in zip(places, out, strict=True))
    return Written("".join(out), tuple(places), ends)


def joined_lines(text: str) -> Written | None:
    """Return a text in which words that are divided at the end of a line are whole; None where no word is."""
    if not _LINE_END.search(text):
        return None
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _LINE_END.finditer(text):
        first, last = match.span()
        out.extend(text[done:first])
        starts.extend(range(done, first))
        ends.extend(range(done + 1, first + 1))
        out.append("-")
        starts.append(first)
        ends.append(last)
        done = last
    out.extend(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return Written("".join(out), tuple(starts), tuple(ends))


def composed(outer: Written, inner: Written) -> Written:
    """Return a view of a view, with places in the original of the inner one."""
    if not inner.text:
        return outer
    starts = tuple(inner.starts[place] if place < len(inner.starts) else inner.ends[-1] for place in outer.starts)
    ends = tuple(inner.ends[place - 1] if place else inner.starts[0] for place in outer.ends)
    return Written(outer.text, starts, ends)
