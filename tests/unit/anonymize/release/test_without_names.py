"""Without the optional part that searches texts, pictures are released and nothing counts as searched."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anonymize.egress.egress_evidence import text_blockers
from anonymize.pii_detection.pii_finder import PersonalFinder, search_all
from anonymize.pii_review import study_finder
from anonymize.pii_review.pii_decisions import hide_everywhere
from anonymize.pii_review.pii_files import key_rows
from anonymize.pii_review.review_hits import build_finders, find_hits
from anonymize.release import release_job
from anonymize.release.release_plan import KEEP, SCRUB, ReleasePlan
from anonymize.release.release_rules import select_candidates, waive_rule
from anonymize.release.release_texts import confirm_texts, list_released_texts
from anonymize.release.scrubbed_study import collect_meta_information, replace_in_study, write_copies
from anonymize.sound.voice_methods import MUTE
from anonymize.voice.sound_choice import SoundChoice, gather_sound_parameters
from anonymize.withdrawal.withdrawal_plan import PersonalStringFinder
from benchmark.dataset.question_selection import select_questions
from benchmark.disclosure.cast_names import condition_text_filter
from models.names import name_finders
from project.errors import UserError
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.optional_parts import NAMES
from project.session.session import Session

PICTURES = ReleasePlan(methods=("solid",), formats=("csv",))
SPEECH = (replace(PICTURES, sound=KEEP), replace(PICTURES, texts=SCRUB))
FOUND = study_finder.Recognizers()


def first(session: Session) -> str:
    return all_recordings(session.study)[0].id


SEARCHES: dict[str, Callable[[Session], object]] = {
    "of a text": lambda session: search_all(["Nothing personal"]),
    "of a text with what a study knows": lambda session: PersonalFinder().find("Nothing personal"),
    "by a model of names": lambda session: name_finders.create_name_finder("spacy"),
    "of a study": find_hits,
    "that a job does": study_finder.prepare,
    "in another process": lambda session: study_finder.search_texts(["Nothing personal"], FOUND),
    "one text after the other": lambda session: study_finder.build_finder(session)("Nothing personal"),
    "to decide": lambda session: hide_everywhere(session, "Anna", "person"),
    "for the key": key_rows,
    "for a scrubber": build_finders,
    "for scrubbed texts": list_released_texts,
    "for scrubbed copies": lambda session: write_copies(session, session.study.folder / "copies"),
    "to replace in the study": replace_in_study,
    "for meta information": lambda session: collect_meta_information(session, scrubbed=True),
    "to confirm texts": confirm_texts,
    "for sound": lambda session: gather_sound_parameters(session, first(session), SoundChoice(KEEP, cover=MUTE)),
    "for judges": lambda session: condition_text_filter(session, "a rendering"),
    "for a data set": select_questions,
    "for a withdrawal": lambda session: PersonalStringFinder(with_model=True)(["Nothing personal"]),
}


def test_a_search_that_cannot_be_done_is_no_search_that_found_nothing(session: Session, without_names: None) -> None:
    for way, search in SEARCHES.items():
        with pytest.raises(UserError) as raised:
            search(session)
        assert str(raised.value) == f"{NAMES.missing_text} {NAMES.hint}", way
        assert study_finder.searched_by(session, ["Nothing personal"]) is None


@pytest.mark.parametrize("plan", SPEECH, ids=["sound", "texts"])
def test_a_release_with_speech_is_refused_and_no_waiver_helps(
    plan: ReleasePlan, session: Session, without_names: None, tmp_path: Path
) -> None:
    waive_rule(session, "pii-reviewed", None, "We read all of it")
    (reason,) = release_job.build_checklist(session, plan).remaining
    assert (reason.rule, reason.can_be_waived, reason.weights) == ("pii-reviewed", False, "names")
    assert reason.sentence == f"Recording 1: {NAMES.missing_text}"
    assert reason.hint == "Get it: greenroom model fetch names"
    if plan.texts == SCRUB:
        with pytest.raises(UserError, match="“names”, which is not installed"):
            release_job.prepare(session, tmp_path / "out", plan)
    else:
        result, _ = run_inline(session, release_job.prepare(session, tmp_path / "out", plan), Silent())
        assert not result.released
    assert not (tmp_path / "out").exists()


def test_a_release_of_pictures_needs_no_search_and_leaves_out_what_was_typed(
    session: Session, without_names: None, tmp_path: Path
) -> None:
    waive_rule(session, "independent-check", None, "Anna has no time for it")
    result, _ = run_inline(session, release_job.prepare(session, tmp_path / "out", PICTURES), Silent())
    assert result.released
    card = (tmp_path / "out" / "DATACARD.md").read_text("utf-8")
    assert "transcripts were left out" in card
    assert "waived by A01: the reason is left out, because it was not searched for personal information" in card
    assert "Anna" not in card


def test_scrubbed_texts_are_not_sent_to_a_judge(session: Session, without_names: None) -> None:
    (candidate,) = select_candidates(session, SPEECH[1]).candidates
    assert [reason.sentence for reason in text_blockers(candidate)] == [f"Recording 1: {NAMES.missing_text}"]
