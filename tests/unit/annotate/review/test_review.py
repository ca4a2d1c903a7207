"""Two annotators side by side, what they say about each other's segments, and what judges say, as far as it is seen."""

import pytest

from annotate.blinding.reveals import reveal
from annotate.review import peer_review as reviews
from annotate.review.peer_review import RecordingReview, ReviewOutcome, build_recording_review, default_pair
from annotate.review.segment_table import Filter, SegmentColumns, SegmentTable
from annotate.segments.segment_edits import add_segment, delete_segments, set_field, set_label
from annotate.study import recording_edits as history
from annotate.study.scheme_versions import use_shipped_scheme
from project.entities.study_records import Changes, ReviewDecision
from project.errors import UserError
from project.queries.annotator_rows import reviews_in
from project.queries.judgment_rows import reveals
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark, person


def compared(session: Session) -> RecordingReview:
    return build_recording_review(session, WALK, person(session, "Ada"), person(session, "Bo"))


def decide(session: Session, who: str, segment: str, decision: ReviewDecision, note: str = "") -> None:
    session.annotator_name = who
    reviews.review_segment(session, segment, decision, note)
    session.annotator_name = "Ada"


def test_what_differs_is_named_and_what_is_alike_needs_no_review(session: Session) -> None:
    same: dict[str, object] = {"attributes": ["norms"], "channel": "both"}
    mark(session, "Ada", 10, 20, **same, rationale="It looks away.")
    mark(session, "Bo", 11, 20.5, **same, rationale="The gaze wanders.")
    mark(session, "Ada", 30, 40, "error", attributes=["norms"], channel="verbal", correction="Wait.")
    mark(session, "Bo", 30, 34, "competence", attributes=["norms", "emotions"], rationale="It waits.")
    mark(session, "Ada", 50, 60)
    mark(session, "Bo", 70, 80)
    found = compared(session).items
    assert [review_item.outcome for review_item in found] == [ReviewOutcome.ALIKE, *[ReviewOutcome.OPEN] * 3]
    assert found[1].differing_parts == ("label", "attributes", "channel", "rationale", "boundaries")
    assert [review_item.is_matched for review_item in found] == [True, True, False, False]
    use_shipped_scheme(session, "plain")
    track = session.schemes.get("plain").tracks[0]
    add_segment(session, WALK, 70_000_000, 80_000_000, track.labels[0].key, scheme="plain")
    assert [review_item.is_matched for review_item in compared(session).items].count(True) == 2, "of another track"


def test_progress_and_outcomes_follow_decisions(session: Session) -> None:
    mine = mark(session, "Ada", 10, 20)
    theirs = mark(session, "Bo", 12, 22, "competence")
    alone = mark(session, "Bo", 70, 80)
    ada, bo = person(session, "Ada"), person(session, "Bo")
    for who, waiting in ((ada.id, [theirs, alone]), (bo.id, [mine]), ("somebody else", [theirs, mine, alone])):
        items = compared(session).items
        assert [marked.segment.id for item in items for marked in item.pending_for(who)] == waiting
    with pytest.raises(UserError, match="You made this segment yourself"):
        reviews.review_segment(session, mine, ReviewDecision.AGREE)
    decide(session, "Ada", theirs, ReviewDecision.DISAGREE, "She thinks.")
    assert compared(session).items[0].outcome is ReviewOutcome.OPEN, "Bo did not say anything yet"
    decide(session, "Bo", mine, ReviewDecision.DISAGREE)
    decide(session, "Ada", alone, ReviewDecision.AGREE)
    progress = compared(session).progress(ada.id)
    assert (progress.done, progress.total, progress.disputed, progress.settled, progress.open) == (2, 2, 1, 1, 0)
    decide(session, "Bo", mine, ReviewDecision.AGREE)
    assert compared(session).items[0].outcome is ReviewOutcome.SETTLED
    history.undo(session)
    assert compared(session).items[0].outcome is ReviewOutcome.DISPUTED


def test_a_decision_is_changed_withdrawn_and_undone(session: Session) -> None:
    mark(session, "Ada", 10, 20)
    theirs = mark(session, "Bo", 12, 22, "competence")
    reviews.review_segment(session, theirs, ReviewDecision.AGREE)
    reviews.review_segment(session, theirs, ReviewDecision.DISAGREE, " Because. ")
    (found,) = reviews_in(session.study, WALK)[theirs]
    assert (found.decision, found.note) == (ReviewDecision.DISAGREE, "Because.")
    assert not reviews.review_segment(session, theirs, ReviewDecision.DISAGREE, "Because."), (
        "saying it twice is no step"
    )
    reviews.withdraw_review(session, theirs)
    assert reviews_in(session.study, WALK) == {}
    with pytest.raises(UserError):
        reviews.withdraw_review(session, theirs)
    history.undo(session)
    assert reviews_in(session.study, WALK)[theirs] == [found]
    session.annotator_name = "Bo"
    delete_segments(session, [theirs])
    history.undo(session)
    assert reviews_in(session.study, WALK)[theirs] == [found], "a review comes back with its segment"


def test_a_third_annotator_is_compared_with_both_and_needs_no_review(session: Session) -> None:
    mark(session, "Ada", 10, 20)
    mark(session, "Bo", 12, 22)
    mark(session, "Cy", 12, 20, "competence")
    mark(session, "Cy", 70, 80)
    found = build_recording_review(session, WALK, person(session, "Ada"), person(session, "Bo"), person(session, "Cy"))
    assert [len(item.marks) for item in found.items] == [3, 1]
    assert (found.items[0].differing_parts, found.items[0].third_differing_parts) == ((), ("label",))
    assert found.progress(person(session, "Ada").id).total == 0


def test_the_pair_is_who_works_here_and_the_other_with_the_most(session: Session) -> None:
    mark(session, "Bo", 12, 22)
    assert default_pair(session, WALK) is None
    for start in (100, 200):
        mark(session, "Cy", start, start + 10)
    assert [annotator.name for annotator in default_pair(session, WALK) or ()] == ["Cy", "Bo"]
    mark(session, "Ada", 10, 20)
    assert [annotator.name for annotator in default_pair(session, WALK) or ()] == ["Ada", "Cy"]


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
    said = judged(session, unjudged, label="error")
    assert table.apply(Changes.from_pairs([("judgment", said.id)]))
    assert Filter(judges_differ=True).select(table) == [other, unjudged]
    table.apply(set_label(session, [unjudged], "error"))
    assert Filter(judges_differ=True).select(table) == [other]


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
