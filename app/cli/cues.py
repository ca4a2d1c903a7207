"""Commands about cues: suggest them, list them, and accept or reject what was suggested."""

from pathlib import Path

import click

from app.cli.command import STUDY, Bar, json_option, print_result
from project.entities.study_records import Json, Recording
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import SECOND_US

RECORDING = click.option("--recording", help="Number, file name or id; all recordings when not given.")
KIND = click.option("--kind", metavar="TRACK[.LABEL]", help="Only those, such as response or tone.sharp.")
WHICH = click.argument("ids", metavar="[PRELABEL]...", nargs=-1)


@click.group()
def cues() -> None:
    """Suggest cues, list them, accept or reject what was suggested.

    Cues are what people do, show and sound like while somebody speaks.
    """


@cues.command("list")
@STUDY
@RECORDING
@KIND
@json_option
def list_cues(study: Path, recording: str | None, kind: str | None, as_json: bool) -> None:
    """List cues and open pre-labels with the words that they are at.

    \b
    Example:
      greenroom cues list my-study.greenroom --recording 1
      greenroom cues list my-study.greenroom --kind tone.sharp --json
    """
    from annotate.cues.cue_marks import cues_by_utterance
    from project.queries.annotator_rows import all_annotators
    from project.queries.recording_rows import all_participants

    with Session.open(study, read_only=True) as session:
        names = {participant.id: participant.pseudonym for participant in all_participants(session.study)}
        authors = {annotator.id: annotator.name for annotator in all_annotators(session.study)}
        listed: list[dict[str, Json]] = []
        for owner in _select_recordings(session, recording):
            for marks in cues_by_utterance(session, owner.id).values():
                listed += [
                    {
                        "id": mark.segment_id,
                        "recording": owner.number,
                        "start": mark.start_us / SECOND_US,
                        "end": mark.end_us / SECOND_US,
                        "track": mark.track,
                        "label": mark.label,
                        "who": names.get(mark.participant_id or ""),
                        "description": mark.description,
                        "word": mark.word,
                        "annotator": authors[mark.annotator_id],
                        "prelabel": mark.prelabel,
                    }
                    for mark in marks
                    if _matches_kind(kind, mark.track, mark.label)
                ]
    lines = [
        f"{entry['id']}  recording {entry['recording']}  {entry['start']:.2f} to {entry['end']:.2f} s  "
        f"{entry['track']}.{entry['label']}  {entry['who'] or '?'}  {entry['description']}  "
        f"{'pre-label' if entry['prelabel'] else entry['annotator']}"
        for entry in listed
    ]
    print_result(as_json, {"cues": [*listed]}, "\n".join(lines) or "No cues yet.")


@cues.command()
@STUDY
@RECORDING
@json_option
def run(study: Path, recording: str | None, as_json: bool) -> None:
    """Suggest cues from tracked faces and from the voices of speakers.

    What is suggested are pre-labels: nobody's work until somebody accepts them. Suggestions from before that nobody
    decided on are replaced. Recordings with nothing to look at or listen to are left out.

    \b
    Example:
      greenroom cues run my-study.greenroom --recording 1
    """
    from annotate.cues import cue_detection
    from annotate.cues.prelabels import open_prelabels
    from anonymize.export.export_job import run_jobs
    from project.errors import UserError

    with Session.open(study) as session:
        session.study.require_writable()
        able = []
        for owner in _select_recordings(session, recording):
            try:
                cue_detection.require_cue_sources(session, owner.id)
                able.append(owner)
            except UserError:
                if recording is not None:
                    raise
        found: list[dict[str, Json]] = []
        for owner, result in run_jobs(
            session,
            able,
            lambda target: cue_detection.prepare(session, target.id),
            lambda work: Bar(work.title),
        ):
            kept: dict[str, Json] = {key: result[key] for key in ("faces", "utterances", "seconds")}
            found.append({"recording": owner.number, **kept, "prelabels": len(open_prelabels(session, owner.id))})
    lines = [
        f"Recording {entry['recording']}: {_count_text(entry, 'prelabels', 'pre-label')} "
        f"from {_count_text(entry, 'faces', 'face')} and {_count_text(entry, 'utterances', 'utterance')} "
        f"({entry['seconds']} s)"
        for entry in found
    ]
    print_result(
        as_json, {"recordings": [*found]}, "\n".join(lines) or "No recording has anything to suggest cues from."
    )


@cues.command()
@STUDY
@WHICH
@RECORDING
@KIND
@click.option("--annotator", required=True, help="Whose cues they become.")
@json_option
def accept(
    study: Path, ids: tuple[str, ...], recording: str | None, kind: str | None, annotator: str, as_json: bool
) -> None:
    """Make pre-labels somebody's own cues: those named, or all that are open, of one kind or in one recording.

    \b
    Example:
      greenroom cues accept my-study.greenroom --recording 1 --kind response.nod --annotator Ada
    """
    from annotate.cues import prelabels

    with Session.open(study, annotator) as session:
        wanted = ids or _open_prelabel_ids(session, recording, kind)
        made = prelabels.accept_prelabels(session, wanted)[0] if wanted else []
    print_result(as_json, {"accepted": [*made]}, f"Accepted {pluralize(len(made), 'pre-label')}.")


@cues.command()
@STUDY
@WHICH
@RECORDING
@KIND
@click.option("--annotator", required=True, help="Who says so.")
@json_option
def reject(
    study: Path, ids: tuple[str, ...], recording: str | None, kind: str | None, annotator: str, as_json: bool
) -> None:
    """Say that pre-labels are wrong: those named, or all that are open, of one kind or in one recording.

    \b
    Example:
      greenroom cues reject my-study.greenroom --kind tone --annotator Ada
    """
    from annotate.cues import prelabels

    with Session.open(study, annotator) as session:
        wanted = ids or _open_prelabel_ids(session, recording, kind)
        if wanted:
            prelabels.reject_prelabels(session, wanted)
    print_result(as_json, {"rejected": [*wanted]}, f"Rejected {pluralize(len(wanted), 'pre-label')}.")


def _select_recordings(session: Session, recording: str | None) -> list[Recording]:
    from project.queries.recording_rows import all_recordings
    from project.session.session import resolve_recording

    return all_recordings(session.study) if recording is None else [resolve_recording(session, recording)]


def _open_prelabel_ids(session: Session, recording: str | None, kind: str | None) -> tuple[str, ...]:
    from annotate.cues.prelabels import open_prelabels

    return tuple(
        open_prelabel.segment.id
        for owner in _select_recordings(session, recording)
        for open_prelabel in open_prelabels(session, owner.id)
        if _matches_kind(kind, open_prelabel.segment.track, open_prelabel.segment.label)
    )


def _matches_kind(kind: str | None, track: str, label: str) -> bool:
    return kind is None or kind in (track, f"{track}.{label}")


def _count_text(entry: dict[str, Json], key: str, thing: str) -> str:
    number = entry[key]
    assert isinstance(number, int)
    return pluralize(number, thing)
