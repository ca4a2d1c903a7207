"""A recording of a minute in which two people talk, a narrator comments, and one face is nobody's yet."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from project.entities.study_records import (
    Collection,
    FaceTrack,
    Json,
    MediaFacts,
    Medium,
    MediumRole,
    Participant,
    ParticipantRole,
    Recording,
    Run,
    Utterance,
    VideoFacts,
)
from project.ids import new_id
from project.queries.face_rows import assign_participant, insert_tracks
from project.queries.history_rows import insert_run
from project.queries.judgment_rows import insert_judgments
from project.queries.recording_rows import insert_collection, insert_medium, insert_participant, insert_recording
from project.queries.transcript_rows import insert_utterances
from project.session.session import Session
from project.store.study import Study
from tests.builders.stored_judgments import SAID

SECOND = 1_000_000
R = "r"
ANN, BO = "a", "b"
HELLO, TOLD, WELL = "u1", "u2", "u3"
PICTURE = VideoFacts("h264", 640, 360, 0, 25.0, False, 1450, 2 * SECOND, 58 * SECOND, "yuv420p", 8)


def open_room(folder: Path) -> Session:
    """Make the study and open it as Ada."""
    path = folder / "room.greenroom"
    with Study.create(path) as study, study.without_history():
        insert_collection(study, Collection("c", "C"))
        insert_recording(study, Recording(R, "c", 1, "One", 60 * SECOND))
        facts = MediaFacts("mp4", 60 * SECOND, 1000, PICTURE, None)
        insert_medium(study, Medium("m", R, MediumRole.MAIN, 0, 0, "one.mp4", "f", facts))
        insert_participant(study, Participant(ANN, "Ann", ParticipantRole.USER))
        insert_participant(study, Participant(BO, "Bo", ParticipantRole.USER))
        insert_utterances(
            study,
            [
                Utterance(HELLO, R, 2 * SECOND, 4 * SECOND, "Hello there", ANN),
                Utterance(TOLD, R, 10 * SECOND, 14 * SECOND, "Years later they met again", None),
                Utterance(WELL, R, 15 * SECOND, 18 * SECOND, "Well well", BO),
            ],
        )
    return Session.open(path, "Ada")


def seen(session: Session, *faces: tuple[str | None, float, tuple[float, float, float, float]]) -> None:
    """Let a run have found faces for a second each: whose, from when, and the box."""
    run = Run(new_id(), R, "faces", "test", {}, {}, "2026-01-01T00:00:00Z", "1")
    tracks = [
        FaceTrack(
            f"track-{number}",
            np.arange(25, dtype=np.int32),
            np.arange(25, dtype=np.int64) * 40_000 + round(start * SECOND),
            np.array([box] * 25, np.float32),
            np.linspace(0.5, 0.9, 25).astype(np.float32),
            np.zeros(25, np.uint8),
        )
        for number, (_, start, box) in enumerate(faces, 1)
    ]
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_tracks(session.study, run.id, "m", tracks)
    with session.step("Say whose"):
        for track, (who, _, _) in zip(tracks, faces, strict=True):
            assign_participant(session.study, track.id, who)


def answered(session: Session, task: str, answer: Mapping[str, Json], number: int = 1) -> str:
    """Store what a judge answered about the recording; returns the judgment's id."""
    made = f"{task}-{number}"
    at = f"2026-01-01T00:00:0{number}Z"
    said = replace(
        SAID, id=made, recording_id=R, segment_id="", task=task, answer=dict(answer), at=at, request_key=made
    )
    with session.study.run_transaction():
        insert_judgments(session.study, [said])
    return said.id
