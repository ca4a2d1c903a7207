"""Which segments of several annotators stand for each other."""

from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.annotator_lanes import Mark, group_marks
from project.entities.study_records import Segment

spans = st.tuples(st.integers(0, 40), st.integers(1, 15), st.sampled_from(["error", "competence"]))
lanes = st.lists(st.lists(spans, max_size=6), min_size=1, max_size=4)


def marks_of(found: list[list[tuple[int, int, str]]]) -> list[Mark]:
    return [
        Mark(Segment(f"{who}.{place}", "r", f"P{who}", label, start, start + length), {})
        for who, lane in enumerate(found)
        for place, (start, length, label) in enumerate(lane)
    ]


@given(lanes)
def test_every_mark_is_in_one_group_with_at_most_one_of_each_annotator_and_a_moment_in_common(
    found: list[list[tuple[int, int, str]]],
) -> None:
    marks = marks_of(found)
    groups = group_marks(marks)
    ids = [mark.segment.id for group in groups for mark in group]
    assert sorted(ids) == sorted(mark.segment.id for mark in marks)
    for group in groups:
        assert len({mark.segment.annotator_id for mark in group}) == len(group)
        assert max(mark.segment.start_us for mark in group) < min(mark.segment.end_us for mark in group)


@given(lanes, st.randoms(use_true_random=False))
def test_who_comes_first_makes_no_difference(found: list[list[tuple[int, int, str]]], chance: object) -> None:
    marks = marks_of(found)
    shuffled = list(marks)
    chance.shuffle(shuffled)

    def content(groups: list[tuple[Mark, ...]]) -> list[list[tuple[object, ...]]]:
        return sorted(sorted(mark.sort_key for mark in group) for group in groups)

    assert content(group_marks(marks)) == content(group_marks(shuffled))


def test_the_pair_that_overlaps_most_goes_first() -> None:
    marks = marks_of([[(0, 10, "error"), (10, 10, "error")], [(2, 10, "error"), (11, 9, "error")]])
    assert [sorted(mark.segment.id for mark in group) for group in group_marks(marks)] == [
        ["0.0", "1.0"],
        ["0.1", "1.1"],
    ]


def test_a_pair_below_the_minimum_iou_is_none() -> None:
    marks = marks_of([[(0, 10, "error")], [(8, 10, "error")]])
    assert len(group_marks(marks)) == 1
    assert len(group_marks(marks, 0.2)) == 2
