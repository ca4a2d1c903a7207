"""Which label every person and judge gives a segment, as far as it may be seen, and how far apart they are."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.blinding.label_disagreement import VerdictBoard, Verdicts, entropy, find_dissenting_segments, sort_voices
from annotate.blinding.reveals import set_blind_first
from annotate.segments.segment_edits import set_field
from project.entities.judgments import JudgmentStatus
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark, person

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


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


def test_of_several_answers_the_newest_counts(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, "Left", label="error", at="2026-01-01T00:00:00.000Z")
    judged(session, made, "Left", label="competence", at="2026-01-02T00:00:00.000Z")
    assert not only(session).has_dissent


def test_who_could_not_be_read_is_silent_and_differs_from_nobody(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, "Left", status=JudgmentStatus.UNPARSED)
    row = only(session)
    assert (len(row.silent), row.judges, row.has_dissent) == (1, {}, False)


def test_a_task_without_a_label_has_no_place_here(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    judged(session, made, "Left", task="attributes", attributes=["norms"])
    assert VerdictBoard(session, WALK).rows == {}


def test_what_is_hidden_is_neither_shown_nor_counted(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence", **WHOLE)
    mark(session, "Ada", 100, 105)
    judged(session, made, "Left", label="error")
    row = only(session)
    assert (row.judges, row.has_dissent, len(row.hidden)) == ({}, False, 1)
    assert row.hidden_reason
    assert "error" not in str(row.as_json())
    judged(session, made, "Ada", annotator_id=person(session, "Ada").id, label="error")
    assert [*only(session).judges.values()] == ["error", "error"]


def test_where_nothing_is_hidden_all_is_shown(session: Session) -> None:
    made = mark(session, "Bo", 1, 5, "competence")
    judged(session, made, "Left", label="error")
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
    assert find_dissenting_segments(session) == {mine}
