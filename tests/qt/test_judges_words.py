"""Judgments and what people say become columns that can be compared."""

from dataclasses import replace

import pytest

from annotate.transcript.transcript_edits import add_utterance
from app.gui.judges.answer_columns import (
    Chips,
    ChoiceChip,
    ColumnPairPosition,
    JudgmentColumn,
    JudgmentColumnState,
    LabelCell,
    TextCell,
)
from app.gui.judges.answer_table import JudgeCondition, SegmentJudgments, build_table
from project.entities.judgments import RAW_CONDITION, JudgeEntry, JudgmentStatus
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


@pytest.fixture
def about(session: Session) -> Segment:
    own = mark(session, "Ada", 10, 20, "error", attributes=["norms"], rationale="It turned away.")
    mark(session, "Bo", 11, 21, "competence", attributes=["norms"])
    mark(session, "Cy", 100, 110, "competence")
    found = find_segment(session.study, own)
    assert found is not None
    return found


def by_name(columns: tuple[JudgmentColumn, ...]) -> dict[str, JudgmentColumn]:
    return {column.name: column for column in columns}


def test_judges_come_first_then_who_made_the_segment_then_others_that_overlap(session: Session, about: Segment) -> None:
    said = [made_up(SERVER, session, about.id, OTHER), made_up(LOCAL, session, about.id, SAID)]
    shown = build_table(
        session,
        about,
        SegmentJudgments(said, selected=[JudgeCondition(LOCAL, RAW_CONDITION), JudgeCondition(SERVER, RAW_CONDITION)]),
    )
    assert [column.name for column in shown.columns] == ["Local", "Server", "Ada", "Bo"]
    assert [column.subtitle for column in shown.columns] == [
        "llama-cpp · tiny-lm.gguf",
        "openai · some-model",
        "This segment",
        "Own segment, 82 % in common",
    ]


def test_agreement_with_people_and_differences_are_marked(session: Session, about: Segment) -> None:
    said = [made_up(LOCAL, session, about.id, SAID), made_up(SERVER, session, about.id, OTHER)]
    shown = build_table(session, about, SegmentJudgments(said))
    columns = by_name(shown.columns)
    local, server = columns["Local"].cells["label"], columns["Server"].cells["label"]
    assert isinstance(local, LabelCell)
    assert isinstance(server, LabelCell)
    assert (local.agrees, local.differs) == (("Ada",), ("Bo",))
    assert (server.agrees, server.differs) == (("Bo",), ("Ada",))
    attributes = columns["Server"].cells["attributes"]
    assert attributes == Chips((ChoiceChip("Emotions", False), ChoiceChip("Social norms and routines", True)))
    assert [(row.name, row.differs) for row in shown.rows[:2]] == [("Verdict", True), ("Attributes", True)]
    assert {row.name: row.differs for row in shown.rows}["Rationale"] is False


def test_ratings_are_compared_and_their_reasons_are_not(session: Session, about: Segment) -> None:
    ratings = [
        made_up(
            LOCAL, session, about.id, {"goal_reason": "It tried.", "goal": 3, "secret_reason": "No.", "secret": -1}
        ),
        made_up(SERVER, session, about.id, {"goal_reason": "It did well.", "goal": 3, "secret": 0}),
    ]
    shown = build_table(session, about, SegmentJudgments(ratings))
    rows = {row.key: row for row in shown.rows}
    assert [row.name for row in shown.rows][-2:] == ["Goal", "Secret"]
    assert (rows["goal"].differs, rows["secret"].differs) == (False, True)
    assert by_name(shown.columns)["Local"].cells["goal"] == TextCell("3\nIt tried.")
    assert by_name(shown.columns)["Local"].cells["secret"] == TextCell("-1\nNo.")
    assert by_name(shown.columns)["Server"].cells["secret"] == TextCell("0")


def test_raw_and_anonymized_of_one_judge_stand_next_to_each_other(session: Session, about: Segment) -> None:
    said = [
        made_up(SERVER, session, about.id, SAID, condition="run-1"),
        made_up(LOCAL, session, about.id, SAID),
        made_up(SERVER, session, about.id, OTHER),
    ]
    wanted = [JudgeCondition(SERVER, "run-1"), JudgeCondition(LOCAL, RAW_CONDITION)]
    shown = build_table(session, about, SegmentJudgments(said, selected=wanted, conditions={"run-1": "Blurred"}))
    assert [(column.name, column.condition, column.pair) for column in shown.columns[:3]] == [
        ("Server", "Raw", ColumnPairPosition.FIRST),
        ("Server", "Blurred", ColumnPairPosition.SECOND),
        ("Local", "Raw", ColumnPairPosition.NONE),
    ]


def test_the_newest_answer_counts(session: Session, about: Segment) -> None:
    old = made_up(LOCAL, session, about.id, OTHER, at="2026-11-20T12:00:00+00:00")
    new = made_up(LOCAL, session, about.id, SAID)
    (column, *_) = build_table(session, about, SegmentJudgments([old, new])).columns
    assert column.judgment_id == new.id


def test_an_answer_stays_in_sight_when_asking_again_fails(session: Session, about: Segment) -> None:
    answer = made_up(LOCAL, session, about.id, SAID, at="2026-11-20T12:00:00+00:00")
    failed = made_up(LOCAL, session, about.id, {}, status=JudgmentStatus.ERROR, error="It was cut off.")
    (column, *_) = build_table(session, about, SegmentJudgments([failed, answer])).columns
    assert (column.state, column.judgment_id) == (JudgmentColumnState.ANSWERED, answer.id)
    assert column.said == "Asked again: error. It was cut off."
    (column, *_) = build_table(
        session, about, SegmentJudgments([answer], not_sent={("1", RAW_CONDITION): "Its file is gone."})
    ).columns
    assert (column.state, column.said) == (JudgmentColumnState.ANSWERED, "Asked again: not sent. Its file is gone.")
    assert column.cells["label"] is not None
    (column, *_) = build_table(
        session,
        about,
        SegmentJudgments([], selected=[JudgeCondition(LOCAL, RAW_CONDITION)], not_sent={("1", RAW_CONDITION): "No."}),
    ).columns
    assert (column.state, column.said) == (JudgmentColumnState.NOT_SENT, "No.")


def test_what_is_hidden_decides_nothing_that_is_shown(session: Session, about: Segment) -> None:
    seen, hidden = made_up(LOCAL, session, about.id, SAID), made_up(SERVER, session, about.id, OTHER, thinking="hm")
    alone = build_table(session, about, SegmentJudgments([seen]))
    shown = build_table(session, about, SegmentJudgments([seen], [hidden], "Mark it yourself first."))
    assert shown.rows == alone.rows
    column = by_name(shown.columns)["Server"]
    assert (column.state, column.said) == (JudgmentColumnState.HIDDEN, "Mark it yourself first.")
    assert (column.cells, column.reasoning, column.adoptable) == ({}, "", frozenset())
    assert by_name(shown.columns)["Local"] == by_name(alone.columns)["Local"]


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (JudgmentStatus.UNPARSED, JudgmentColumnState.UNPARSED),
        (JudgmentStatus.REFUSED, JudgmentColumnState.REFUSED),
        (JudgmentStatus.ERROR, JudgmentColumnState.ERROR),
    ],
)
def test_what_failed_is_shown_as_such_also_while_answers_are_hidden(
    session: Session, about: Segment, status: JudgmentStatus, state: JudgmentColumnState
) -> None:
    failed = replace(made_up(LOCAL, session, about.id, {}), status=status, error="The server was cut off.")
    for known in (SegmentJudgments([failed]), SegmentJudgments([], [failed], "Later.")):
        (column, *_) = build_table(session, about, known).columns
        assert (column.state, column.said, column.cells) == (state, "The server was cut off.", {})


def test_who_is_asked_and_who_was_not_asked_have_columns(session: Session, about: Segment) -> None:
    wanted = [JudgeCondition(LOCAL, RAW_CONDITION), JudgeCondition(SERVER, RAW_CONDITION)]
    said = [made_up(LOCAL, session, about.id, SAID)]
    known = SegmentJudgments(said, selected=wanted, pending={("1", RAW_CONDITION): JudgmentColumnState.ASKING})
    local, server, *_ = build_table(session, about, known).columns
    assert (local.state, local.cells) == (JudgmentColumnState.ASKING, {})
    assert (server.state, server.judge_id, server.own_condition) == (JudgmentColumnState.NOT_ASKED, "2", RAW_CONDITION)


def test_facts_tell_time_tokens_cost_cache_mending_and_a_segment_that_moved(session: Session, about: Segment) -> None:
    plain = made_up(SERVER, session, about.id, SAID)
    special = replace(
        plain,
        mended="repaired",
        calls=2,
        tokens_in=None,
        start_us=0,
        sight={"shortened": [["turns", 2, 80]]},
    )
    (column, *_) = build_table(session, about, SegmentJudgments([plain])).columns
    assert column.facts == ("1.2 s", "1,534 → 212 tokens", "0.0012 EUR")
    (column, *_) = build_table(session, about, SegmentJudgments([special])).columns
    assert column.facts == (
        "1.2 s",
        "? → 212 tokens",
        "0.0012 EUR",
        "2 requests",
        "Repaired by asking once more",
        "Shortened to fit the model",
        "About the segment as it was before it was moved",
    )
    (column, *_) = build_table(
        session, about, SegmentJudgments([replace(plain, cached_from="judgment-0", ms=0)])
    ).columns
    assert column.facts == ("Cached: not asked again",)


def test_an_answer_from_before_the_transcript_was_edited_says_so(session: Session, about: Segment) -> None:
    def facts(at: str) -> tuple[str, ...]:
        judgment = replace(made_up(SERVER, session, about.id, SAID), at=at)
        return build_table(session, about, SegmentJudgments([judgment])).columns[0].facts

    edited = "The transcript of it was edited since"
    before, after = "2020-01-02T03:04:05.000Z", "2999-01-02T03:04:05.000Z"
    add_utterance(session, about.recording_id, about.end_us, about.end_us + 1_000_000, "Beside it.", None)
    assert edited not in facts(before)
    add_utterance(session, about.recording_id, about.start_us, about.end_us, "In it.", None)
    assert edited in facts(before)
    assert edited not in facts(after)


def test_only_texts_of_the_form_can_be_taken_over(session: Session, about: Segment) -> None:
    (column, *_) = build_table(
        session, about, SegmentJudgments([made_up(LOCAL, session, about.id, SAID | {"x": "y"})])
    ).columns
    assert column.adoptable == {"rationale"}


def test_what_is_marked_is_what_most_people_say_otherwise(session: Session, about: Segment) -> None:
    mark(session, "Di", 10, 20, "error", attributes=["norms", "engagement"], channel="verbal")
    mark(session, "Ed", 10, 20, "error", attributes=["engagement"], channel="verbal")
    said = [
        made_up(LOCAL, session, about.id, {**SAID, "channel": "verbal"}),
        made_up(SERVER, session, about.id, {**OTHER, "channel": "both"}),
    ]
    columns = by_name(build_table(session, about, SegmentJudgments(said)).columns)
    assert columns["Server"].cells["attributes"] == Chips((ChoiceChip("Emotions", False), ChoiceChip(NORMS, True)))
    assert columns["Di"].cells["attributes"] == Chips((ChoiceChip("Engagement", True), ChoiceChip(NORMS, True)))
    assert columns["Local"].cells["channel"] == columns["Di"].cells["channel"] == TextCell("Verbal")
    assert columns["Server"].cells["channel"] == TextCell("Both", differs=True)
