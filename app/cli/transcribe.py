"""The command that finds speech and writes down what is said."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.output import Bar, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.names import shown
from project.percent import percent
from project.timebase import SECOND, format_seconds
from project.types import Json

if TYPE_CHECKING:
    from project.types import Recording, Utterance


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
    from app.core.commands.vocabulary import set_vocabulary
    from app.core.lookup import recording_called
    from app.core.rendering.batch import run_over
    from app.core.speech import transcription
    from app.core.speech import voice_activity as speech
    from app.core.speech.sound_files import has_sound
    from models.speech.languages import LANGUAGES, language_called
    from project.queries.heard import speech_of
    from project.queries.recordings import all_recordings
    from project.queries.utterances import utterances_of

    spoken = None if language is None else language_called(language)
    with Session.open(study) as session:
        session.study.require_writable()
        if prompt is not None:
            set_vocabulary(session, prompt)
        if recording is not None:
            chosen, left_out = [recording_called(session, recording)], []
        else:
            heard = [one for one in all_recordings(session.study) if has_sound(session, one.id)]
            done = {one.id for one in heard if utterances_of(session.study, one.id)}
            chosen = [one for one in heard if speech_only or replace or one.id not in done]
            left_out = [one for one in heard if one not in chosen]
        results = run_over(
            session,
            chosen,
            lambda one: (
                speech.prepare(session, one.id)
                if speech_only
                else transcription.prepare(session, one.id, model, spoken, replace=replace, processor=processor)
            ),
            lambda work: Bar(work.title),
        )
        stretches: list[Json] = []
        utterances: list[Json] = []
        recordings: list[Json] = []
        lines: list[str] = []
        for owner, result in results:
            found = speech_of(session.study, owner.id) or []
            said = [] if speech_only else utterances_of(session.study, owner.id)
            stretches += [{"recording": owner.number, "start": s / SECOND, "end": e / SECOND} for s, e in found]
            utterances += [_described(owner, one) for one in said]
            facts: dict[str, Json] = {
                key: result[key] for key in ("language", "language_certainty", "chunks", "seconds") if key in result
            }
            recordings.append({"recording": owner.number, **facts, "utterances": len(said)})
            total = sum(end - start for start, end in found)
            lines.append(
                f"Recording {owner.number}: {counted(len(found), 'place')} where somebody speaks, "
                f"{format_seconds(total)}"
            )
            if "language" in result and result["language_certainty"] not in (0, 1):
                sure = float(str(result["language_certainty"]))
                lines[-1] += f"; it sounds like {LANGUAGES[str(result['language'])]} ({percent(sure, 0)} sure)"
            lines += [f"  [{one.start_us / SECOND:.2f}-{one.end_us / SECOND:.2f}] {shown(one.text)}" for one in said]
    lines += [f"Recording {one.number} has a transcript already; --replace renews its drafts." for one in left_out]
    tell(
        as_json,
        {"speech": stretches, "utterances": utterances, "recordings": recordings},
        "\n".join(lines) or "The study has no recordings with sound yet.",
    )


def _described(owner: "Recording", one: "Utterance") -> dict[str, Json]:
    from app.core.speech.transcript_files import words_of

    return {
        "id": one.id,
        "recording": owner.number,
        "start": one.start_us / SECOND,
        "end": one.end_us / SECOND,
        "text": one.text,
        "words": words_of(one),
    }
