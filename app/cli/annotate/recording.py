"""The group `recording`: add a view, align it, choose its sound track, mark a recording as done or hold it out."""

from pathlib import Path, PurePath
from typing import Any

import click

from annotate.study import recording_files
from annotate.study.recording_edits import (
    add_medium,
    choose_sound_track,
    move_medium,
    probe_file,
    sound_track_note,
    truncation_warning,
)
from annotate.study.recording_files import locate_sound
from annotate.team import assignments
from app.cli.command import EDIT, SOUND_TRACK, argument, command, option
from app.cli.console import Output, progress_bar, run_job
from project.entities.study_records import Medium, MediumRole, Recording
from project.errors import UserError
from project.queries.recording_rows import media_of
from project.session.session import Session
from project.text_format import escape_unprintable
from project.timebase import SECOND_US, parse_time

_ROLES = ("camera", "microphone")


@command(study=EDIT)
def add_view(
    session: Session,
    recording: Recording = option(),
    file: Path = argument(),
    role: str = option("What the file is.", choices=_ROLES),
    offset: str = option("Where it begins in the recording; may be negative.", default="0"),
    sound: int | None = SOUND_TRACK,
) -> Output:
    """Add another camera or microphone to a recording. The file stays where it is.

    \b
    Example:
      greenroom recording add-view my-study.greenroom --recording 1 ceiling.mp4 --role camera
      greenroom recording add-view my-study.greenroom --recording 1 lapel.wav --role microphone --offset -0:02.5
    """
    offset_us = -parse_time(offset[1:]) if offset.startswith("-") else parse_time(offset)
    with progress_bar("Reading") as bar:
        probed = probe_file(file, bar, sound_track=sound or 0)
    if role == "camera" and probed.facts.video is None:
        raise UserError(f"{escape_unprintable(file.name)} has no picture.", "Add it with --role microphone.")
    if role == "microphone" and probed.facts.audio is None:
        raise UserError(f"{escape_unprintable(file.name)} has no sound.", "Add it with --role camera.")
    before = {m.id for m in media_of(session.study, recording.id)}
    add_medium(session, recording.id, probed, MediumRole(role), offset_us)
    made = next(m for m in media_of(session.study, recording.id) if m.id not in before)
    lines = [
        f"Added {escape_unprintable(file.name)} to recording {recording.number} as {role}; "
        f"it begins at {_format_seconds(offset_us)}."
    ]
    if note := sound_track_note(probed.facts):
        lines.append(f"{note} is used.")
    early = truncation_warning(probed)
    return Output(
        {"recording": recording.number, "id": made.id, "role": role, "offset_s": offset_us / SECOND_US},
        [*lines, early] if early else lines,
    )


@command(study=EDIT)
def sync(
    session: Session,
    recording: Recording = option(),
    medium: str | None = option("File name or id of a further file; by default all further files with sound."),
    apply_it: bool = option("Move the files to where they were found to begin.", "--apply"),
) -> Output:
    """Find where the further files of a recording begin, by sound.

    Their sound is compared with the main file's. Where no place stands out, it says so and changes nothing.

    \b
    Example:
      greenroom recording sync my-study.greenroom --recording 1
      greenroom recording sync my-study.greenroom --recording 1 --medium lapel.wav --apply
    """
    chosen = _select_media(session, recording, medium)
    answers: list[dict[str, Any]] = []
    lines = []
    for chosen_medium in chosen:
        work = recording_files.prepare(session, recording.id, chosen_medium.id)
        found, _ = run_job(session, work)
        applied = apply_it and found.sure
        if applied:
            move_medium(session, recording.id, chosen_medium.id, found.offset_us)
        name = PurePath(chosen_medium.path).name
        answers.append(
            {
                "id": chosen_medium.id,
                "file": name,
                "sure": found.sure,
                "offset_s": found.offset_us / SECOND_US if found.sure else None,
                "confidence": round(found.confidence, 2),
                "drift_ppm": None if found.drift_ppm is None else round(found.drift_ppm, 1),
                "spread_ms": None if found.spread_us is None else found.spread_us / 1000,
                "applied": applied,
            }
        )
        lines.append(f"{escape_unprintable(name)}: {found.as_text()}{' Moved there.' if applied else ''}")
    return Output({"recording": recording.number, "media": answers}, lines)


@command(edits=("track",))
def sound(
    session: Session,
    recording: Recording = option(),
    medium: str | None = option("File name or id of a further file; by default the main file."),
    track: int | None = option("The sound track to use from now on, from 1.", type=click.IntRange(1)),
) -> Output:
    """Say which sound track is used, or choose another.

    The waveform, playing, speech and exports use it. What was transcribed from another track stays; transcribe
    again with --replace.

    \b
    Example:
      greenroom recording sound my-study.greenroom --recording 1
      greenroom recording sound my-study.greenroom --recording 1 --track 2
    """
    file = session.main_medium(recording.id) if medium is None else _select_medium(session, recording, medium)
    if file is None:
        raise UserError(f"Recording {recording.number} has no media file.", "Add its video first.")
    located = locate_sound(session, file)
    facts = file.facts
    if track is not None:
        probed = probe_file(located.path, sound_track=track)
        choose_sound_track(session, recording.id, file.id, probed)
        facts = probed.facts
    assert facts.audio is not None
    return Output(
        {"recording": recording.number, "id": file.id, "track": facts.audio.track, "tracks": facts.audio.tracks},
        f"{escape_unprintable(located.path.name)}: sound track {facts.audio.track} of {facts.audio.tracks}.",
    )


def _select_media(session: Session, owner: Recording, text: str | None) -> list[Medium]:
    if text is None:
        media = media_of(session.study, owner.id)
        heard = [m for m in media if m.role is not MediumRole.MAIN and m.facts.audio is not None]
        if not heard:
            raise UserError(
                f"Recording {owner.number} has no further file with sound.",
                "Add one: greenroom recording add-view STUDY --recording NUMBER FILE --role microphone",
            )
        return heard
    return [_select_medium(session, owner, text)]


def _select_medium(session: Session, owner: Recording, text: str) -> Medium:
    further = [m for m in media_of(session.study, owner.id) if m.role is not MediumRole.MAIN]
    fits = [m for m in further if text in (m.id, m.path, PurePath(m.path).name)]
    if len(fits) == 1:
        return fits[0]
    names = ", ".join(escape_unprintable(PurePath(m.path).name) for m in further) or "there are none"
    problem = "is the name of several further files" if fits else "is no further file"
    raise UserError(
        f"“{escape_unprintable(text)}” {problem} of recording {owner.number}.", f"Give a file name or an id: {names}."
    )


def _format_seconds(time_us: int) -> str:
    return f"{time_us / SECOND_US:.3f} s"


@command(study=EDIT, annotator=option("Whose it is.", required=True))
def done(
    session: Session,
    annotator: str,
    recording: Recording = option(),
    undone: bool = option("It is not done after all.", "--undo"),
) -> Output:
    """Mark a recording as done by its annotator.

    \b
    Example:
      greenroom recording done my-study.greenroom --recording 1 --annotator Ada
    """
    assignments.mark_done(session, recording.id, not undone)
    state = "not done" if undone else "done"
    result = {"recording": recording.number, "annotator": annotator, "done": not undone}
    return Output(result, f"Recording {recording.number}: {state} by {annotator}")


@command(study=EDIT)
def hold_out(session: Session, recording: Recording = option(), off: bool = option("Hold it out no longer.")) -> Output:
    """Hold a recording out: nothing of it is ever exported.

    \b
    Example:
      greenroom recording hold-out my-study.greenroom --recording 7
    """
    assignments.hold_out(session, recording.id, not off)
    state = "no longer held out" if off else "held out"
    return Output({"recording": recording.number, "held_out": not off}, f"Recording {recording.number}: {state}")
