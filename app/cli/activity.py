"""The command about active minutes."""

from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.activity import as_json as counters
from app.core.activity import by_recording, minutes
from app.core.session import Session


@click.command()
@STUDY
@json_option
def activity(study: Path, as_json: bool) -> None:
    """Show how long annotators were active, by recording.

    Only those minutes are there that annotators let be counted (Study > Active minutes).

    \b
    Example:
      greenroom activity my-study.greenroom
    """
    with Session.open(study, read_only=True) as session:
        found, shares = counters(session), by_recording(session)
    lines = [f"{one.name}  {one.annotator}: {minutes(one.seconds)}" for one in shares]
    lines.append(f"In all: {minutes(sum(one.seconds for one in shares))}")
    tell(as_json, found, "\n".join(lines) if shares else "No active minutes were counted.")
