"""Making questions from causal chains on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.questions.making import Made, make_by_rules
from app.core.session import Session
from project.counted import counted
from project.questions import OF_CHAINS, QuestionKind

KINDS = [one.value for one in OF_CHAINS]


@click.command()
@STUDY
@click.option("--chain", "chains", multiple=True, metavar="ID", help="A chain; again for each further one; else all.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Again for each; the single-step ones when not given.",
)
@click.option("--steps", is_flag=True, help="Multi-step questions beside them.")
@click.option("--seed", default=0, show_default=True, help="Of wordings, and of the order of options.")
@json_option
def make(study: Path, chains: tuple[str, ...], kinds: tuple[str, ...], steps: bool, seed: int, as_json: bool) -> None:
    """Make questions from causal chains by rules.

    Every event, mental state and subchain gets its questions. Wrong options are taken from the other chains of the
    study; a question for which too few would do is left out and counted. What is there already is not made again.

    \b
    Example:
      greenroom questions make my-study.greenroom
      greenroom questions make my-study.greenroom --kind CW --kind CH/W --json
    """
    chosen = [QuestionKind(one) for one in kinds]
    if steps:
        chosen = [*(chosen or OF_CHAINS), QuestionKind.STEPS]
    with Session.open(study) as session, progress_bar("Making") as bar:
        made, _ = make_by_rules(session, chains, chosen, seed, bar)
    tell(as_json, {"study": str(study), **made.as_json()}, as_text(made))


def as_text(made: Made) -> str:
    """Return what came of it in lines."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in made.by_kind.items())
    lines = [f"Made {counted(len(made.ids), 'question')}: {kinds}"]
    lines += [f"Not made: {number:,}. {reason}" for reason, number in made.skipped.items()]
    return "\n".join(lines)
