"""Writes out English spoken numbers and letters: “oh double seven” -> “077”, “p a t e l” -> “patel”."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from project.text_matching.number_words import is_date
from project.text_matching.text_views import TextView, rewrite

_TEEN_WORDS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_DIGITS = {word: str(n) for n, word in enumerate(_ONES)} | {"oh": "0", "nought": "0", "naught": "0"}
_TEENS = {word: str(n) for n, word in enumerate(_TEEN_WORDS.split(), start=10)}
_TENS = {word: n * 10 for n, word in enumerate(_TEN_WORDS.split(), start=2)} | {"fourty": 40}
_ORDINALS = {
    word: n
    for n, word in enumerate(
        _ORDINAL_WORDS.split(),
        start=1,
    )
} | {"thirtieth": 30}
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_MARKS = {"plus": "+", "dash": "-", "hyphen": "-", "slash": "/", "stroke": "/"}
_PART = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+")
# What may stand between what is said one after the other.
_GAP = re.compile(r"[ \t\u00a0]+|[ \t]?-[ \t]?|,[ \t]*")
# Nothing personal that is said has more letters and digits.
_LONGEST = 48
# Words of “p as in peter”.
_EXPLAINED = 4
_LONELY = frozenset({"a", "i", "o"})


@dataclass(frozen=True, slots=True)
class _SpokenPart:
    start: int
    end: int
    word: str


@dataclass(frozen=True, slots=True)
class _Element:
    """What was said for some characters; `parts` words of the original."""

    text: str
    start: int
    end: int
    parts: int
    kind: str


def write_out_spoken(text: str) -> TextView:
    """Write out what is said as numbers and letters; all else stays as it is."""
    return rewrite(text, _spoken_changes(text))


def _spoken_changes(text: str) -> Iterator[tuple[int, int, str]]:
    parts = [_SpokenPart(*m.span(), m[0].lower().replace("\u2019", "'")) for m in _PART.finditer(text)]
    at = 0
    while at < len(parts):
        heard = _parse_run(text, parts, at)
        run = _drop_plain_words(text, heard)
        if not run:
            # What begins inside a run of written digits alone is such a run again.
            at += max(1, len(heard)) if all(element.kind == "digits" for element in heard) else 1
            continue
        breaks = _date_breaks(run)
        for number, element in enumerate(run):
            if number:
                before = run[number - 1]
                if "," not in text[before.end : element.start] and "ordinal" not in (element.kind, before.kind):
                    yield before.end, element.start, "/" if number in breaks else ""
            yield element.start, element.end, element.text
            at += element.parts


def _parse_run(text: str, parts: Sequence[_SpokenPart], at: int) -> list[_Element]:
    """Return the elements of the run that begins at a word."""
    found: list[_Element] = []
    while at < len(parts) and len(found) < _LONGEST:
        if found and not _GAP.fullmatch(text, found[-1].end, parts[at].start):
            break
        element = _element(text, parts, at)
        if element is None:
            break
        if element.kind == "mark" and (not _continues(text, parts, at) or (element.text == "/" and not found)):
            break
        found.append(element)
        at += element.parts
    return found


def _date_breaks(run: Sequence[_Element]) -> set[int]:
    """Return before which numbers of a run a date goes on: “twelve oh seven ninety one” is 12/07/91."""
    if not 3 <= len(run) <= 6 or any(element.kind != "number" for element in run):
        return set()
    numbers: list[tuple[int, str]] = []
    for place, element in enumerate(run):
        if numbers and (
            (numbers[-1][1] == "0" and len(element.text) == 1)
            or (numbers[-1][1] in ("19", "20") and len(element.text) == 2 and place == len(run) - 1)
        ):
            numbers[-1] = (numbers[-1][0], numbers[-1][1] + element.text)
        else:
            numbers.append((place, element.text))
    return {place for place, _ in numbers[1:]} if is_date([digits for _, digits in numbers]) else set()


def _continues(text: str, parts: Sequence[_SpokenPart], at: int) -> bool:
    follows = _element(text, parts, at + 1) if at + 1 < len(parts) else None
    return follows is not None and follows.kind in ("number", "digits")


def _drop_plain_words(text: str, run: list[_Element]) -> list[_Element]:
    """Leave out of a run what are words: a lonely “a”, “i” or “oh”, one number alone, letters that spell nothing."""
    run = _with_zeros(run)
    if (
        run
        and run[0].kind == "letter"
        and run[0].text.lower() in _LONELY
        and (len(run) == 1 or run[1].kind != "letter")
    ):
        return []
    while run and run[-1].text.lower() in _LONELY and run[-1].kind == "letter":
        if len(run) > 1 and run[-2].kind == "letter" and _is_spelled(text, run):
            break
        run = run[:-1]
    if not run:
        return []
    numbers = [element for element in run if element.kind in ("number", "digits", "ordinal")]
    letters = [element for element in run if element.kind == "letter"]
    if not numbers:
        if any(letter.parts == _EXPLAINED for letter in letters):
            return run
        return run if len(letters) >= 2 and _is_spelled(text, run) else []
    spoken = [element for element in run if element.kind in ("number", "ordinal")]
    if len(run) == 1:
        alone = text[run[0].start : run[0].end].lower()
        return [] if run[0].kind == "digits" or alone in ("one", "oh") else run
    return run if spoken or letters else []


def _with_zeros(run: list[_Element]) -> list[_Element]:
    """Return a run in which an “o” beside a number is a zero."""
    made = []
    for place, element in enumerate(run):
        beside = {other.kind for other in run[max(place - 1, 0) : place + 2]}
        is_zero = element.kind == "letter" and element.text.lower() == "o" and beside & {"number", "digits"}
        made.append(_Element("0", element.start, element.end, element.parts, "number") if is_zero else element)
    return made


def _is_spelled(text: str, run: Sequence[_Element]) -> bool:
    letters = [element for element in run if element.kind == "letter"]
    gaps = {text[a.end : b.start] for a, b in pairwise(run)}
    return len(letters) >= 3 or (len(letters) == 2 and len(run) > 2 and len(gaps) == 1)


def _element(text: str, parts: Sequence[_SpokenPart], at: int) -> _Element | None:
    word = parts[at].word
    start, end = parts[at].start, parts[at].end
    if word in _MARKS:
        return _Element(_MARKS[word], start, end, 1, "mark")
    if word.isdigit():
        return _Element(text[start:end], start, end, 1, "digits") if word.isascii() else None
    if word == "double" and at + 1 < len(parts) and parts[at + 1].word in ("u", "you"):
        return _Element("w", start, parts[at + 1].end, 2, "letter")
    if word in _TIMES:
        return _repeated_element(text, parts, at)
    if word in _ORDINALS:
        return _Element(_ordinal(_ORDINALS[word]), start, end, 1, "ordinal")
    value = _below_hundred(text, parts, at)
    if value is not None:
        return _add_hundreds(text, parts, at, *value)
    if len(word) == 1 and word.isascii():
        used = _count_letter_words(parts, at)
        return _Element(text[start:end], start, parts[at + used - 1].end, used, "letter")
    return None


def _count_letter_words(parts: Sequence[_SpokenPart], at: int) -> int:
    """Return how many words a letter takes, with what explains it: “p as in peter”, “s for sugar”."""
    words = [part.word for part in parts[at + 1 : at + 4]]
    if len(words) == 3 and words[:2] == ["as", "in"] and words[2].startswith(parts[at].word):
        return _EXPLAINED
    return 3 if len(words) > 1 and words[0] == "for" and words[1].startswith(parts[at].word) else 1


def _repeated_element(text: str, parts: Sequence[_SpokenPart], at: int) -> _Element | None:
    if at + 1 >= len(parts) or not _GAP.fullmatch(text, parts[at].end, parts[at + 1].start):
        return None
    after = parts[at + 1]
    sign = _DIGITS.get(after.word) or (after.word if len(after.word) == 1 and after.word.isascii() else None)
    if sign is None:
        return None
    kind = "number" if sign.isdigit() else "letter"
    return _Element(sign * _TIMES[parts[at].word], parts[at].start, after.end, 2, kind)


def _below_hundred(text: str, parts: Sequence[_SpokenPart], at: int) -> tuple[str, int] | None:
    """Return digits and number of words of what is said from a word on, or None where that is no number."""
    word = parts[at].word
    if word in _DIGITS:
        return _DIGITS[word], 1
    if word in _TEENS:
        return _TEENS[word], 1
    if word not in _TENS:
        return None
    tens = _TENS[word]
    if at + 1 < len(parts) and re.fullmatch(r"[ \t-]{1,3}", text[parts[at].end : parts[at + 1].start]):
        after = parts[at + 1].word
        if after in _ONES[1:]:
            return str(tens + _ONES.index(after)), 2
        if after in _ORDINALS and _ORDINALS[after] < 10:
            return _ordinal(tens + _ORDINALS[after]), 2
    return str(tens), 1


def _add_hundreds(text: str, parts: Sequence[_SpokenPart], at: int, digits: str, used: int) -> _Element:
    """Return the element of a number with the hundreds and thousands that follow it."""
    if digits[-1].isdigit() and digits != "0":
        for word, factor in (("thousand", 1000), ("hundred", 100)):
            if at + used < len(parts) and parts[at + used].word == word:
                value, used = int(digits) * factor, used + 1
                joined = at + used < len(parts) and parts[at + used].word == "and"
                rest = at + used + (1 if joined else 0)
                more = _below_hundred(text, parts, rest) if rest < len(parts) else None
                near = rest < len(parts) and parts[rest].start - parts[at + used - 1].end <= 5
                if more and near and more[0].isdigit() and (joined or int(more[0]) >= 10):
                    value, used = value + int(more[0]), rest - at + more[1]
                digits = str(value)
                break
    kind = "number" if digits[-1].isdigit() else "ordinal"
    return _Element(digits, parts[at].start, parts[at + used - 1].end, used, kind)


def _ordinal(value: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{value}{'th' if 10 <= value % 100 <= 20 else endings.get(value % 10, 'th')}"
