"""The command that finds and tracks faces."""

from pathlib import Path

import click

from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from models.faces.registry import DETECTORS, JOINED, PROCESSORS, joined, usual
from project.types import Json


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
@json_option
def faces(study: Path, recording: str | None, detectors: tuple[str, ...], processor: str, as_json: bool) -> None:
    """Find the faces of recordings and follow them over the frames.

    Recordings without a picture are left out.

    What was done before an interruption is not done again.

    \b
    Example:
      greenroom faces my-study.greenroom --recording 1
      greenroom faces my-study.greenroom --detector centerface --detector yunet
    """
    from app.core.faces import tracking as face_tracking
    from app.core.lookup import recording_called
    from app.core.rendering.batch import run_over
    from project.queries.recordings import all_recordings

    names = joined(detectors) if detectors else usual()
    with Session.open(study) as session:
        session.study.require_writable()
        seen = [r for r in all_recordings(session.study) if session.has_picture(r.id)]
        chosen = seen if recording is None else [recording_called(session, recording)]
        found: list[dict[str, Json]] = []
        for owner, result in run_over(
            session,
            chosen,
            lambda r: face_tracking.prepare(session, r.id, detectors=names, processor=processor),
            lambda work: Bar(work.title),
        ):
            kept = {key: result[key] for key in ("frames", "frames_with_face", "tracks", "seconds")}
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
    tell(
        as_json,
        {**totals, "detectors": [*names.split(JOINED)], "recordings": [*found]},
        "\n".join(lines) or "The study has no recordings with a picture yet.",
    )
