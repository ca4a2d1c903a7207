"""What runs of the benchmark came to, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.errors import UserError
from project.types import Json


@click.command()
@STUDY
@click.option("--run", "runs", multiple=True, metavar="ID", help="A run; again; the newest of each judge if not given.")
@click.option("--set", "names", multiple=True, metavar="NAME", help="A set of items; again; all when not given.")
@click.option("--task", "tasks", multiple=True, metavar="KEY", help="A task; again for each further one.")
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="A judge or person; again for each further one.")
@click.option("--parts", is_flag=True, help="Also by attribute, channel, collection, and who was taken for whom.")
@click.option(
    "--margin",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Conditions within it count as the same.",
)
@click.option("--samples", default=200, show_default=True, type=click.IntRange(0, 10_000), help="Of the bootstrap.")
@json_option
def results(
    study: Path,
    runs: tuple[str, ...],
    names: tuple[str, ...],
    tasks: tuple[str, ...],
    judges: tuple[str, ...],
    parts: bool,
    margin: float,
    samples: int,
    as_json: bool,
) -> None:
    """Show what judges and people reached, beside chance and what papers report.

    Nothing is written. Answers that were refused or could not be read count as wrong, and are counted apart.

    \b
    Example:
      greenroom benchmark results my-study.greenroom
      greenroom benchmark results my-study.greenroom --task verdict --parts --json
    """
    from app.cli.benchmark_parts import part_lines
    from app.cli.benchmark_run import changed_sets
    from app.cli.benchmark_table import published_lines, run_lines, spent_lines
    from app.core.benchmark.results.comparing import conditions_of
    from app.core.benchmark.results.figures import figures_of
    from benchmark.published import rows_for

    with Session.open(study, read_only=True) as session:
        found = figures_of(session, runs, names, samples=samples, parts=parts)
        found = [
            one
            for one in found
            if (not tasks or one.item_set.task in tasks)
            and (not judges or {one.judge, one.run.judge.get("name")} & {*judges})
        ]
        if not found:
            raise UserError("No run fits.", "Run one: greenroom benchmark run STUDY --task verdict --judge NAME")
        sets = {one.item_set.id: one.item_set for one in found}.values()
        changed, standing = changed_sets(session, sets)
    rows = conditions_of(found, margin)
    published = [row for task in dict.fromkeys(one.item_set.task for one in found) for row in rows_for(task)]
    lines = [*standing, *run_lines(found)]
    for one in found if parts else ():
        lines += part_lines(one)
    lines += [one.words for one in rows]
    lines += spent_lines(found)
    shares = {row.metric: row.share for one in found for row in one.rows}
    lines += published_lines(published, shares)
    told: dict[str, Json] = {
        "results": [line for one in found for line in one.results()],
        "runs": [one.as_json() for one in found],
        "changed": changed,
        "conditions": [one.as_json() for one in rows],
        "published": [
            {
                "published": True,
                "task": row.task,
                "judge": row.name,
                "shown": row.modality,
                "setting": row.setting,
                "metric": row.metric,
                "mean": row.mean,
                "sd": row.sd,
                "source": row.source,
            }
            for row in published
        ],
    }
    tell(as_json, told, "\n".join(lines))
