"""Runs Presidio's pattern recognizers on a blank spaCy engine, and finds links as Presidio does.

They find numbers of many countries by their check digits.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from anonymize.pii_detection.pii_hit import ACCOUNT, CERTAIN, IDENTITY, LICENCE, LINK, MAIL, PHONE, STRONG, PiiSpan
from models.runtime.native_libraries import without_heavy_packages

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine


_RUN = re.compile(r"[a-z0-9.\-]+", re.IGNORECASE)
_SCHEME = re.compile(r"https?://\Z", re.IGNORECASE)
_PATH = re.compile(r"/[^\s()<>\"']*")
_LETTERS = re.compile(r"[a-z0-9-]*", re.IGNORECASE)
_MAX_SCHEME_CHARS = len("https://")
_MAX_HOST_CHARS = 253
"""No name of a host is longer (RFC 1035, 2.3.4)."""
_MAX_PATH_CHARS = 2_048
_NAMED_DOMAIN = re.compile(r"\(\?:([a-z0-9-]+)\)")


def find_links(text: str) -> Iterator[PiiSpan]:
    """Yield links whose domain ends in a public suffix, by the list that is installed; no host is asked."""
    for run in _RUN.finditer(text):
        start = run.start()
        ends = _domain_ends(text, run) if "." in run[0] else []
        while ends:
            reached = [pair for pair in ends if pair[0] - start <= _MAX_HOST_CHARS]
            if not reached:
                start = ends[0][0] - _MAX_HOST_CHARS
                continue
            _, end = reached[-1]
            ends = ends[len(reached) :]
            yield from _link(text, start, end, run.end())
            start = end


def _link(text: str, start: int, end: int, run_end: int) -> Iterator[PiiSpan]:
    """Yield the link that begins and whose host ends at some places, with its scheme and path."""
    if scheme := _SCHEME.search(text[max(0, start - _MAX_SCHEME_CHARS) : start]):
        start -= len(scheme[0])
    path = _PATH.match(text, end, end + _MAX_PATH_CHARS) if end == run_end else None
    whole = text[start : path.end() if path else end]
    if _is_public(whole):
        yield PiiSpan(start, start + len(whole), LINK, CERTAIN, "presidio")


def _domain_ends(text: str, run: re.Match[str]) -> list[tuple[int, int]]:
    """Return where a dot stands in a run that a known top-level domain follows, and where that ends."""
    known, longest = _top_level_domains()
    found = []
    for dot in re.finditer(r"\.", run[0]):
        at = run.start() + dot.start()
        label = _LETTERS.match(text, at + 1, min(run.end(), at + 1 + longest))
        following = label[0].lower() if label else ""
        length = next((size for size in range(len(following), 1, -1) if following[:size] in known), 0)
        if length and at > run.start():
            found.append((at, at + 1 + length))
    return found


def _is_public(link: str) -> bool:
    from anonymize.pii_detection.presidio_recognizers import SUFFIXES

    return bool(SUFFIXES(link).top_domain_under_public_suffix)


@cache
def _top_level_domains() -> tuple[frozenset[str], int]:
    """Return the top-level domains that Presidio knows, and the length of the longest."""
    with without_heavy_packages():
        from presidio_analyzer.predefined_recognizers import UrlRecognizer

    known = frozenset(_NAMED_DOMAIN.findall(UrlRecognizer.BASE_URL_REGEX))
    return known, max(map(len, known))


_LANGUAGE = "en"
_MIN_SCORE = 0.5
# Its patterns take long on long texts; what stands across the end of a piece is whole in the overlap.
_PIECE, _OVERLAP = 2_000, 120
_CANDIDATE = re.compile(r"@|\d\D{0,3}\d\D{0,3}\d\D{0,3}\d|\w\.\w\w")
_REGIONS = ("US", "GB", "DE")

_KINDS = {
    "CREDIT_CARD": ACCOUNT,
    "IBAN_CODE": ACCOUNT,
    "CRYPTO": ACCOUNT,
    "US_BANK_NUMBER": ACCOUNT,
    "EMAIL_ADDRESS": MAIL,
    "IP_ADDRESS": LINK,
    "MAC_ADDRESS": LINK,
    "PHONE_NUMBER": PHONE,
    "US_DRIVER_LICENSE": LICENCE,
    "UK_DRIVING_LICENCE": LICENCE,
    "UK_VEHICLE_REGISTRATION": LICENCE,
    "IN_VEHICLE_REGISTRATION": LICENCE,
    "IT_DRIVER_LICENSE": LICENCE,
    "MEDICAL_LICENSE": LICENCE,
}
_RECOGNIZERS = (
    "CreditCardRecognizer",
    "IbanRecognizer",
    "CryptoRecognizer",
    "IpRecognizer",
    "MacAddressRecognizer",
    "UsSsnRecognizer",
    "UsItinRecognizer",
    "UsPassportRecognizer",
    "NhsRecognizer",
    "UkNinoRecognizer",
    "UkDrivingLicenceRecognizer",
    "EsNifRecognizer",
    "EsNieRecognizer",
    "ItFiscalCodeRecognizer",
    "PlPeselRecognizer",
    "FiPersonalIdentityCodeRecognizer",
    "SePersonnummerRecognizer",
    "DeTaxIdRecognizer",
    "SgFinRecognizer",
    "AuMedicareRecognizer",
    "AuTfnRecognizer",
    "InPanRecognizer",
    "InAadhaarRecognizer",
    "CaSinRecognizer",
)


_ENDLESS_NUMBER = re.compile(r"\d(?:[\s./()-]{0,2}\d){999,}")
"""More digits than anybody says in a row: no number can be told in them, and the search for one takes seconds."""


def find_with_presidio(text: str) -> Iterator[PiiSpan]:
    """Yield what Presidio's patterns find in a text in which spoken numbers are written out."""
    if not _CANDIDATE.search(text):
        return
    yield from find_links(text)
    for numbers in _ENDLESS_NUMBER.finditer(text):
        yield PiiSpan(*numbers.span(), IDENTITY, STRONG, "presidio")
    text = _ENDLESS_NUMBER.sub(lambda numbers: " " * len(numbers[0]), text)
    engine = analyzer()
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE + _OVERLAP]
        for result in engine.analyze(piece, _LANGUAGE, score_threshold=_MIN_SCORE) if _CANDIDATE.search(piece) else ():
            score = CERTAIN if result.score >= CERTAIN else min(STRONG, result.score)
            kind = _KINDS.get(result.entity_type, IDENTITY)
            yield PiiSpan(at + result.start, at + result.end, kind, score, "presidio")


@cache
def analyzer() -> "AnalyzerEngine":
    """Return Presidio's engine as it is used here; it contacts no host."""
    with without_heavy_packages():
        import presidio_analyzer.predefined_recognizers as predefined
        from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry

        from anonymize.pii_detection.presidio_recognizers import BlankEngine, NearContext, OfflineEmail, SurePhone

        recognizers: list[EntityRecognizer] = [
            OfflineEmail(supported_language=_LANGUAGE),
            SurePhone(supported_regions=_REGIONS, supported_language=_LANGUAGE),
        ]
        for name in _RECOGNIZERS:
            made: Any = getattr(predefined, name)
            recognizers.append(made(supported_language=_LANGUAGE))
        registry = RecognizerRegistry(recognizers=recognizers, supported_languages=[_LANGUAGE])
        return AnalyzerEngine(
            registry=registry,
            nlp_engine=BlankEngine(_LANGUAGE),
            supported_languages=[_LANGUAGE],
            context_aware_enhancer=NearContext(),
        )
