"""What gives people away in a text whatever they are called: addresses, numbers, dates. Patterns over folded texts."""

import re

_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|mar(?:ch|s|z)|maerz|apr(?:il)?|avril|ma[iy]|jun[ei]?|juin|jul[yi]?|"
    "juillet|aug(?:ust)?|aout|sep(?:t|tember|tembre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember|embre)?|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAY = r"(?:[0-3]?\d)(?:st|nd|rd|th|\.)?"
_NOT_IN_WORD, _NO_MORE = r"(?<![^\W_])", r"(?![^\W_])"
_ENDS = "com|org|net|edu|gov|io|de|uk|fr|nl|eu|ch|at|it|es"

TELLING: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("link", re.compile(r"(?:(?<![a-z0-9+.-])[a-z0-9+.-]*://|www\.)[^\s<>\"]+")),
    (
        "e-mail",
        re.compile(r"(?<![^\s@<>()\[\],;:\"])[^\s@<>()\[\],;:\"]+\s?(?:@|\(at\)|\[at\])\s?[^\s@<>()\[\],;:\"]+"),
    ),
    ("e-mail", re.compile(r"(?<![a-z0-9._%+-])[a-z0-9._%+-]+ at [a-z0-9-]+(?: dot [a-z0-9-]+)+")),
    ("path", re.compile(r"(?<![^\s\"'(=\[])(?:[a-z]:\\|\\\\|~/|/)[^\s/\\<>\"]+(?:[/\\][^\s/\\<>\"]+)+")),
    ("link", re.compile(rf"(?<![\w.@-])(?:[a-z0-9-]+\.)+(?:{_ENDS})\b(?:/\S*)?")),
    ("date", re.compile(r"(?<!\d)\d{1,4}([./-])\d{1,2}\1\d{1,4}(?!\d)")),
    (
        "date",
        re.compile(
            rf"{_NOT_IN_WORD}{_DAY}(?:\s+(?:of|de))?[\s.-]*(?:{_MONTHS})\.?{_NO_MORE}(?:,?\s*(?:de\s+)?\d{{2,4}}(?!\d))?"
        ),
    ),
    ("date", re.compile(rf"{_NOT_IN_WORD}(?:{_MONTHS})\.?\s+{_DAY}{_NO_MORE}(?:,?\s*\d{{4}}(?!\d))?")),
    ("date", re.compile(rf"{_NOT_IN_WORD}(?:{_MONTHS})\.?,?\s+(?:of\s+)?(?:1[89]|20)\d\d(?!\d)")),
    ("number", re.compile(r"(?<!\d)(?:\+|\(\+?)?\d(?:[\s()./-]{0,2}\d){6,}(?!\d)")),
    ("number", re.compile(r"(?<![^\W_])[a-z]{0,4}\d{5,}[a-z0-9]*(?![^\W_])")),
    ("number", re.compile(r"(?<![^\W_])(?=(?:[a-z-]{0,12}\d){4})[a-z]{1,4}-?\d[a-z0-9-]{4,}(?![^\W_])")),
)
"""Kind -> what it looks like; the first that fits a place counts.

Seven digits and more are a telephone, account or identity number; five in one go are too, or a postal code. Years and
times of a recording (0:01:23.456) stay.
"""
