"""Filters hold what looking at every segment holds, also after edits; the table is what reading anew gives."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.review.segment_table import EMPTY, Filter, SegmentColumns, SegmentTable
from project.entities.study_records import Segment
from project.queries.recording_rows import hold_outs
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from tests.unit.core.finding.lab import open_lab, random_edit


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def brute_force(session: Session, asked: Filter, segments: list[Segment]) -> set[str]:
    """Look at every segment by itself, with queries of its own."""
    study = session.study
    collection_of = dict(study.rows("SELECT id, collection_id FROM recording"))
    found = set()
    for one in segments:
        values = {key: kept.value for key, kept in values_of(study, one.id).items()}
        ((every, unresolved),) = study.rows(
            "SELECT count(*), coalesce(sum(resolved = 0), 0) FROM comment WHERE segment_id = ?", (one.id,)
        )
        said = [row[0] for row in study.rows("SELECT decision FROM review WHERE segment_id = ?", (one.id,))]
        missing = [
            key for rule in session.scheme.rules if rule.label == one.label for key in rule.needs if not values.get(key)
        ]
        others = [
            other
            for other in segments
            if (other.recording_id, other.track) == (one.recording_id, one.track)
            and other.annotator_id != one.annotator_id
        ]
        touching = [other for other in others if other.start_us < one.end_us and one.start_us < other.end_us]
        disputed = bool(others) and (not touching or any(other.label != one.label for other in touching))
        holds = [
            not asked.annotators or one.annotator_id in asked.annotators,
            not asked.recordings or one.recording_id in asked.recordings,
            not asked.collections or collection_of[one.recording_id] in asked.collections,
            not asked.lanes or (one.scheme, one.track) in asked.lanes,
            not asked.labels or one.label in asked.labels,
            not asked.lacks or bool(asked.lacks & {*missing}),
            asked.incomplete in (None, bool(missing)),
            asked.disputed in (None, disputed),
            asked.commented in (None, every > 0),
            asked.unresolved in (None, unresolved > 0),
            asked.reviewed in (None, bool(said)),
            asked.disagreed in (None, "disagree" in said),
            asked.held_out in (None, one.recording_id in hold_outs(study)),
        ]
        for key, wanted in asked.values.items():
            value = values.get(key) or [EMPTY]
            holds.append(bool({*([value] if isinstance(value, str) else value)} & wanted))
        if all(holds):
            found.add(one.id)
    return found


def random_filter(session: Session, chance: random.Random) -> Filter:
    study = session.study
    either = (None, None, None, True, False)

    def some(sql: str) -> frozenset[str]:
        ids = [row[0] for row in study.rows(sql)]
        return frozenset(chance.sample(ids, chance.randint(1, len(ids)))) if chance.random() < 0.3 else frozenset()

    values = {
        "channel": frozenset({chance.choice(["verbal", "both", EMPTY])}),
        "attributes": frozenset(chance.sample(["emotions", "norms", "knowledge", EMPTY], 2)),
    }
    return Filter(
        annotators=some("SELECT id FROM annotator"),
        recordings=some("SELECT id FROM recording"),
        collections=some("SELECT id FROM collection"),
        labels=frozenset({"error"}) if chance.random() < 0.2 else frozenset(),
        lanes=frozenset({("shrec", "segments")}) if chance.random() < 0.2 else frozenset(),
        values={key: wanted for key, wanted in values.items() if chance.random() < 0.25},
        lacks=frozenset({"rationale"}) if chance.random() < 0.2 else frozenset(),
        **{
            key: chance.choice(either)
            for key in ("incomplete", "disputed", "commented", "unresolved", "reviewed", "disagreed", "held_out")
            if chance.random() < 0.4
        },
    )


def test_filters_hold_what_a_look_at_every_segment_holds(session: Session) -> None:
    chance = random.Random(7)
    table = SegmentTable(session)
    sizes = set()
    for _ in range(60):
        table.apply(random_edit(session, chance))
        segments = all_segments(session.study)
        for _ in range(4):
            asked = random_filter(session, chance)
            found = asked.apply(table)
            assert set(found) == brute_force(session, asked, segments), asked
            sizes.add(len(found))
    assert len(sizes) > 10


def test_after_edits_the_table_is_what_reading_anew_gives(session: Session) -> None:
    chance = random.Random(3)
    table = SegmentTable(session)
    for _ in range(80):
        table.apply(random_edit(session, chance))
        fresh = SegmentTable(session)
        assert table.rows == fresh.rows
        assert table.held_out == fresh.held_out
        assert {one: table.problems(one) for one in table.rows} == {one: fresh.problems(one) for one in fresh.rows}
        assert {one for one in table.rows if table.disputed(one)} == {one for one in fresh.rows if fresh.disputed(one)}


def test_nothing_asked_is_everything_and_a_search_narrows_it(session: Session) -> None:
    table = SegmentTable(session)
    assert not Filter()
    assert Filter(labels=frozenset({"error"}))
    assert Filter().apply(table) == list(table.rows)
    first = next(iter(table.rows))
    assert Filter().apply(table, {first}) == [first]
    label = table.rows[first].segment.label
    assert Filter(labels=frozenset({label})).apply(table, {first}) == [first]


def test_every_column_sorts_and_says_something(session: Session) -> None:
    table = SegmentTable(session)
    columns = SegmentColumns(session, table)
    assert {"recording", "label", "annotator", "field rationale"} <= {one.key for one in columns.columns if one.shown}
    for column in columns.columns:
        up = columns.ordered(table.rows, column.key)
        down = columns.ordered(table.rows, column.key, descending=True)
        assert sorted(up) == sorted(down) == sorted(table.rows)
    lengths = [table.rows[one].segment for one in columns.ordered(table.rows, "duration", descending=True)]
    spans = [one.end_us - one.start_us for one in lengths]
    assert spans == sorted(spans, reverse=True)


def test_copied_rows_hold_no_formula(session: Session) -> None:
    table = SegmentTable(session)
    columns = SegmentColumns(session, table)
    one = next(iter(table.rows))
    table.rows[one] = replace(table.rows[one], values={"rationale": '=HYPERLINK("http://x")', "channel": "verbal"})
    text = columns.as_csv([one], ["recording", "field channel", "field rationale"])
    assert text.splitlines()[0] == "Recording,Channel,Rationale"
    assert "Verbal" in text
    assert "\"'=HYPERLINK(" in text
