"""Commands about cues: suggest them, list them, and accept or reject what was suggested."""

from typing import Any

from app.cli.command import EDIT, argument, command, option, recordings_or_all
from app.cli.console import Bar, Output, record
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from project.text_format import pluralize

KIND = option("Only those, such as response or tone.sharp.", "--kind", metavar="TRACK[.LABEL]")
WHICH = argument(metavar="[PRELABEL]...")


@command()
def list_cues(session: Session, recording: Recording | None = option(), kind: str | None = KIND) -> Output:
    """List cues and open pre-labels with the words that they are at.

    \b
    Example:
      greenroom segment cues list my-study.greenroom --recording 1
      greenroom segment cues list my-study.greenroom --kind tone.sharp --json
    """
    from annotate.cues.cue_marks import cues_by_utterance

    names = pseudonyms(session.study)
    authors = annotator_names(session.study)
    listed: list[dict[str, Any]] = []
    for owner in recordings_or_all(session, recording):
        for marks in cues_by_utterance(session, owner.id).values():
            listed += [
                record(
                    mark,
                    *("segment_id", "participant_id", "annotator_id"),
                    id=mark.segment_id,
                    recording=owner.number,
                    who=names.get(mark.participant_id or ""),
                    annotator=authors[mark.annotator_id],
                )
                for mark in marks
                if _matches_kind(kind, mark.track, mark.label)
            ]
    lines = [
        f"{entry['id']}  recording {entry['recording']}  {entry['start']:.2f} to {entry['end']:.2f} s  "
        f"{entry['track']}.{entry['label']}  {entry['who'] or '?'}  {entry['description']}  "
        f"{'pre-label' if entry['prelabel'] else entry['annotator']}"
        for entry in listed
    ]
    return Output({"cues": listed}, lines or "No cues yet.")


@command(study=EDIT)
def run(session: Session, recording: Recording | None = option()) -> Output:
    """Suggest cues from tracked faces and from the voices of speakers.

    What is suggested are pre-labels: nobody's work until somebody accepts them. Suggestions from before that nobody
    decided on are replaced. Recordings with nothing to look at or listen to are left out.

    \b
    Example:
      greenroom segment cues run my-study.greenroom --recording 1
    """
    from annotate.cues import cue_detection
    from annotate.cues.prelabels import open_prelabels
    from anonymize.export.export_job import run_jobs

    able = []
    for owner in recordings_or_all(session, recording):
        try:
            cue_detection.require_cue_sources(session, owner.id)
            able.append(owner)
        except UserError:
            if recording is not None:
                raise
    found: list[dict[str, Any]] = []
    for owner, result in run_jobs(
        session,
        able,
        lambda target: cue_detection.prepare(session, target.id),
        lambda work: Bar(work.title),
    ):
        kept = {key: getattr(result, key) for key in ("faces", "utterances", "seconds")}
        found.append({"recording": owner.number, **kept, "prelabels": len(open_prelabels(session, owner.id))})
    lines = [
        f"Recording {entry['recording']}: {_count_text(entry, 'prelabels', 'pre-label')} "
        f"from {_count_text(entry, 'faces', 'face')} and {_count_text(entry, 'utterances', 'utterance')} "
        f"({entry['seconds']} s)"
        for entry in found
    ]
    return Output({"recordings": found}, lines or "No recording has anything to suggest cues from.")


@command(study=EDIT, annotator=option("Whose cues they become.", required=True))
def accept(
    session: Session, ids: tuple[str, ...] = WHICH, recording: Recording | None = option(), kind: str | None = KIND
) -> Output:
    """Make pre-labels somebody's own cues: those named, or all that are open, of one kind or in one recording.

    \b
    Example:
      greenroom segment cues accept my-study.greenroom --recording 1 --kind response.nod --annotator Ada
    """
    from annotate.cues import prelabels

    wanted = ids or _open_prelabel_ids(session, recording, kind)
    made = prelabels.accept_prelabels(session, wanted)[0] if wanted else []
    return Output({"accepted": made}, f"Accepted {pluralize(len(made), 'pre-label')}.")


@command(study=EDIT, annotator=option("Who says so.", required=True))
def reject(
    session: Session, ids: tuple[str, ...] = WHICH, recording: Recording | None = option(), kind: str | None = KIND
) -> Output:
    """Say that pre-labels are wrong: those named, or all that are open, of one kind or in one recording.

    \b
    Example:
      greenroom segment cues reject my-study.greenroom --kind tone --annotator Ada
    """
    from annotate.cues import prelabels

    wanted = ids or _open_prelabel_ids(session, recording, kind)
    if wanted:
        prelabels.reject_prelabels(session, wanted)
    return Output({"rejected": wanted}, f"Rejected {pluralize(len(wanted), 'pre-label')}.")


def _open_prelabel_ids(session: Session, recording: Recording | None, kind: str | None) -> tuple[str, ...]:
    from annotate.cues.prelabels import open_prelabels

    return tuple(
        open_prelabel.segment.id
        for owner in recordings_or_all(session, recording)
        for open_prelabel in open_prelabels(session, owner.id)
        if _matches_kind(kind, open_prelabel.segment.track, open_prelabel.segment.label)
    )


def _matches_kind(kind: str | None, track: str, label: str) -> bool:
    return kind is None or kind in (track, f"{track}.{label}")


def _count_text(entry: dict[str, Any], key: str, thing: str) -> str:
    number = entry[key]
    assert isinstance(number, int)
    return pluralize(number, thing)
