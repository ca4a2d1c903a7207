"""Names without an announcement: words of the lists, and words with a capital that nobody knows."""

from collections.abc import Iterator, Sequence

from anonymize.pii.hit import LIKELY, WEAK, Stretch
from anonymize.pii.kinds import PERSON, PLACE
from anonymize.pii.lexicon import is_family, is_given, places, plain_words, small_places
from anonymize.pii.name_words import Evidence, name_end
from anonymize.pii.tokens import Token, Tokens
from project.common_words import function_words, is_common, no_names

_LEAST = 3
_ACRONYM = 5
# Of fewer words, nobody can tell whether they are English.
_LEAST_ENGLISH = 4
_INTO = frozenset({"in", "near", "to", "from", "at", "of", "around", "through", "via"})
_PLACE_WORDS = 3
_SURELY_INTO = frozenset({"in", "from", "near"})
_GOING = frozenset(
    {"go", "goes", "going", "went", "gone", "move", "moved", "drove", "fly", "flew", "travel", "trip", "us", "back"}
)


def listed_names(tokens: Tokens) -> Iterator[Stretch]:
    """Yield what looks like a name or a place by itself."""
    at = 0
    words = tokens.all
    while at < len(words):
        if end := _place_end(tokens, at):
            yield Stretch(words[at].start, words[end - 1].end, PLACE, LIKELY)
            at = end
            continue
        score = _score(tokens, words[at])
        if not score:
            at += 1
            continue
        if words[at].capital and at and words[at - 1].key == "in" and not is_given(words[at].key):
            yield Stretch(words[at].start, words[at].end, PLACE, WEAK)
            at += 1
            continue
        end = name_end(tokens, at, Evidence.WEAK) or at + 1
        yield Stretch(words[at].start, words[end - 1].end, PERSON, score)
        at = end


def _score(tokens: Tokens, word: Token) -> float:
    key = word.key
    if key in function_words() or key in no_names() or len(key) < 2:
        return 0
    if key in plain_words() and (
        not (tokens.english and len(tokens.all) >= _LEAST_ENGLISH) or (word.initial and len(key) <= _LEAST)
    ):
        return 0
    if word.text.isupper() and len(word.text) <= _ACRONYM:
        return 0
    common, given = is_common(key), is_given(key)
    if word.capital and not word.flat:
        if common:
            return WEAK if given and not word.initial and tokens.english else 0
        if given or is_family(key):
            return LIKELY
        return WEAK if tokens.english else 0
    return WEAK if given and not common and len(key) >= _LEAST and tokens.english else 0


def _place_end(tokens: Tokens, at: int) -> int | None:
    """Return the index after the last word of a place of the list that begins at a word."""
    words = tokens.all
    word = words[at]
    led = at > 0 and words[at - 1].key in _INTO
    seen = word.capital and not word.flat and (led or not word.initial)
    if not seen and not (led and word.flat):
        return None
    for count in range(min(_PLACE_WORDS, len(words) - at), 0, -1):
        stretch = words[at : at + count]
        if any(tokens.gap(at + i) not in (" ", "-") for i in range(1, count)):
            continue
        name = " ".join(one.key for one in stretch)
        if name in places() and (not is_given(name) or (at > 0 and words[at - 1].key == "in")):
            return at + count
        if led and _is_town(name, stretch, sure=words[at - 1].key in _SURELY_INTO):
            return at + count
    return None


def _is_town(name: str, words: Sequence[Token], *, sure: bool) -> bool:
    """Tell whether words after “in”, “to” or “near” are a small town, and not somebody with its name."""
    if name not in small_places() or (len(words) == 1 and words[0].key in plain_words()):
        return False
    if words[0].flat and all(is_common(word.key) for word in words):
        return False
    return sure or not (is_given(words[0].key) or is_family(words[0].key))


def _goes_there(words: Sequence[Token], at: int) -> bool:
    """Tell whether a name of people and places stands where a place does: “in Lincoln”, “went to Lincoln”."""
    before = [word.key for word in words[max(0, at - 2) : at]]
    return bool(before) and (before[-1] in _SURELY_INTO or (before[-1] == "to" and before[0] in _GOING))
