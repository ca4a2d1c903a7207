"""Writing a report on runs of the benchmark on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.types import Json

if TYPE_CHECKING:
    from app.core.benchmark.report.making import Painter


@click.command("report")
@STUDY
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder that is not there or empty.")
@click.option("--set", "sets", multiple=True, help="Name or id of a set of items. Repeatable; all by default.")
@click.option("--against", default="", help="Folder of an earlier report, or id of a run, to compare with.")
@click.option(
    "--texts", is_flag=True, help="PRIVATE: also options, words, answers and reasons as they are. Not to be passed on."
)
@click.option("--no-plots", is_flag=True, help="Tables and items only.")
@json_option
def report(
    study: Path, out: Path, sets: tuple[str, ...], against: str, texts: bool, no_plots: bool, as_json: bool
) -> None:
    """Write a report: the papers' tables with your rows, plots, and what became of each item.

    HTML that needs no network, Markdown, LaTeX, CSV, SVG and PNG. People are called by codes and recordings by numbers,
    and no text of the study is in it, so that it may be sent around; --texts puts all of that in.

    \b
    Example:
      greenroom benchmark report my-study.greenroom --out report
      greenroom benchmark report my-study.greenroom --out report-2 --set verdict --against report
    """
    from app.core.benchmark.people import open_for
    from app.core.benchmark.report.making import WARNING, NothingAsked, Wish, gather, report_of
    from app.core.benchmark.report.writing import PAGE, write_report
    from app.core.release.staging import require_free
    from project.queries.item_sets import all_sets

    require_free(out)
    paint = None if no_plots else _painter()
    with progress_bar("Report") as bar:
        with Session.open(study) as session:
            unanswered = frozenset().union(*(open_for(session, one) for one in all_sets(session.study)))
            try:
                gathered = gather(session, Wish(sets, against, texts), bar, unanswered)
            except NothingAsked as error:
                raise UserError(
                    error.message, "Ask judges about one first: greenroom benchmark run STUDY --judge NAME"
                ) from None
        pictures = paint(gathered.material) if paint is not None else {}
        made = report_of(gathered, pictures)
        files = write_report(made, out, bar)
    tables = sum(len(one.tables) for one in made.sections)
    plots = sum(len(one.pictures) for one in made.sections)
    items = sum(len(one.lines) for one in made.lists)
    lines = [
        f"Wrote {out / PAGE}: {counted(tables, 'table')}, {counted(plots, 'plot')}, {counted(items, 'answered item')}."
    ]
    result: dict[str, Json] = {
        "folder": str(out),
        "tables": tables,
        "plots": plots,
        "items": items,
        "private": texts,
        "files": [*files],
    }
    tell(as_json, result, "\n".join([*lines, *([f"PRIVATE: {WARNING}"] if texts else [])]))


def _painter() -> "Painter":
    """Return what draws plots without a screen.

    Raises:
        UserError: a system library is missing.
    """
    try:
        from app.gui.benchmark.report_pictures import painted_without_screen
    except ImportError as error:
        raise UserError(
            f"Plots cannot be drawn here: {error}.",
            "Install them with: sudo apt install libegl1 libgl1 libxkbcommon0; or leave plots out: --no-plots",
        ) from None
    return painted_without_screen
