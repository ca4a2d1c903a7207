"""Finds a person in texts: by names and personal strings in any spelling, by ids, and by sentences of theirs.

Names are found as words, run together, as initial and surname, spelled letter by letter and broken by separators;
numbers and addresses with other separators, spoken, and as parts of an address; a day in every usual format.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from itertools import pairwise, permutations

from project.entities.study_records import Json
from project.erasure.personal_strings import (
    LEAST_DIGITS,
    LEAST_WORD,
    PersonalString,
    is_cjk_name,
    name_parts,
    personal_dates,
    string_letters,
)
from project.erasure.raw_rows import json_contents, parse_json
from project.text_matching.normalization import (
    PARTICLES,
    VOWEL_SIGNS,
    WORD_SIGNS,
    function_words,
    is_accent,
    is_ambiguous_name,
    is_common,
)
from project.text_matching.spellings import (
    UNSPACED_SCRIPTS,
    Day,
    SqueezedText,
    alternative_readings,
    find_dates,
    fold_letters,
    squeeze,
    squeeze_letters,
    transliterate,
)

NEAR, FAR = 6, 12
"""Words in a row of what somebody said that make a quotation: where it is about their recording, and elsewhere. Shorter
ones are said by everybody."""
REDACTION_MARK = "[removed]"
_OTHER_PERSON_MARK = " \u25a1\u25a1\u25a1\u25a1\u25a1 "
"""Stands for the whole name of somebody who stays while a text is searched: too wide a gap for a name around it."""
_LEAST_JOINED = 5
"""Letters of a name whose words are found run together; of a shorter one, each word has to have a capital."""
_UNBOUND, _CORE_DIGITS = 10, 8
"""Letters of a needle that is found inside longer words too; digits of a number that is."""
_WIDEST = 4
"""Signs between two letters of one needle."""
_PIECES = 6
"""Letters of a name that is found in pieces, as where a line is broken."""
_REMEMBERED, _LONG = 200_000, 2_000
"""Texts whose answer is remembered, since a study repeats labels and a history texts; how long they may be."""
_WORD = re.compile(f"[{WORD_SIGNS}]+")
_UNSPACED = re.compile(f"[{UNSPACED_SCRIPTS}]")
_VOWEL_SIGN = re.compile(f"[{VOWEL_SIGNS}]")
_INVISIBLE = re.compile("[\u034f\u180e\ufe00-\ufe0f]")
_APOSTROPHE = re.compile("[\u2018\u2019\u02bc\u00b4`]")


class NeedleMode(StrEnum):
    """How the letters of a needle must be delimited in a text."""

    WORD = auto()
    """One word: whole, letter by letter, in pieces, inside camel case, or beside signs of an address."""
    JOINED = auto()
    """Words in a row with or without separators."""
    INITIAL = auto()
    """An initial and a word, run together or joined by a sign."""
    UNSPACED = auto()
    """A name in a script without spaces: anywhere, with blanks and other separators between its signs."""
    CODE = auto()
    """Letters and digits, whatever separates them."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for in the letters of a text.

    Attributes:
        word_starts: where its words begin: after how many letters.
        is_common: its words are words of everybody too, or have two letters: they need a capital, or an address.
    """

    letters: str
    mode: NeedleMode
    word_starts: tuple[int, ...] = (0,)
    is_common: bool = False


class IdentifyingTerms:
    """Names, ids, personal strings and sentences of a person: what must be found in any text.

    A name is found as a whole word or phrase in any case, also with the `s` of the genitive; in scripts without spaces
    anywhere. Of a name of several words each word is found too: a common one with a capital letter only. What somebody
    said is found where `quoted` words in a row of it stand.

    The whole name of somebody else, of two words at least, is no name of theirs, though both share a first name.

    Attributes:
        names: the names, as they were given.
        strings: numbers, addresses and days.
        words: letters of the single words of names.
        shared: those that are the whole name of somebody else: alone they are not found.
        days: that are theirs.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        ids: Iterable[str] = (),
        said: Iterable[str] = (),
        quoted: int = FAR,
        *,
        strings: Iterable[PersonalString] = (),
        others: Iterable[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        self.names = sorted({" ".join(text.split()) for text in names} - {""})
        self.strings = tuple(dict.fromkeys(strings))
        self.shared = frozenset(part for name in self.names for part in name_parts(name) if part in shared)
        needles = [needle for name in self.names for needle in _name_needles(name)]
        needles = [needle for needle in needles if needle.mode is not NeedleMode.WORD or needle.letters not in shared]
        self.words = frozenset(needle.letters for needle in needles if needle.mode is NeedleMode.WORD)
        codes = {letters for string in self.strings for letters in string_letters(string)}
        needles += (Needle(letters, NeedleMode.CODE) for letters in sorted(codes))
        self._heads: dict[str, list[Needle]] = {}
        for needle in dict.fromkeys(needles):
            self._heads.setdefault(needle.letters[:LEAST_WORD], []).append(needle)
        self._short = frozenset(head for head in self._heads if len(head) < LEAST_WORD)
        self.days: frozenset[Day] = frozenset(day for string in self.strings for day in personal_dates(string))
        self._numbers = {letters for letters in codes if letters.isdigit() and len(letters) >= LEAST_DIGITS}
        self._ids = [text for text in ids if text]
        self._quoted_from = quoted
        self._said = {row for text in said for row in _word_ngrams(text, quoted)}
        self._others = _names_of_others(self.names, others)
        self._known: dict[str, bool] = {}

    def matches_text(self, text: str) -> bool:
        """Tell whether a text names them, holds an id or a string of theirs, or repeats a sentence of theirs."""
        if len(text) > _LONG:
            return self._matches(text)
        known = self._known.get(text)
        if known is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            known = self._known[text] = self._matches(text)
        return known

    def _matches(self, text: str) -> bool:
        if any(identifier in text for identifier in self._ids):
            return True
        plain = normalize_text(text)
        if self._said and not self._said.isdisjoint(_word_ngrams(plain, self._quoted_from)):
            return True
        if self._others is not None:
            plain = self._others.sub(_OTHER_PERSON_MARK, plain)
        return bool(self._heads or self.days) and any(map(self._matches_reading, alternative_readings(plain)))

    def _matches_reading(self, text: str) -> bool:
        found = squeeze(text)
        letters = found.letters
        # Of hundreds of needles, only those are looked for whose first letters stand in the text.
        heads = self._heads.keys() & {letters[at : at + LEAST_WORD] for at in range(len(letters) - LEAST_WORD + 1)}
        heads |= {head for head in self._short if head in letters}
        for head in heads:
            for needle in self._heads[head]:
                if needle.letters in letters and _needle_occurs(needle, found):
                    return True
        return bool(self.days) and not self.days.isdisjoint(find_dates(text))

    def matches_json(self, value: Json) -> bool:
        """Tell whether any text, key or number in a JSON value matches, also where a list holds it word by word."""
        return any(
            self.matches_text(content) if isinstance(content, str) else self._is_number(content)
            for content in json_contents(value)
        )

    def matches_json_text(self, text: str) -> bool:
        """Tell whether a JSON text matches; one that cannot be parsed is searched as it is."""
        return self.matches_json(parse_json(text)) or self.matches_text(text)

    def _is_number(self, number: float) -> bool:
        """Tell whether a number is one of theirs, with a prefix or without."""
        digits = str(number)
        return any(digits.endswith(number) for number in self._numbers)

    def prune_json(self, value: Json) -> Json:
        """Return a JSON value without the members that match; None where it matches as a whole."""
        match value:
            case str():
                return None if self.matches_text(value) else value
            case list():
                kept = [self.prune_json(item) for item in value]
                return [new for old, new in zip(value, kept, strict=True) if new is not None or old is None]
            case dict():
                found = {key: self.prune_json(member) for key, member in value.items() if not self.matches_text(key)}
                return {key: member for key, member in found.items() if member is not None or value[key] is None}
            case float() | int() if self._is_number(value):
                return None
            case _:
                return value

    def redact_text(self, text: str) -> str:
        """Return a text without its matches: whole names are replaced, else lines, else the whole text."""
        for name in self.names:
            spaced = r"\s+".join(map(re.escape, name.split()))
            flags = 0 if len(name) < LEAST_WORD else re.IGNORECASE
            text = re.sub(rf"(?<![^\W_]){spaced}(?![^\W_])", REDACTION_MARK, text, flags=flags)
        if not self.matches_text(text):
            return text
        lines = "\n".join(REDACTION_MARK if self.matches_text(line) else line for line in text.split("\n"))
        return REDACTION_MARK if self.matches_text(lines) else lines


def _names_of_others(names: Iterable[str], others: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds whole names of people who stay, so that a first name that two share is not taken there.

    A name that holds a whole one of who withdraws is left out: it may be theirs.
    """
    theirs = [(name, squeeze_letters(name)) for name in names]
    found = set()
    for other in others:
        words, letters = normalize_text(other).split(), squeeze_letters(other)
        holds = any(letters == own or (" " in name and own in letters) for name, own in theirs)
        if len(words) > 1 and not holds:
            found.add(r"[\W_]{1,3}".join(map(re.escape, words)))
    longest_first = "|".join(sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{longest_first})(?:'?s)?(?![^\W_])", re.IGNORECASE) if found else None


def _word_ngrams(text: str, count: int) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(fold_letters(text))
    for at in range(len(words) - count + 1):
        yield tuple(words[at : at + count])


def normalize_text(text: str) -> str:
    """Return a text in one spelling of Unicode, without signs that nobody sees."""
    if text.isascii():
        return text.replace("`", "'")
    seen = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return _APOSTROPHE.sub("'", "".join(sign for sign in seen if unicodedata.category(sign) != "Cf"))


def _name_needles(name: str) -> Iterator[Needle]:
    for spelled in dict.fromkeys((name, name if name.isascii() else transliterate(name))):
        yield from _spelling_needles(spelled)


def _spelling_needles(spelled: str) -> Iterator[Needle]:
    parts = name_parts(spelled)
    whole = squeeze_letters(spelled)
    if all(map(_UNSPACED.match, unicodedata.normalize("NFC", whole))):
        least = LEAST_WORD if is_cjk_name(unicodedata.normalize("NFC", whole)) else 2
        called = (whole, *(part for part in parts if len(unicodedata.normalize("NFC", part)) >= least))
        yield from (Needle(letters, NeedleMode.UNSPACED) for letters in called if letters)
        return
    words = [squeeze_letters(word) for word in re.split(r"[\W_]+", spelled)]
    if len(whole) > 1 and parts != [whole]:
        yield Needle(whole, NeedleMode.JOINED, _word_starts(words))
    if len(parts) <= 1:
        yield Needle(whole, NeedleMode.WORD, is_common=len(whole) < LEAST_WORD and spelled[0].isupper())
    # “Neil” of O'Neil is found too.
    pieces = (squeeze_letters(word) for word in _WORD.findall(spelled) if word[0].isupper())
    for part in dict.fromkeys((*parts, *pieces)):
        is_short, is_common_word = len(part) < LEAST_WORD, is_ambiguous_name(part)
        if part != whole and len(part) > 1 and part not in PARTICLES and not (is_short and is_common_word):
            is_cased = part.upper() != part.lower()
            yield Needle(part, NeedleMode.WORD, is_common=is_cased and (is_short or is_common_word))
    for first, second in permutations(parts, 2):
        if min(len(first), len(second)) >= 2:
            both = is_ambiguous_name(first) and is_ambiguous_name(second)
            yield Needle(first + second, NeedleMode.JOINED, (0, len(first)), both)
        yield from _initial_needles(first[0], second)
    if len(parts) > 2:
        yield Needle("".join(parts), NeedleMode.JOINED, _word_starts(parts), all(map(is_ambiguous_name, parts)))
        yield from _initial_needles("".join(part[0] for part in parts[:-1]), parts[-1])


def _initial_needles(initials: str, word: str) -> Iterator[Needle]:
    if len(word) >= LEAST_WORD:
        common = is_ambiguous_name(word)
        yield Needle(initials + word, NeedleMode.INITIAL, (0, len(initials)), common)
        yield Needle(word + initials, NeedleMode.INITIAL, (0, len(word)), common)


def _word_starts(words: list[str]) -> tuple[int, ...]:
    found, at = [], 0
    for word in words:
        if word:
            found.append(at)
        at += len(word)
    return tuple(found)


def _needle_occurs(needle: Needle, text: SqueezedText) -> bool:
    """Tell whether the letters of a needle stand in a text as they have to."""
    at = text.letters.find(needle.letters)
    while at >= 0:
        if _matches_at(needle, text, at, at + len(needle.letters)):
            return True
        at = text.letters.find(needle.letters, at + 1)
    return False


def _matches_at(needle: Needle, text: SqueezedText, start: int, end: int) -> bool:
    gaps = text.gaps(start, end)
    if any(len(gap) > _WIDEST for _, gap in gaps):
        return False
    if needle.mode is NeedleMode.UNSPACED:
        # Of two signs, the second often begins a word of its own.
        return len(needle.letters) > 2 or not any(gap.isspace() for _, gap in gaps)
    first, last = text.plain_span(start, end)
    bound = _starts_word(text.plain, first) and _ends_word(text.plain, last)
    match needle.mode:
        case NeedleMode.CODE:
            return bound or len(needle.letters) >= (_CORE_DIGITS if needle.letters.isdigit() else _UNBOUND)
        case NeedleMode.JOINED:
            if needle.is_common and any(" " in gap for _, gap in gaps) and not _has_capitals(needle, text, start):
                return False
            if len(needle.letters) < (LEAST_WORD if gaps else _LEAST_JOINED):
                return bound and (_has_capitals(needle, text, start) or _has_dots(text, start, end))
            return bound or len(needle.letters) >= _UNBOUND
        case NeedleMode.INITIAL:
            joint = needle.word_starts[1]
            if not bound or any(at != joint for at, _ in gaps):
                return False
            if not needle.is_common:
                return True
            written = bool(gaps) and not any(" " in gap or gap.isspace() for _, gap in gaps)
            return written or (not gaps and (not is_common(needle.letters) or _is_in_address(text.plain, first, last)))
        case _:
            return bound and (_is_spelled if gaps else _is_whole_word)(needle, text.plain, (first, last), gaps)


def _has_capitals(needle: Needle, text: SqueezedText, start: int) -> bool:
    return all(text.plain[text.places[start + at]].isupper() for at in needle.word_starts)


def _has_dots(text: SqueezedText, start: int, end: int) -> bool:
    """Tell whether a stretch is initials in any case, each with a dot: “j. r.”."""
    letters = text.places[start:end]
    return all(text.plain[at].isalpha() and text.plain[at + 1 : at + 2] == "." for at in letters)


def _is_whole_word(needle: Needle, plain: str, span: tuple[int, int], _: list[tuple[int, str]]) -> bool:
    first, last = span
    is_short, after = len(needle.letters) < LEAST_WORD, plain[last : last + 1]
    if is_short and any(sign.isalnum() and not _UNSPACED.match(sign) for sign in (plain[first - 1 : first], after)):
        return False
    if not needle.is_common or (not is_short and _is_in_address(plain, first, last)):
        return True
    # “Roses” is no genitive of Rose.
    return plain[first].isupper() and after not in ("s", "S")


def _is_spelled(needle: Needle, plain: str, span: tuple[int, int], gaps: list[tuple[int, str]]) -> bool:
    letters = needle.letters
    if len(letters) < LEAST_WORD or letters in function_words():
        return False
    cuts = [0, *(at for at, _ in gaps), len(letters)]
    pieces = [letters[a:b] for a, b in pairwise(cuts)]
    single = sum(len(piece) == 1 for piece in pieces)
    if max(map(len, pieces)) <= 2 and single >= 2 and len(pieces) > len(letters) / 2:
        return True
    if len(pieces) == 2 and pieces[0].isalpha() and pieces[1].isdigit():
        # "P 01" is a pseudonym, "a 12" is not.
        return not gaps[0][1].isspace() or plain[span[0]].isupper()
    if len(letters) < _PIECES or len(pieces) > 3 or min(map(len, pieces)) < 2:
        return False
    return not all(is_common(piece) for piece in pieces) or not any(gap.isspace() for _, gap in gaps)


def _is_in_word(sign: str) -> bool:
    return sign.isalnum() or _VOWEL_SIGN.match(sign) is not None


def _divides(before: str, after: str) -> bool:
    """Tell whether a word may end between two signs: camel case, digits, and scripts that put no space there."""
    camel = before.islower() and after.isupper()
    return camel or before.isdigit() != after.isdigit() or bool(_UNSPACED.match(before)) != bool(_UNSPACED.match(after))


def _starts_word(plain: str, at: int) -> bool:
    return at == 0 or not _is_in_word(plain[at - 1]) or _divides(plain[at - 1], plain[at])


def _ends_word(plain: str, at: int) -> bool:
    while at < len(plain) and is_accent(plain[at]):
        at += 1
    if at >= len(plain) or not _is_in_word(plain[at]) or _divides(plain[at - 1], plain[at]):
        return True
    return plain[at] in "sS" and plain[at - 1].isalpha() and (at + 1 >= len(plain) or not _is_in_word(plain[at + 1]))


def _is_in_address(plain: str, first: int, last: int) -> bool:
    """Tell whether a word stands in an address or beside the sign of a handle."""
    return plain[first - 1 : first] in ("@", "#") or plain[last : last + 1] == "@"
