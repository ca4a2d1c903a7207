import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from project.schemes.scheme import Pattern
from widgets.timeline.raster import (
    PATTERNS,
    RasterColours,
    coverage,
    pattern_masks,
    row_picture,
    segments_picture,
    waveform_picture,
)

KINDS = (Pattern.HATCH, Pattern.SOLID, Pattern.DOTS)
INKS = RasterColours(
    np.array([[11, 12], [21, 22], [31, 32]], np.uint32), tuple(PATTERNS.index(kind) for kind in KINDS), 99, 7, 2
)


def drawn(counts: NDArray[np.int32], height: int, phase: int) -> NDArray[np.uint32]:
    masks = pattern_masks(range(len(counts)), height, counts.shape[1], phase, INKS)
    return row_picture(counts, range(len(counts)), height, masks, INKS)


@given(st.lists(st.tuples(st.integers(0, 39), st.integers(1, 20), st.integers(0, 2)), max_size=40))
def test_coverage_counts_spans_over_each_column(found: list[tuple[int, int, int]]) -> None:
    left = np.array([f[0] for f in found], np.int32)
    right = np.minimum(left + np.array([f[1] for f in found], np.int32), 40)
    group = np.array([f[2] for f in found], np.intp)
    expected = np.zeros((3, 40), int)
    for a, b, g in zip(left, right, group, strict=True):
        expected[g, a:b] += 1
    assert coverage(left, right, group, 3, 40).tolist() == expected.tolist()


def test_each_label_has_its_pattern() -> None:
    counts = np.zeros((3, 60), np.int32)
    counts[0, :20] = counts[1, 20:40] = counts[2, 40:] = 1
    picture = drawn(counts, 21, 0)
    assert set(np.unique(picture[:, :20])) == {11, 12}
    assert set(np.unique(picture[:, 20:40])) == {21}
    assert set(np.unique(picture[:, 40:])) == {31, 32}
    assert picture[0, 7] == picture[1, 6] == picture[2, 5] == 12


def test_the_hatch_moves_with_the_view() -> None:
    counts = np.zeros((3, 40), np.int32)
    counts[0] = 1
    assert np.array_equal(drawn(counts, 9, 3)[:, :30], drawn(counts, 9, 0)[:, 3:33])


@given(st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=2, max_size=9), st.integers(1, 30))
def test_any_number_of_labels_share_a_row(shares: list[list[int]], height: int) -> None:
    counts = np.array(shares, np.int32)
    count = len(shares)
    inks = RasterColours(
        np.array([[10 * n + 11, 10 * n + 12] for n in range(count)], np.uint32),
        tuple(n % len(PATTERNS) for n in range(count)),
        9,
        7,
        2,
    )
    picture = row_picture(counts, range(count), height, pattern_masks(range(count), height, 6, 0, inks), inks)
    for column in range(6):
        of_label = [int((picture[:, column] // 10 == n + 1).sum()) for n in range(count)]
        total = int(counts[:, column].sum())
        assert sum(of_label) == (height if total else 0)
        for n in range(count):
            assert abs(of_label[n] - counts[n, column] * height / max(total, 1)) <= 1


def test_segments_go_to_their_rows_and_the_selected_is_marked() -> None:
    spans = (np.array([0, 10], np.int32), np.array([5, 20], np.int32))
    picture = segments_picture(
        spans,
        np.array([1, 1], np.uint8),
        np.array([0, 1], np.uint8),
        np.array([False, True]),
        [(2, 8), (12, 8)],
        (24, 30),
        0,
        INKS,
    )
    assert (picture[2:10, :5] == 21).all()
    assert (picture[12:14, 10:20] == 99).all()
    assert (picture[14:18, 10:20] == 21).all()
    assert not picture[:, 20:].any()
    assert not picture[10:12].any()


def test_silence_is_a_line_and_loud_sound_fills_the_lane() -> None:
    peaks = np.array([[0, 0], [-1, 1]], np.float32)
    picture = waveform_picture(peaks, 41, 5, 6)
    assert (picture[:, 0] > 0).sum() == 1
    assert (picture[:, 1] > 0).all()
