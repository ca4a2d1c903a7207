"""Texts without what people type differently: case, accents, widths, marks that cannot be seen."""

import unicodedata
from dataclasses import dataclass

# No letter, no mark, no space: they change how a word is joined or written, and hide it from a plain search.
_UNSEEN = frozenset({"Mn", "Me", "Cf"})
# Letters that no decomposition takes apart.
_LIKE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "\u2019": "'", "\u2018": "'", "\u02bc": "'"}
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is searched.

    Attributes:
        text: without case, accents and what cannot be seen.
        starts: for each character of it, where the character that it comes from stands in the original.
        whole: length of the original.
    """

    text: str
    starts: tuple[int, ...]
    whole: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the folded text stands in the original, with the marks that follow it."""
        first = self.starts[start] if start < len(self.starts) else self.whole
        last = self.starts[end] if end < len(self.starts) else self.whole
        # One letter of the original may have become several: it goes as a whole.
        if 0 < end < len(self.starts) and self.starts[end - 1] == last:
            last = next((at for at in self.starts[end:] if at > last), self.whole)
        return first, max(last, first)


def fold(text: str) -> Folded:
    """Take out of a text what does not tell words apart."""
    if text.isascii():
        return Folded(text.lower(), tuple(range(len(text))), len(text))
    found: list[str] = []
    starts: list[int] = []
    for place, letter in enumerate(text):
        for one in _plain(letter):
            found.append(one)
            starts.append(place)
    return Folded("".join(found), tuple(starts), len(text))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    apart = unicodedata.normalize("NFKD", letter).casefold().translate(_LIKE)
    apart = unicodedata.normalize("NFKD", apart)
    return "".join(one for one in apart if unicodedata.category(one) not in _UNSEEN)
