"""Dates, and those of birth among them."""

import re
from collections.abc import Iterator

from anonymize.folding import fold
from anonymize.pii.hit import LIKELY, STRONG, Stretch
from anonymize.pii.kinds import BIRTH, DATE
from anonymize.telling import TELLING

_BIRTH = re.compile(
    r"\bborn\b|\bbirth|\bd\.?o\.?b\b|\bturn(?:ed|s|ing)?\b \w+|\bgeboren\b|\bgeburtstag\b|\bnee?e? le\b|\bnacido|"
    r"\bnacida|"
    r"\bnato\b|\bnata\b|\bnacimiento\b|\bnaissance\b|\bgeburtsdatum\b|\bgeb\.|\bnaci\b|\bnacio\b|\bnacimos\b|"
    r"\bcumpleanos\b|\bnee?s?\b|\banniversaire\b|出生|生日|生于|生的"
)
_MONTHS = (
    "januar|janner|februar|marz|maerz|mai|juni|juli|oktober|dezember|janvier|fevrier|mars|avril|juin|juillet|aout|"
    "septembre|octobre|novembre|decembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|"
    "octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december|"
    "gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|marco|maio|junho|julho|"
    "setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus"
)
_DAY = r"(?<![^\W_])(?:0?[1-9]|[12]\d|3[01])(?:\.|er|re|eme|[oa\u00b0])?"
_YEAR = r"(?:1[89]\d\d|20\d\d|'?\d\d)(?![^\W_])"
_OF = r"(?:de|del|di|of|du)"
_MORE: tuple[re.Pattern[str], ...] = (
    re.compile(rf"{_DAY}\s*(?:{_OF}\s+)?(?:{_MONTHS})\.?(?![^\W_])(?:,?\s*(?:{_OF}\s+)?{_YEAR})?"),
    re.compile(
        r"(?<![^\W_])\d{1,2}\s+(point|dot|forward slash|slash|stroke|punkt|punto)\s+\d{1,2}\s+\1\s+" + _YEAR,
    ),
    re.compile(rf"(?<![^\W_])\d{{1,2}}(?:st|nd|rd|th)\s+of\s+the\s+\d{{1,2}}(?:st|nd|rd|th)(?:,?\s+{_YEAR})?"),
    re.compile(rf"{_DAY}\s+{_OF}\s+\d{{1,2}}\s+{_OF}\s+{_YEAR}"),
    re.compile(r"(?<!\d)(?:\d{2,4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}(?:\s?[日号號])?|(?<!\d)\d{4}\s?年\s?\d{1,2}\s?月"),
)
"""Days as German, Spanish, French, Chinese and their neighbours say them, beside those of `TELLING`."""
_LOOSE = re.compile(
    r"(?<![^\W_])(?:1[89]\d\d|20[0-2]\d)(?![^\W_])|(?<![^\W_])\d{4,8}(?![^\W_])|\d{1,2}\D{1,3}\d{1,2}\D{1,3}\d{2,4}"
)
_SHORT_YEAR = re.compile(r"(?:,?\s+)'?\d\d(?![^\W_])")
_NEAR = 60
# 3.1.4 is a version.
_LEAST_DIGITS = 4


def dates(text: str) -> Iterator[Stretch]:
    """Yield days of a text in which spoken numbers are written out; with a birth near, also years and bare numbers."""
    folded = fold(text)
    births = [hit.span() for hit in _BIRTH.finditer(folded.text)]
    for kind, pattern in TELLING:
        if kind != "date":
            continue
        for hit in pattern.finditer(folded.text):
            first, last = hit.span()
            if sum(letter.isdigit() for letter in hit[0]) < _LEAST_DIGITS and not any(map(str.isalpha, hit[0])):
                continue
            if year := _SHORT_YEAR.match(folded.text, last):
                last = year.end()
            start, end = folded.span(first, last)
            born = _is_near(births, first, last)
            yield Stretch(start, end, BIRTH if born else DATE, STRONG if born else LIKELY)
    for pattern in _MORE:
        for hit in pattern.finditer(folded.text):
            born = _is_near(births, *hit.span())
            yield Stretch(*folded.span(*hit.span()), BIRTH if born else DATE, STRONG if born else LIKELY)
    for hit in _LOOSE.finditer(folded.text) if births else ():
        if any(last <= hit.start() <= last + _NEAR // 2 for _, last in births):
            yield Stretch(*folded.span(*hit.span()), BIRTH, STRONG)


def _is_near(births: list[tuple[int, int]], first: int, last: int) -> bool:
    return any(first - _NEAR <= end and begin <= last + _NEAR for begin, end in births)
