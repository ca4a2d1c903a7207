"""The texts of a study are searched once; which transcripts rules of their language and models of names cover."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anonymize.pii_review import study_finder
from anonymize.pii_review.language_coverage import LanguageCoverage, compute_coverage, find_language_gaps
from anonymize.pii_review.pii_decisions import hide_everywhere, keep_words
from anonymize.pii_review.review_hits import find_hits
from anonymize.pii_review.study_finder import current_recognizers, searched_by, unsearched_texts
from models.names import name_finders as registry
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from models.weights.weights_catalogue import find_entry
from project.entities.study_records import Utterance
from project.errors import Cancelled
from project.ids import new_id
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import insert_utterances
from project.search.free_texts import free_texts
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.text_format import format_size
from tests.builders.face_pictures import StopAfter
from tests.builders.listed_names import LISTED, write_pipeline

SAID = f"And then we all went down to the beach with {LISTED.lower()} to look at the boats"
TALK = ("My name is Robert Miller, call 555-867-5309.", "we saw quixel there.", "Nothing to see here.")


@pytest.fixture(params=[(SAID,)])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A study in whose recording something is said."""
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=1, segments=0, annotators=1)
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        (recording,) = all_recordings(opened.study)
        with opened.step("Say"):
            said = enumerate(request.param)
            turns = [Utterance(new_id(), recording.id, n * 1000, n * 1000 + 900, text) for n, text in said]
            insert_utterances(opened.study, turns)
        yield opened


talking = pytest.mark.parametrize("session", [TALK], indirect=True)
"""For tests in which a name is said that rules find."""


def coverage(session: Session) -> LanguageCoverage:
    (recording,) = all_recordings(session.study)
    return compute_coverage(session, recording.id)


def persons(session: Session) -> list[str]:
    return [hit.hit.text for hit in find_hits(session) if hit.is_spoken and hit.kind == "person"]


def test_english_without_its_model_is_not_covered_and_the_hint_says_how_to_get_it(session: Session) -> None:
    find_hits(session)
    found = coverage(session)
    assert not found.is_mostly_covered
    assert "no model of English names is installed" in found.problem_text()
    size = format_size(find_entry("ner-english").editions[0].size)
    for told in ("greenroom models fetch ner-english", size, "MIT", "“Get ner-english”", "looked for again"):
        assert told in found.hint_text()
    assert found.suggested_model == "ner-english"


def test_what_was_searched_without_a_model_is_searched_with_it(session: Session, english_names_folder: Path) -> None:
    assert persons(session) == []
    before = searched_by(session, [SAID])
    assert not before.languages
    shutil.copytree(english_names_folder, weights.weights_folder())
    assert SAID in unsearched_texts(session, [SAID])
    assert searched_by(session, [SAID]) is None
    found = coverage(session)
    assert not found.is_mostly_covered
    assert "was not searched" in found.problem_text()
    assert "again" in found.hint_text()
    assert not found.suggested_model
    assert persons(session) == [LISTED.lower()]
    assert coverage(session).is_mostly_covered
    assert find_language_gaps(session) == []


def test_another_model_of_the_same_name_searches_again(session: Session, english_names: None, tmp_path: Path) -> None:
    assert persons(session) == [LISTED.lower()]
    known = current_recognizers()
    add_weights("ner", write_pipeline(tmp_path / "other", name="Somebody Else"), "CC0-1.0")
    assert current_recognizers().model == known.model
    assert searched_by(session, [SAID]) is None
    assert persons(session) == []


def test_a_model_that_is_removed_covers_nothing_any_more(session: Session, english_names: None) -> None:
    find_hits(session)
    assert coverage(session).is_mostly_covered
    weights.remove("ner")
    assert not coverage(session).is_mostly_covered
    find_hits(session)
    assert not coverage(session).is_mostly_covered


def test_words_are_counted_once_for_as_long_as_the_study_is_open(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[list[str]] = []
    monkeypatch.setattr(study_finder, "count_words_by_language", lambda texts: counted.append(texts) or {})
    coverage(session)
    coverage(session)
    with Session.open(session.study.path, "Eve", read_only=True) as later:
        coverage(later)
    assert counted == [[SAID], [SAID]]


@pytest.mark.parametrize("language", ["de", "es", "fr", "zh", "en"])
def test_each_language_needs_a_model_of_its_own(language: str) -> None:
    words = {language: 10}
    assert not LanguageCoverage(words).is_mostly_covered
    assert not LanguageCoverage(words, frozenset({"it"})).is_mostly_covered
    assert LanguageCoverage(words, frozenset({language})).is_mostly_covered
    assert not LanguageCoverage(words, frozenset({language}), searched=False).is_mostly_covered
    name = registry.WEIGHTS_BY_LANGUAGE[language]
    assert weights.how_to_get(name) in LanguageCoverage(words).hint_text()
    assert find_entry(name).licence


def test_a_model_of_several_languages_reads_none_without_blanks_between_words() -> None:
    several = frozenset({registry.ANY_LANGUAGE})
    assert LanguageCoverage({"es": 10}, several).is_mostly_covered
    assert not LanguageCoverage({"zh": 10}, several).is_mostly_covered
    assert not LanguageCoverage({"pl": 10}, several).is_mostly_covered


def test_mostly_is_more_than_half_also_of_few_words() -> None:
    english = frozenset({"en"})
    assert LanguageCoverage({}, english).is_mostly_covered
    assert not LanguageCoverage({"en": 5, "pl": 5}, english).is_mostly_covered
    assert LanguageCoverage({"en": 6, "pl": 5}, english).is_mostly_covered
    assert not LanguageCoverage({"": 3}, english).is_mostly_covered


# What is searched once is not searched again, here or in the worker


def found(session: Session) -> list[tuple[str, str]]:
    return [(hit.hit.text, hit.kind) for hit in find_hits(session) if hit.is_spoken]


@talking
def test_a_job_finds_what_is_found_without_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    work = study_finder.prepare(session)
    assert work is not None
    result, changes = run_inline(session, work, Silent())
    assert not changes
    assert study_finder.prepare(session) is None
    with Session.open(session.study.path, "Eve", read_only=True) as other:
        anew = found(other)
    monkeypatch.setattr(study_finder, "search_texts", lambda *_: pytest.fail("searched again"))
    assert found(session) == anew
    assert ("Robert Miller", "person") in anew
    assert len(result.found) == len({free_text.text for free_text in free_texts(session.study)})


def settled_beside(session: Session) -> Callable[[Session], None]:
    """Hold what is known against the texts in a second look at the study, as the window does in a thread."""
    tell = study_finder.share_findings(session)
    with Session.open(session.study.path, "Ada", read_only=True) as second:
        tell(second)
        return study_finder.prepare_hits(second, [free_text.text for free_text in free_texts(second.study)])


@talking
def test_later_words_are_held_against_what_was_searched(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ("quixel", "person") not in found(session)
    monkeypatch.setattr(study_finder, "search_texts", lambda *_: pytest.fail("searched again"))
    hide_everywhere(session, "Quixell")
    settled_beside(session)(session)
    assert ("quixel", "person") in found(session)
    keep_words(session, ["Robert Miller"])
    assert ("Robert Miller", "person") not in found(session)


@talking
def test_what_was_settled_with_words_that_changed_meanwhile_is_dropped(session: Session) -> None:
    found(session)
    hide_everywhere(session, "Quixell")
    keep = settled_beside(session)
    hide_everywhere(session, "Nothing")
    keep(session)
    assert "Nothing" in {text for text, _ in found(session)}


@talking
def test_a_search_can_be_stopped(session: Session) -> None:
    work = study_finder.prepare(session)
    with pytest.raises(Cancelled):
        study_finder.compute(work.parameters, StopAfter(1))
    assert study_finder.prepare(session) is not None
