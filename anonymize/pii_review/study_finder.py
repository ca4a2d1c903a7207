"""The job that searches texts for what looks personal by itself: long work, kept for as long as the study is open.

The finder of a study and its results are cached for the session.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from anonymize.pii_detection.pii_finder import KnownWord, PersonalFinder, search_all
from anonymize.pii_detection.pii_hit import PERSON, PiiMatch, PiiSpan
from anonymize.pii_detection.text_languages import count_words_by_language, detect_language
from models.names import name_finders
from models.names.name_finders import NameFinder, NamesByLanguage
from project.entities.study_records import Changes
from project.progress import Progress
from project.queries.annotator_rows import all_annotators
from project.queries.pii_rows import UNSPECIFIED_KIND, private_words, public_words
from project.search.free_texts import free_texts
from project.session.jobs import JobKind, JobSpec, run_inline
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.text_format import pluralize
from resources.translation import tr, trn

_Known = tuple[tuple[KnownWord, ...], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Recognizers:
    """What searches texts beside the rules.

    Attributes:
        model: keys of the finders of names that are installed, as the registry joins them; None for none.
        fingerprint: tells apart models that were installed under the same keys one after another.
    """

    model: str | None = None
    fingerprint: str = ""

    @property
    def languages(self) -> frozenset[str]:
        """Codes of the languages in which a model finds names; `xx` among them where one reads several."""
        return name_finders.finder_languages(self.model)

    @property
    def titles(self) -> list[str]:
        """Names and versions of the models, for people."""
        return name_finders.describe_finders(self.model)


@dataclass
class _TextMatches:
    """What was found: by the texts alone, and with the words that the study had then.

    What was searched by other recognizers than those that are installed now is forgotten: nothing is said to be
    reviewed of which a model that is there now read nothing.

    Attributes:
        word_counts: id of a recording -> the texts of its transcript, and how many words are in which language.
    """

    recognizers: Recognizers = field(default_factory=Recognizers)
    searched: dict[str, Sequence[PiiSpan]] = field(default_factory=dict)
    known: _Known | None = None
    finder: PersonalFinder = field(default_factory=PersonalFinder)
    hits: dict[str, list[PiiMatch]] = field(default_factory=dict)
    word_counts: dict[str, tuple[Sequence[str], Mapping[str, int]]] = field(default_factory=dict)

    def find_all(self, texts: Sequence[str]) -> list[list[PiiMatch]]:
        """Return the hits of each of some texts, and search those that were not searched before."""
        new = [text for text in dict.fromkeys(texts) if text not in self.searched]
        if new:
            self.searched.update(search_texts(new, self.recognizers))
        for text in texts:
            if text not in self.hits:
                self.hits[text] = self.finder.resolve_hits(text, self.searched[text])
        return [self.hits[text] for text in texts]


_CACHES: WeakKeyDictionary[Session, _TextMatches] = WeakKeyDictionary()
_MODELS: dict[Recognizers, NameFinder] = {}


def find_text_hits(session: Session, texts: Sequence[str]) -> list[list[PiiMatch]]:
    """Return the hits of each of some texts; texts that were searched before with the same words are not again."""
    return _session_cache(session).find_all(texts)


def build_finder(session: Session) -> Callable[[str], list[PiiMatch]]:
    """Return what finds the hits of one text after the other, with the words that the study has now."""
    kept = _session_cache(session)
    return lambda text: kept.find_all([text])[0]


def unsearched_texts(session: Session, texts: Iterable[str]) -> list[str]:
    """Return which of some texts were not searched yet: that takes long and is best done by a job."""
    kept = _session_cache(session)
    return [text for text in dict.fromkeys(texts) if text not in kept.searched]


def searched_by(session: Session, texts: Iterable[str]) -> Recognizers | None:
    """Return what searched each of some texts since the study was opened; None where it did not search all of them."""
    kept = _session_cache(session)
    return kept.recognizers if all(text in kept.searched for text in texts) else None


def count_words(session: Session, recording_id: str, texts: Sequence[str]) -> Mapping[str, int]:
    """Return how many words of a transcript are in which language; it is counted again where its texts have changed."""
    counts = _session_cache(session).word_counts
    known = counts.get(recording_id)
    if known is None or known[0] != texts:
        known = counts[recording_id] = (texts, count_words_by_language(texts))
    return known[1]


def search_texts(texts: Sequence[str], recognizers: Recognizers) -> dict[str, Sequence[PiiSpan]]:
    """Search texts for what looks personal by itself."""
    return dict(zip(texts, search_all(texts, _model(recognizers)), strict=True))


def prepare_hits(second: Session, texts: Iterable[str]) -> Callable[[Session], None]:
    """Hold what is known about the study against texts that were searched, in the thread of a second look at it.

    What it returns keeps the result with the session that it is given, in that one's thread; texts that were not
    searched are left aside.
    """
    kept = _session_cache(second)
    known = kept.known
    new = {text: kept.searched[text] for text in texts if text not in kept.hits and text in kept.searched}
    made = {text: kept.finder.resolve_hits(text, found) for text, found in new.items()}

    def keep(session: Session) -> None:
        now = _session_cache(session)
        if now.known == known:
            now.hits.update(made)

    return keep


def share_findings(session: Session) -> Callable[[Session], None]:
    """Return what tells a second look at the same study, in another thread, what was found in it so far."""
    kept = _session_cache(session)
    known = replace(kept, searched=dict(kept.searched), hits=dict(kept.hits))

    def tell(second: Session) -> None:
        _CACHES[second] = known

    return tell


def current_recognizers() -> Recognizers:
    """Return what searches texts beside the rules, as it is installed now."""
    model = name_finders.default_finders()
    return Recognizers(model, name_finders.finders_fingerprint(model))


def _session_cache(session: Session) -> _TextMatches:
    kept = _CACHES.setdefault(session, _TextMatches())
    known, recognizers = _known_words(session), current_recognizers()
    if kept.recognizers != recognizers:
        kept.recognizers, kept.searched, kept.hits = recognizers, {}, {}
    if kept.known != known:
        kept.known, kept.finder, kept.hits = known, PersonalFinder(*known), {}
    return kept


def _known_words(session: Session) -> _Known:
    study = session.study
    words = [
        KnownWord(
            private_word.word,
            PERSON if private_word.kind == UNSPECIFIED_KIND and private_word.participant_id else private_word.kind,
            private_word.participant_id,
        )
        for private_word in private_words(study)
    ]
    listed = {word.word for word in words}
    words += [
        KnownWord(annotator.name, private=False)
        for annotator in all_annotators(study)
        if annotator.kind == "person" and annotator.name not in listed
    ]
    return tuple(words), frozenset(public_words(study))


def _model(recognizers: Recognizers) -> NameFinder | None:
    if recognizers.model is None:
        return None
    model = _MODELS.get(recognizers)
    if model is None:
        model = name_finders.create_name_finder(recognizers.model)
        if isinstance(model, NamesByLanguage):
            model.language_of = detect_language
        # Another thread may do the same at this moment.
        _MODELS.clear()
        _MODELS[recognizers] = model
    return model


KIND = "pii"
_BATCH_TEXTS = 200


@dataclass(frozen=True, slots=True)
class PiiSearchParameters:
    """What is searched, and by what."""

    texts: tuple[str, ...]
    by: Recognizers


@dataclass(frozen=True, slots=True)
class PiiSearchResult:
    """What looks personal in each text."""

    found: tuple[tuple[PiiSpan, ...], ...]


def prepare(session: Session) -> JobSpec[PiiSearchParameters] | None:
    """Make the job for all texts that were not searched since the study was opened; None where there are none."""
    texts = unsearched_texts(session, (free_text.text for free_text in free_texts(session.study)))
    if not texts:
        return None
    NAMES.require()
    title = f"Search {pluralize(len(texts), 'text')} for personal information"
    return JobSpec(KIND, title, "", PiiSearchParameters(tuple(texts), current_recognizers()))


def search_here(session: Session, progress: Progress) -> None:
    """Search in this process what was not searched yet."""
    work = prepare(session)
    if work is not None:
        run_inline(session, work, progress)


def compute(parameters: PiiSearchParameters, progress: Progress) -> PiiSearchResult:
    """Search the texts.

    Raises:
        Cancelled: the user stopped it.
    """
    texts = parameters.texts
    found: list[tuple[PiiSpan, ...]] = []
    for first in range(0, len(texts), _BATCH_TEXTS):
        progress.check_cancelled()
        progress.progress(first, len(texts), "Looking for personal information")
        part = texts[first : first + _BATCH_TEXTS]
        made = search_texts(part, parameters.by)
        found += [tuple(made[text]) for text in part]
    return PiiSearchResult(tuple(found))


def store(session: Session, work: JobSpec[PiiSearchParameters], result: PiiSearchResult) -> Changes:
    """Keep what was found with the session, unless other recognizers are installed by now; the study is not changed."""
    kept = _session_cache(session)
    if kept.recognizers == work.parameters.by:
        kept.searched.update(zip(work.parameters.texts, result.found, strict=True))
    return Changes()


def summarize(_work: JobSpec, result: PiiSearchResult) -> str:
    """Say how many texts were searched."""
    texts = trn("{count} text", "{count} texts", len(result.found))
    return tr("{count} searched for personal information").format(count=texts)


JOB = JobKind(
    key=KIND,
    parameters=PiiSearchParameters,
    result=PiiSearchResult,
    compute=compute,
    store=store,
    summarize=summarize,
    automatic=True,
)
