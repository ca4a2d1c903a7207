"""What the timeline shows, without any drawing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from project.types import Segment
from widgets.timeline.bars import kind_of
from widgets.timeline.lane import Lane, LaneKind, lane_of
from widgets.timeline.track import HIDDEN, SELECTED, SegmentTrack, order
from widgets.timeline.verdicts import VerdictBar

_REBUILD_ABOVE = 500
"""Segments at once from which going through a whole lane is quicker than finding them one by one."""


@dataclass(slots=True)
class Touched:
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
        self._bars = {one.id: one for one in self._bars.values() if lane_of(one) != key}
        self._bars |= {one.id: one for one in listed}
        self._verdicts[key] = SegmentTrack(listed)
        self._mark_verdicts([self._verdicts[key]])

    def update_verdicts(self, changed: Iterable[VerdictBar]) -> Touched:
        """Add or replace some verdicts in lanes that were filled."""
        touched = Touched()
        for bar in changed:
            before, track = self._bars.get(bar.id), self._verdicts[lane_of(bar)]
            if before == bar:
                continue
            if before is not None:
                touched.add(lane_of(bar), track.remove(before))
            touched.add(lane_of(bar), track.insert(bar))
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
            by_lane.setdefault(lane_of(segment), []).append(segment)
        self._tracks = {key: SegmentTrack(found) for key, found in by_lane.items()}
        self.select(segment_id for segment_id in self._selected if segment_id in self._segments)

    def update_segments(self, changed: Iterable[Segment] = (), removed: Iterable[str] = ()) -> Touched | None:
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
        touched = Touched()
        for segment_id in removed:
            self._take_out(self._segments.pop(segment_id), touched)
            self._selected.pop(segment_id, None)
        for segment in changed:
            before = self._segments.get(segment.id)
            if before == segment:
                continue
            if before is not None:
                self._take_out(before, touched)
            self._segments[segment.id] = segment
            touched.add(lane_of(segment), self.track(lane_of(segment)).insert(segment))
            if segment.id in self._selected:
                self._flag(segment, SELECTED, True)
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
        self._mark(self._selected, SELECTED)
        self._mark_verdicts(self._verdicts.values())

    def hide(self, segment_ids: Iterable[str]) -> None:
        """Leave exactly these segments out of the drawing, while they are dragged."""
        self._mark(segment_ids, HIDDEN)

    def nearest_edge(self, time_us: int, reach_us: int) -> int | None:
        """Return the start or end of a drawn segment that is nearest to a time, within reach."""
        best: int | None = None
        for track in self._open_tracks():
            near = track.touching(time_us - reach_us, time_us + reach_us)
            near = near[track.flags[near] & HIDDEN == 0]
            edges = np.concatenate((track.starts[near], track.ends[near]))
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
        for track in self._steps(segment):
            if segment is None:
                at = 0 if step > 0 else len(track) - 1
            else:
                at = track.index(segment)
                here = at < len(track) and track.items[at].id == segment.id
                at = at - 1 if step < 0 else at + here
            if 0 <= at < len(track):
                found.append(track.items[at])
        return (min if step > 0 else max)(found, key=order, default=None)

    def first_touching(self, start_us: int, end_us: int, step: int) -> Segment | None:
        """Return the first (`step` 1) or last (-1) segment, or else utterance or node, that touches a span of time."""
        found: list[Segment] = []
        for track in self._steps(None):
            near = track.touching(start_us, end_us)
            if len(near):
                found.append(track.items[int(near[0 if step > 0 else -1])])
        return (min if step > 0 else max)(found, key=order, default=None)

    def beside(self, segment: Segment, step: int) -> Segment | None:
        """Return the one nearest in time in the next (1) or previous (-1) lane that holds any and is not folded."""
        lanes = [lane for lane in self.lanes if lane.has_bars and lane.key not in self.folded]
        here = next((at for at, lane in enumerate(lanes) if lane.key == lane_of(segment)), None)
        if here is None:
            return None
        for lane in lanes[here + 1 :] if step > 0 else lanes[:here][::-1]:
            track = self.track(lane.key)
            if len(track):
                away = np.maximum(track.starts - segment.end_us, segment.start_us - track.ends)
                return track.items[int(np.argmin(np.maximum(away, 0)))]
        return None

    def _steps(self, segment: Segment | None) -> list[SegmentTrack]:
        """Return the tracks that one goes along from a segment."""
        if segment is None:
            for kind in (LaneKind.SEGMENTS, LaneKind.UTTERANCES):
                found = list(self._open_tracks(kind))
                if any(len(track) for track in found):
                    return found
            return list(self._open_tracks(LaneKind.NODES))
        return list(self._open_tracks(kind_of(segment)))

    def _open_tracks(self, kind: LaneKind | None = None) -> Iterator[SegmentTrack]:
        for lane in self.lanes:
            if (lane.has_bars if kind is None else lane.kind is kind) and lane.key not in self.folded:
                yield self.track(lane.key)

    def _take_out(self, segment: Segment, touched: Touched) -> None:
        touched.add(lane_of(segment), self._tracks[lane_of(segment)].remove(segment))

    def _flag(self, segment: Segment, bit: int, on: bool) -> None:
        track = self._tracks[lane_of(segment)]
        at = track.index(segment)
        track.flags[at] = track.flags[at] | bit if on else track.flags[at] & ~bit

    def _mark_verdicts(self, tracks: Iterable[SegmentTrack]) -> None:
        """Show which verdicts are about what is selected."""
        chosen = self._selected
        for track in tracks:
            about = (isinstance(bar, VerdictBar) and bar.about in chosen for bar in track.items)
            track.flags[:] = np.fromiter(about, np.bool_, len(track)) * np.uint8(SELECTED)

    def _mark(self, segment_ids: Iterable[str], bit: int) -> None:
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
                self._flag(segment, bit, True)
