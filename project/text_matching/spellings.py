"""Normalizes texts for the search of a withdrawal: without separators, case and accents; spoken numbers as digits.

The same name, number or date is written in many ways. `squeeze` keeps letters and digits alone, and knows where each
stood; `alternative_readings` writes out what is said ("seven double oh", "quebec uniform"); `find_dates` reads dates of
any usual format.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from project.text_matching.normalization import KATAKANA, VOWEL_SIGNS, is_accent
from project.text_matching.number_words import chinese_numbers, has_number_words, number_views
from project.text_matching.spoken_forms import write_out_spoken
from project.text_matching.text_views import fold_same_length, rewrite

UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write words without a space between them, or put endings to a name: Thai, Lao, Tibetan, Burmese,
Khmer, Japanese, Chinese, Korean; for a class of a regular expression."""
_NOT_TEXT = re.compile(rf"(?:[^\w{VOWEL_SIGNS}]|_)+")
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}|&#?\w{2,8};")
_ESCAPED_JSON = re.compile(r"\\u([0-9a-fA-F]{4})")

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
_TRANSLITERATED = {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00e5": "aa", "\u00f8": "oe"}
_TRANSLITERATION = str.maketrans(
    _TRANSLITERATED | {sign.upper(): letters.capitalize() for sign, letters in _TRANSLITERATED.items()}
)


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
    return unicodedata.normalize("NFC", name).translate(_TRANSLITERATION)


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
    """Yield a text as it stands and, where they differ, without escapes, and with what is said written out."""
    yield text
    decoded = _decode(text)
    if decoded != text:
        yield decoded
    words = _LETTERS.findall(fold_same_length(decoded))
    written = _write_out_signs(decoded, words)
    spelled = _EXPLAINED.sub(r"\1", written) if "wie" in words else written
    spelled = spelled if _DOUBLES.isdisjoint(words) else _DOUBLE.sub(r"\1\1", spelled)
    if spelled != decoded:
        yield spelled
    if not written.isascii() and (figures := chinese_numbers(written).text) != written:
        yield figures
    # A number goes on behind the end of a line, or of what was taken for a sentence.
    written = _PAUSE.sub(", ", written)
    if sum(word in _ENGLISH for word in words) >= _LEAST_SPOKEN or not _ENGLISH_SURELY.isdisjoint(words):
        yield write_out_spoken(written).text
    if has_number_words(written):
        yield from (view.text for view in number_views(written))


def _decode(text: str) -> str:
    """Return a text without the escapes of links, pages and JSON."""
    decoded = html.unescape(unquote(text)) if _ESCAPED.search(text) else text
    if "\\" not in decoded:
        return decoded
    return _ESCAPED_JSON.sub(lambda found: chr(int(found[1], 16)), decoded).replace("\\", " ")


_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_SPOKEN = 3
"""Words for digits, or of an alphabet, in a text in which they may mean something; fewer name people and hotels."""
_ENGLISH = frozenset(str.split("oh nought naught zero one two three four five six seven eight nine"))
_TENS = "thir four fif six seven eigh nine"
_ENGLISH_SURELY = frozenset(
    {*str.split("ten eleven twelve twenty forty fourty double treble triple as")}
    | {f"{start}{end}" for start in _TENS.split() for end in ("teen", "ty")}
)
_DOUBLES = frozenset({"double", "doppel", "doppelt"})
_DOUBLE = re.compile(r"\b(?:double|doppelt?)[ -]([^\W\d_])\b", re.IGNORECASE)
_EXPLAINED = re.compile(r"\b([^\W\d_]) wie \1[^\W\d_]+", re.IGNORECASE)
"""A letter with what explains it in German: “M wie Martha”; in English, `spoken_forms` reads it."""
_PAUSE = re.compile(r"\.?\r?\n\s*|\.[ \t]+")
_HAN_JOINT = re.compile(
    "(?<=[a-zA-Z0-9])\\s?(?:\u70b9|\u827e\u7279|\u5708a|\u5c0f\u8001\u9f20|\u4e0b\u5212\u7ebf|\u51cf\u53f7|\u6760)\\s?(?=[a-zA-Z0-9])"
)
"""Words for the signs of an address of mail, as they are said in Chinese."""
_JOINTS = frozenset(
    str.split("dot punkt punto ponto arroba chiocciola klammeraffe dash hyphen underscore unterstrich bindestrich")
)
"""The same in other languages; where one of them stands, `at` and its kind mean signs too."""
_JOINT = re.compile(rf"\b(?:{'|'.join(sorted(_JOINTS))}|at|plus|minus|point|slash)\b", re.IGNORECASE)
_ALPHABET = (
    "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa "
    "quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu anton berta casar dora emil friedrich "
    "gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula quelle richard samuel siegfried theodor "
    "ulrich viktor wilhelm xanthippe ypsilon zacharias"
)
_DIGITS = (
    "zero nul; uno una um een; due dois twee; tre tres drie; quattro quatro vier; cinque cinco vijf; sei seis zes; "
    "sette sete zeven; otto oito acht; nove negen"
)
"""Digits in Italian, Portuguese and Dutch; whole numbers of other languages are read elsewhere."""
_DIGIT_SIGNS = {word: str(digit) for digit, words in enumerate(_DIGITS.split(";")) for word in words.split()}
_SIGNS = _DIGIT_SIGNS | {word: word[0] for word in _ALPHABET.split()}
_SIGN = f"(?:{'|'.join(_SIGNS)})"
_SIGN_RUN = re.compile(rf"(?<![^\W\d_]){_SIGN}(?:[\s,.-]{{1,3}}{_SIGN}){{2,}}(?![^\W\d_])")


def _write_out_signs(text: str, words: list[str]) -> str:
    """Return a text with spelled words as letters; words for signs between them go. `words` are those of the text."""
    if not text.isascii():
        text = _HAN_JOINT.sub("", text)
    if not _JOINTS.isdisjoint(words):
        text = _JOINT.sub("", text)
    if sum(word in _SIGNS for word in words) < _LEAST_SPOKEN:
        return text
    runs = _SIGN_RUN.finditer(fold_same_length(text))
    return rewrite(text, ((*run.span(), _spell(_LETTERS.findall(run[0]))) for run in runs)).text


def _spell(words: list[str]) -> str:
    """Return the signs of spelled words: “otto” is the letter of a German alphabet, beside Italian digits an 8."""
    has_digits = any(_SIGNS[word].isdigit() for word in words)
    return "".join("8" if has_digits and word == "otto" else _SIGNS[word] for word in words)


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
