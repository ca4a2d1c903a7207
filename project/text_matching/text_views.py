"""Views of a text in which rules find more: folded, in ASCII signs, without hesitations, with whole words.

Every view knows where each of its characters comes from.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class TextView:
    """A text as it is searched, and where each of its characters comes from.

    Attributes:
        text: as it is searched.
        starts: for each character of it, where what it stands for begins in the original.
        ends: for each character, where that ends.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch that is not empty stands in the original."""
        return self.starts[start], self.ends[end - 1]

    def then(self, view: "TextView") -> "TextView":
        """Return a view of this view's text, with places in the original."""
        if not self.text:
            return view
        starts = tuple(self.starts[place] if place < len(self.starts) else self.ends[-1] for place in view.starts)
        ends = tuple(self.ends[place - 1] if place else self.starts[0] for place in view.ends)
        return TextView(view.text, starts, ends)


def rewrite(text: str, changes: Iterable[tuple[int, int, str]]) -> TextView:
    """Return a text with other signs for some stretches; `changes` are their start, end and the signs, in order."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for start, end, written in changes:
        signs += (text[done:start], written)
        starts += (*range(done, start), *[start] * len(written))
        ends += (*range(done + 1, start + 1), *[end] * len(written))
        done = end
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return TextView("".join((*signs, text[done:])), tuple(starts), tuple(ends))


# No letter, no mark, no space: they change how a word is joined or written, and hide it from a plain search.
_INVISIBLE_CATEGORIES = frozenset({"Mn", "Me", "Cf"})
# Letters that no decomposition takes apart.
_LIKE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "\u2019": "'", "\u2018": "'", "\u02bc": "'"}
)


def fold_with_positions(text: str) -> TextView:
    """Return a text without case, accents and what cannot be seen; marks belong to the letter before them."""
    if text.isascii():
        return TextView(text.lower(), tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    folded = [(sign, place) for place, letter in enumerate(text) for sign in _fold_letter(letter)]
    starts = [place for _, place in folded]
    ends = [*starts[1:], len(text)]
    for at in range(len(ends) - 2, -1, -1):
        # One letter of the original may have become several: it goes as a whole.
        if ends[at] == starts[at]:
            ends[at] = ends[at + 1]
    return TextView("".join(sign for sign, _ in folded), tuple(starts), tuple(ends))


def fold(text: str) -> str:
    """Return a text without case, accents and what cannot be seen."""
    return text.lower() if text.isascii() else "".join(map(_fold_letter, text))


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    apart = unicodedata.normalize("NFKD", letter).casefold().translate(_LIKE)
    apart = unicodedata.normalize("NFKD", apart)
    return "".join(sign for sign in apart if unicodedata.category(sign) not in _INVISIBLE_CATEGORIES)


def fold_same_length(text: str) -> str:
    """Return a text in lower case without accents, and with as many characters as before."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_to_one_sign, text))


@lru_cache(maxsize=4096)
def _fold_to_one_sign(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter.lower())[:1].lower()
    return plain if plain else letter


_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u30fc"


def to_ascii_signs(text: str) -> TextView:
    """Return a text with digits, spaces and signs of any script as ASCII has them, without what cannot be seen."""
    if text.isascii():
        return rewrite(text, ())
    signs = ((place, letter, _ascii_sign(letter)) for place, letter in enumerate(text))
    return rewrite(text, ((place, place + 1, sign) for place, letter, sign in signs if sign != letter))


@lru_cache(maxsize=4096)
def _ascii_sign(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter in _DASHES:
        return "-"
    category = unicodedata.category(letter)
    if category in _INVISIBLE_CATEGORIES:
        # An accent that stands by itself belongs to its letter; between digits it is nothing.
        return "" if category == "Cf" else letter
    if category == "Nd":
        return str(unicodedata.decimal(letter))
    if category == "Zs":
        return " "
    wide = unicodedata.normalize("NFKC", letter)
    return wide if len(wide) == 1 and wide.isascii() else letter


_PUNCTUATION = re.compile(r"[,.;\u2026\u2013\u2014-]")
_HESITATION = re.compile(
    r"(?:[ \t]{0,2}[,.;\u2026\u2013\u2014-]{1,3})?[ \t]{0,2}(?:"
    r"(?<![^\W_])(?:u+h+m*|u+m+|e+r+m*|[aeo\u00e4\u00f6]+h+m*|h+m+|m+h+m+|m{2,}|e+uh+|heu+|este|pues|ben)(?![^\W_])|[呃嗯]+"
    r")[ \t]{0,2}(?:[,.;\u2026\u2013\u2014-]{1,3}[ \t]{0,2})?|[ \t]{0,2}(?:\.{2,}|\u2026)[ \t]{0,2}",
    re.IGNORECASE,
)
"""What is said in search of a word in English, German, Spanish, French and Chinese, and dots for a pause."""


def without_hesitations(text: str) -> TextView | None:
    """Return a text without what people say or leave out while they think (uh, 嗯, ...); None where there is none such.

    A blank stands in its place, or a comma where there was punctuation.
    """
    changes = [(*match.span(), ", " if _PUNCTUATION.search(match[0]) else " ") for match in _HESITATION.finditer(text)]
    return rewrite(text, changes) if changes else None


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


def separate_digits(text: str) -> TextView | None:
    """Return a text with a blank between letters and the digits beside them; None where there are none such."""
    patterns = (_BEFORE_DIGIT, _AFTER_DIGIT, _LONG_NUMBER)
    cuts = sorted({match.start() for pattern in patterns for match in pattern.finditer(text)})
    return rewrite(text, ((place, place, " ") for place in cuts)) if cuts else None


_LINE_END = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad\u2011][ \t]*(?:\r?\n[ \t]*|[ \t]+(?=[^\W\d_a-z]))(?=[^\W\d_])")


def join_divided_words(text: str) -> TextView | None:
    """Return a text in which words that are divided at the end of a line are whole; None where no word is."""
    changes = [(*match.span(), "-") for match in _LINE_END.finditer(text)]
    return rewrite(text, changes) if changes else None
