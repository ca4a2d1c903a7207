"""Judges are hidden until one has said one's own; what is taken over, changed afterwards or differs is known."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.blinding.label_disagreement import VerdictBoard, Verdicts, entropy, sort_voices
from annotate.blinding.own_answers import OwnWords, read_adoptions
from annotate.blinding.reveals import (
    BLIND_FIRST,
    adopt,
    is_blind_first,
    may_see,
    reveal,
    set_blind_first,
    split_by_visibility,
)
from annotate.blinding.revisions import build_revision_report, find_revised_segments
from annotate.segments.segment_edits import delete_segments, move_segments, set_field, set_label
from annotate.study.recording_edits import redo, undo
from project.entities.judgments import JudgmentStatus
from project.errors import UserError
from project.queries.judgment_rows import adoptions, reveals
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import SECOND, WALK, mark, person

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def test_a_segment_of_ones_own_opens_when_its_form_is_complete(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", attributes=["norms"], channel="verbal")
    said = judged(session, made, label="error")
    found = split_by_visibility(session, [said])
    assert found.judgments == ()
    assert found.hidden_reason == "Judges are hidden until your own form is complete. Rationale is missing."
    set_field(session, made, "rationale", "It waits.")
    assert split_by_visibility(session, [said]).judgments == (said,)


def test_what_is_hidden_tells_nothing_that_was_answered(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    said = judged(session, made, label="error", rationale="a secret reason")
    bo = judged(session, made, "Bo", annotator_id=person(session, "Bo").id, label="error")
    assert split_by_visibility(session, [said, bo]).judgments == (), "another's answer is hidden like a judge's"
    (hidden,) = split_by_visibility(session, [said]).hidden
    assert (hidden.id, hidden.judge, hidden.ms, hidden.tokens_in) == (said.id, said.judge, said.ms, said.tokens_in)
    assert not hidden.answer
    assert (hidden.raw, hidden.thinking) == ("", "")


def test_anothers_segment_opens_by_ones_own_that_stands_for_it(session: Session) -> None:
    theirs = mark(session, "Bo", 10, 20, "error")
    assert not may_see(session, theirs)
    mark(session, "Ada", 40, 50, "competence", **WHOLE)
    assert not may_see(session, theirs)
    mark(session, "Ada", 11, 19, "competence", **WHOLE)
    assert may_see(session, theirs)
    session.annotator_name = "Cy"
    assert not reveal(session, theirs), "nobody of that name worked here"
    assert reveals(session.study) == []


def test_the_form_for_people_opens_the_same_task_alone(session: Session) -> None:
    theirs = mark(session, "Bo", 10, 20, "error")
    mark(session, "Ada", 40, 50, "competence", **WHOLE)
    ada = person(session, "Ada").id
    own = judged(session, theirs, "Ada", task="verdict", annotator_id=ada, verdict="error")
    first, second = judged(session, theirs, task="verdict"), judged(session, theirs, task="assess")
    assert split_by_visibility(session, [own, first, second]).judgments == (own, first)
    assert reveal(session, theirs, "verdict")
    assert split_by_visibility(session, [own, first, second]).judgments == (own, first)


def test_the_first_reveal_counts_and_opens_for_good(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    assert reveal(session, made)
    set_field(session, made, "rationale", "It interrupts.")
    assert reveal(session, made)
    (kept,) = reveals(session.study)
    assert kept.own == {"task": "", "segment": made, "label": "competence", "values": WHOLE}
    set_field(session, made, "rationale", None)
    assert may_see(session, made)


def test_nothing_is_hidden_where_the_study_says_so_and_undo_hides_it_again(session: Session) -> None:
    made = mark(session, "Bo", 1, 5)
    mark(session, "Ada", 40, 50)
    assert set_blind_first(session, False).ids("property") == {BLIND_FIRST}
    assert may_see(session, made)
    undo(session)
    assert is_blind_first(session)
    assert not may_see(session, made)
    set_blind_first(session, False)
    reveal(session, made)
    set_blind_first(session, True)
    assert may_see(session, made), "it was shown while nothing was hidden"
    with session.step("Damage"):
        session.study.set_property(BLIND_FIRST, "no")
    assert is_blind_first(session), "a setting that cannot be read hides"


def test_where_it_cannot_be_written_down_it_is_not_shown(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    other = mark(session, "Ada", 10, 15, "competence", **WHOLE)
    reveal(session, other)
    path = session.study.path
    session.close()
    with Session.open(path, "Ada", read_only=True) as reading:
        assert not may_see(reading, made)
        assert may_see(reading, other)


def test_one_at_a_time_and_all_at_once_find_the_same(session: Session) -> None:
    chance = random.Random(0)
    for who in ("Ada", "Bo"):
        for _ in range(8):
            start = chance.randrange(40)
            mark(session, who, start, start + chance.randint(1, 9), chance.choice(["error", "competence"]))
    together = OwnWords(session, person(session, "Ada").id)
    together.read_recording("walk")
    for segment in all_segments(session.study):
        alone = OwnWords(session, person(session, "Ada").id)
        assert together.own_segment(segment) == alone.own_segment(segment)
        assert together.missing_parts(segment) == alone.missing_parts(segment)


def rationale(session: Session, segment_id: str) -> object:
    return values_of(session.study, segment_id)["rationale"]


def test_one_step_writes_the_text_and_where_it_is_from_and_undo_takes_back_both(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    said = judged(session, made, "Model A", label="error", rationale="It listens.")
    changes = adopt(session, said.id, "rationale")
    assert changes.ids("segment_value") == changes.ids("adoption") == {made}
    assert rationale(session, made) == "It listens."
    assert str(read_adoptions(session, made)["rationale"]).startswith("Taken over from Model A on 20")
    assert found(session) == [("rationale", "It waits.", "It listens.", ("Model A",))]
    assert undo(session).name == "Take over rationale from Model A"
    assert rationale(session, made) == "It waits."
    assert adoptions(session.study) == []
    redo(session)
    assert [adoption.judgment_id for adoption in adoptions(session.study, made)] == [said.id]
    assert not read_adoptions(session, made)["rationale"].changed
    set_field(session, made, "rationale", "It listens closely.")
    assert read_adoptions(session, made)["rationale"].changed
    set_field(session, made, "rationale", None)
    assert read_adoptions(session, made) == {}


def test_what_is_hidden_empty_or_no_text_cannot_be_taken_over(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", attributes=["norms"], channel="verbal")
    said = judged(session, made, rationale="It listens.")
    with pytest.raises(UserError, match="is hidden"):
        adopt(session, said.id, "rationale")
    assert "rationale" not in values_of(session.study, made)
    set_field(session, made, "rationale", "It waits.")
    for field, answer in (("channel", "verbal"), ("rationale", " ")):
        with pytest.raises(UserError):
            adopt(session, judged(session, made, **{field: answer}).id, field)
    unread = judged(session, made, status=JudgmentStatus.UNPARSED, rationale="It listens.")
    with pytest.raises(UserError, match="wrote nothing"):
        adopt(session, unread.id, "rationale")
    assert adoptions(session.study) == []


def test_it_goes_to_ones_own_segment_where_another_was_judged(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    mine = mark(session, "Ada", 1, 5.5, "competence", **WHOLE)
    said = judged(session, theirs, rationale="It listens.")
    adopt(session, said.id, "rationale")
    assert rationale(session, mine) == "It listens."
    assert rationale(session, theirs) == "It waits."
    assert [(reveal.segment_id, reveal.own["segment"]) for reveal in reveals(session.study)] == [(theirs, mine)]
    judged(session, theirs, "Left", label="error")
    set_label(session, [mine], "error")
    assert [(revision.segment_id, revision.own_id) for revision in build_revision_report(session).revisions] == [
        (theirs, mine)
    ] * 2


def found(session: Session) -> list[tuple[str, object, object, tuple[str, ...]]]:
    return [
        (revision.part, revision.before, revision.after, revision.toward)
        for revision in build_revision_report(session).revisions
    ]


def test_a_change_after_the_reveal_is_a_revision_toward_who_says_the_new_and_not_the_old(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, "Left", label="error", attributes=["emotions", "norms"])
    judged(session, made, "Right", label="competence", attributes=["norms"])
    set_field(session, made, "channel", "both")
    assert reveal(session, made)
    assert found(session) == []
    set_label(session, [made], "error")
    set_field(session, made, "attributes", ["norms", "emotions"])
    assert found(session) == [
        ("label", "competence", "error", ("Left",)),
        ("attributes", ["norms"], ["emotions", "norms"], ("Left",)),
    ]
    report = build_revision_report(session)
    assert all(revision.at >= revision.seen_at[:19] for revision in report.revisions)
    (ada,) = report.annotators
    assert (ada.seen, ada.unprepared, ada.revised, ada.toward) == (1, 0, 1, {"Left": 1})
    assert find_revised_segments(session) == {made}
    undo(session)
    undo(session)
    move_segments(session, [(made, SECOND, 6 * SECOND)])
    assert found(session) == [], "what was changed back is none"
    set_field(session, made, "channel", "verbal")
    assert found(session) == [("channel", "both", "verbal", ())], "nobody says so"
    undo(session)
    delete_segments(session, [made])
    (deleted,) = build_revision_report(session).revisions
    assert (deleted.part, deleted.before, deleted.after, deleted.toward) == ("label", "competence", None, ())


def test_answers_in_the_form_for_people_are_compared_too(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 40, 45)
    ada = person(session, "Ada").id
    judged(session, theirs, "Ada", annotator_id=ada, label="competence", at="2026-01-01T00:00:00.000Z")
    judged(session, theirs, "Left", label="error")
    reveal(session, theirs, "assess")
    assert found(session) == []
    judged(session, theirs, "Ada", annotator_id=ada, label="error", at="2100-01-01T00:00:00.000Z")
    assert found(session) == [("label", "competence", "error", ("Left",))]


def test_who_saw_judges_before_saying_anything_is_counted_apart(session: Session) -> None:
    theirs = mark(session, "Bo", 1, 5, "error")
    mark(session, "Ada", 40, 45)
    judged(session, theirs, label="error")
    set_blind_first(session, False)
    reveal(session, theirs)
    (ada,) = build_revision_report(session).annotators
    assert (ada.annotator.name, ada.seen, ada.unprepared, ada.revised) == ("Ada", 0, 1, 0)


def test_anothers_revision_tells_nobody_what_judges_say_too_early(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    mark(session, "Bo", 40, 45)
    judged(session, made, "Left", label="error")
    reveal(session, made)
    set_label(session, [made], "error")
    session.annotator_name = "Bo"
    report = build_revision_report(session)
    assert (report.revisions, report.hidden) == ((), 1)
    set_blind_first(session, False)
    assert build_revision_report(session).hidden == 0


def only(session: Session) -> Verdicts:
    (row,) = VerdictBoard(session, WALK).rows.values()
    return row


def test_people_and_judges_stand_side_by_side(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    mark(session, "Bo", 1.2, 5, "error")
    judged(session, made, "Left", label="error")
    judged(session, made, "Right", label="competence", condition="run-1")
    board = VerdictBoard(session, WALK)
    voices = sort_voices(board.voices.values())
    assert [(voice.name, voice.condition) for voice in voices] == [("Left", "raw"), ("Right", "run-1")]
    (row,) = board.rows.values()
    assert row.people == {"Ada": "competence", "Bo": "error"}
    assert [row.judges[voice.key] for voice in voices] == ["error", "competence"]
    assert row.has_dissent
    assert row.dissenting_keys == (voices[0].key,)
    assert row.entropy == pytest.approx(1.0)
    judged(session, made, "Left", label="competence", at="2026-01-02T00:00:00.000Z")
    judged(session, made, "Right", status=JudgmentStatus.UNPARSED, condition="run-1", at="2026-01-02T00:00:00.000Z")
    judged(session, made, "Other", task="attributes", attributes=["norms"])
    row = only(session)
    assert not row.has_dissent, "of several answers the newest counts"
    assert (len(row.silent), len(row.judges)) == (1, 1), (
        "who could not be read is silent; a task without a label is none"
    )


def test_what_is_hidden_is_neither_shown_nor_counted(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    mark(session, "Ada", 100, 105)
    judged(session, made, "Left", label="error")
    row = only(session)
    assert (row.judges, row.has_dissent, len(row.hidden)) == ({}, False, 1)
    assert row.hidden_reason
    assert "error" not in str(row)
    judged(session, made, "Ada", annotator_id=person(session, "Ada").id, label="error")
    assert [*only(session).judges.values()] == ["error", "error"]
    mark(session, "Cy", 200, 205)
    session.annotator_name = "Cy"
    assert not only(session).judges
    set_blind_first(session, False)
    assert only(session).has_dissent


@given(st.lists(st.sampled_from("abcd"), max_size=12))
def test_entropy_is_zero_where_all_say_the_same_and_at_most_even(labels: list[str]) -> None:
    found = entropy(labels)
    assert (found == 0) == (len(set(labels)) < 2)
    assert found <= len(set(labels)).bit_length()
    assert found == pytest.approx(entropy(labels[::-1]))
    if labels and len(set(Counter(labels).values())) == 1:
        assert 2**found == pytest.approx(len(set(labels)))


def test_reading_a_piece_again_finds_what_reading_everything_anew_finds(session: Session) -> None:
    mine = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    theirs = mark(session, "Bo", 1, 6, "error")
    alone = mark(session, "Bo", 20, 26, "error")
    board = VerdictBoard(session, WALK)
    for about in (mine, theirs, alone):
        judged(session, about, "Left", label="error")
        board.refresh_verdicts([about])
        assert board.rows == VerdictBoard(session, WALK).rows
    set_field(session, mine, "rationale", None)
    board.refresh_forms([mine])
    assert board.rows == VerdictBoard(session, WALK).rows
    assert not board.rows[theirs].judges
    set_field(session, mine, "rationale", "It waits.")
    board.refresh_forms([mine])
    assert board.rows == VerdictBoard(session, WALK).rows
    assert board.rows[theirs].judges
    assert {key for key, row in board.rows.items() if row.has_dissent} == {mine}
