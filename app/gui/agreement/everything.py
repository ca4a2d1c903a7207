"""All figures, tables and plots as files, for a paper and its supplement."""

from collections.abc import Iterable

from app.core.agreement.tables import tables_of
from app.core.csv_cells import as_csv
from app.core.statistics import Statistics
from app.gui.agreement.taking import table_text
from benchmark.agreement.report import Report
from project.json_text import to_json
from project.types import Json
from widgets.plots.pictures import as_png, as_svg
from widgets.plots.scene import Plot


def all_files(report: Report, statistics: Statistics, plots: Iterable[Plot]) -> dict[str, bytes]:
    """Return path inside the folder -> content.

    `agreement.json` is what `greenroom agreement --json` prints; each plot comes as SVG, PNG and CSV.
    """
    files = {"agreement.json": _json(report.to_json()), "statistics.json": _json(statistics.to_json())}
    for name, (head, rows) in tables_of(report).items():
        files[f"tables/{name}.csv"] = _csv(as_csv(head, rows))
    for plot in plots:
        files[f"plots/{plot.key}.svg"] = as_svg(plot)
        files[f"plots/{plot.key}.png"] = as_png(plot)
        files[f"plots/{plot.key}.csv"] = _csv(table_text(plot))
    return files


def _json(value: dict[str, Json]) -> bytes:
    return f"{to_json(value)}\n".encode()


def _csv(text: str) -> bytes:
    return text.encode("utf-8-sig", "replace")
