"""Where somebody lives: streets with numbers, post boxes, postal codes."""

import re
from collections.abc import Iterator

from anonymize.pii.hit import LIKELY, STRONG, Stretch
from anonymize.pii.kinds import ADDRESS
from project.common_words import function_words

_SURE = (
    "street|avenue|ave|road|rd|lane|boulevard|blvd|crescent|terrace|gardens?|mews|parkway|highway|grove|close|drive|"
    "cottages?|villas?|quay|wharf|esplanade|embankment|turnpike|cul-de-sac"
)
_OFTEN = (
    "way|walk|park|place|court|hill|row|square|st|green|rise|view|parade|circle|trail|gate|bridge|point|house|fields?"
)
_NUMBER = (
    r"(?:(?:flat|apartment|apt|unit|suite|number|no\.?|house)\s+)?\d{1,5}\s?[a-z]?(?![^\W_])(?:\s?[-/]\s?\d{1,4})?"
)
_NAME = r"(?:[^\W\d_][\w'\u2019.-]*\s+){1,4}?"
_MORE = r"(?:,?\s+(?:flat|apartment|apt|unit|suite|floor)\.?\s+\d+\w?)?"
_STREET = re.compile(rf"(?<![^\W_]){_NUMBER},?\s+({_NAME})({_SURE}|{_OFTEN})\b\.?{_MORE}", re.IGNORECASE)
_ONE_WORD = re.compile(
    r"(?<![^\W_])\d{1,4}\s?[a-z]?\s+[A-Z][a-z]{2,}(?:way|gate|side|field|hurst|wood|croft|dale|mead|bury)\b"
)
_ROMANCE = re.compile(
    r"(?<![^\W_])\d{1,4}(?:\s?(?:bis|ter))?,?\s+(?:rue|avenue|boulevard|place|chemin|quai|impasse|allee|"
    r"all\u00e9e|cours|route)\s+"
    r"(?:(?:de\s+la|de\s+l'|de|du|des|d'|la|le|les)\s*)?[^\W\d_][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)*"
    r"|\b(?:calle|avenida|avda\.?|plaza|paseo|carrer|via|viale|piazza|corso|rua|travessa|ul\.|ulica|jalan)\s+"
    r"(?:(?:de|del|la|las|los|da|do|dei|"
    r"della)\s+)*[^\W\d_][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)*,?\s+(?:n\.?\u00ba?\s*)?\d{1,4}\b",
    re.IGNORECASE,
)
_GERMANIC = re.compile(
    r"(?<![^\W_])[^\W\d_][\w-]*(?:stra(?:\u00df|ss)e|str\.|weg|gasse|platz|allee|damm|ufer|straat|laan|gracht|"
    r"plein|gatan|v\u00e4gen|"
    r"vej|gade|katu|tie)\s+\d{1,4}\s?[a-z]?(?![^\W_])",
    re.IGNORECASE,
)
_BOX = re.compile(r"\bp\.?\s?o\.?\s?box\s+\d+|\bpostfach\s+\d+", re.IGNORECASE)
_UK_CODE = re.compile(r"(?<![^\W_])[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}(?![^\W_])")
_US_CODE = re.compile(r"(?<![^\W_])[A-Z]{2}\s+\d{5}(?:-\d{4})?(?![^\W_])")
_TOWN_CODE = re.compile(r"(?<![^\W_])(?:[A-Z]{1,2}-)?\d{4,5}\s+[A-Z][\w-]+(?=[\s,.]|$)")
_LIVING = re.compile(
    r"\blive|\blived\b|\baddress\b|\bmoved? to\b|\bsend\b|\bdeliver|\bpost\b|\bhome\b|\bstay|\bplace is\b|"
    r"\bi'm at\b|\bflat\b|"
    r"\bapartment\b|\bnumber\b|\bhouse\b"
)
_NO_STREET_TEXT = (
    "minute minutes hour hours mile miles day days people kids children metre metres meter meters of in the a an "
    "to and or "
    "degrees steps times years percent euros pounds dollars cats dogs long short more other half different big "
    "small at on "
    "for with from by my your his her our their this that is was are were"
)
_NO_STREET = frozenset(_NO_STREET_TEXT.split())
_LITTLE_WORDS_OF_STREETS = frozenset({"the", "of", "and", "de", "la", "saint", "old", "new"})


def addresses(text: str) -> Iterator[Stretch]:
    """Yield addresses of a text in which spoken numbers are written out."""
    lower = text.lower()
    lived = _LIVING.search(lower) is not None
    for hit in _STREET.finditer(text):
        words = hit[1].lower().split()
        capital = hit[1][:1].isupper() and hit[2][:1].isupper()
        sure = re.fullmatch(_SURE, hit[2], re.IGNORECASE) is not None
        if any(word in _NO_STREET and word not in _LITTLE_WORDS_OF_STREETS for word in words) and not capital:
            continue
        if words[0] in function_words() and not capital:
            continue
        if sure or capital or lived:
            yield Stretch(*hit.span(), ADDRESS, STRONG)
    for pattern in (_ROMANCE, _GERMANIC, _BOX, _UK_CODE, _US_CODE):
        for hit in pattern.finditer(text):
            yield Stretch(*hit.span(), ADDRESS, STRONG)
    for hit in _ONE_WORD.finditer(text):
        yield Stretch(*hit.span(), ADDRESS, LIKELY)
    for hit in _TOWN_CODE.finditer(text) if lived else ():
        yield Stretch(*hit.span(), ADDRESS, LIKELY)
