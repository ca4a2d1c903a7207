from hypothesis import given
from hypothesis import strategies as st

from widgets.timeline.timeline_layout import LABEL_PX, MIN_US_PER_PX, Viewport, ruler_ticks

viewports = st.builds(
    lambda width, duration, zoom, at: Viewport(at * duration, zoom, width, duration).clamped(),
    st.integers(50, 8000),
    st.integers(1, 24 * 3_600_000_000),
    st.floats(MIN_US_PER_PX, 1e8),
    st.floats(0, 1),
)


def inside(view: Viewport) -> bool:
    room = max(view.duration_us, MIN_US_PER_PX * view.width)
    return view.start_us >= 0 and view.end_us <= room * (1 + 1e-9) + 1


@given(viewports, st.floats(0, 1))
def test_pixel_to_time_and_back(view: Viewport, share: float) -> None:
    x = share * view.width
    assert abs(view.time_to_x(view.x_to_time(x)) - x) <= 0.51 / view.us_per_px + 1e-6
    time = round(view.start_us + x * view.us_per_px)
    assert abs(view.x_to_time(view.time_to_x(time)) - time) <= 1


@given(viewports, st.floats(0.01, 100), st.floats(0, 1))
def test_zooming_stays_inside_and_keeps_the_time_under_the_mouse(view: Viewport, factor: float, share: float) -> None:
    x = share * view.width
    zoomed = view.zoomed(factor, x)
    assert inside(zoomed)
    start = view.start_us + x * (view.us_per_px - zoomed.us_per_px)
    if 0 <= start <= view.duration_us - zoomed.width * zoomed.us_per_px:
        assert abs(zoomed.time_to_x(view.start_us + x * view.us_per_px) - x) < 1e-3


@given(viewports, st.floats(-1e5, 1e5))
def test_panning_stays_inside(view: Viewport, pixels: float) -> None:
    assert inside(view.panned(pixels))


@given(viewports, st.integers(1, 5000))
def test_resizing_stays_inside_and_fitting_stays_fitting(view: Viewport, width: int) -> None:
    assert inside(view.resized(width))
    whole = view.showing(0, view.duration_us).resized(width)
    assert whole.us_per_px == whole.fit_us_per_px


def test_a_span_that_was_asked_for_before_the_first_layout_is_shown_after_it() -> None:
    view = Viewport(width=1, duration_us=100_000_000).showing(20_000_000, 30_000_000).resized(1000)
    assert (view.start_us, view.end_us) == (20_000_000, 30_000_000)


@given(viewports)
def test_ticks_are_round_inside_and_far_enough_apart(view: Viewport) -> None:
    found = ruler_ticks(view, view.start_us, view.end_us)
    assert all(0 <= t <= view.duration_us for t in (*found.labelled, *found.small))
    assert all(t % found.step_us == 0 for t in found.labelled)
    if found.step_us < 21_600_000_000:
        assert found.step_us >= LABEL_PX * view.us_per_px
    assert not set(found.labelled) & set(found.small)
