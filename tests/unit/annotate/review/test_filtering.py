"""Filters and the table hold what a look at every segment holds; searches and the checklist name what there is."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.review.peer_review import review_segment
from annotate.review.segment_table import EMPTY, Filter, SegmentColumns, SegmentTable
from annotate.review.study_progress import ChecklistItemKind, ReviewsWaiting, build_checklist
from annotate.review.text_search import StudySearch
from annotate.segments.bulk_edits import add_comment, resolve_comments
from annotate.segments.segment_edits import add_segment, delete_segments, set_field
from project.entities.study_records import Annotator, Assignment, ReviewDecision, Segment, Utterance, WorkPurpose
from project.ids import new_id
from project.queries.annotator_rows import set_assignments, set_completed
from project.queries.recording_rows import all_participants, all_recordings, hold_outs
from project.queries.segment_rows import all_segments, unresolved_comments, values_of
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from tests.builders.random_edits import FIRST, SECOND, open_lab, own_and_others, random_edit


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def brute_force(session: Session, asked: Filter, segments: list[Segment]) -> set[str]:
    """Look at every segment by itself, with queries of its own."""
    study = session.study
    collection_of = dict(study.rows("SELECT id, collection_id FROM recording"))
    found = set()
    for segment in segments:
        values = values_of(study, segment.id)
        ((every, unresolved),) = study.rows(
            "SELECT count(*), coalesce(sum(resolved = 0), 0) FROM comment WHERE segment_id = ?", (segment.id,)
        )
        said = [row[0] for row in study.rows("SELECT decision FROM review WHERE segment_id = ?", (segment.id,))]
        missing = [
            key
            for rule in session.scheme.rules
            if rule.label == segment.label
            for key in rule.needs
            if not values.get(key)
        ]
        others = [
            other
            for other in segments
            if (other.recording_id, other.track) == (segment.recording_id, segment.track)
            and other.annotator_id != segment.annotator_id
        ]
        touching = [other for other in others if other.start_us < segment.end_us and segment.start_us < other.end_us]
        disputed = bool(others) and (not touching or any(other.label != segment.label for other in touching))
        holds = [
            not asked.annotators or segment.annotator_id in asked.annotators,
            not asked.recordings or segment.recording_id in asked.recordings,
            not asked.collections or collection_of[segment.recording_id] in asked.collections,
            not asked.lanes or (segment.scheme, segment.track) in asked.lanes,
            not asked.labels or segment.label in asked.labels,
            not asked.lacks or bool(asked.lacks & {*missing}),
            asked.incomplete in (None, bool(missing)),
            asked.disputed in (None, disputed),
            asked.commented in (None, every > 0),
            asked.unresolved in (None, unresolved > 0),
            asked.reviewed in (None, bool(said)),
            asked.disagreed in (None, "disagree" in said),
            asked.held_out in (None, segment.recording_id in hold_outs(study)),
        ]
        for key, wanted in asked.values.items():
            value = values.get(key) or [EMPTY]
            holds.append(bool({*([value] if isinstance(value, str) else value)} & wanted))
        if all(holds):
            found.add(segment.id)
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
    for _ in range(20):
        table.apply(random_edit(session, chance))
        segments = all_segments(session.study)
        for _ in range(6):
            asked = random_filter(session, chance)
            found = asked.select(table)
            assert set(found) == brute_force(session, asked, segments), asked
            sizes.add(len(found))
    assert len(sizes) > 10


def test_after_edits_the_table_is_what_reading_anew_gives(session: Session) -> None:
    chance = random.Random(3)
    table = SegmentTable(session)
    for _ in range(30):
        table.apply(random_edit(session, chance))
        fresh = SegmentTable(session)
        assert table.rows == fresh.rows
        assert table.held_out == fresh.held_out
        assert {row: table.problems(row) for row in table.rows} == {row: fresh.problems(row) for row in fresh.rows}
        assert {row for row in table.rows if table.is_disputed(row)} == {
            row for row in fresh.rows if fresh.is_disputed(row)
        }


def test_every_column_sorts_and_says_something(session: Session) -> None:
    table = SegmentTable(session)
    columns = SegmentColumns(session, table)
    assert {"recording", "label", "annotator", "field rationale"} <= {
        table_column.key for table_column in columns.columns if table_column.visible_by_default
    }
    for column in columns.columns:
        up = columns.sort_ids(table.rows, column.key)
        down = columns.sort_ids(table.rows, column.key, descending=True)
        assert sorted(up) == sorted(down) == sorted(table.rows)
    lengths = [table.rows[text].segment for text in columns.sort_ids(table.rows, "duration", descending=True)]
    spans = [length.end_us - length.start_us for length in lengths]
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


@pytest.fixture
def searching(session: Session) -> Iterator[StudySearch]:
    made = StudySearch(session)
    yield made
    made.close()


def test_hits_say_where_they_are_and_whose_and_follow_edits(session: Session, searching: StudySearch) -> None:
    recording = all_recordings(session.study)[1]
    speaker = all_participants(session.study)[0]
    own, others = own_and_others(session)
    with session.step("Say") as step:
        said = Utterance(new_id(), recording.id, 5_000_000, 6_000_000, "Open the zeppelin", speaker.id)
        insert_utterances(session.study, [said])
    searching.apply(step.changes)
    searching.apply(set_field(session, own[0], "rationale", "A Zeppelin over the house"))
    searching.apply(add_comment(session, others[0], "no zeppelin at all")[1])
    found = {hit.kind: hit for hit in searching.find_hits("zep")}
    assert {*found} == {"Utterance", "Rationale", "Comment"}
    utterance, rationale, comment = found["Utterance"], found["Rationale"], found["Comment"]
    assert (utterance.recording, utterance.time_us, utterance.who) == (recording, 5_000_000, speaker.pseudonym)
    assert (rationale.segment.id, rationale.who, rationale.time_us) == (own[0], FIRST, rationale.segment.start_us)
    assert (comment.segment.id, comment.who) == (others[0], SECOND)
    assert "«Zeppelin»" in rationale.as_text()
    assert set(searching.match_segments("zep")) == {own[0], others[0]}
    assert [hit.kind for hit in searching.find_hits("zep", elsewhere=True)] == ["Utterance"]
    searching.apply(delete_segments(session, own[:1]))
    assert set(searching.match_segments("zep")) == {others[0]}
    searching.apply(session.study.undo())
    assert set(searching.match_segments("zep")) == {own[0], others[0]}
    (named, *_) = searching.find_hits(f'"{recording.name}"')
    assert (named.kind, named.recording) == ("Recording", recording)


@pytest.fixture
def planned(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path, recordings=2, segments=0) as opened:
        yield opened


def tasks(session: Session, name: str) -> list[tuple[ChecklistItemKind, str, str | None]]:
    table = SegmentTable(session)
    who = person(table, name)
    return [(task.kind, task.text, task.segment_id) for task in build_checklist(session, table, [who]).tasks]


def person(table: SegmentTable, name: str) -> Annotator:
    return next(annotator for annotator in table.annotators.values() if annotator.name == name)


def test_from_a_plan_to_nothing_left(planned: Session) -> None:
    first = all_recordings(planned.study)[0]
    people = SegmentTable(planned).annotators
    assert tasks(planned, FIRST) == []
    assert build_checklist(planned, SegmentTable(planned)).annotators == (), "nobody works on the study yet"
    with planned.step("Plan"):
        set_assignments(planned.study, [Assignment(first.id, person) for person in people])
    assert [kind for kind, _, _ in tasks(planned, FIRST)] == [ChecklistItemKind.EMPTY]

    made, _ = add_segment(planned, first.id, 1_000_000, 2_000_000, "competence", {"channel": "verbal"})
    every = build_checklist(planned, SegmentTable(planned))
    assert [every.counts(person)[ChecklistItemKind.INCOMPLETE] for person in every.annotators] == [1, 0]
    found = tasks(planned, FIRST)
    assert [kind for kind, _, _ in found] == [ChecklistItemKind.INCOMPLETE, ChecklistItemKind.OPEN]
    assert found[0] == (ChecklistItemKind.INCOMPLETE, "Attributes is missing. Rationale is missing.", made)
    set_field(planned, made, "attributes", ["norms"])
    set_field(planned, made, "rationale", "It waits.")
    assert [kind for kind, _, _ in tasks(planned, FIRST)] == [ChecklistItemKind.OPEN]

    planned.annotator_name = SECOND
    add_comment(planned, made, "Really?")
    assert tasks(planned, FIRST)[0] == (ChecklistItemKind.COMMENT, f"{SECOND}: Really?", made)
    resolve_comments(planned, [unresolved_comment.id for unresolved_comment in unresolved_comments(planned.study)])
    with planned.step("Done"):
        for person in people:
            set_completed(planned.study, first.id, person, "2026-01-01T00:00:00.000Z")
    assert tasks(planned, FIRST) == []
    assert tasks(planned, SECOND) == [
        (ChecklistItemKind.REVIEW, f"1 segment of {FIRST} to agree or disagree with.", None)
    ]
    table = SegmentTable(planned)
    reviews = ReviewsWaiting(planned)
    assert [item.annotator.name for item in reviews.find_pending(table)] == [SECOND]
    table.apply(review_segment(planned, made, ReviewDecision.AGREE))
    assert [*reviews.find_pending(table)] == [], "what was found before is found anew where something changed"
    assert tasks(planned, SECOND) == []


def test_training_is_not_reviewed(planned: Session) -> None:
    recording = all_recordings(planned.study)[0]
    add_segment(planned, recording.id, 1_000_000, 2_000_000, "error")
    people = SegmentTable(planned).annotators
    with planned.step("Train"):
        set_assignments(planned.study, [Assignment(recording.id, person, WorkPurpose.TRAINING) for person in people])
        for person in people:
            set_completed(planned.study, recording.id, person, "2026-01-01T00:00:00.000Z")
    assert tasks(planned, SECOND) == []
