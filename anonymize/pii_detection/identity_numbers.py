"""Finds numbers and codes: telephones, accounts, cards, licences, identity numbers of several countries.

Check digits and the words around a number decide its kind.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from anonymize.pii_detection.pii_hit import ACCOUNT, ADDRESS, CERTAIN, IDENTITY, LICENCE, LIKELY, PHONE, STRONG, PiiSpan
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

_CONTEXTS: tuple[tuple[str, re.Pattern[str], int], ...] = (
    (
        ADDRESS,
        re.compile(
            r"post ?code|postal code|zip ?code|\bzip\b|postleitzahl|\bplz\b|codigo postal|code postal|\bc\.?p\b|"
            r"邮编|邮政编码|郵遞區號"
        ),
        2,
    ),
    (
        ACCOUNT,
        re.compile(
            r"\baccount|\biban\b|\bbic\b|sort code|\bcards?\b|\bamex\b|mastercard|\bpolicy\b|(?:customer|client|"
            r"contract|"
            r"membership|loyalty) (?:number|no\b)|routing|\bbank\b|security code|\bcvv\b|\bpin\b|konto|cuenta|compte|"
            r"karte\b|kartennummer|kundennummer|kreditkarte|tarjeta|numero de cliente|carte\b(?! d'identite)|"
            r"numero de client|卡号|银行卡|信用卡|银联|账号|账户|客户"
        ),
        4,
    ),
    (
        LICENCE,
        re.compile(
            r"licen[cs]e|number ?plate|\bplates?\b|\bregistration\b|\breg\b|\bvin\b|kennzeichen|fuhrerschein|matricula"
        ),
        1,
    ),
    (
        IDENTITY,
        re.compile(
            r"passport|social security|\bsocial\b|\bssn\b|\bnhs\b|national insurance|medicare|medicaid|"
            r"insurance number|"
            r"\b(?:patient|student|pupil|employee|staff|personnel|hospital|record|case|file|reference|ref|badge|member|"
            r"tax|payroll|prisoner|matriculation|enrolment|service|visa|claim|booking|participant|identity|"
            r"identification|"
            r"national|citizen|resident)(?:'s)? (?:id|number|no|code|card)\b|\bmrn\b|\bid\b|permit|"
            r"ausweis|steuernummer|\bdni\b|\bnie\b|\bnif\b|steuer-?id|steueridentifikation|reisepass|passnummer|"
            r"versicherten|versicherungsnummer|sozialversicherung|matrikel|aktenzeichen|national insurance|\bni number|"
            r"seguridad social|pasaporte|documento|expediente|\bsecu\b|securite sociale|\binsee\b|numero fiscal|"
            r"carte d'identite|passeport|numero d'etudiant|dossier|身份|证件|护照|社保|学号|工号|"
            r"病历|编号|驾照"
        ),
        4,
    ),
    (
        PHONE,
        re.compile(
            r"phone|\bmobile|\bcell\b|\bcall\b|\bring\b|\btext\b|\breach\b|\bfax\b|\bdial\b|help ?line|\boffice\b|"
            r"\btel\b|whatsapp|handy|telefon|\btry\b|extension|area code|landline|mobil|festnetz|anrufen|\brufe?n?\b|"
            r"erreich|\bwahl|durchwahl|\bmovil\b|\bllam|\bmarca|\bfijo\b|portable|\bappel|rappel|joindre|\bfixe\b|"
            r"电话|電話|手机|手機|号码|號碼|座机|微信|联系|拨"
        ),
        6,
    ),
)
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
    best, kind, least = _CHARS_BEFORE + 1, "", 0
    last = _SENTENCE_END.split(before)[-1]
    sentence = last if len(last) > _MAX_SHORT_SENTENCE else before
    for name, pattern, digits in _CONTEXTS:
        for match in pattern.finditer(sentence):
            if len(sentence) - match.end() < best:
                best, kind, least = len(sentence) - match.end(), name, digits
    if kind:
        return kind, least
    following = _SENTENCE_END.split(after)[0]
    hits = [
        (ahead.start(), name, digits) for name, pattern, digits in _CONTEXTS if (ahead := pattern.search(following))
    ]
    if hits:
        return min(hits)[1:]
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


_WORD_START = r"(?<![^\W_])"
_WORD_END = r"(?![^\W_])"
_CHINA = re.compile(
    rf"(?<!\d)\d{{6}}[ -]?(?:19|20)\d\d[ -]?\d{{4}}[ -]?\d{{3}}[\dXx]{_WORD_END}|(?<!\d)\d{{17}}[\dXx](?!\d)"
)
_FRANCE = re.compile(
    rf"{_WORD_START}[1-478](?:[ .-]?\d\d){{2}}[ .-]?(?:\d\d|2[ABab])(?:[ .-]?\d{{3}}){{2}}(?:[ .-]?\d\d)?{_WORD_END}"
)
_GERMANY = re.compile(rf"{_WORD_START}[1-9]\d[ .-]?\d{{3}}[ .-]?\d{{3}}[ .-]?\d{{3}}{_WORD_END}")
_GERMAN_CARD = re.compile(
    rf"{_WORD_START}[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ\d]{{8}}\d(?:D|<<)?{_WORD_END}", re.IGNORECASE
)
_SPAIN = re.compile(
    rf"{_WORD_START}(?:[XYZ][ .-]?\d{{7}}|\d{{2}}[ .]?\d{{3}}[ .]?\d{{3}})[ .-]?[A-Z]{_WORD_END}", re.IGNORECASE
)
_BRITAIN = re.compile(
    rf"{_WORD_START}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?:[ -]?\d\d){{3}}[ -]?[A-D]{_WORD_END}", re.IGNORECASE
)
_PASSPORT = re.compile(
    r"(?:护照|passport|pasaporte|passeport|reisepass)\D{0,16}?([A-Z]{0,2}\d{2}[A-Z]{0,2}\d{5,7})", re.IGNORECASE
)

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


_NUMBER_CHECKS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = (
    (_CHINA, is_chinese_id),
    (_FRANCE, is_french_social_security),
    (_GERMANY, is_german_tax),
    (_GERMAN_CARD, is_german_card),
    (_SPAIN, is_spanish_id),
)


def find_national_numbers(text: str) -> Iterator[PiiSpan]:
    """Yield identity numbers of a text in which spoken numbers are written out."""
    for pattern, holds in _NUMBER_CHECKS:
        for match in pattern.finditer(text):
            code = "".join(letter for letter in match[0] if letter.isalnum()).removesuffix("D")
            if holds(code):
                yield PiiSpan(*match.span(), IDENTITY, CERTAIN)
    for match in _BRITAIN.finditer(text):
        yield PiiSpan(*match.span(), IDENTITY, STRONG)
    for match in _PASSPORT.finditer(text):
        yield PiiSpan(*match.span(1), IDENTITY, STRONG)
