"""The command that measures an export."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

import click

from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.core.privacy.limits import PrivacyLimits
from app.core.session import Session
from project.errors import UserError
from project.types import Json

LIMITS = [each.name for each in fields(PrivacyLimits)]


@click.command()
@STUDY
@click.option("--export", "which", help="A clip, RECORDING:METHOD, or a run's id; the newest export when not given.")
@click.option("--looks", type=click.FloatRange(0.1, 240), help="Frames a second that are looked at; 3 when not given.")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=VALUE",
    help=f"Set a limit of the study first; one of: {', '.join(LIMITS)}.",
)
@json_option
def privacy(study: Path, which: str | None, looks: float | None, limits: tuple[str, ...], as_json: bool) -> None:
    """Measure how private an export is, and how useful.

    The report is written beside the clip as CLIP.privacy.json and kept in the study. Models that are not installed are
    left out, and what they would measure is named.

    \b
    Example:
      greenroom privacy my-study.greenroom
      greenroom privacy my-study.greenroom --export clips/recording-0001-blur.mp4
      greenroom privacy my-study.greenroom --export 1:blur --limit reidentified=0.01
    """
    from anonymize.measures.report import PrivacyReport
    from app.core.jobs import run_here
    from app.core.privacy import job as measuring
    from app.core.privacy.exports import export_called, place_of
    from app.core.privacy.limits import not_measured, over_limit, privacy_limits, set_privacy_limits
    from app.core.privacy.words import lines_of

    with Session.open(study) as session:
        session.study.require_writable()
        if limits:
            set_privacy_limits(session, _changed(privacy_limits(session.study), limits))
        export, path = export_called(session, which)
        options: dict[str, Json] = {} if looks is None else {"looks_per_second": looks}
        work = measuring.prepare(session, path or place_of(session, export), export, options)
        result, _ = run_here(session, work, Bar(work.title))
        allowed = privacy_limits(session.study)
    report = PrivacyReport.from_json(result)
    over, missing = over_limit(report, allowed), not_measured(report)
    heading = f"Recording {export.recording.number}, {export.run.backend}: {export.clip}"
    found: dict[str, Json] = {
        "recording": export.recording.number,
        "export": export.run.id,
        "limits": cast(Json, asdict(allowed)),
        "over_limit": [*over],
        "not_measured": [*missing],
        "report": {key: value for key, value in result.items() if key != "file"},
        "file": result["file"],
    }
    tell(as_json, found, "\n".join([heading, *lines_of(report, over, missing), f"The report: {result['file']}"]))


def _changed(limits: PrivacyLimits, settings: tuple[str, ...]) -> PrivacyLimits:
    """Return limits with some set anew, each given as NAME=VALUE."""
    values: dict[str, Any] = asdict(limits)
    hint = f"Write NAME=VALUE, with one of: {', '.join(LIMITS)}."
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in LIMITS:
            raise UserError(f"There is no limit “{name}”.", hint)
        try:
            values[name] = int(text) if name == "leak_frames" else float(text)
        except ValueError:
            raise UserError(f"“{text}” is not a number.", hint) from None
    return PrivacyLimits(**values)
