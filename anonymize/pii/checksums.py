"""Check digits of cards and accounts."""

import re

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


def is_card(digits: str) -> bool:
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
