"""The plan with its progress: a cell for each recording and annotator."""

from dataclasses import dataclass

from app.core.session import Session
from project.counted import counted
from project.queries.annotators import all_annotators
from project.queries.hold_outs import hold_outs
from project.queries.plans import all_assignments, completions
from project.queries.recordings import all_recordings
from project.queries.segments import segment_counts
from project.timebase import SECOND, format_minutes
from project.types import Annotator, Json, Recording, WorkPurpose


@dataclass(frozen=True, slots=True)
class Cell:
    """What one annotator has to do with one recording."""

    purpose: WorkPurpose | None
    segments: int
    done: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """One annotator's part in figures: recordings given, begun, done, and their minutes."""

    annotator: Annotator
    given: int
    begun: int
    done: int
    minutes: float


@dataclass(frozen=True, slots=True)
class TeamPlan:
    """The whole plan; `cells` has (recording id, annotator id) for what is given, begun or done."""

    recordings: tuple[Recording, ...]
    annotators: tuple[Annotator, ...]
    cells: dict[tuple[str, str], Cell]
    held_out: frozenset[str]

    @property
    def is_made(self) -> bool:
        """Whether anything was given to anybody."""
        return any(cell.purpose for cell in self.cells.values())

    def progress(self, annotator: Annotator) -> Progress:
        """Return the part of one annotator; recordings to train on do not count."""
        work = [
            (one, cell)
            for one in self.recordings
            if (cell := self.cells.get((one.id, annotator.id))) and cell.purpose is WorkPurpose.WORK
        ]
        return Progress(
            annotator,
            len(work),
            sum(1 for _, cell in work if cell.segments or cell.done),
            sum(1 for _, cell in work if cell.done),
            sum(one.duration_us for one, _ in work) / 6e7,
        )

    def as_json(self) -> dict[str, Json]:
        """Return each annotator's part, and for each recording who has it."""
        names = {one.id: one.name for one in self.annotators}
        return {
            "annotators": [
                {"name": p.annotator.name, "given": p.given, "begun": p.begun, "done": p.done, "minutes": p.minutes}
                for p in map(self.progress, self.annotators)
            ],
            "recordings": [
                {
                    "id": one.id,
                    "number": one.number,
                    "name": one.name,
                    "held_out": one.id in self.held_out,
                    "annotators": [
                        {
                            "name": names[who],
                            "purpose": cell.purpose.value if cell.purpose else None,
                            "segments": cell.segments,
                            "done": cell.done,
                        }
                        for (place, who), cell in self.cells.items()
                        if place == one.id
                    ],
                }
                for one in self.recordings
            ],
        }

    def as_text(self) -> str:
        """Return the plan for people."""
        if not self.is_made:
            return "There is no plan yet. Make one: greenroom plan STUDY --annotators Ada,Bo,Cy"
        names = {one.id: one.name for one in self.annotators}
        lines = [
            f"{p.annotator.name}: {p.done} of {p.given} recordings done, {p.begun} begun, "
            f"{format_minutes(p.minutes * 60 * SECOND)} in all"
            for p in map(self.progress, self.annotators)
            if p.given
        ]
        for one in self.recordings:
            cells = [(names[who], cell) for (place, who), cell in self.cells.items() if place == one.id]
            who = ", ".join(f"{name}{_state(cell)}" for name, cell in cells) or "nobody"
            lines.append(f"{one.number:4}  {one.name}{' (held out)' if one.id in self.held_out else ''}: {who}")
        return "\n".join(lines)


def team_plan(session: Session) -> TeamPlan:
    """Return who has what, and how far they are."""
    study = session.study
    counts, done = segment_counts(study), completions(study)
    purposes = {(one.recording_id, one.annotator_id): one.purpose for one in all_assignments(study)}
    places = {*purposes, *done, *((place, who) for place, of_place in counts.items() for who in of_place)}
    annotators = tuple(one for one in all_annotators(study) if one.kind == "person")
    people = {one.id for one in annotators}
    return TeamPlan(
        tuple(all_recordings(study)),
        annotators,
        {
            (place, who): Cell(purposes.get((place, who)), counts.get(place, {}).get(who, 0), (place, who) in done)
            for place, who in sorted(places)
            if who in people
        },
        hold_outs(study),
    )


def _state(cell: Cell) -> str:
    notes = ["training"] if cell.purpose is WorkPurpose.TRAINING else []
    if cell.done:
        notes.append("done")
    elif cell.segments:
        notes.append(counted(cell.segments, "segment"))
    return f" ({', '.join(notes)})" if notes else ""
