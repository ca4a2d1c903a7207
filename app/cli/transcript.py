"""Commands about transcripts: transcribe speech, suggest speakers, show, import and export."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.command import KEEP_REST, STUDY, UNSCRUBBED_NOTE, Bar, json_option, print_result
from project.entities.study_records import Json, ParticipantRole, Recording
from project.errors import UserError
from project.session.session import Session
from project.text_format import escape_unprintable, format_percent, pluralize
from project.timebase import SECOND_US, format_seconds

if TYPE_CHECKING:
    from annotate.speech.speaker_suggestions import FoundSpeaker, SpeakerFlag
    from project.entities.study_records import Utterance


_RECORDING = click.option("--recording", required=True, help="Number, file name or id.")


@click.group()
def transcript() -> None:
    """Show, import or export what is said in a recording.

    \b
    Example:
      greenroom transcript show my-study.greenroom --recording 1
    """


@transcript.command()
@STUDY
@_RECORDING
@json_option
def show(study: Path, recording: str, as_json: bool) -> None:
    """Print a transcript, one line an utterance, with cues in brackets.

    \b
    Example:
      greenroom transcript show my-study.greenroom --recording 1
    """
    from annotate.transcript.conversation_history import export_lines, transcript_to_json
    from project.session.session import resolve_recording

    with Session.open(study, read_only=True) as session:
        owner = resolve_recording(session, recording)
        found: dict[str, Json] = {"recording": owner.number, **transcript_to_json(session, owner.id)}
        lines = export_lines(session, owner.id).rstrip("\n")
    empty = f"Recording {owner.number} has no transcript yet. Make one: greenroom transcribe STUDY"
    print_result(as_json, found, lines or empty)


@transcript.command("import")
@STUDY
@_RECORDING
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "key", help="Of `greenroom import`, such as srt; seen from the file when not given.")
@click.option("--replace", is_flag=True, help="Replace drafts that nobody touched; what people wrote stays.")
@KEEP_REST
@json_option
def import_file(
    study: Path, recording: str, file: Path, key: str | None, replace: bool, keep_rest: bool, as_json: bool
) -> None:
    """Take a transcript from a file: SRT, WebVTT, TextGrid, ELAN, CSV.

    It is one step that undo takes back.

    \b
    Example:
      greenroom transcript import my-study.greenroom --recording 1 subtitles.srt
    """
    from annotate.transcript.transcript_files import import_transcript
    from project.session.session import resolve_recording

    with Session.open(study) as session:
        session.study.require_writable()
        owner = resolve_recording(session, recording)
        made = import_transcript(session, owner.id, file, key, replace_drafts=replace, keep_rest=keep_rest)
    counts: dict[str, Json] = {name: getattr(made, name) for name in ("added", "known", "removed", "left_out")}
    known = f"; {made.known} were there already" if made.known else ""
    removed = f"; {pluralize(made.removed, 'draft')} made room" if made.removed else ""
    said = f"Imported {pluralize(made.added, 'utterance')} into recording {owner.number}{known}{removed}."
    result: dict[str, Json] = {"recording": owner.number, **counts, "remarks": [*made.remarks]}
    print_result(as_json, result, "\n".join([*made.remarks, said]))


@transcript.command("export")
@STUDY
@_RECORDING
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--format", "key", help="lines, json, srt, webvtt, textgrid, eaf or csv; by the file's name otherwise.")
@click.option("--force", is_flag=True, help="Replace a file of the same name.")
@json_option
def export_file(study: Path, recording: str, file: Path | None, key: str | None, force: bool, as_json: bool) -> None:
    """Write a transcript to a file, or print it where no file is named. Hold-outs are never exported.

    It is raw: names and all else that is personal is in it. `greenroom pii apply` writes copies without.

    \b
    Example:
      greenroom transcript export my-study.greenroom --recording 1 dialogue.srt
      greenroom transcript export my-study.greenroom --recording 1 --format json
    """
    from annotate.interchange.annotation_files import get_format
    from annotate.transcript.transcript_files import (
        FORMATS,
        JSON,
        LINES,
        export_transcript,
        guess_transcript_format,
        transcript_text,
    )
    from project.errors import UserError
    from project.queries.transcript_rows import utterances_of
    from project.session.session import resolve_recording
    from project.text_format import escape_unprintable

    wanted = key or (LINES if file is None else guess_transcript_format(file))
    if wanted not in FORMATS:
        raise UserError(
            f"A transcript is not written as “{escape_unprintable(wanted)}”.", f"Choose one of {', '.join(FORMATS)}."
        )
    if file is None and wanted not in (LINES, JSON):
        raise UserError(f"A transcript is not printed as {wanted}.", "Name a file to write it to.")
    with Session.open(study, read_only=True) as session:
        owner = resolve_recording(session, recording)
        count = len(utterances_of(session.study, owner.id))
        result: dict[str, Json] = {"recording": owner.number, "format": wanted, "utterances": count}
        if file is None:
            text = transcript_text(session, owner.id, wanted)
            result["text"] = text
            lines = text.rstrip("\n") or f"Recording {owner.number} has no transcript yet."
        else:
            export_transcript(session, owner.id, file, wanted, overwrite=force)
            losses = () if wanted in (LINES, JSON) else get_format(wanted).losses
            result |= {"file": str(file), "losses": [*losses]}
            lines = "\n".join(
                [
                    f"Wrote {pluralize(count, 'utterance')} to {file}",
                    *(f"  Not held by it: {loss}" for loss in losses),
                    UNSCRUBBED_NOTE,
                ]
            )
    print_result(as_json, result, lines)


_ROLES = [participant_role.value for participant_role in ParticipantRole]


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
    from annotate.speech import speaker_detection
    from anonymize.export.export_job import run_jobs
    from project.queries.recording_rows import all_recordings
    from project.queries.transcript_rows import speech_spans, utterances_of
    from project.session.session import resolve_recording

    with Session.open(study) as session:
        session.study.require_writable()
        if recording is not None:
            chosen = [resolve_recording(session, recording)]
        elif names:
            raise UserError("Speakers are named in one recording.", "Say which: --recording NUMBER")
        else:
            chosen = [
                owner
                for owner in all_recordings(session.study)
                if utterances_of(session.study, owner.id) or speech_spans(session.study, owner.id)
            ]
        for text in names:
            _name_speaker(session, chosen[0], text, ParticipantRole(role))
        if accept:
            _accept_suggestions(session, chosen)
        if not names and not accept:
            for _ in run_jobs(
                session,
                chosen,
                lambda owner: speaker_detection.prepare(session, owner.id, number),
                lambda work: Bar(work.title),
            ):
                pass
        found: list[Json] = []
        lines: list[str] = []
        for owner in chosen:
            described, told = _describe_speakers(session, owner)
            found.append(described)
            lines += told
    nothing = "No recording has a transcript or found speech yet. Begin with: greenroom transcribe STUDY"
    print_result(as_json, {"recordings": found}, "\n".join(lines) or nothing)


def _name_speaker(session: Session, recording: Recording, text: str, role: ParticipantRole) -> None:
    from annotate.speech.speaker_suggestions import name_speaker, name_speaker_as_new
    from project.queries.recording_rows import all_participants

    number, _, pseudonym = text.partition("=")
    if not number.strip().isdecimal() or not pseudonym.strip():
        raise UserError(
            f"“{text}” does not say who a speaker is.", "Write the number and the pseudonym, such as 2=P04."
        )
    known = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
    if pseudonym.strip() in known:
        name_speaker(session, recording.id, int(number), known[pseudonym.strip()])
    else:
        name_speaker_as_new(session, recording.id, int(number), pseudonym, role)


def _accept_suggestions(session: Session, recordings: list[Recording]) -> None:
    from annotate.speech.speaker_suggestions import list_speakers
    from annotate.transcript.transcript_edits import accept_speakers
    from project.queries.transcript_rows import utterances_of

    ids = [
        utterance.id
        for recording in recordings
        for utterance in utterances_of(session.study, recording.id)
        if utterance.suggested and utterance.participant_id is not None
    ]
    if not ids:
        unnamed = any(
            speaker.participant_id is None for owner in recordings for speaker in list_speakers(session, owner.id)
        )
        raise UserError(
            "No suggestion of a speaker waits here.",
            "The speakers that were found are no participants yet. Say who they are, such as: --name 1=P01"
            if unnamed
            else "Find some: greenroom speakers STUDY",
        )
    accept_speakers(session, ids)


def _describe_speakers(session: Session, recording: Recording) -> tuple[dict[str, Json], list[str]]:
    from annotate.speech.speaker_suggestions import list_speaker_flags, list_speakers, read_suggestions
    from project.queries.recording_rows import all_participants
    from project.queries.transcript_rows import utterances_of

    names = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
    rows = read_suggestions(session, recording.id)
    now = {
        utterance.id: names.get(utterance.participant_id or "")
        for utterance in utterances_of(session.study, recording.id)
    }
    found, flags = list_speakers(session, recording.id), list_speaker_flags(session, recording.id)
    suggestions: list[Json] = [
        {
            "utterance": row["utterance"] or None,
            "start": row["start_us"] / SECOND_US,
            "end": row["end_us"] / SECOND_US,
            "speaker": row["speaker"],
            "participant": names.get(row["participant"]),
            "confidence": row["confidence"],
        }
        for row in rows
    ]
    described: dict[str, Json] = {
        "recording": recording.number,
        "speakers": [_speaker_json(found_speaker, names) for found_speaker in found],
        "suggestions": suggestions,
        "flags": [_flag_json(flag) for flag in flags],
    }
    lines = [
        f"Recording {recording.number}: {pluralize(len(found), 'speaker')}, {pluralize(len(flags), 'place')} to look at"
    ]
    lines += [
        f"  {found_speaker.label}: {_speaker_owner(found_speaker, names, now)}, "
        f"{format_seconds(found_speaker.seconds * SECOND_US)} of speech, confidence {found_speaker.confidence:.2f}"
        for found_speaker in found
    ]
    lines += [f"  [{flag.start_us / SECOND_US:.2f}-{flag.end_us / SECOND_US:.2f}] {flag.text}" for flag in flags]
    return described, lines


def _speaker_owner(found_speaker: "FoundSpeaker", names: dict[str, str], now: dict[str, str | None]) -> str:
    """Return whose voice it is: as the search found, or as people have said since."""
    named = {name for key in found_speaker.utterance_ids if (name := now.get(key))}
    return names.get(found_speaker.participant_id or "") or " or ".join(sorted(named)) or "no participant yet"


def _speaker_json(found_speaker: "FoundSpeaker", names: dict[str, str]) -> dict[str, Json]:
    return {
        "number": found_speaker.number,
        "label": found_speaker.label,
        "participant": names.get(found_speaker.participant_id or ""),
        "seconds": found_speaker.seconds,
        "confidence": found_speaker.confidence,
        "utterances": len(found_speaker.utterance_ids),
        "faces": [*found_speaker.tracks],
    }


def _flag_json(speaker_flag: "SpeakerFlag") -> dict[str, Json]:
    return {
        "kind": speaker_flag.kind.value,
        "utterance": speaker_flag.utterance_id,
        "start": speaker_flag.start_us / SECOND_US,
        "end": speaker_flag.end_us / SECOND_US,
        "text": speaker_flag.text,
    }


@click.command()
@STUDY
@click.option("--recording", help="Number, file name or id; all that have sound when not given.")
@click.option("--model", metavar="NAME|FOLDER", help="What recognises; the best that is installed when not given.")
@click.option("--language", help="Code or English name of what is spoken; the model finds out when not given.")
@click.option("--speech-only", is_flag=True, help="Only find where somebody speaks; needs no model.")
@click.option("--replace", is_flag=True, help="Replace drafts that nobody touched; what people wrote stays.")
@click.option("--prompt", help="Words that are likely to be said, as they are spelled; kept in the study.")
@click.option(
    "--processor",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "cpu", "cuda"]),
    help="What recognition runs on; auto: an NVIDIA GPU where there is one.",
)
@json_option
def transcribe(
    study: Path,
    recording: str | None,
    model: str | None,
    language: str | None,
    speech_only: bool,
    replace: bool,
    prompt: str | None,
    processor: str,
    as_json: bool,
) -> None:
    """Find where somebody speaks, and write down what is said.

    The words are drafts in the transcript until somebody checks them. What was recognised before an interruption is
    not recognised again.

    \b
    Example:
      greenroom transcribe my-study.greenroom --recording 1
      greenroom transcribe my-study.greenroom --model whisper-small --language German --prompt "Nao, Jülich"
      greenroom transcribe my-study.greenroom --speech-only
    """
    from annotate.speech import transcription, voice_activity
    from annotate.study.recording_files import has_sound
    from annotate.transcript.utterance_drafts import set_vocabulary
    from anonymize.export.export_job import run_jobs
    from models.speech.whisper_languages import LANGUAGES, find_language
    from project.queries.recording_rows import all_recordings
    from project.queries.transcript_rows import speech_spans, utterances_of
    from project.session.session import resolve_recording

    spoken = None if language is None else find_language(language)
    with Session.open(study) as session:
        session.study.require_writable()
        if prompt is not None:
            set_vocabulary(session, prompt)
        if recording is not None:
            chosen, left_out = [resolve_recording(session, recording)], []
        else:
            heard = [owner for owner in all_recordings(session.study) if has_sound(session, owner.id)]
            done = {owner.id for owner in heard if utterances_of(session.study, owner.id)}
            chosen = [owner for owner in heard if speech_only or replace or owner.id not in done]
            left_out = [owner for owner in heard if owner not in chosen]
        results = run_jobs(
            session,
            chosen,
            lambda owner: (
                voice_activity.prepare(session, owner.id)
                if speech_only
                else transcription.prepare(session, owner.id, model, spoken, replace=replace, processor=processor)
            ),
            lambda work: Bar(work.title),
        )
        stretches: list[Json] = []
        utterances: list[Json] = []
        recordings: list[Json] = []
        lines: list[str] = []
        for owner, result in results:
            found = speech_spans(session.study, owner.id) or []
            said = [] if speech_only else utterances_of(session.study, owner.id)
            stretches += [{"recording": owner.number, "start": s / SECOND_US, "end": e / SECOND_US} for s, e in found]
            utterances += [_utterance_json(owner, utterance) for utterance in said]
            facts: dict[str, Json] = {
                key: getattr(result, key)
                for key in ("language", "language_certainty", "chunks", "seconds")
                if hasattr(result, key)
            }
            recordings.append({"recording": owner.number, **facts, "utterances": len(said)})
            total = sum(end - start for start, end in found)
            lines.append(
                f"Recording {owner.number}: {pluralize(len(found), 'place')} where somebody speaks, "
                f"{format_seconds(total)}"
            )
            if not speech_only and result.language_certainty not in (0, 1):
                sure = format_percent(result.language_certainty, 0)
                lines[-1] += f"; it sounds like {LANGUAGES[result.language]} ({sure} sure)"
            lines += [
                f"  [{utterance.start_us / SECOND_US:.2f}-{utterance.end_us / SECOND_US:.2f}] "
                f"{escape_unprintable(utterance.text)}"
                for utterance in said
            ]
    lines += [f"Recording {owner.number} has a transcript already; --replace renews its drafts." for owner in left_out]
    print_result(
        as_json,
        {"speech": stretches, "utterances": utterances, "recordings": recordings},
        "\n".join(lines) or "The study has no recordings with sound yet.",
    )


def _utterance_json(owner: "Recording", utterance: "Utterance") -> dict[str, Json]:
    from annotate.transcript.transcript_files import words_to_json

    return {
        "id": utterance.id,
        "recording": owner.number,
        "start": utterance.start_us / SECOND_US,
        "end": utterance.end_us / SECOND_US,
        "text": utterance.text,
        "words": words_to_json(utterance),
    }
