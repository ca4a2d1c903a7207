"""Commands about transcripts: transcribe speech, suggest speakers, show, import and export."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.command import EDIT, KEEP_REST, argument, command, option
from app.cli.console import UNSCRUBBED_NOTE, Bar, Output, record
from project.entities.study_records import ParticipantRole, Recording
from project.errors import UserError, unknown_choice
from project.queries.recording_rows import all_participants, all_recordings, pseudonyms
from project.queries.transcript_rows import speech_spans, utterances_of
from project.session.session import Session
from project.text_format import escape_unprintable, format_percent, pluralize
from project.timebase import SECOND_US, format_seconds

if TYPE_CHECKING:
    from annotate.speech.speaker_suggestions import FoundSpeaker
    from project.entities.study_records import Utterance


@command()
def show(session: Session, recording: Recording = option()) -> Output:
    """Print a transcript, one line an utterance, with cues in brackets.

    \b
    Example:
      greenroom speech show my-study.greenroom --recording 1
    """
    from annotate.transcript.conversation_history import export_lines, transcript_to_json

    found = {"recording": recording.number, **transcript_to_json(session, recording.id)}
    lines = export_lines(session, recording.id).rstrip("\n")
    empty = f"Recording {recording.number} has no transcript yet. Make one: greenroom speech transcribe STUDY"
    return Output(found, lines or empty)


@command(study=EDIT)
def import_file(
    session: Session,
    recording: Recording = option(),
    file: Path = argument(),
    key: str | None = option("Of `greenroom segment import`, such as srt; by default seen from the file.", "--format"),
    replace: bool = option("Replace drafts that nobody touched; what people wrote stays."),
    keep_rest: bool = KEEP_REST,
) -> Output:
    """Take a transcript from a file: SRT, WebVTT, TextGrid, ELAN, CSV.

    It is one step that undo takes back.

    \b
    Example:
      greenroom speech import my-study.greenroom --recording 1 subtitles.srt
    """
    from annotate.transcript.transcript_files import import_transcript

    made = import_transcript(session, recording.id, file, key, replace_drafts=replace, keep_rest=keep_rest)
    counts = {name: getattr(made, name) for name in ("added", "known", "removed", "left_out")}
    known = f"; {made.known} were there already" if made.known else ""
    removed = f"; {pluralize(made.removed, 'draft')} made room" if made.removed else ""
    said = f"Imported {pluralize(made.added, 'utterance')} into recording {recording.number}{known}{removed}."
    result = {"recording": recording.number, **counts, "remarks": made.remarks}
    return Output(result, [*made.remarks, said])


@command()
def export_file(
    session: Session,
    recording: Recording = option(),
    file: Path | None = argument(),
    key: str | None = option(
        "lines, json, srt, webvtt, textgrid, eaf or csv; by default seen from the file's name.", "--format"
    ),
    force: bool = option("Replace a file of the same name."),
) -> Output:
    """Write a transcript to a file, or print it where no file is named. Hold-outs are never exported.

    It is raw: names and all else that is personal is in it. `greenroom pii apply` writes copies without.

    \b
    Example:
      greenroom speech export my-study.greenroom --recording 1 dialogue.srt
      greenroom speech export my-study.greenroom --recording 1 --format json
    """
    from annotate.interchange.annotation_files import get_format
    from annotate.transcript.transcript_files import (
        JSON,
        LINES,
        TRANSCRIPT_FORMATS,
        export_transcript,
        guess_transcript_format,
        transcript_text,
    )

    wanted = key or (LINES if file is None else guess_transcript_format(file))
    if wanted not in TRANSCRIPT_FORMATS:
        raise unknown_choice("format for transcripts", wanted, TRANSCRIPT_FORMATS)
    if file is None and wanted not in (LINES, JSON):
        raise UserError(f"The format {wanted} cannot be printed.", "Give a file to write to.")
    count = len(utterances_of(session.study, recording.id))
    result = {"recording": recording.number, "format": wanted, "utterances": count}
    if file is None:
        text = transcript_text(session, recording.id, wanted)
        result["text"] = text
        lines = text.rstrip("\n") or f"Recording {recording.number} has no transcript yet."
    else:
        export_transcript(session, recording.id, file, wanted, overwrite=force)
        losses = () if wanted in (LINES, JSON) else get_format(wanted).losses
        result |= {"file": file, "losses": losses}
        lines = "\n".join(
            [
                f"Wrote {pluralize(count, 'utterance')} to {file}",
                *(f"  Not held by it: {loss}" for loss in losses),
                UNSCRUBBED_NOTE,
            ]
        )
    return Output(result, lines)


_ROLES = [participant_role.value for participant_role in ParticipantRole]


@command(study=EDIT)
def speakers(
    session: Session,
    recording: Recording | None = option("Number, file name or id; by default all with a transcript or found speech."),
    number: int | None = option("How many people speak; by default found out.", type=click.IntRange(1, 50)),
    names: tuple[str, ...] = option(
        "Say who speaker N of the last search is, instead of searching; a new pseudonym makes a participant.",
        "--name",
        metavar="N=PSEUDONYM",
    ),
    role: str = option("Of a new participant.", default="user", choices=_ROLES),
    accept: bool = option("Accept all suggestions that are in the transcript, instead of searching."),
) -> Output:
    """Suggest who speaks, by voices and by mouths.

    Suggestions are written into the transcript, never over what a person chose, and look different until somebody
    accepts them. Track faces and say whose they are first, then voices get their participants.

    \b
    Example:
      greenroom speech speakers my-study.greenroom --recording 1
      greenroom speech speakers my-study.greenroom --recording 1 --number 2
      greenroom speech speakers my-study.greenroom --recording 1 --name 2=P04 --role user
      greenroom speech speakers my-study.greenroom --recording 1 --accept
    """
    from annotate.speech import speaker_detection
    from anonymize.export.export_job import run_jobs

    if recording is not None:
        chosen = [recording]
    elif names:
        raise UserError("Speakers are named in one recording only.", "Give it: --recording NUMBER")
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
    found: list[Any] = []
    lines: list[str] = []
    for owner in chosen:
        described, told = _describe_speakers(session, owner)
        found.append(described)
        lines += told
    nothing = "No recording has a transcript or found speech yet. Begin with: greenroom speech transcribe STUDY"
    return Output({"recordings": found}, lines or nothing)


def _name_speaker(session: Session, recording: Recording, text: str, role: ParticipantRole) -> None:
    from annotate.speech.speaker_suggestions import name_speaker, name_speaker_as_new

    number, _, pseudonym = text.partition("=")
    if not number.strip().isdecimal() or not pseudonym.strip():
        raise UserError(f"“{text}” does not name a speaker.", "Give the number and the pseudonym, such as 2=P04.")
    known = {participant.pseudonym: participant.id for participant in all_participants(session.study)}
    if pseudonym.strip() in known:
        name_speaker(session, recording.id, int(number), known[pseudonym.strip()])
    else:
        name_speaker_as_new(session, recording.id, int(number), pseudonym, role)


def _accept_suggestions(session: Session, recordings: list[Recording]) -> None:
    from annotate.speech.speaker_suggestions import list_speakers
    from annotate.transcript.transcript_edits import accept_speakers

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
            "There are no suggestions of speakers.",
            "The speakers that were found are no participants yet. Say who they are, such as: --name 1=P01"
            if unnamed
            else "Find some: greenroom speech speakers STUDY",
        )
    accept_speakers(session, ids)


def _describe_speakers(session: Session, recording: Recording) -> tuple[dict[str, Any], list[str]]:
    from annotate.speech.speaker_suggestions import list_speaker_flags, list_speakers, read_findings

    names = pseudonyms(session.study)
    now = {
        utterance.id: names.get(utterance.participant_id or "")
        for utterance in utterances_of(session.study, recording.id)
    }
    found, flags = list_speakers(session, recording.id), list_speaker_flags(session, recording.id)
    suggestions = [
        record(guess, "track", "faces", "nobody", participant=names.get(guess.participant or ""))
        for guess in read_findings(session, recording.id).suggestions
    ]
    described = {
        "recording": recording.number,
        "speakers": [
            record(
                speaker,
                *("participant_id", "tracks", "stretches", "utterance_ids"),
                label=speaker.label,
                participant=names.get(speaker.participant_id or ""),
                utterances=len(speaker.utterance_ids),
                faces=speaker.tracks,
            )
            for speaker in found
        ],
        "suggestions": suggestions,
        "flags": [record(flag, "utterance_id", utterance=flag.utterance_id) for flag in flags],
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


@command(study=EDIT)
def transcribe(
    session: Session,
    recording: Recording | None = option("Number, file name or id; by default all that have sound."),
    model: str | None = option("What recognises; by default the best that is installed.", metavar="NAME|FOLDER"),
    language: str | None = option("Code or English name of what is spoken; by default the model finds out."),
    speech_only: bool = option("Only find where somebody speaks; needs no model."),
    replace: bool = option("Replace drafts that nobody touched; what people wrote stays."),
    prompt: str | None = option("Words that are likely to be said, as they are spelled; kept in the study."),
    processor: str = option(
        "What recognition runs on; auto: an NVIDIA GPU where there is one.",
        default="auto",
        choices=["auto", "cpu", "cuda"],
    ),
) -> Output:
    """Find where somebody speaks, and write down what is said.

    The words are drafts in the transcript until somebody checks them. What was recognised before an interruption is
    not recognised again.

    \b
    Example:
      greenroom speech transcribe my-study.greenroom --recording 1
      greenroom speech transcribe my-study.greenroom --model whisper-small --language German --prompt "Nao, Jülich"
      greenroom speech transcribe my-study.greenroom --speech-only
    """
    from annotate.speech import transcription, voice_activity
    from annotate.study.recording_files import has_sound
    from annotate.transcript.utterance_drafts import set_vocabulary
    from anonymize.export.export_job import run_jobs
    from models.speech.whisper_languages import LANGUAGES, find_language

    spoken = None if language is None else find_language(language)
    if prompt is not None:
        set_vocabulary(session, prompt)
    if recording is not None:
        chosen, left_out = [recording], []
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
    stretches: list[Any] = []
    utterances: list[Any] = []
    recordings: list[Any] = []
    lines: list[str] = []
    for owner, result in results:
        found = speech_spans(session.study, owner.id) or []
        said = [] if speech_only else utterances_of(session.study, owner.id)
        stretches += [{"recording": owner.number, "start": s / SECOND_US, "end": e / SECOND_US} for s, e in found]
        utterances += [_utterance_json(owner, utterance) for utterance in said]
        facts = {
            key: getattr(result, key)
            for key in ("language", "language_certainty", "chunks", "seconds")
            if hasattr(result, key)
        }
        recordings.append({"recording": owner.number, **facts, "utterances": len(said)})
        total = sum(end - start for start, end in found)
        lines.append(
            f"Recording {owner.number}: {pluralize(len(found), 'place')} where somebody speaks, {format_seconds(total)}"
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
    return Output(
        {"speech": stretches, "utterances": utterances, "recordings": recordings},
        lines or "The study has no recordings with sound yet.",
    )


def _utterance_json(owner: Recording, utterance: "Utterance") -> dict[str, Any]:
    ids = ("recording_id", "participant_id", "checked", "suggested")
    return record(utterance, *ids, recording=owner.number)
