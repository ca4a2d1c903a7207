"""Whether a transcript is mostly in languages in which personal information is found: rules, and names."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from anonymize.pii.languages import UNCLEAR, WITH_RULES, WITH_RULES_FOR_NAMES, words_by_language
from app.core.session import Session
from models.names import registry
from models.speech.languages import LANGUAGES
from project.counted import counted
from project.queries.recordings import all_recordings
from project.queries.utterances import utterances_of

_TOO_FEW = 5
"""Fewer words tell no language, and anybody sees at a glance what they are."""
_MODELS = {"de": "ner-german", "es": "ner-spanish", "fr": "ner-french", "zh": "ner-chinese"}


@dataclass(frozen=True)
class LanguageCoverage:
    """The languages of a transcript.

    Attributes:
        words: code of a language -> how many words are in it; `UNCLEAR` where nobody can tell.
        names: codes of the languages of which a model of names is installed, or rules find names.
    """

    words: Mapping[str, int] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    @property
    def total(self) -> int:
        """How many words there are."""
        return sum(self.words.values())

    @property
    def covered(self) -> int:
        """How many words are in a language with rules and names."""
        every = registry.ANY_LANGUAGE in self.names
        return sum(count for code, count in self.words.items() if code in WITH_RULES and (every or code in self.names))

    @property
    def is_mostly_covered(self) -> bool:
        """Whether at least half of the words are in a language with rules and names."""
        total = self.total
        return total < _TOO_FEW or 2 * self.covered >= total

    @property
    def main_gap(self) -> str:
        """The code of the language of most of the words that are not covered."""
        every = registry.ANY_LANGUAGE in self.names
        gaps = {
            code: count
            for code, count in self.words.items()
            if not (code in WITH_RULES and (every or code in self.names))
        }
        return max(gaps, key=lambda code: gaps[code]) if gaps else UNCLEAR

    def sentence(self) -> str:
        """Return what is wrong, to be read after the name of a transcript."""
        missing, total = self.total - self.covered, self.total
        code = self.main_gap
        share = f"{missing:,} of {counted(total, 'word')}"
        if code == UNCLEAR:
            return f"the language of {share} cannot be told"
        name = LANGUAGES.get(code, code)
        if code in WITH_RULES:
            why = f"rules find numbers, but no model of {name} names is installed"
            return f"{share} are not covered, mostly in {name}: {why}"
        return f"{share} are not covered, mostly in {name}: there are no rules for personal information in {name}"

    def hint(self) -> str:
        """Return what to do about it."""
        code = self.main_gap
        if code in _MODELS:
            return f"Install a model of names (greenroom models add {_MODELS[code]} FOLDER)."
        return "Look for it by hand."


@dataclass
class _Kept:
    texts: Sequence[str]
    words: Counter[str]


_KEPT: WeakKeyDictionary[Session, dict[str, _Kept]] = WeakKeyDictionary()


def coverage_of(session: Session, recording_id: str) -> LanguageCoverage:
    """Return the languages of the transcript of a recording, by words; kept until the transcript changes."""
    texts = [one.text for one in utterances_of(session.study, recording_id)]
    kept = _KEPT.setdefault(session, {})
    known = kept.get(recording_id)
    if known is None or known.texts != texts:
        known = kept[recording_id] = _Kept(texts, words_by_language(texts))
    return LanguageCoverage(known.words, languages_with_names())


def language_gaps(session: Session) -> list[tuple[int, LanguageCoverage]]:
    """Return number and languages of each recording whose transcript is not mostly covered, in order."""
    found = [(one.number, coverage_of(session, one.id)) for one in all_recordings(session.study)]
    return [
        (number, coverage)
        for number, coverage in sorted(found, key=lambda pair: pair[0])
        if not coverage.is_mostly_covered
    ]


def share_coverage(session: Session) -> Callable[[Session], None]:
    """Return what lets a second look at the same study, in another thread, share what is known of the first."""
    kept = _KEPT.setdefault(session, {})

    def tell(second: Session) -> None:
        _KEPT[second] = kept

    return tell


def languages_with_names() -> frozenset[str]:
    """Return the codes of languages in which names are found; `xx` among them where a model reads several."""
    return WITH_RULES_FOR_NAMES | registry.languages(registry.usual())
