"""Lists that rules look words up in: common words, names, places, what is written with a capital and is no name."""

from functools import cache, lru_cache

from anonymize.folding import fold
from resources import resource

# Lower-case words that are far more often names: a recogniser without capitals writes them too.
_RATHER_NAMES = frozenset(
    {"bob", "carol", "eddy", "harry", "heather", "ken", "lee", "maria", "martin", "matt", "mike", "neil"}
)


@cache
def common_words() -> frozenset[str]:
    """Return common words of English, lower case, without accents; also what is said and not written."""
    return _listed("words.txt") | _listed("spoken_words.txt")


@cache
def given_names() -> frozenset[str]:
    """Return given names of many origins, lower case, without accents."""
    return _listed("given_names.txt")


@cache
def family_names() -> frozenset[str]:
    """Return family names of many origins that are no given names, lower case, without accents."""
    return _listed("family_names.txt")


@cache
def places() -> frozenset[str]:
    """Return countries and larger towns that are no common words, lower case, without accents."""
    return _listed("places.txt")


@cache
def no_names() -> frozenset[str]:
    """Return what has a capital and is nobody's name: languages, peoples, months, products, titles; plurals too."""
    listed = _listed("no_names.txt")
    return listed | {f"{word}s" for word in listed}


@cache
def function_words() -> frozenset[str]:
    """Return words that no nickname is made of: pronouns, prepositions, auxiliaries, words of time."""
    return _listed("function_words.txt")


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


def is_given(word: str) -> bool:
    """Tell whether a folded word is a given name, also with a possessive ending."""
    return word.removesuffix("'s").removesuffix("'") in given_names()


def is_family(word: str) -> bool:
    """Tell whether a folded word is a family name."""
    return word.removesuffix("'s").removesuffix("'") in family_names()


@lru_cache(maxsize=1 << 16)
def key_of(word: str) -> str:
    """Return a word as the lists have it."""
    return fold(word).text


@cache
def _listed(name: str) -> frozenset[str]:
    text = resource("personal", name).read_text("utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))
