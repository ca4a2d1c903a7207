"""The command that finds and tracks faces."""

from pathlib import Path

import click

from app.cli.output import json_option, progress_bar, tell
from app.cli.scheduler_option import scheduler_option
from app.cli.study import STUDY
from app.core.session import Session
from models.faces.registry import DETECTORS, JOINED, PROCESSORS, joined, usual
from project.counted import counted
from project.types import Json

FAILED = 2
"""The exit code where some recordings could not be tracked."""


@click.command()
@STUDY
@click.option("--recording", help="Number, file name or id; all recordings when not given.")
@click.option(
    "--detector",
    "detectors",
    multiple=True,
    type=click.Choice([*DETECTORS]),
    help="What looks for faces; give it twice to use two together. All that are installed when not given.",
)
@click.option(
    "--processor",
    default="auto",
    show_default=True,
    type=click.Choice([*PROCESSORS]),
    help="What it runs on: " + ", ".join(f"{name}: {what}" for name, what in PROCESSORS.items()) + ".",
)
@scheduler_option
@json_option
@click.pass_context
def faces(
    context: click.Context,
    /,
    study: Path,
    recording: str | None,
    detectors: tuple[str, ...],
    processor: str,
    scheduler: str,
    as_json: bool,
) -> None:
    """Find the faces of recordings and follow them over the frames.

    Recordings without a picture are left out. Of several, those that fail are listed and the rest is done; the exit
    code is 2 then.

    What was done before an interruption is not done again.

    \b
    Example:
      greenroom faces my-study.greenroom --recording 1
      greenroom faces my-study.greenroom --detector centerface --detector yunet
      greenroom faces my-study.greenroom --scheduler tcp://node7:8786
    """
    from app.core.cluster.door import run_all
    from app.core.faces import tracking as face_tracking
    from app.core.lookup import recording_called
    from project.queries.recordings import all_recordings

    names = joined(detectors) if detectors else usual()
    with Session.open(study) as session:
        session.study.require_writable()
        seen = [r for r in all_recordings(session.study) if session.has_picture(r.id)]
        chosen = seen if recording is None else [recording_called(session, recording)]
        works = [face_tracking.prepare(session, r.id, detectors=names, processor=processor) for r in chosen]
        found: list[dict[str, Json]] = []
        failed: list[dict[str, Json]] = []
        with progress_bar("Track faces") as bar:
            ended = run_all(session, works, bar, scheduler)
        for owner, done in zip(chosen, ended, strict=True):
            if done.error is not None and len(chosen) == 1:
                raise done.error
            if done.result is None:
                failed.append({"recording": owner.number, "problem": str(done.error)})
            else:
                kept = {key: done.result[key] for key in ("frames", "frames_with_face", "tracks", "seconds")}
                found.append({"recording": owner.number, **kept})
    totals: dict[str, Json] = {
        key: sum(one[key] for one in found)  # type: ignore[misc]
        for key in ("frames", "frames_with_face", "tracks", "seconds")
    }
    lines = [
        f"Recording {one['recording']}: {one['tracks']} face tracks, a face in {one['frames_with_face']} of"
        f" {one['frames']} frames ({one['seconds']} s)"
        for one in found
    ]
    lines += [f"Recording {one['recording']}: FAILED. {one['problem']}" for one in failed]
    tell(
        as_json,
        {**totals, "detectors": [*names.split(JOINED)], "recordings": [*found], "failed": [*failed]},
        "\n".join(lines) or "The study has no recordings with a picture yet.",
    )
    if failed:
        count = f"{len(failed)} of {counted(len(chosen), 'recording')}"
        click.echo(
            f"greenroom: {count} could not be tracked. Put right what is said above, then run it again.", err=True
        )
        context.exit(FAILED)
