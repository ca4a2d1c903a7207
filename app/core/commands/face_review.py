"""Edits of a review of faces: many tracks at once, what was looked at, and that a recording is reviewed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.clock import utc_now
from app.core.commands.participants import new_participant
from app.core.commands.regions import find_region
from app.core.faces.hiding import faces_run
from app.core.faces.review import sheet
from app.core.session import Session
from media.whole_file import read_whole
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress
from project.queries import face_reviews as rows
from project.queries import faces, participants
from project.queries.regions import update_region
from project.queries.runs import SOURCE, SOURCE_KIND, insert_run, latest_run, source_sha256
from project.regions import Region, RegionKind
from project.timebase import FrameTimes
from project.types import Changes, FaceReview, Json, ParticipantRole, Run, SeenSpan
from project.version import __version__


def assign_faces(
    session: Session, track_ids: Sequence[str], participant_id: str | None, region_ids: Sequence[str] = ()
) -> Changes:
    """Say whose face several tracks, and faces drawn by hand, are, as one step; a suggestion is accepted so.

    Raises:
        UserError: a region does not exist, or is not a face.
    """
    drawn = [_drawn_face(session, one) for one in region_ids]
    with session.step(_named("Assign", [*track_ids, *region_ids])) as step:
        _assign(session, track_ids, drawn, participant_id)
    return step.changes


def assign_faces_to_new(
    session: Session,
    recording_id: str,
    track_ids: Sequence[str],
    pseudonym: str,
    role: ParticipantRole,
    region_ids: Sequence[str] = (),
) -> tuple[str, Changes]:
    """Make a participant who appears in a recording, and give them several faces, as one step; returns the new id.

    Raises:
        UserError: the pseudonym is empty, taken or unseen, or a region does not exist or is not a face.
    """
    drawn = [_drawn_face(session, one) for one in region_ids]
    made = new_participant(session, pseudonym, role)
    with session.step(f"{_named('Assign', [*track_ids, *region_ids])} to {made.pseudonym}") as step:
        participants.insert_participant(session.study, made)
        participants.set_appearance(session.study, recording_id, made.id, True)
        _assign(session, track_ids, drawn, made.id)
    return made.id, step.changes


def dismiss_faces(session: Session, track_ids: Sequence[str], dismissed: bool = True) -> Changes:
    """Say that several tracks are no faces, or take that back, as one step."""
    with session.step(_named("Dismiss" if dismissed else "Restore", track_ids)) as step:
        for track_id in track_ids:
            faces.set_dismissed(session.study, track_id, dismissed)
    return step.changes


def mark_seen(session: Session, recording_id: str, spans: Iterable[tuple[int, int]]) -> Changes:
    """Say that one looked at stretches of a recording and that no face is left uncovered in them.

    Raises:
        UserError: a stretch is empty.
    """
    wanted = [*spans]
    if any(start < 0 or end <= start for start, end in wanted):
        raise UserError("A stretch ends after it starts.", "Give another start or end.")
    with session.step("Mark as seen") as step:
        who = session.annotator()
        assert who is not None
        now = utc_now()
        for start, end in wanted:
            rows.insert_seen_span(session.study, SeenSpan(recording_id, who.id, start, end, now))
    return step.changes


def needs_reading(session: Session | None, recording_id: str) -> bool:
    """Tell whether a review would read the file of a recording whole, because no run did that."""
    run = None if session is None else latest_run(session.study, recording_id, "faces")
    return session is not None and run is not None and not source_sha256(session.study, run)


def read_source(session: Session, recording_id: str, progress: Progress | None = None) -> Changes:
    """Read the file of a recording whole where the run that found its faces, of an earlier version, kept no checksum.

    Raises:
        UserError: faces were not looked for in its file as it is now, or the file cannot be read.
        Cancelled: the user stopped it.
    """
    session.study.require_writable()
    located = session.usable_picture(recording_id)
    run = faces_run(session, recording_id, located)
    if source_sha256(session.study, run):
        return Changes()
    source = read_whole(located.path, progress)
    about: dict[str, Json] = {"run": run.id, "fingerprint": located.medium.fingerprint}
    read = Run(new_id(), recording_id, SOURCE_KIND, "sha256", about, {SOURCE: source.sha256}, utc_now(), __version__)
    with session.study.recording_run():
        insert_run(session.study, read)
    return Changes.of([("run", read.id)])


def mark_reviewed(session: Session, recording_id: str, times: FrameTimes | None = None) -> Changes:
    """Say that all faces of a recording are hidden as they should be, in the state they are in.

    What is reviewed is its file too, byte by byte: it is read whole where nobody did that before.

    Args:
        session: whose annotator reviewed it.
        recording_id: of the recording.
        times: of its frames; read from its file when not given.

    Raises:
        UserError: faces were not looked for, places are left that nobody looked at, or the file cannot be read.
    """
    session.study.require_writable()
    found = sheet(session, recording_id, times)
    number = found.recording.number
    if found.run is None:
        raise UserError(f"Faces were not looked for in recording {number}.", "Track them first (Ctrl+T).")
    if found.waiting:
        raise UserError(
            f"Recording {number} cannot be reviewed yet: {found.left_places()} left.",
            "Look at each, cover what is bare, and mark it as seen.",
        )
    changes = read_source(session, recording_id)
    with session.step(f"Mark faces of recording {number} as reviewed") as step:
        who = session.annotator()
        assert who is not None
        state = rows.mask_state(session.study, recording_id)
        rows.set_face_review(session.study, FaceReview(recording_id, who.id, state, utc_now()))
    return changes | step.changes


def withdraw_review(session: Session, recording_id: str) -> Changes:
    """Take back that the annotator of this session reviewed a recording's faces.

    Raises:
        UserError: they did not.
    """
    session.study.require_writable()
    who = session.annotator()
    mine = [one for one in rows.face_reviews(session.study, recording_id) if who and one.annotator_id == who.id]
    if who is None or not mine:
        raise UserError(
            f"{session.annotator_name or 'Nobody'} did not review these faces.", "There is nothing to take back."
        )
    with session.step("Withdraw review of faces") as step:
        rows.delete_face_review(session.study, recording_id, who.id)
    return step.changes


def _assign(session: Session, track_ids: Sequence[str], drawn: Sequence[Region], participant_id: str | None) -> None:
    for track_id in track_ids:
        faces.assign_participant(session.study, track_id, participant_id)
    for region in drawn:
        update_region(session.study, replace(region, participant_id=participant_id))


def _drawn_face(session: Session, region_id: str) -> Region:
    found = find_region(session, region_id)
    if found.kind is not RegionKind.FACE:
        raise UserError("Only a face belongs to a participant.", "Change the region to a face first.")
    return found


def _named(verb: str, track_ids: Sequence[str]) -> str:
    return f"{verb} face" if len(track_ids) == 1 else f"{verb} {counted(len(track_ids), 'face')}"
