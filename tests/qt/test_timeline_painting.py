"""What is painted on the timeline."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from project.entities.study_records import Verdict
from tests.builders.looks import LOOKS
from tests.builders.timelines import show_timeline, span
from widgets import theme
from widgets.timeline.lanes import Lane, LaneKind, lane_key
from widgets.timeline.timeline_layout import HEADER, RULER
from widgets.timeline.timeline_view import TimelineView


class Loud:
    def peaks(self, start_us: int, end_us: int, columns: int) -> NDArray[np.float32] | None:
        return np.tile(np.array([-0.9, 0.9], np.float32), (columns, 1))


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> TimelineView:
    theme.apply(qapp, "dark")
    lanes = [
        Lane("w", "Sound", LaneKind.WAVEFORM),
        Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
        Lane(lane_key("b"), "B", looks=LOOKS),
        Lane("f", "Faces", LaneKind.SPANS),
    ]
    return show_timeline(qtbot, lanes)


def grabbed(view: TimelineView) -> NDArray[np.uint8]:
    image = view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3).copy()


def area(view: TimelineView, start_s: float, end_s: float, lane: str = "a") -> NDArray[np.uint8]:
    """Pixels inside a segment: without its outline, and right of its sign and name."""
    band = next(b for b in view.bands if b.lane.key in (lane, lane_key(lane)))
    top = RULER + band.row_top(0) + 3
    left = HEADER + round(view.view.time_to_x(start_s * 1e6)) + 4
    right = HEADER + round(view.view.time_to_x(end_s * 1e6)) - 4
    return grabbed(view)[top : top + band.row_height - 6, left:right]


def redness(pixels: NDArray[np.uint8]) -> float:
    mean = pixels.reshape(-1, 3).mean(axis=0)
    return float(mean[0] - mean[1])


def test_verdicts_differ_in_colour_and_in_pattern(view: TimelineView) -> None:
    view.set_segments(
        [
            span("e", 10, 30, Verdict.ERROR),
            span("c", 40, 60, Verdict.COMPETENCE),
            span("n", 70, 90, Verdict.NONE),
        ]
    )
    error, competence, uncertain = area(view, 20, 30), area(view, 52, 60), area(view, 82, 90)
    assert redness(error) > 15
    assert redness(competence) < -15
    assert len(np.unique(competence.reshape(-1, 3), axis=0)) == 1
    assert len(np.unique(error.reshape(-1, 3), axis=0)) > 1
    assert len(np.unique(uncertain.reshape(-1, 3), axis=0)) > 1


def test_an_edit_leaves_the_same_picture_as_drawing_everything(view: TimelineView) -> None:
    rng = np.random.default_rng(2)
    segments = [
        span(f"s{i}", s, s + n, Verdict(v))
        for i, (s, n, v) in enumerate(
            zip(rng.uniform(0, 90, 80), rng.uniform(0.1, 8, 80), rng.choice(list(Verdict), 80), strict=True)
        )
    ]
    view.set_segments(segments)
    grabbed(view)
    view.update_segments([span("s5", 51.234, 52.9, Verdict.ERROR)], ["s9"])
    view.update_segments([span("s20", 3, 4.5, Verdict.COMPETENCE)])
    mended = grabbed(view)
    view.content_changed()
    whole = grabbed(view)
    assert not np.argwhere((mended != whole).any(axis=2)).tolist()


def test_selection_is_outlined_in_the_accent_colour(view: TimelineView) -> None:
    view.set_segments([span("c", 40, 60, Verdict.COMPETENCE)])
    accent = np.array(theme.palette().accent.getRgb()[:3])

    def accented() -> int:
        band = view.bands[1]
        part = grabbed(view)[RULER + band.top : RULER + band.bottom, HEADER + 380 : HEADER + 620]
        return int((np.abs(part.astype(int) - accent).max(axis=2) < 12).sum())

    assert accented() == 0
    view.set_selection(["c"])
    assert accented() > 300


def test_playhead_waveform_marks_and_spans_are_drawn(view: TimelineView) -> None:
    empty = grabbed(view)
    view.set_peaks(Loud())
    view.set_spans("f", [(20_000_000, 40_000_000)])
    view.set_playhead(50_000_000)
    view.set_marks(60_000_000, 70_000_000)
    pixels = grabbed(view)
    changed = (pixels != empty).any(axis=2)
    wave, faces = view.bands[0], view.bands[3]
    assert changed[RULER + wave.top + 10, HEADER + 5 : HEADER + 490].all()
    middle = RULER + faces.top + faces.height // 2
    assert changed[middle, HEADER + 205 : HEADER + 395].all()
    assert not changed[middle, HEADER + 405 : HEADER + 490].any()
    column = pixels[RULER : RULER + 150, HEADER + 500]
    assert (column == theme.palette().playhead.getRgb()[:3]).all()
    assert changed[RULER + wave.bottom + 5, HEADER + 605 : HEADER + 695].all()
