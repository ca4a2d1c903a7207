"""Commands that export recordings with hidden faces, measure an export and treat the sound of a recording."""

from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from anonymize.methods.face_methods import DEFAULT_METHOD, METHODS, method_type
from anonymize.privacy.privacy_limits import PrivacyLimits
from anonymize.sound.voice_methods import DEFAULT_VOICE, VOICES
from anonymize.voice.sound_choice import KEEP, NO_TRANSCRIPT, NONE, VOICE_WARNING, SoundChoice
from app.cli.command import EDIT, FILE, FOLDER, Time, command, option
from app.cli.console import Bar, Output, progress_bar, run_job
from app.cli.plugin_options import (
    COVER,
    METHOD_OPTIONS,
    SCHEDULER,
    VOICE_HELP,
    VOICE_OPTIONS,
    options_by_method,
    sound_choice,
)
from project.codec import dump
from project.entities.study_records import Json, Recording
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.session.session import Session, resolve_recording
from project.text_format import format_percent, pluralize

if TYPE_CHECKING:
    from anonymize.export.export_job import ClipExportResult
    from anonymize.export.export_queue import QueuedClip, RenderQueue


EXIT_FAILED = 2
"""The exit code if some clips could not be made."""


@command(study=EDIT)
def export(
    session: Session,
    recording: str | None = option("Number, file name or id; or: all."),
    methods: tuple[str, ...] = option(f"One of: {', '.join(METHODS)}.", "--method", default=[DEFAULT_METHOD]),
    method_options: dict[str, Any] = METHOD_OPTIONS,
    voice: str = option(VOICE_HELP, default=SoundChoice().voice),
    cover: str = COVER,
    voice_options: dict[str, Any] = VOICE_OPTIONS,
    out: Path | None = option("Folder for the clips.", type=FOLDER),
    start: Time | None = option("By default the beginning."),
    end: Time | None = option("By default the end."),
    keep_robots: bool = option("Leave the faces of robots."),
    overwrite: bool = option("Replace clips of the same name."),
    resume: bool = option("Go on after a crash or Ctrl+C."),
    measure: bool = option("Measure how private each clip is."),
    preview: Time | None = option("Write one frame as PNG, before and after.", metavar="TIME"),
    scheduler: str = SCHEDULER,
) -> Output:
    """Export recordings with faces hidden and voices changed.

    Track the faces first. A detector then searches each clip for faces that are left. If some clips fail, the others
    are made, and the exit code is 2.

    \b
    Example:
      greenroom anonymize export my-study.greenroom --recording 1 --out clips
      greenroom anonymize export my-study.greenroom --recording all --method blur --method solid --out clips
      greenroom anonymize export my-study.greenroom --recording 1 --method blur --preview 0:12 --out pictures
    """
    from anonymize.export import export_queue

    if resume:
        queue = export_queue.load_unfinished(session)
        if queue is None:
            raise UserError("This study has no interrupted exports.", "Start one: --recording 1 --out FOLDER")
    else:
        if recording is None or out is None:
            missing = "--recording" if recording is None else "--out"
            raise UserError(f"{missing} is missing.", "Give the recording and the folder for the clips.")
        chosen, asked = _select_recordings(session, recording), options_by_method(method_options, methods)
        if preview is not None:
            if len(chosen) != 1 or len(methods) != 1:
                raise UserError("A preview needs one recording and one method.", "Give a number: --recording 1")
            shown = _write_preview(session, chosen[0], methods[0], asked[methods[0]], preview, out)
            return Output(shown, _preview_text(shown))
        queue = export_queue.make_queue(
            session,
            chosen,
            asked,
            out,
            start_us=start,
            end_us=end,
            keep_robots=keep_robots,
            overwrite=overwrite,
            sound=sound_choice(voice, cover, voice_options),
        )
        if recording != "all" and len(methods) == 1 and not scheduler:
            entry = _export_clip(session, queue, measure)
            return Output(entry, _clip_lines(entry))
    made, failed = _export_all(session, queue, measure, scheduler)
    lines = [line for clip in made for line in _clip_lines(clip)]
    lines += [f"Recording {clip['recording']}, {clip['method']}: FAILED. {clip['problem']}" for clip in failed]
    answer = {"clips": made, "failed": failed}
    if not failed:
        return Output(answer, lines)
    count = f"{len(failed)} of {pluralize(len(made) + len(failed), 'clip')}"
    problem = f"{count} could not be made. Put right what is said above, then: --resume"
    return Output(answer, lines, EXIT_FAILED, problem)


def _preview_text(preview: dict[str, Json]) -> str:
    faces = pluralize(cast(int, preview["faces"]), "face")
    lines = [f"Frame at {preview['time']} s: {faces} hidden.", str(preview["before"]), str(preview["after"])]
    if preview["nearest"] is not None:
        lines.insert(1, f"The nearest frame with a face is at {preview['nearest']} s.")
    return "\n".join(lines)


def _select_recordings(session: Session, recording: str) -> list[str]:

    if recording != "all":
        return [resolve_recording(session, recording).id]
    return [owner.id for owner in all_recordings(session.study) if session.has_picture(owner.id)]


def _export_clip(session: Session, queue: "RenderQueue", measure: bool) -> dict[str, Any]:
    from anonymize.export import export_job, export_queue

    (clip,) = queue.clips
    work = export_queue.prepare(session, queue, clip)
    result, _ = run_job(session, work)
    found = {**dump(result), "outdated": export_job.is_outdated(session, work)}
    return _with_clip_name(session, clip, {**found, **_measure_clip(session, result.output, measure)})


def _export_all(
    session: Session, queue: "RenderQueue", measure: bool, scheduler: str
) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    made, failed = [], []
    for clip, result in _run_queue(session, queue, scheduler):
        if result is None:
            failed.append(_with_clip_name(session, clip, {"problem": clip.problem}))
        else:
            measures = _measure_clip(session, result.output, measure)
            made.append(_with_clip_name(session, clip, {**dump(result), **measures}))
    return made, failed


def _run_queue(
    session: Session, queue: "RenderQueue", scheduler: str
) -> "Iterable[tuple[QueuedClip, ClipExportResult | None]]":
    if not scheduler:
        from anonymize.export.export_queue import run_queue

        return run_queue(session, queue, lambda work: Bar(work.title))
    from benchmark.cluster.export_on_cluster import run_queue_on_cluster

    with progress_bar("Export") as bar:
        return run_queue_on_cluster(session, queue, scheduler, bar)


def _measure_clip(session: Session, clip: Path, wanted: bool) -> dict[str, Any]:
    from anonymize.privacy import privacy_job

    if not wanted:
        return {}
    try:
        work = privacy_job.prepare(session, clip)
        report, _ = run_job(session, work)
    except UserError as error:
        return {"not_measured": str(error)}
    return {"privacy": str(report.file)}


def _with_clip_name(session: Session, clip: "QueuedClip", result: dict[str, Json]) -> dict[str, Any]:
    return {"recording": session.recording(clip.recording_id).number, "method": clip.method, **result}


def _write_preview(
    session: Session, recording_id: str, method: str, options: dict[str, Json], time_us: int, out: Path
) -> dict[str, Any]:
    from anonymize.export import preview_job

    work = preview_job.prepare(session, recording_id, method, time_us, options=options)
    return preview_job.write_pictures(preview_job.compute(work.parameters, Bar(work.title)), out)


def _clip_lines(entry: dict[str, Any]) -> list[str]:
    left, doubtful, undrawn = (cast(list[float], entry[key]) for key in ("faces_left", "doubtful", "undrawn"))
    lines = [f"Recording {entry['recording']}: {entry['frames']} frames in {entry['seconds']} s: {entry['output']}"]
    if left:
        lines.append(f"  FACES LEFT in {len(left)} frames, first at {left[0]:.3f} s. Do not release this clip.")
    elif method_type(str(entry["method"])).kind == "face":
        lines.append(
            "  Every face was replaced by another. How well that hides people: greenroom anonymize measure STUDY"
        )
    else:
        lines.append("  No face left.")
    sound = cast(dict[str, Json] | None, entry.get("sound"))
    if sound is not None and sound["voice"] == KEEP:
        lines.append(f"  The voices are as they were. {VOICE_WARNING}")
    if not entry["independent"]:
        lines.append(
            f"  Checked by {entry['checked_by']}, which found the faces too. Another one sees more: {_WITNESS_COMMAND}"
        )
    if doubtful:
        lines.append(f"  {pluralize(len(doubtful), 'doubtful frame')} to look at, first at {doubtful[0]:.3f} s.")
    if undrawn:
        lines.append(f"  In {pluralize(len(undrawn), 'frame')} a face could not be drawn and was painted solid.")
    if entry["blanked"]:
        lines.append(f"  {len(cast(list[float], entry['blanked']))} frames could not be read and were covered wholly.")
    if entry["ends_early_s"]:
        lines.append(f"  The recording ends early: at least {entry['ends_early_s']:.1f} s of it are missing.")
    if entry.get("privacy"):
        lines.append(f"  Measured: {entry['privacy']}; see also greenroom anonymize measure STUDY.")
    if entry.get("not_measured"):
        lines.append(f"  NOT MEASURED: {entry['not_measured']}")
    if entry.get("outdated"):
        lines.append("  OUTDATED: what is hidden was changed meanwhile. Export it again.")
    return lines


_WITNESS_COMMAND = "greenroom model fetch rfb320"


LIMIT_NAMES = [limit.name for limit in fields(PrivacyLimits)]


@command(study=EDIT)
def measure_privacy(
    session: Session,
    which: str | None = option("A clip, RECORDING:METHOD, or a run's id; by default the newest export.", "--export"),
    frame_rate: float | None = option(
        "Frames a second that are looked at; by default 3.", type=click.FloatRange(0.1, 240)
    ),
    limits: tuple[str, ...] = option(
        f"Set a limit of the study first; one of: {', '.join(LIMIT_NAMES)}.", "--limit", metavar="NAME=VALUE"
    ),
) -> Output:
    """Measure how private an export is, and how useful.

    The report is written beside the clip as CLIP.privacy.json and kept in the study. Models that are not installed are
    left out, and what they would measure is named.

    \b
    Example:
      greenroom anonymize measure my-study.greenroom
      greenroom anonymize measure my-study.greenroom --export clips/recording-0001-blur.mp4
      greenroom anonymize measure my-study.greenroom --export 1:blur --limit reidentified=0.01
    """
    from anonymize.privacy import privacy_job
    from anonymize.privacy.exported_clips import find_clip, find_export
    from anonymize.privacy.privacy_limits import (
        exceeded_limits,
        format_report,
        read_privacy_limits,
        set_privacy_limits,
        unmeasured_limits,
    )

    if limits:
        set_privacy_limits(session, _set_limits(read_privacy_limits(session.study), limits))
    export, path = find_export(session, which)
    options = {} if frame_rate is None else {"looks_per_second": frame_rate}
    work = privacy_job.prepare(session, path or find_clip(session, export), export, options)
    result, _ = run_job(session, work)
    allowed = read_privacy_limits(session.study)
    report = result.report
    over, missing = exceeded_limits(report, allowed), unmeasured_limits(report)
    heading = f"Recording {export.recording.number}, {export.run.backend}: {export.clip}"
    found = {
        "recording": export.recording.number,
        "export": export.run.id,
        "limits": cast(Json, asdict(allowed)),
        "over_limit": over,
        "not_measured": missing,
        "report": dump(report),
        "file": str(result.file),
    }
    return Output(found, [heading, *format_report(report, over, missing), f"The report: {result.file}"])


def _set_limits(limits: PrivacyLimits, settings: tuple[str, ...]) -> PrivacyLimits:
    """Return the limits with the given ones changed, each given as NAME=VALUE."""
    values: dict[str, Any] = asdict(limits)
    hint = f"Write NAME=VALUE, with one of: {', '.join(LIMIT_NAMES)}."
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in LIMIT_NAMES:
            raise UserError(f"There is no limit “{name}”.", hint)
        try:
            values[name] = int(text) if name == "leak_frames" else float(text)
        except ValueError:
            raise UserError(f"“{text}” is not a number.", hint) from None
    return PrivacyLimits(**values)


@command(study=EDIT)
def voice(
    session: Session,
    recording: Recording | None = option("Number, file name or id; can be left out where there is only one."),
    method: str = option(f"What is done to the voices; one of: {', '.join([*VOICES, KEEP])}.", default=DEFAULT_VOICE),
    cover: str = COVER,
    voice_options: dict[str, Any] = VOICE_OPTIONS,
    out: Path | None = option("A .flac or .wav file; see the example.", "-o", "--out", type=FILE),
    overwrite: bool = option("Replace a file of the same name."),
) -> Output:
    """Write the sound of a recording with its voices changed.

    Personal information that is said is covered, as far as a transcript tells.
    Every participant gets a change of their own, the same in all recordings of the study; those whom nobody assigned
    share one. Then before and after are compared: length, pitch, speaking rate, and words and voices where models for
    that are installed. Without --out the file goes into the folder “anonymized” beside the study.

    \b
    Example:
      greenroom anonymize voice my-study.greenroom --recording 1
      greenroom anonymize voice my-study.greenroom --recording 1 --method pitch-formant --cover beep -o sound.flac
    """
    from anonymize.voice import sound_job
    from project.codec import dump

    choice = sound_choice(method, cover, voice_options)
    there = all_recordings(session.study)
    if recording is None and len(there) != 1:
        raise UserError("The recording is missing.", "Give its number: --recording 1")
    chosen = there[0] if recording is None else recording
    name = f"recording-{chosen.number:04}-{choice.voice}.flac"
    if out is None:
        out = session.study.folder / "anonymized" / name
        out.parent.mkdir(exist_ok=True)
    work = sound_job.prepare(session, chosen.id, choice, out, overwrite=overwrite)
    result, _ = run_job(session, work)
    found = {
        "recording": chosen.number,
        **dump(choice),
        "covered": len(work.parameters.sound.plan.covered),
        "transcript": bool(work.parameters.said),
        **dump(result),
    }
    return Output(found, _voice_lines(found))


def _voice_lines(found: dict[str, Json]) -> list[str]:
    measures = cast(dict[str, Any], found["measures"])
    places = "1 place" if found["covered"] == 1 else f"{found['covered']} places"
    lines = [
        f"Recording {found['recording']}: {found['output']}",
        f"  {found['samples']} samples, {'as many as' if found['same_length'] else 'NOT AS MANY AS'} in the recording; "
        f"{places} covered.",
    ]
    if not found["transcript"] and found["cover"] != NONE:
        lines.append(f"  {NO_TRANSCRIPT}")
    if found["voice"] == KEEP:
        lines.append(f"  The voices are as they were. {VOICE_WARNING}")
    if measures["intonation"] is not None:
        lines.append(f"  Course of the pitch: correlation {measures['intonation']:.2f}.")
    if measures["speaking_rate_ratio"] is not None:
        lines.append(f"  Speaking rate: {measures['speaking_rate_ratio']:.2f} of what it was.")
    words, voices = measures["words"], measures["voices"]
    if words is None:
        lines.append("  Words are not compared: no model that recognises speech is installed.")
    elif words["errors_after"] is not None:
        before = "" if words["errors_before"] is None else f"{format_percent(words['errors_before'])} before, "
        against = "the transcript" if words["reference"] == "transcript" else "what was recognised before"
        lines.append(f"  Word errors against {against}: {before}{format_percent(words['errors_after'])} after.")
    if voices is None:
        lines.append("  Voices are not compared; for that: greenroom model fetch voice-embedding")
    else:
        lines += [f"  Voice of {who}: {cosine:.2f} like before." for who, cosine in voices["before_and_after"].items()]
        if voices["two_people_before"] is not None:
            lines.append(f"  Two different people before: {voices['two_people_before']:.2f} alike.")
    return lines
