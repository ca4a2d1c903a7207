"""Writes a report to a folder, whole or not at all."""

import re
from collections.abc import Iterator
from pathlib import Path

from app.core.benchmark.report.document import Report
from app.core.benchmark.report.earlier import RESULTS
from app.core.benchmark.report.formats.html import html_of
from app.core.benchmark.report.formats.html_items import items_page
from app.core.benchmark.report.formats.latex import latex_document, latex_table
from app.core.benchmark.report.formats.markdown import markdown_of
from app.core.benchmark.report.formats.tables_csv import csv_of, items_csv
from app.core.release.staging import require_free, staged
from project.json_text import to_json
from project.progress import Progress, Stages

PAGE = "report.html"
_ALWAYS = 4
"""Files of every report."""
_KEY = re.compile(r"[A-Za-z0-9_-]{1,80}")


def write_report(report: Report, folder: Path, progress: Progress) -> list[str]:
    """Write a report and return the paths in its folder; it needs no study.

    Args:
        report: that is written.
        folder: that is not there, or empty.
        progress: of it.

    Raises:
        UserError: the folder is not free or cannot be written to.
        Cancelled: the user stopped it. Then nothing is written.
    """
    require_free(folder)
    made = []
    with staged(folder) as temporary:
        after = Stages(progress, _count(report), "Writing the report").after
        for path, data in map(after, _files(report)):
            place = temporary / path
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data)
            made.append(path)
    return made


def _count(report: Report) -> int:
    """Return how many files there will be."""
    of_sections = sum(2 * len(one.tables) + 3 * len(one.pictures) for one in report.sections)
    return _ALWAYS + of_sections + 2 * len(report.lists)


def _files(report: Report) -> Iterator[tuple[str, bytes]]:
    yield PAGE, html_of(report).encode("utf-8", "replace")
    yield "report.md", markdown_of(report).encode("utf-8", "replace")
    yield "tables.tex", latex_document(report).encode("utf-8", "replace")
    yield RESULTS, f"{to_json(dict(report.results))}\n".encode()
    for section in report.sections:
        for table in section.tables:
            yield f"tables/{_name(table.key)}.csv", csv_of(table)
            yield f"tables/{_name(table.key)}.tex", latex_table(table).encode("utf-8", "replace")
        for picture in section.pictures:
            yield f"plots/{_name(picture.key)}.svg", picture.svg
            yield f"plots/{_name(picture.key)}.png", picture.png
            yield f"plots/{_name(picture.key)}.csv", picture.csv.encode("utf-8-sig", "replace")
    for one in report.lists:
        yield f"items/{_name(one.key)}.html", items_page(one, report.warning).encode("utf-8", "replace")
        yield f"items/{_name(one.key)}.csv", items_csv(one)


def _name(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} cannot be the name of a file")
    return key
