"""Judgments and what people say become columns that can be compared."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotate.transcript.transcript_edits import add_utterance
from app.gui.judges.answer_columns import (
    Chips,
    ChoiceChip,
    ColumnPairPosition,
    JudgmentColumn,
    JudgmentColumnState,
    JudgmentTable,
)
from app.gui.judges.answer_table import JudgeCondition, SegmentJudgments, build_table
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Segment
from project.queries.segment_rows import find_segment
from project.session.session import Session
from tests.builders.judgments import made_up
from tests.builders.marked_study import mark

LOCAL = JudgeEntry("1", "Local", "llama-cpp", "/models/tiny-lm.gguf")
SERVER = JudgeEntry("2", "Server", "openai", "some-model", {"currency": "EUR"})
SAID = {"label": "error", "attributes": ["norms"], "rationale": "It left."}
NORMS = "Social norms and routines"
OTHER = {"label": "competence", "attributes": ["norms", "emotions"], "rationale": "It stayed."}


Says = Callable[..., Judgment]
Table = Callable[..., JudgmentTable]
ASKED = [JudgeCondition(LOCAL, RAW_CONDITION), JudgeCondition(SERVER, RAW_CONDITION)]


@pytest.fixture
def about(session: Session) -> Segment:
    own = mark(session, "Ada", 10, 20, "error", attributes=["norms"], rationale="It turned away.")
    mark(session, "Bo", 11, 21, "competence", attributes=["norms"])
    mark(session, "Cy", 100, 110, "competence")
    return find_segment(session.study, own)


@pytest.fixture
def says(session: Session, about: Segment) -> Says:
    """Makes up what a judge says about the segment."""
    return lambda judge, answer, **more: made_up(judge, session, about.id, answer, **more)


@pytest.fixture
def table(session: Session, about: Segment) -> Table:
    """Makes the table of what is said about the segment."""
    return lambda *said, **known: build_table(session, about, SegmentJudgments([*said], **known))


def by_name(shown: JudgmentTable) -> dict[str, JudgmentColumn]:
    return {column.name: column for column in shown.columns}


def test_judges_come_first_then_who_made_the_segment_then_others_that_overlap(table: Table, says: Says) -> None:
    columns = table(says(SERVER, OTHER), says(LOCAL, SAID), selected=ASKED).columns
    assert [(column.name, column.subtitle) for column in columns] == [
        ("Local", "llama-cpp · tiny-lm.gguf"),
        ("Server", "openai · some-model"),
        ("Ada", "This segment"),
        ("Bo", "Own segment, 82 % in common"),
    ]


def test_agreement_with_people_and_differences_are_marked(table: Table, says: Says) -> None:
    shown = table(says(LOCAL, SAID), says(SERVER, OTHER))
    columns = by_name(shown)
    local, server = columns["Local"].cells["label"], columns["Server"].cells["label"]
    assert (local.agrees, local.differs) == (("Ada",), ("Bo",))
    assert (server.agrees, server.differs) == (("Bo",), ("Ada",))
    assert columns["Server"].cells["attributes"] == Chips((ChoiceChip("Emotions", False), ChoiceChip(NORMS, True)))
    assert [(row.name, row.differs) for row in shown.rows[:2]] == [("Verdict", True), ("Attributes", True)]
    assert {row.name: row.differs for row in shown.rows}["Rationale"] is False


def test_raw_and_anonymized_of_one_judge_stand_next_to_each_other(table: Table, says: Says) -> None:
    said = says(SERVER, SAID, condition="run-1"), says(LOCAL, SAID), says(SERVER, OTHER)
    wanted = [JudgeCondition(SERVER, "run-1"), JudgeCondition(LOCAL, RAW_CONDITION)]
    columns = table(*said, selected=wanted, conditions={"run-1": "Blurred"}).columns
    assert [(column.name, column.condition, column.pair) for column in columns[:3]] == [
        ("Server", "Raw", ColumnPairPosition.FIRST),
        ("Server", "Blurred", ColumnPairPosition.SECOND),
        ("Local", "Raw", ColumnPairPosition.NONE),
    ]


def test_the_newest_answer_counts_and_stays_in_sight_when_asking_again_fails(table: Table, says: Says) -> None:
    older, answer = (
        says(LOCAL, OTHER, at="2026-11-19T12:00:00+00:00"),
        says(LOCAL, SAID, at="2026-11-20T12:00:00+00:00"),
    )
    assert table(older, answer).columns[0].judgment_id == answer.id
    failed = says(LOCAL, {}, status=JudgmentStatus.ERROR, error="It was cut off.")
    column = table(failed, answer).columns[0]
    assert (column.state, column.judgment_id) == (JudgmentColumnState.ANSWERED, answer.id)
    assert column.said == "Asked again: error. It was cut off."
    column = table(answer, not_sent={("1", RAW_CONDITION): "Its file is gone."}).columns[0]
    assert (column.state, column.said) == (JudgmentColumnState.ANSWERED, "Asked again: not sent. Its file is gone.")
    assert column.cells["label"] is not None
    column = table(selected=ASKED[:1], not_sent={("1", RAW_CONDITION): "No."}).columns[0]
    assert (column.state, column.said) == (JudgmentColumnState.NOT_SENT, "No.")


def test_what_is_hidden_decides_nothing_that_is_shown(table: Table, says: Says) -> None:
    seen = says(LOCAL, SAID)
    alone = table(seen)
    shown = table(seen, hidden=[says(SERVER, OTHER, thinking="hm")], why_hidden="Mark it yourself first.")
    assert shown.rows == alone.rows
    column = by_name(shown)["Server"]
    assert (column.state, column.said) == (JudgmentColumnState.HIDDEN, "Mark it yourself first.")
    assert (column.cells, column.reasoning, column.adoptable) == ({}, "", frozenset())
    assert by_name(shown)["Local"] == by_name(alone)["Local"]


@pytest.mark.parametrize("status", [JudgmentStatus.UNPARSED, JudgmentStatus.REFUSED, JudgmentStatus.ERROR])
def test_what_failed_is_shown_as_such_also_while_answers_are_hidden(
    table: Table, says: Says, status: JudgmentStatus
) -> None:
    failed = says(LOCAL, {}, status=status, error="The server was cut off.")
    for shown in (table(failed), table(hidden=[failed], why_hidden="Later.")):
        column = shown.columns[0]
        assert (column.state.name, column.said, column.cells) == (status.name, "The server was cut off.", {})


def test_facts_tell_time_tokens_cost_cache_mending_and_a_segment_that_moved(table: Table, says: Says) -> None:
    plain = says(SERVER, SAID)
    sight = {"shortened": [["turns", 2, 80]]}
    special = replace(plain, mended="repaired", calls=2, tokens_in=None, start_us=0, sight=sight)
    assert table(plain).columns[0].facts == ("1.2 s", "1,534 → 212 tokens", "0.0012 EUR")
    assert table(special).columns[0].facts == (
        "1.2 s",
        "? → 212 tokens",
        "0.0012 EUR",
        "2 requests",
        "Repaired by asking once more",
        "Shortened to fit the model",
        "About the segment as it was before it was moved",
    )
    cached = replace(plain, cached_from="judgment-0", ms=0)
    assert table(cached).columns[0].facts == ("Cached: not asked again",)


def test_an_answer_from_before_the_transcript_was_edited_says_so(
    session: Session, about: Segment, table: Table, says: Says
) -> None:
    def is_edited_since(at: str) -> bool:
        return "The transcript of it was edited since" in table(replace(says(SERVER, SAID), at=at)).columns[0].facts

    before, after = "2020-01-02T03:04:05.000Z", "2999-01-02T03:04:05.000Z"
    add_utterance(session, about.recording_id, about.end_us, about.end_us + 1_000_000, "Beside it.", None)
    assert not is_edited_since(before)
    add_utterance(session, about.recording_id, about.start_us, about.end_us, "In it.", None)
    assert is_edited_since(before)
    assert not is_edited_since(after)
