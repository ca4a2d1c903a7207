"""Segments are copied, pasted, duplicated and merged, each in one step that can be undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_copies import copy_segments, duplicate_segments, merge_segments, paste_segments
from annotate.segments.segment_edits import delete_segments, set_label
from project.errors import UserError
from project.queries.segment_rows import all_segments, comments_of, find_segment, values_of
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.point_schemes import mark_moment, open_moments

Spans = list[tuple[str, float, float]]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        yield opened


def spans(session: Session, recording: str = WALK) -> Spans:
    segments = [segment for segment in all_segments(session.study) if segment.recording_id == recording]
    return [(segment.label, segment.start_us / SECOND, segment.end_us / SECOND) for segment in segments]


def test_copies_keep_distances_and_values_and_outlive_the_segments(session: Session) -> None:
    ids = [
        mark(session, "Ada", 14, 15, "competence"),
        mark(session, "Ada", 10, 12, rationale="Too late.", channel="verbal"),
    ]
    copies = copy_segments(session, ids)
    delete_segments(session, ids)
    made, _ = paste_segments(session, f"{WALK} 2", copies, 100 * SECOND)
    assert session.study.undo_name == "Paste 2 segments"
    assert spans(session, f"{WALK} 2") == [("error", 100, 102), ("competence", 104, 105)]
    assert values_of(session.study, made[0]) == {"rationale": "Too late.", "channel": "verbal"}
    session.study.undo()
    assert spans(session, f"{WALK} 2") == []
    with pytest.raises(UserError, match="inside recording 2"):
        paste_segments(session, f"{WALK} 2", copies, 597 * SECOND)
    assert spans(session, f"{WALK} 2") == [], "all or nothing"


def test_a_copy_has_only_what_its_label_is_asked_for(session: Session) -> None:
    error = mark(session, "Ada", 1, 2, correction="Wait.", channel="verbal")
    set_label(session, [error], "none")
    (copy,) = copy_segments(session, [error])
    made, _ = duplicate_segments(session, [error], 2 * SECOND)
    assert values_of(session.study, made[0]) == dict(copy.values)
    assert copy.values.keys() < values_of(session.study, error).keys()
    assert session.study.undo_name == "Duplicate segment"
    assert spans(session) == [("none", 1, 2), ("none", 2, 3)]


def test_what_somebody_else_marked_is_not_copied(session: Session) -> None:
    other = mark(session, "Ben", 1, 2)
    mark(session, "Ada", 3, 4)
    with pytest.raises(UserError, match="somebody else"):
        copy_segments(session, [other])


def test_merging_keeps_the_first_and_all_comments_and_names_what_differs(session: Session) -> None:
    first = mark(session, "Ada", 1, 2, channel="verbal")
    second = mark(session, "Ada", 4, 6, channel="both", rationale="Too late.")
    comment, _ = add_comment(session, second, "Why?")
    before = spans(session)
    merged, differing, _ = merge_segments(session, [second, first])
    assert merged == first
    assert spans(session) == [("error", 1, 6)]
    assert values_of(session.study, first) == {"channel": "verbal", "rationale": "Too late."}
    assert len(differing) == 1
    assert [kept.id for kept in comments_of(session.study, first)] == [comment]
    session.study.undo()
    assert spans(session) == before
    assert [kept.id for kept in comments_of(session.study, second)] == [comment]


def test_only_neighbours_of_one_label_are_merged(session: Session) -> None:
    first, last = mark(session, "Ada", 1, 2), mark(session, "Ada", 7, 8)
    between, other = mark(session, "Ada", 4, 5), mark(session, "Ada", 5, 6, "competence")
    for chosen, why in (([first, last], "lies between"), ([first, other], "differ"), ([first], "single")):
        with pytest.raises(UserError, match=why):
            merge_segments(session, chosen)
    merge_segments(session, [first, between, last])
    assert spans(session) == [("error", 1, 8), ("competence", 5, 6)]
    assert find_segment(session.study, other) is not None


def test_points_are_copied_and_not_merged(tmp_path: Path) -> None:
    with open_moments(tmp_path) as session:
        nods = [mark_moment(session, "Ada", second, "nod", size="small") for second in (10, 12)]
        made, _ = duplicate_segments(session, nods, 20 * SECOND)
        assert spans(session)[2:] == [("nod", 20, 20), ("nod", 22, 22)]
        assert values_of(session.study, made[1]) == {"size": "small"}
        with pytest.raises(UserError, match="cannot be merged"):
            merge_segments(session, nods)
