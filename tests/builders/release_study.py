"""A small lab: two recordings with a face each, reviewed, consented, annotated, and ready to be released."""

from collections.abc import Sequence
from pathlib import Path

from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant, set_consent
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.pii_review.pii_decisions import decide_places
from anonymize.pii_review.review_hits import find_undecided
from anonymize.release.release_rules import waive_rule
from project.entities.study_records import (
    ConsentUse,
    FaceReview,
    Json,
    ParticipantRole,
    Recording,
    Run,
    Utterance,
)
from project.entities.transcript import AsrSegment
from project.files.fingerprints import file_sha256
from project.ids import new_id
from project.queries.face_rows import assign_participant, insert_tracks, mask_state, set_face_review
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run
from project.queries.pii_rows import PiiVerdict
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.transcript_rows import SPEECH, insert_asr_segments, insert_utterances
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.face_tracks import track as face_track

FRAMES, FPS = 20, 10
NAMES = ("Anna at home", "kitchen_take2")
RATIONALE = "Anna's robot looked away; see https://lab.example.org/take2"


def lab(folder: Path, recordings: int = 1) -> Path:
    """Make the study; returns its path."""
    path = folder / "lab.greenroom"
    with Session(Study.create(path, "Visits"), "Ada Byron") as session:
        for name in NAMES[:recordings]:
            clip = make_clip(
                folder / f"{name}.mp4",
                size=(160, 120),
                frames=FRAMES,
                fps=FPS,
                sound=True,
                metadata={"title": "Anna", "comment": "kitchen"},
            )
            add_recordings(session, [probe_file(clip)])
        who, _ = add_participant(session, "P01", ParticipantRole.USER)
        for recording in all_recordings(session.study):
            track(session, recording, who)
            fill(session, recording, who)
            listen(session, recording, [(100_000, 800_000)])
            review(session, recording)
        (person,) = all_participants(session.study)
        set_consent(session, person, ConsentUse.RELEASE, True)
        settle(session)
        waive_rule(session, "independent-check", None, "No second detector in tests")
        waive_rule(session, "privacy-measured", None, "No embedding in these tests")
    return path


def track(
    session: Session,
    recording: Recording,
    who: str | None,
    *,
    frames: int = FRAMES,
    looked_at: int = FRAMES,
    fingerprint: str = "",
    backend: str = "centerface",
) -> str:
    """Store a run that looked at so many frames and found one face, in the middle of the first ones."""
    medium = session.main_medium(recording.id)
    face = face_track([(60, 40, 30, 40)] * frames, name=new_id(), fps=FPS, score=0.9)
    about = {"fingerprint": fingerprint or medium.fingerprint}
    result: dict[str, Json] = {"frames": looked_at, SOURCE_SHA256_KEY: file_sha256(session.study.folder / medium.path)}
    run = Run(new_id(), recording.id, "faces", backend, about, result, "2026-01-01T00:00:00.000Z", "1")
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_tracks(session.study, run.id, medium.id, [face])
    if who is not None:
        with session.step("Assign"):
            assign_participant(session.study, face.id, who)
    return face.id


def fill(session: Session, recording: Recording, who: str) -> None:
    """Annotate a recording, and write down what is said in it."""
    from project.queries.recording_rows import set_appearance

    with session.step("Say who appears"):
        set_appearance(session.study, recording.id, who, True)
        insert_utterances(
            session.study, [Utterance(new_id(), recording.id, 0, 900_000, "I am Anna, call 555-867-5309", who)]
        )
    values = {"attributes": ["emotions"], "channel": "verbal", "rationale": RATIONALE, "correction": "Greet Anna."}
    segment, _ = add_segment(session, recording.id, 100_000, 900_000, "error", values)
    add_comment(session, segment, "Ada Byron here: is it Anna?")


def listen(session: Session, recording: Recording, speech: Sequence[tuple[int, int]], fingerprint: str = "") -> None:
    """Store a run that found speech."""
    medium = session.main_medium(recording.id)
    about: dict[str, Json] = {"fingerprint": fingerprint or medium.fingerprint, "track": medium.sound_track}
    heard: dict[str, Json] = {SOURCE_SHA256_KEY: file_sha256(session.study.folder / medium.path)}
    run = Run(new_id(), recording.id, SPEECH, "silero", about, heard, "2026-01-01T00:00:00.000Z", "1")
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_asr_segments(session.study, run.id, [AsrSegment(start, end) for start, end in speech])


def settle(session: Session) -> None:
    """Hide everything that looks personal and that nobody decided on."""
    found = find_undecided(session)
    if found:
        decide_places(session, found, PiiVerdict.HIDE)


def review(session: Session, recording: Recording) -> None:
    """Mark the faces of a recording as reviewed, as they are now."""
    with session.step("Review"):
        who = session.annotator()
        state = mask_state(session.study, recording.id)
        set_face_review(session.study, FaceReview(recording.id, who.id, state, "2026-01-01T00:00:00.000Z"))
