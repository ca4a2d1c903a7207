"""Presidio's recognizers of patterns, on a blank spaCy engine: numbers of many countries with their check digits.

As it comes, Presidio's `AnalyzerEngine` downloads a language model, and its recognizer of e-mail addresses and links
asks a public host for the list of domains. Here the language model is blank, every recognizer is named, and the list
of domains is the one that tldextract carries; so nothing is asked of anybody.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from anonymize.pii.hit import CERTAIN, STRONG, Stretch
from anonymize.pii.kinds import ACCOUNT, IDENTITY, LICENCE, LINK, MAIL, PHONE
from anonymize.pii.links import links
from models.names.light_imports import without_heavy_packages

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

_LANGUAGE = "en"
_LEAST_SCORE = 0.5
# Its patterns take long on long texts; what stands across the end of a piece is whole in the overlap.
_PIECE, _OVERLAP = 2_000, 120
_WORTH_IT = re.compile(r"@|\d\D{0,3}\d\D{0,3}\d\D{0,3}\d|\w\.\w\w")
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


def presidio(text: str) -> Iterator[Stretch]:
    """Yield what Presidio's patterns find in a text in which spoken numbers are written out."""
    if not _WORTH_IT.search(text):
        return
    yield from links(text)
    engine = analyzer()
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE + _OVERLAP]
        for one in engine.analyze(piece, _LANGUAGE, score_threshold=_LEAST_SCORE) if _WORTH_IT.search(piece) else ():
            score = CERTAIN if one.score >= CERTAIN else min(STRONG, one.score)
            kind = _KINDS.get(one.entity_type, IDENTITY)
            yield Stretch(at + one.start, at + one.end, kind, score, "presidio")


@cache
def analyzer() -> "AnalyzerEngine":
    """Return Presidio's engine as it is used here; it contacts no host."""
    with without_heavy_packages():
        import presidio_analyzer.predefined_recognizers as predefined
        from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry

        from anonymize.pii.presidio_parts import BlankEngine, NearContext, OfflineEmail, SurePhone

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
