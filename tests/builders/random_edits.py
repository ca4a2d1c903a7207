"""An invented study in which two people work, and random edits of it."""

import random
from pathlib import Path

from annotate.review import peer_review as reviews
from annotate.segments import bulk_edits as bulk
from annotate.segments import bulk_edits as comments
from annotate.segments.segment_edits import add_segment, set_field
from annotate.study.recording_edits import redo, undo
from project.entities.study_records import Changes, ReviewDecision
from project.queries.annotator_rows import annotator_names
from project.queries.recording_rows import all_recordings, set_hold_out
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

FIRST, SECOND = "Annotator 1", "Annotator 2"


def open_lab(folder: Path, recordings: int = 4, segments: int = 40, seed: int = 1) -> Session:
    with Study.create(folder / "lab.greenroom") as made:
        fill_study(made, recordings=recordings, segments=segments, seed=seed)
    return Session.open(folder / "lab.greenroom", FIRST)


def own_and_others(session: Session) -> tuple[list[str], list[str]]:
    """Return the ids of the segments of who works here, and of the others."""
    names = annotator_names(session.study)
    found = all_segments(session.study)
    own = [segment.id for segment in found if names[segment.annotator_id] == session.annotator_name]
    return own, [segment.id for segment in found if segment.id not in own]


def random_edit(session: Session, chance: random.Random) -> Changes:
    own, others = own_and_others(session)
    recording = chance.choice(all_recordings(session.study))
    match chance.randrange(10):
        case 0:
            start = chance.randrange(recording.duration_us - 2_000_000)
            label = chance.choice(["error", "competence", "none"])
            return add_segment(session, recording.id, start, start + 1_500_000, label)[1]
        case 1 if own:
            return set_field(session, chance.choice(own), "rationale", chance.choice(["", "new words here"]))
        case 2:
            return comments.add_comment(session, chance.choice([*own, *others]), "Look again")[1]
        case 3:
            rows = session.study.rows("SELECT id FROM comment ORDER BY id")
            return comments.resolve_comments(session, [row[0] for row in rows[:1]]) if rows else Changes()
        case 4 if others:
            return reviews.review_segment(session, chance.choice(others), chance.choice([*ReviewDecision]))
        case 5 if own:
            return bulk.delete_own_segments(session, chance.sample(own, min(2, len(own))))
        case 6:
            with session.step("Hold out") as step:
                set_hold_out(session.study, recording.id, chance.random() < 0.5)
            return step.changes
        case 7 if session.study.undo_name:
            return undo(session).changes
        case 8 if session.study.redo_name:
            return redo(session).changes
        case _ if own:
            return bulk.change_label(session, chance.sample(own, 1), chance.choice(["error", "competence"]))
    return Changes()
