from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from project.entities.study_records import Segment, Verdict
from widgets.timeline.lanes import Lane, LaneKind, lane_key
from widgets.timeline.timeline_layout import HEADER, RULER, TimelineHitPart, Viewport, hit_test, lay_out_lanes
from widgets.timeline.timeline_model import HIDDEN, SELECTED, TimelineModel

LANES = (Lane("w", "Sound", LaneKind.WAVEFORM), Lane(lane_key("a"), "A", editable=True), Lane(lane_key("b"), "B"))


def made(name: str, start: int, end: int, lane: str = "a", verdict: Verdict = Verdict.ERROR) -> Segment:
    return Segment(name, "r", lane, verdict, start, end)


def model(*segments: Segment) -> TimelineModel:
    result = TimelineModel()
    result.set_lanes(LANES)
    result.set_segments(segments)
    return result


rows = st.lists(st.tuples(st.integers(0, 900), st.integers(1, 80), st.sampled_from("ab")), min_size=1, max_size=30)


@given(rows, st.data())
def test_updating_equals_setting(found: list[tuple[int, int, str]], data: st.DataObject) -> None:
    segments = {f"s{i}": made(f"s{i}", s, s + n, lane) for i, (s, n, lane) in enumerate(found)}
    timeline_model = model(*segments.values())
    timeline_model.select(segments)
    for _ in range(6):
        name = f"s{data.draw(st.integers(0, 34))}"
        if data.draw(st.booleans()):
            start, length, lane = data.draw(st.tuples(st.integers(0, 900), st.integers(1, 80), st.sampled_from("ab")))
            segments[name] = made(name, start, start + length, lane)
            timeline_model.update_segments([segments[name]])
        else:
            segments.pop(name, None)
            timeline_model.update_segments([], [name])
    two = model(*segments.values())
    two.select(timeline_model.selected)
    for lane in "ab":
        assert timeline_model.track(lane).items == two.track(lane).items
        assert timeline_model.track(lane).rows.tolist() == two.track(lane).rows.tolist()
        assert timeline_model.track(lane).flags.tolist() == two.track(lane).flags.tolist()


@given(rows)
def test_walking_visits_every_segment_once_in_order(found: list[tuple[int, int, str]]) -> None:
    segments = [made(f"s{i}", s, s + n, lane) for i, (s, n, lane) in enumerate(found)]
    timeline_model = model(*segments)
    for step in (1, -1):
        seen, at = [], timeline_model.neighbour(None, step)
        while at is not None:
            seen.append(at)
            at = timeline_model.neighbour(at, step)
        assert seen == sorted(segments, key=lambda s: (s.start_us, -s.end_us, s.id), reverse=step < 0)


@given(rows, st.integers(0, 1000))
def test_a_hit_is_the_segment_that_is_drawn_there(found: list[tuple[int, int, str]], time: int) -> None:
    segments = [made(f"s{i}", s * 1000, (s + n) * 1000, lane) for i, (s, n, lane) in enumerate(found)]
    timeline_model = model(*segments)
    view = Viewport(0, 1000, 1000, 1_000_000)
    bands = lay_out_lanes(timeline_model)
    for band in bands[1:]:
        track = timeline_model.track(band.lane.key)
        for i, segment in enumerate(track.items):
            if track.rows[i] >= band.rows or segment.end_us - segment.start_us < 12_000:
                continue
            middle = (segment.start_us + segment.end_us) / 2
            y = RULER + band.row_top(int(track.rows[i])) + band.row_height / 2
            at = hit_test(timeline_model, bands, view, HEADER + view.time_to_x(middle), y)
            assert (at.part, at.segment) == (TimelineHitPart.BODY, segment)
            at = hit_test(timeline_model, bands, view, HEADER + view.time_to_x(segment.start_us) + 1, y)
            assert (at.part, at.segment) == (TimelineHitPart.START, segment)
            at = hit_test(timeline_model, bands, view, HEADER + view.time_to_x(segment.end_us) - 1, y)
            assert (at.part, at.segment) == (TimelineHitPart.END, segment)


def test_hits_tell_ruler_header_and_empty_lane_apart() -> None:
    timeline_model = model()
    bands, view = lay_out_lanes(timeline_model), Viewport(0, 1000, 1000, 1_000_000)
    lane = bands[1]
    assert hit_test(timeline_model, bands, view, HEADER + 10, 5).part is TimelineHitPart.RULER
    assert hit_test(timeline_model, bands, view, 10, 5).part is TimelineHitPart.NOWHERE
    assert hit_test(timeline_model, bands, view, 10, RULER + lane.top + 5).part is TimelineHitPart.HEADER
    found = hit_test(timeline_model, bands, view, HEADER + 250, RULER + lane.top + 5)
    assert (found.part, found.band, found.time_us) == (TimelineHitPart.LANE, lane, 250_000)
    assert hit_test(timeline_model, bands, view, HEADER + 10, 2000).part is TimelineHitPart.NOWHERE


def test_selection_follows_segments() -> None:
    timeline_model = model(made("x", 0, 10), made("y", 5, 20), made("z", 30, 40, "b"))
    timeline_model.select(["z", "x", "gone"])
    assert timeline_model.selected == ["z", "x"]
    timeline_model.update_segments([made("x", 100, 110)])
    assert timeline_model.selected == ["z", "x"]
    touched = timeline_model.update_segments([made("y", 5, 20, "b")])
    assert touched.spans.keys() == {lane_key("a"), lane_key("b")}
    timeline_model.update_segments([made("y", 5, 20)])
    assert timeline_model.track(lane_key("a")).flags.tolist() == [0, SELECTED]
    timeline_model.update_segments([], ["z"])
    assert timeline_model.selected == ["x"]
    timeline_model.hide(["x", "y"])
    assert timeline_model.track(lane_key("a")).flags.tolist() == [HIDDEN, SELECTED | HIDDEN]
    timeline_model.hide(())
    assert timeline_model.track(lane_key("a")).flags.tolist() == [0, SELECTED]
    timeline_model.set_segments([made("y", 0, 1)])
    assert timeline_model.selected == []


def test_nearest_edge_leaves_out_what_is_dragged_and_folded() -> None:
    timeline_model = model(made("x", 100, 200), made("y", 300, 400, "b"))
    assert timeline_model.nearest_edge(104, 10) == 100
    assert timeline_model.nearest_edge(195, 10) == 200
    assert timeline_model.nearest_edge(150, 10) is None
    timeline_model.hide(["x"])
    assert timeline_model.nearest_edge(104, 10) is None
    timeline_model.folded.add(lane_key("b"))
    assert timeline_model.nearest_edge(300, 10) is None


def test_lanes_grow_with_their_rows_and_fold() -> None:
    timeline_model = model(made("x", 0, 10), made("y", 5, 20), *(made(f"z{i}", 0, 10, "b") for i in range(12)))
    bands = lay_out_lanes(timeline_model)
    assert [b.rows for b in bands] == [1, 2, 8]
    assert [b.overflows for b in bands] == [False, False, True]
    assert all(above.bottom == below.top for above, below in pairwise(bands))
    timeline_model.folded.add(lane_key("b"))
    folded = lay_out_lanes(timeline_model)[2]
    assert folded.folded
    assert folded.height < bands[2].height
