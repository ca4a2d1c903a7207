"""Radar plots: what is drawn is what is in the data, and gaps stay gaps."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from widgets.plots.charts import DEFAULT_WIDTH, as_png, as_svg, draw_plot, plot_height
from widgets.plots.plot_canvas import export_palette
from widgets.plots.plot_data import Matrix, PlotNumberFormat, PlottedValue, Radar, Series

AXES = ("Verdict", "Error", "Attributes", "Before")


def values(*numbers: float | None) -> tuple[PlottedValue, ...]:
    return tuple(PlottedValue(number, 60) for number in numbers)


RADAR = Radar(
    "radar",
    "The tasks",
    "Accuracy",
    AXES,
    tuple(Series(name, values(0.25, 0.5, 0.75, 1.0)) for name in ("one", "two", "three")),
    (Series("Human", values(0.57, 0.77, None, 0.77)), Series("Chance", values(0.33, 0.5, 0.1, 0.2))),
)


def spots(plot: Radar) -> dict[str, tuple[float, float]]:
    image = QImage(DEFAULT_WIDTH, plot_height(plot, DEFAULT_WIDTH), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    found = draw_plot(painter, plot, DEFAULT_WIDTH, export_palette())
    painter.end()
    return {
        plot_hotspot.text: (plot_hotspot.area.center().x(), plot_hotspot.area.center().y()) for plot_hotspot in found
    }


def test_every_panel_has_its_axes_and_all_outlines(qapp: QApplication) -> None:
    root = ElementTree.fromstring(as_svg(RADAR))
    texts = ["".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"The tasks", "one", "two", "three", "Human", "Chance"} <= set(texts)
    assert all(texts.count(axis) == 3 for axis in AXES)
    assert QImage.fromData(as_png(RADAR)).height() == 2 * plot_height(RADAR, DEFAULT_WIDTH)


def test_a_value_lies_on_its_axis_as_far_out_as_it_is_high(qapp: QApplication) -> None:
    found = spots(RADAR)
    shares = zip(AXES, (0.25, 0.5, 0.75, 1.0), strict=True)
    up, right, down, left = (found[f"one, {axis}: {share:.3f}, n = 60"] for axis, share in shares)
    assert up[0] == pytest.approx(down[0])
    assert right[1] == pytest.approx(left[1])
    assert (right[1] - up[1]) * 3 == pytest.approx(down[1] - right[1])
    assert (right[0] - up[0]) * 2 == pytest.approx(up[0] - left[0])


def test_the_table_has_a_row_for_each_shape(qapp: QApplication) -> None:
    table = RADAR.table()
    assert table.head == ("", *AXES)
    assert [row[0] for row in table.rows] == ["one", "two", "three", "Human", "Chance"]
    assert table.rows[3] == ("Human", 0.57, 0.77, None, 0.77)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=20), st.lists(st.floats(-2, 2) | st.none(), min_size=3, max_size=9), st.integers(200, 900))
def test_any_name_and_number_gives_a_file(
    qapp: QApplication, name: str, numbers: list[float | None], width: int
) -> None:
    shape = Series(name, values(*numbers))
    data = as_svg(Radar("x", name, name, (name,) * len(numbers), (shape,), (shape,)), width)
    ElementTree.fromstring(data)
    assert b"nan" not in data


def test_a_heat_map_of_figures_writes_them_as_figures(qapp: QApplication) -> None:
    plot = Matrix("m", "F1", "", ("judge",), ("norms", "emotions"), ((0.571, None),), number=PlotNumberFormat.FIGURE)
    texts = {"".join(element.itertext()).strip() for element in ElementTree.fromstring(as_svg(plot)).iter()}
    assert "0.571" in texts
    assert plot.table().rows == (("judge", 0.571, None),)
