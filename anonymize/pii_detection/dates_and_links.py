"""Finds dates, with dates of birth among them, and electronic addresses, in folded texts whose numbers are written out.

Electronic addresses are e-mail addresses, links and handles, written and spoken.
"""

import re
from collections.abc import Iterator

from anonymize.pii_detection.pii_hit import BIRTH, DATE, LIKELY, LINK, STRONG, PiiSpan
from anonymize.pii_detection.text_patterns import read_patterns
from project.text_matching.normalization import function_words, is_common

_SHORT_YEAR = re.compile(r"(?:,?\s+)'?\d\d(?![^\W_])")
_BIRTH_DISTANCE = 60
# 3.1.4 is a version.
_MIN_DIGITS = 4


def find_dates(text: str) -> Iterator[PiiSpan]:
    """Yield days of a text; with a birth near, also years and bare numbers."""
    (birth,), (birth_date,) = read_patterns("birth"), read_patterns("birth_date")
    births = [match.span() for match in birth.pattern.finditer(text)]
    written = [pattern for pattern in read_patterns("identifying") if pattern.kind == DATE]
    for date in (*written, *read_patterns("date")):
        for match, first, last in date.find(text):
            if date.kind == DATE:
                if sum(map(str.isdigit, match[0])) < _MIN_DIGITS and not any(map(str.isalpha, match[0])):
                    continue
                if year := _SHORT_YEAR.match(text, last):
                    last = year.end()
            born = any(first - _BIRTH_DISTANCE <= end and begin <= last + _BIRTH_DISTANCE for begin, end in births)
            yield PiiSpan(first, last, BIRTH if born else DATE, STRONG if born else LIKELY)
    for _, first, last in birth_date.find(text) if births else ():
        if any(end <= first <= end + _BIRTH_DISTANCE // 2 for _, end in births):
            yield PiiSpan(first, last, BIRTH, STRONG)


_WORD = re.compile(r"[^\W_][\w+-]{0,63}")
_FIRST_WORD = re.compile(rf"({_WORD.pattern})\s+")
_WORD_BEFORE = re.compile(rf"({_WORD.pattern})\s+$")
_MAX_WORDS_BEFORE = 2
_MAX_CHARS_BEFORE = 80


def find_electronic_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield e-mail addresses, links, paths of files and handles."""
    written = [pattern for pattern in read_patterns("identifying") if pattern.kind not in (DATE, "number")]
    for address in (*written, *read_patterns("electronic")):
        for match, start, end in address.find(text):
            if address.check == "words before":
                start = _extend_start(text, start)
            elif address.check == "after function word":
                start = _skip_function_word(match)
            kind = LINK if address.kind == "path" else address.kind
            yield PiiSpan(start, end, kind, address.score)


def _extend_start(text: str, start: int) -> int:
    """Return where a spoken address begins: “jo smith at ...” and “bob 99 at ...” are said without a joining word."""
    after = _WORD.match(text, start)
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
    first = _FIRST_WORD.match(hit[0])
    return hit.start() + first.end() if first and first[1] in function_words() else hit.start()
