"""The command about the benchmark: sets of items, runs of judges and people over them, what came of these."""

import click

from app.cli.lazy import LazyGroup

_PLACES: dict[str, str] = {
    "tasks": "benchmark_sets:tasks",
    "make": "benchmark_make:make",
    "infer": "benchmark_infer:infer",
    "sets": "benchmark_sets:sets",
    "run": "benchmark_run:run",
    "results": "benchmark_results:results",
    "compare": "benchmark_compare:compare",
    "report": "benchmark_report:report",
}
"""Subcommand -> the file of `app.cli` that it is in, and its function."""


@click.group(cls=LazyGroup, places=_PLACES)
def benchmark() -> None:
    """Ask judges the tasks of the papers, and measure them."""
