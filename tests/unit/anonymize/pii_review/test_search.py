"""The texts of a study are searched once; which transcripts rules of their language and models of names cover."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anonymize.pii_review import study_finder
from anonymize.pii_review.language_coverage import LanguageCoverage, compute_coverage, find_language_gaps
from anonymize.pii_review.pii_decisions import hide_everywhere, keep_words
from anonymize.pii_review.review_hits import find_hits
from anonymize.pii_review.study_finder import searched_by, unsearched_texts
from models.names import name_finders as registry
from models.weights import installed_weights as weights
from models.weights.weights_catalogue import find_entry
from project.entities.study_records import Utterance
from project.ids import new_id
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import insert_utterances
from project.search.free_texts import free_texts
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.listed_names import LISTED

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
    assert "greenroom model fetch ner-english" in found.hint_text()
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


def test_each_language_needs_a_model_of_its_own() -> None:
    words, german = {"de": 10}, frozenset({"de"})
    assert not LanguageCoverage(words).is_mostly_covered
    assert not LanguageCoverage(words, frozenset({"it"})).is_mostly_covered
    assert LanguageCoverage(words, german).is_mostly_covered
    assert not LanguageCoverage(words, german, searched=False).is_mostly_covered
    several = frozenset({registry.ANY_LANGUAGE})
    assert LanguageCoverage({"es": 10}, several).is_mostly_covered
    assert not LanguageCoverage({"zh": 10}, several).is_mostly_covered, "it has no blanks between words"
    for name in registry.WEIGHTS_BY_LANGUAGE.values():
        assert find_entry(name).licence


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
