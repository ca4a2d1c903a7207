"""What is written in place of personal information: the same person and thing always the same, all over a study."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from anonymize.pii.hit import Hit
from anonymize.pii.kinds import KINDS, NAMES
from anonymize.pii.lexicon import key_of
from anonymize.pii.spoken import written
from resources import resource

_LABEL = re.compile(r"\[([A-Z]+)_(\d{1,9})\]")
_MARKS = re.compile(r"[\W_]+")

Numbers = Mapping[str, Mapping[str, int]]
"""Label, such as `PERSON` -> who or what -> its number."""


class Replacements:
    """Numbers what was found: `[PERSON_1]`, `[PHONE_1]`, `[PERSON_2]`, in the order in which it is first asked for.

    All names of one participant have one number. So have a full name and a part of it that belongs to no other.
    """

    def __init__(
        self,
        given: Mapping[str, str] | None = None,
        people: Mapping[str, str] | None = None,
        kept: Numbers | None = None,
    ) -> None:
        """Get ready.

        Args:
            given: word -> what people chose to write in its place; numbers in it are not used for anything else.
            people: id of a participant -> what is written in place of all names of them.
            kept: the numbers that were given before, which stay; see `numbers`.
        """
        self._given = {key_of(word): after for word, after in (given or {}).items()}
        self._people = dict(people or {})
        self._numbers = {label: dict(each) for label, each in (kept or {}).items()}
        self._next: dict[str, int] = {label: max(each.values(), default=0) + 1 for label, each in self._numbers.items()}
        self._whole: dict[str, str] = {}
        self.reserve(self.written())

    def reserve(self, texts: Iterable[str]) -> None:
        """Leave out numbers that stand in texts: those were scrubbed before, and nobody else may get them."""
        for text in texts:
            for label, number in _LABEL.findall(text) if "[" in text else ():
                self._next[label] = max(self._next.get(label, 1), int(number) + 1)

    def learn(self, hits: Iterable[Hit]) -> None:
        """Number hits in their order; full names first tell whose the parts are."""
        seen = [*hits]
        self._know_full_names(seen)
        for hit in seen:
            self.of(hit)

    def of(self, hit: Hit) -> str:
        """Return what is written in place of a hit."""
        if hit.participant_id in self._people and KINDS[hit.kind].group == NAMES:
            return self._people[hit.participant_id or ""]
        words = identity_of(hit)
        given = self._given.get(key_of(hit.word or hit.text)) or self._given.get(words)
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
        return {label: dict(each) for label, each in self._numbers.items()}

    def _number(self, label: str, participant_id: str | None, words: str) -> int:
        """Return the number of a person or thing; one that was given once is given for good."""
        known = self._numbers.setdefault(label, {})
        mine = participant_id or words
        if mine in known:
            return known[mine]
        whole = self._whole.get(words, words)
        parts = (part for part in whole.split() if self._whole.get(part) == whole)
        number = next((known[one] for one in (words, whole, *parts) if one in known), None)
        if number is None:
            number = self._next.get(label, 1)
            self._next[label] = number + 1
        known[mine] = number
        if participant_id is None:
            known.setdefault(whole, number)
        return number

    def written(self) -> set[str]:
        """Return what people chose to write, and the names that stand in for people."""
        return {*self._given.values(), *self._people.values()}

    def _know_full_names(self, hits: Sequence[Hit]) -> None:
        owners: dict[str, set[str]] = {}
        for hit in hits:
            if KINDS[hit.kind].group != NAMES:
                continue
            words = identity_of(hit)
            parts = words.split()
            for part in parts if len(parts) > 1 else ():
                owners.setdefault(part, set()).add(words)
        self._whole = {part: next(iter(full)) for part, full in owners.items() if len(full) == 1}


def identity_of(hit: Hit) -> str:
    """Return what two hits have in common that mean the same: no case, accents, marks, endings; spoken as written."""
    return _identity(hit.word, hit.text, KINDS[hit.kind].group == NAMES)


@lru_cache(maxsize=1 << 16)
def _identity(word: str, text: str, is_name: bool) -> str:
    key = key_of(word or written(text).text)
    if not is_name:
        return _MARKS.sub("", key)
    return " ".join(_MARKS.sub(" ", key.removesuffix("'s")).split())


def stand_in_names(people: Sequence[str], seed: str, taken: Iterable[str]) -> dict[str, str]:
    """Return id of a participant -> a name that stands in for them; none of the words that are taken, none twice.

    The order in which names are tried follows from the seed and the id alone. Who comes when the list is used up
    gets a name with a number.
    """
    names = resource("personal", "stand_ins.txt").read_text("utf-8").split()
    used = {key_of(word) for word in taken}
    found: dict[str, str] = {}
    for person in people:
        order = sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{person}\0{name}".encode()).digest())
        free = next((name for name in order if key_of(name) not in used), None)
        number = 2
        while free is None:
            name = f"{order[0]} {number}"
            free = name if key_of(name) not in used else None
            number += 1
        used.add(key_of(free))
        found[person] = free
    return found
