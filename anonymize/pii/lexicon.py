"""Lists that rules look words up in: names and places; common words are in `project.common_words`."""

from functools import cache, lru_cache

from anonymize.folding import fold
from project.common_words import listed


@cache
def given_names() -> frozenset[str]:
    """Return given names of many origins, lower case, without accents."""
    return listed("given_names.txt")


@cache
def family_names() -> frozenset[str]:
    """Return family names of many origins that are no given names, lower case, without accents."""
    return listed("family_names.txt")


@cache
def places() -> frozenset[str]:
    """Return countries and larger towns that are no common words, lower case, without accents."""
    return listed("places.txt")


@cache
def small_places() -> frozenset[str]:
    """Return towns of 1,000 people and more that `places` has not, lower case, without accents and hyphens."""
    return listed("small_places.txt")


@cache
def plain_words() -> frozenset[str]:
    """Return frequent words of German, Spanish and French that are no names, lower case, without accents."""
    return listed("plain_words.txt")


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
