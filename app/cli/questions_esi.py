"""Letting judges word questions of the five dimensions of ESI-Bench on the command line."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.questions_make import as_text
from app.cli.study import STUDY
from app.core.session import Session


@click.command()
@STUDY
@click.option(
    "--recording",
    "recordings",
    multiple=True,
    required=True,
    metavar="NUMBER",
    help="Number, name or id of a recording; again for each further one.",
)
@click.option("--rounds", default=2, show_default=True, help="Rounds of questions: 1 or 2.")
@click.option("--each", default=10, show_default=True, help="Questions of a round: 1 to 10, the dimensions in turn.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option(
    "--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering by its method or id."
)
@click.option("--seed", default=0, show_default=True, help="Of the order of options.")
@click.option("--annotator", help="Who has them made; the name in the settings when not given.")
@json_option
def esi(
    study: Path,
    recordings: tuple[str, ...],
    rounds: int,
    each: int,
    judges: tuple[str, ...],
    condition: str,
    seed: int,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Let judges word questions of the five dimensions of ESI-Bench about recordings.

    They see what was gathered about a recording (greenroom meta), what is said, and 24 pictures. Every judge words all
    of them; what cannot be used is left out and counted by its reason.

    \b
    Example:
      greenroom questions esi my-study.greenroom --recording 3 --judge gpt --judge gemini
      greenroom questions esi my-study.greenroom --recording 3 --rounds 1 --each 5 --json
    """
    from app.cli.asking import ask_here
    from app.core.judging.judges.entries import judges_called
    from app.core.lookup import recording_called
    from app.core.questions.esi import requests, take_in
    from project.queries.judgments import judgments_called

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        ids = [recording_called(session, one).id for one in recordings]
        request = requests(session, ids, judges_called(session, judges), rounds, each, condition)
        came = ask_here(session, request)
        came.require_something()
        made, _ = take_in(session, judgments_called(session.study, came.ids), seed)
    lines = [as_text(made), *(f"Not asked: {one.as_text()}" for one in came.outcome.notes)]
    tell(as_json, {"study": str(study), **made.as_json(), "asked": came.as_json()}, "\n".join(lines))
