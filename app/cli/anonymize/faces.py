"""Commands that find and track the faces of a recording and review what was found."""

from collections.abc import Sequence
from typing import Any

from anonymize.faces import face_review_edits
from anonymize.faces.face_review import REASON_TEXTS, FaceSheet, build_face_sheet, is_undecided
from anonymize.masking.mask_coverage import Cover
from app.cli.command import EDIT, Time, command, option
from app.cli.console import Output, progress_bar, record
from app.cli.plugin_options import SCHEDULER
from models.faces.face_detectors import DETECTORS, PROCESSORS, SEPARATOR, default_detectors, join_names
from project.entities.face_regions import Keyframe, RegionKind
from project.entities.study_records import FaceTrack, ParticipantRole, Recording
from project.errors import UserError
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import all_participants, all_recordings, pseudonyms
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import FrameTimes, format_time, parse_time

EXIT_FAILED = 2
"""The exit code if some recordings could not be tracked."""


@command(study=EDIT)
def track(
    session: Session,
    recording: Recording | None = option(),
    detectors: tuple[str, ...] = option(
        "Detector; several are used together. By default all that are installed.",
        "--detector",
        choices=DETECTORS,
    ),
    processor: str = option(
        "What it runs on: " + ", ".join(f"{name}: {what}" for name, what in PROCESSORS.items()) + ".",
        default="auto",
        choices=PROCESSORS,
    ),
    scheduler: str = SCHEDULER,
) -> Output:
    """Find the faces of recordings and follow them over the frames.

    Recordings without a picture are left out. Of several, those that fail are listed and the rest is done; the exit
    code is 2 then.

    What was done before an interruption is not done again.

    \b
    Example:
      greenroom faces track my-study.greenroom --recording 1
      greenroom faces track my-study.greenroom --detector centerface --detector yunet
      greenroom faces track my-study.greenroom --scheduler tcp://node7:8786
    """
    from anonymize.faces import face_tracking_job
    from benchmark.cluster.coordinator import run_jobs

    names = join_names(detectors) if detectors else default_detectors()
    seen = [r for r in all_recordings(session.study) if session.has_picture(r.id)]
    chosen = seen if recording is None else [recording]
    works = [face_tracking_job.prepare(session, r.id, detector=names, processor=processor) for r in chosen]
    found: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    with progress_bar("Track faces") as bar:
        ended = run_jobs(session, works, bar, scheduler)
    for owner, done in zip(chosen, ended, strict=True):
        if done.error is not None and len(chosen) == 1:
            raise done.error
        if done.result is None:
            failed.append({"recording": owner.number, "problem": str(done.error)})
        else:
            kept = {key: getattr(done.result, key) for key in ("frames", "frames_with_face", "tracks", "seconds")}
            found.append({"recording": owner.number, **kept})
    totals = {key: sum(entry[key] for entry in found) for key in ("frames", "frames_with_face", "tracks", "seconds")}
    lines = [
        f"Recording {entry['recording']}: {pluralize(entry['tracks'], 'face track')},"
        f" a face in {entry['frames_with_face']} of {entry['frames']} frames ({entry['seconds']} s)"
        for entry in found
    ]
    lines += [f"Recording {entry['recording']}: FAILED. {entry['problem']}" for entry in failed]
    data = {**totals, "detectors": names.split(SEPARATOR), "recordings": found, "failed": failed}
    if not failed:
        return Output(data, lines or "The study has no recordings with a picture yet.")
    count = f"{len(failed)} of {pluralize(len(chosen), 'recording')}"
    problem = f"{count} could not be tracked. Put right what is said above, then run it again."
    return Output(data, lines, EXIT_FAILED, problem)


_ALL = "all"


@command(
    edits=("faces", "areas", "nothings", "dismiss", "assign", "seen", "reviewed", "withdraw"),
    annotator=option("Who reviews; by default the name in the settings."),
)
def review(
    session: Session,
    recording: Recording = option(),
    faces: tuple[str, ...] = option("Draw a face that was missed, in pixels.", "--face", metavar="X,Y,W,H"),
    areas: tuple[str, ...] = option("Draw an area that is always painted over.", "--area", metavar="X,Y,W,H"),
    nothings: tuple[str, ...] = option("Draw a region without any face.", "--no-face", metavar="X,Y,W,H"),
    start: Time | None = option("When what is drawn starts; by default the start of the recording.", "--from"),
    end: Time | None = option("When it ends; by default the end of the recording.", "--to"),
    label: str = option("What it is, such as “badge”.", default=""),
    dismiss: tuple[str, ...] = option("This track is no face: its id, or its number.", metavar="TRACK"),
    assign: tuple[tuple[str, str], ...] = option("Whose face it is, under a pseudonym.", metavar="TRACK NAME"),
    seen: tuple[str, ...] = option("I looked there, and no face is bare.", metavar="all|START-END"),
    reviewed: bool = option("All faces are hidden as they should be."),
    withdraw: bool = option("Take back that you reviewed it."),
) -> Output:
    """Review the faces of a recording, or say what is left.

    It says where to look, and takes what you saw.

    First what is drawn, then tracks, then what was seen, then that it is reviewed. A later change of the faces revokes
    the review.

    \b
    Example:
      greenroom faces review my-study.greenroom --recording 1
      greenroom faces review my-study.greenroom --recording 1 --dismiss 4 --assign 1 P01
      greenroom faces review my-study.greenroom --recording 1 --area 20,30,90,40 --label date
      greenroom faces review my-study.greenroom --recording 1 --seen 0:01:02-0:01:05 --reviewed
    """
    from media.frame_index import load_index
    from project.files.temporary_files import cache_folder

    drawn = [(kind, box) for kind, boxes in _regions_by_kind(faces, areas, nothings) for box in boxes]
    if reviewed and withdraw:
        raise UserError("--reviewed and --withdraw exclude each other.", "Give one of them.")
    if (start is not None or end is not None or label) and not drawn:
        raise UserError("--from, --to and --label need a region.", "Add --face, --area or --no-face.")
    times = load_index(session.require_picture(recording.id).path, cache_folder()).times
    first = 0 if start is None else start
    last = recording.duration_us if end is None else end
    for kind, text in drawn:
        face_review_edits.add_region(session, recording.id, kind, Keyframe(first, *_parse_box(text)), last, label=label)
    _apply_track_edits(session, recording, build_face_sheet(session, recording.id, times), dismiss, assign)
    _mark_seen(session, recording, times, seen)
    if reviewed:
        face_review_edits.mark_reviewed(session, recording.id, times)
    if withdraw:
        face_review_edits.withdraw_review(session, recording.id)
    return _describe_sheet(session, build_face_sheet(session, recording.id, times))


def _regions_by_kind(
    faces: Sequence[str], areas: Sequence[str], nothings: Sequence[str]
) -> list[tuple[RegionKind, Sequence[str]]]:
    return [(RegionKind.FACE, faces), (RegionKind.AREA, areas), (RegionKind.NOTHING, nothings)]


def _parse_box(text: str) -> tuple[int, int, int, int]:
    parts = text.split(",")
    try:
        x, y, width, height = (int(part) for part in parts)
    except ValueError:
        raise UserError(f"“{text}” is not a box.", "Give x,y,width,height in whole pixels: 20,30,90,40.") from None
    return x, y, width, height


def _apply_track_edits(
    session: Session, owner: Recording, found: FaceSheet, dismiss: Sequence[str], assign: Sequence[tuple[str, str]]
) -> None:
    if dismiss:
        face_review_edits.dismiss_faces(session, [_find_track(found, text).id for text in dismiss])
    for name in dict.fromkeys(name for _, name in assign):
        ids = [_find_track(found, text).id for text, whose in assign if whose == name]
        known = next(
            (participant for participant in all_participants(session.study) if participant.pseudonym == name.strip()),
            None,
        )
        if known is None:
            face_review_edits.assign_faces_to_new(session, owner.id, ids, name, ParticipantRole.USER)
        else:
            face_review_edits.assign_faces(session, ids, known.id)


def _find_track(found: FaceSheet, text: str) -> FaceTrack:
    tracks = found.tracks
    fits = [face_track for number, face_track in enumerate(tracks, 1) if text in (face_track.id, str(number))]
    if not fits:
        raise UserError(
            f"Recording {found.recording.number} has no face track “{text}”.",
            f"Give an id or a number up to {len(tracks)}; --json lists them.",
        )
    return fits[0]


def _mark_seen(session: Session, owner: Recording, times: FrameTimes, seen: Sequence[str]) -> None:
    spans: list[tuple[int, int]] = []
    for text in seen:
        if text == _ALL:
            spans += [
                (certainty_span.start_us, certainty_span.end_us)
                for certainty_span in build_face_sheet(session, owner.id, times).pending
            ]
            continue
        start, dash, end = text.partition("-")
        if not dash:
            raise UserError(f"“{text}” is not an interval.", "Give all, or a start and an end: 0:01:02-0:01:05.")
        spans.append((parse_time(start), parse_time(end)))
    if spans:
        face_review_edits.mark_seen(session, owner.id, spans)


def _describe_sheet(session: Session, found: FaceSheet) -> Output:
    names = annotator_names(session.study)
    people = pseudonyms(session.study)
    numbers = {face_track.id: number for number, face_track in enumerate(found.tracks, 1)}
    reviewers = [names.get(review.annotator_id, "?") for review in found.reviews]
    result = {
        "recording": found.recording.number,
        "tracked": found.run is not None,
        "reviewed": bool(found.reviews),
        "reviewers": reviewers,
        "revoked": [names.get(face_review.annotator_id, "?") for face_review in found.revoked],
        "uncovered": found.count(Cover.UNCOVERED),
        "uncertain": found.count(Cover.UNCERTAIN),
        "places": [
            record(certainty_span, "track_id", track=certainty_span.track_id, why=REASON_TEXTS[certainty_span.reason])
            for certainty_span in found.pending
        ],
        "tracks": [
            {
                "track": track.id,
                "number": numbers[track.id],
                "start": int(track.times_us[0]) / 1e6,
                "end": int(track.times_us[-1]) / 1e6,
                "participant": people.get(track.participant_id or ""),
                "dismissed": track.dismissed,
                "doubtful": track.is_doubtful,
                "undecided": is_undecided(track),
            }
            for track in found.tracks
        ],
        "regions": [
            record(region, "id", "recording_id", "keyframes", "participant_id", region=region.id)
            for region in found.regions
        ],
        "suggestions": [suggestion.track_ids for suggestion in found.suggestions()],
    }
    lines = [
        f"{format_time(certainty_span.start_us)} to {format_time(certainty_span.end_us)}  "
        f"{certainty_span.state.value}  {REASON_TEXTS[certainty_span.reason]}"
        + (f" (track {numbers[certainty_span.track_id]})" if certainty_span.track_id in numbers else "")
        for certainty_span in found.pending
    ]
    tracks = pluralize(len(found.tracks), "track")
    lines.append(f"Recording {found.recording.number}: {tracks}; left: {found.pending_text()}")
    if reviewers:
        lines.append(f"Reviewed by {', '.join(reviewers)}")
    elif found.revoked:
        lines.append("Its review does not hold any more: the faces changed since")
    return Output(result, lines)
