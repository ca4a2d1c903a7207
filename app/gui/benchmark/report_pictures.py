"""Plots of a report as files, also where there is no screen."""

import os
from collections.abc import Mapping, Sequence

from app.core.benchmark.report.document import Picture
from app.core.benchmark.report.material import Material
from app.core.csv_cells import as_csv
from app.gui.application import make_application
from app.gui.benchmark.report_plots import report_plots
from widgets import theme
from widgets.plots.pictures import as_png, as_svg
from widgets.plots.scene import Plot, in_words


def painted(material: Material) -> dict[str, list[Picture]]:
    """Return the plots of each section; an application object has to be there."""
    return {key: [_picture(plot) for plot in plots] for key, plots in report_plots(material).items()}


def painted_without_screen(material: Material) -> Mapping[str, Sequence[Picture]]:
    """Return the plots of each section, from a process that opens no window."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    theme.apply(make_application(), "light")
    return painted(material)


def _picture(plot: Plot) -> Picture:
    table = plot.table()
    return Picture(plot.key, plot.title, in_words(plot), as_svg(plot), as_png(plot), as_csv(table.head, table.rows))
