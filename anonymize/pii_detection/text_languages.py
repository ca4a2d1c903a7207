"""Detects the languages of a text, and tells which of them have rules. Everything runs on this machine."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from anonymize.pii_detection.name_tokens import is_given_name
from project.text_matching.normalization import is_common
from project.text_matching.text_views import fold

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES_WITH_RULES = frozenset({"en", "de", "es", "fr", "zh"})
"""Languages whose dates, cards, identity numbers, telephone numbers and spoken numbers are found."""
UNKNOWN_LANGUAGE = ""
"""The language of a text that is too short, or too strange, to tell."""

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_UNSPACED_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_MIN_RELIABLE_WORDS = 12
_MIN_WORDS = 3
# Common English words among all: other languages have some of them too, such as “no” and “die”.
_ENGLISH_SHARE, _SURELY_ENGLISH = 0.6, 0.85
_MIN_CERTAINTY, _HIGH_CERTAINTY = 0.5, 0.9
# Chinese is written with two signs a word, more or less.
_SIGNS_PER_WORD = 2
_CHINESE = frozenset({"zh", "wuu", "yue", "hak", "nan", "gan", "cdo"})


def detect_language(text: str) -> str:
    """Return the code (ISO 639) of the language of a text; `UNKNOWN_LANGUAGE` where it cannot be told."""
    # The name of a person belongs to no language.
    words = [word for word in _words(text) if is_common(word) or not is_given_name(word)]
    if count_words(text) < _MIN_WORDS:
        return "en" if words and all(is_common(word) for word in words) else UNKNOWN_LANGUAGE
    if _HAN.search(text) and not _KANA.search(text) and not _words(text):
        return "zh"
    english = sum(map(is_common, words)) / len(words) if words else 0.0
    if english >= _SURELY_ENGLISH:
        return "en"
    language, certainty = _identifier().classify(" ".join(text.lower().split()))
    if language in _CHINESE:
        return "zh"
    if english >= _ENGLISH_SHARE and certainty < _HIGH_CERTAINTY:
        return "en"
    return str(language) if certainty >= _MIN_CERTAINTY else UNKNOWN_LANGUAGE


def count_words_by_language(texts: Iterable[str]) -> Counter[str]:
    """Return how many words of some texts are in which language, by code; texts that are short are read together."""
    found: Counter[str] = Counter()
    for part in _join_short_texts(texts):
        found[detect_language(part)] += count_words(part)
    return found


def count_words(text: str) -> int:
    """Return how many words a text has; two signs of Chinese or Japanese count as one."""
    return len(_words(text)) + -(-len(_UNSPACED_SCRIPT.findall(text)) // _SIGNS_PER_WORD)


@lru_cache(maxsize=1 << 12)
def _words(text: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _WORD.findall(_UNSPACED_SCRIPT.sub(" ", text)))


def _join_short_texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts of which the language can be told: short ones with those that follow."""
    waiting: list[str] = []
    words = 0
    for text in texts:
        count = count_words(text)
        if count >= _MIN_RELIABLE_WORDS:
            yield text
            continue
        waiting.append(text)
        words += count
        if words >= _MIN_RELIABLE_WORDS:
            yield " ".join(waiting)
            waiting, words = [], 0
    if words:
        yield " ".join(waiting)


@cache
def _identifier() -> "LanguageIdentifier":
    """Return py3langid's model of 100 languages; it is read from its package and contacts no host."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
