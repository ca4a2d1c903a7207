"""The model of the timeline, without drawing.

Segments of a lane are sorted arrays, stacked into sub-rows where they overlap.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import Segment
from widgets.timeline.lanes import Lane, LaneKind, VerdictBar, bar_kind, lane_key_of

MAX_ROWS = 8
"""Sub-rows in a lane; the value itself stands for overflow."""

RESTACK_BUDGET = 128
"""How many segments one edit may move to other rows."""

FREE = -(2**62)


def place_in_row(state: list[int], start_us: int, end_us: int) -> int:
    """Put one segment into the lowest free row and return it; `MAX_ROWS` where none is free.

    `state` holds when each row is free again and is changed.
    """
    for row, free_from in enumerate(state):
        if free_from <= start_us:
            state[row] = end_us
            return row
    return MAX_ROWS


def stack(starts: NDArray[np.int64], ends: NDArray[np.int64], reach: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the row of every segment.

    Args:
        starts: (n,), ascending.
        ends: (n,), each after its start.
        reach: (n,), running maximum of `ends`.
    """
    rows = np.zeros(len(starts), np.uint8)
    if not len(starts):
        return rows
    breaks = np.flatnonzero(starts[1:] >= reach[:-1]) + 1
    bounds = np.concatenate(([0], breaks, [len(starts)]))
    for cluster in np.flatnonzero(np.diff(bounds) > 1).tolist():
        first, last = int(bounds[cluster]), int(bounds[cluster + 1])
        state = [FREE] * MAX_ROWS
        pairs = zip(starts[first:last].tolist(), ends[first:last].tolist(), strict=True)
        rows[first:last] = [place_in_row(state, start, end) for start, end in pairs]
    return rows


def restack(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    rows: NDArray[np.uint8],
    first: int,
    new: list[int],
    old: list[int],
) -> list[int] | None:
    """Return the new rows of the segments from `first` on, up to where the old ones hold again.

    Args:
        starts: (n,), ascending.
        ends: (n,).
        rows: (n,), the rows before the edit.
        first: index from which to go on.
        new: when each row is free again before `first`, after the edit; changed.
        old: the same before the edit; changed.

    Returns:
        The rows, or None where the edit would move more than `RESTACK_BUDGET` segments.
    """
    found: list[int] = []
    stop = min(first + RESTACK_BUDGET, len(starts))
    window = zip(starts[first:stop].tolist(), ends[first:stop].tolist(), rows[first:stop].tolist(), strict=True)
    for start, end, row in window:
        if all(a == b or (a <= start and b <= start) for a, b in zip(new, old, strict=True)):
            return found
        found.append(place_in_row(new, start, end))
        if row < MAX_ROWS:
            old[row] = end
    return found if stop == len(starts) or new == old else None


MAX_LABEL_CODES = 255
"""Code of every label beyond so many different ones in one lane."""

SELECTED = 1
HIDDEN = 2


def sort_key(segment: Segment) -> tuple[int, int, str]:
    """Sort key: by start, the longer first."""
    return (segment.start_us, -segment.end_us, segment.id)


def _effective_end(segment: Segment) -> int:
    return max(segment.end_us, segment.start_us + 1)


class SegmentTrack:
    """Segments ordered by start, the longer first, with the sub-row of each.

    Loading is O(n log n). An edit finds its place in O(log n), shifts the arrays, and stacks again only as far as
    rows change; where more than a bounded number of segments would change rows, the others stay where they are and the
    edited one takes any free row, so `tidy` says whether the rows are those that loading would give.

    Attributes:
        items: the segments in order.
        tidy: whether the rows are what loading the same segments would give.
        labels: the labels that its segments have or had, in the order they came; `codes` are positions in it.
    """

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        self.items: list[Segment] = sorted(segments, key=sort_key)
        self.tidy = True
        n = self._n = len(self.items)
        self._starts = np.fromiter((s.start_us for s in self.items), np.int64, n)
        self._ends = np.fromiter((_effective_end(s) for s in self.items), np.int64, n)
        self._reach = np.maximum.accumulate(self._ends)
        self.labels: list[str] = []
        self._places: dict[str, int] = {}
        self._codes = np.fromiter((self._label_code(s.label) for s in self.items), np.uint8, n)
        self._flags = np.zeros(n, np.uint8)
        self._rows = stack(self._starts, self._ends, self._reach)
        self._row_counts: list[int] = np.bincount(self._rows, minlength=MAX_ROWS + 1).tolist()

    def __len__(self) -> int:
        return self._n

    @property
    def starts(self) -> NDArray[np.int64]:
        """(n,) start times, ascending."""
        return self._starts[: self._n]

    @property
    def ends(self) -> NDArray[np.int64]:
        """(n,) end times, each after its start."""
        return self._ends[: self._n]

    @property
    def are_points(self) -> NDArray[np.bool_]:
        """(n,) which are points; here they last a microsecond."""
        return self.ends - self.starts == 1

    @property
    def max_ends(self) -> NDArray[np.int64]:
        """(n,) running maximum of the end times."""
        return self._reach[: self._n]

    @property
    def codes(self) -> NDArray[np.uint8]:
        """(n,) positions in `labels`; `MAX_LABEL_CODES` for all beyond."""
        return self._codes[: self._n]

    @property
    def rows(self) -> NDArray[np.uint8]:
        """(n,) sub-rows; `MAX_ROWS` is overflow."""
        return self._rows[: self._n]

    @property
    def flags(self) -> NDArray[np.uint8]:
        """(n,) bits `SELECTED` and `HIDDEN`."""
        return self._flags[: self._n]

    @property
    def row_count(self) -> int:
        """Sub-rows in use, at least one."""
        return max((row + 1 for row in range(MAX_ROWS) if self._row_counts[row]), default=1)

    @property
    def overflows(self) -> bool:
        """Whether some segments found no row."""
        return self._row_counts[MAX_ROWS] > 0

    def index(self, segment: Segment) -> int:
        """Return where a segment is, or would be put."""
        lo = int(np.searchsorted(self.starts, segment.start_us, "left"))
        hi = int(np.searchsorted(self.starts, segment.start_us, "right"))
        return bisect_left(self.items, sort_key(segment), lo, hi, key=sort_key)

    def slice_between(self, start_us: float, end_us: float) -> tuple[int, int]:
        """Return the slice outside which no segment touches [start, end]; some within it may not either."""
        # A float here would have numpy turn the whole array into floats first.
        lo = int(np.searchsorted(self.max_ends, floor(start_us), "left"))
        hi = int(np.searchsorted(self.starts, ceil(end_us), "right"))
        return lo, max(lo, hi)

    def touching(self, start_us: float, end_us: float) -> NDArray[np.intp]:
        """Return the indices of the segments that touch [start, end]."""
        lo, hi = self.slice_between(start_us, end_us)
        return np.flatnonzero(self.ends[lo:hi] >= start_us) + lo

    def insert(self, segment: Segment) -> tuple[int, int]:
        """Add a segment; return the span of time in which the drawing changes."""
        at = self.index(segment)
        self._reserve()
        n = self._n
        for column in (self._starts, self._ends, self._reach, self._codes, self._flags, self._rows):
            column[at + 1 : n + 1] = column[at:n]
        self.items.insert(at, segment)
        self._n = n + 1
        start, end = segment.start_us, _effective_end(segment)
        self._starts[at], self._ends[at] = start, end
        self._codes[at], self._flags[at] = self._label_code(segment.label), 0
        self._update_max_ends(at)
        old = self._row_state(at)
        new = list(old)
        row = place_in_row(new, start, end)
        moved = restack(self.starts, self.ends, self.rows, at + 1, new, old)
        if moved is None:
            self.tidy = False
            row, moved = self._any_free_row(at), []
        self._rows[at] = row
        self._row_counts[row] += 1
        changed_until = self._set_rows(at + 1, moved)
        return start, max(end, changed_until)

    def remove(self, segment: Segment) -> tuple[int, int]:
        """Take a segment out; return the span of time in which the drawing changes."""
        at = self.index(segment)
        row, start, end = int(self._rows[at]), int(self._starts[at]), int(self._ends[at])
        n = self._n
        for column in (self._starts, self._ends, self._reach, self._codes, self._flags, self._rows):
            column[at : n - 1] = column[at + 1 : n]
        del self.items[at]
        self._n = n - 1
        self._row_counts[row] -= 1
        self._update_max_ends(at)
        if at == n - 1:
            return start, end
        new = self._row_state(at)
        old = list(new)
        if row < MAX_ROWS:
            old[row] = end
        moved = restack(self.starts, self.ends, self.rows, at, new, old)
        if moved is None:
            self.tidy = False
            moved = []
        return start, max(end, self._set_rows(at, moved))

    def _label_code(self, label: str) -> int:
        place = self._places.get(label)
        if place is None:
            place = self._places[label] = min(len(self.labels), MAX_LABEL_CODES)
            self.labels.append(label)
        return place

    def _reserve(self) -> None:
        if self._n < len(self._starts):
            return
        extra = max(16, self._n // 8)
        for name in ("_starts", "_ends", "_reach", "_codes", "_flags", "_rows"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate((column, np.zeros(extra, column.dtype))))

    def _update_max_ends(self, first: int) -> None:
        before = int(self._reach[first - 1]) if first else FREE
        size = 64
        while first < self._n:
            last = min(first + size, self._n)
            part = np.maximum(np.maximum.accumulate(self._ends[first:last]), before)
            settled = last - first > 1 and self._reach[last - 1] == part[-1]
            self._reach[first:last] = part
            if settled:
                return
            first, before, size = last, int(part[-1]), size * 4

    def _row_state(self, at: int) -> list[int]:
        """When each row is free again, just before the segment at `at`."""
        start = int(self._starts[at])
        state = [FREE] * MAX_ROWS
        lo = int(np.searchsorted(self._reach[:at], start, "right"))
        for i in (np.flatnonzero(self._ends[lo:at] > start) + lo).tolist():
            row = int(self._rows[i])
            if row < MAX_ROWS:
                state[row] = int(self._ends[i])
        return state

    def _any_free_row(self, at: int) -> int:
        start, end = self._starts[at], self._ends[at]
        near = self.touching(int(start), int(end))
        near = near[(near != at) & (self._starts[near] < end) & (self._ends[near] > start)]
        taken = set(self._rows[near].tolist())
        return next((row for row in range(MAX_ROWS) if row not in taken), MAX_ROWS)

    def _set_rows(self, first: int, rows: list[int]) -> int:
        """Write rows from `first` on and return until when segments changed theirs."""
        until = FREE
        for i, row in enumerate(rows, first):
            before = int(self._rows[i])
            if before != row:
                self._row_counts[before] -= 1
                self._row_counts[row] += 1
                self._rows[i] = row
                until = max(until, int(self._ends[i]))
        return until


_REBUILD_ABOVE = 500
"""Segments at once from which going through a whole lane is quicker than finding them one by one."""


@dataclass(slots=True)
class TouchedSpans:
    """What an update changed: for each lane the span of time to draw again."""

    spans: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, lane: str, span: tuple[int, int]) -> None:
        """Widen a lane's span."""
        before = self.spans.get(lane, span)
        self.spans[lane] = (min(before[0], span[0]), max(before[1], span[1]))


class TimelineModel:
    """Lanes, the segments and spans in them, and which segments are selected.

    Segments live in the lane of their annotator and track. Segments without a lane are kept, not shown.
    """

    def __init__(self) -> None:
        self.lanes: tuple[Lane, ...] = ()
        self.folded: set[str] = set()
        self._segments: dict[str, Segment] = {}
        self._tracks: dict[str, SegmentTrack] = {}
        self._verdicts: dict[str, SegmentTrack] = {}
        self._bars: dict[str, VerdictBar] = {}
        self._spans: dict[str, NDArray[np.int64]] = {}
        self._kinds: dict[str, NDArray[np.int64]] = {}
        self._selected: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._segments)

    def count(self, kind: LaneKind) -> int:
        """Return how many segments or utterances the lanes show."""
        return sum(len(self.track(lane.key)) for lane in self.lanes if lane.kind is kind)

    def set_lanes(self, lanes: Iterable[Lane]) -> None:
        """Show these lanes, in this order."""
        self.lanes = tuple(lanes)

    def lane(self, key: str) -> Lane | None:
        """Return a lane that is shown."""
        return next((lane for lane in self.lanes if lane.key == key), None)

    def segment(self, segment_id: str) -> Segment | None:
        """Return a segment, or None where it is gone."""
        return self._segments.get(segment_id)

    def track(self, key: str) -> SegmentTrack:
        """Return the segments of a lane, or the bars of one of verdicts."""
        if key in self._verdicts:
            return self._verdicts[key]
        if key not in self._tracks:
            self._tracks[key] = SegmentTrack()
        return self._tracks[key]

    def spans(self, key: str) -> NDArray[np.int64]:
        """Return the (n, 2) starts and ends of a lane of spans, ordered."""
        return self._spans.get(key, np.empty((0, 2), np.int64))

    def span_kinds(self, key: str) -> NDArray[np.int64]:
        """Return which of the lane's looks each of its spans has, (n,)."""
        return self._kinds.get(key, np.empty(0, np.int64))

    def set_spans(
        self, key: str, spans: Sequence[tuple[int, int]] | NDArray[np.int64], kinds: Sequence[int] = ()
    ) -> None:
        """Fill a lane of spans with (start, end) pairs in any order; `kinds` are places in its looks, 0 by default."""
        pairs = np.asarray(spans, np.int64).reshape(-1, 2)
        order = np.argsort(pairs[:, 0], kind="stable")
        self._spans[key] = pairs[order]
        self._kinds[key] = np.asarray(kinds, np.int64)[order] if len(kinds) else np.zeros(len(pairs), np.int64)

    def set_verdicts(self, key: str, bars: Iterable[VerdictBar]) -> None:
        """Fill a lane of verdicts."""
        listed = list(bars)
        self._bars = {bar.id: bar for bar in self._bars.values() if lane_key_of(bar) != key}
        self._bars |= {verdict_bar.id: verdict_bar for verdict_bar in listed}
        self._verdicts[key] = SegmentTrack(listed)
        self._mark_verdicts([self._verdicts[key]])

    def update_verdicts(self, changed: Iterable[VerdictBar]) -> TouchedSpans:
        """Add or replace some verdicts in lanes that were filled."""
        touched = TouchedSpans()
        for bar in changed:
            before, track = self._bars.get(bar.id), self._verdicts[lane_key_of(bar)]
            if before == bar:
                continue
            if before is not None:
                touched.add(lane_key_of(bar), track.remove(before))
            touched.add(lane_key_of(bar), track.insert(bar))
            self._bars[bar.id] = bar
            if bar.about in self._selected:
                at = track.index(bar)
                track.flags[at] |= SELECTED
        return touched

    def clear_spans(self) -> None:
        """Empty all lanes of spans and of verdicts."""
        self._verdicts.clear()
        self._bars.clear()
        self._spans.clear()
        self._kinds.clear()

    def set_segments(self, segments: Iterable[Segment]) -> None:
        """Replace all segments; what is still there stays selected."""
        self._segments = {segment.id: segment for segment in segments}
        by_lane: dict[str, list[Segment]] = {}
        for segment in self._segments.values():
            by_lane.setdefault(lane_key_of(segment), []).append(segment)
        self._tracks = {key: SegmentTrack(found) for key, found in by_lane.items()}
        self.select(segment_id for segment_id in self._selected if segment_id in self._segments)

    def update_segments(self, changed: Iterable[Segment] = (), removed: Iterable[str] = ()) -> TouchedSpans | None:
        """Add or replace some segments and take others out.

        Returns:
            What to draw again; None where so much changed that everything has to be.
        """
        changed, removed = list(changed), [i for i in removed if i in self._segments]
        if len(changed) + len(removed) > _REBUILD_ABOVE:
            merged = self._segments | {segment.id: segment for segment in changed}
            gone = set(removed)
            self.set_segments(segment for segment in merged.values() if segment.id not in gone)
            return None
        touched = TouchedSpans()
        for segment_id in removed:
            self._remove(self._segments.pop(segment_id), touched)
            self._selected.pop(segment_id, None)
        for segment in changed:
            before = self._segments.get(segment.id)
            if before == segment:
                continue
            if before is not None:
                self._remove(before, touched)
            self._segments[segment.id] = segment
            touched.add(lane_key_of(segment), self.track(lane_key_of(segment)).insert(segment))
            if segment.id in self._selected:
                self._set_flag(segment, SELECTED, True)
        return touched

    @property
    def selected(self) -> list[str]:
        """Ids of the selected segments, in the order they were selected."""
        return list(self._selected)

    def is_selected(self, segment_id: str) -> bool:
        """Return whether a segment is selected."""
        return segment_id in self._selected

    def select(self, segment_ids: Iterable[str]) -> None:
        """Select exactly these segments."""
        self._selected = dict.fromkeys(i for i in segment_ids if i in self._segments)
        self._mark_segments(self._selected, SELECTED)
        self._mark_verdicts(self._verdicts.values())

    def hide(self, segment_ids: Iterable[str]) -> None:
        """Leave exactly these segments out of the drawing, while they are dragged."""
        self._mark_segments(segment_ids, HIDDEN)

    def nearest_edge(self, time_us: int, reach_us: int) -> int | None:
        """Return the start or end of a drawn segment that is nearest to a time, within reach."""
        best: int | None = None
        for track in self._open_tracks():
            near = track.touching(time_us - reach_us, time_us + reach_us)
            near = near[track.flags[near] & HIDDEN == 0]
            edges = np.concatenate((track.starts[near], track.ends[near] - track.are_points[near]))
            if len(edges):
                nearest = int(edges[np.argmin(np.abs(edges - time_us))])
                if abs(nearest - time_us) <= min(reach_us, reach_us if best is None else abs(best - time_us)):
                    best = nearest
        return best

    def neighbour(self, segment: Segment | None, step: int) -> Segment | None:
        """Return the next (`step` 1) or previous (-1) segment in time over all lanes; the first or last for None.

        From an utterance or a node, the next one is of that kind; without any segments, the first one is an utterance,
        or else a node.
        """
        found: list[Segment] = []
        for track in self._step_tracks(segment):
            if segment is None:
                at = 0 if step > 0 else len(track) - 1
            else:
                at = track.index(segment)
                here = at < len(track) and track.items[at].id == segment.id
                at = at - 1 if step < 0 else at + here
            if 0 <= at < len(track):
                found.append(track.items[at])
        return (min if step > 0 else max)(found, key=sort_key, default=None)

    def first_touching(self, start_us: int, end_us: int, step: int) -> Segment | None:
        """Return the first (`step` 1) or last (-1) segment, or else utterance or node, that touches a span of time."""
        found: list[Segment] = []
        for track in self._step_tracks(None):
            near = track.touching(start_us, end_us)
            if len(near):
                found.append(track.items[int(near[0 if step > 0 else -1])])
        return (min if step > 0 else max)(found, key=sort_key, default=None)

    def nearest_in_next_lane(self, segment: Segment, step: int) -> Segment | None:
        """Return the one nearest in time in the next (1) or previous (-1) lane that holds any and is not folded."""
        lanes = [lane for lane in self.lanes if lane.has_bars and lane.key not in self.folded]
        here = next((at for at, lane in enumerate(lanes) if lane.key == lane_key_of(segment)), None)
        if here is None:
            return None
        for lane in lanes[here + 1 :] if step > 0 else lanes[:here][::-1]:
            track = self.track(lane.key)
            if len(track):
                away = np.maximum(track.starts - segment.end_us, segment.start_us - track.ends)
                return track.items[int(np.argmin(np.maximum(away, 0)))]
        return None

    def _step_tracks(self, segment: Segment | None) -> list[SegmentTrack]:
        """Return the tracks that one goes along from a segment."""
        if segment is None:
            for kind in (LaneKind.SEGMENTS, LaneKind.UTTERANCES):
                found = list(self._open_tracks(kind))
                if any(len(track) for track in found):
                    return found
            return list(self._open_tracks(LaneKind.NODES))
        return list(self._open_tracks(bar_kind(segment)))

    def _open_tracks(self, kind: LaneKind | None = None) -> Iterator[SegmentTrack]:
        for lane in self.lanes:
            if (lane.has_bars if kind is None else lane.kind is kind) and lane.key not in self.folded:
                yield self.track(lane.key)

    def _remove(self, segment: Segment, touched: TouchedSpans) -> None:
        touched.add(lane_key_of(segment), self._tracks[lane_key_of(segment)].remove(segment))

    def _set_flag(self, segment: Segment, bit: int, on: bool) -> None:
        track = self._tracks[lane_key_of(segment)]
        at = track.index(segment)
        track.flags[at] = track.flags[at] | bit if on else track.flags[at] & ~bit

    def _mark_verdicts(self, tracks: Iterable[SegmentTrack]) -> None:
        """Show which verdicts are about what is selected."""
        chosen = self._selected
        for track in tracks:
            about = (isinstance(bar, VerdictBar) and bar.about in chosen for bar in track.items)
            track.flags[:] = np.fromiter(about, np.bool_, len(track)) * np.uint8(SELECTED)

    def _mark_segments(self, segment_ids: Iterable[str], bit: int) -> None:
        marked = set(segment_ids)
        for track in self._tracks.values():
            track.flags[:] &= 0xFF ^ bit
            if len(marked) > _REBUILD_ABOVE:
                chosen = np.fromiter((s.id in marked for s in track.items), np.bool_, len(track))
                track.flags[chosen] |= bit
        if len(marked) > _REBUILD_ABOVE:
            return
        for segment_id in marked:
            segment = self._segments.get(segment_id)
            if segment is not None:
                self._set_flag(segment, bit, True)
