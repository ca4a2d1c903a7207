"""The words of a study: names of its participants, nicknames, misspellings, and words that people said are private."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anonymize.pii.hit import CERTAIN, LIKELY, STRONG, Stretch
from anonymize.pii.kinds import PERSON, known_kind
from anonymize.pii.lexicon import key_of
from anonymize.pii.tokens import Tokens
from anonymize.text import Words
from project.common_words import function_words, is_common, is_everybodys, no_names

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
        self._words = Words({one.word: str(number) for number, one in enumerate(self._known)})
        self._parts = _parts_of(self._known)
        self._part_words = Words({part: part for part in self._parts})
        self._names: dict[str, KnownWord] = {}
        for one in words:
            if one.kind != PERSON:
                continue
            for part in one.word.split():
                key = key_of(part)
                if len(key) >= _EXACT_BELOW and key not in function_words():
                    self._names.setdefault(key, one)
        self._judged: dict[str, KnownWord | None] = {}

    def find(self, tokens: Tokens) -> Iterator[Stretch]:
        """Yield the known words of a text."""
        for place in self._words(tokens.text):
            one = self._known[int(place.after)]
            yield Stretch(place.start, place.end, known_kind(one.kind), CERTAIN, STUDY, one.participant_id, one.word)
        for place in self._part_words(tokens.text):
            owner, word = self._parts[place.after]
            yield Stretch(place.start, place.end, PERSON, STRONG, STUDY, owner, word)
        if not self._names:
            return
        for token in tokens.all:
            found = self._misspelt(token.key)
            if found is not None:
                score = STRONG if token.capital else LIKELY
                yield Stretch(token.start, token.end, PERSON, score, STUDY, found.participant_id, found.word)

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
