"""Folds case, accents, widths and invisible marks of texts for comparison.

It also knows common words, which name nobody when they stand alone.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from resources import resource


def is_accent(sign: str) -> bool:
    """Tell whether a combining mark only changes how a letter is written: an accent, a Hebrew or Arabic point, a nukta.

    Vowel signs, which are letters of their own in the scripts of India and South-East Asia, are none.
    """
    order = unicodedata.combining(sign)
    return order in (1, 7) or 10 <= order <= 36 or order >= 200


_UNSEEN = frozenset({0x034F, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F})


def _mark_class(*, accents: bool) -> str:
    """Return accents, or all other combining marks, as a class of a regular expression."""
    found = ""
    first = last = -1
    for code in chain(range(0x300, 0xABF0), range(0x11000, 0x11F60)):
        if unicodedata.category(chr(code)) in ("Mn", "Mc") and is_accent(chr(code)) == accents and code not in _UNSEEN:
            if code == last + 1:
                found = f"{found[:-2] if first < last else found}-{chr(code)}"
            else:
                first, found = code, found + chr(code)
            last = code
    return found


ACCENTS, VOWEL_SIGNS = _mark_class(accents=True), _mark_class(accents=False)
"""What `\\w` leaves out of a word: marks that are folded away, and marks that are letters."""
WORD_SIGNS = rf"\w{VOWEL_SIGNS}{ACCENTS}"
KATAKANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
"""Katakana as hiragana, for `str.translate`."""


def fold_case_accents(text: str) -> str:
    """Return a text in small letters without accents."""
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


# Lower-case words that are far more often names: a recogniser without capitals writes them too.
_RATHER_NAMES = frozenset(
    {"bob", "carol", "eddy", "harry", "heather", "ken", "lee", "maria", "martin", "matt", "mike", "neil"}
)

PARTICLES = frozenset(
    {
        *("von", "van", "der", "den", "dem", "del", "della", "dos", "das", "bin", "ibn", "abu", "zum", "zur", "ter"),
        *("ten", "och", "und", "les", "mac", "frau", "herr", "mme", "mlle", "don", "dona"),
    }
)
"""Words of names that stand in everybody's: between the others, and before them."""


@cache
def read_word_list(name: str) -> frozenset[str]:
    """Return the entries of a list of `resources/personal`: lower case, without accents."""
    text = resource("personal", name).read_text("utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


@cache
def common_words() -> frozenset[str]:
    """Return common words of English, lower case, without accents; also what is said and not written."""
    return read_word_list("words.txt") | read_word_list("spoken_words.txt")


@cache
def capitalized_non_names() -> frozenset[str]:
    """Return what has a capital and is nobody's name: languages, peoples, months, products, titles; plurals too."""
    found = read_word_list("no_names.txt")
    return found | {f"{word}s" for word in found}


@cache
def function_words() -> frozenset[str]:
    """Return words that no nickname is made of: pronouns, prepositions, auxiliaries, words of time."""
    return read_word_list("function_words.txt")


@lru_cache(maxsize=1 << 16)
def is_common(word: str) -> bool:
    """Tell whether a folded word is a common one, also in the plural or as a form of a verb."""
    if word in _RATHER_NAMES:
        return False
    words = common_words()
    if word in words:
        return True
    stem = word.removesuffix("'s").removesuffix("'")
    if "'" in stem:
        stem = stem.split("'")[0]
    return stem in words or (len(stem) > 4 and stem.removesuffix("s") in words)


def is_ambiguous_name(word: str) -> bool:
    """Tell whether a folded word of a name means something else too, or stands in many names: alone it tells little."""
    return is_common(word) or word in function_words() or word in capitalized_non_names() or word in PARTICLES


# No letter, no mark, no space: they change how a word is joined or written, and hide it from a plain search.
_INVISIBLE_CATEGORIES = frozenset({"Mn", "Me", "Cf"})
# Letters that no decomposition takes apart.
_LIKE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "\u2019": "'", "\u2018": "'", "\u02bc": "'"}
)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text as it is searched.

    Attributes:
        text: without case, accents and what cannot be seen.
        starts: for each character of it, where the character that it comes from stands in the original.
        original_length: length of the original.
    """

    text: str
    starts: tuple[int, ...]
    original_length: int

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the folded text stands in the original, with the marks that follow it."""
        first = self.starts[start] if start < len(self.starts) else self.original_length
        last = self.starts[end] if end < len(self.starts) else self.original_length
        # One letter of the original may have become several: it goes as a whole.
        if 0 < end < len(self.starts) and self.starts[end - 1] == last:
            last = next((at for at in self.starts[end:] if at > last), self.original_length)
        return first, max(last, first)


def fold_with_positions(text: str) -> FoldedText:
    """Fold a text for searching, and keep the original positions."""
    if text.isascii():
        return FoldedText(text.lower(), tuple(range(len(text))), len(text))
    found: list[str] = []
    starts: list[int] = []
    for place, letter in enumerate(text):
        for folded_letter in _fold_letter(letter):
            found.append(folded_letter)
            starts.append(place)
    return FoldedText("".join(found), tuple(starts), len(text))


def _fold_letter(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    apart = unicodedata.normalize("NFKD", letter).casefold().translate(_LIKE)
    apart = unicodedata.normalize("NFKD", apart)
    return "".join(text for text in apart if unicodedata.category(text) not in _INVISIBLE_CATEGORIES)
