"""Presidio's recognizers of patterns, on a blank spaCy engine: check digits of many countries' numbers, telephones, cards.

As it comes, Presidio's `AnalyzerEngine` downloads a language model, and its recognizer of e-mail addresses and links
asks a public host for the list of domains. Here the language model is blank, every recognizer is named, and the list
of domains is the one that tldextract carries; so nothing is asked of anybody. Without what follows, spaCy and Presidio
import torch and transformers where those are installed, which takes ten seconds and is not needed.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from anonymize.pii.hit import CERTAIN, STRONG, Stretch
from anonymize.pii.kinds import ACCOUNT, IDENTITY, LICENCE, LINK, MAIL, PHONE

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

_LANGUAGE = "en"
_HEAVY = ("torch", "transformers", "stanza", "gliner", "cupy", "tensorflow", "mxnet")
_LEAST_SCORE = 0.5
_WORTH_IT = re.compile(r"@|\d\D{0,3}\d\D{0,3}\d\D{0,3}\d|\w\.\w\w")
_REGIONS = ("US", "GB", "DE")

_KINDS = {
    "CREDIT_CARD": ACCOUNT,
    "IBAN_CODE": ACCOUNT,
    "CRYPTO": ACCOUNT,
    "US_BANK_NUMBER": ACCOUNT,
    "EMAIL_ADDRESS": MAIL,
    "URL": LINK,
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
    engine = analyzer()
    for one in engine.analyze(text, _LANGUAGE, score_threshold=_LEAST_SCORE):
        score = CERTAIN if one.score >= CERTAIN else min(STRONG, one.score)
        yield Stretch(one.start, one.end, _KINDS.get(one.entity_type, IDENTITY), score, "presidio")


@cache
def analyzer() -> "AnalyzerEngine":
    """Return Presidio's engine as it is used here; it contacts no host."""
    with _without_heavy_packages():
        import presidio_analyzer.predefined_recognizers as predefined
        from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry

        from anonymize.pii.presidio_parts import BlankEngine, OfflineEmail, OfflineUrl

        recognizers: list[EntityRecognizer] = [
            OfflineEmail(supported_language=_LANGUAGE),
            OfflineUrl(supported_language=_LANGUAGE),
            predefined.PhoneRecognizer(supported_regions=_REGIONS, supported_language=_LANGUAGE),
        ]
        for name in _RECOGNIZERS:
            made: Any = getattr(predefined, name)
            recognizers.append(made(supported_language=_LANGUAGE))
        registry = RecognizerRegistry(recognizers=recognizers, supported_languages=[_LANGUAGE])
        return AnalyzerEngine(registry=registry, nlp_engine=BlankEngine(_LANGUAGE), supported_languages=[_LANGUAGE])


@contextmanager
def _without_heavy_packages() -> Iterator[None]:
    """Let packages that are installed and not needed look as if they were not, while others are imported."""
    hidden = [name for name in _HEAVY if name not in sys.modules]
    blocked: dict[str, Any] = dict.fromkeys(hidden)
    sys.modules.update(blocked)
    try:
        yield
    finally:
        for name in hidden:
            if sys.modules.get(name) is None:
                sys.modules.pop(name, None)
