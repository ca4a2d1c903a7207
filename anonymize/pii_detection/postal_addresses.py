"""Finds postal addresses: streets with numbers, post boxes, postal codes."""

import re
from collections.abc import Iterator

from anonymize.pii_detection.pii_hit import ADDRESS, PiiSpan
from anonymize.pii_detection.text_patterns import TextPattern, read_patterns, read_words
from project.text_matching.normalization import function_words

_HAN_SIGN = re.compile(r"[\u4e00-\u9fff]")
_LEADING_WORDS = re.compile(r"(?:地址|门牌号?|住址)?(?:是|住在|住|寄到|送到|搬到|搬去|发到|放在|在|到)了?")
_DIVISION = re.compile(r"[省市区县州镇乡]")
_MAX_SIGNS_BEFORE = 16


def find_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield addresses of a text in which spoken numbers are written out."""
    (living,) = read_patterns("living")
    lived = living.pattern.search(text.lower()) is not None
    for address in read_patterns("address"):
        for match, start, end in address.find(text) if lived or address.check != "living" else ():
            if _may_be_address(address, match, lived) and (until := _end_before_telephone(text, start, end)):
                yield PiiSpan(start, until, ADDRESS, address.score)
    for address in read_patterns("chinese_address") if _HAN_SIGN.search(text) else ():
        for _, start, end in address.find(text):
            yield PiiSpan(_chinese_start(text, start, end), end, ADDRESS, address.score)


def _may_be_address(address: TextPattern, match: re.Match[str], lived: bool) -> bool:
    """Tell whether the words between the number and “street” name one: all may, where they begin with capitals."""
    if "name" not in address.pattern.groupindex or (match["name"][0].isupper() and match["type"][0].isupper()):
        return True
    words = match["name"].lower().split()
    if words[0] in function_words() or not read_words("not_street").isdisjoint(words):
        return False
    return lived or address.check != "capital"


_TELEPHONE = re.compile(
    r"\b(?:t[e\u00e9]l|t[e\u00e9]l[e\u00e9][fph]+on(?:o|os|e|es|nummer)?|m[o\u00f3]vil|celular|portable|handy(?:nummer)?|"
    r"mobil(?:e|nummer|telefon)?|phone|whatsapp|fax|ruf(?:nummer)?)\b\W{0,3}"
    r"(?:(?:number|nummer|n[u\u00fa]mero|num[e\u00e9]ro|is|es|est|ist)\W{1,3}){0,2}$",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(r"\d[\d .\-/]*$")
_FURTHER_DIGITS = re.compile(r"(?:[ .\-/]?\d)*")
_MIN_TELEPHONE_DIGITS = 8
"""Digits of a telephone number at least."""
_WORD = re.compile(r"[^\W\d_]+")
_NO_NAME = frozenset({"y", "e", "o", "et", "ou", "und", "oder", "no", "ne", "nicht"})
"""Words in small letters after “calle” or “rue” that say that no name of a street follows."""


def _end_before_telephone(text: str, start: int, end: int) -> int:
    """Return where an address ends whose number is that of a telephone, as its words say; 0 where it is no address.

    Only what stands right before a long number says so: in doubt it is the number of a house, and hidden.
    """
    number = _LAST_NUMBER.search(text[start:end])
    announced = _TELEPHONE.search(text[start : start + number.start()]) if number else None
    if number is None or announced is None:
        return end
    follows = _FURTHER_DIGITS.match(text, end)
    assert follows is not None
    if sum(map(str.isdigit, number[0] + follows[0])) < _MIN_TELEPHONE_DIGITS:
        return end
    street = text[start : start + announced.start()].rstrip(" ,")
    _, *name = _WORD.findall(street) or [""]
    return 0 if not name or not _NO_NAME.isdisjoint(name) else start + len(street)


def _chinese_start(text: str, start: int, end: int) -> int:
    """Return where a Chinese address begins: with province, city and district, and without “I live at”."""
    first = start
    while first > max(0, start - _MAX_SIGNS_BEFORE) and _HAN_SIGN.match(text[first - 1]):
        first -= 1
    number = next((at for at in range(start, end) if text[at].isdigit()), end)
    leads = [lead.end() for lead in _LEADING_WORDS.finditer(text, first, number)]
    if leads and leads[-1] < number:
        return leads[-1]
    return first if _DIVISION.search(text, first, number) else start
