"""Finds personal information in a text, with everything that is known about the study."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from anonymize.pii.addresses import addresses
from anonymize.pii.announcements import announcements
from anonymize.pii.codes import codes
from anonymize.pii.dates import dates
from anonymize.pii.electronic import electronic
from anonymize.pii.engine import presidio
from anonymize.pii.hit import Hit, Stretch, settled
from anonymize.pii.introductions import introductions
from anonymize.pii.kinds import ORGANISATION, PERSON, PLACE
from anonymize.pii.lexicon import key_of
from anonymize.pii.listed_names import listed_names
from anonymize.pii.national_numbers import national_numbers
from anonymize.pii.organisations import organisations
from anonymize.pii.spelled import spelled
from anonymize.pii.spoken import written
from anonymize.pii.study_words import STUDY, KnownWord, StudyWords
from anonymize.pii.tokens import Token, Tokens
from anonymize.pii.views import apart, composed, joined_lines, plain
from models.names.base import Named, NameFinder
from project.common_words import is_common, no_names
from project.number_words import Written, number_views

_Rule = Callable[[str], Iterable[Stretch]]
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

    def search_all(self, texts: Sequence[str]) -> list[list[Stretch]]:
        """Return what was found in each of some texts, in no order: a model is faster with many at once."""
        prepared = [Tokens(text) for text in texts]
        found = [[*_by_rules(tokens)] for tokens in prepared]
        if self._names is not None:
            # A model is slow: it reads what holds a word that may be a name and that no rule found.
            worth_it = [at for at, tokens in enumerate(prepared) if _leaves_open(tokens, found[at])]
            read: list[tuple[int, Written | None, Tokens]] = [(at, None, prepared[at]) for at in worth_it]
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

    def find(self, text: str) -> list[Hit]:
        """Return what looks like personal information, in order of place, without overlaps."""
        return self.find_all([text])[0]

    def find_all(self, texts: Sequence[str]) -> list[list[Hit]]:
        """Return the hits of each of some texts: a model is faster with many at once."""
        found = self._search.search_all(texts)
        return [self.settle(text, one) for text, one in zip(texts, found, strict=True)]

    def settle(self, text: str, found: Iterable[Stretch]) -> list[Hit]:
        """Return the hits of a text that was searched before, with what is known about the study."""
        known = [*self._known.find(Tokens(text))]
        if whole := joined_lines(text):
            known += _in_original(whole, self._known.find(Tokens(whole.text)))
        every = (*known, *found)
        return settled(text, [one for one in every if not self._is_public(text, one)])

    def _is_public(self, text: str, one: Stretch) -> bool:
        if not self._public or (one.source == STUDY and (one.participant_id or one.word in self._private)):
            return False
        return _bare(text[one.start : one.end]) in self._public


def _by_rules(tokens: Tokens) -> Iterator[Stretch]:
    base = plain(tokens.text)
    out = composed(written(base.text), base)
    yield from _of_written(out, (*_ON_WRITTEN, presidio))
    for view in _views(base, out):
        yield from _of_written(view, _ON_WRITTEN)
    yield from spelled(tokens.text, out)
    yield from _of_words(tokens)
    if whole := joined_lines(tokens.text):
        yield from _in_original(whole, _of_words(Tokens(whole.text)))


def _of_words(tokens: Tokens) -> Iterator[Stretch]:
    yield from introductions(tokens)
    yield from organisations(tokens.text)
    yield from listed_names(tokens)
    yield from announcements(tokens)


def _views(base: Written, out: Written) -> Iterator[Written]:
    """Yield a text as other languages read its numbers; and every reading once more with digits apart from letters."""
    readings = [composed(view, base) for view in number_views(base.text)]
    yield from readings
    for view in (out, *readings):
        if cut := apart(view.text):
            yield composed(cut, view)


def _in_original(view: Written, found: Iterable[Stretch]) -> Iterator[Stretch]:
    for one in found:
        if one.end > one.start:
            start, end = view.span(one.start, one.end)
            yield replace(one, start=start, end=end)


def _bare(words: str) -> str:
    key = " ".join(key_of(words).split()).strip(".,;:!?")
    return key.removesuffix("'s")


def _of_written(out: Written, rules: Iterable[_Rule]) -> Iterator[Stretch]:
    for rule in rules:
        yield from _in_original(out, rule(out.text))


def _stretch(one: Named, source: str) -> Stretch:
    """Return what a model found; that something is a person's name is worth more than that it is a place or firm."""
    return Stretch(one.start, one.end, one.kind, one.score if one.kind == PERSON else min(one.score, _NOT_SURE), source)


def _believed(tokens: Tokens, one: Stretch) -> bool:
    """Tell whether a model's name holds a word that may be one: small models take many a first word for a name."""
    if one.kind not in _NAMED:
        return False
    words = tokens.all[tokens.at(one.start) : tokens.at(one.end)]
    if one.kind == ORGANISATION and all(word.flat or word.text.isupper() for word in words):
        return False
    return any(map(_may_be_name, words))


def _leaves_open(tokens: Tokens, found: Sequence[Stretch]) -> bool:
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
