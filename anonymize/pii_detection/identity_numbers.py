"""Finds numbers and codes: telephones, accounts, cards, licences, identity numbers of several countries.

Check digits and the words around a number decide its kind.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from anonymize.pii_detection.pii_hit import ACCOUNT, ADDRESS, CERTAIN, IDENTITY, LIKELY, PHONE, STRONG, PiiSpan
from anonymize.pii_detection.text_patterns import read_patterns
from project.text_matching.text_views import TextView, fold_same_length

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


def is_payment_card(digits: str) -> bool:
    """Tell whether digits may be the number of a payment card: Luhn's check digit (ISO/IEC 7812-1, annex B)."""
    if len(set(digits)) == 1:
        return False
    total = 0
    for place, letter in enumerate(reversed(digits)):
        value = int(letter) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_iban(code: str) -> bool:
    """Tell whether letters and digits are an IBAN: ISO 13616, the remainder of division by 97 is 1 (ISO 7064)."""
    upper = code.upper()
    if not _IBAN.fullmatch(upper):
        return False
    turned = upper[4:] + upper[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


_CODE = re.compile(
    r"(?<![^\W_])(?<![@./])\+?\(?(?:(?!I )[A-Z]{1,4}[ -]\(?){0,8}[A-Za-z]{0,6}\d[A-Za-z\d]*"
    r"(?:[ \t,./()-]{1,3}(?:[A-Z]{1,4}(?![a-z])|[A-Za-z]{0,3}\d[A-Za-z\d]*))*(?![^\W_])"
)
_CHARS_BEFORE, _CHARS_AFTER = 70, 40
_SENTENCE_END = re.compile(r"[.!?]\s")
# A sentence of fewer letters (“It's”) leaves to the one before what it is about.
_MAX_SHORT_SENTENCE = 6

_ANY_NUMBER = re.compile(
    r"\bnumber(?:'s| is)\b|\bmy number\b|\bthe number\b|\bnummer\b|\bnumero\b|\bapunt|\bnote[rz]?\b|号"
)
_MIN_ANY_DIGITS = 6
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_DECIMAL = re.compile(r"\d+\.\d+")
_DATE = re.compile(r"(?:\d\d?([./-])\d\d?\1\d{1,4}|\d{4}([./-])\d\d?\2\d\d?)")
_CLOCK = re.compile(r"\d{1,2}(?:[:.]\d\d){1,2}(?:[.,]\d+)?")
_YEARS = re.compile(r"(?:18|19|20)\d\d(?:[-/ ](?:18|19|20)\d\d)*")
_DIGIT_BY_DIGIT = re.compile(r"\d(?:[ ,-]{0,2}\d){5,}")
_MIN_CODE_DIGITS, _MAX_PHONE_DIGITS = 7, 15
_MAX_COUNTED_DIGITS = 10


def find_codes(text: str) -> Iterator[PiiSpan]:
    """Yield numbers and codes of a text in which spoken ones are written out."""
    lower = fold_same_length(text)
    last_end = 0
    for match in _CODE.finditer(text):
        start, end = match.span()
        if text[start] == "(" and ")" not in match[0]:
            start += 1
        found = _classify_code(
            text[start:end], lower[max(last_end, start - _CHARS_BEFORE) : start], lower[end : end + _CHARS_AFTER]
        )
        if found:
            yield PiiSpan(start, end, *found)
        last_end = end


def find_said_digits(text: str, view: TextView) -> Iterator[PiiSpan]:
    """Yield numbers of six digits and more that are said digit by digit in a text, as its view writes them out."""
    for match in _DIGIT_BY_DIGIT.finditer(view.text):
        digits = [at for at in range(*match.span()) if view.text[at].isdigit()]
        words: dict[tuple[int, int], set[str]] = {}
        for at in digits:
            words.setdefault(view.original_span(at, at + 1), set()).add(view.text[at])
        said = all(len(signs) == 1 and not re.search(r"\d", text[slice(*span)]) for span, signs in words.items())
        if said and not _is_counting("".join(view.text[at] for at in digits)):
            yield PiiSpan(*view.original_span(digits[0], digits[-1] + 1), PHONE, LIKELY)


def _classify_code(code: str, before: str, after: str) -> tuple[str, float] | None:
    """Return kind and score of a code, or None where it says nothing about anybody."""
    digits = "".join(letter for letter in code if letter.isdigit())
    bare = "".join(letter for letter in code if letter.isalnum())
    if is_iban(bare) or (13 <= len(digits) <= 19 and is_payment_card(digits)):
        return ACCOUNT, CERTAIN
    if _GROUPED.fullmatch(code) or _DECIMAL.fullmatch(code) or _CLOCK.fullmatch(code) or _DATE.fullmatch(code):
        return None
    kind, least = _context(before, after)
    years = _YEARS.fullmatch(code) is not None
    if kind and len(digits) >= least and len(bare) >= 4 and not (years and kind not in (ACCOUNT, IDENTITY)):
        return kind, STRONG
    if kind == ADDRESS and len(bare) >= 3:
        return kind, STRONG
    if years or _is_counting(code) or len(digits) < _MIN_CODE_DIGITS:
        return None
    return (PHONE if len(digits) <= _MAX_PHONE_DIGITS and bare == digits else IDENTITY), LIKELY


def _context(before: str, after: str) -> tuple[str, int]:
    """Return the kind that the nearest word speaks of, and how many digits it has at least; "" where none does."""
    last = _SENTENCE_END.split(before)[-1]
    sentence = last if len(last) > _MAX_SHORT_SENTENCE else before
    following = _SENTENCE_END.split(after)[0]
    contexts = read_patterns("number_context")
    said = [(-match.end(), context) for context in contexts for match in context.pattern.finditer(sentence)]
    if not said:
        said = [(match.start(), context) for context in contexts if (match := context.pattern.search(following))]
    if said:
        _, nearest = min(said, key=lambda pair: pair[0])
        return nearest.kind, nearest.digits
    return (PHONE, _MIN_ANY_DIGITS) if _ANY_NUMBER.search(sentence) else ("", 0)


def _is_counting(code: str) -> bool:
    """Tell whether somebody counts: 1, 2, 3, 4, ... or 1234567."""
    numbers = re.findall(r"\d+", code)
    if any(len(number) > _MAX_COUNTED_DIGITS for number in numbers):
        return False
    parts = [int(part) for part in numbers]
    if len(parts) == 1:
        parts = [int(digit) for digit in str(parts[0])]
    return len(parts) > 3 and len({b - a for a, b in pairwise(parts)}) == 1


_CHINA_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def is_chinese_id(code: str) -> bool:
    """Tell whether 18 signs are a Chinese resident's number: GB 11643, ISO 7064 MOD 11-2."""
    if len(code) != 18 or not code[:17].isdigit():
        return False
    remainder = sum(int(digit) * weight for digit, weight in zip(code, _CHINA_WEIGHTS, strict=False)) % 11
    return code[17].upper() == "10X98765432"[remainder]


def is_french_social_security(code: str) -> bool:
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


def is_spanish_id(code: str) -> bool:
    """Tell whether 9 signs are a Spanish DNI or NIE: the letter is the remainder by 23."""
    body = code[:8].upper().translate({ord("X"): "0", ord("Y"): "1", ord("Z"): "2"})
    return len(code) == 9 and body.isdigit() and _SPANISH_LETTERS[int(body) % 23] == code[8].upper()


_CHECKS: dict[str, Callable[[str], bool]] = {
    "chinese": is_chinese_id,
    "french": is_french_social_security,
    "german tax": is_german_tax,
    "german card": is_german_card,
    "spanish": is_spanish_id,
}


def find_national_numbers(text: str) -> Iterator[PiiSpan]:
    """Yield identity numbers of a text in which spoken numbers are written out."""
    for number in read_patterns("identity"):
        for match, start, end in number.find(text):
            code = "".join(filter(str.isalnum, match[0])).removesuffix("D")
            if not number.check or _CHECKS[number.check](code):
                yield PiiSpan(start, end, IDENTITY, number.score)
