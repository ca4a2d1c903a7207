"""How quickly the timeline paints and takes an edit, with 100,000 segments in one recording, and 50,000 points beside.

Run with `python -m tools.bench.timeline_paint`; `make bench` collects `run()`.
"""

import os
import statistics
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from project.entities.study_records import Segment, Verdict
from project.schemes.scheme_file import load_scheme
from project.timebase import FrameTimes
from tools.bench.measuring import dark_application, frame_row, step_ms
from tools.bench.row import Row
from widgets.labels import label_looks
from widgets.timeline.lanes import Lane, LaneKind, lane_key
from widgets.timeline.timeline_view import TimelineView

SEGMENTS = 100_000
POINTS = 50_000
HOUR_US = 3_600_000_000
RUNS = 5
SIZE = (1600, 300)


class _Noise:
    def __init__(self) -> None:
        self._peaks = np.random.default_rng(3).uniform(0, 1, (HOUR_US // 10_000, 2)).astype(np.float32) * (-1, 1)

    def peaks(self, start_us: int, end_us: int, columns: int) -> NDArray[np.float32] | None:
        at = np.linspace(start_us, end_us, columns, endpoint=False) // 10_000
        return self._peaks[np.clip(at.astype(np.intp), 0, len(self._peaks) - 1)]


def study(count: int, longest_us: int, annotators: str = "ab") -> list[Segment]:
    """Invent segments over one hour."""
    rng = np.random.default_rng(7)
    starts = rng.integers(0, HOUR_US - longest_us, count)
    lengths = rng.integers(longest_us // 10, longest_us, count)
    verdicts = rng.choice(list(Verdict), count)
    return [
        Segment(
            f"{i:06}",
            "r",
            annotators[i % len(annotators)],
            Verdict(verdicts[i]),
            int(starts[i]),
            int(starts[i] + lengths[i]),
        )
        for i in range(count)
    ]


def points(count: int) -> list[Segment]:
    """Invent points over one hour."""
    rng = np.random.default_rng(9)
    times, verdicts = rng.integers(0, HOUR_US, count), rng.choice(list(Verdict), count)
    return [
        Segment(f"p{i:06}", "r", "a", Verdict(verdicts[i]), int(times[i]), int(times[i]), track="points")
        for i in range(count)
    ]


def timeline(segments: list[Segment]) -> TimelineView:
    """Return a laid out timeline that shows them."""
    view = TimelineView()
    looks = label_looks(load_scheme().tracks[0])
    view.set_lanes(
        [
            Lane("sound", "Sound", LaneKind.WAVEFORM),
            Lane(lane_key("a"), "Annotator A", editable=True, looks=looks),
            Lane(lane_key("b"), "Annotator B", looks=looks),
            *[Lane(lane_key("a", track="points"), "Annotator A", editable=True, looks=looks, points=True)]
            * any(segment.is_point for segment in segments),
            Lane("faces", "Faces", LaneKind.SPANS),
        ]
    )
    view.set_recording(HOUR_US, FrameTimes(np.arange(0, HOUR_US, 33_333, dtype=np.int64), HOUR_US))
    view.set_peaks(_Noise())
    view.set_spans("faces", [(t, t + 6_000_000) for t in range(0, HOUR_US, 8_000_000)])
    view.set_segments(segments)
    view.resize(*SIZE)
    view.show()
    QApplication.processEvents()
    return view


def journey(view: TimelineView, target: QImage) -> list[float]:
    """Pan and zoom through the recording and return the milliseconds that each whole repaint took."""
    view.zoom_to_fit()
    moves: list[Callable[[], None]] = []
    for _ in range(26):
        moves += [lambda: view.zoom(1.4, 900), lambda: view.pan(61), lambda: view.pan(-23)]
    moves += [lambda: view.zoom(1 / 1.4, 700)] * 26
    return step_ms(moves, lambda: view.viewport().render(target))


def shown_edits(view: TimelineView, segment: Segment, count: int = 100) -> list[float]:
    """Move one segment by a frame, repaint what that touches, and return the milliseconds of each."""
    view.show_span(segment.start_us - 10_000_000, segment.end_us + 10_000_000)
    view.set_selection([segment.id])
    QApplication.processEvents()
    moved = [
        replace(segment, start_us=segment.start_us + shift, end_us=segment.end_us + shift)
        for shift in (-33_333 if i % 2 == 0 else 0 for i in range(count))
    ]
    return step_ms(
        [lambda edited=edited: view.update_segments([edited]) for edited in moved], QApplication.processEvents
    )


def run() -> list[Row]:
    """Measure painting and editing; the median of several journeys is taken step by step."""
    dark_application()
    target = QImage(SIZE[0], SIZE[1], QImage.Format.Format_RGB32)
    rows: list[Row] = []
    for name, longest in (("side by side", 60_000), ("overlapping deeply", 4_000_000)):
        view = timeline(study(SEGMENTS, longest))
        runs = [journey(view, target) for _ in range(RUNS)]
        rows.append(frame_row(f"timeline paint, 100,000 segments {name}, pan and zoom", np.median(runs, axis=0)))
        view.close()
        view.deleteLater()
    view = timeline([*study(SEGMENTS, 60_000), *points(POINTS)])
    runs = [journey(view, target) for _ in range(RUNS)]
    rows.append(frame_row("timeline paint, 100,000 segments and 50,000 points, pan and zoom", np.median(runs, axis=0)))
    view.close()
    view.deleteLater()
    segment = Segment("one", "r", "a", Verdict.ERROR, 1_800_000_000, 1_803_000_000)
    for name, longest in (("side by side", 60_000), ("overlapping deeply", 4_000_000)):
        view_of = {n: timeline([*study(n, longest), segment]) for n in (0, SEGMENTS)}
        empty, full = (statistics.median(shown_edits(view_of[n], segment)) for n in (0, SEGMENTS))
        work = f"one edit shown by the timeline alone, 100,000 segments {name}"
        against = f"an empty timeline, {empty:.2f} ms"
        rows.append(Row.judged(work, f"{full:.2f} ms", full, "under 10 ms", against, f"{full / empty:.2f}"))
        for view in view_of.values():
            view.close()
            view.deleteLater()
    return rows
