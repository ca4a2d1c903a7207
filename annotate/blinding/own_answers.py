"""What somebody says about a segment themself: on the segment if it is theirs, or on one of theirs that stands for it.

Which texts of a form were taken over from judges, for the form, the history and what is counted. What a judge or a
person says about a segment, in one shape: a label and the values of fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from annotate.agreement.annotator_lanes import Mark, group_marks
from project.entities.judgments import Adoption, Judgment, JudgmentStatus
from project.entities.study_records import Json, Segment, Utterance
from project.queries.judgment_rows import adoptions, find_judgments
from project.queries.segment_rows import find_segment, segments_of, values_in, values_of
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme import FieldKind, segment_problems
from project.session.session import Session


class Partners:
    """Which segments of a recording stand for which, each annotator compared with each."""

    def __init__(self, session: Session, recording_id: str) -> None:
        self.values = {
            segment_id: {key: one.value for key, one in filled.items()}
            for segment_id, filled in values_in(session.study, recording_id).items()
        }
        self.segments = {one.id: one for one in segments_of(session.study, recording_id)}
        marks: dict[str, list[Mark]] = {}
        for one in self.segments.values():
            marks.setdefault(one.annotator_id, []).append(make_mark(session, one, self.values.get(one.id, {})))
        self._beside: dict[str, list[Segment]] = {}
        for who, whom in combinations(marks, 2):
            for group in group_marks([*marks[who], *marks[whom]]):
                if len(group) > 1:
                    first, second = (mark.segment for mark in group)
                    self._beside.setdefault(first.id, []).append(second)
                    self._beside.setdefault(second.id, []).append(first)

    def beside(self, segment_id: str) -> list[Segment]:
        """Return what stands for a segment, at most one of each other annotator."""
        return self._beside.get(segment_id, [])


class OwnWords:
    """Finds what one annotator says, one segment at a time or all of a recording; made anew after an edit."""

    def __init__(self, session: Session, annotator_id: str) -> None:
        self._session = session
        self._who = annotator_id
        self._values: dict[str, Mapping[str, Json]] = {}
        self._partners: dict[str, Segment] = {}
        self._missing: dict[str, tuple[str, ...]] = {}
        self._durations: dict[str, int] = {}
        self._read: dict[str, list[str]] = {}
        self._spoken: dict[str, list[Utterance]] = {}

    def read(self, recording_id: str, partners: Partners | None = None) -> bool:
        """Read a whole recording at once, where many of its segments are asked for; false where that was done."""
        if recording_id in self._read:
            return False
        found = partners or Partners(self._session, recording_id)
        for one in found.segments.values():
            self._values[one.id] = found.values.get(one.id, {})
            if one.annotator_id == self._who:
                self._partners |= {other.id: one for other in found.beside(one.id)}
        self._read[recording_id] = [*found.segments]
        return True

    def segment_ids(self, recording_id: str) -> list[str]:
        """Return the ids of the segments of a recording that was read."""
        return self._read[recording_id]

    def forget_form(self, segment_id: str) -> None:
        """Read a form again at the next chance: its values changed, and nothing else."""
        self._values.pop(segment_id, None)
        self._missing.pop(segment_id, None)

    def about(self, segment: Segment) -> Segment | None:
        """Return the segment that says it: itself where it is theirs, or the one that stands for it; None for none."""
        if segment.annotator_id == self._who:
            return segment
        if segment.recording_id not in self._read and segment.id not in self._partners:
            both = {segment.annotator_id, self._who}
            marked = segments_of(self._session.study, segment.recording_id)
            self._pair(connected_segments([one for one in marked if one.annotator_id in both], segment))
        return self._partners.get(segment.id)

    def form(self, segment: Segment) -> dict[str, Json]:
        """Return field -> value of what the newest version of a segment's form has a place for."""
        if segment.id not in self._values:
            found = values_of(self._session.study, segment.id)
            self._values[segment.id] = {key: one.value for key, one in found.items()}
        scheme = self._session.schemes.known(segment.scheme)
        given = self._values[segment.id]
        return dict(given) if scheme is None else scheme.placed(segment.track, given)

    def missing(self, segment: Segment) -> tuple[str, ...]:
        """Return what is still to be done about a segment by its scheme's rules, a short line each."""
        if segment.id not in self._missing:
            self._missing[segment.id] = self._still_missing(segment)
        return self._missing[segment.id]

    def _still_missing(self, segment: Segment) -> tuple[str, ...]:
        scheme = self._session.schemes.known(segment.scheme)
        if scheme is None:
            return ("Its scheme is not part of the study.",)
        place = segment.recording_id
        if place not in self._durations:
            self._durations[place] = self._session.recording(place).duration_us
        if scheme.lane(segment.track).inside and place not in self._spoken:
            self._spoken[place] = utterances_of(self._session.study, place)
        spoken = self._spoken.get(place, ())
        return segment_problems(scheme, segment, self.form(segment), self._durations[place], spoken)

    def _pair(self, marked: Sequence[Segment]) -> None:
        for group in group_marks([make_mark(self._session, one, self.form(one)) for one in marked]):
            own = next((one.segment for one in group if one.segment.annotator_id == self._who), None)
            if own is not None:
                self._partners |= {one.segment.id: own for one in group}


def make_mark(session: Session, segment: Segment, values: Mapping[str, Json]) -> Mark:
    """Return a segment as it is compared; `values` are those of its form."""
    scheme = session.schemes.known(segment.scheme)
    fields = () if scheme is None else scheme.fields_of(segment.track)
    about = (str(values.get(one.key, "")) for one in fields if one.kind is FieldKind.PARTICIPANT)
    return Mark(segment, values, (), tuple(about))


def connected_segments(marked: Sequence[Segment], about: Segment) -> list[Segment]:
    """Return the segments that are tied to one by overlaps, directly or through others; `marked` is by start."""
    run: list[Segment] = []
    end_us, found = -1, False
    for one in marked:
        if one.start_us >= end_us:
            if found:
                break
            run = []
        run.append(one)
        end_us = max(end_us, one.end_us)
        found = found or one.id == about.id
    return run if found else []


LABEL = "label"
"""The part of an answer that is the segment's label; every other part is a field of its form."""


@dataclass(frozen=True, slots=True)
class SegmentAnswer:
    """Label and values; what was not said is missing. Several choices are in no order."""

    parts: Mapping[str, Json]

    @property
    def label(self) -> str:
        """The label, or "" where none was given."""
        found = self.parts.get(LABEL)
        return found if isinstance(found, str) else ""

    def of(self, part: str) -> Json:
        """Return what was said about one part, several choices sorted; None for nothing."""
        found = self.parts.get(part)
        if found in (None, "", []):
            return None
        return sorted(found, key=str) if isinstance(found, list) else found


def answer_of_judgment(judgment: Judgment) -> SegmentAnswer:
    """Return what a judgment says; nothing where there is no answer."""
    return SegmentAnswer(dict(judgment.answer) if judgment.status is JudgmentStatus.OK else {})


def answer_of_segment(label: str, values: Mapping[str, Json]) -> SegmentAnswer:
    """Return what a segment says."""
    return SegmentAnswer({**values, LABEL: label})


def judge_name(judgment: Judgment) -> str:
    """Return the name that a judge had when it was asked."""
    return str(judgment.judge.get("name", judgment.judge_id))


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A field that holds what a judge wrote.

    Attributes:
        judge: the name that it had then.
        changed: whether the text was changed since.
    """

    adoption: Adoption
    judge: str
    changed: bool

    def __str__(self) -> str:
        day = self.adoption.at[:10]
        return f"Taken over from {self.judge} on {day}{', then changed' if self.changed else ''}."


def read_adoptions(session: Session, segment_id: str) -> dict[str, TakenOver]:
    """Return field -> what was taken over last, for the fields of a segment that hold something still."""
    about = find_segment(session.study, segment_id)
    if about is None:
        return {}
    newest = {one.field: one for one in adoptions(session.study, segment_id)}
    known = {one.id: one for one in find_judgments(session.study, [one.judgment_id for one in newest.values()])}
    values = OwnWords(session, about.annotator_id).form(about) if newest else {}
    found = {}
    for field, one in newest.items():
        judgment = known.get(one.judgment_id)
        if values.get(field) in (None, ""):
            continue
        name = judge_name(judgment) if judgment is not None else "a judge"
        changed = judgment is None or answer_of_judgment(judgment).of(field) != values[field]
        found[field] = TakenOver(one, name, changed)
    return found
