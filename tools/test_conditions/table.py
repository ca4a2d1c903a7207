"""Makes the table of the runs: the newest of each condition, and all of a busy machine."""

import json
from pathlib import Path

from tools.test_conditions.runs import TestRun

BEGIN, END = "<!-- conditions: begin -->", "<!-- conditions: end -->"
_BUSY_RUNS = 3


def read_runs(log: Path) -> list[TestRun]:
    """Return the runs of a log that count: the last of each condition, the last three beside busy loops."""
    kept: dict[str, list[TestRun]] = {}
    for line in log.read_text().splitlines():
        run = TestRun(**json.loads(line))
        count = _BUSY_RUNS if run.condition == "busy" else 1
        kept[run.condition] = [*kept.get(run.condition, []), run][-count:]
    return [run for runs in kept.values() for run in runs]


def make_table(runs: list[TestRun]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| run | condition | passed | failed | skipped | minutes | of a processor | load |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for run in runs:
        times = f"{run.wall_s / 60:.1f} | {run.processor_s / 60:.1f} | {run.load:.1f}"
        counts = f"{run.passed:,} | {run.failed:,} | {run.skipped:,}"
        lines.append(f"| `{run.condition}`, {run.date} | {run.description} | {counts} | {times} |")
    return "\n".join(lines)


def write_table(runs: list[TestRun], page: Path) -> None:
    """Put the table between its marks in a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{make_table(runs)}\n{END}{after}", "utf-8")
