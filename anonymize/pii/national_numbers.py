"""Identity numbers of countries that have a check digit, and those that have a shape of their own.

Spain, the United Kingdom, the United States and others are found by Presidio's patterns (`engine.py`).
"""

import re
from collections.abc import Callable, Iterator

from anonymize.pii.hit import CERTAIN, STRONG, Stretch
from anonymize.pii.kinds import IDENTITY

_ALONE = r"(?<![^\W_])"
_END = r"(?![^\W_])"
_CHINA = re.compile(
    rf"(?<!\d)\d{{6}}[ -]?(?:19|20)\d\d[ -]?\d{{4}}[ -]?\d{{3}}[\dXx]{_END}|(?<!\d)\d{{17}}[\dXx](?!\d)"
)
_FRANCE = re.compile(
    rf"{_ALONE}[1-478](?:[ .-]?\d\d){{2}}[ .-]?(?:\d\d|2[ABab])(?:[ .-]?\d{{3}}){{2}}(?:[ .-]?\d\d)?{_END}"
)
_GERMANY = re.compile(rf"{_ALONE}[1-9]\d[ .-]?\d{{3}}[ .-]?\d{{3}}[ .-]?\d{{3}}{_END}")
_GERMAN_CARD = re.compile(rf"{_ALONE}[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ\d]{{8}}\d(?:D|<<)?{_END}", re.IGNORECASE)
_SPAIN = re.compile(rf"{_ALONE}(?:[XYZ][ .-]?\d{{7}}|\d{{2}}[ .]?\d{{3}}[ .]?\d{{3}})[ .-]?[A-Z]{_END}", re.IGNORECASE)
_BRITAIN = re.compile(rf"{_ALONE}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?:[ -]?\d\d){{3}}[ -]?[A-D]{_END}", re.IGNORECASE)
_PASSPORT = re.compile(
    r"(?:护照|passport|pasaporte|passeport|reisepass)\D{0,16}?([A-Z]{0,2}\d{2}[A-Z]{0,2}\d{5,7})", re.IGNORECASE
)

_CHINA_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def is_chinese(code: str) -> bool:
    """Tell whether 18 signs are a Chinese resident's number: GB 11643, ISO 7064 MOD 11-2."""
    if len(code) != 18 or not code[:17].isdigit():
        return False
    remainder = sum(int(digit) * weight for digit, weight in zip(code, _CHINA_WEIGHTS, strict=False)) % 11
    return code[17].upper() == "10X98765432"[remainder]


def is_french(code: str) -> bool:
    """Tell whether 15 signs are a French social security number: its key is 97 less the remainder by 97."""
    if len(code) != 15:
        return False
    digits = (
        code.upper().replace("2A", "19").replace("2B", "18") if "A" in code.upper() or "B" in code.upper() else code
    )
    return digits.isdigit() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def is_german_tax(code: str) -> bool:
    """Tell whether 11 digits are a German tax identification number: ISO 7064 MOD 11,10."""
    if len(code) != 11 or not code.isdigit():
        return False
    product = 10
    for digit in code[:10]:
        product = (((int(digit) + product) % 10) or 10) * 2 % 11
    return (11 - product) % 10 == int(code[10])


def is_german_card(code: str) -> bool:
    """Tell whether 10 signs are the number of a German identity card or passport: weights 7, 3, 1 (ICAO 9303)."""
    if len(code) != 10 or not any(letter.isdigit() for letter in code[:9]):
        return False
    total = sum(int(letter, 36) * (7, 3, 1)[place % 3] for place, letter in enumerate(code[:9].upper()))
    return total % 10 == int(code[9])


def is_spanish(code: str) -> bool:
    """Tell whether 9 signs are a Spanish DNI or NIE: the letter is the remainder by 23."""
    body = code[:8].upper().translate({ord("X"): "0", ord("Y"): "1", ord("Z"): "2"})
    return len(code) == 9 and body.isdigit() and _SPANISH_LETTERS[int(body) % 23] == code[8].upper()


_CHECKED: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (_CHINA, is_chinese),
    (_FRANCE, is_french),
    (_GERMANY, is_german_tax),
    (_GERMAN_CARD, is_german_card),
    (_SPAIN, is_spanish),
)


def national_numbers(text: str) -> Iterator[Stretch]:
    """Yield identity numbers of a text in which spoken numbers are written out."""
    for pattern, holds in _CHECKED:
        for match in pattern.finditer(text):
            code = "".join(letter for letter in match[0] if letter.isalnum()).removesuffix("D")
            if holds(code):
                yield Stretch(*match.span(), IDENTITY, CERTAIN)
    for match in _BRITAIN.finditer(text):
        yield Stretch(*match.span(), IDENTITY, STRONG)
    for match in _PASSPORT.finditer(text):
        yield Stretch(*match.span(1), IDENTITY, STRONG)
