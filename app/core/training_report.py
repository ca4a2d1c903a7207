"""What a training round says segment by segment: what an annotator marked, what the reference has, what differs."""

from dataclasses import dataclass

from app.core.agreement.lanes import Mark, read_marks
from app.core.grouping import grouped
from app.core.review import differences, named
from app.core.session import Session
from app.core.training import Gate
from project.queries.plans import completions
from project.queries.recordings import all_recordings
from project.types import Annotator, Recording


@dataclass(frozen=True, slots=True)
class Line:
    """One moment; either of the two may have marked nothing. `differs` says in words what differs."""

    recording: Recording
    mine: Mark | None
    reference: Mark | None
    differs: tuple[str, ...]

    @property
    def start_us(self) -> int:
        """Where the first of the two starts."""
        return min(one.segment.start_us for one in (self.mine, self.reference) if one is not None)


def training_lines(session: Session, annotator: Annotator, gate: Gate) -> list[Line]:
    """Return what an annotator and the reference marked, in the recordings that the annotator is done with, by time."""
    done = completions(session.study)
    lines = []
    for recording in all_recordings(session.study):
        if recording.id not in gate.recordings or (recording.id, annotator.id) not in done:
            continue
        marks = read_marks(session, recording.id, {annotator.id, gate.reference})
        for group in grouped(marks):
            by = {one.segment.annotator_id: one for one in group}
            mine, other = by.get(annotator.id), by.get(gate.reference)
            scheme = session.schemes.known(group[0].segment.scheme)
            differs = tuple(named(scheme, differences(scheme, mine, other))) if mine and other else ()
            lines.append(Line(recording, mine, other, differs))
    return sorted(lines, key=lambda one: (one.recording.number, one.start_us))
