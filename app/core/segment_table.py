"""All segments of a study with what is known about each, kept in step with edits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.agreement.disputes import disputed
from app.core.judging.annotators.disagreement import VerdictBoard, Verdicts
from app.core.judging.annotators.revisions import revised_segments
from app.core.session import Session
from project.queries.annotators import all_annotators
from project.queries.collections import all_collections
from project.queries.comparison import completed, in_training
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.table import comment_counts, listed_segments, listed_values, review_counts
from project.queries.utterances import utterances_of
from project.schemes.problems import problems_of
from project.store import Study
from project.types import Annotator, Changes, Collection, Json, Participant, Recording, Segment, Utterance

_EVERYTHING = frozenset({"recording", "collection", "annotator", "participant", "scheme_version", "property"})
_COMPARED = frozenset({"segment", "completion", "assignment"})
_ABOUT_ONE = ("segment", "segment_value", "review", "comment")
_JUDGES = frozenset({"segment", "segment_value", "utterance", "judgment", "reveal"})


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment as the table has it; comments and reviews are counted."""

    segment: Segment
    values: Mapping[str, Json]
    comments: int
    unresolved: int
    agreeing: int
    disagreeing: int


class SegmentTable:
    """The rows, by segment id; what takes longer to find out is found out when it is asked for."""

    def __init__(self, session: Session, rows: dict[str, SegmentRow] | None = None) -> None:
        self._session = session
        self._boards: dict[str, VerdictBoard] = {}
        self._revised: set[str] | None = None
        self._read_names()
        self.rows = segment_rows(session.study) if rows is None else rows

    def reload(self) -> None:
        """Read everything anew."""
        self._read_names()
        self.rows = segment_rows(self._session.study)

    def _read_names(self) -> None:
        """Read all but the rows."""
        study = self._session.study
        self.recordings: dict[str, Recording] = {one.id: one for one in all_recordings(study)}
        self.collections: dict[str, Collection] = {one.id: one for one in all_collections(study)}
        self.annotators: dict[str, Annotator] = {one.id: one for one in all_annotators(study)}
        self.participants: dict[str, Participant] = {one.id: one for one in all_participants(study)}
        self.held_out: frozenset[str] = hold_outs(study)
        self._spoken: dict[str, list[Utterance]] = {}
        self._problems: dict[str, tuple[str, ...]] = {}
        self._disputed: set[str] | None = None
        self._forget_judges()

    def touched(self, changes: Changes) -> list[str] | None:
        """Return the ids of the segments that are read again after an edit; None for all."""
        if _EVERYTHING & changes.tables.keys():
            return None
        return sorted({one for table in _ABOUT_ONE for one in changes.ids(table)})

    def apply(self, changes: Changes, rows: Mapping[str, SegmentRow] | None = None) -> bool:
        """Take in what an edit touched; returns whether anything here may be different now.

        Args:
            changes: of the edit.
            rows: of the segments that `touched` names, where they were read already.
        """
        touched = self.touched(changes)
        if touched is None:
            self._read_names()
            self.rows = segment_rows(self._session.study) if rows is None else dict(rows)
            return True
        if touched:
            for one in touched:
                self.rows.pop(one, None)
                self._problems.pop(one, None)
            self.rows |= segment_rows(self._session.study, touched) if rows is None else rows
        if _COMPARED & changes.tables.keys():
            self._disputed = None
        if changes.ids("utterance"):
            self._spoken.clear()
            self._problems.clear()
        if _JUDGES & changes.tables.keys():
            self._forget_judges()
        if changes.ids("hold_out"):
            self.held_out = hold_outs(self._session.study)
        return bool(touched or {*_COMPARED, *_JUDGES, "hold_out"} & changes.tables.keys())

    def problems(self, segment_id: str) -> tuple[str, ...]:
        """Return what is still to be done about a segment, a short line each."""
        if segment_id not in self._problems:
            row = self.rows[segment_id]
            segment = row.segment
            scheme = self._session.schemes.known(segment.scheme)
            recording = self.recordings[segment.recording_id]
            self._problems[segment_id] = (
                ()
                if scheme is None
                else problems_of(
                    scheme,
                    segment,
                    row.values,
                    recording.duration_us,
                    self._utterances(recording.id) if scheme.lane(segment.track).inside else (),
                )
            )
        return self._problems[segment_id]

    def lacks(self, segment_id: str) -> tuple[str, ...]:
        """Return the fields that a segment needs by its scheme's rules and does not have."""
        row = self.rows[segment_id]
        segment = row.segment
        scheme = self._session.schemes.known(segment.scheme)
        if scheme is None:
            return ()
        return scheme.missing(segment.label, scheme.placed(segment.track, row.values), segment.track)

    def disputed(self, segment_id: str) -> bool:
        """Tell whether others who worked on the recording say something else (see `app.core.agreement.disputes`)."""
        if self._disputed is None:
            training = in_training(self._session.study)
            worked: dict[str, set[str]] = {}
            marked = ((row.segment.recording_id, row.segment.annotator_id) for row in self.rows.values())
            for recording, who in {*marked, *completed(self._session.study)} - training:
                if self.annotators[who].kind == "person":
                    worked.setdefault(recording, set()).add(who)
            self._disputed = disputed([row.segment for row in self.rows.values()], worked)
        return segment_id in self._disputed

    def verdicts(self, segment_id: str) -> Verdicts | None:
        """Return what people and judges say about a segment; None where no judge was asked for a label."""
        place = self.rows[segment_id].segment.recording_id
        if place not in self._boards:
            self._boards[place] = VerdictBoard(self._session, place)
        return self._boards[place].rows.get(segment_id)

    def note_judges_shown(self, segment_ids: Iterable[str]) -> None:
        """Write down that who works here is shown what judges say about these segments, where they may see it."""
        places: dict[str, list[str]] = {}
        for key in segment_ids:
            if self.verdicts(key) is not None:
                places.setdefault(self.rows[key].segment.recording_id, []).append(key)
        for place, shown in places.items():
            self._boards[place].note_shown(shown)

    def revised(self, segment_id: str) -> bool:
        """Tell whether who made a segment changed it after they were shown what judges say."""
        if self._revised is None:
            self._revised = revised_segments(self._session)
        return segment_id in self._revised

    def _forget_judges(self) -> None:
        self._boards = {}
        self._revised = None

    def _utterances(self, recording_id: str) -> list[Utterance]:
        if recording_id not in self._spoken:
            self._spoken[recording_id] = utterances_of(self._session.study, recording_id)
        return self._spoken[recording_id]


def segment_rows(study: Study, only: Sequence[str] | None = None) -> dict[str, SegmentRow]:
    """Return the rows of all segments, or of some ids, by recording and start."""
    values, comments, reviews = listed_values(study, only), comment_counts(study, only), review_counts(study, only)
    return {
        segment.id: SegmentRow(
            segment,
            values.get(segment.id, {}),
            *comments.get(segment.id, (0, 0)),
            *reviews.get(segment.id, (0, 0)),
        )
        for segment in listed_segments(study, only)
    }
