"""Letting judges write statements about dialogues on the command line, for people to rate."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.types import Json


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
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option("--questions", default=1, show_default=True, help="Questions a recording: 1 to 10, ten inferences each.")
@click.option("--rater", "raters", multiple=True, metavar="NAME", help="Who is to rate; again for each further one.")
@click.option(
    "--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering by its method or id."
)
@click.option("--seed", default=0, show_default=True, help="Another one asks for other questions and inferences.")
@click.option("--annotator", help="Who has them made; the name in the settings when not given.")
@json_option
def infer(
    study: Path,
    recordings: tuple[str, ...],
    judges: tuple[str, ...],
    questions: int,
    raters: tuple[str, ...],
    condition: str,
    seed: int,
    annotator: str | None,
    as_json: bool,
) -> None:
    """Let judges write statements about recordings, for people to rate (SocialNLI).

    Each judge asks a question about what is meant but not said, then writes five inferences for it with thoughts first
    and five without. Those that can be used become statements without plausibility, one for each rater.

    \b
    Example:
      greenroom benchmark infer my-study.greenroom --recording 3 --judge gpt
      greenroom benchmark infer my-study.greenroom --recording 3 --judge gpt --rater Anna --rater Bram --json
    """
    from app.core.benchmark.inferences.asking import ask, inference_requests, question_request
    from app.core.benchmark.inferences.taking import take_in
    from app.core.judging.judges.entries import judges_called
    from app.core.lookup import recording_called

    with Session.open(study, annotator) as session:
        session.study.require_writable()
        ids = [recording_called(session, one).id for one in recordings]
        entries = judges_called(session, judges)
        with progress_bar("Asking for questions") as bar:
            first = ask(session, [question_request(session, ids, entries, questions, condition, seed)], bar)
        with progress_bar("Asking for inferences") as bar:
            then = ask(session, inference_requests(entries, first.answers, condition, seed), bar)
        notes = [*first.notes, *then.notes]
        taken, _ = take_in(session, then.answers, raters)
    told: dict[str, Json] = {"study": str(study), "questions": len(first.answers), **taken.as_json()}
    lines = [f"{counted(taken.statements, 'statement')} to rate, of {counted(len(first.answers), 'question')}."]
    lines += [f"Left out {number}: {reason}" for reason, number in taken.skipped.items()]
    tell(as_json, told, "\n".join([*lines, *(f"Not asked: {one.as_text()}" for one in notes)]))
