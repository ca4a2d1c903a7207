"""Tells whether personal information can be found in the languages of a transcript: by rules and a model of names."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonymize.pii_detection.text_languages import LANGUAGES_WITH_RULES, UNKNOWN_LANGUAGE
from anonymize.pii_review.study_finder import count_words, searched_by
from models.names import name_finders
from models.speech.whisper_languages import LANGUAGES
from models.weights import installed_weights
from models.weights.weights_catalogue import find_entry
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from project.text_format import format_size, pluralize

_UNSPACED_LANGUAGE = "zh"
"""A pipeline of several languages parts words at blanks, so it finds no names in a language that has none."""
_SEARCH_AGAIN_HINT = "Then personal information is looked for again: decide on what is found."


@dataclass(frozen=True)
class LanguageCoverage:
    """The languages of a transcript, and what searched it.

    Attributes:
        words: code of a language -> how many words are in it; `UNKNOWN_LANGUAGE` where nobody can tell.
        names: codes of the languages of the models of names that searched it.
        searched: whether it was searched with the models that are installed now.
    """

    words: Mapping[str, int] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    searched: bool = True

    @property
    def total_words(self) -> int:
        """How many words there are."""
        return sum(self.words.values())

    @property
    def covered_words(self) -> int:
        """How many words are in a language with rules, of which a model of names searched them."""
        return sum(count for code, count in self.words.items() if self._is_covered(code))

    @property
    def is_mostly_covered(self) -> bool:
        """Whether it has no words, or more than half of them are in a language with rules and a model of names."""
        return not self.total_words or 2 * self.covered_words > self.total_words

    @property
    def main_gap(self) -> str:
        """The code of the language of most of the words that are not covered."""
        gaps = {code: count for code, count in self.words.items() if not self._is_covered(code)}
        return max(gaps, key=lambda code: gaps[code]) if gaps else UNKNOWN_LANGUAGE

    @property
    def suggested_model(self) -> str:
        """Name of the weights that can be fetched and would cover what is not; "" where there are none."""
        name = name_finders.WEIGHTS_BY_LANGUAGE.get(self.main_gap, "")
        return name if self.searched and name and not find_entry(name).is_own else ""

    def problem_text(self) -> str:
        """Return what is wrong, to be read after the name of a transcript."""
        if not self.searched:
            return "it was not searched for names with the models that are installed now"
        missing, total = self.total_words - self.covered_words, self.total_words
        code = self.main_gap
        share = f"{missing:,} of {pluralize(total, 'word')}"
        if code == UNKNOWN_LANGUAGE:
            return f"the language of {share} cannot be told"
        name = LANGUAGES.get(code, code)
        if code in LANGUAGES_WITH_RULES:
            why = f"rules find numbers, but no model of {name} names is installed"
            return f"{share} are not covered, mostly in {name}: {why}"
        return f"{share} are not covered, mostly in {name}: there are no rules for personal information in {name}"

    def hint_text(self) -> str:
        """Return what to do about it."""
        if not self.searched:
            return "Look for personal information again: greenroom pii find STUDY."
        name = name_finders.WEIGHTS_BY_LANGUAGE.get(self.main_gap, "")
        if not name:
            return "Look for it by hand."
        command = installed_weights.how_to_get(name)
        if find_entry(name).is_own:
            where = "“Models of names” in docs/personal-information.md"
            return f"Bring a model of names: {command} (see {where}). {_SEARCH_AGAIN_HINT}"
        wanted = find_entry(name)
        about = f"{format_size(wanted.editions[0].size)}, {wanted.licence}"
        button = f"the button “Get {name}” under Speech > Personal information"
        return f"Get the model of names {name} ({about}): {command}, or {button}. {_SEARCH_AGAIN_HINT}"

    def _is_covered(self, code: str) -> bool:
        if not self.searched or code not in LANGUAGES_WITH_RULES:
            return False
        return code in self.names or (name_finders.ANY_LANGUAGE in self.names and code != _UNSPACED_LANGUAGE)


def compute_coverage(session: Session, recording_id: str) -> LanguageCoverage:
    """Return the languages of the transcript of a recording by words, and what searched it.

    Nothing is searched here: a transcript that was not searched yet with the models that are installed now is not
    covered.
    """
    texts = [utterance.text for utterance in utterances_of(session.study, recording_id)]
    words = count_words(session, recording_id, texts)
    recognizers = searched_by(session, [text for text in texts if text.strip()])
    if recognizers is None:
        return LanguageCoverage(words, searched=False)
    return LanguageCoverage(words, recognizers.languages)


def find_language_gaps(session: Session) -> list[tuple[int, LanguageCoverage]]:
    """Return number and languages of each recording whose transcript is not mostly covered, in order."""
    found = [(recording.number, compute_coverage(session, recording.id)) for recording in all_recordings(session.study)]
    return [(number, coverage) for number, coverage in found if not coverage.is_mostly_covered]
