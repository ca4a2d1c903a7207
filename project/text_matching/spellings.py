"""Normalizes texts for the search of a withdrawal: without separators, case and accents; spoken numbers as digits.

The same name, number or date is written in many ways. `squeeze` keeps letters and digits alone, and knows where each
stood; `write_out_numbers` turns what is said ("seven double oh", "quebec uniform") into what is meant; `find_dates`
reads dates of any usual format.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from project.text_matching.normalization import KATAKANA, VOWEL_SIGNS, is_accent
from project.text_matching.number_words import chinese_numbers, has_number_words, number_views

_NOT_TEXT = re.compile(rf"(?:[^\w{VOWEL_SIGNS}]|_)+")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}|&#?\w{2,8};")

# What shows nothing in a text beside the signs of category Cf: fillers, selectors of variants.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LIKE = {
    ord(sign): plain
    for sign, plain in {
        **{"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0131": "i", "\u00e6": "ae", "\u0153": "oe"},
        **{"\u00f0": "d", "\u00fe": "th", "\u0127": "h"},
        # Cyrillic and Greek letters that look like Latin ones.
        **{"\u0430": "a", "\u0435": "e", "\u043e": "o", "\u0440": "p", "\u0441": "c", "\u0445": "x", "\u0443": "y"},
        **{"\u0456": "i", "\u0455": "s", "\u0458": "j", "\u043a": "k", "\u043c": "m", "\u0442": "t", "\u043d": "h"},
        **{"\u0432": "b", "\u03bf": "o", "\u03b1": "a", "\u03bd": "v", "\u03b9": "i", "\u03c1": "p", "\u03ba": "k"},
    }.items()
} | KATAKANA
_TRANSLITERATED = {
    ord(sign): plain
    for sign, plain in {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00e5": "aa", "\u00f8": "oe"}.items()
}


def fold_letters(text: str) -> str:
    """Return a text in small Latin letters without accents; digits of any script are ASCII digits."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold()).translate(_LIKE)
    return "".join(_fold_sign(sign) for sign in apart)


def _fold_sign(sign: str) -> str:
    if sign.isascii():
        return sign
    if is_accent(sign) or unicodedata.category(sign) == "Cf":
        return ""
    digit = unicodedata.decimal(sign, None)
    return sign if digit is None else str(digit)


def squeeze_letters(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return _NOT_TEXT.sub("", _INVISIBLE.sub("", fold_letters(text)) if not text.isascii() else text.lower())


def transliterate(name: str) -> str:
    """Return a name with its umlauts written as two letters."""
    return unicodedata.normalize("NFC", name).lower().translate(_TRANSLITERATED)


@dataclass(frozen=True)
class SqueezedText:
    """A text and its letters and digits; `places[i]` is where in `plain` the letter i of `letters` stands."""

    plain: str
    letters: str

    @cached_property
    def places(self) -> list[int]:
        """Worked out where something is to be looked at: most texts hold nothing."""
        return [at for at, sign in enumerate(self.plain) for _ in squeeze_letters(sign)]

    def plain_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the letters stands in the plain text."""
        return self.places[start], self.places[end - 1] + 1

    def gaps(self, start: int, end: int) -> list[tuple[int, str]]:
        """Return what stands between the letters of a stretch: how many letters are before it, and the signs."""
        places, found = self.places, []
        for at in range(start + 1, end):
            between = self.plain[places[at - 1] + 1 : places[at]]
            if places[at] > places[at - 1] + 1 and (shown := _remove_invisible(between)):
                found.append((at - start, shown))
        return found


def _remove_invisible(text: str) -> str:
    """Return a text without what shows nothing, so that a soft hyphen makes no gap."""
    return (
        text
        if text.isascii()
        else "".join(s for s in _INVISIBLE.sub("", text) if unicodedata.category(s) not in ("Cf", "Mn"))
    )


def squeeze(text: str) -> SqueezedText:
    """Return a text with its letters and digits apart."""
    return SqueezedText(text, squeeze_letters(text))


def alternative_readings(text: str) -> Iterator[str]:
    """Yield a text as it stands and, where they differ, without escapes of links and pages, and with what is said."""
    yield text
    decoded = html.unescape(unquote(text)) if _ESCAPED.search(text) else text
    if decoded != text:
        yield decoded
    if not decoded.isascii() and (figures := convert_chinese_numerals(decoded)) != decoded:
        yield figures
    if _is_spoken(fold_letters(decoded)):
        made = write_out_numbers(decoded)
        yield made
        if _FACTOR.search(fold_letters(decoded)):
            yield write_out_numbers(decoded, added=True)
    if has_number_words(decoded):
        for view in number_views(decoded):
            yield view.text


_HAN_JOINT = re.compile(
    "(?<=[a-zA-Z0-9])\\s?(?:\u70b9|\u827e\u7279|\u5708a|\u5c0f\u8001\u9f20|\u4e0b\u5212\u7ebf|\u51cf\u53f7|\u6760)\\s?(?=[a-zA-Z0-9])"
)
"""Words for the signs of an address of mail, as they are said in Chinese."""


def convert_chinese_numerals(text: str) -> str:
    """Return a text with Chinese numbers as digits, said digit by digit or counted; words for signs of addresses go."""
    return chinese_numbers(_HAN_JOINT.sub("", text)).text


def _is_spoken(plain: str) -> bool:
    """Tell whether enough is said in a text for a number, an address or a spelled name."""
    words = _WORD.findall(plain)
    count = sum(word in _COUNTED for word in words)
    return (
        count >= _MIN_SPOKEN_WORDS
        or (count > 0 and not _SURELY.isdisjoint(words))
        or ("und" in plain and any(_GERMAN.fullmatch(word) for word in words))
    )


_DIGITS: dict[str, str] = {
    word: str(digit)
    for digit, words in enumerate(
        (
            "zero oh nought naught null cero nul",
            "one eins ein un une uno una een",
            "two zwei zwo deux dos due twee dois",
            "three drei trois tres tre drie",
            "four vier quatre cuatro quattro quatro",
            "five funf fuenf cinq cinco cinque vijf",
            "six sechs seis sei zes",
            "seven sieben sept siete sette zeven sete",
            "eight acht huit ocho otto oito",
            "nine neun neuf nueve nove negen",
        )
    )
    for word in words.split()
}
_TEENS = {
    word: str(number)
    for number, words in enumerate(
        (
            *("ten zehn dix diez dieci tien dez", "eleven elf onze undici", "twelve zwolf zwoelf douze doce dodici"),
            *("thirteen dreizehn", "fourteen vierzehn", "fifteen funfzehn", "sixteen sechzehn", "seventeen siebzehn"),
            *("eighteen achtzehn", "nineteen neunzehn"),
        ),
        start=10,
    )
    for word in words.split()
}
_TENS = {
    word: number
    for number, words in zip(
        range(20, 100, 10),
        (
            *("twenty zwanzig", "thirty dreissig", "forty fourty vierzig", "fifty funfzig", "sixty sechzig"),
            *("seventy siebzig", "eighty achtzig", "ninety neunzig"),
        ),
        strict=True,
    )
    for word in words.split()
}
_GERMAN = re.compile(r"(ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und(\w+(?:zig|ssig))")
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: str(number) for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)} | {"thirtieth": "30"}
_FACTORS = {"hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000}
_TIMES = {"double": 2, "triple": 3, "treble": 3, "doppel": 2, "doppelt": 2}
_ALPHABET_WORDS = (
    "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa "
    "quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu anton berta casar dora emil friedrich "
    "gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula quelle richard samuel siegfried theodor "
    "ulrich viktor wilhelm xanthippe ypsilon zacharias"
)
_ALPHABET = {word: word[0] for word in _ALPHABET_WORDS.split()}
_JOINTS = frozenset(
    {"dot", "at", "punkt", "point", "punto", "ponto", "arroba", "chiocciola", "klammeraffe", "dash", "hyphen", "minus"}
    | {"underscore", "unterstrich", "bindestrich", "slash", "plus"}
)
_SPOKEN_WORDS = frozenset({*_DIGITS, *_TEENS, *_TENS, *_FACTORS, *_TIMES, *_ALPHABET, *_JOINTS, *_ORDINALS})
_COUNTED = _SPOKEN_WORDS - {
    "at",
    "one",
    "un",
    "une",
    "uno",
    "una",
    "een",
    "ein",
    "plus",
    "minus",
    "point",
    "first",
    "second",
}
_SURELY = frozenset({*_TIMES, *_JOINTS, *_TEENS, *_TENS, *_ORDINALS, *_FACTORS}) - {
    "at",
    "minus",
    "plus",
    "point",
    "first",
    "second",
}
_MIN_SPOKEN_WORDS = 3
_FACTOR = re.compile(r"\b(?:hundred|hundert|thousand|tausend)\b")
_SPELLED = 3
"""Words of an alphabet in a row that spell something; fewer are names of people and hotels."""


def write_out_numbers(text: str, *, added: bool = False) -> str:
    """Return a text with spoken numbers as digits and spelled words as letters; words for signs between them go.

    Args:
        text: as it was said.
        added: "nine hundred one" is 901; else 900 and 1, as in a telephone number. With an "and" it is 901 always.
    """
    words = [(match.start(), match.end(), fold_letters(match[0])) for match in _WORD.finditer(text)]
    made: list[str] = []
    at, done = 0, 0
    while at < len(words):
        value, used = _read(words, at, text, added)
        if used:
            gap = text[done : words[at][0]]
            # Numbers that are said one after the other are one number.
            joined = made and value.isdigit() and made[-1].isdigit() and not gap.strip(" \t-,")
            made += [value] if joined else [gap, value]
            done, at = words[at + used - 1][1], at + used
        else:
            at += 1
            end = words[at - 1][1]
            made.append(text[done:end])
            done = end
    return "".join((*made, text[done:]))


_Words = Sequence[tuple[int, int, str]]


def _read(words: _Words, at: int, text: str, added: bool) -> tuple[str, int]:
    """Return what is meant by the words from one on, and how many they are; 0 where they mean themselves."""
    word = words[at][2]
    if word in _TIMES and at + 1 < len(words):
        after = words[at + 1][2]
        sign = _DIGITS.get(after) or (after if len(after) == 1 else "")
        return (sign * _TIMES[word], 2) if sign else ("", 0)
    if word in _JOINTS:
        return ("", 1) if 0 < at < len(words) - 1 else ("", 0)
    if len(word) == 1 and at + 3 < len(words) and words[at + 1][2] in ("as", "wie") and words[at + 2][2][:1]:
        named = 3 if words[at + 2][2] in ("in", "for") else 2
        if words[at + named][2].startswith(word):
            return word, named + 1
    if word in _ALPHABET and _count_spelled_letters(words, at) >= _SPELLED:
        return f" {_ALPHABET[word]} ", 1
    value, used = _below_hundred(words, at, text)
    if not used:
        return (_ORDINALS[word], 1) if word in _ORDINALS else ("", 0)
    while at + used < len(words) and words[at + used][2] in _FACTORS and value != "0":
        number, used = int(value) * _FACTORS[words[at + used][2]], used + 1
        following = at + used
        has_and = following < len(words) and words[following][2] in ("and", "und")
        more, length = _below_hundred(words, following + has_and, text)
        if length and (has_and or added):
            number, used = number + int(more), used + has_and + length
        value = str(number)
    return value, used


def _count_spelled_letters(words: _Words, at: int) -> int:
    first = last = at
    while first > 0 and words[first - 1][2] in _ALPHABET:
        first -= 1
    while last + 1 < len(words) and words[last + 1][2] in _ALPHABET:
        last += 1
    return last - first + 1


def _below_hundred(words: _Words, at: int, text: str) -> tuple[str, int]:
    if at >= len(words):
        return "", 0
    word = words[at][2]
    if word in _DIGITS:
        return _DIGITS[word], 1
    if word in _TEENS:
        return _TEENS[word], 1
    if word in _TENS:
        if at + 1 < len(words) and text[words[at][1] : words[at + 1][0]].strip(" \t-") == "":
            after = words[at + 1][2]
            unit = _DIGITS.get(after, "0") if after in _DIGITS else _ORDINALS.get(after, "0")
            if unit != "0" and len(unit) == 1:
                return str(_TENS[word] + int(unit)), 2
        return str(_TENS[word]), 1
    if (compound := _GERMAN.fullmatch(word)) and compound[2] in _TENS:
        return str(_TENS[compound[2]] + int(_DIGITS[compound[1]])), 1
    return "", 0


Day = tuple[int, int, int]
"""A year of its century, a month, a day."""

_MONTHS = (
    *("jan janv gen ene", "feb fev febb fevr", "mar mars marz maerz mrz maart marzo marco", "apr avr abr"),
    *("may mai mei mayo maggio maio mag", "jun juin giu", "jul juil lug", "aug aout ago"),
    *("sep sept set", "oct okt ott out", "nov", "dec dez dic"),
)
_MONTH_OF = {short: number for number, shorts in enumerate(_MONTHS, 1) for short in shorts.split()}
_MONTH = r"([a-z]{3,10})"
_LINK = r"[\s.,/-]{0,4}(?:(?:of|de|del|di|the|den)\b[\s.,/-]{0,4})?"
_YEAR = r"'?(\d{4}|\d{2})(?!\d)"
_NUMERIC = re.compile(
    r"(?<!\d)(\d{1,4})\s?[./\-\s_\u2010-\u2013]\s?(\d{1,2})\s?[./\-\s_\u2010-\u2013]\s?(\d{1,4})(?!\d)"
)
_DAY_FIRST = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er)?{_LINK}{_MONTH}{_LINK}{_YEAR}")
_MONTH_FIRST = re.compile(rf"(?<![a-z]){_MONTH}{_LINK}(\d{{1,2}})(?!\d)(?:st|nd|rd|th)?{_LINK}{_YEAR}")
_YEAR_FIRST = re.compile(rf"(?<!\d)(\d{{4}}){_LINK}{_MONTH}{_LINK}(\d{{1,2}})(?!\d)")
_TOGETHER = re.compile(r"(?<!\d)\d{8}(?!\d)")
_EAST_ASIAN = re.compile(r"(?<!\d)(\d{4}|\d{2})\s?[\u5e74\ub144]\s?(\d{1,2})\s?[\u6708\uc6d4]\s?(\d{1,2})(?!\d)")
"""A day as Chinese, Japanese and Korean write it: with the signs for year and month."""


def find_dates(text: str) -> set[Day]:
    """Return the days that a text names, whole ones alone; a day that can be read in two ways is both."""
    if not any(map(str.isdigit, text)):
        return set()
    plain = fold_letters(text)
    found: set[Day] = set()

    def add(year: str, month: int | None, day: str) -> None:
        if month and 1 <= month <= 12 and 1 <= int(day) <= 31 and len(year) in (2, 4):
            found.add((int(year) % 100, month, int(day)))

    for match in _NUMERIC.finditer(plain):
        first, second, third = match.groups()
        if len(first) == 4:
            add(first, int(second), third)
        elif len(third) in (2, 4):
            add(third, int(second), first)
            add(third, int(first), second)
            add(first.zfill(2), int(second), third)
    for match in _TOGETHER.finditer(plain):
        digits = match[0]
        add(digits[:4], int(digits[4:6]), digits[6:])
        add(digits[4:], int(digits[2:4]), digits[:2])
        add(digits[4:], int(digits[:2]), digits[2:4])
    for match in _EAST_ASIAN.finditer(unicodedata.normalize("NFC", plain)):
        add(match[1], int(match[2]), match[3])
    for match in _DAY_FIRST.finditer(plain):
        add(match[3], _month(match[2]), match[1])
    for match in _MONTH_FIRST.finditer(plain):
        add(match[3], _month(match[1]), match[2])
    for match in _YEAR_FIRST.finditer(plain):
        add(match[1], _month(match[2]), match[3])
    return found


def _month(word: str) -> int | None:
    """Return the number of a month by its name in a European language, or by an abbreviation of it."""
    lengths = range(min(len(word), 5), 2, -1)
    return next((_MONTH_OF[word[:length]] for length in lengths if word[:length] in _MONTH_OF), None)
