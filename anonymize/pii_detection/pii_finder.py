"""Finds personal information in a text by rules, models, and the words known from the study.

Those words are names of participants, nicknames, misspellings, and words that people marked as private.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from anonymize.pii_detection.announced_names import (
    find_announced_names,
    find_announced_places,
    find_chinese_names,
    find_organisations,
)
from anonymize.pii_detection.dates_and_links import find_dates, find_electronic_addresses
from anonymize.pii_detection.identity_numbers import find_codes, find_national_numbers, find_said_digits
from anonymize.pii_detection.listed_names import find_listed_names, find_spelled_words, find_vocatives
from anonymize.pii_detection.name_tokens import Token, Tokens
from anonymize.pii_detection.pii_hit import (
    CERTAIN,
    LIKELY,
    ORGANISATION,
    PERSON,
    PLACE,
    STRONG,
    PiiMatch,
    PiiSpan,
    normalize_kind,
    resolve_overlaps,
)
from anonymize.pii_detection.postal_addresses import find_addresses
from anonymize.pii_detection.presidio_rules import find_with_presidio
from anonymize.pii_detection.text_scrubber import PhraseMatcher
from models.names.name_finders import NameFinder, NameSpan
from project.session.optional_parts import NAMES
from project.text_matching.normalization import capitalized_non_names, function_words, is_ambiguous_name, is_common
from project.text_matching.number_words import number_views
from project.text_matching.spoken_forms import write_out_spoken
from project.text_matching.text_views import (
    TextView,
    fold,
    fold_with_positions,
    join_divided_words,
    separate_digits,
    to_ascii_signs,
    without_hesitations,
)

STUDY_SOURCE = "study"
_MIN_FUZZY_CHARS = 5
_MIN_PART_CHARS = 3
_TWO_EDITS_FROM = 8
_MIN_SIMILARITY = 84
_MIN_SOUNDS = 3


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
        forms = {
            word.word: PiiSpan(0, 0, normalize_kind(word.kind), CERTAIN, STUDY_SOURCE, word.participant_id, word.word)
            for word in words
        }
        for part, (owner, name) in _name_parts(words).items():
            forms.setdefault(part, PiiSpan(0, 0, PERSON, STRONG, STUDY_SOURCE, owner, name))
        self._forms = [*forms.values()]
        self._words = PhraseMatcher({form: str(number) for number, form in enumerate(forms)})
        self._names: dict[str, KnownWord] = {}
        for word in words:
            if word.kind != PERSON:
                continue
            for part in word.word.split():
                key = fold(part)
                if len(key) >= _MIN_FUZZY_CHARS and key not in function_words():
                    self._names.setdefault(key, word)
        self._judged: dict[str, KnownWord | None] = {}

    def find(self, tokens: Tokens) -> Iterator[PiiSpan]:
        """Yield the known words of a text."""
        for place in self._words(tokens.text):
            yield replace(self._forms[int(place.after)], start=place.start, end=place.end)
        if not self._names:
            return
        for token in tokens.all:
            found = self._match_misspelling(token.key)
            if found is not None:
                score = STRONG if token.capital else LIKELY
                yield PiiSpan(token.start, token.end, PERSON, score, STUDY_SOURCE, found.participant_id, found.word)

    def _match_misspelling(self, key: str) -> KnownWord | None:
        if key not in self._judged:
            self._judged[key] = self._nearest(key)
        return self._judged[key]

    def _nearest(self, key: str) -> KnownWord | None:
        """Return the name that a word is close to; words that mean something else are none."""
        if len(key) < _MIN_FUZZY_CHARS - 1 or is_common(key) or key in capitalized_non_names():
            return None
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import DamerauLevenshtein

        for name, _, _ in process.extract(key, self._names.keys(), scorer=fuzz.ratio, score_cutoff=50, limit=5):
            edits = DamerauLevenshtein.distance(key, name)
            allowed = 2 if len(name) >= _TWO_EDITS_FROM else 1
            sound = phonetic_key(key)
            sounds = len(sound) >= _MIN_SOUNDS and sound == phonetic_key(name) and edits <= allowed + 1
            if (
                edits <= allowed
                or sounds
                or (len(name) >= _TWO_EDITS_FROM and fuzz.ratio(key, name) >= _MIN_SIMILARITY)
            ):
                return self._names[name]
        return None


def _name_parts(known: Sequence[KnownWord]) -> dict[str, tuple[str | None, str]]:
    """Return single words of private names that are nobody else's words -> whose they are, and of which name.

    A word of several people's names is nobody's: then it stands for itself.
    """
    found: dict[str, tuple[str | None, str]] = {}
    for known_word in known:
        parts = known_word.word.split() if known_word.kind == PERSON and known_word.private else []
        for part in parts if len(parts) > 1 else []:
            key = fold(part).strip(".,")
            if len(key) >= _MIN_PART_CHARS and key[0].isalpha() and not is_ambiguous_name(key):
                shared = key in found and found[key][0] != known_word.participant_id
                found[key] = (None, key) if shared else (known_word.participant_id, known_word.word)
    return found


_SOUNDS = [
    pair.split(":")
    for pair in str.split(
        "sch:s tch:s ph:f gh:g ck:k ch:s sh:s th:t wh:w qu:kw x:ks cz:s sz:s ce:se ci:si cy:si c:k q:k z:s v:f w:f j:y "
        "dg:y"
    )
]
"""Letters of names -> how they sound, in the order in which they are read."""


def phonetic_key(key: str) -> str:
    """Return what a folded name sounds like: letters that sound alike as one, no vowels but the first, none double."""
    for letters, sound in _SOUNDS:
        key = key.replace(letters, sound)
    made = key[:1]
    for letter in key[1:]:
        if letter not in "aeiouyh'-" and not made.endswith(letter):
            made += letter
    return made


_Rule = Callable[[str], Iterable[PiiSpan]]
_NUMBER_RULES: tuple[_Rule, ...] = (find_codes, find_addresses, find_national_numbers)
_FOLDED_RULES: tuple[_Rule, ...] = (find_dates, find_electronic_addresses)
# Below what the rules are sure of: their kind counts where both find something.
_MAX_WEAK_SCORE = 0.45
_NAME_KINDS = frozenset({PERSON, PLACE, ORGANISATION})


def search_all(texts: Sequence[str], names: NameFinder | None = None) -> list[list[PiiSpan]]:
    """Return what looks personal by itself in each of some texts, in no order: the long part of the work.

    Rules search them, and a model of names where one is installed, which is faster with many texts at once.
    """
    if texts:
        NAMES.require()
    prepared = [Tokens(text) for text in texts]
    found = [[*_apply_rules(tokens)] for tokens in prepared]
    if names is not None:
        # A model is slow: it reads what holds a word that may be a name and that no rule found.
        worth_it = [at for at, tokens in enumerate(prepared) if _has_unmatched_names(tokens, found[at])]
        read: list[tuple[int, TextView | None, Tokens]] = [(at, None, prepared[at]) for at in worth_it]
        for at in worth_it:
            if whole := join_divided_words(prepared[at].text):
                read.append((at, whole, Tokens(whole.text)))
        named = names.find_all([guess_capitals(tokens) for _, _, tokens in read])
        for (at, whole, tokens), each in zip(read, named, strict=True):
            stretches = [_model_span(name, name.source or names.key) for name in each]
            believed = [stretch for stretch in stretches if _is_plausible(tokens, stretch)]
            found[at] += believed if whole is None else _in_original(whole, believed)
    return found


class PersonalFinder:
    """Finds personal information; the same text always gives the same hits, and nothing is asked of any host.

    Args:
        known: names of participants and other words that the study knows to be private.
        public: words that are personal nowhere, unless they are a participant's name or known to be private.
        names: a model that finds names, where one is installed.
    """

    def __init__(
        self, known: Sequence[KnownWord] = (), public: Iterable[str] = (), names: NameFinder | None = None
    ) -> None:
        self._known = StudyWords(known)
        self._private = {known_word.word for known_word in known if known_word.private}
        self._public = {" ".join(fold(word).split()) for word in public}
        self._names = names

    def find(self, text: str) -> list[PiiMatch]:
        """Return what looks like personal information, in order of place, without overlaps."""
        return self.find_all([text])[0]

    def find_all(self, texts: Sequence[str]) -> list[list[PiiMatch]]:
        """Return the hits of each of some texts: a model is faster with many at once."""
        found = search_all(texts, self._names)
        return [self.resolve_hits(text, spans) for text, spans in zip(texts, found, strict=True)]

    def resolve_hits(self, text: str, found: Iterable[PiiSpan]) -> list[PiiMatch]:
        """Return the hits of a text that was searched before, with what is known about the study."""
        known = [*self._known.find(Tokens(text))]
        if whole := join_divided_words(text):
            known += _in_original(whole, self._known.find(Tokens(whole.text)))
        every = (*known, *found)
        return resolve_overlaps(text, [span for span in every if not self._is_public(text, span)])

    def _is_public(self, text: str, span: PiiSpan) -> bool:
        if not self._public or (span.source == STUDY_SOURCE and (span.participant_id or span.word in self._private)):
            return False
        return _bare_key(text[span.start : span.end]) in self._public


def _apply_rules(tokens: Tokens) -> Iterator[PiiSpan]:
    base = to_ascii_signs(tokens.text)
    out = base.then(write_out_spoken(base.text))
    yield from _in_original(out, find_with_presidio(out.text))
    yield from find_spelled_words(tokens.text, out)
    readings = [(base, out)]
    if fluent := without_hesitations(base.text):
        reading = base.then(fluent)
        readings.append((reading, reading.then(write_out_spoken(reading.text))))
    for reading, written in readings:
        for view in (written, *_views(reading, written)):
            folded = fold_with_positions(view.text)
            yield from _in_original(view, _apply_all(_NUMBER_RULES, view.text))
            yield from _in_original(view, _in_original(folded, _apply_all(_FOLDED_RULES, folded.text)))
            yield from find_said_digits(tokens.text, view)
    yield from _apply_word_rules(tokens)
    if whole := join_divided_words(tokens.text):
        yield from _in_original(whole, _apply_word_rules(Tokens(whole.text)))


def _apply_all(rules: Iterable[_Rule], text: str) -> Iterator[PiiSpan]:
    return chain.from_iterable(rule(text) for rule in rules)


def _apply_word_rules(tokens: Tokens) -> Iterator[PiiSpan]:
    yield from find_announced_names(tokens)
    yield from find_vocatives(tokens)
    yield from find_organisations(tokens.text)
    yield from find_listed_names(tokens)
    yield from find_announced_places(tokens)
    yield from find_chinese_names(tokens.text)


def _views(base: TextView, out: TextView) -> Iterator[TextView]:
    """Yield a text as other languages read its numbers; and every reading once more with digits apart from letters."""
    readings = [base.then(view) for view in number_views(base.text)]
    yield from readings
    for view in (out, *readings):
        if cut := separate_digits(view.text):
            yield view.then(cut)


def _in_original(view: TextView, found: Iterable[PiiSpan]) -> Iterator[PiiSpan]:
    for span in found:
        if span.end > span.start:
            start, end = view.original_span(span.start, span.end)
            yield replace(span, start=start, end=end)


def _bare_key(words: str) -> str:
    key = " ".join(fold(words).split()).strip(".,;:!?")
    return key.removesuffix("'s")


def _model_span(name_span: NameSpan, source: str) -> PiiSpan:
    """Return what a model found; that something is a person's name is worth more than that it is a place or firm."""
    return PiiSpan(
        name_span.start,
        name_span.end,
        name_span.kind,
        name_span.score if name_span.kind == PERSON else min(name_span.score, _MAX_WEAK_SCORE),
        source,
    )


def _is_plausible(tokens: Tokens, span: PiiSpan) -> bool:
    """Tell whether a model's name holds a word that may be one: small models take many a first word for a name."""
    if span.kind not in _NAME_KINDS:
        return False
    words = tokens.all[tokens.index_at(span.start) : tokens.index_at(span.end)]
    if span.kind == ORGANISATION and all(word.flat or word.text.isupper() for word in words):
        return False
    return any(map(_may_be_name, words))


def _has_unmatched_names(tokens: Tokens, found: Sequence[PiiSpan]) -> bool:
    """Tell whether a word may be a name that no rule found; without capitals, names hide among common words too."""
    return any(
        _may_be_name(word) and (word.flat or not any(span.start < word.end and word.start < span.end for span in found))
        for word in tokens.all
    )


def _may_be_name(word: Token) -> bool:
    if word.key in capitalized_non_names() or (word.key == "i" and word.text == "I"):
        return False
    return not is_common(word.key) or (word.capital and not word.initial)


def guess_capitals(tokens: Tokens) -> str:
    """Return a text of the same length with capitals guessed where a sentence has none: models of names need them."""
    letters = list(tokens.text)
    for token in tokens.all:
        if token.flat and (token.initial or token.key == "i" or not is_common(token.key)):
            upper = letters[token.start].upper()
            letters[token.start] = upper if len(upper) == 1 else letters[token.start]
    return "".join(letters)
