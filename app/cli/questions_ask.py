"""Asking judges the questions of a study, on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.lookup import recording_called
from app.core.session import Session
from project.counted import counted
from project.errors import UserError


@click.command()
@STUDY
@click.argument("question", nargs=-1)
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Whom; again for each further; all when not given."
)
@click.option(
    "--setting",
    type=click.Choice(["base", "sub", "sub-tom", "text"]),
    default="sub",
    show_default=True,
    help="Frames alone, frames and words, those with thoughts about minds first, or words alone.",
)
@click.option("--recording", help="Only its questions: number, file name or id.")
@click.option("--all", "everything", is_flag=True, help="Also what is not verified, or of an edited chain.")
@click.option("--budget-money", type=click.FloatRange(0), help="What the run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that the run may take.")
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@json_option
def ask(
    study: Path,
    question: tuple[str, ...],
    judges: tuple[str, ...],
    setting: str,
    recording: str | None,
    everything: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Ask judges the questions that are named, or all that are verified; greenroom consistency measures the answers.

    What was answered before is not asked again, so a run that was stopped goes on where it was.

    \b
    Example:
      greenroom questions ask my-study.greenroom --judge gpt --setting base
      greenroom consistency my-study.greenroom
    """
    from dataclasses import replace

    from app.cli.asking import ask_here
    from app.core.judging.judges.entries import judges_called
    from app.core.judging.runs.budget import Limits
    from app.core.questions.settings import request_for

    with Session.open(study) as session:
        session.study.require_writable()
        about = question or _counting(session, recording, everything=everything)
        request = request_for(judges_called(session, judges), about, setting, fresh=fresh)
        came = ask_here(session, replace(request, budget=Limits(budget_money, budget_tokens)))
    came.require_something()
    *notes, said = came.lines()
    told = [*notes, f"{counted(len(about), 'question')}: {said}"]
    tell(as_json, {"questions": len(about), **came.as_json()}, "\n".join(told))


def _counting(session: Session, recording: str | None, *, everything: bool) -> tuple[str, ...]:
    from app.core.questions.verifying import Standing, gathered

    found = gathered(session, "" if recording is None else recording_called(session, recording).id)
    chosen = [one for one in found if everything or (one.standing is Standing.VERIFIED and not one.stale)]
    if not chosen:
        raise UserError(
            "No question is verified yet." if found else "There are no questions yet.",
            "Verify them first, or give --all." if found else "Make some first: greenroom questions make STUDY",
        )
    return tuple(one.question.id for one in chosen)
