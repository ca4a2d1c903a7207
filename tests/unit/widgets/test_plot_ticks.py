import math
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from widgets.labels import Pattern
from widgets.plots.charts import spread_apart
from widgets.plots.plot_canvas import strokes
from widgets.plots.plot_data import nice_ticks

numbers = st.floats(-1e12, 1e12) | st.sampled_from([math.nan, math.inf, -math.inf]) | st.none()


@given(st.lists(numbers, max_size=8), st.integers(1, 12), st.booleans())
def test_ticks_cover_the_data_and_zero(values: list[float | None], wanted: int, whole: bool) -> None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    assume(not known or max(map(abs, known)) == 0 or max(map(abs, known)) > 1e-9)
    ticks = nice_ticks(values, wanted, whole=whole)
    assert all(map(math.isfinite, ticks.values))
    assert list(ticks.values) == sorted(set(ticks.values))
    assert 2 <= len(ticks.values) <= wanted + 3
    slack = 1e-6 * (ticks.high - ticks.low)
    assert all(ticks.low - slack <= value <= ticks.high + slack for value in [0.0, *known])
    assert "nan" not in "".join(ticks.texts)
    assert len(set(ticks.texts)) == len(ticks.texts)
    if whole:
        assert all(tick == round(tick) for tick in ticks.values)


def test_ticks_that_one_would_choose() -> None:
    assert nice_ticks([0.93]).texts == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")
    assert nice_ticks([3], whole=True).texts == ("0", "1", "2", "3")
    assert nice_ticks([-0.3, 1.0], 8).values[0] <= -0.3
    assert nice_ticks([], whole=True).texts == ("0", "1")
    assert nice_ticks([10_353], whole=True).texts[-1] == "12,500"


@given(st.lists(st.floats(0, 100), max_size=5))
def test_names_at_the_ends_of_lines_keep_apart(places: list[float]) -> None:
    found = spread_apart(places, 17, 100)
    order = sorted(range(len(places)), key=lambda number: places[number])
    gaps = [found[b] - found[a] for a, b in pairwise(order)]
    assert all(gap >= 17 - 1e-9 for gap in gaps)
    assert max(found, default=0) <= 100


@given(st.sampled_from(Pattern), st.floats(-50, 500), st.floats(-50, 500), st.floats(-5, 90), st.floats(-5, 90))
def test_patterns_stay_inside_their_rectangle(
    pattern: Pattern, x: float, y: float, width: float, height: float
) -> None:
    for x1, y1, x2, y2 in strokes(pattern, x, y, width, height):
        assert x - 1e-6 <= min(x1, x2) <= max(x1, x2) <= x + width + 1e-6
        assert y - 1e-6 <= min(y1, y2) <= max(y1, y2) <= y + height + 1e-6
