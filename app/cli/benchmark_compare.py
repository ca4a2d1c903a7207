"""Two runs of the benchmark beside each other, on the command line."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.errors import UserError
from project.names import shown

if TYPE_CHECKING:
    from app.core.benchmark.results.figures import RunFigures


@click.command()
@STUDY
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@click.option("--set", "names", multiple=True, metavar="NAME", help="A set that both were asked; again; all otherwise.")
@click.option("--samples", default=200, show_default=True, type=click.IntRange(0, 10_000), help="Of the bootstrap.")
@json_option
def compare(study: Path, first: str, second: str, names: tuple[str, ...], samples: int, as_json: bool) -> None:
    """Say whether two judges differ, or a run and an earlier one.

    FIRST and SECOND are names of judges or people, or ids of runs. Judges are compared on every set that both were
    asked in the same way. McNemar's test counts items that only one got right; the differences of other figures have
    intervals over recordings. Nothing is written.

    \b
    Example:
      greenroom benchmark compare my-study.greenroom gpt human
      greenroom benchmark compare my-study.greenroom gpt 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --json
    """
    from app.cli.benchmark_table import comparison_lines
    from app.core.benchmark.results.comparing import compare as compared
    from app.core.benchmark.results.figures import figures_of
    from project.queries.item_sets import benchmark_runs

    with Session.open(study, read_only=True) as session:
        known = {one.id for one in benchmark_runs(session.study)}
        ids = [one for one in dict.fromkeys((first, second)) if one in known]
        every = [
            *figures_of(session, (), names, samples=0, parts=False),
            *(figures_of(session, ids, samples=0, parts=False) if ids else []),
        ]

        def called(name: str) -> list["RunFigures"]:
            found = [one for one in every if name in (one.run.id, one.judge, one.run.judge.get("name"))]
            if not found:
                raise UserError(
                    f"“{shown(name)}” was not asked in any run.", "See who was: greenroom benchmark results STUDY"
                )
            return [*{one.run.id: one for one in found}.values()]

        pairs = _pairs(called(first), called(second))
        if not pairs:
            raise UserError(
                "The two were asked nothing in common.", "Run both on one set: greenroom benchmark run STUDY --set NAME"
            )
        found = [compared(session, one, other, samples) for one, other in pairs]
    tell(
        as_json,
        {"comparisons": [one.as_json() for one in found]},
        "\n".join(line for one in found for line in comparison_lines(one)),
    )


def _pairs(first: list["RunFigures"], second: list["RunFigures"]) -> list[tuple["RunFigures", "RunFigures"]]:
    """Return what can be compared: runs over one set, asked in one way; else over one set; else of one task."""
    every = [(one, other) for one in first for other in second if one.run.id != other.run.id]
    for same in (_asked, _set, _task):
        if found := [(one, other) for one, other in every if same(one) == same(other)]:
            return found
    return []


def _asked(one: "RunFigures") -> tuple[str, ...]:
    run = one.run
    return run.set_id, run.shown.value, run.variant, run.condition, str(run.seed)


def _set(one: "RunFigures") -> str:
    return one.run.set_id


def _task(one: "RunFigures") -> str:
    return one.item_set.task
