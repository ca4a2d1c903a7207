"""Makes the table of the runs: the newest of each condition."""

import json
from pathlib import Path

from tools.test_conditions.runs import TestRun

BEGIN, END = "<!-- conditions: begin -->", "<!-- conditions: end -->"


def read_runs(log: Path) -> list[TestRun]:
    """Return the last run of each condition in a log, in the order of their dates."""
    latest: dict[str, TestRun] = {}
    for line in log.read_text().splitlines():
        run = TestRun(**json.loads(line))
        latest[run.condition] = run
    return sorted(latest.values(), key=lambda run: run.date)


def make_table(runs: list[TestRun]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| run | condition | passed | failed | skipped | minutes | of a processor | load |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for run in runs:
        times = f"{run.wall_s / 60:.1f} | {run.processor_s / 60:.1f} | {run.load:.1f}"
        counts = f"{run.passed:,} | {run.failed:,} | {run.skipped:,}"
        lines.append(f"| {run.condition}, {run.date}, `{run.commit}` | {run.description} | {counts} | {times} |")
    return "\n".join(lines)


def write_table(runs: list[TestRun], page: Path) -> None:
    """Put the table between its marks in a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{make_table(runs)}\n{END}{after}", "utf-8")
