"""Whether words may be a name, given how much speaks for it."""

from enum import IntEnum

from anonymize.pii.lexicon import is_family, is_given
from anonymize.pii.tokens import Token, Tokens
from project.common_words import function_words, is_common, no_names

_PARTICLES = frozenset(
    {
        "de",
        "la",
        "le",
        "van",
        "von",
        "der",
        "den",
        "da",
        "di",
        "do",
        "dos",
        "del",
        "el",
        "al",
        "bin",
        "ibn",
        "ben",
        "mc",
        "mac",
        "ter",
        "ten",
        "zu",
        "af",
        "av",
        "st",
    }
)
_LONGEST = 4
# Function words that are names where somebody is introduced.
_ALSO_NAMES = frozenset({"will", "may"})
_LEAST = 2


class Evidence(IntEnum):
    """What stands around the words."""

    WEAK = 0
    """A greeting, “I'm ...”: capitals or a list have to speak for a name as well."""
    SOME = 1
    """“speak to ...”, “my son ...”: names that are words count too."""
    STRONG = 2
    """“my name is ...”: words that nobody knows count too."""
    ANY = 3
    """“everybody calls me ...”: any word may be a nickname."""


def name_end(tokens: Tokens, index: int, evidence: Evidence) -> int | None:
    """Return the index after the last word of a name that begins at a word; None where none begins there."""
    words = tokens.all
    if index >= len(words) or not _begins(words[index], evidence):
        return None
    end = index + 1
    while end < len(words) and end - index < _LONGEST and _joins(tokens.gap(end)):
        one = words[end]
        if one.key in _PARTICLES and end + 1 < len(words) and _joins(tokens.gap(end + 1)) and _follows(words[end + 1]):
            end += 2
        elif _follows(one):
            end += 1
        else:
            break
    return end


def _joins(gap: str) -> bool:
    return gap in (" ", "-", "\u00a0", ". ")


def _begins(word: Token, evidence: Evidence) -> bool:
    key = word.key
    if key in function_words() and not (key in _ALSO_NAMES and evidence >= _least_for(word)):
        return False
    if evidence is Evidence.ANY:
        return len(key) >= _LEAST and key not in no_names()
    if len(key) < _LEAST or (key in no_names() and not (is_given(key) and evidence >= Evidence.SOME)):
        return False
    common, given = is_common(key), is_given(key)
    if word.capital and not word.flat:
        return not common or given or evidence >= Evidence.STRONG
    if not common:
        return given or is_family(key) or evidence >= Evidence.STRONG
    return given and (evidence >= Evidence.STRONG or (evidence is Evidence.SOME and word.flat))


def _least_for(word: Token) -> Evidence:
    """Return what has to stand around “will” and “may” for a name: more where no capital says so."""
    return Evidence.SOME if word.capital else Evidence.STRONG


def _follows(word: Token) -> bool:
    """Tell whether a word may go on with a name that has begun."""
    key = word.key
    if key in function_words() or len(key) < _LEAST or key in no_names():
        return False
    if word.capital and not word.flat:
        return not word.initial
    return not is_common(key) and (is_given(key) or is_family(key))
