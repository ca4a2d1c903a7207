"""The command that exports recordings with their faces hidden."""

from pathlib import Path
from typing import cast

import click

from anonymize.methods.registry import DEFAULT, METHODS
from app.cli.method_options import given, method_options
from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.types import Json


@click.command()
@STUDY
@click.option("--recording", required=True, help="Number, file name or id; or: all.")
@click.option("--method", default=DEFAULT, show_default=True, help=f"One of: {', '.join(METHODS)}.")
@method_options
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the clips.")
@click.option("--start", help="Seconds or h:mm:ss.mmm; the beginning when not given.")
@click.option("--end", help="Seconds or h:mm:ss.mmm; the end when not given.")
@click.option("--keep-robots", is_flag=True, help="Leave the faces of participants with the role robot.")
@click.option("--overwrite", is_flag=True, help="Replace clips of the same name.")
@json_option
def anonymize(
    study: Path,
    recording: str,
    method: str,
    out: Path,
    start: str | None,
    end: str | None,
    keep_robots: bool,
    overwrite: bool,
    as_json: bool,
    **flags: Json,
) -> None:
    """Export recordings with every tracked face hidden.

    What came out is searched for faces again.

    Faces have to be tracked first. Times of faces that are left, and of doubtful hits, are in seconds of the
    recording.

    \b
    Example:
      greenroom anonymize my-study.greenroom --recording 1 --out clips
      greenroom anonymize my-study.greenroom --recording all --method blur --strength 0.5 --out clips
    """
    from app.core import anonymization
    from app.core.batch import run_over
    from app.core.lookup import recording_called
    from project.queries.recordings import all_recordings
    from project.timebase import parse_time

    with Session.open(study) as session:
        session.study.require_writable()
        everything = recording == "all"
        seen = [r for r in all_recordings(session.study) if session.has_picture(r.id)]
        chosen = seen if everything else [recording_called(session, recording)]
        made: list[dict[str, Json]] = []
        for owner, result in run_over(
            session,
            chosen,
            lambda r: anonymization.prepare(
                session,
                r.id,
                method,
                out,
                options=given(flags),
                start_us=None if start is None else parse_time(start),
                end_us=None if end is None else parse_time(end),
                keep_robots=keep_robots,
                overwrite=overwrite,
            ),
            lambda work: Bar(work.title),
        ):
            made.append({"recording": owner.number, **result})
    lines = [line for one in made for line in _lines(one)]
    tell(as_json, {"clips": [*made]} if everything else made[0], "\n".join(lines))


def _lines(one: dict[str, Json]) -> list[str]:
    left, doubtful = (cast(list[float], one[key]) for key in ("faces_left", "doubtful"))
    lines = [f"Recording {one['recording']}: {one['frames']} frames in {one['seconds']} s: {one['output']}"]
    if left:
        lines.append(f"  FACES LEFT in {len(left)} frames, first at {left[0]:.3f} s. Do not release this clip.")
    else:
        lines.append("  No face left.")
    if doubtful:
        lines.append(f"  {len(doubtful)} doubtful frames to look at, first at {doubtful[0]:.3f} s.")
    if one["blanked"]:
        lines.append(f"  {len(cast(list[float], one['blanked']))} frames could not be read and were covered wholly.")
    if one["ends_early_s"]:
        lines.append(f"  The recording ends early: at least {one['ends_early_s']:.1f} s of it are missing.")
    return lines
