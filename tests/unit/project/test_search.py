"""The index finds what looking at every text finds, after any edits, and marks it; whatever is typed is no error."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from project.entities.study_records import (
    Changes,
    Comment,
    FieldValue,
    Participant,
    ParticipantRole,
    Recording,
    Review,
    ReviewDecision,
    Utterance,
)
from project.ids import new_id
from project.queries.annotator_rows import set_review
from project.queries.recording_rows import insert_participant, update_recording
from project.queries.segment_rows import (
    delete_comment,
    delete_segments,
    insert_comments,
    insert_segment,
    set_value,
    update_comment,
)
from project.queries.transcript_rows import insert_utterances
from project.search.search_index import SearchIndex, match_expression
from project.store.study import Study
from tests.builders.brute_force import every_text, fits
from tests.builders.small_study import Small

WORDS = ("robot", "robots", "Rob", "wartet", "café", "Cafe\u0301", "naïve", "ÜBER", "mm-hm", "3", "don't", "a_b")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
queries = st.one_of(
    st.lists(st.sampled_from((*WORDS, "ro", "caf", "ü", "m", '"robot wartet"', '"robot ro', '"', "-")), max_size=3).map(
        " ".join
    ),
    st.text("robca e\"'*()é-", max_size=8),
)
edits = st.lists(st.tuples(st.sampled_from("vvvcdunrpsxz"), st.integers(0, 3), texts), max_size=12)


def check(study: Study, index: SearchIndex, query: str) -> None:
    found = sorted((p.table, p.subject, p.field) for p in index.find_locations(query).values())
    assert found == sorted(row[:3] for row in every_text(study) if fits(row[3], query))


def edit(small: Small, kind: str, which: int, text: str) -> Changes:
    study, who = small.study, small.annotator.id
    segments = [row[0] for row in study.rows("SELECT id FROM segment ORDER BY id")]
    comments = [row[0] for row in study.rows("SELECT id FROM comment ORDER BY id")]
    with study.step("Edit", who) as step:
        if kind == "s" or not segments:
            insert_segment(study, small.segment())
        elif kind == "v":
            field = "rationale" if which % 2 else "correction"
            set_value(study, FieldValue(segments[which % len(segments)], "shrec", 1, field, text))
            set_value(study, FieldValue(segments[which % len(segments)], "shrec", 1, "channel", "verbal"))
        elif kind == "x":
            delete_segments(study, segments[which % len(segments)])
        elif kind == "n":
            set_review(study, Review(segments[which % len(segments)], who, ReviewDecision.AGREE, text, "t"))
        elif kind == "c":
            insert_comments(study, [Comment(new_id(), segments[which % len(segments)], who, text, "t")])
        elif kind == "d" and comments:
            delete_comment(study, comments[which % len(comments)])
        elif kind == "u":
            insert_utterances(study, [Utterance(new_id(), small.recording.id, 0, 10, text)])
        elif kind == "r":
            update_recording(study, Recording(small.recording.id, small.collection.id, 1, text, 60_000_000))
        elif kind == "p":
            insert_participant(study, Participant(new_id(), text, ParticipantRole.USER, text))
    if kind == "z" and study.undo_name:
        return step.changes | study.undo(who)
    return step.changes


@pytest.fixture
def index(small: Small) -> Iterator[SearchIndex]:
    made = SearchIndex(small.study)
    yield made
    made.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=edits, later=st.lists(st.tuples(edits, queries), min_size=1, max_size=4))
def test_it_finds_what_a_look_at_every_text_finds(
    small: Small, first: list[tuple[str, int, str]], later: list[tuple[list[tuple[str, int, str]], str]]
) -> None:
    """The study keeps what was done in the examples before."""
    for row in first:
        edit(small, *row)
    index = SearchIndex(small.study)
    for edited, query in later:
        for row in edited:
            index.note_changes(edit(small, *row))
        check(small.study, index, query)
    index.close()


def test_what_matches_is_marked_and_a_long_text_is_cut_around_it(small: Small, index: SearchIndex) -> None:
    segment = small.add()
    long = " ".join(["before"] * 200 + ["needle"] + ["after"] * 200)
    with small.study.step("Say") as step:
        set_value(small.study, FieldValue(segment.id, "shrec", 1, "rationale", "The robot waits: Café, cafés and tea."))
        insert_comments(small.study, [Comment(new_id(), segment.id, small.annotator.id, long, "t")])
    index.note_changes(step.changes)
    ((place, excerpt),) = index.find_best("cafe")
    assert (place.table, place.subject, place.field) == ("segment_value", segment.id, "rationale")
    assert [excerpt.text[start:end] for start, end in excerpt.marks] == ["Café", "cafés"]
    (number,) = index.find_locations("needle")
    cut = index.excerpt("needle", number)
    assert index.excerpts("needle", [number]) == [cut]
    assert "needle" in cut.text
    assert len(cut.text) < 200


def test_older_versions_choices_of_a_form_and_former_words_are_not_found(small: Small, index: SearchIndex) -> None:
    segment = small.add()
    with small.study.step("Say") as step:
        for version, text in ((1, "before"), (2, "afterwards")):
            set_value(small.study, FieldValue(segment.id, "shrec", version, "rationale", text))
        set_value(small.study, FieldValue(segment.id, "shrec", 1, "channel", "verbal"))
    index.note_changes(step.changes)
    assert not index.find_locations("before")
    assert index.find_locations("afterwards")
    assert not index.find_locations("verbal")
    comment = Comment(new_id(), segment.id, small.annotator.id, "former words", "t")
    with small.study.step("Say") as step:
        insert_comments(small.study, [comment])
    index.note_changes(step.changes)
    with small.study.step("Resolve") as step:
        update_comment(small.study, replace(comment, text="other words", resolved=True))
    index.note_changes(step.changes)
    assert not index.find_locations("former")
    assert index.find_locations("other")


def test_a_reader_finds_what_the_writer_saved_later(small: Small) -> None:
    with Study.open(small.study.path, read_only=True) as reader:
        index = SearchIndex(reader)
        assert not index.find_locations("afterthought")
        segment = small.add()
        with small.study.step("Say"):
            insert_comments(small.study, [Comment(new_id(), segment.id, small.annotator.id, "afterthought", "t")])
        assert index.find_locations("afterthought")
        index.close()


def test_words_and_phrases() -> None:
    expected = {
        "  ": "",
        "robot interrupts": '"robot"* "interrupts"*',
        '"the robot" waits': '"the robot" "waits"*',
        '"the rob': '"the rob"*',
        "— … !": "",
        "robot AND NOT (x)": '"robot"* "AND"* "NOT"* "(x)"*',
    }
    assert {typed: match_expression(typed) for typed in expected} == expected


@given(st.text())
@example('NEAR(a b, 5) text : a* OR ^b "')
@example("a\x00b\ud800x")
def test_nothing_that_is_typed_is_an_error(typed: str) -> None:
    memory = sqlite3.connect(":memory:")
    memory.execute("CREATE VIRTUAL TABLE found USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')")
    memory.execute("INSERT INTO found VALUES ('a b c')")
    wanted = match_expression(typed)
    if wanted:
        memory.execute("SELECT rowid FROM found WHERE found MATCH ?", (wanted,)).fetchall()
    memory.close()
