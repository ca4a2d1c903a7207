"""Making questions from causal chains on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.questions.making import Made, make_by_rules
from app.core.session import Session
from benchmark.questions.base import SINGLE_STEP
from project.counted import counted
from project.errors import UserError
from project.questions import OF_CHAINS, Maker, QuestionKind

KINDS = [one.value for one in OF_CHAINS]


@click.command()
@STUDY
@click.option("--chain", "chains", multiple=True, metavar="ID", help="A chain; again for each further one; else all.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Again for each; single-step ones if not given.",
)
@click.option("--steps", is_flag=True, help="Multi-step questions beside them.")
@click.option(
    "--maker",
    default=Maker.RULES.value,
    show_default=True,
    type=click.Choice([Maker.RULES.value, Maker.JUDGE.value]),
    help="Who words them.",
)
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="With --maker judge: which; again for each.")
@click.option("--condition", default="raw", show_default=True, help="With --maker judge: what it is shown.")
@click.option("--seed", default=0, show_default=True, help="Of wordings, and of the order of options.")
@click.option("--annotator", help="Who has them made; the name in the settings when not given.")
@json_option
def make(
    study: Path,
    chains: tuple[str, ...],
    kinds: tuple[str, ...],
    steps: bool,
    maker: str,
    judges: tuple[str, ...],
    condition: str,
    seed: int,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Make questions from causal chains, by rules or in the words of a judge.

    Every event, mental state and subchain gets its questions. By rules, wrong options are taken from the other chains
    of the study; a question for which too few would do is left out and counted. What is there already is not made
    again.

    \b
    Example:
      greenroom questions make my-study.greenroom
      greenroom questions make my-study.greenroom --kind CW --kind CH/W --json
      greenroom questions make my-study.greenroom --maker judge --judge gpt
    """
    chosen = [QuestionKind(one) for one in kinds]
    if steps:
        chosen = [*(chosen or SINGLE_STEP), QuestionKind.STEPS]
    if judges and maker != Maker.JUDGE:
        raise UserError("Rules need no judge.", "Say --maker judge to have the judge word them.")
    with Session.open(study, annotator) as session:
        if maker == Maker.JUDGE:
            made = _by_judges(session, chains, chosen, judges, condition, seed)
        else:
            with progress_bar("Making") as bar:
                made, _ = make_by_rules(session, chains, chosen, seed, bar)
    tell(as_json, {"study": str(study), **made.as_json()}, as_text(made))


def as_text(made: Made) -> str:
    """Return what came of it in lines."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in made.by_kind.items())
    lines = [f"Made {counted(len(made.ids), 'question')}" + (f": {kinds}" if kinds else "")]
    lines += [f"Not made: {number:,}. {reason}" for reason, number in made.skipped.items()]
    return "\n".join(lines)


def _by_judges(
    session: Session,
    chains: tuple[str, ...],
    kinds: list[QuestionKind],
    judges: tuple[str, ...],
    condition: str,
    seed: int,
) -> Made:
    from app.cli.asking import ask_here
    from app.core.judging.judges.entries import judges_called
    from app.core.questions.by_judge import requests, take_in
    from project.queries.judgments import judgments_called

    request = requests(session, chains, judges_called(session, judges), kinds or SINGLE_STEP, condition)
    came = ask_here(session, request)
    came.require_something()
    order = {one.id: at for at, one in enumerate(request.judges)}
    said = sorted(judgments_called(session.study, came.ids), key=lambda one: order.get(one.judge_id, len(order)))
    made, _ = take_in(session, said, seed)
    return made
