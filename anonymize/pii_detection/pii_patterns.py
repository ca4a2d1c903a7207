"""Patterns of electronic addresses and dates, with dates of birth among them, over normalized texts.

Electronic addresses are e-mail addresses, links and handles, written and spoken.
"""

import re
from collections.abc import Iterator

from anonymize.pii_detection.pii_hit import BIRTH, CERTAIN, DATE, LIKELY, LINK, MAIL, STRONG, PiiSpan
from project.text_matching.normalization import function_words, is_common
from project.text_matching.text_views import fold_with_positions

_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|mar(?:ch|s|z)|maerz|apr(?:il)?|avril|ma[iy]|jun[ei]?|juin|jul[yi]?|"
    "juillet|aug(?:ust)?|aout|sep(?:t|tember|tembre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember|embre)?|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_ORDINAL_DAY = r"(?:[0-3]?\d)(?:st|nd|rd|th|\.)?"
_NOT_IN_WORD, _WORD_END = r"(?<![^\W_])", r"(?![^\W_])"
_COMMON_DOMAINS = "com|org|net|edu|gov|io|de|uk|fr|nl|eu|ch|at|it|es"

IDENTIFYING_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("link", re.compile(r"(?:(?<![a-z0-9+.-])[a-z0-9+.-]*://|www\.)[^\s<>\"]+")),
    (
        "e-mail",
        re.compile(r"(?<![^\s@<>()\[\],;:\"])[^\s@<>()\[\],;:\"]+\s?(?:@|\(at\)|\[at\])\s?[^\s@<>()\[\],;:\"]+"),
    ),
    ("e-mail", re.compile(r"(?<![a-z0-9._%+-])[a-z0-9._%+-]+ at [a-z0-9-]+(?: dot [a-z0-9-]+)+")),
    ("path", re.compile(r"(?<![^\s\"'(=\[])(?:[a-z]:\\|\\\\|~/|/)[^\s/\\<>\"]+(?:[/\\][^\s/\\<>\"]+)+")),
    ("link", re.compile(rf"(?<![\w.@-])(?:[a-z0-9-]+\.)+(?:{_COMMON_DOMAINS})\b(?:/\S*)?")),
    ("date", re.compile(r"(?<!\d)\d{1,4}([./-])\d{1,2}\1\d{1,4}(?!\d)")),
    (
        "date",
        re.compile(
            rf"{_NOT_IN_WORD}{_ORDINAL_DAY}(?:\s+(?:of|de))?[\s.-]*(?:{_MONTHS})\.?{_WORD_END}(?:,?\s*(?:de\s+)?\d{{2,4}}(?!\d))?"
        ),
    ),
    ("date", re.compile(rf"{_NOT_IN_WORD}(?:{_MONTHS})\.?\s+{_ORDINAL_DAY}{_WORD_END}(?:,?\s*\d{{4}}(?!\d))?")),
    ("date", re.compile(rf"{_NOT_IN_WORD}(?:{_MONTHS})\.?,?\s+(?:of\s+)?(?:1[89]|20)\d\d(?!\d)")),
    ("number", re.compile(r"(?<!\d)(?:\+|\(\+?)?\d(?:[\s()./-]{0,2}\d){6,}(?!\d)")),
    ("number", re.compile(r"(?<![^\W_])[a-z]{0,4}\d{5,}[a-z0-9]*(?![^\W_])")),
    ("number", re.compile(r"(?<![^\W_])(?=(?:[a-z-]{0,12}\d){4})[a-z]{1,4}-?\d[a-z0-9-]{4,}(?![^\W_])")),
)
"""Kind -> what it looks like; the first that fits a place counts.

Seven digits and more are a telephone, account or identity number; five in one go are too, or a postal code. Years and
times of a recording (0:01:23.456) stay.
"""


_BIRTH = re.compile(
    r"\bborn\b|\bbirth|\bd\.?o\.?b\b|\bturn(?:ed|s|ing)?\b \w+|\bgeboren\b|\bgeburtstag\b|\bnee?e? le\b|\bnacido|"
    r"\bnacida|"
    r"\bnato\b|\bnata\b|\bnacimiento\b|\bnaissance\b|\bgeburtsdatum\b|\bgeb\.|\bnaci\b|\bnacio\b|\bnacimos\b|"
    r"\bcumpleanos\b|\bnee?s?\b|\banniversaire\b|出生|生日|生于|生的"
)
_FULL_MONTHS = (
    "januar|janner|februar|marz|maerz|mai|juni|juli|oktober|dezember|janvier|fevrier|mars|avril|juin|juillet|aout|"
    "septembre|octobre|novembre|decembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|"
    "octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december|"
    "gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|marco|maio|junho|julho|"
    "setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus"
)
_DAY_OF_MONTH = r"(?<![^\W_])(?:0?[1-9]|[12]\d|3[01])(?:\.|er|re|eme|[oa\u00b0])?"
_YEAR = r"(?:1[89]\d\d|20\d\d|'?\d\d)(?![^\W_])"
_OF = r"(?:de|del|di|of|du)"
_OTHER_DATES: tuple[re.Pattern[str], ...] = (
    re.compile(rf"{_DAY_OF_MONTH}\s*(?:{_OF}\s+)?(?:{_FULL_MONTHS})\.?(?![^\W_])(?:,?\s*(?:{_OF}\s+)?{_YEAR})?"),
    re.compile(
        r"(?<![^\W_])\d{1,2}\s+(point|dot|forward slash|slash|stroke|punkt|punto)\s+\d{1,2}\s+\1\s+" + _YEAR,
    ),
    re.compile(rf"(?<![^\W_])\d{{1,2}}(?:st|nd|rd|th)\s+of\s+the\s+\d{{1,2}}(?:st|nd|rd|th)(?:,?\s+{_YEAR})?"),
    re.compile(rf"{_DAY_OF_MONTH}\s+{_OF}\s+\d{{1,2}}\s+{_OF}\s+{_YEAR}"),
    re.compile(r"(?<!\d)(?:\d{2,4}\s?年\s?)?\d{1,2}\s?月\s?\d{1,2}(?:\s?[日号號])?|(?<!\d)\d{4}\s?年\s?\d{1,2}\s?月"),
)
"""Days as German, Spanish, French, Chinese and their neighbours say them, beside those of `IDENTIFYING_PATTERNS`."""
_BARE_DATE = re.compile(
    r"(?<![^\W_])(?:1[89]\d\d|20[0-2]\d)(?![^\W_])|(?<![^\W_])\d{4,8}(?![^\W_])|\d{1,2}\D{1,3}\d{1,2}\D{1,3}\d{2,4}"
)
_SHORT_YEAR = re.compile(r"(?:,?\s+)'?\d\d(?![^\W_])")
_BIRTH_DISTANCE = 60
# 3.1.4 is a version.
_MIN_DIGITS = 4


def find_dates(text: str) -> Iterator[PiiSpan]:
    """Yield days of a text in which spoken numbers are written out; with a birth near, also years and bare numbers."""
    folded = fold_with_positions(text)
    births = [hit.span() for hit in _BIRTH.finditer(folded.text)]
    for kind, pattern in IDENTIFYING_PATTERNS:
        if kind != "date":
            continue
        for hit in pattern.finditer(folded.text):
            first, last = hit.span()
            if sum(letter.isdigit() for letter in hit[0]) < _MIN_DIGITS and not any(map(str.isalpha, hit[0])):
                continue
            if year := _SHORT_YEAR.match(folded.text, last):
                last = year.end()
            start, end = folded.original_span(first, last)
            born = _is_near(births, first, last)
            yield PiiSpan(start, end, BIRTH if born else DATE, STRONG if born else LIKELY)
    for pattern in _OTHER_DATES:
        for hit in pattern.finditer(folded.text):
            born = _is_near(births, *hit.span())
            yield PiiSpan(*folded.original_span(*hit.span()), BIRTH if born else DATE, STRONG if born else LIKELY)
    for hit in _BARE_DATE.finditer(folded.text) if births else ():
        if any(last <= hit.start() <= last + _BIRTH_DISTANCE // 2 for _, last in births):
            yield PiiSpan(*folded.original_span(*hit.span()), BIRTH, STRONG)


def _is_near(births: list[tuple[int, int]], first: int, last: int) -> bool:
    return any(first - _BIRTH_DISTANCE <= end and begin <= last + _BIRTH_DISTANCE for begin, end in births)


_TOP_LEVEL_DOMAINS = (
    "com|org|net|edu|gov|mil|int|info|biz|name|io|ai|me|tv|app|dev|online|site|shop|blog|example|eu|uk|us|ca|au|"
    "nz|ie|de|at|"
    "ch|fr|be|nl|lu|es|pt|it|gr|se|no|dk|fi|is|pl|cz|sk|hu|ro|bg|hr|si|rs|ua|ru|tr|il|in|pk|cn|jp|kr|tw|hk|sg|my|"
    "id|th|vn|"
    "ph|za|ng|ke|gh|eg|ma|br|ar|mx|cl|co|pe"
)
_WORD = r"[^\W_][\w+-]{0,63}"
_DOT_WORDS = "dot|point|punkt|punto"
_DASH_WORDS = "dash|hyphen|minus|bindestrich|guion|guion medio|tiret|tiret du milieu"
_JOIN = (
    rf"(?:\s+(?:{_DOT_WORDS}|{_DASH_WORDS}|period|plus|underscore|unterstrich|guion bajo|barra baja|"
    r"tiret du bas|tiret bas|underline)\s+|\.)"
)
_DOT = rf"(?:\s+(?:{_DOT_WORDS})\s+|\.)"
_AT = r"(?:att?|@|aet|klammeraffe|arroba|arobase|arrobas|chez)"
_DOMAIN = (
    rf"{_WORD}(?:\s+(?:{_DASH_WORDS})\s+{_WORD}){{0,6}}(?:{_DOT}{_WORD}){{0,6}}{_DOT}(?:{_TOP_LEVEL_DOMAINS})(?![^\W_])"
)
_SPOKEN_MAIL = re.compile(rf"(?<![^\W_]){_WORD}(?:{_JOIN}{_WORD}){{0,8}}\s+{_AT}\s+{_DOMAIN}")
_CHINESE_MAIL = re.compile(
    r"[a-z0-9](?:[a-z0-9._+ -]|下划线|减号|横杠|杠|点){0,60}\s?(?:艾特|圈a|小老鼠)\s?"
    r"[a-z0-9](?:[a-z0-9 -]|点|\.){0,40}(?:点|\.)\s?"
    r"(?:com|cn|net|org|edu|example)(?:\s?(?:点|\.)\s?cn)?"
)
_SPOKEN_LINK = re.compile(
    rf"(?<![^\W_])(?:(?:www|w w w)\s+dot\s+)?(?:{_WORD}\s+)?{_WORD}(?:\s+(?:dash|hyphen)\s+{_WORD}){{0,6}}\s+dot\s+"
    rf"(?:{_WORD}\s+dot\s+)?(?:{_TOP_LEVEL_DOMAINS})(?![^\W_])(?:\s+slash\s+{_WORD})*"
)
_HANDLE = re.compile(r"(?<![\w@.])@[^\W_][\w.]{2,}")
_PATHS = {"link": (LINK, STRONG), "path": (LINK, STRONG), "e-mail": (MAIL, CERTAIN)}
_WORD_BEFORE = re.compile(rf"({_WORD})\s+$")
_MAX_WORDS_BEFORE = 2
_MAX_CHARS_BEFORE = 80


def find_electronic_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield e-mail addresses, links, paths of files and handles."""
    folded = fold_with_positions(text)
    for kind, pattern in IDENTIFYING_PATTERNS:
        if kind in _PATHS:
            for hit in pattern.finditer(folded.text):
                yield PiiSpan(*folded.original_span(*hit.span()), *_PATHS[kind])
    for hit in _SPOKEN_MAIL.finditer(folded.text):
        yield PiiSpan(*folded.original_span(_extend_start(folded.text, hit.start()), hit.end()), MAIL, STRONG)
    for hit in _CHINESE_MAIL.finditer(folded.text):
        yield PiiSpan(*folded.original_span(*hit.span()), MAIL, STRONG)
    for hit in _SPOKEN_LINK.finditer(folded.text):
        yield PiiSpan(*folded.original_span(_skip_function_word(hit), hit.end()), LINK, LIKELY)
    for hit in _HANDLE.finditer(folded.text):
        yield PiiSpan(*folded.original_span(*hit.span()), LINK, STRONG)


def _extend_start(text: str, start: int) -> int:
    """Return where a spoken address begins: “jo smith at ...” and “bob 99 at ...” are said without a joining word."""
    after = re.compile(_WORD).match(text, start)
    only_number = after is not None and after[0].isdigit()
    for _ in range(_MAX_WORDS_BEFORE):
        before = _WORD_BEFORE.search(text[max(start - _MAX_CHARS_BEFORE, 0) : start])
        if not before or before[1] in function_words():
            break
        if not only_number and is_common(before[1]):
            break
        start, only_number = max(start - _MAX_CHARS_BEFORE, 0) + before.start(), False
    return start


def _skip_function_word(hit: re.Match[str]) -> int:
    """Return where a spoken link begins: “is agnes dot com” begins with the name."""
    first = re.match(rf"({_WORD})\s+", hit[0])
    return hit.start() + first.end() if first and first[1] in function_words() else hit.start()
