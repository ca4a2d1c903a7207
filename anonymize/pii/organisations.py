"""Schools, hospitals, firms: names with a capital beside a word that says what they are."""

import re
from collections.abc import Iterator

from anonymize.pii.hit import LIKELY, STRONG, WEAK, Stretch
from anonymize.pii.kinds import ORGANISATION

_NOUN = (
    "Hospital|Clinic|Surgery|Infirmary|Hospice|School|College|University|Academy|Institute|Kindergarten|Nursery|"
    "Bank|Church|Mosque|"
    "Synagogue|Temple|Ltd|Limited|Inc|LLC|GmbH|AG|PLC|Plc|Company|Corporation|Group|Foundation|Association|"
    "Society|Trust|"
    "Council|Ministry|Department|Practice|Pharmacy|Airlines|Airways|Gas|Electric|Water|Energy|Insurance|Motors|Records|"
    "Library|Museum|Theatre|Theater|Club|United|Rovers|Agency|Laborator(?:y|ies)|Labs|Consulting|Partners|"
    "Brothers|Sons|Hotel"
)
_CAPITAL = r"[A-Z][\w'\u2019.&-]*"
_NAMED = re.compile(
    rf"(?<![\w'])(?:{_CAPITAL}\s+(?:(?:of|and|&|the|for)\s+)?){{1,4}}(?:{_NOUN})\b(?:\s+of(?:\s+the)?\s+{_CAPITAL})?"
)
_OF = re.compile(rf"\b(?:{_NOUN})\s+(?:of|for)(?:\s+the)?\s+{_CAPITAL}(?:\s+(?:and\s+)?{_CAPITAL})*")
_EMPLOYED = re.compile(
    rf"(?:\b[Ww]ork(?:s|ed|ing)?\s+(?:for|at)|\bjoin(?:ed|s)?|\bemployed (?:by|at)|"
    rf"\bhired by)\s+({_CAPITAL}(?:\s+{_CAPITAL})*)"
)
_FLAT = re.compile(
    r"\b(?:at|in|from|for) (?:the )?([^\W\d_]{4,}(?: [^\W\d_]{4,})?) (?:hospital|clinic|surgery|school|college|"
    r"university|academy|infirmary|bank)\b"
)
_DETERMINERS = re.compile(
    r"^(?:The|A|An|My|Our|Your|His|Her|Their|This|That|At|In|We|I|And|But|So|She|He|They|It|Is)\s+"
)
_PLAIN_TEXT = (
    "primary secondary high middle local nearest whole same other new old public private nursery summer medical "
    "boarding music "
    "language driving dental this that their your children first last main big little next every blood savings "
    "state general"
)
_PLAIN = frozenset(_PLAIN_TEXT.split())


def organisations(text: str) -> Iterator[Stretch]:
    """Yield names of organisations."""
    for pattern, score in ((_NAMED, STRONG), (_OF, STRONG)):
        for hit in pattern.finditer(text):
            start = hit.start()
            if first := _DETERMINERS.match(hit[0]):
                start += first.end()
            if len(text[start : hit.end()].split()) > 1:
                yield Stretch(start, hit.end(), ORGANISATION, score)
    for hit in _EMPLOYED.finditer(text):
        yield Stretch(*hit.span(1), ORGANISATION, LIKELY)
    if text.islower():
        for hit in _FLAT.finditer(text):
            if not set(hit[1].split()) & _PLAIN:
                yield Stretch(hit.start(1), hit.end(), ORGANISATION, WEAK)
