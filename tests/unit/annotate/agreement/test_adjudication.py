"""Which segments of several people stand for each other, and one lane made of several people's."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement import adjudication
from annotate.agreement.adjudication import (
    AdjudicatedLane,
    AdjudicationRule,
    ChoiceRule,
    Labels,
    SpanRule,
    UnsettledRule,
    adjudicate,
    combine_spans,
)
from annotate.agreement.annotator_lanes import Mark, group_marks
from annotate.review import peer_review as reviews
from annotate.segments.segment_edits import edit_segment
from annotate.study import recording_edits as history
from project.entities.study_records import Review, ReviewDecision, Segment
from project.errors import UserError
from project.queries.history_rows import runs_of
from project.queries.segment_rows import comments_in, segments_of, values_of
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, mark, open_study, person

SHREC = load_scheme("shrec")
RULES = st.builds(
    AdjudicationRule,
    st.sampled_from(SpanRule),
    st.sampled_from(Labels),
    st.sampled_from(ChoiceRule),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.sampled_from(UnsettledRule),
)
values = st.fixed_dictionaries(
    {},
    optional={
        "attributes": st.lists(st.sampled_from(["emotions", "engagement", "norms"]), min_size=1, unique=True).map(
            lambda chosen: [key for key in ("emotions", "engagement", "norms") if key in chosen]
        ),
        "channel": st.sampled_from(["verbal", "both"]),
        "rationale": st.sampled_from(["a", "b"]),
    },
)
span = st.tuples(st.integers(0, 40), st.integers(1, 15), st.sampled_from(["error", "competence"]), values)
lane = st.lists(span, max_size=5)
decisions = st.dictionaries(
    st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 2)), st.sampled_from(ReviewDecision), max_size=8
)


def marks_of(lanes: Sequence[list], said: dict | None = None) -> list[Mark]:
    marks = []
    for who, found in enumerate(lanes):
        for place, (start, length, label, filled) in enumerate(found):
            key = f"{who}.{place}"
            reviews = tuple(
                Review(key, f"P{reviewer}", decision, "", "")
                for (author, number, reviewer), decision in sorted((said or {}).items())
                if (author, number) == (who, place) and reviewer != who
            )
            marks.append(Mark(Segment(key, "r", f"P{who}", label, start, start + length), filled, reviews))
    return marks


def lane_of(marks: list[Mark], people: int, rule: AdjudicationRule = AdjudicationRule()) -> AdjudicatedLane:  # noqa: B008
    return adjudicate(marks, [f"P{who}" for who in range(people)], {"shrec": SHREC}, rule)


@given(lane, st.integers(2, 4), RULES)
def test_equal_lanes_give_the_same_lane(found: list, people: int, rule: AdjudicationRule) -> None:
    made = lane_of(marks_of([found] * people), people, rule)
    expected = [
        (start, start + length, label, tuple(sorted((k, json.dumps(v)) for k, v in given.items())))
        for start, length, label, given in found
    ]
    assert sorted((draft.start_us, draft.end_us, draft.label, draft.values) for draft in made.drafts) == sorted(
        expected
    )
    assert (made.counts.disputed, made.counts.undecided) == (0, 0)


@given(st.lists(lane, min_size=3, max_size=3), decisions, RULES, st.permutations(range(3)))
def test_the_names_of_the_annotators_make_no_difference(
    lanes: list, said: dict, rule: AdjudicationRule, other: list[int]
) -> None:
    marks = marks_of(lanes, said)
    renamed = [
        replace(
            mark,
            segment=replace(mark.segment, annotator_id=f"P{other[int(mark.segment.annotator_id[1:])]}"),
            reviews=tuple(replace(r, reviewer_id=f"P{other[int(r.reviewer_id[1:])]}") for r in mark.reviews),
        )
        for mark in marks
    ]
    assert lane_of(marks, 3, rule) == lane_of(sorted(renamed, key=lambda mark: mark.segment.annotator_id), 3, rule)


@given(st.lists(lane, min_size=2, max_size=3), RULES)
def test_nothing_is_made_where_nobody_marked_and_every_label_is_somebodys(lanes: list, rule: AdjudicationRule) -> None:
    for draft in lane_of(marks_of(lanes), len(lanes), rule).drafts:
        near = [
            (s, s + n, label)
            for found in lanes
            for s, n, label, _ in found
            if s < draft.end_us and draft.start_us < s + n
        ]
        assert draft.label in {label for _, _, label in near}
        assert min(s for s, _, _ in near) <= draft.start_us < draft.end_us <= max(e for _, e, _ in near)


def test_what_makes_no_lane_is_refused_and_nothing_is_written(session: Session) -> None:
    mark(session, "Ada", 10, 20)
    with pytest.raises(UserError, match="two annotators"):
        adjudication.create_adjudicated_lane(session, AdjudicationRule())
    mark(session, "Bo", 12, 22)
    for options in ({"name": "Ada"}, {"annotators": ["Ada"]}, {"annotators": ["Zoe", "Ada"]}):
        with pytest.raises(UserError):
            adjudication.create_adjudicated_lane(session, AdjudicationRule(), **options)
    assert runs_of(session.study, WALK) == []
    assert len(segments_of(session.study, WALK)) == 2


def test_two_annotators_agreeing_on_the_label() -> None:
    first = (10, 10, "error", {"attributes": ["norms", "emotions"], "channel": "both", "rationale": "It left."})
    second = (12, 12, "error", {"attributes": ["norms"], "channel": "verbal", "rationale": "No goodbye."})
    marks = marks_of([[first], [second]])
    (made,) = lane_of(marks, 2).drafts
    assert (made.start_us, made.end_us, made.label) == (12, 20, "error")
    assert dict(made.values) == {"attributes": '["norms"]', "rationale": '"It left.\\n\\nNo goodbye."'}
    (wide,) = lane_of(marks, 2, AdjudicationRule(SpanRule.UNION, choices=ChoiceRule.UNION)).drafts
    assert (wide.start_us, wide.end_us) == (10, 24)
    assert dict(wide.values)["attributes"] == '["emotions", "norms"]'


def test_choices_on_which_nobody_agrees_are_all_kept_by_the_majority() -> None:
    marks = marks_of([[(0, 9, "error", {"attributes": ["norms"]})], [(0, 9, "error", {"attributes": ["emotions"]})]])
    assert dict(lane_of(marks, 2).drafts[0].values) == {"attributes": '["emotions", "norms"]'}
    assert lane_of(marks, 2, AdjudicationRule(choices=ChoiceRule.INTERSECTION)).drafts[0].values == ()


def test_what_one_marked_alone_is_kept_where_the_other_agrees() -> None:
    alone: list = [[(10, 10, "error", {})], []]
    assert lane_of(marks_of(alone), 2).drafts == ()
    assert len(lane_of(marks_of(alone, {(0, 0, 1): ReviewDecision.AGREE}), 2).drafts) == 1
    against = lane_of(marks_of(alone, {(0, 0, 1): ReviewDecision.DISAGREE}), 2)
    assert (against.drafts, against.counts.disputed) == ((), 1)
    most = AdjudicationRule(labels=Labels.MOST)
    assert len(lane_of(marks_of(alone), 2, most).drafts) == 1
    assert lane_of(marks_of(alone, {(0, 0, 1): ReviewDecision.DISAGREE}), 2, most).drafts == ()


def test_who_gives_in_votes_for_the_others_segment() -> None:
    lanes: list = [[(10, 10, "error", {"channel": "verbal"})], [(12, 12, "competence", {})]]
    (made,) = lane_of(marks_of(lanes, {(0, 0, 1): ReviewDecision.AGREE, (1, 0, 0): ReviewDecision.DISAGREE}), 2).drafts
    assert (made.label, made.start_us, made.end_us) == ("error", 10, 20)
    both = {(0, 0, 1): ReviewDecision.AGREE, (1, 0, 0): ReviewDecision.AGREE}
    assert lane_of(marks_of(lanes, both), 2).counts.undecided == 1


def test_two_of_three_outvote_the_third() -> None:
    marks = marks_of([[(0, 10, "error", {})], [(2, 10, "error", {})], [(1, 10, "competence", {})]])
    assert [draft.label for draft in lane_of(marks, 3).drafts] == ["error"]
    assert lane_of(marks, 3, AdjudicationRule(labels=Labels.UNANIMOUS)).drafts == ()


def test_spans_by_rule() -> None:
    spans = [(0, 10), (2, 12), (4, 20)]
    assert combine_spans(spans, SpanRule.UNION) == (0, 20)
    assert combine_spans(spans, SpanRule.INTERSECTION) == (4, 10)
    assert combine_spans(spans, SpanRule.MAJORITY) == (2, 12)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        yield opened


def test_a_lane_is_made_replaced_and_undone(session: Session) -> None:
    mark(session, "Ada", 10, 20, attributes=["norms"])
    mark(session, "Bo", 12, 22, attributes=["norms"])
    alone = mark(session, "Bo", 50, 60)
    mark(session, "Ada", 10, 20, recording="walk 2")
    made, _ = adjudication.create_adjudicated_lane(session, AdjudicationRule())
    assert [recording.number for recording in made.skipped] == [2]
    lane = person(session, "Adjudicated")
    assert lane.kind == "adjudicated"

    def shown() -> list[Segment]:
        return [segment for segment in segments_of(session.study, WALK) if segment.annotator_id == lane.id]

    (first,) = shown()
    assert (first.start_us, first.end_us) == (12 * SECOND, 20 * SECOND)
    assert values_of(session.study, first.id)["attributes"] == ["norms"]
    reviews.review_segment(session, alone, ReviewDecision.AGREE)
    made, _ = adjudication.create_adjudicated_lane(session, AdjudicationRule())
    assert len(shown()) == 2
    assert first in shown(), "what comes out as it was stays"
    history.undo(session)
    assert shown() == [first]
    history.redo(session)
    runs = runs_of(session.study, WALK, "adjudicate")
    assert [run.result["segments"] for run in runs] == [2, 1]
    assert runs[0].parameters["spans"] == "majority"
    assert runs[0].parameters["annotators"] == ["Ada", "Bo"]
    assert not adjudication.create_adjudicated_lane(session, AdjudicationRule())[1], "the same again changes nothing"


def test_disagreements_that_are_kept_carry_a_comment(session: Session) -> None:
    mark(session, "Ada", 10, 20, "error")
    theirs = mark(session, "Bo", 12, 22, "competence")
    reviews.review_segment(session, theirs, ReviewDecision.DISAGREE)
    adjudication.create_adjudicated_lane(session, AdjudicationRule(unsettled=UnsettledRule.KEEP))
    texts = [comment.text for found in comments_in(session.study, WALK).values() for comment in found]
    assert texts == ["Persistent disagreement"] * 2
    assert not adjudication.create_adjudicated_lane(session, AdjudicationRule(unsettled=UnsettledRule.KEEP))[1]
    adjudication.create_adjudicated_lane(session, AdjudicationRule())
    assert comments_in(session.study, WALK) == {}


def test_only_under_its_name_an_adjudicated_segment_is_edited(session: Session) -> None:
    mark(session, "Ada", 10, 20)
    mark(session, "Bo", 12, 22)
    adjudication.create_adjudicated_lane(session, AdjudicationRule())
    lane = person(session, "Adjudicated")
    made = next(segment for segment in segments_of(session.study, WALK) if segment.annotator_id == lane.id)
    with pytest.raises(UserError):
        edit_segment(session, made.id, label="competence")
    with pytest.raises(UserError, match="an adjudicated lane"):
        reviews.review_segment(session, made.id, ReviewDecision.AGREE)
    session.annotator_name = lane.name
    edit_segment(session, made.id, label="competence")


@given(st.lists(lane, min_size=1, max_size=4))
def test_every_mark_is_in_one_group_with_at_most_one_of_each_annotator_and_a_moment_in_common(lanes: list) -> None:
    marks = marks_of(lanes)
    groups = group_marks(marks)
    ids = [mark.segment.id for group in groups for mark in group]
    assert sorted(ids) == sorted(mark.segment.id for mark in marks)
    for group in groups:
        assert len({mark.segment.annotator_id for mark in group}) == len(group)
        assert max(mark.segment.start_us for mark in group) < min(mark.segment.end_us for mark in group)


def test_the_pair_that_overlaps_most_goes_first() -> None:
    marks = marks_of([[(0, 10, "error", {}), (10, 10, "error", {})], [(2, 10, "error", {}), (11, 9, "error", {})]])
    groups = [sorted(mark.segment.id for mark in group) for group in group_marks(marks)]
    assert groups == [["0.0", "1.0"], ["0.1", "1.1"]]
    apart = marks_of([[(0, 10, "error", {})], [(8, 10, "error", {})]])
    assert [len(group_marks(apart, least)) for least in (0, 0.2)] == [1, 2]
