"""The command that writes the treated sound of a recording, and says what the treatment did."""

from pathlib import Path
from typing import Any, cast

import click

from anonymize.voice.registry import DEFAULT, VOICES
from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.cli.voice_options import chosen_sound, sound_options
from app.core.session import Session
from app.core.voice.choice import IDENTIFIES, KEEP, NO_TRANSCRIPT, NONE
from project.errors import UserError
from project.percent import percent
from project.types import Json


@click.command()
@STUDY
@click.option("--recording", help="Number, file name or id; can be left out where there is only one.")
@click.option(
    "--method",
    default=DEFAULT,
    show_default=True,
    help=f"What is done to the voices; one of: {', '.join([*VOICES, KEEP])}.",
)
@sound_options
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="A .flac or .wav file; see the example."
)
@click.option("--overwrite", is_flag=True, help="Replace a file of the same name.")
@json_option
def voice(
    study: Path,
    recording: str | None,
    method: str,
    cover: str,
    out: Path | None,
    overwrite: bool,
    as_json: bool,
    **flags: Json,
) -> None:
    """Write the sound of a recording with its voices changed.

    Personal information that is said is covered, as far as a transcript tells.
    Every participant gets a change of their own, the same in all recordings of the study; those whom nobody assigned
    share one. Then before and after are compared: length, pitch, speaking rate, and words and voices where models for
    that are installed. Without --out the file goes into the folder “anonymized” beside the study.

    \b
    Example:
      greenroom voice my-study.greenroom --recording 1
      greenroom voice my-study.greenroom --recording 1 --method pitch-formant --cover beep -o sound.flac
    """
    from app.core.jobs import run_here
    from app.core.lookup import recording_called
    from app.core.voice import job as treating
    from project.queries.recordings import all_recordings

    choice = chosen_sound(method, cover, flags)
    with Session.open(study) as session:
        session.study.require_writable()
        there = all_recordings(session.study)
        if recording is None and len(there) != 1:
            raise UserError("Say which recording.", "Give its number: --recording 1")
        chosen = there[0] if recording is None else recording_called(session, recording)
        name = f"recording-{chosen.number:04}-{choice.voice}.flac"
        if out is None:
            out = session.study.folder / "anonymized" / name
            out.parent.mkdir(exist_ok=True)
        work = treating.prepare(session, chosen.id, choice, out, overwrite=overwrite)
        result, _ = run_here(session, work, Bar(work.title))
        covered = len(cast(list[Json], cast(dict[str, Json], work.parameters["sound"])["spans"]))
        transcript = bool(work.parameters["said"])
    found: dict[str, Json] = {
        "recording": chosen.number,
        **choice.as_json(),
        "covered": covered,
        "transcript": transcript,
        **result,
    }
    tell(as_json, found, "\n".join(_lines(found)))


def _lines(found: dict[str, Json]) -> list[str]:
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
        lines.append(f"  The voices are as they were. {IDENTIFIES}")
    if measures["intonation"] is not None:
        lines.append(f"  Course of the pitch: correlation {measures['intonation']:.2f}.")
    if measures["speaking_rate_ratio"] is not None:
        lines.append(f"  Speaking rate: {measures['speaking_rate_ratio']:.2f} of what it was.")
    words, voices = measures["words"], measures["voices"]
    if words is None:
        lines.append("  Words are not compared: no model that recognises speech is installed.")
    elif words["errors_after"] is not None:
        before = "" if words["errors_before"] is None else f"{percent(words['errors_before'])} before, "
        against = "the transcript" if words["reference"] == "transcript" else "what was recognised before"
        lines.append(f"  Word errors against {against}: {before}{percent(words['errors_after'])} after.")
    if voices is None:
        lines.append("  Voices are not compared; for that: greenroom models fetch voice-embedding")
    else:
        lines += [f"  Voice of {who}: {cosine:.2f} like before." for who, cosine in voices["before_and_after"].items()]
        if voices["two_people_before"] is not None:
            lines.append(f"  Two different people before: {voices['two_people_before']:.2f} alike.")
    return lines
