"""Replacements for personal information: the same person and thing get the same one all over a study."""

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from anonymize.pii_detection.pii_hit import KINDS, NAMES, PiiMatch
from anonymize.pii_detection.text_scrubber import OMISSION_MARK, TextRedaction
from project.text_matching.spoken_forms import write_out_spoken
from project.text_matching.text_views import fold
from resources import resource

_LABEL = re.compile(r"\[([A-Z]+)_(\d{1,9})\]")
_MARKS = re.compile(r"[\W_]+")

Numbers = Mapping[str, Mapping[str, int]]
"""Label, such as `PERSON` -> who or what -> its number."""


class Replacements:
    """Numbers what was found: `[PERSON_1]`, `[PHONE_1]`, `[PERSON_2]`, in the order in which it is first asked for.

    All names of one participant have one number. So have a full name and a part of it that belongs to no other.

    Args:
        given: word -> what people chose to write in its place; numbers in it are not used for anything else.
        people: id of a participant -> what is written in place of all names of them.
        kept: the numbers that were given before, which stay; see `numbers`.
    """

    def __init__(
        self,
        given: Mapping[str, str] | None = None,
        people: Mapping[str, str] | None = None,
        kept: Numbers | None = None,
    ) -> None:
        self._given = {fold(word): after for word, after in (given or {}).items()}
        self._people = dict(people or {})
        self._numbers = {label: dict(numbered) for label, numbered in (kept or {}).items()}
        self._next: dict[str, int] = {
            label: max(numbered.values(), default=0) + 1 for label, numbered in self._numbers.items()
        }
        self._whole: dict[str, str] = {}
        self.reserve_numbers(self.chosen_texts())

    def reserve_numbers(self, texts: Iterable[str]) -> None:
        """Leave out numbers that stand in texts: those were scrubbed before, and nobody else may get them."""
        for text in texts:
            for label, number in _LABEL.findall(text) if "[" in text else ():
                self._next[label] = max(self._next.get(label, 1), int(number) + 1)

    def number_hits(self, hits: Iterable[PiiMatch]) -> None:
        """Number hits in their order; full names first tell whose the parts are."""
        seen = [*hits]
        self._register_full_names(seen)
        for hit in seen:
            self.replacement_for(hit)

    def replacement_for(self, hit: PiiMatch) -> str:
        """Return what is written in place of a hit."""
        if hit.participant_id in self._people and KINDS[hit.kind].group == NAMES:
            return self._people[hit.participant_id or ""]
        words = hit_identity(hit)
        given = self._given.get(fold(hit.word or hit.text)) or self._given.get(words)
        label = KINDS[hit.kind].label
        if given is not None:
            chosen = _LABEL.fullmatch(given)
            if chosen is not None and chosen[1] == label:
                self._numbers.setdefault(label, {}).setdefault(hit.participant_id or words, int(chosen[2]))
            return given
        return f"[{label}_{self._number(label, hit.participant_id, words)}]"

    @property
    def numbers(self) -> dict[str, dict[str, int]]:
        """Label -> what two hits that mean the same have in common, or the id of a participant -> number."""
        return {label: dict(numbered) for label, numbered in self._numbers.items()}

    def _number(self, label: str, participant_id: str | None, words: str) -> int:
        """Return the number of a person or thing; one that was given once is given for good."""
        known = self._numbers.setdefault(label, {})
        mine = participant_id or words
        if mine in known:
            return known[mine]
        whole = self._whole.get(words, words)
        parts = (part for part in whole.split() if self._whole.get(part) == whole)
        number = next((known[text] for text in (words, whole, *parts) if text in known), None)
        if number is None:
            number = self._next.get(label, 1)
            self._next[label] = number + 1
        known[mine] = number
        if participant_id is None:
            known.setdefault(whole, number)
        return number

    def chosen_texts(self) -> set[str]:
        """Return what people chose to write, and the names that stand in for people."""
        return {*self._given.values(), *self._people.values()}

    def _register_full_names(self, hits: Sequence[PiiMatch]) -> None:
        owners: dict[str, set[str]] = {}
        for hit in hits:
            if KINDS[hit.kind].group != NAMES:
                continue
            words = hit_identity(hit)
            parts = words.split()
            for part in parts if len(parts) > 1 else ():
                owners.setdefault(part, set()).add(words)
        self._whole = {part: next(iter(full)) for part, full in owners.items() if len(full) == 1}


def hit_identity(hit: PiiMatch) -> str:
    """Return what two hits have in common that mean the same: no case, accents, marks, endings; spoken as written."""
    return _identity(hit.word, hit.text, KINDS[hit.kind].group == NAMES)


@lru_cache(maxsize=1 << 16)
def _identity(word: str, text: str, is_name: bool) -> str:
    key = fold(word or write_out_spoken(text).text)
    if not is_name:
        return _MARKS.sub("", key)
    return " ".join(_MARKS.sub(" ", key.removesuffix("'s")).split())


def choose_stand_ins(people: Sequence[str], seed: str, taken: Iterable[str]) -> dict[str, str]:
    """Return id of a participant -> a name that stands in for them; none of the words that are taken, none twice.

    The order in which names are tried follows from the seed and the id alone. Who comes when the list is used up
    gets a name with a number.
    """
    names = resource("personal", "stand_ins.txt").read_text("utf-8").split()
    used = {fold(word) for word in taken}
    found: dict[str, str] = {}
    for person in people:
        order = sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{person}\0{name}".encode()).digest())
        free = next((name for name in order if fold(name) not in used), None)
        number = 2
        while free is None:
            name = f"{order[0]} {number}"
            free = name if fold(name) not in used else None
            number += 1
        used.add(fold(free))
        found[person] = free
    return found


class PersonalPlaces:
    """Finds personal information and says what is written in its place.

    A scrubber looks at its own work again until nothing more is found. What was written there in place of something is
    not found once more: numbers in brackets, and names that stand in for people.

    Args:
        find: what finds hits in a text.
        replacements: what is written in their places.
        originals: texts that are known not to be scrubbed: in these, a name that also stands in for somebody is a
            name.
    """

    def __init__(
        self, find: Callable[[str], Sequence[PiiMatch]], replacements: Replacements, originals: Container[str] = ()
    ) -> None:
        self._find = find
        self._replacements = replacements
        self._originals = originals

    def __call__(self, text: str) -> Iterator[TextRedaction]:
        """Yield the places of personal information in a text."""
        written = [] if text in self._originals else self._replacement_spans(text)
        for hit in self._find(text):
            if not any(start <= hit.start and hit.end <= end for start, end in written):
                yield TextRedaction(hit.start, hit.end, hit.kind, self._replacements.replacement_for(hit))

    def _replacement_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where replacements stand in a text."""
        forms = "|".join(
            re.escape(written)
            for written in sorted({OMISSION_MARK, *self._replacements.chosen_texts()}, key=len, reverse=True)
        )
        return [hit.span() for hit in re.finditer(rf"\[[A-Z]+_\d+\]|{forms}", text)]
