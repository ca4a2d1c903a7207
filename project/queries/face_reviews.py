"""Who reviewed the faces of which recording, in which state of its masks, and which stretches were looked at."""

import hashlib
import json

from project.queries.runs import latest_run, source_sha256
from project.store import Study
from project.types import FaceReview, Run, SeenSpan

_TRACK = "id, medium_id, position, count, frames, times_us, boxes, scores, origins"


def mask_state(study: Study, recording_id: str) -> str:
    """Return a checksum over everything that decides what is hidden in a recording; "" before faces were looked for.

    It covers the newest run with all that it found, box by box, and the whole file in which it looked. It changes with
    a new run, an assignment, a dismissal, a keyframe, a region, and with the role of a participant whose face was
    found, because a robot's face may stay visible; and where another program changed the run or its tracks. Undoing a
    change brings the old checksum back.

    Raises:
        UserError: a run of the study is damaged.
    """
    run = latest_run(study, recording_id, "faces")
    if run is None:
        return ""
    digest = hashlib.sha256(_decisions(study, run).encode())
    told = [run.recording_id, run.backend, dict(run.parameters), dict(run.result), run.finished_at, run.program_version]
    digest.update(json.dumps([told, source_sha256(study, run)], sort_keys=True).encode())
    # SQLite would copy every track to sort them by two columns.
    tracks = study.rows(f"SELECT {_TRACK} FROM face_track WHERE run_id = ? ORDER BY position", (run.id,))
    for row in sorted(tracks, key=lambda row: (row[2], row[0])):
        digest.update(json.dumps(row[:4]).encode())
        for column in row[4:]:
            digest.update(len(column).to_bytes(8, "little"))
            digest.update(column)
    return digest.hexdigest()


def earlier_mask_state(study: Study, recording_id: str) -> str:
    """Return the checksum by which earlier versions kept reviews: it did not cover the boxes that a run found."""
    run = latest_run(study, recording_id, "faces")
    return "" if run is None else hashlib.sha256(_decisions(study, run).encode()).hexdigest()


def _decisions(study: Study, run: Run) -> str:
    """Return what people decided about the faces of a run, as JSON."""
    parts = (
        "SELECT c.track_id, c.participant_id, c.dismissed, p.role FROM track_correction c "
        "JOIN face_track t ON t.id = c.track_id LEFT JOIN participant p ON p.id = c.participant_id "
        "WHERE t.run_id = ? AND (c.participant_id IS NOT NULL OR c.dismissed) ORDER BY c.track_id",
        "SELECT b.track_id, b.time_us, b.x, b.y, b.width, b.height FROM track_box b "
        "JOIN face_track t ON t.id = b.track_id WHERE t.run_id = ? ORDER BY b.track_id, b.time_us",
    )
    drawn = (
        "SELECT r.id, r.kind, r.start_us, r.end_us, r.participant_id, p.role FROM region r "
        "LEFT JOIN participant p ON p.id = r.participant_id WHERE r.recording_id = ? ORDER BY r.id",
        "SELECT b.region_id, b.time_us, b.x, b.y, b.width, b.height FROM region_box b "
        "JOIN region r ON r.id = b.region_id WHERE r.recording_id = ? ORDER BY b.region_id, b.time_us",
    )
    content = [run.id, *(study.rows(sql, (run.id,)) for sql in parts)]
    content += [study.rows(sql, (run.recording_id,)) for sql in drawn]
    return json.dumps(content)


def face_reviews(study: Study, recording_id: str) -> list[FaceReview]:
    """Return who reviewed the faces of a recording, in whatever state they were, oldest first."""
    rows = study.rows(
        "SELECT recording_id, annotator_id, state, at FROM face_review WHERE recording_id = ? "
        "ORDER BY at, annotator_id",
        (recording_id,),
    )
    return [FaceReview(*row) for row in rows]


def set_face_review(study: Study, new: FaceReview) -> None:
    """Store that somebody reviewed a recording's faces, in place of what they said before; inside a step."""
    study.write(
        "INSERT INTO face_review VALUES (?, ?, ?, ?) ON CONFLICT (recording_id, annotator_id) DO UPDATE SET "
        "state = excluded.state, at = excluded.at",
        (new.recording_id, new.annotator_id, new.state, new.at),
    )


def delete_face_review(study: Study, recording_id: str, annotator_id: str) -> None:
    """Take back what somebody said about a recording's faces; inside a step."""
    study.write("DELETE FROM face_review WHERE recording_id = ? AND annotator_id = ?", (recording_id, annotator_id))


def seen_spans(study: Study, recording_id: str) -> list[SeenSpan]:
    """Return the stretches of a recording that people looked at, in order of time."""
    rows = study.rows(
        "SELECT recording_id, annotator_id, start_us, end_us, at FROM seen_span WHERE recording_id = ? "
        "ORDER BY start_us, end_us, annotator_id",
        (recording_id,),
    )
    return [SeenSpan(*row) for row in rows]


def insert_seen_span(study: Study, new: SeenSpan) -> None:
    """Store that somebody looked at a stretch; inside a step."""
    study.write(
        "INSERT INTO seen_span VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (recording_id, annotator_id, start_us, end_us) DO UPDATE SET at = excluded.at",
        (new.recording_id, new.annotator_id, new.start_us, new.end_us, new.at),
    )
