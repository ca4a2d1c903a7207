"""Which signs make a word, and common words, which name nobody when they stand alone."""

import unicodedata
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
    for code in chain(range(0x300, 0x3400), range(0xA000, 0xABF0), range(0x11000, 0x11F60)):
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
