from hypothesis import given

from annotate.agreement.span_matching import SpanArray, find_overlaps
from tests.builders.marks import drawn_spans, spans


def listed(found: SpanArray) -> list[tuple[int, int, int]]:
    return list(zip(found.axis.tolist(), found.start_us.tolist(), found.end_us.tolist(), strict=True))


@given(drawn_spans(), drawn_spans())
def test_the_same_pairs_as_comparing_each_with_each(first: SpanArray, second: SpanArray) -> None:
    expected = []
    for i, (axis, start, end) in enumerate(listed(first)):
        for j, (other_axis, other_start, other_end) in enumerate(listed(second)):
            shared = min(end, other_end) - max(start, other_start)
            if axis == other_axis and shared > 0:
                either = end - start + other_end - other_start - shared
                expected.append((i, j, shared, shared / either, shared / max(end - start, other_end - other_start)))
    found = find_overlaps(first, second)
    columns = (found.first, found.second, found.shared_us, found.iou, found.share_of_longer)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


def test_touching_is_not_overlapping() -> None:
    assert len(find_overlaps(spans([(0, 0, 10, 0)]), spans([(0, 10, 20, 0), (1, 0, 10, 0)]))) == 0
