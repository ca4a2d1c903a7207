"""Commands that show a transcript, and bring it in and out."""

from pathlib import Path

import click

from app.cli.output import RAW, json_option, tell
from app.cli.study import STUDY
from app.core.session import Session
from project.counted import counted
from project.types import Json

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
    from app.core.cues.lines import as_json as transcript_json
    from app.core.cues.lines import export_lines
    from app.core.lookup import recording_called

    with Session.open(study, read_only=True) as session:
        owner = recording_called(session, recording)
        found: dict[str, Json] = {"recording": owner.number, **transcript_json(session, owner.id)}
        lines = export_lines(session, owner.id).rstrip("\n")
    empty = f"Recording {owner.number} has no transcript yet. Make one: greenroom transcribe STUDY"
    tell(as_json, found, lines or empty)


@transcript.command("import")
@STUDY
@_RECORDING
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "key", help="Of `greenroom import`, such as srt; seen from the file when not given.")
@click.option("--replace", is_flag=True, help="Replace drafts that nobody touched; what people wrote stays.")
@json_option
def import_file(study: Path, recording: str, file: Path, key: str | None, replace: bool, as_json: bool) -> None:
    """Take a transcript from a file: SRT, WebVTT, TextGrid, ELAN, CSV.

    It is one step that undo takes back.

    \b
    Example:
      greenroom transcript import my-study.greenroom --recording 1 subtitles.srt
    """
    from app.core.lookup import recording_called
    from app.core.speech.transcript_files import import_transcript

    with Session.open(study) as session:
        session.study.require_writable()
        owner = recording_called(session, recording)
        made = import_transcript(session, owner.id, file, key, replace_drafts=replace)
    counts: dict[str, Json] = {name: getattr(made, name) for name in ("added", "known", "removed", "left_out")}
    known = f"; {made.known} were there already" if made.known else ""
    removed = f"; {counted(made.removed, 'draft')} made room" if made.removed else ""
    said = f"Imported {counted(made.added, 'utterance')} into recording {owner.number}{known}{removed}."
    result: dict[str, Json] = {"recording": owner.number, **counts, "remarks": [*made.remarks]}
    tell(as_json, result, "\n".join([*made.remarks, said]))


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
    from app.core.interchange.registry import format_called
    from app.core.lookup import recording_called
    from app.core.speech.transcript_files import FORMATS, JSON, LINES, export_transcript, format_of, transcript_text
    from project.errors import UserError
    from project.names import shown
    from project.queries.utterances import utterances_of

    wanted = key or (LINES if file is None else format_of(file))
    if wanted not in FORMATS:
        raise UserError(f"A transcript is not written as “{shown(wanted)}”.", f"Choose one of {', '.join(FORMATS)}.")
    if file is None and wanted not in (LINES, JSON):
        raise UserError(f"A transcript is not printed as {wanted}.", "Name a file to write it to.")
    with Session.open(study, read_only=True) as session:
        owner = recording_called(session, recording)
        count = len(utterances_of(session.study, owner.id))
        result: dict[str, Json] = {"recording": owner.number, "format": wanted, "utterances": count}
        if file is None:
            text = transcript_text(session, owner.id, wanted)
            result["text"] = text
            lines = text.rstrip("\n") or f"Recording {owner.number} has no transcript yet."
        else:
            export_transcript(session, owner.id, file, wanted, overwrite=force)
            losses = () if wanted in (LINES, JSON) else format_called(wanted).losses
            result |= {"file": str(file), "losses": [*losses]}
            lines = "\n".join(
                [f"Wrote {counted(count, 'utterance')} to {file}", *(f"  Not held by it: {one}" for one in losses), RAW]
            )
    tell(as_json, result, lines)
