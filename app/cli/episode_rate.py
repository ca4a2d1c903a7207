"""Judges rate episodes, and how well they and people agree, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.session import Session


@click.command()
@STUDY
@click.argument("recordings", nargs=-1)
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Whom; again for each further; all when not given."
)
@click.option("--budget-money", type=click.FloatRange(0), help="What the run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that the run may take.")
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@json_option
def rate(
    study: Path,
    recordings: tuple[str, ...],
    judges: tuple[str, ...],
    budget_money: float | None,
    budget_tokens: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Ask judges to rate everybody in the episodes that are named, or in all that are over, on seven dimensions.

    Set a judge's temperature to 0 for that, as SOTOPIA does. People rate in the window, or with greenroom segment add
    under the scheme sotopia-eval.

    \b
    Example:
      greenroom episode rate my-study.greenroom --judge gpt
    """
    from app.cli.asking import finish
    from app.core.episodes.rating import rate as rated
    from app.core.judging.judges.entries import judges_called
    from app.core.judging.runs.budget import Limits

    with Session.open(study) as session:
        session.study.require_writable()
        ids = [recording_called(session, one).id for one in recordings]
        asking = rated(session, judges_called(session, judges), ids, Limits(budget_money, budget_tokens), fresh=fresh)
        came = finish(session, asking)
    came.require_something()
    tell(as_json, came.as_json(), "\n".join(came.lines()))


@click.command()
@STUDY
@json_option
def figures(study: Path, as_json: bool) -> None:
    """Say how well people agree on the episodes, and judges with them, by dimension.

    Kappa is Randolph's on five bins; agreement is the share of pairs at most two points apart; r is Pearson's.

    \b
    Example:
      greenroom episode figures my-study.greenroom
    """
    from app.core.episodes.figures import figures as measured

    with Session.open(study, read_only=True) as session:
        found = measured(session)
    lines = [f"{'people':24}{'rated':>7}{'kappa':>8}{'agree':>8}{'r':>8}"]
    for one in found.among:
        figures_told = f"{_told(one.kappa)}{_told(one.agreement)}{_told(one.correlation)}"
        lines.append(f"{one.dimension or 'all':24}{one.rated:7}{figures_told}")
    for each in found.against:
        name = f"{each.judge}, {each.dimension}"
        lines.append(f"{name:24}{each.rated:7}{'r':>4}{_told(each.correlation)}{'MAE':>6}{_told(each.distance)}")
    lines.append("- means: undefined, because nothing varies or too little was rated.")
    tell(as_json, found.as_json(), "\n".join(lines))


def _told(value: float | None) -> str:
    return f"{'-':>8}" if value is None else f"{value:8.3f}"
