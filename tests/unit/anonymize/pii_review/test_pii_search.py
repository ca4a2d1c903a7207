"""What is searched once is not searched again, here or in the worker, and gives what searching everything anew does."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anonymize.pii_review import study_finder as pii_finder
from anonymize.pii_review import study_finder as pii_search
from anonymize.pii_review.pii_decisions import hide_everywhere, keep_everywhere
from anonymize.pii_review.review_hits import find_hits
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
from tests.builders.face_pictures import StopAfter

SAID = ("My name is Robert Miller, call 555-867-5309.", "we saw quixel there.", "Nothing to see here.")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=1, segments=0, annotators=1)
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        (recording,) = all_recordings(opened.study)
        with opened.step("Say"):
            insert_utterances(
                opened.study,
                [Utterance(new_id(), recording.id, n * 1000, n * 1000 + 900, text) for n, text in enumerate(SAID)],
            )
        yield opened


def found(session: Session) -> list[tuple[str, str]]:
    return [(hit.hit.text, hit.kind) for hit in find_hits(session) if hit.is_spoken]


def test_a_job_finds_what_is_found_without_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    work = pii_search.prepare(session)
    assert work is not None
    result, changes = run_inline(session, work, Silent())
    assert not changes
    assert pii_search.prepare(session) is None
    with Session.open(session.study.path, "Eve", read_only=True) as other:
        anew = found(other)
    monkeypatch.setattr(pii_finder, "search_texts", lambda *_: pytest.fail("searched again"))
    assert found(session) == anew
    assert ("Robert Miller", "person") in anew
    assert result["texts"] == len({free_text.text for free_text in free_texts(session.study)})


def settled_beside(session: Session) -> Callable[[Session], None]:
    """Hold what is known against the texts in a second look at the study, as the window does in a thread."""
    tell = pii_finder.share_findings(session)
    with Session.open(session.study.path, "Ada", read_only=True) as second:
        tell(second)
        return pii_finder.prepare_hits(second, [free_text.text for free_text in free_texts(second.study)])


def test_later_words_are_held_against_what_was_searched(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ("quixel", "person") not in found(session)
    monkeypatch.setattr(pii_finder, "search_texts", lambda *_: pytest.fail("searched again"))
    hide_everywhere(session, "Quixell")
    settled_beside(session)(session)
    assert ("quixel", "person") in found(session)
    keep_everywhere(session, "Robert Miller")
    assert ("Robert Miller", "person") not in found(session)


def test_what_was_settled_with_words_that_changed_meanwhile_is_dropped(session: Session) -> None:
    found(session)
    hide_everywhere(session, "Quixell")
    keep = settled_beside(session)
    hide_everywhere(session, "Nothing")
    keep(session)
    assert "Nothing" in {text for text, _ in found(session)}


def test_a_search_can_be_stopped(session: Session) -> None:
    work = pii_search.prepare(session)
    with pytest.raises(Cancelled):
        pii_search.compute(work.parameters, StopAfter(1))
    assert pii_search.prepare(session) is not None
