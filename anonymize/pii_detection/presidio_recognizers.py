"""Offline replacements for the parts of Presidio that would contact a host.

Only `presidio_engine` imports this module.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import spacy
import tldextract
from presidio_analyzer.context_aware_enhancers import LemmaContextAwareEnhancer
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
from presidio_analyzer.predefined_recognizers import EmailRecognizer, PhoneRecognizer

# The list of public suffixes that tldextract carries; nothing is fetched and nothing kept on disk.
SUFFIXES = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


class BlankEngine(NlpEngine):
    """Cuts texts into words, and knows nothing about them."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._nlp = spacy.blank(language)
        self._nlp.max_length = 1 << 62

    def load(self) -> None:
        """Do nothing: there is no model."""

    def is_loaded(self) -> bool:
        """Say yes: there is no model."""
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        """Return the words of a text, with their lower-case form as lemma."""
        doc = self._nlp.make_doc(text)
        lemmas = [token.lower_ for token in doc]
        return NlpArtifacts([], doc, [token.idx for token in doc], lemmas, self, language)

    def process_batch(
        self, texts: Iterable[str], language: str, batch_size: int = 1, n_process: int = 1, **kwargs: Any
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        """Yield each text with its words."""
        del batch_size, n_process, kwargs
        for text in texts:
            yield text, self.process_text(text, language)

    def is_stopword(self, word: str, language: str) -> bool:
        """Tell whether spaCy's list has a word as one that says little."""
        del language
        return bool(self._nlp.vocab[word].is_stop)

    def is_punct(self, word: str, language: str) -> bool:
        """Tell whether a word is a mark."""
        del language
        return bool(self._nlp.vocab[word].is_punct)

    def get_supported_entities(self) -> list[str]:
        """Return none: nothing is recognized by the engine itself."""
        return []

    def get_supported_languages(self) -> list[str]:
        """Return the one language that recognizers are registered under."""
        return [self._language]


class NearContext(LemmaContextAwareEnhancer):
    """Presidio's look at the words before a number, which reads all words of a text for each number in it.

    This one reads the last few words before it, so that a text full of numbers takes no minutes.
    """

    FAR = 40
    """How many tokens before a number are looked at, for the five words that say something."""

    def _extract_surrounding_words(self, nlp_artifacts: NlpArtifacts, word: str, start: int) -> list[str]:
        """Return the words before a place, the nearest first, and the one that stands there, as the base class does."""
        del word
        lemmas, keywords = nlp_artifacts.lemmas, self._keywords(nlp_artifacts)
        here = max(0, bisect_right(nlp_artifacts.tokens_indices, start) - 1)
        near = [lemmas[at].lower() for at in range(here, max(-1, here - self.FAR), -1)]
        return [lemma for lemma in near if lemma in keywords][: self.context_prefix_count + 1]

    def _keywords(self, nlp_artifacts: NlpArtifacts) -> frozenset[str]:
        if nlp_artifacts is not self._read:
            self._read, self._known = nlp_artifacts, frozenset(nlp_artifacts.keywords)
        return self._known

    _read: NlpArtifacts | None = None
    _known: frozenset[str] = frozenset()


class OfflineEmail(EmailRecognizer):
    """Presidio's recognizer of e-mail addresses, with the list of domains that is installed."""

    def validate_result(self, pattern_text: str) -> bool:
        """Tell whether the domain ends in a public suffix."""
        return bool(SUFFIXES(pattern_text).top_domain_under_public_suffix)


class SurePhone(PhoneRecognizer):
    """Presidio's recognizer of telephone numbers; one that is valid in its country counts without more."""

    SCORE = 0.6
