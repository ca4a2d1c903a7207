"""Plots as files and on the screen: what is drawn is what is in the data."""

import xml.etree.ElementTree as ElementTree

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableWidget
from pytestqt.qtbot import QtBot

from project.schemes.scheme_file import load_scheme
from widgets import theme
from widgets.labels import label_looks
from widgets.plots.charts import DEFAULT_WIDTH, as_png, as_svg, plot_height
from widgets.plots.plot_data import (
    BarPlot,
    Histogram,
    HistogramPanel,
    Lines,
    Matrix,
    Plot,
    PlotNumberFormat,
    PlottedValue,
    Radar,
    Series,
    plot_text,
)
from widgets.plots.plot_view import COPY_PICTURE, PlotView

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
    root = ElementTree.fromstring(as_svg(plot, width))
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


def test_what_is_saved_is_on_white_in_every_theme(qapp: QApplication) -> None:
    found = {}
    for mode in ("light", "dark"):
        theme.apply(qapp, mode)
        found[mode] = [(as_svg(plot), as_png(plot)) for plot in PLOTS]
    assert found["light"] == found["dark"]
    for plot, (_, png) in zip(PLOTS, found["dark"], strict=True):
        image = QImage.fromData(png)
        assert (image.width(), image.height()) == (2 * DEFAULT_WIDTH, 2 * plot_height(plot, DEFAULT_WIDTH))
        assert image.pixelColor(0, 0) == QColor("white")


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
