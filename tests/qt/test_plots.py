"""Plots as files and on the screen: what is drawn is what is in the data."""

import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableWidget, QToolTip
from pytestqt.qtbot import QtBot

from project.schemes.scheme_file import load_scheme
from widgets import theme
from widgets.labels import contrast, label_looks
from widgets.plots.charts import (
    DEFAULT_WIDTH,
    cell_colour,
    cell_ink,
    encode_plot,
    render_plot,
    spread_apart,
)
from widgets.plots.plot_data import (
    BarPlot,
    Histogram,
    HistogramPanel,
    Lines,
    Matrix,
    Plot,
    PlotFormat,
    PlotNumberFormat,
    PlottedValue,
    Radar,
    Series,
    plot_text,
)
from widgets.plots.plot_figure import export_palette, round_ticks
from widgets.plots.plot_layout import plot_height
from widgets.plots.plot_view import COPY_PICTURE, PlotView, PlotWall

LOOKS = label_looks(load_scheme("shrec").tracks[0])


def values(*numbers: float | None) -> tuple[PlottedValue, ...]:
    return tuple(
        PlottedValue(number, 7, number - 0.05, number + 0.05) if number is not None else PlottedValue(None, 0)
        for number in numbers
    )


def counts(*numbers: int) -> tuple[PlottedValue, ...]:
    return tuple(PlottedValue(float(number)) for number in numbers)


FIGURES = BarPlot("f", "Figures", "n = 7", ("A", "B", "C"), (Series("own", values(0.871, None, -0.25)),), "kappa",
               PlotNumberFormat.FIGURE, reference="paper", references=(0.913, 0.5, None))  # fmt: skip
STACK = BarPlot("s", "Stack", "", ("One", "Two"),
             tuple(Series(look.name, counts(31, 47), look) for look in LOOKS), "segments", stacked=True)  # fmt: skip
MATRIX = Matrix("m", "Matrix", "", ("Up", "Down"), ("Left", "Right"), ((1234, 5), (6, None)), "rows", "columns", True)
EACH = tuple(HistogramPanel(look.name, (3, 11), look, 1.5, "median 1.5") for look in LOOKS)
PILES = Histogram("h", "Piles", "", (0, 2, 4), EACH, "seconds", open_end=True)
LINES = Lines("l", "Lines", "", (0.3, 0.5, 0.7), (Series("a", values(0.9, 0.8, None), LOOKS[0]),
              Series("b", values(0.7, 0.6, 0.5), LOOKS[1])), "IoU", "F1")  # fmt: skip
AXES = ("Verdict", "Error", "Attributes", "Before")


def shares(*numbers: float | None) -> tuple[PlottedValue, ...]:
    return tuple(PlottedValue(number, 60) for number in numbers)


RADAR = Radar(
    *("radar", "The tasks", "Accuracy", AXES),
    tuple(Series(name, shares(0.25, 0.5, 0.75, 1.0)) for name in ("one", "two", "three")),
    (Series("Human", shares(0.57, 0.77, None, 0.77)), Series("Chance", shares(0.33, 0.5, 0.1, 0.2))),
)
PLOTS: tuple[Plot, ...] = (FIGURES, STACK, MATRIX, PILES, LINES, RADAR)


def written(plot: Plot, width: int = DEFAULT_WIDTH) -> list[str]:
    """The texts of the SVG; reading it fails where it is no XML."""
    root = ElementTree.fromstring(encode_plot(plot, PlotFormat.SVG, width))
    return ["".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_an_svg_holds_its_numbers_as_text() -> None:
    assert {"Figures", "A", "B", "C", "0.871", "-0.250", "kappa", "paper"} <= set(written(FIGURES))
    assert {"31", "47", "93", "141", "Error", "Competence"} <= set(written(STACK))
    assert {"1,234", "5", "6", "Up", "Left"} <= set(written(MATRIX))
    assert {"Error, n = 14", "median 1.5", "seconds"} <= set(written(PILES))
    assert {"a", "b", "F1", "IoU"} <= set(written(LINES))
    texts = written(RADAR)
    assert {"The tasks", "one", "two", "three", "Human", "Chance"} <= set(texts)
    assert all(texts.count(axis) == 3 for axis in AXES), "every panel has its axes"
    heat = Matrix("m", "F1", "", ("judge",), ("norms", "emotions"), ((0.571, None),), number=PlotNumberFormat.FIGURE)
    assert "0.571" in written(heat)
    assert heat.table().rows == (("judge", 0.571, None),)


def spots(plot: Radar) -> dict[str, tuple[float, float]]:
    _, found = render_plot(plot, DEFAULT_WIDTH, 1.0, export_palette())
    return {spot.text: (spot.area.center().x(), spot.area.center().y()) for spot in found}


def test_a_value_of_a_radar_lies_on_its_axis_as_far_out_as_it_is_high(qapp: QApplication) -> None:
    found = spots(RADAR)
    heights = zip(AXES, (0.25, 0.5, 0.75, 1.0), strict=True)
    up, right, down, left = (found[f"one, {axis}: {share:.3f}, n = 60"] for axis, share in heights)
    assert up[0] == pytest.approx(down[0])
    assert right[1] == pytest.approx(left[1])
    assert (right[1] - up[1]) * 3 == pytest.approx(down[1] - right[1])
    assert (right[0] - up[0]) * 2 == pytest.approx(up[0] - left[0])
    table = RADAR.table()
    assert table.head == ("", *AXES)
    assert [row[0] for row in table.rows] == ["one", "two", "three", "Human", "Chance"]
    assert table.rows[3] == ("Human", 0.57, 0.77, None, 0.77), "gaps stay gaps"


def test_numbers_of_a_matrix_are_never_cut() -> None:
    names = tuple(f"A choice with a long name {index}" for index in range(7))
    many = Matrix("m", "Many", "", names, names, ((10_353,) * 7,) * 7, diagonal=True)
    texts = written(many, 480)
    assert texts.count("10,353") == 49
    assert texts.count("7") == 2, "over its column and beside its row"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_numbers_of_a_matrix_are_read_on_every_shade(mode: Literal["light", "dark"]) -> None:
    for hundredth in range(101):
        ground = cell_colour(hundredth / 100, theme.load(mode))
        assert contrast(cell_ink(ground, theme.load(mode)), ground) >= 4.5


def test_a_file_is_on_white_in_every_theme_and_tells_no_time_and_no_program(qapp: QApplication) -> None:
    found = {}
    for mode in ("light", "dark"):
        theme.apply(qapp, mode)
        found[mode] = [[encode_plot(plot, kind) for kind in PlotFormat] for plot in PLOTS]
    assert found["light"] == found["dark"]
    for plot, (svg, png, pdf) in zip(PLOTS, found["dark"], strict=True):
        assert f"<title>{plot.title}</title>".encode() in svg
        assert f"<< /Title ({plot.title}) >>".encode() in pdf
        for data in (svg, png, pdf):
            assert not re.search(rb"CreationDate|ModDate|dc:date|(?i:creator)|Producer|Software", data)
        image = QImage.fromData(png)
        assert (image.width(), image.height()) == (2 * DEFAULT_WIDTH, 2 * plot_height(plot, DEFAULT_WIDTH))
        assert image.pixelColor(0, 0) == QColor("white")


@settings(max_examples=max(1, settings.default.max_examples // 2))
@given(
    st.text(max_size=30), st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=3, max_size=5)
)
def test_any_name_and_number_gives_a_file_that_can_be_read(name: str, numbers: list[float | None]) -> None:
    measured = tuple(PlottedValue(number if number is None else number / 1e200, 1) for number in numbers)
    groups = (name,) * len(numbers)
    for plot in (
        BarPlot("x", name, name, groups, (Series(name, measured),), name, PlotNumberFormat.FIGURE),
        Lines("x", name, name, tuple(map(float, range(len(numbers)))), (Series(name, measured),), name, name),
        Matrix("x", name, name, groups, groups, tuple((len(numbers),) * len(numbers) for _ in numbers), name, name),
        Radar("x", name, name, groups, (Series(name, measured),), (Series(name, measured),)),
    ):
        data = encode_plot(plot, PlotFormat.SVG)
        ElementTree.fromstring(data)
        assert not re.search(rb'"-?(nan|inf)"', data)


def test_a_plot_says_its_numbers_and_shows_them_as_a_table(qtbot: QtBot) -> None:
    view = PlotView(MATRIX)
    qtbot.addWidget(view)
    view.resize(500, view.height_for_width(500))
    view.show()
    assert view.accessibleName() == "Matrix"
    assert "Up: Left 1,234, Right 5" in view.accessibleDescription()
    assert view.accessibleDescription() == plot_text(MATRIX)
    qtbot.mouseClick(view.as_table, Qt.MouseButton.LeftButton)
    table = view.findChild(QTableWidget)
    assert [table.item(0, column).text() for column in range(3)] == ["Up", "1,234", "5"]
    with qtbot.waitSignal(view.action_requested) as asked:
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert asked.args == [MATRIX, COPY_PICTURE]


def test_the_mouse_learns_what_lies_under_it(qtbot: QtBot) -> None:
    view = PlotView(MATRIX)
    qtbot.addWidget(view)
    view.resize(500, view.height_for_width(500))
    view.show()
    qtbot.waitUntil(lambda: bool(view._hotspots))
    (spot,) = [plot_hotspot for plot_hotspot in view._hotspots if plot_hotspot.text == "Up, Left: 1,234"]
    where = spot.area.center().toPoint()
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, where, view.mapToGlobal(QPoint(0, 0) + where)))
    assert QToolTip.text() == "Up, Left: 1,234"


def test_plots_fill_the_columns_there_is_room_for(qtbot: QtBot) -> None:
    wall = PlotWall("All")
    qtbot.addWidget(wall)
    wall.show()
    for width, columns in ((460, 1), (1000, 2), (1500, 3)):
        wall.resize(width, 700)
        wall.set_plots(PLOTS)
        assert len({view.x() for view in wall.views}) == columns
        areas = [view.geometry() for view in wall.views]
        assert not any(a.intersects(b) for place, a in enumerate(areas) for b in areas[place + 1 :])
        assert max(area.right() for area in areas) < wall.viewport().width()


numbers = st.floats(-1e12, 1e12) | st.sampled_from([math.nan, math.inf, -math.inf]) | st.none()


@given(st.lists(numbers, max_size=8), st.integers(1, 12), st.booleans())
def test_ticks_cover_the_data_and_zero(values: list[float | None], most: int, whole: bool) -> None:
    ticks = round_ticks(values, most, whole=whole)
    known = [0.0, *(value for value in values if value is not None and math.isfinite(value))]
    slack = 1e-6 * (ticks[-1] - ticks[0])
    assert all(ticks[0] - slack <= value <= ticks[-1] + slack for value in known)
    assert not whole or all(tick == round(tick) for tick in ticks)


@given(st.lists(st.floats(0, 100), max_size=5))
def test_names_at_the_ends_of_lines_keep_apart(places: list[float]) -> None:
    found = spread_apart(places, 17, 100)
    order = sorted(range(len(places)), key=lambda number: places[number])
    gaps = [found[b] - found[a] for a, b in pairwise(order)]
    assert all(gap >= 17 - 1e-9 for gap in gaps)
    assert max(found, default=0) <= 100
