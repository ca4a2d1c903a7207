"""Segments are found by what judges say about them, as far as it may be seen, and who was shown it is written down."""

from annotate.blinding.reveals import reveal
from annotate.review.segment_table import Filter, SegmentColumns, SegmentTable
from annotate.segments.segment_edits import set_field, set_label
from project.entities.study_records import Changes
from project.queries.judgment_rows import reveals
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import mark

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def test_segments_are_found_by_whether_a_judge_differs(session: Session) -> None:
    alike, other, unjudged, hidden = (mark(session, "Ada", at, at + 5, "competence", **WHOLE) for at in (1, 11, 21, 31))
    set_field(session, hidden, "rationale", None)
    judged(session, alike, label="competence")
    judged(session, other, label="error")
    judged(session, other, "Right", label="error")
    judged(session, hidden, label="error")
    table = SegmentTable(session)
    assert Filter(judges_differ=True).select(table) == [other]
    assert Filter(judged=True, judges_differ=False).select(table) == [alike, hidden]
    assert Filter(judged=False).select(table) == [unjudged]
    columns = SegmentColumns(session, table)
    shown = [columns.cell_text("judges", text) for text in (alike, other, unjudged, hidden)]
    assert shown == ["Competence 1", "Error 2", "", "hidden 1"]
    assert columns.sort_ids([alike, other, unjudged], "judges", descending=True) == [other, alike, unjudged]


def test_an_edit_and_a_new_judgment_are_seen_by_the_table(session: Session) -> None:
    made = mark(session, "Ada", 1, 5, "competence", **WHOLE)
    table = SegmentTable(session)
    assert Filter(judges_differ=True).select(table) == []
    said = judged(session, made, label="error")
    assert table.apply(Changes.from_pairs([("judgment", said.id)]))
    assert Filter(judges_differ=True).select(table) == [made]
    table.apply(set_label(session, [made], "error"))
    assert Filter(judges_differ=True).select(table) == []


def test_what_is_shown_of_many_is_written_down_once_where_it_may_be_seen(session: Session) -> None:
    first, second = (mark(session, "Ada", at, at + 5, "competence", **WHOLE) for at in (1, 11))
    unfinished = mark(session, "Ada", 21, 25, "competence")
    unjudged = mark(session, "Ada", 31, 35, "competence", **WHOLE)
    for text in (first, second, unfinished):
        judged(session, text, label="error")
    reveal(session, second)
    before = reveals(session.study)
    table = SegmentTable(session)
    table.record_judges_shown([first, second, unfinished, unjudged])
    table.record_judges_shown([first])
    after = reveals(session.study)
    assert {each_reveal.segment_id for each_reveal in after} == {first, second}
    assert before[0] in after
    table.apply(set_label(session, [first], "error"))
    assert Filter(revised=True).select(table) == [first]
