"""What somebody says about a segment themself: on the segment if it is theirs, or on one of theirs that stands for it.

Which stands for which is what the review compares (see `app.core.grouping`).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from app.core.agreement.lanes import Mark
from app.core.grouping import grouped
from app.core.session import Session
from project.queries.segments import segments_of, values_in, values_of
from project.queries.utterances import utterances_of
from project.schemes.problems import problems_of
from project.schemes.scheme import FieldKind
from project.types import Json, Segment, Utterance


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
            marks.setdefault(one.annotator_id, []).append(mark_of(session, one, self.values.get(one.id, {})))
        self._beside: dict[str, list[Segment]] = {}
        for who, whom in combinations(marks, 2):
            for group in grouped([*marks[who], *marks[whom]]):
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
            self._pair(hanging_together([one for one in marked if one.annotator_id in both], segment))
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
        return problems_of(scheme, segment, self.form(segment), self._durations[place], spoken)

    def _pair(self, marked: Sequence[Segment]) -> None:
        for group in grouped([mark_of(self._session, one, self.form(one)) for one in marked]):
            own = next((one.segment for one in group if one.segment.annotator_id == self._who), None)
            if own is not None:
                self._partners |= {one.segment.id: own for one in group}


def mark_of(session: Session, segment: Segment, values: Mapping[str, Json]) -> Mark:
    """Return a segment as it is compared; `values` are those of its form."""
    scheme = session.schemes.known(segment.scheme)
    fields = () if scheme is None else scheme.fields_of(segment.track)
    about = (str(values.get(one.key, "")) for one in fields if one.kind is FieldKind.PARTICIPANT)
    return Mark(segment, values, (), tuple(about))


def hanging_together(marked: Sequence[Segment], about: Segment) -> list[Segment]:
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
