"""How lengths, tables, dataclasses and identifiers are written, how spans are merged, and how long work takes."""

import json
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.codec import dump, load
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.ids import is_id, new_id
from project.progress import MIN_ELAPSED_S, RemainingTimeEstimator, StageProgress, format_time_left
from project.text_format import pluralize
from project.text_tables import EMPTY_CELL, Column, NumberFormat, TableCell, format_cell, table
from project.timebase import Interval, format_duration, format_minutes, format_seconds, merge_spans, subtract_intervals
from tests.builders.cancelling import CancelAt
from tests.builders.clock import Clock


def test_lengths_and_counts_are_written_for_people() -> None:
    lengths = {400: "0.000400 s", 9_940_000: "9.9 s", 9_960_000: "0:00:10", 3_600_000_000: "1:00:00"}
    assert {length_us: format_duration(length_us) for length_us in lengths} == lengths
    footage = {200_000: "0.2 s", 24_000_000: "24 s", 59_600_000: "1 min", 90 * 60_000_000: "90 min"}
    assert {length_us: format_minutes(length_us) for length_us in footage} == footage
    for length_us in (1, 499, 49_999):
        for text in (format_seconds(length_us), format_duration(length_us), format_minutes(length_us)):
            assert float(text.removesuffix(" s")) > 0, "nothing that lasts is written as zero"
    assert [pluralize(number, "recording") for number in (1, 2)] == ["1 recording", "2 recordings"]


RECORDS = [("gate", 1_500_000, 0.25), ("=1+1\x1b[2J", 60_000_000, None)]
TABLE = table(
    RECORDS,
    (
        Column("id", "", NumberFormat.TEXT, lambda record: record[0].upper()),
        Column("name", "Name", NumberFormat.TEXT, lambda record: record[0]),
        Column("start_us", "Start", NumberFormat.TIME, lambda record: record[1]),
        Column("", "F1", NumberFormat.SHARE, lambda record: TableCell(record[2], sd=record[2])),
    ),
)


def test_a_table_is_aligned_text_json_csv_and_markdown_in_which_nothing_is_run() -> None:
    assert TABLE.lines(headings=True, indent="  ") == [
        "  Name               Start    F1",
        "  gate         0:00:01.500  0.25",
        f"  =1+1\\x1b[2J  0:01:00.000     {EMPTY_CELL}",
    ]
    assert TABLE.json()[0] == {"id": "GATE", "name": "gate", "start_us": 1_500_000}
    head, first, second = TABLE.csv().splitlines()
    assert (head, first) == ('id,Name,Start,F1,"F1, sd"', "GATE,gate,1500000,0.25,0.25")
    assert second.startswith("'=1+1"), "no spreadsheet takes it for a formula"
    assert TABLE.markdown(str)[:3] == [
        "| Name | Start | F1 |",
        "| --- | ---: | ---: |",
        "| gate | 0:00:01.500 | 0.25 |",
    ]
    assert [format_cell(TableCell(value), NumberFormat.P) for value in (None, 0.0004)] == [EMPTY_CELL, "<0.001"]


class Shape(StrEnum):
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Mark:
    at_us: int
    shape: Shape = Shape.ROUND


@dataclass(frozen=True, slots=True)
class Sheet:
    path: Path
    spans: tuple[tuple[int, int], ...] = ()
    marks: tuple[Mark, ...] = ()
    options: Mapping[str, Json] = field(default_factory=dict)
    limit: float | None = None


def test_a_dataclass_is_json_and_comes_back() -> None:
    sheet = Sheet(Path("/a/b"), ((1, 2),), (Mark(3),), {"deep": [1, 2.5, True, None, {"x": "y"}]}, 0.5)
    written = json.dumps(dump(sheet))
    assert load(Sheet, json.loads(written), "sheet.json") == sheet
    assert load(Sheet, {"path": "/a", "unknown": 1}, "sheet.json") == Sheet(Path("/a"))


@pytest.mark.parametrize(
    ("data", "place"),
    [({"path": "a", "marks": [{"at_us": 1, "shape": "square"}]}, "marks.0.shape"), ({}, "path"), ([], "content")],
)
def test_an_error_names_the_field(data: Json, place: str) -> None:
    with pytest.raises(UserError, match=f"^sheet.json: “{place}” is wrong: "):
        load(Sheet, data, "sheet.json")


def test_ids_are_uuids_that_sort_in_the_order_they_were_made_and_no_threads_make_the_same() -> None:
    made = [new_id() for _ in range(2_000)]
    assert made == sorted(made)
    assert all(is_id(text) and uuid.UUID(text).version == 7 for text in made)
    with ThreadPoolExecutor(4) as pool:
        made += [text for batch in pool.map(lambda _: [new_id() for _ in range(1_000)], range(4)) for text in batch]
    assert len(set(made)) == len(made)
    assert not any(map(is_id, ("", str(uuid.uuid4()), new_id().upper(), f"{new_id()}x")))


def after(clock: Clock, remaining: RemainingTimeEstimator, seconds: float, done: int, total: int) -> float | None:
    clock.now += seconds
    return remaining.estimate(done, total)


def test_what_is_left_takes_as_long_as_what_was_done_here() -> None:
    clock = Clock(100.0)
    remaining = RemainingTimeEstimator(clock)
    assert remaining.estimate(0, 100) is None
    assert after(clock, remaining, MIN_ELAPSED_S / 2, 50, 100) is None, "nobody can know yet"
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(0, 100)
    assert after(clock, remaining, 10, 20, 100) == pytest.approx(40)
    assert after(clock, remaining, 10, 50, 100) == pytest.approx(20)
    assert after(clock, remaining, 1, 100, 100) is None, "it is done"
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(900, 1000)
    assert after(clock, remaining, 10, 900, 1000) is None
    assert after(clock, remaining, 10, 910, 1000) == pytest.approx(180), "what a cache held makes it no faster"


def test_what_falls_back_or_has_another_end_is_another_piece_of_work() -> None:
    clock = Clock(100.0)
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(0, 100)
    assert after(clock, remaining, 1000, 90, 100) is not None
    assert after(clock, remaining, 0, 1, 7) is None
    assert after(clock, remaining, 4, 3, 7) == pytest.approx(8)
    assert after(clock, remaining, 4, 5, 9) == pytest.approx(8), "it goes on, and there is more of it"
    assert after(clock, remaining, 4, 5, 50) is None


@given(st.lists(st.tuples(st.floats(0, 1e4), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=30))
def test_what_is_left_is_never_negative_and_always_in_words(told: list[tuple[float, int, int]]) -> None:
    clock = Clock(100.0)
    remaining = RemainingTimeEstimator(clock)
    for seconds, done, total in told:
        left = after(clock, remaining, seconds, done, total)
        assert left is None or left >= 0
        assert bool(format_time_left(left)) == (left is not None)
    words = {0.2: "about 1 s left", 89: "about 89 s left", 100: "about 2 min left", 3 * 3600: "about 3.0 h left"}
    assert {left_s: format_time_left(left_s) for left_s in words} == words


def test_stages_tell_how_far_it_is_and_end_where_nobody_wants_them() -> None:
    progress = CancelAt(3)
    stages = StageProgress(progress, 5, "Counting")
    assert [stages.finish_stage(made) for made in "ab"] == ["a", "b"]
    with pytest.raises(Cancelled):
        stages.finish_stage("c")
    assert progress.told == [(1, 5, "Counting"), (2, 5, "Counting"), (3, 5, "Counting")]


_SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda s: (s[0], sum(s))), max_size=6)


def points(spans: list[Interval]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


@given(_SPANS, _SPANS)
def test_spans_are_sets_of_moments(some: list[Interval], others: list[Interval]) -> None:
    assert points(merge_spans(some)) == points(some)
    assert points(subtract_intervals(some, others)) == points(some) - points(others)
    assert all(before[1] < after[0] for before, after in pairwise(merge_spans(some)))
