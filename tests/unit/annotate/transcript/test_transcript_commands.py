"""Edits of a transcript as the window and the command line ask for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.study.people import add_participant
from annotate.study.recording_edits import redo, undo
from annotate.transcript import transcript_edits as transcript
from annotate.transcript import transcript_edits as who_speaks
from annotate.transcript.utterance_text import WordSearch
from anonymize.faces import face_review_edits as face_review
from project.entities.study_records import ParticipantRole, Run, Utterance
from project.entities.transcript import AsrSegment, Word
from project.errors import UserError
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import insert_asr_segments, insert_utterances, utterances_of
from project.session.session import Session
from tests.builders.face_study import only_recording, open_lab

MS = 1_000


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


@pytest.fixture
def here(session: Session) -> str:
    return only_recording(session)


@pytest.fixture
def spoken(session: Session, here: str) -> list[Utterance]:
    """Two drafts with measured words and one that was typed, all in the 240 ms of the recording."""
    words = (Word("good", 0, 30 * MS, 0.9), Word("mourning", 30 * MS, 60 * MS, 0.3), Word("all", 70 * MS, 80 * MS, 0.8))
    hello = (Word("Hello,", 90 * MS, 110 * MS, 0.9), Word("Jo.", 120 * MS, 140 * MS, 0.4))
    those = [
        Utterance(new_id(), here, 0, 80 * MS, "good mourning all", None, words, False, False),
        Utterance(new_id(), here, 90 * MS, 140 * MS, "Hello, Jo.", None, hello, False, False),
        Utterance(new_id(), here, 150 * MS, 200 * MS, "good bye"),
    ]
    with session.step("Fill in"):
        insert_utterances(session.study, those)
    return those


def _said(session: Session, here: str) -> list[Utterance]:
    return utterances_of(session.study, here)


def test_every_edit_is_undone_exactly(session: Session, here: str, spoken: list[Utterance]) -> None:
    first, second, third = (utterance.id for utterance in spoken)
    person, _ = add_participant(session, "P01", ParticipantRole.USER)
    for edit in (
        lambda: transcript.edit_text(session, first, "good morning to all"),
        lambda: transcript.split_utterance(session, first, 2),
        lambda: transcript.split_utterance(session, third, at_us=170 * MS),
        lambda: transcript.split_utterance_text(session, second, "Hel", "lo, Joe."),
        lambda: transcript.merge_utterances(session, [second, first]),
        lambda: transcript.retime_utterances(session, [(first, 20 * MS, 75 * MS), (third, 160 * MS, 210 * MS)]),
        lambda: who_speaks.assign_speaker(session, [first, third], person),
        lambda: transcript.mark_checked(session, [first, second]),
        lambda: transcript.delete_utterances(session, [first, third]),
        lambda: transcript.replace_all(session, WordSearch("good"), "bad"),
        lambda: transcript.add_utterance(session, here, 200 * MS, 230 * MS, "so long", person),
    ):
        edit()
        after = _said(session, here)
        assert after != spoken
        undo(session)
        assert _said(session, here) == spoken
        redo(session)
        assert _said(session, here) == after
        undo(session)


def test_an_edited_text_is_read_and_keeps_the_times_of_its_words(
    session: Session, here: str, spoken: list[Utterance]
) -> None:
    transcript.edit_text(session, spoken[0].id, " good morning all ")
    first = _said(session, here)[0]
    assert (first.text, first.checked) == ("good morning all", True)
    assert first.words[:2] == (spoken[0].words[0], Word("morning", 30 * MS, 60 * MS, 1.0))
    transcript.edit_text(session, spoken[0].id, "  ")
    assert (_said(session, here)[0].text, _said(session, here)[0].words) == ("", ())


def test_typing_is_one_step_and_can_be_thought_better_of(session: Session, here: str, spoken: list[Utterance]) -> None:
    for text in ("good m", "good morn", "good morning all"):
        transcript.edit_text(session, spoken[0].id, text, check=False)
    assert not _said(session, here)[0].checked
    transcript.restore_text(session, spoken[0])
    assert _said(session, here) == spoken
    transcript.edit_text(session, spoken[0].id, "x")
    undo(session)
    assert _said(session, here) == spoken


def test_a_split_leaves_words_on_both_sides(session: Session, here: str, spoken: list[Utterance]) -> None:
    added, _ = transcript.split_utterance(session, spoken[0].id, at_us=50 * MS)
    first, second = _said(session, here)[:2]
    assert (first.text, first.start_us, first.end_us) == ("good mourning", 0, 60 * MS)
    assert (second.id, second.text, second.start_us, second.end_us) == (added, "all", 70 * MS, 80 * MS)
    assert not second.checked
    for nowhere in ({"word": 0}, {"word": 1}, {"at_us": 71 * MS}, {"at_us": 10 * MS}):
        with pytest.raises(UserError):
            transcript.split_utterance(session, added, **nowhere)


def test_merging_takes_what_is_of_one_recording(session: Session, here: str, spoken: list[Utterance]) -> None:
    kept, changes = transcript.merge_utterances(session, [utterance.id for utterance in spoken])
    (made,) = _said(session, here)
    assert made.id == kept == spoken[0].id
    assert changes.ids("utterance") == {utterance.id for utterance in spoken}
    assert made.text == "good mourning all Hello, Jo. good bye"
    assert [word.confidence for word in made.words] == [0.9, 0.3, 0.8, 0.9, 0.4, None, None]
    with pytest.raises(UserError):
        transcript.merge_utterances(session, [kept])


def test_a_speaker_that_a_person_names_is_no_guess(session: Session, here: str) -> None:
    person, _ = add_participant(session, "P01", ParticipantRole.USER)
    guess = Utterance(new_id(), here, 0, 80 * MS, "hi", person, (), False, True)
    with session.step("Fill in"):
        insert_utterances(session.study, [guess])
    who_speaks.accept_speakers(session, [guess.id])
    (utterance,) = _said(session, here)
    assert (utterance.participant_id, utterance.suggested, utterance.checked) == (person, False, False)
    undo(session)
    who_speaks.assign_speaker(session, [guess.id], None)
    (utterance,) = _said(session, here)
    assert (utterance.participant_id, utterance.suggested) == (None, False)
    with pytest.raises(UserError):
        who_speaks.assign_speaker(session, [guess.id], "nobody")


def test_replacing_is_one_step_and_tells_how_often(session: Session, here: str, spoken: list[Utterance]) -> None:
    assert transcript.count_matches(session, WordSearch("GOOD")) == {here: 2}
    assert transcript.count_matches(session, WordSearch("nowhere")) == {}
    done = transcript.replace_all(session, WordSearch("GOOD"), "bad", [here])
    assert (done.count, done.emptied) == (2, ())
    assert done.changes.ids("utterance") == {spoken[0].id, spoken[2].id}
    assert [utterance.text for utterance in _said(session, here)] == ["bad mourning all", "Hello, Jo.", "bad bye"]
    assert _said(session, here)[0].words[0].start_us == 0
    emptied = transcript.replace_all(session, WordSearch("hello, jo."), "")
    assert emptied.emptied == (spoken[1].id,)
    nothing = transcript.replace_all(session, WordSearch("nowhere"), "x")
    assert (nothing.count, bool(nothing.changes)) == (0, False)


def test_what_lies_outside_all_speech_is_found(session: Session, here: str, spoken: list[Utterance]) -> None:
    with pytest.raises(UserError, match="not been detected"):
        transcript.find_utterances_without_speech(session, here)
    with session.study.run_transaction():
        insert_run(session.study, Run("s", here, "speech", "silero", {}, {}, "2026-01-01T00:00:00Z", "0"))
        insert_asr_segments(
            session.study, "s", [AsrSegment(0, 20 * MS), AsrSegment(60 * MS, 90 * MS), AsrSegment(195 * MS, 240 * MS)]
        )
    assert transcript.find_utterances_without_speech(session, here) == [spoken[1].id]


def test_what_does_not_fit_or_is_gone_is_refused_and_nothing_changes(
    session: Session, here: str, spoken: list[Utterance]
) -> None:
    add_participant(session, "P01", ParticipantRole.USER)
    for span in ((-1, 5 * MS), (0, 241 * MS), (9 * MS, 2 * MS)):
        for edit in (
            lambda span=span: transcript.retime_utterances(session, [(spoken[0].id, *span)]),
            lambda span=span: transcript.add_utterance(session, here, *span),
        ):
            with pytest.raises(UserError):
                edit()
    for pseudonym in ("  ", "P01", "P\u200b02"):
        with pytest.raises(UserError):
            who_speaks.assign_to_new_participant(session, [spoken[0].id], pseudonym)
        with pytest.raises(UserError):
            face_review.assign_faces_to_new(session, here, [], pseudonym, ParticipantRole.USER)
    with pytest.raises(UserError, match="no words"):
        transcript.split_utterance_text(session, spoken[0].id, "  ", "good mourning all")
    assert _said(session, here) == spoken
    assert [participant.pseudonym for participant in all_participants(session.study)] == ["P01"]
    transcript.delete_utterances(session, [spoken[0].id])
    for change in (transcript.delete_utterances, transcript.mark_checked, who_speaks.accept_speakers):
        with pytest.raises(UserError, match="no longer in"):
            change(session, [spoken[0].id, spoken[1].id])


def test_a_search_finds_words_and_patterns_and_replaces_them() -> None:
    for search, found in (
        (WordSearch("jo"), [(0, 2), (6, 8), (10, 12)]),
        (WordSearch("Jo", match_case=True), [(0, 2)]),
        (WordSearch("jo", whole_words=True), [(0, 2), (6, 8)]),
        (WordSearch(r"\bjo\w+", regex=True), [(10, 14)]),
        (WordSearch(r"x*", regex=True), []),
        (WordSearch("."), [(8, 9)]),
    ):
        assert search.find_spans("Jo or jo. joke") == found
    assert WordSearch(r"(\w+) (\w+)", regex=True).replace_all("one two", r"\2 \1") == ("two one", 1)
    assert WordSearch("one").replace_all("one two", r"\1") == (r"\1 two", 1)
    with pytest.raises(UserError):
        WordSearch("(one", regex=True)
    with pytest.raises(UserError):
        WordSearch("one", regex=True).replace_all("one", r"\3")
    for pattern in (r"(\w+\s?)+x", "(a*){2,}", "((a+)b)+", "((a+))*"):
        with pytest.raises(UserError, match="too long"):
            WordSearch(pattern, regex=True)
    for pattern in ("(ha ?)+", "(um|uh)+", r"\(a+\)+", "[(a+)]+", "(a+)b+", "([+*])+"):
        assert WordSearch(pattern, regex=True).find_spans("") == []
