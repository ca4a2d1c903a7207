"""Finds names that are listed, called, or spelled letter by letter, and towns: “Okay ..., look”, “in Lincoln”."""

import re
from collections.abc import Iterator, Sequence

from anonymize.pii_detection.announced_names import NameEvidence, find_name_end
from anonymize.pii_detection.name_tokens import (
    Token,
    Tokens,
    is_family_name,
    is_given_name,
    places,
    plain_words,
    small_places,
)
from anonymize.pii_detection.pii_hit import LIKELY, PERSON, PLACE, STRONG, WEAK, PiiSpan
from project.text_matching.normalization import capitalized_non_names, function_words, is_common
from project.text_matching.text_views import TextView

_COMMA = re.compile(r"\s*,\s*")
_SPEAKER_VERB = re.compile(
    r"\s+(?:said|says|asked|asks|told|tells|thinks|thought|goes|wants|wanted|knows|likes|went|paid|came|comes|"
    r"has|was|is|did|does|gave|took|made|rose|got|left|laughs|laughed|smiled|smiles|nodded|forgot|looks|looked|"
    r"saw|saying|asking|laughing|crying|loves|hates|feels|felt|needs|keeps|kept|[a-z]{2,}ed)\b"
)
_ENDINGS = frozenset(",.!?;")


def find_vocatives(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield names that are called at the beginning or end of a sentence, or begin it as who does something."""
    words = tokens.all
    for index, word in enumerate(words):
        if not is_given_name(word.key):
            continue
        after = tokens.text[word.end : word.end + 1]
        before = tokens.gap_before(index)
        called = _COMMA.fullmatch(before) is not None and (after in _ENDINGS or not after) and word.capital
        begins = word.initial and word.capital and not word.flat
        acts = begins and (after == "," or _SPEAKER_VERB.match(tokens.folded, word.end) is not None)
        if (called or acts) and (word.key not in capitalized_non_names() or acts):
            if word.key in capitalized_non_names() and after == ",":
                continue
            yield PiiSpan(word.start, word.end, PERSON, LIKELY)


_MIN_NAME_CHARS = 3
_MAX_ACRONYM_CHARS = 5
# Of fewer words, nobody can tell whether they are English.
_MIN_ENGLISH_CHARS = 4
_PLACE_PREPOSITIONS = frozenset({"in", "near", "to", "from", "at", "of", "around", "through", "via"})
_MAX_PLACE_WORDS = 3
_SURE_PLACE_PREPOSITIONS = frozenset({"in", "from", "near"})


def find_listed_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield what looks like a name or a place by itself."""
    at = 0
    words = tokens.all
    while at < len(words):
        if end := _place_end(tokens, at):
            yield PiiSpan(words[at].start, words[end - 1].end, PLACE, LIKELY)
            at = end
            continue
        score = _score(tokens, words[at])
        if not score:
            at += 1
            continue
        if words[at].capital and at and words[at - 1].key == "in" and not is_given_name(words[at].key):
            yield PiiSpan(words[at].start, words[at].end, PLACE, WEAK)
            at += 1
            continue
        end = find_name_end(tokens, at, NameEvidence.WEAK) or at + 1
        yield PiiSpan(words[at].start, words[end - 1].end, PERSON, score)
        at = end


def _score(tokens: Tokens, word: Token) -> float:
    key = word.key
    if key in function_words() or key in capitalized_non_names() or len(key) < 2:
        return 0
    if key in plain_words() and (
        not (tokens.is_english and len(tokens.all) >= _MIN_ENGLISH_CHARS)
        or (word.initial and len(key) <= _MIN_NAME_CHARS)
    ):
        return 0
    if word.text.isupper() and len(word.text) <= _MAX_ACRONYM_CHARS:
        return 0
    common, given = is_common(key), is_given_name(key)
    if word.capital and not word.flat:
        if common:
            return WEAK if given and not word.initial and tokens.is_english else 0
        if given or is_family_name(key):
            return LIKELY
        return WEAK if tokens.is_english else 0
    return WEAK if given and not common and len(key) >= _MIN_NAME_CHARS and tokens.is_english else 0


def _place_end(tokens: Tokens, at: int) -> int | None:
    """Return the index after the last word of a place of the list that begins at a word."""
    words = tokens.all
    word = words[at]
    led = at > 0 and words[at - 1].key in _PLACE_PREPOSITIONS
    seen = word.capital and not word.flat and (led or not word.initial)
    if not seen and not (led and word.flat):
        return None
    for count in range(min(_MAX_PLACE_WORDS, len(words) - at), 0, -1):
        stretch = words[at : at + count]
        if any(tokens.gap_before(at + i) not in (" ", "-") for i in range(1, count)):
            continue
        name = " ".join(token.key for token in stretch)
        if name in places() and (not is_given_name(name) or (at > 0 and words[at - 1].key == "in")):
            return at + count
        if led and _is_town(name, stretch, sure=words[at - 1].key in _SURE_PLACE_PREPOSITIONS):
            return at + count
    return None


def _is_town(name: str, words: Sequence[Token], *, sure: bool) -> bool:
    """Tell whether words after “in”, “to” or “near” are a small town, and not somebody with its name."""
    if name not in small_places() or (len(words) == 1 and words[0].key in plain_words()):
        return False
    if words[0].flat and all(is_common(word.key) for word in words):
        return False
    return sure or not (is_given_name(words[0].key) or is_family_name(words[0].key))


_LETTERS = re.compile(r"(?<![^\W_])[A-Za-z]{3,}(?![^\W_])")
_ABOUT_NAMES = re.compile(r"\b(?:sur)?name|\bspell|\bspelt|\bcalled|\bunder\b|\bthat's\b|\bit's\b|\bwith an?\b")
_CONTEXT_CHARS = 80


def find_spelled_words(text: str, out: TextView) -> Iterator[PiiSpan]:
    """Yield words that are spelled in a text; `out` is the text written out."""
    for hit in _LETTERS.finditer(out.text):
        start, end = out.original_span(*hit.span())
        if end - start < 2 * len(hit[0]) - 1:
            continue
        key = hit[0].lower()
        known = is_given_name(key) or is_family_name(key)
        if key in capitalized_non_names() or (is_common(key) and not known):
            continue
        if known or _ABOUT_NAMES.search(text[max(0, start - _CONTEXT_CHARS) : end + _CONTEXT_CHARS].lower()):
            yield PiiSpan(start, end, PERSON, STRONG if known else LIKELY)
