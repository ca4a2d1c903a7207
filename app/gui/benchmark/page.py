"""Makes the page of the mode Benchmark, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.core.benchmark.sets.wishes import INCLUDED
from app.gui.benchmark.figures import Figures
from app.gui.benchmark.items import Items
from app.gui.benchmark.making import Making
from app.gui.benchmark.people import People
from app.gui.benchmark.results import Results
from app.gui.benchmark.running import Running
from app.gui.benchmark.showing import Showing
from app.gui.benchmark.words import task_lines
from app.gui.context import Context
from widgets.benchmark.page import BenchmarkPage


def make(context: Context) -> QWidget:
    """Return the page."""
    page = BenchmarkPage(task_lines(), INCLUDED)
    shown = Showing(context, page)
    Making(context, page)
    Running(context, page, shown)
    People(context, page, shown)
    figures = Figures(context, page, shown)
    Results(context, page, shown, figures)
    Items(context, page, shown, figures)
    return page
