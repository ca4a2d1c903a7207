"""Words that everybody uses, so that one of them alone names nobody, whatever else it is."""

from functools import cache, lru_cache

from resources import resource

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
def listed(name: str) -> frozenset[str]:
    """Return the entries of a list of `resources/personal`: lower case, without accents."""
    text = resource("personal", name).read_text("utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


@cache
def common_words() -> frozenset[str]:
    """Return common words of English, lower case, without accents; also what is said and not written."""
    return listed("words.txt") | listed("spoken_words.txt")


@cache
def no_names() -> frozenset[str]:
    """Return what has a capital and is nobody's name: languages, peoples, months, products, titles; plurals too."""
    found = listed("no_names.txt")
    return found | {f"{word}s" for word in found}


@cache
def function_words() -> frozenset[str]:
    """Return words that no nickname is made of: pronouns, prepositions, auxiliaries, words of time."""
    return listed("function_words.txt")


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


def is_everybodys(word: str) -> bool:
    """Tell whether a folded word of a name means something else too, or stands in many names: alone it tells little."""
    return is_common(word) or word in function_words() or word in no_names() or word in PARTICLES
