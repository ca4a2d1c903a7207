"""Answers of people and judges in one form, and an annotator's own answer, on the segment or on a matched one.

It also tells which texts of a form were adopted from judges.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from annotate.agreement.annotator_lanes import Mark, group_marks
from annotate.agreement.span_matching import compared_span
from project.entities.judgments import Adoption, Judgment, JudgmentStatus
from project.entities.study_records import Json, Segment, Utterance
from project.queries.judgment_rows import adoptions, find_judgments
from project.queries.segment_rows import find_segment, segments_of, values_in, values_of
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme import FieldKind, segment_problems
from project.session.session import Session


class Partners:
    """Matches the segments of a recording between each two annotators."""

    def __init__(self, session: Session, recording_id: str) -> None:
        self.values = values_in(session.study, recording_id)
        self.segments = {segment.id: segment for segment in segments_of(session.study, recording_id)}
        marks: dict[str, list[Mark]] = {}
        for segment in self.segments.values():
            marks.setdefault(segment.annotator_id, []).append(
                make_mark(session, segment, self.values.get(segment.id, {}))
            )
        self._beside: dict[str, list[Segment]] = {}
        for who, whom in combinations(marks, 2):
            for group in group_marks([*marks[who], *marks[whom]]):
                if len(group) > 1:
                    first, second = (mark.segment for mark in group)
                    self._beside.setdefault(first.id, []).append(second)
                    self._beside.setdefault(second.id, []).append(first)

    def counterparts(self, segment_id: str) -> list[Segment]:
        """Return the segments matched with a segment, at most one of each other annotator."""
        return self._beside.get(segment_id, [])


class SegmentChecker:
    """Says what is still to be done about segments by their schemes' rules; what it read of recordings is kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._durations: dict[str, int] = {}
        self._spoken: dict[str, list[Utterance]] = {}
        self._ends: dict[tuple[str, str, str], tuple[list[int], list[int]]] = {}

    def problems(self, segment: Segment, values: Mapping[str, Json]) -> tuple[str, ...]:
        """Return a short line for each problem; none where the study does not have the scheme."""
        scheme, place = self._session.schemes.find(segment.scheme), segment.recording_id
        if scheme is None:
            return ()
        if place not in self._durations:
            self._durations[place] = self._session.recording(place).duration_us
        track = scheme.track_or_empty(segment.track)
        if track.inside and place not in self._spoken:
            self._spoken[place] = utterances_of(self._session.study, place)
        inside = not track.parent or self._lies_in_track(segment, track.parent)
        spoken = self._spoken.get(place, ())
        return segment_problems(scheme, segment, values, self._durations[place], spoken, in_parent=inside)

    def _lies_in_track(self, segment: Segment, track: str) -> bool:
        """Tell whether a segment lies inside one on a track of its scheme, whoever made that, or nobody marked any."""
        key = (segment.recording_id, segment.scheme, track)
        if key not in self._ends:
            marked = segments_of(self._session.study, segment.recording_id)
            spans = sorted((other.start_us, other.end_us) for other in marked if (other.scheme, other.track) == key[1:])
            self._ends[key] = [start for start, _ in spans], [*accumulate((end for _, end in spans), max)]
        starts, ends = self._ends[key]
        before = bisect_right(starts, segment.start_us)
        return not ends or (before > 0 and ends[before - 1] >= segment.end_us)


class OwnWords:
    """Finds what one annotator says, one segment at a time or all of a recording. After an edit, make a new one."""

    def __init__(self, session: Session, annotator_id: str) -> None:
        self._session = session
        self._who = annotator_id
        self._values: dict[str, Mapping[str, Json]] = {}
        self._partners: dict[str, Segment] = {}
        self._missing: dict[str, tuple[str, ...]] = {}
        self._checker = SegmentChecker(session)
        self._read: dict[str, list[str]] = {}

    def read_recording(self, recording_id: str, partners: Partners | None = None) -> bool:
        """Read a whole recording at once, where many of its segments are asked for; false where that was done."""
        if recording_id in self._read:
            return False
        found = partners or Partners(self._session, recording_id)
        for segment in found.segments.values():
            self._values[segment.id] = found.values.get(segment.id, {})
            if segment.annotator_id == self._who:
                self._partners |= {other.id: segment for other in found.counterparts(segment.id)}
        self._read[recording_id] = [*found.segments]
        return True

    def segment_ids(self, recording_id: str) -> list[str]:
        """Return the ids of the segments of a recording that was read."""
        return self._read[recording_id]

    def forget_form(self, segment_id: str) -> None:
        """Read a form again at the next chance: its values changed, and nothing else."""
        self._values.pop(segment_id, None)
        self._missing.pop(segment_id, None)

    def own_segment(self, segment: Segment) -> Segment | None:
        """Return the annotator's own segment: the segment itself, or the one matched with it; None for none."""
        if segment.annotator_id == self._who:
            return segment
        if segment.recording_id not in self._read and segment.id not in self._partners:
            both = {segment.annotator_id, self._who}
            marked = segments_of(self._session.study, segment.recording_id)
            self._pair(
                connected_segments([candidate for candidate in marked if candidate.annotator_id in both], segment)
            )
        return self._partners.get(segment.id)

    def form_values(self, segment: Segment) -> dict[str, Json]:
        """Return field -> value of what the newest version of a segment's form has a place for."""
        if segment.id not in self._values:
            self._values[segment.id] = values_of(self._session.study, segment.id)
        scheme = self._session.schemes.find(segment.scheme)
        given = self._values[segment.id]
        return dict(given) if scheme is None else scheme.known_values(segment.track, given)

    def missing_parts(self, segment: Segment) -> tuple[str, ...]:
        """Return what is still to be done about a segment by its scheme's rules, a short line each."""
        if self._session.schemes.find(segment.scheme) is None:
            return ("Its scheme is not part of the study.",)
        if segment.id not in self._missing:
            self._missing[segment.id] = self._checker.problems(segment, self.form_values(segment))
        return self._missing[segment.id]

    def _pair(self, marked: Sequence[Segment]) -> None:
        for group in group_marks([make_mark(self._session, segment, self.form_values(segment)) for segment in marked]):
            own = next((mark.segment for mark in group if mark.segment.annotator_id == self._who), None)
            if own is not None:
                self._partners |= {mark.segment.id: own for mark in group}


def make_mark(session: Session, segment: Segment, values: Mapping[str, Json]) -> Mark:
    """Return a segment as it is compared; `values` are those of its form."""
    scheme = session.schemes.find(segment.scheme)
    fields = () if scheme is None else scheme.fields_of(segment.track)
    about = (str(values.get(field.key, "")) for field in fields if field.kind is FieldKind.PARTICIPANT)
    return Mark(segment, values, (), tuple(about))


def connected_segments(marked: Sequence[Segment], about: Segment) -> list[Segment]:
    """Return the segments that are tied to one by overlaps, directly or through others; `marked` is by start."""
    run: list[Segment] = []
    end_us, found = -1, False
    for segment in marked:
        start_us, own_end_us = compared_span(segment)
        if start_us >= end_us:
            if found:
                break
            run = []
        run.append(segment)
        end_us = max(end_us, own_end_us)
        found = found or segment.id == about.id
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

    def part_value(self, part: str) -> Json:
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
    """Return field -> its last adoption, for the fields of a segment that still have a value."""
    about = find_segment(session.study, segment_id)
    if about is None:
        return {}
    newest = {adoption.field: adoption for adoption in adoptions(session.study, segment_id)}
    known = {
        judgment.id: judgment
        for judgment in find_judgments(session.study, [adoption.judgment_id for adoption in newest.values()])
    }
    values = OwnWords(session, about.annotator_id).form_values(about) if newest else {}
    found = {}
    for field, adoption in newest.items():
        judgment = known.get(adoption.judgment_id)
        if values.get(field) in (None, ""):
            continue
        name = judge_name(judgment) if judgment is not None else "a judge"
        changed = judgment is None or answer_of_judgment(judgment).part_value(field) != values[field]
        found[field] = TakenOver(adoption, name, changed)
    return found
