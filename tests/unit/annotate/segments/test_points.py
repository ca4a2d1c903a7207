"""Points: one time and no length, only on tracks that hold them, matched with others within a tolerance."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.agreement.adjudication import SpanRule, combine_spans
from annotate.agreement.annotator_lanes import find_disagreements, find_disputed, group_marks, read_marks
from annotate.agreement.span_matching import DisagreementKind
from annotate.agreement.study_agreement import AgreementQuery, read_agreement_input
from annotate.blinding.own_answers import SegmentChecker
from annotate.interchange.annotation_files import apply_import, get_format, plan_import, read_file
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart
from annotate.interchange.document_export import build_document, export_recordings, exportable_recordings
from annotate.interchange.document_import import apply_document_import, plan_document_import
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import EntryTarget, ImportMapping, LaneTarget, guess_mapping
from annotate.review.segment_table import SegmentColumns, SegmentTable
from annotate.segments.bulk_edits import shift_segments
from annotate.segments.segment_edits import add_segment, delete_segments, edit_segment, move_segments, split_segment
from annotate.statistics.segment_statistics import summarize_segments
from annotate.study.scheme_versions import use_scheme
from project.entities.study_records import POINT_CONTEXT_US, Segment
from project.errors import UserError
from project.queries.segment_rows import all_segments, find_segment, update_segment
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.marked_study import SECOND, WALK, person
from tests.builders.point_schemes import MOMENTS, mark_moment, open_moments


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_moments(tmp_path) as opened:
        yield opened


def times(session: Session, segment_id: str) -> tuple[int, int]:
    segment = find_segment(session.study, segment_id)
    assert segment is not None
    return segment.start_us, segment.end_us


def test_a_point_has_one_time_which_edits_move_and_nothing_stretches_or_cuts(session: Session) -> None:
    made = mark_moment(session, "Ada", 10, "nod")
    move_segments(session, [(made, 11 * SECOND, 11 * SECOND)])
    edit_segment(session, made, start_us=12 * SECOND)
    shift_segments(session, [made], SECOND)
    assert times(session, made) == (13 * SECOND, 13 * SECOND)
    for refused in (
        lambda: move_segments(session, [(made, SECOND, 2 * SECOND)]),
        lambda: edit_segment(session, made, start_us=SECOND, end_us=2 * SECOND),
        lambda: split_segment(session, made, 13 * SECOND),
        lambda: add_segment(session, WALK, 0, SECOND, "nod", scheme="moments", track="nods"),
        lambda: add_segment(session, WALK, SECOND, SECOND, "talk", scheme="moments", track="talk"),
        lambda: add_segment(session, WALK, 601 * SECOND, 601 * SECOND, "nod", scheme="moments", track="nods"),
    ):
        with pytest.raises(UserError):
            refused()
    assert times(session, made) == (13 * SECOND, 13 * SECOND)


def test_the_checker_says_what_is_a_point_where_none_belongs_and_the_other_way_round(session: Session) -> None:
    point, talk = mark_moment(session, "Ada", 10, "nod"), mark_moment(session, "Ada", 20, "talk", end=21, track="talk")
    checker = SegmentChecker(session)
    with session.step("As a merge or a new version of the scheme leaves it"):
        for made, length in ((point, SECOND), (talk, 0)):
            found = find_segment(session.study, made)
            assert found is not None
            assert checker.problems(found, {}) == ()
            update_segment(session.study, replace(found, end_us=found.start_us + length))
    problems = [checker.problems(segment, {}) for segment in all_segments(session.study)]
    assert problems == [
        ("It has a length, and its track holds points.",),
        ("It is a point, and its track holds none.",),
    ]


def test_what_is_shown_of_a_point_has_time_around_it_inside_the_recording() -> None:
    def shown(start: float, end: float) -> tuple[float, ...]:
        segment = Segment("s", "r", "a", "nod", round(start * SECOND), round(end * SECOND))
        return tuple(at / SECOND for at in segment.shown_span(10 * SECOND))

    around = POINT_CONTEXT_US / SECOND
    assert shown(5, 5) == (5 - around, 5 + around)
    assert shown(0.25, 0.25) == (0, 0.25 + around)
    assert shown(10, 10) == (10 - around, 10)
    assert shown(5, 6) == (5, 6)


def test_points_of_two_people_belong_together_within_half_a_second(session: Session) -> None:
    near, beside = mark_moment(session, "Ada", 10, "nod"), mark_moment(session, "Ben", 10.4, "nod")
    alone, other = mark_moment(session, "Ada", 20, "nod"), mark_moment(session, "Ben", 20.6, "nod")
    nod, shake = mark_moment(session, "Ada", 30, "nod"), mark_moment(session, "Ben", 30.1, "shake")
    marks = read_marks(session, WALK, [person(session, name).id for name in ("Ada", "Ben")])
    groups = {frozenset(mark.segment.id for mark in group) for group in group_marks(marks)}
    assert groups == {frozenset(ids) for ids in ((near, beside), (alone,), (other,), (nod, shake))}
    segments = [mark.segment for mark in marks]
    people = [person(session, name).id for name in ("Ada", "Ben")]
    assert find_disputed(segments, {WALK: people}) == {alone, other, nod, shake}
    found = [(d.start_us / SECOND, d.kind) for d in find_disagreements(segments, people, "moments", "nods")]
    assert found == [
        (20, DisagreementKind.UNMARKED),
        (20.6, DisagreementKind.UNMARKED),
        (30, DisagreementKind.LABEL),
        (30.1, DisagreementKind.LABEL),
    ]
    assert combine_spans([(3, 3), (9, 9), (4, 4), (5, 5)], SpanRule.UNION) == (4, 4)


def test_the_table_and_the_statistics_know_no_length_of_a_point(session: Session) -> None:
    made = mark_moment(session, "Ada", 30, "nod")
    mark_moment(session, "Ada", 590, "shake")
    columns = SegmentColumns(session, SegmentTable(session))
    assert [columns.cell_text(key, made) for key in ("start", "end", "duration")] == ["0:00:30.000", "", ""]
    counted = summarize_segments(read_agreement_input(session, AgreementQuery(scheme="moments", track="nods")).material)
    assert counted.by_label.tolist() == [1, 1]
    assert counted.to_json()["seconds"] == {"nod": None, "shake": None}
    # Each of the twenty parts of ten minutes is half a minute, so one point there is two a minute.
    assert counted.density[0, 1] == 2
    assert counted.density[1, 19] == 2
    assert counted.density.sum() == 4


@pytest.mark.parametrize("key", ["eaf", "boris", "boris-csv", "textgrid", "datavyu", "csv"])
def test_every_format_brings_points_back_as_points(key: str, session: Session, tmp_path: Path) -> None:
    wanted = [mark_moment(session, "Ada", 10.002, "nod", size="small"), mark_moment(session, "Ada", 10.002, "shake")]
    wanted += [mark_moment(session, "Ada", 30, "nod"), mark_moment(session, "Ada", 40, "talk", end=42, track="talk")]
    file_format = get_format(key)
    (path,) = export_recordings(
        session, file_format, tmp_path / f"out{file_format.suffixes[0]}", exportable_recordings(session)
    )

    def plan() -> tuple[int, int]:
        document = read_file(path, key)
        found = plan_import(session, document, guess_mapping(session, document), guess_recordings(session, document))
        counts = found.added, found.known
        assert not any("another time" in remark for lane in found.lanes for remark in lane.remarks)
        apply_import(session, found, path.name)
        return counts

    assert plan() == (0, 4)
    before = [(s.label, s.track, s.start_us, s.end_us) for s in all_segments(session.study)]
    delete_segments(session, wanted)
    assert plan() == (4, 0)
    assert [(s.label, s.track, s.start_us, s.end_us) for s in all_segments(session.study)] == before


def test_the_lossless_format_brings_points_back(tmp_path: Path) -> None:
    with Study.create(tmp_path / "a.greenroom") as made:
        fill_study(made, 1, 0, 1)
    with Session.open(tmp_path / "a.greenroom", "Ada") as session:
        use_scheme(session, MOMENTS, "moments.toml")
        (recording,) = exportable_recordings(session)
        point, _ = add_segment(session, recording.id, SECOND, SECOND, "nod", scheme="moments", track="nods")
        (path,) = export_recordings(session, get_format("jsonl"), tmp_path / "out.jsonl", [recording])
        delete_segments(session, [point])
        document = read_file(path, "jsonl")
        apply_import(session, plan_import(session, document, guess_mapping(session, document), [""]), path.name)
        assert times(session, point) == (SECOND, SECOND)


def test_what_has_a_length_becomes_a_point_on_a_track_of_points_and_is_told(session: Session) -> None:
    entries = tuple(InterchangeEntry(*span, "nod") for span in ((SECOND, SECOND), (2 * SECOND, 3 * SECOND)))
    document = Document((RecordingPart(WALK, (InterchangeLane("Tier 1", entries),)),))
    target = LaneTarget(EntryTarget.SEGMENTS, "Ada", "moments", "nods")
    plan = plan_document_import(session, document, ImportMapping({"Tier 1": target}), [WALK])
    assert plan.lanes[0].remarks == {"have a length, and become points where they start": 1}
    apply_document_import(session, plan, "tiers.csv")
    assert [(s.start_us, s.end_us) for s in all_segments(session.study)] == [(SECOND,) * 2, (2 * SECOND,) * 2]
    assert build_document(session, exportable_recordings(session)).recordings[0].lanes[0].holds_points


def test_a_table_with_one_time_holds_points(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "moments.csv"
    path.write_text("start_s,label\n1.5,nod\n2.5,shake\n", "utf-8")
    document = read_file(path, "csv")
    plan = plan_import(session, document, guess_mapping(session, document), [WALK])
    apply_import(session, plan, path.name)
    assert [(s.label, s.start_us, s.end_us) for s in all_segments(session.study)] == [
        ("nod", 1_500_000, 1_500_000),
        ("shake", 2_500_000, 2_500_000),
    ]
