"""The command that suggests who speaks."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.timebase import SECOND, format_seconds
from project.types import Json, ParticipantRole, Recording

if TYPE_CHECKING:
    from app.core.speech.speaker_suggestions import FoundSpeaker, SpeakerFlag

_ROLES = [one.value for one in ParticipantRole]


@click.command()
@STUDY
@click.option("--recording", help="Number, file name or id; all with a transcript or found speech when not given.")
@click.option("--number", type=click.IntRange(1, 50), help="How many people speak; found out when not given.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="N=PSEUDONYM",
    help="Say who speaker N of the last search is, instead of searching; a new pseudonym makes a participant.",
)
@click.option("--role", default="user", show_default=True, type=click.Choice(_ROLES), help="Of a new participant.")
@click.option("--accept", is_flag=True, help="Accept all suggestions that are in the transcript, instead of searching.")
@json_option
def speakers(
    study: Path,
    recording: str | None,
    number: int | None,
    names: tuple[str, ...],
    role: str,
    accept: bool,
    as_json: bool,
) -> None:
    """Suggest who speaks, by voices and by mouths.

    Suggestions are written into the transcript, never over what a person chose, and look different until somebody
    accepts them. Track faces and say whose they are first, then voices get their participants.

    \b
    Example:
      greenroom speakers my-study.greenroom --recording 1
      greenroom speakers my-study.greenroom --recording 1 --number 2
      greenroom speakers my-study.greenroom --recording 1 --name 2=P04 --role user
      greenroom speakers my-study.greenroom --recording 1 --accept
    """
    from app.core.lookup import recording_called
    from app.core.rendering.batch import run_over
    from app.core.speech import speakers as job
    from project.queries.heard import speech_of
    from project.queries.recordings import all_recordings
    from project.queries.utterances import utterances_of

    with Session.open(study) as session:
        session.study.require_writable()
        if recording is not None:
            chosen = [recording_called(session, recording)]
        elif names:
            raise UserError("Speakers are named in one recording.", "Say which: --recording NUMBER")
        else:
            chosen = [
                one
                for one in all_recordings(session.study)
                if utterances_of(session.study, one.id) or speech_of(session.study, one.id)
            ]
        for text in names:
            _name(session, chosen[0], text, ParticipantRole(role))
        if accept:
            _accept(session, chosen)
        if not names and not accept:
            for _ in run_over(
                session, chosen, lambda one: job.prepare(session, one.id, number), lambda work: Bar(work.title)
            ):
                pass
        found: list[Json] = []
        lines: list[str] = []
        for one in chosen:
            described, told = _described(session, one)
            found.append(described)
            lines += told
    nothing = "No recording has a transcript or found speech yet. Begin with: greenroom transcribe STUDY"
    tell(as_json, {"recordings": found}, "\n".join(lines) or nothing)


def _name(session: Session, recording: Recording, text: str, role: ParticipantRole) -> None:
    from app.core.commands.speakers import name_speaker, name_speaker_new
    from project.queries.participants import all_participants

    number, _, pseudonym = text.partition("=")
    if not number.strip().isdecimal() or not pseudonym.strip():
        raise UserError(
            f"“{text}” does not say who a speaker is.", "Write the number and the pseudonym, such as 2=P04."
        )
    known = {one.pseudonym: one.id for one in all_participants(session.study)}
    if pseudonym.strip() in known:
        name_speaker(session, recording.id, int(number), known[pseudonym.strip()])
    else:
        name_speaker_new(session, recording.id, int(number), pseudonym, role)


def _accept(session: Session, recordings: list[Recording]) -> None:
    from app.core.commands.who_speaks import accept_speakers
    from app.core.speech.speaker_suggestions import speakers_found
    from project.queries.utterances import utterances_of

    ids = [
        one.id
        for recording in recordings
        for one in utterances_of(session.study, recording.id)
        if one.suggested and one.participant_id is not None
    ]
    if not ids:
        unnamed = any(one.participant_id is None for each in recordings for one in speakers_found(session, each.id))
        raise UserError(
            "No suggestion of a speaker waits here.",
            "The speakers that were found are no participants yet. Say who they are, such as: --name 1=P01"
            if unnamed
            else "Find some: greenroom speakers STUDY",
        )
    accept_speakers(session, ids)


def _described(session: Session, recording: Recording) -> tuple[dict[str, Json], list[str]]:
    from app.core.speech.speaker_suggestions import speaker_flags, speakers_found, suggestions_of
    from project.queries.participants import all_participants
    from project.queries.utterances import utterances_of

    names = {one.id: one.pseudonym for one in all_participants(session.study)}
    rows = suggestions_of(session, recording.id)
    now = {one.id: names.get(one.participant_id or "") for one in utterances_of(session.study, recording.id)}
    found, flags = speakers_found(session, recording.id), speaker_flags(session, recording.id)
    suggestions: list[Json] = [
        {
            "utterance": one["utterance"] or None,
            "start": one["start_us"] / SECOND,
            "end": one["end_us"] / SECOND,
            "speaker": one["speaker"],
            "participant": names.get(one["participant"]),
            "confidence": one["confidence"],
        }
        for one in rows
    ]
    described: dict[str, Json] = {
        "recording": recording.number,
        "speakers": [_speaker(one, names) for one in found],
        "suggestions": suggestions,
        "flags": [_flag(one) for one in flags],
    }
    lines = [
        f"Recording {recording.number}: {counted(len(found), 'speaker')}, {counted(len(flags), 'place')} to look at"
    ]
    lines += [
        f"  {one.label}: {_whose(one, names, now)}, {format_seconds(one.seconds * SECOND)} of speech, "
        f"confidence {one.confidence:.2f}"
        for one in found
    ]
    lines += [f"  [{one.start_us / SECOND:.2f}-{one.end_us / SECOND:.2f}] {one.text}" for one in flags]
    return described, lines


def _whose(one: "FoundSpeaker", names: dict[str, str], now: dict[str, str | None]) -> str:
    """Say whose a voice is: by the search, or by those whom people have said since."""
    named = {name for key in one.utterance_ids if (name := now.get(key))}
    return names.get(one.participant_id or "") or " or ".join(sorted(named)) or "no participant yet"


def _speaker(one: "FoundSpeaker", names: dict[str, str]) -> dict[str, Json]:
    return {
        "number": one.number,
        "label": one.label,
        "participant": names.get(one.participant_id or ""),
        "seconds": one.seconds,
        "confidence": one.confidence,
        "utterances": len(one.utterance_ids),
        "faces": [*one.tracks],
    }


def _flag(one: "SpeakerFlag") -> dict[str, Json]:
    return {
        "kind": one.kind.value,
        "utterance": one.utterance_id,
        "start": one.start_us / SECOND,
        "end": one.end_us / SECOND,
        "text": one.text,
    }
