"""Writes out spoken numbers in German, Spanish, French and Chinese: “null eins sieben” -> “017”.

English is read elsewhere. A language is not guessed: each reads a text in which at least two of its number words follow
one another, or one that only that language has; what one of them makes of it is one more view of the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from project.text_matching.text_views import TextView, fold_same_length, rewrite

_TOP = 10_000
_WORD = re.compile(r"[^\W\d_]+|\d+")
_GAP = re.compile(r"[ \t\u00a0]{1,3}|[ \t]?-[ \t]?|,[ \t]{0,2}|\.[ \t]{1,2}")
_CLAUSE = re.compile(r"[,.]")
_MAX_RUN_WORDS = 48
_CENTURY = range(1100, 2000)
# Words of these languages that English has too: alone they are no number.
_ENGLISH = frozenset({"six", "once", "mil", "seize", "onze"})

_MARKS = {
    "de": {"plus": "+", "strich": "-", "bindestrich": "-", "schragstrich": "/"},
    "es": {"mas": "+", "guion": "-", "barra": "/"},
    "fr": {"plus": "+", "tiret": "-", "slash": "/", "barre": "/"},
}
_TIMES = {
    "de": {"doppel": 2, "doppelt": 2, "zweimal": 2, "dreimal": 3},
    "es": {"doble": 2, "triple": 3},
    "fr": {"double": 2, "triple": 3},
}
_ALONE = {"de": {"ein", "eine", "einen", "einer"}, "es": {"un", "una", "uno"}, "fr": {"un", "une"}}
"""Articles: a number beside other numbers only."""


_YEARS = range(1900, 2031)


def is_date(numbers: Sequence[str]) -> bool:
    """Tell whether numbers are day, month and year, or month, day and year; the year has to be one after the 31st."""
    if len(numbers) != 3 or not all(number.isdecimal() and number.isascii() and len(number) <= 4 for number in numbers):
        return False
    first, second, year = map(int, numbers)
    days = (1 <= first <= 31 and 1 <= second <= 12) or (1 <= first <= 12 and 1 <= second <= 31)
    return days and (31 < year < 100 or year in _YEARS)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number that is said: its digits, its place, how it was said."""

    digits: str
    start: int
    end: int
    ordinal: bool = False
    mark: bool = False


def has_number_words(text: str) -> bool:
    """Tell quickly whether a text may hold numbers of which `number_views` makes something."""
    return not _any_first_word().isdisjoint(_WORD.findall(fold_same_length(text).replace("\u00df", "ss")))


@cache
def _any_first_word() -> frozenset[str]:
    return frozenset().union(*(_first_words(language) - _ALONE[language] for language in ("de", "es", "fr")))


def number_views(text: str) -> Iterator[TextView]:
    """Yield a text as each language reads its numbers, for those languages that have numbers in it."""
    folded = fold_same_length(text)
    words = [(match[0].replace("\u00df", "ss"), *match.span()) for match in _WORD.finditer(folded)]
    for language in ("de", "es", "fr"):
        view = _language_view(text, folded, words, language)
        if view is not None:
            yield view
    if _CHINESE.search(text):
        yield chinese_numbers(text)


def _language_view(text: str, folded: str, words: list[tuple[str, int, int]], language: str) -> TextView | None:
    known, firsts = _spellings(language), _first_words(language)
    runs: list[list[_Number]] = []
    at = 0
    while at < len(words):
        if words[at][0] not in firsts:
            at += 1
            continue
        run, used = _run(folded, words, at, language, known)
        if _is_worth_writing(run, folded, language):
            runs.append(run)
        at += max(used, 1)
    if not runs or all(len(run) == 1 and folded[run[0].start : run[0].end] in _ENGLISH for run in runs):
        return None
    return rewrite(text, chain.from_iterable(_changes(run, folded) for run in runs))


def _run(
    folded: str, words: list[tuple[str, int, int]], at: int, language: str, known: Mapping[str, tuple[str, bool]]
) -> tuple[list[_Number], int]:
    """Return the numbers that follow one another from a word on, and how many words they are."""
    found: list[_Number] = []
    first = at
    while at < len(words) and len(found) < _MAX_RUN_WORDS:
        if found and not _GAP.fullmatch(folded, words[at - 1][2], words[at][1]):
            break
        number, used = _number(folded, words, at, language, known)
        if number is None:
            break
        found.append(number)
        at += used
    while found and found[-1].mark:
        found.pop()
    return _with_zeros(found), at - first


def _with_zeros(run: list[_Number]) -> list[_Number]:
    """Return a run in which a zero belongs to the figure after it: “cero siete” is one number, 07."""
    made: list[_Number] = []
    for number in run:
        if (
            made
            and made[-1].digits == "0"
            and len(number.digits) == 1
            and number.digits.isdecimal()
            and not number.ordinal
        ):
            made[-1] = _Number(f"0{number.digits}", made[-1].start, number.end)
        else:
            made.append(number)
    return made


def _number(
    folded: str, words: list[tuple[str, int, int]], at: int, language: str, known: Mapping[str, tuple[str, bool]]
) -> tuple[_Number | None, int]:
    word, start, end = words[at]
    if word.isdecimal():
        return _Number(word, start, end), 1
    if word in _MARKS[language]:
        return _Number(_MARKS[language][word], start, end, mark=True), 1
    if word in _TIMES[language] and at + 1 < len(words):
        after = known.get(words[at + 1][0])
        if after is not None and len(after[0]) == 1:
            return _Number(after[0] * _TIMES[language][word], start, words[at + 1][2]), 2
        return None, 0
    best: tuple[_Number | None, int] = (None, 0)
    spelled = ""
    for used in range(1, min(_most_words(language), len(words) - at) + 1):
        following, first, last = words[at + used - 1]
        if following.isdecimal() or (
            used > 1 and not re.fullmatch(r"[ \t\u00a0]{1,2}|-", folded[words[at + used - 2][2] : first])
        ):
            break
        spelled += following
        if spelled in known:
            digits, ordinal = known[spelled]
            best = _Number(digits, start, last, ordinal), used
    return best


def _is_worth_writing(run: list[_Number], folded: str, language: str) -> bool:
    """Tell whether numbers are worth writing out: not an article, not figures that stand there already."""
    said = [number for number in run if not number.mark and not folded[number.start : number.end].isdecimal()]
    if not said:
        return False
    return len(run) > 1 or folded[run[0].start : run[0].end] not in _ALONE[language]


def _changes(run: list[_Number], folded: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is written for the numbers of a run, and for what stands between them."""
    as_date = not any(number.mark for number in run) and _is_date(run)
    for number, before, after in zip(run, [None, *run], [*run[1:], None], strict=False):
        if before is not None and not _CLAUSE.search(folded, before.end, number.start):
            yield before.end, number.start, ("." if run[0].ordinal else "/") if as_date else ""
        digits = number.digits
        if number.ordinal and not (as_date and after is not None):
            digits += ". " if after is not None and after.digits.isdecimal() else "."
        yield number.start, number.end, digits


def _is_date(numbers: list[_Number]) -> bool:
    """Tell whether three numbers are day, month and year: the year says so, or that they were counted."""
    said = is_date([number.digits for number in numbers])
    counted = len(numbers) == 3 and numbers[0].ordinal and numbers[1].ordinal
    return said or (counted and is_date([numbers[0].digits, numbers[1].digits, "99"]))


@cache
def _spellings(language: str) -> Mapping[str, tuple[str, bool]]:
    """Return spelling without blanks, hyphens and accents -> digits, and whether it is an ordinal number."""
    made: dict[str, tuple[str, bool]] = {}
    spell: Callable[[int], Iterator[str]] = {"de": _german, "es": _spanish, "fr": _french}[language]
    for value in range(_TOP):
        for spelling in spell(value):
            made.setdefault(spelling, (str(value), False))
    made |= {word: (str(value), True) for word, value in _ordinals(language)}
    return made


@cache
def _first_words(language: str) -> frozenset[str]:
    """Return the words that a number may begin with, joined to others or not."""
    found = {*_spellings(language), *_MARKS[language], *_TIMES[language]}
    if language == "fr":
        found.add("quatre")
    return frozenset(found)


def _most_words(language: str) -> int:
    return {"de": 6, "es": 6, "fr": 9}[language]


_DE_ONES = str.split("null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf")
_DE_TEENS = str.split("dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn")
_DE_TENS = str.split("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig")


def _german(value: int) -> Iterator[str]:
    for spelling in _german_plain(value):
        yield spelling
        if "zweiund" in spelling:
            yield spelling.replace("zweiund", "zwound")
        if "funf" in spelling or "zwolf" in spelling:
            yield spelling.replace("funf", "fuenf").replace("zwolf", "zwoelf")


def _german_plain(value: int) -> Iterator[str]:
    if value == 1:
        yield from ("eins", "ein", "eine", "einen", "einer")
    elif value == 2:
        yield from ("zwei", "zwo")
    elif value < 13:
        yield _DE_ONES[value]
    elif value < 20:
        yield _DE_TEENS[value - 13]
    elif value < 100:
        tens, ones = divmod(value, 10)
        yield (_DE_ONES[ones] + "und" if ones else "") + _DE_TENS[tens - 2]
    elif value < 1000:
        yield from _german_parts(value, 100, "hundert")
    else:
        yield from _german_parts(value, 1000, "tausend")
        if value in _CENTURY and value % 1000 >= 100:
            yield from _german_parts(value, 100, "hundert")


def _german_parts(value: int, factor: int, word: str) -> Iterator[str]:
    count, rest = divmod(value, factor)
    heads = [next(_german_plain(count))] if count > 1 else ["ein", ""]
    tails = [""] if not rest else [*_german_plain(rest)][:2]
    for head in heads:
        for tail in tails:
            yield f"{head}{word}{tail}"
            if tail and rest < 100:
                yield f"{head}{word}und{tail}"


_ES_ONES = str.split(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete "
    "veintiocho veintinueve"
)
_ES_TENS = str.split("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS = str.split(
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)


def _spanish(value: int) -> Iterator[str]:
    if value == 1:
        yield from ("uno", "un", "una")
    elif value < 30:
        yield _ES_ONES[value]
        if value == 21:
            yield "veintiun"
    elif value < 100:
        tens, ones = divmod(value, 10)
        yield _ES_TENS[tens - 3] + ("y" + _ES_ONES[ones] if ones else "")
    elif value == 100:
        yield from ("cien", "ciento")
    elif value < 1000:
        hundreds, rest = divmod(value, 100)
        tail = next(_spanish(rest)) if rest else ""
        yield _ES_HUNDREDS[hundreds - 1] + tail
        if hundreds > 1:
            yield _ES_HUNDREDS[hundreds - 1].replace("ientos", "ientas") + tail
    else:
        thousands, rest = divmod(value, 1000)
        yield (next(_spanish(thousands)) if thousands > 1 else "") + "mil" + (next(_spanish(rest)) if rest else "")


_FR_ONES = str.split(
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dixsept dixhuit "
    "dixneuf"
)
_FR_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 80: "quatrevingt"}
_FR_ELSEWHERE = {70: "septante", 80: "huitante", 90: "nonante"}


def _french(value: int) -> Iterator[str]:
    if value == 1:
        yield from ("un", "une")
    elif value < 20:
        yield _FR_ONES[value]
    elif value < 100:
        yield from _french_tens(value)
    elif value < 1000:
        yield from _french_parts(value, 100, "cent")
    else:
        yield from _french_parts(value, 1000, "mille")
        if value in _CENTURY:
            yield from _french_parts(value, 100, "cent")


def _french_tens(value: int) -> Iterator[str]:
    base = value // 20 * 20 if value >= 60 else value // 10 * 10
    word, rest = _FR_TENS[base], value - base
    if not rest:
        yield word
        if base == 80:
            yield "quatrevingts"
    elif rest in (1, 11) and base != 80:
        yield f"{word}et{_FR_ONES[rest]}"
        yield f"{word}{_FR_ONES[rest]}"
    else:
        yield f"{word}{_FR_ONES[rest]}"
    if value // 10 * 10 in _FR_ELSEWHERE:
        ones = value % 10
        yield _FR_ELSEWHERE[value // 10 * 10] + (("et" if ones == 1 else "") + _FR_ONES[ones] if ones else "")


def _french_parts(value: int, factor: int, word: str) -> Iterator[str]:
    count, rest = divmod(value, factor)
    head = next(_french(count)) if count > 1 else ""
    for tail in [*_french(rest)][:2] if rest else [""]:
        yield f"{head}{word}{tail}"
    if factor == 100 and not rest:
        yield f"{head}{word}s"


_DE_FIRST = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
_ES_FIRST = "primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo"


def _ordinals(language: str) -> Iterator[tuple[str, int]]:
    if language == "de":
        for value in range(1, 32):
            for spelling in _german(value):
                stem = _DE_FIRST.get(value) or spelling + ("t" if value < 20 else "st")
                for ending in ("e", "en", "er", "es", "em"):
                    yield stem + ending, value
    elif language == "es":
        yield from (("primero", 1), ("primer", 1))
    else:
        yield from (("premier", 1), ("premiere", 1))


_CHINESE_DIGITS = {sign: str(n) for n, sign in enumerate("零一二三四五六七八九")} | {
    "\u3007": "0",
    "○": "0",
    "幺": "1",
    "两": "2",
    "兩": "2",
    **{sign: str(n) for n, sign in enumerate("零壹贰叁肆伍陆柒捌玖")},
}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_SIGNS = "".join(_CHINESE_DIGITS) + "".join(_UNITS)
_CHINESE = re.compile(rf"[{_SIGNS}](?:[ \t-]?[{_SIGNS}])*")


def chinese_numbers(text: str) -> TextView:
    """Return a text with Chinese numerals as digits."""
    return rewrite(text, ((*match.span(), _chinese_digits(match[0])) for match in _CHINESE.finditer(text)))


def _chinese_digits(signs: str) -> str:
    """Return what is said digit by digit, or counted, as digits."""
    known = [sign for sign in signs if sign in _SIGNS]
    if any(sign in _UNITS for sign in known):
        return str(_chinese_value(known))
    return "".join(_CHINESE_DIGITS[sign] for sign in known)


def _chinese_value(signs: list[str]) -> int:
    total, count = 0, 0
    for sign in signs:
        if sign in _UNITS:
            total += max(count, 1) * _UNITS[sign]
            count = 0
        else:
            count = count * 10 + int(_CHINESE_DIGITS[sign])
    return total + count
