"""The command that asks judges about segments."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from app.cli.answer_table import answers_shown, table
from app.cli.output import json_option, tell
from app.cli.segment_filter import Asked, filters, found_by
from app.cli.study import STUDY
from app.core.session import Session
from project.errors import UserError
from project.types import Json


@click.command()
@STUDY
@click.option(
    "--segment", "segments", multiple=True, metavar="ID", help="A segment; give it again for each further one."
)
@click.option("--all", "everything", is_flag=True, help="Every segment of the study.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option(
    "--task",
    default="assess",
    show_default=True,
    help="What is asked of a segment: assess, verdict, error, attributes, multiple or ratings.",
)
@click.option("--variant", default="plain", show_default=True, help="How: plain, few-shot, cot or tom.")
@click.option(
    "--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering by its method or id."
)
@click.option("--seed", default=0, show_default=True, help="Another seed draws another answer.")
@click.option("--again", is_flag=True, help="Ask again what was refused or could not be read.")
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@click.option("--budget-money", type=click.FloatRange(0), help="What the run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that the run may take.")
@click.option("--frames", type=click.IntRange(0, 64), help="Frames of a segment; as each judge is set when not given.")
@click.option("--rule", type=click.Choice(["interior", "endpoints"]), help="Which frames stand for a segment.")
@click.option("--before", type=click.IntRange(0, 200), help="Turns before the segment that are told; 6 when not given.")
@click.option("--cues/--no-cues", default=None, help="Whether marked cues are told.")
@click.option("--longest-side", type=click.IntRange(64, 4096), help="Of a frame, in pixels; 512 when not given.")
@click.option("--quality", type=click.IntRange(1, 100), help="Of the JPEGs; 85 when not given.")
@click.option("--clip/--no-clip", default=None, help="Whether a video is sent in the place of frames.")
@click.option(
    "--as", "who", metavar="NAME", help="Whose eyes see the answers: judges are hidden until one's own is said."
)
@filters
@json_option
def ask(
    study: Path,
    segments: tuple[str, ...],
    everything: bool,
    judges: tuple[str, ...],
    task: str,
    variant: str,
    condition: str,
    seed: int,
    again: bool,
    fresh: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    who: str | None,
    asked: Asked,
    as_json: bool,
    **sight: Any,
) -> None:
    """Ask judges about segments; shows answers side by side.

    Segments are named by their ids, or found by the conditions of greenroom segment list. What was answered before is
    not asked again, so a run that was stopped goes on where it was. Each answer is in the study as soon as it is there.

    \b
    Example:
      greenroom ask my-study.greenroom --segment 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --judge gpt
      greenroom ask my-study.greenroom --recording 3 --task verdict --budget-money 2
      greenroom ask my-study.greenroom --all --judge gpt --condition blur
    """
    from app.cli.asking import ask_here
    from app.core.judging.judges.entries import judges_called
    from app.core.judging.runs.budget import Limits
    from app.core.judging.runs.wanted import AskRequest
    from app.core.judging.seeing.sight import SightSettings

    with Session.open(study, who) as session:
        session.study.require_writable()
        frames = sight.pop("frames")
        request = AskRequest(
            judges_called(session, judges),
            _chosen(session, segments, everything, asked),
            task,
            variant,
            condition,
            seed,
            SightSettings(**{name: value for name, value in sight.items() if value is not None}),
            frames,
            Limits(budget_money, budget_tokens),
            again,
            fresh,
        )
        came = ask_here(session, request)
        came.require_something()
        answers = answers_shown(session, came.ids, {*came.cached})
    told: dict[str, Json] = {"judgments": [one.as_json() for one in answers], **came.as_json()}
    tell(as_json, told, "\n".join([*table(answers), *came.lines()]))


def _chosen(session: Session, segments: tuple[str, ...], everything: bool, asked: Asked) -> list[str]:
    """Return the ids of the segments that are named or found, by recording and time."""
    from app.core.commands.segments import find

    given = any(getattr(asked, one.name) not in (None, ()) for one in fields(Asked))
    if segments and (everything or given):
        raise UserError("Segments are named, or found by conditions, not both.", "Leave one of the two out.")
    if segments:
        return [find(session, one).id for one in dict.fromkeys(segments)]
    if not everything and not given:
        raise UserError(
            "Which segments?", "Name them with --segment, or find them: --all, --recording 1, --label error."
        )
    found = found_by(session, asked)
    if not found:
        raise UserError("No segment fits.", "See which there are: greenroom segment list STUDY")
    return found
