"""Finds telephone numbers, and numbers of many countries by their check digits, with Presidio; and links as it does.

Its recognizers are asked one by one, without its engine: no model of a language is loaded and no host is contacted.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from anonymize.pii_detection.pii_hit import ACCOUNT, CERTAIN, IDENTITY, LICENCE, LINK, PHONE, STRONG, PiiSpan
from models.runtime.native_libraries import without_heavy_packages

if TYPE_CHECKING:
    from tldextract import TLDExtract

_RECOGNIZERS = {
    "IbanRecognizer": ACCOUNT,
    "CreditCardRecognizer": ACCOUNT,
    "CryptoRecognizer": ACCOUNT,
    "IpRecognizer": LINK,
    "MacAddressRecognizer": LINK,
    "NhsRecognizer": IDENTITY,
    "UkDrivingLicenceRecognizer": LICENCE,
    "ItFiscalCodeRecognizer": IDENTITY,
    "PlPeselRecognizer": IDENTITY,
    "FiPersonalIdentityCodeRecognizer": IDENTITY,
    "SePersonnummerRecognizer": IDENTITY,
    "SgFinRecognizer": IDENTITY,
    "AuMedicareRecognizer": IDENTITY,
    "AuTfnRecognizer": IDENTITY,
    "InPanRecognizer": IDENTITY,
    "InAadhaarRecognizer": IDENTITY,
}
"""Class of Presidio -> kind of what it finds.

`identity_numbers` checks accounts and cards too, but not where capitals or numbers stand right beside them.
"""
_LANGUAGE = "en"
_REGIONS = ("US", "GB", "DE")
_PHONE_SCORE = 0.6
_MIN_SCORE = 0.5
_SOURCE = "presidio"
_PIECE_CHARS, _OVERLAP_CHARS = 2_000, 120
"""Presidio's patterns take long on long texts; what stands across the end of a piece is whole in the overlap."""
_CANDIDATE = re.compile(r"\d\D{0,3}\d\D{0,3}\d\D{0,3}\d|\w\.\w\w")
_ENDLESS_NUMBER = re.compile(r"\d(?:[\s./()-]{0,2}\d){999,}")
"""More digits than anybody says in a row: no number can be told in them, and the search for one takes seconds."""


def find_with_presidio(text: str) -> Iterator[PiiSpan]:
    """Yield what Presidio's patterns find in a text in which spoken numbers are written out."""
    if not _CANDIDATE.search(text):
        return
    yield from find_links(text)
    for numbers in _ENDLESS_NUMBER.finditer(text):
        yield PiiSpan(*numbers.span(), IDENTITY, STRONG, _SOURCE)
    text = _ENDLESS_NUMBER.sub(lambda numbers: " " * len(numbers[0]), text)
    for at in range(0, len(text), _PIECE_CHARS):
        piece = text[at : at + _PIECE_CHARS + _OVERLAP_CHARS]
        for recognizer, kind in _recognizers() if _CANDIDATE.search(piece) else ():
            for result in recognizer.analyze(piece, recognizer.supported_entities, None):
                score = _PHONE_SCORE if kind == PHONE else result.score
                if score >= _MIN_SCORE:
                    # The address of a device is nothing else, whatever the words around it are.
                    score = STRONG if kind == LINK else score
                    yield PiiSpan(at + result.start, at + result.end, kind, score, _SOURCE)


@cache
def _recognizers() -> list[tuple[Any, str]]:
    with without_heavy_packages():
        import presidio_analyzer.predefined_recognizers as predefined

    phone = predefined.PhoneRecognizer(supported_regions=_REGIONS, supported_language=_LANGUAGE)
    patterns = [(getattr(predefined, name)(supported_language=_LANGUAGE), kind) for name, kind in _RECOGNIZERS.items()]
    return [(phone, PHONE), *patterns]


_HOST = re.compile(r"[a-z0-9.\-]+", re.IGNORECASE)
_SCHEME = re.compile(r"https?://\Z", re.IGNORECASE)
_PATH = re.compile(r"/[^\s()<>\"']*")
_LABEL = re.compile(r"(?<=.)\.([a-z0-9-]+)", re.IGNORECASE)
_MAX_SCHEME_CHARS = len("https://")
_MAX_HOST_CHARS = 253
"""No name of a host is longer (RFC 1035, 2.3.4)."""
_MAX_PATH_CHARS = 2_048
_NAMED_DOMAIN = re.compile(r"\(\?:([a-z0-9-]+)\)")


def find_links(text: str) -> Iterator[PiiSpan]:
    """Yield links whose domain ends in a public suffix, by the list that is installed; no host is asked."""
    for host in _HOST.finditer(text):
        end = next((end for end in _domain_ends(host) if _is_public(text[host.start() : end])), None)
        if end is not None:
            scheme = _SCHEME.search(text, max(0, host.start() - _MAX_SCHEME_CHARS), host.start())
            path = _PATH.match(text, end, end + _MAX_PATH_CHARS) if end == host.end() else None
            start, end = scheme.start() if scheme else host.start(), path.end() if path else end
            yield PiiSpan(start, end, LINK, CERTAIN, _SOURCE)


def _domain_ends(host: re.Match[str]) -> Iterator[int]:
    """Yield where a top-level domain ends in what may be a host, the last first."""
    known, longest = _top_level_domains()
    for label in reversed([*_LABEL.finditer(host[0])]):
        name = label[1][:longest].lower()
        length = next((size for size in range(len(name), 1, -1) if name[:size] in known), 0)
        if length:
            yield host.start() + label.start(1) + length


def _is_public(host: str) -> bool:
    return bool(_suffixes()(host[-_MAX_HOST_CHARS:]).top_domain_under_public_suffix)


@cache
def _top_level_domains() -> tuple[frozenset[str], int]:
    """Return the top-level domains that Presidio knows, and the length of the longest."""
    with without_heavy_packages():
        from presidio_analyzer.predefined_recognizers import UrlRecognizer

    known = frozenset(_NAMED_DOMAIN.findall(UrlRecognizer.BASE_URL_REGEX))
    return known, max(map(len, known))


@cache
def _suffixes() -> "TLDExtract":
    """Return the list of public suffixes that tldextract carries; nothing is fetched and nothing kept on disk."""
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
