"""Finds personal information in a text, with everything that is known about the study.

The words of a study: names of its participants, nicknames, misspellings, and words that people said are private.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from anonymize.pii_detection.announced_names import announcements
from anonymize.pii_detection.identity_numbers import codes, national_numbers
from anonymize.pii_detection.introduced_names import introductions, listed_names, organisations, spelled
from anonymize.pii_detection.name_tokens import Token, Tokens, key_of
from anonymize.pii_detection.pii_hit import (
    CERTAIN,
    LIKELY,
    ORGANISATION,
    PERSON,
    PLACE,
    STRONG,
    PiiMatch,
    PiiSpan,
    known_kind,
    settled,
)
from anonymize.pii_detection.pii_patterns import dates, electronic
from anonymize.pii_detection.postal_addresses import addresses
from anonymize.pii_detection.presidio_engine import presidio
from anonymize.pii_detection.text_scrubber import PhraseMatcher
from models.names.name_finders import NameFinder, NameSpan
from project.text_matching.normalization import function_words, is_common, is_everybodys, no_names
from project.text_matching.number_words import NumberNormalizedText, number_views
from project.text_matching.spoken_forms import apart, composed, joined_lines, plain, written

STUDY = "study"
_EXACT_BELOW = 5
_LEAST_PART = 3
_TWO_EDITS_FROM = 8
_SCORE = 84
_LEAST_SOUNDS = 3


@dataclass(frozen=True, slots=True)
class KnownWord:
    """A word or phrase that the study knows.

    Attributes:
        kind: key of `KINDS`.
        participant_id: whose name it is, where it is a participant's.
        private: whether a person said that it must not leave: then no public word takes that back.
    """

    word: str
    kind: str = PERSON
    participant_id: str | None = None
    private: bool = True


class StudyWords:
    """Finds the words that a study knows, whatever their case, accents and endings, and names that are misspelt.

    Of a private name of several words, each word is found by itself, unless it is one of everybody's (*Rose*).
    """

    def __init__(self, words: Sequence[KnownWord]) -> None:
        self._known = [*words]
        self._words = PhraseMatcher({one.word: str(number) for number, one in enumerate(self._known)})
        self._parts = _parts_of(self._known)
        self._part_words = PhraseMatcher({part: part for part in self._parts})
        self._names: dict[str, KnownWord] = {}
        for one in words:
            if one.kind != PERSON:
                continue
            for part in one.word.split():
                key = key_of(part)
                if len(key) >= _EXACT_BELOW and key not in function_words():
                    self._names.setdefault(key, one)
        self._judged: dict[str, KnownWord | None] = {}

    def find(self, tokens: Tokens) -> Iterator[PiiSpan]:
        """Yield the known words of a text."""
        for place in self._words(tokens.text):
            one = self._known[int(place.after)]
            yield PiiSpan(place.start, place.end, known_kind(one.kind), CERTAIN, STUDY, one.participant_id, one.word)
        for place in self._part_words(tokens.text):
            owner, word = self._parts[place.after]
            yield PiiSpan(place.start, place.end, PERSON, STRONG, STUDY, owner, word)
        if not self._names:
            return
        for token in tokens.all:
            found = self._misspelt(token.key)
            if found is not None:
                score = STRONG if token.capital else LIKELY
                yield PiiSpan(token.start, token.end, PERSON, score, STUDY, found.participant_id, found.word)

    def _misspelt(self, key: str) -> KnownWord | None:
        if key not in self._judged:
            self._judged[key] = self._nearest(key)
        return self._judged[key]

    def _nearest(self, key: str) -> KnownWord | None:
        """Return the name that a word is close to; words that mean something else are none."""
        if len(key) < _EXACT_BELOW - 1 or is_common(key) or key in no_names():
            return None
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import DamerauLevenshtein

        for name, _, _ in process.extract(key, self._names.keys(), scorer=fuzz.ratio, score_cutoff=50, limit=5):
            edits = DamerauLevenshtein.distance(key, name)
            allowed = 2 if len(name) >= _TWO_EDITS_FROM else 1
            sound = phonetic(key)
            sounds = len(sound) >= _LEAST_SOUNDS and sound == phonetic(name) and edits <= allowed + 1
            if edits <= allowed or sounds or (len(name) >= _TWO_EDITS_FROM and fuzz.ratio(key, name) >= _SCORE):
                return self._names[name]
        return None


def _parts_of(known: Sequence[KnownWord]) -> dict[str, tuple[str | None, str]]:
    """Return single words of private names that are nobody else's words -> whose they are, and of which name.

    A word of several people's names is nobody's: then it stands for itself.
    """
    found: dict[str, tuple[str | None, str]] = {}
    for one in known:
        parts = one.word.split() if one.kind == PERSON and one.private else []
        for part in parts if len(parts) > 1 else []:
            key = key_of(part).strip(".,")
            if len(key) >= _LEAST_PART and key[0].isalpha() and not is_everybodys(key):
                shared = key in found and found[key][0] != one.participant_id
                found[key] = (None, key) if shared else (one.participant_id, one.word)
    return found


_SOUNDS = (
    ("sch", "s"),
    ("tch", "s"),
    ("ph", "f"),
    ("gh", "g"),
    ("ck", "k"),
    ("ch", "s"),
    ("sh", "s"),
    ("th", "t"),
    ("wh", "w"),
    ("qu", "kw"),
    ("x", "ks"),
    ("cz", "s"),
    ("sz", "s"),
    ("ce", "se"),
    ("ci", "si"),
    ("cy", "si"),
    ("c", "k"),
    ("q", "k"),
    ("z", "s"),
    ("v", "f"),
    ("w", "f"),
    ("j", "y"),
    ("dg", "y"),
)


def phonetic(key: str) -> str:
    """Return what a folded name sounds like: letters that sound alike as one, no vowels but the first, none double."""
    for letters, sound in _SOUNDS:
        key = key.replace(letters, sound)
    made = key[:1]
    for letter in key[1:]:
        if letter not in "aeiouyh'-" and not made.endswith(letter):
            made += letter
    return made


_Rule = Callable[[str], Iterable[PiiSpan]]
_ON_WRITTEN: tuple[_Rule, ...] = (
    codes,
    dates,
    addresses,
    electronic,
    national_numbers,
)
# Below what the rules are sure of: their kind counts where both find something.
_NOT_SURE = 0.45
_NAMED = frozenset({PERSON, PLACE, ORGANISATION})


class TextSearch:
    """Finds what looks personal by itself, whatever a study knows: the long part of the work, the same for ever."""

    def __init__(self, names: NameFinder | None = None) -> None:
        """Search by rules, and by a model of names where one is installed."""
        self._names = names

    def search_all(self, texts: Sequence[str]) -> list[list[PiiSpan]]:
        """Return what was found in each of some texts, in no order: a model is faster with many at once."""
        prepared = [Tokens(text) for text in texts]
        found = [[*_by_rules(tokens)] for tokens in prepared]
        if self._names is not None:
            # A model is slow: it reads what holds a word that may be a name and that no rule found.
            worth_it = [at for at, tokens in enumerate(prepared) if _leaves_open(tokens, found[at])]
            read: list[tuple[int, NumberNormalizedText | None, Tokens]] = [(at, None, prepared[at]) for at in worth_it]
            for at in worth_it:
                if whole := joined_lines(prepared[at].text):
                    read.append((at, whole, Tokens(whole.text)))
            named = self._names.find_all([with_capitals(tokens) for _, _, tokens in read])
            for (at, whole, tokens), each in zip(read, named, strict=True):
                stretches = [_stretch(name, name.source or self._names.key) for name in each]
                believed = [stretch for stretch in stretches if _believed(tokens, stretch)]
                found[at] += believed if whole is None else _in_original(whole, believed)
        return found


class PersonalFinder:
    """Finds personal information; the same text always gives the same hits, and nothing is asked of any host."""

    def __init__(
        self, known: Sequence[KnownWord] = (), public: Iterable[str] = (), names: NameFinder | None = None
    ) -> None:
        """Get ready.

        Args:
            known: names of participants and other words that the study knows to be private.
            public: words that are personal nowhere, unless they are a participant's name or known to be private.
            names: a model that finds names, where one is installed.
        """
        self._known = StudyWords(known)
        self._private = {one.word for one in known if one.private}
        self._public = {" ".join(key_of(word).split()) for word in public}
        self._search = TextSearch(names)

    def find(self, text: str) -> list[PiiMatch]:
        """Return what looks like personal information, in order of place, without overlaps."""
        return self.find_all([text])[0]

    def find_all(self, texts: Sequence[str]) -> list[list[PiiMatch]]:
        """Return the hits of each of some texts: a model is faster with many at once."""
        found = self._search.search_all(texts)
        return [self.settle(text, one) for text, one in zip(texts, found, strict=True)]

    def settle(self, text: str, found: Iterable[PiiSpan]) -> list[PiiMatch]:
        """Return the hits of a text that was searched before, with what is known about the study."""
        known = [*self._known.find(Tokens(text))]
        if whole := joined_lines(text):
            known += _in_original(whole, self._known.find(Tokens(whole.text)))
        every = (*known, *found)
        return settled(text, [one for one in every if not self._is_public(text, one)])

    def _is_public(self, text: str, one: PiiSpan) -> bool:
        if not self._public or (one.source == STUDY and (one.participant_id or one.word in self._private)):
            return False
        return _bare(text[one.start : one.end]) in self._public


def _by_rules(tokens: Tokens) -> Iterator[PiiSpan]:
    base = plain(tokens.text)
    out = composed(written(base.text), base)
    yield from _of_written(out, (*_ON_WRITTEN, presidio))
    for view in _views(base, out):
        yield from _of_written(view, _ON_WRITTEN)
    yield from spelled(tokens.text, out)
    yield from _of_words(tokens)
    if whole := joined_lines(tokens.text):
        yield from _in_original(whole, _of_words(Tokens(whole.text)))


def _of_words(tokens: Tokens) -> Iterator[PiiSpan]:
    yield from introductions(tokens)
    yield from organisations(tokens.text)
    yield from listed_names(tokens)
    yield from announcements(tokens)


def _views(base: NumberNormalizedText, out: NumberNormalizedText) -> Iterator[NumberNormalizedText]:
    """Yield a text as other languages read its numbers; and every reading once more with digits apart from letters."""
    readings = [composed(view, base) for view in number_views(base.text)]
    yield from readings
    for view in (out, *readings):
        if cut := apart(view.text):
            yield composed(cut, view)


def _in_original(view: NumberNormalizedText, found: Iterable[PiiSpan]) -> Iterator[PiiSpan]:
    for one in found:
        if one.end > one.start:
            start, end = view.span(one.start, one.end)
            yield replace(one, start=start, end=end)


def _bare(words: str) -> str:
    key = " ".join(key_of(words).split()).strip(".,;:!?")
    return key.removesuffix("'s")


def _of_written(out: NumberNormalizedText, rules: Iterable[_Rule]) -> Iterator[PiiSpan]:
    for rule in rules:
        yield from _in_original(out, rule(out.text))


def _stretch(one: NameSpan, source: str) -> PiiSpan:
    """Return what a model found; that something is a person's name is worth more than that it is a place or firm."""
    return PiiSpan(one.start, one.end, one.kind, one.score if one.kind == PERSON else min(one.score, _NOT_SURE), source)


def _believed(tokens: Tokens, one: PiiSpan) -> bool:
    """Tell whether a model's name holds a word that may be one: small models take many a first word for a name."""
    if one.kind not in _NAMED:
        return False
    words = tokens.all[tokens.at(one.start) : tokens.at(one.end)]
    if one.kind == ORGANISATION and all(word.flat or word.text.isupper() for word in words):
        return False
    return any(map(_may_be_name, words))


def _leaves_open(tokens: Tokens, found: Sequence[PiiSpan]) -> bool:
    """Tell whether a word may be a name that no rule found; without capitals, names hide among common words too."""
    return any(
        _may_be_name(word) and (word.flat or not any(one.start < word.end and word.start < one.end for one in found))
        for word in tokens.all
    )


def _may_be_name(word: Token) -> bool:
    if word.key in no_names() or (word.key == "i" and word.text == "I"):
        return False
    return not is_common(word.key) or (word.capital and not word.initial)


def with_capitals(tokens: Tokens) -> str:
    """Return a text of the same length with capitals guessed where a sentence has none: models of names need them."""
    letters = list(tokens.text)
    for token in tokens.all:
        if token.flat and (token.initial or token.key == "i" or not is_common(token.key)):
            upper = letters[token.start].upper()
            letters[token.start] = upper if len(upper) == 1 else letters[token.start]
    return "".join(letters)
