"""The command that exports recordings with their faces hidden."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from anonymize.methods.registry import DEFAULT, METHODS, method_type
from app.cli.method_options import given, method_options
from app.cli.output import Bar, json_option, progress_bar, tell
from app.cli.scheduler_option import scheduler_option
from app.cli.study import STUDY
from app.cli.voice_options import VOICE_HELP, chosen_sound, sound_options, split_flags
from app.core.session import Session
from app.core.voice.choice import IDENTIFIES, KEEP, SoundChoice
from project.counted import counted
from project.errors import UserError
from project.types import Json

if TYPE_CHECKING:
    from app.core.rendering.queue import Clip, Queue

FAILED = 2
"""The exit code where some clips could not be made."""


@click.command()
@STUDY
@click.option("--recording", help="Number, file name or id; or: all.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=[DEFAULT],
    show_default=True,
    help=f"One of: {', '.join(METHODS)}. Can be given several times.",
)
@method_options
@click.option("--voice", default=SoundChoice().voice, show_default=True, help=VOICE_HELP)
@sound_options
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the clips.")
@click.option("--start", help="Seconds or h:mm:ss.mmm; the beginning when not given.")
@click.option("--end", help="Seconds or h:mm:ss.mmm; the end when not given.")
@click.option("--keep-robots", is_flag=True, help="Leave the faces of participants with the role robot.")
@click.option("--overwrite", is_flag=True, help="Replace clips of the same name.")
@click.option("--resume", is_flag=True, help="Go on with what was asked for last and did not end.")
@click.option("--measure", is_flag=True, help="Measure every clip afterwards, as greenroom privacy does.")
@click.option("--preview", metavar="TIME", help="Write one frame before and after as PNG, and no clip.")
@scheduler_option
@json_option
@click.pass_context
def anonymize(
    context: click.Context,
    /,
    study: Path,
    recording: str | None,
    methods: tuple[str, ...],
    voice: str,
    cover: str,
    out: Path | None,
    start: str | None,
    end: str | None,
    keep_robots: bool,
    overwrite: bool,
    resume: bool,
    measure: bool,
    preview: str | None,
    scheduler: str,
    as_json: bool,
    **flags: Json,
) -> None:
    """Export recordings with faces hidden and voices changed.

    Every tracked face is hidden, and personal information that is said is covered as far as a transcript tells.
    What came out is searched for faces again, by a detector that had no part in tracking them where one is installed.

    Faces have to be tracked first. Times of faces that are left, and of doubtful hits, are in seconds of the
    recording. Of several clips, those that fail are listed and the rest is made; the exit code is 2 then. After a crash
    or Ctrl+C, --resume goes on.

    \b
    Example:
      greenroom anonymize my-study.greenroom --recording 1 --out clips
      greenroom anonymize my-study.greenroom --recording all --method blur --method solid --out clips
      greenroom anonymize my-study.greenroom --recording 1 --voice pitch-formant --cover beep --out clips
      greenroom anonymize my-study.greenroom --recording all --out clips --scheduler tcp://node7:8786
      greenroom anonymize my-study.greenroom --resume
      greenroom anonymize my-study.greenroom --recording 1 --method blur --preview 0:12 --out pictures
    """
    from app.core.rendering import queue as rendering_queue
    from project.timebase import parse_time

    with Session.open(study) as session:
        session.study.require_writable()
        if resume:
            queue = rendering_queue.unfinished(session)
            if queue is None:
                raise UserError("No export of this study was interrupted.", "Start one: --recording 1 --out FOLDER")
        else:
            if recording is None or out is None:
                missing = "--recording" if recording is None else "--out"
                raise UserError(f"{missing} is missing.", "Say which recording, and the folder for the clips.")
            voices, others = split_flags(flags)
            sound = chosen_sound(voice, cover, voices)
            chosen, asked = _recordings(session, recording), given(others, methods)
            if preview is not None:
                if len(chosen) != 1 or len(methods) != 1:
                    raise UserError("A preview is of one recording by one method.", "Give a number: --recording 1")
                shown = _previewed(session, chosen[0], methods[0], asked[methods[0]], parse_time(preview), out)
                tell(as_json, shown, _shown(shown))
                return
            queue = rendering_queue.make_queue(
                session,
                chosen,
                asked,
                out,
                start_us=None if start is None else parse_time(start),
                end_us=None if end is None else parse_time(end),
                keep_robots=keep_robots,
                overwrite=overwrite,
                sound=sound,
            )
            if recording != "all" and len(methods) == 1 and not scheduler:
                one = _one(session, queue, measure)
                tell(as_json, one, "\n".join(_lines(one)))
                return
        made, failed = _all(session, queue, measure, scheduler)
    lines = [line for each in made for line in _lines(each)]
    lines += [f"Recording {each['recording']}, {each['method']}: FAILED. {each['problem']}" for each in failed]
    tell(as_json, {"clips": [*made], "failed": [*failed]}, "\n".join(lines))
    if failed:
        count = f"{len(failed)} of {counted(len(made) + len(failed), 'clip')}"
        click.echo(f"greenroom: {count} could not be made. Put right what is said above, then: --resume", err=True)
        context.exit(FAILED)


def _shown(preview: dict[str, Json]) -> str:
    faces = counted(cast(int, preview["faces"]), "face")
    lines = [f"Frame at {preview['time']} s: {faces} hidden.", str(preview["before"]), str(preview["after"])]
    if preview["nearest"] is not None:
        lines.insert(1, f"The nearest frame with a face is at {preview['nearest']} s.")
    return "\n".join(lines)


def _recordings(session: Session, recording: str) -> list[str]:
    from app.core.lookup import recording_called
    from project.queries.recordings import all_recordings

    if recording != "all":
        return [recording_called(session, recording).id]
    return [one.id for one in all_recordings(session.study) if session.has_picture(one.id)]


def _one(session: Session, queue: "Queue", measure: bool) -> dict[str, Json]:
    from app.core.jobs import run_here
    from app.core.rendering import anonymization
    from app.core.rendering import queue as rendering_queue

    (clip,) = queue.clips
    work = rendering_queue.prepare(session, queue, clip)
    result, _ = run_here(session, work, Bar(work.title))
    found = {**result, "outdated": anonymization.outdated(session, work)}
    return _named(session, clip, {**found, **_measured(session, found, measure)})


def _all(
    session: Session, queue: "Queue", measure: bool, scheduler: str
) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    made, failed = [], []
    for clip, result in _ended(session, queue, scheduler):
        if result is None:
            failed.append(_named(session, clip, {"problem": clip.problem}))
        else:
            made.append(_named(session, clip, {**result, **_measured(session, result, measure)}))
    return made, failed


def _ended(session: Session, queue: "Queue", scheduler: str) -> "Iterable[tuple[Clip, dict[str, Json] | None]]":
    if not scheduler:
        from app.core.rendering.queue import run_queue

        return run_queue(session, queue, lambda work: Bar(work.title))
    from app.core.rendering.queue_on_cluster import run_queue_on

    with progress_bar("Export") as bar:
        return run_queue_on(session, queue, scheduler, bar)


def _measured(session: Session, made: dict[str, Json], wanted: bool) -> dict[str, Json]:
    from app.core.jobs import run_here
    from app.core.privacy import job as privacy

    if not wanted:
        return {}
    try:
        work = privacy.prepare(session, Path(str(made["output"])))
        report, _ = run_here(session, work, Bar(work.title))
    except UserError as error:
        return {"not_measured": str(error)}
    return {"privacy": report["file"]}


def _named(session: Session, clip: "Clip", result: dict[str, Json]) -> dict[str, Json]:
    return {"recording": session.recording(clip.recording_id).number, "method": clip.method, **result}


def _previewed(
    session: Session, recording_id: str, method: str, options: dict[str, Json], time_us: int, out: Path
) -> dict[str, Json]:
    from app.core.rendering import preview

    work = preview.prepare(session, recording_id, method, time_us, options=options)
    return preview.write_pictures(preview.compute(work.parameters, Bar(work.title)), out)


def _lines(one: dict[str, Json]) -> list[str]:
    left, doubtful, undrawn = (cast(list[float], one[key]) for key in ("faces_left", "doubtful", "undrawn"))
    lines = [f"Recording {one['recording']}: {one['frames']} frames in {one['seconds']} s: {one['output']}"]
    if left:
        lines.append(f"  FACES LEFT in {len(left)} frames, first at {left[0]:.3f} s. Do not release this clip.")
    elif method_type(str(one["method"])).kind == "face":
        lines.append("  Every face was replaced by another. How well that hides people: greenroom privacy STUDY")
    else:
        lines.append("  No face left.")
    sound = cast(dict[str, Json] | None, one.get("sound"))
    if sound is not None and sound["voice"] == KEEP:
        lines.append(f"  The voices are as they were. {IDENTIFIES}")
    if not one["independent"]:
        lines.append(f"  Checked by {one['checked_by']}, which found the faces too. A witness sees more: {_WITNESS}")
    if doubtful:
        lines.append(f"  {len(doubtful)} doubtful frames to look at, first at {doubtful[0]:.3f} s.")
    if undrawn:
        lines.append(f"  {len(undrawn)} frames have a face that could not be drawn and was painted solid.")
    if one["blanked"]:
        lines.append(f"  {len(cast(list[float], one['blanked']))} frames could not be read and were covered wholly.")
    if one["ends_early_s"]:
        lines.append(f"  The recording ends early: at least {one['ends_early_s']:.1f} s of it are missing.")
    if one.get("privacy"):
        lines.append(f"  Measured: {one['privacy']}; see also greenroom privacy STUDY.")
    if one.get("not_measured"):
        lines.append(f"  NOT MEASURED: {one['not_measured']}")
    if one.get("outdated"):
        lines.append("  OUTDATED: what is hidden was changed meanwhile. Export it again.")
    return lines


_WITNESS = "greenroom models fetch rfb320"
