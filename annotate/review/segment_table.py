"""The table of all segments of a study, its columns and filters, updated after each edit."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as AbcCollection
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from annotate.agreement.annotator_lanes import find_disputed
from annotate.blinding.label_disagreement import VerdictBoard, Verdicts
from annotate.blinding.own_answers import SegmentChecker
from annotate.blinding.revisions import find_revised_segments
from project.entities.study_records import Annotator, Changes, Collection, Json, Participant, Recording, Segment
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_collections, all_participants, all_recordings, hold_outs
from project.queries.segment_rows import comment_counts, review_counts, table_segments, table_values, training_work
from project.schemes.scheme import CHOICE_KINDS, Field, FieldKind
from project.session.session import Session
from project.store.study import Study
from project.text_format import to_csv
from project.timebase import format_time

_RELOAD_TABLES = frozenset({"recording", "collection", "annotator", "participant", "scheme_version", "property"})
_DISPUTE_TABLES = frozenset({"segment", "completion", "assignment"})
_SEGMENT_TABLES = ("segment", "segment_value", "review", "comment")
_JUDGE_TABLES = frozenset({"segment", "segment_value", "utterance", "judgment", "reveal"})


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
        """Read everything again."""
        self._read_names()
        self.rows = segment_rows(self._session.study)

    def _read_names(self) -> None:
        """Read all but the rows."""
        study = self._session.study
        self.recordings: dict[str, Recording] = {recording.id: recording for recording in all_recordings(study)}
        self.collections: dict[str, Collection] = {collection.id: collection for collection in all_collections(study)}
        self.annotators: dict[str, Annotator] = {annotator.id: annotator for annotator in all_annotators(study)}
        self.participants: dict[str, Participant] = {
            participant.id: participant for participant in all_participants(study)
        }
        self.held_out: frozenset[str] = hold_outs(study)
        self._checker = SegmentChecker(self._session)
        self._problems: dict[str, tuple[str, ...]] = {}
        self._disputed: set[str] | None = None
        self._forget_judges()

    def find_all_problems(self) -> None:
        """Find out what is still to be done about every segment; for a thread, because that takes long."""
        for segment_id in self.rows:
            self.problems(segment_id)

    def take_over(self, other: "SegmentTable") -> None:
        """Use the rows of another table of this study, and the problems that it found."""
        self.rows, self._problems = other.rows, other._problems

    def affected_ids(self, changes: Changes) -> list[str] | None:
        """Return the ids of the segments that are read again after an edit; None for all."""
        if _RELOAD_TABLES & changes.tables.keys():
            return None
        return sorted({segment_id for table in _SEGMENT_TABLES for segment_id in changes.ids(table)})

    def apply(self, changes: Changes, rows: Mapping[str, SegmentRow] | None = None) -> bool:
        """Take in what an edit touched; returns whether anything here may be different now.

        `rows` are those of the segments that `affected_ids` names, where they were read already.
        """
        touched = self.affected_ids(changes)
        if touched is None:
            self._read_names()
            self.rows = segment_rows(self._session.study) if rows is None else dict(rows)
            return True
        if touched:
            for segment_id in touched:
                self.rows.pop(segment_id, None)
                self._problems.pop(segment_id, None)
            self.rows |= segment_rows(self._session.study, touched) if rows is None else rows
        if _DISPUTE_TABLES & changes.tables.keys():
            self._disputed = None
        if changes.ids("utterance"):
            self._checker = SegmentChecker(self._session)
            self._problems.clear()
        if _JUDGE_TABLES & changes.tables.keys():
            self._forget_judges()
        if changes.ids("hold_out"):
            self.held_out = hold_outs(self._session.study)
        return bool(touched or {*_DISPUTE_TABLES, *_JUDGE_TABLES, "hold_out"} & changes.tables.keys())

    def problems(self, segment_id: str) -> tuple[str, ...]:
        """Return what is still to be done about a segment, a short line each."""
        if segment_id not in self._problems:
            row = self.rows[segment_id]
            self._problems[segment_id] = self._checker.problems(row.segment, row.values)
        return self._problems[segment_id]

    def missing_fields(self, segment_id: str) -> tuple[str, ...]:
        """Return the fields that a segment needs by its scheme's rules and does not have."""
        row = self.rows[segment_id]
        segment = row.segment
        scheme = self._session.schemes.find(segment.scheme)
        if scheme is None:
            return ()
        return scheme.missing_fields(segment.label, row.values, segment.track)

    def is_disputed(self, segment_id: str) -> bool:
        """Tell whether others who code its track say something else; see `find_disputed`."""
        if self._disputed is None:
            training = training_work(self._session.study)
            people: dict[str, set[str]] = {}
            marked = {(row.segment.recording_id, row.segment.annotator_id) for row in self.rows.values()}
            for recording, who in marked - training:
                if self.annotators[who].kind == "person":
                    people.setdefault(recording, set()).add(who)
            self._disputed = find_disputed([row.segment for row in self.rows.values()], people)
        return segment_id in self._disputed

    def verdicts(self, segment_id: str) -> Verdicts | None:
        """Return what people and judges say about a segment; None where no judge was asked for a label."""
        place = self.rows[segment_id].segment.recording_id
        if place not in self._boards:
            self._boards[place] = VerdictBoard(self._session, place)
        return self._boards[place].rows.get(segment_id)

    def record_judges_shown(self, segment_ids: Iterable[str]) -> None:
        """Record that the annotator is shown the judgments of these segments, where they are visible."""
        places: dict[str, list[str]] = {}
        for key in segment_ids:
            if self.verdicts(key) is not None:
                places.setdefault(self.rows[key].segment.recording_id, []).append(key)
        for place, shown in places.items():
            self._boards[place].record_shown(shown)

    def is_revised(self, segment_id: str) -> bool:
        """Tell whether who made a segment changed it after they were shown what judges say."""
        if self._revised is None:
            self._revised = find_revised_segments(self._session)
        return segment_id in self._revised

    def _forget_judges(self) -> None:
        self._boards = {}
        self._revised = None


def segment_rows(study: Study, only: Sequence[str] | None = None) -> dict[str, SegmentRow]:
    """Return the rows of all segments, or of some ids, by recording and start."""
    values, comments, reviews = table_values(study, only), comment_counts(study, only), review_counts(study, only)
    return {
        segment.id: SegmentRow(
            segment, values.get(segment.id, {}), *comments.get(segment.id, (0, 0)), *reviews.get(segment.id, (0, 0))
        )
        for segment in table_segments(study, only)
    }


EMPTY = ""
"""Among the wanted values of a field: that it has none."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on segments; what is empty or None asks for nothing.

    Attributes:
        annotators: ids of who may have made it.
        lanes: (scheme, track) keys.
        values: field -> values of which it has at least one; `EMPTY` stands for no value.
        lacks: fields that its scheme's rules ask for and of which at least one is missing.
        incomplete: whether anything is still to be done about it by its scheme's rules.
        disputed: whether somebody else who worked on the recording says something else there.
        unresolved: whether it has comments that are not resolved.
        judged: whether judges said something about it, also where that is still hidden.
        judges_differ: whether a judge gives it another label, as far as that may be seen.
        revised: whether who made it changed it after they were shown judges.
    """

    annotators: frozenset[str] = frozenset()
    recordings: frozenset[str] = frozenset()
    collections: frozenset[str] = frozenset()
    lanes: frozenset[tuple[str, str]] = frozenset()
    labels: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    lacks: frozenset[str] = frozenset()
    incomplete: bool | None = None
    disputed: bool | None = None
    commented: bool | None = None
    unresolved: bool | None = None
    reviewed: bool | None = None
    disagreed: bool | None = None
    held_out: bool | None = None
    judged: bool | None = None
    judges_differ: bool | None = None
    revised: bool | None = None

    def __bool__(self) -> bool:
        return self != _NO_FILTER

    def select(self, table: SegmentTable, among: AbcCollection[str] | None = None) -> list[str]:
        """Return the ids of the segments for which every condition holds, in the table's order.

        Where `among` is given, such as what a search found, no other ids are looked at.
        """
        keys = [key for key in table.rows if among is None or key in among]
        if not self:
            return keys
        return [key for key in keys if self._matches_row(table.rows[key], table) and self._matches_computed(key, table)]

    def _matches_row(self, row: SegmentRow, table: SegmentTable) -> bool:
        segment = row.segment
        return (
            (not self.annotators or segment.annotator_id in self.annotators)
            and (not self.recordings or segment.recording_id in self.recordings)
            and (not self.collections or table.recordings[segment.recording_id].collection_id in self.collections)
            and (not self.lanes or (segment.scheme, segment.track) in self.lanes)
            and (not self.labels or segment.label in self.labels)
            and self.commented in (None, row.comments > 0)
            and self.unresolved in (None, row.unresolved > 0)
            and self.reviewed in (None, row.agreeing + row.disagreeing > 0)
            and self.disagreed in (None, row.disagreeing > 0)
            and self.held_out in (None, segment.recording_id in table.held_out)
            and all(_has_value(row.values.get(key), wanted) for key, wanted in self.values.items())
        )

    def _matches_computed(self, key: str, table: SegmentTable) -> bool:
        return (
            (not self.lacks or not self.lacks.isdisjoint(table.missing_fields(key)))
            and self.incomplete in (None, bool(table.problems(key)) if self.incomplete is not None else None)
            and self.disputed in (None, table.is_disputed(key) if self.disputed is not None else None)
            and self._matches_judges(key, table)
        )

    def _matches_judges(self, key: str, table: SegmentTable) -> bool:
        if (self.judged, self.judges_differ, self.revised) == (None, None, None):
            return True
        said = table.verdicts(key)
        return (
            self.judged in (None, said is not None)
            and self.judges_differ in (None, said is not None and said.has_dissent)
            and self.revised in (None, table.is_revised(key) if self.revised is not None else None)
        )


_NO_FILTER = Filter()


def _has_value(value: Json, wanted: frozenset[str]) -> bool:
    if value in (None, "", []):
        return EMPTY in wanted
    return any(str(item) in wanted for item in value) if isinstance(value, list) else str(value) in wanted


FIELD_PREFIX = "field "
"""Prefix of the keys of columns that show a field of the form."""


@dataclass(frozen=True, slots=True)
class SegmentTableColumn:
    """One column of the table.

    Attributes:
        text: what stands in a cell, on one line.
        order: what the column is sorted by; the text where None.
        visible_by_default: whether it is shown before anybody chose.
    """

    key: str
    title: str
    text: Callable[[SegmentRow], str]
    order: Callable[[SegmentRow], Any] | None = None
    visible_by_default: bool = True


class SegmentColumns:
    """Cell texts and sort order of the columns of one study. When its schemes change, make a new one."""

    def __init__(self, session: Session, table: SegmentTable) -> None:
        self._session = session
        self._table = table
        self._names: dict[tuple[str, str, str], str] = {}
        self.columns = (*self._columns_before(), *self._field_columns(), *self._columns_after())
        self._by_key = {column.key: column for column in self.columns}

    def _columns_before(self) -> Iterator[SegmentTableColumn]:
        table, column = self._table, SegmentTableColumn
        several = len(list(self._session.schemes)) > 1 or len(self._session.scheme.tracks) > 1
        yield column("recording", "Recording", self._recording)
        yield column("collection", "Collection", self._collection, visible_by_default=False)
        yield column("start", "Start", lambda row: format_time(row.segment.start_us), lambda row: row.segment.start_us)
        yield column("end", "End", _end_text, lambda row: row.segment.end_us, False)
        yield column("duration", "Duration", _duration_text, _duration_us)
        yield column("label", "Label", lambda row: self._label(row.segment, row.segment.label))
        yield column("track", "Track", self._track, visible_by_default=several)
        yield column("annotator", "Annotator", lambda row: table.annotators[row.segment.annotator_id].name)

    def _field_columns(self) -> Iterator[SegmentTableColumn]:
        fields: dict[str, Field] = {}
        for scheme in self._session.schemes:
            for form_field in scheme.fields:
                fields.setdefault(form_field.key, form_field)
        first_text = next((key for key, form_field in fields.items() if form_field.kind is FieldKind.TEXT), "")
        needed = {key for rule in self._session.scheme.rules for key in rule.needs}
        for key, form_field in fields.items():
            number = partial(_number_in, key) if form_field.kind in (FieldKind.SCALE, FieldKind.SLIDER) else None
            shown = key == first_text or (key in needed and form_field.kind in CHOICE_KINDS)
            yield SegmentTableColumn(FIELD_PREFIX + key, form_field.name, partial(self._field_text, key), number, shown)

    def _columns_after(self) -> Iterator[SegmentTableColumn]:
        table, column = self._table, SegmentTableColumn
        yield column("comments", "Comments", _comments_text, lambda row: (row.unresolved, row.comments))
        yield column("review", "Review", _review_text, lambda row: (row.disagreeing, row.agreeing))
        yield column("judges", "Judges", self._judges, self._entropy, False)
        yield column("problems", "To do", lambda row: " ".join(table.problems(row.segment.id)), None, False)

    def cell_text(self, key: str, segment_id: str) -> str:
        """Return what stands in a cell, on one line."""
        return self._by_key[key].text(self._table.rows[segment_id])

    def sort_ids(self, ids: Iterable[str], key: str, descending: bool = False) -> list[str]:
        """Return ids sorted by a column; what is equal there stays in the order of recordings and times."""
        listed = sorted(ids, key=self._position_key)
        column = self._by_key.get(key)
        if column is None or key == "recording":
            return listed[::-1] if descending else listed
        order = column.order or (lambda row: column.text(row).casefold())
        return sorted(listed, key=lambda segment_id: order(self._table.rows[segment_id]), reverse=descending)

    def as_csv(self, ids: Iterable[str], keys: Sequence[str]) -> str:
        """Return rows as CSV with a head; no cell can be taken for a formula."""
        head = [self._by_key[key].title for key in keys]
        return to_csv(head, ([self.cell_text(key, segment_id) for key in keys] for segment_id in ids))

    def _position_key(self, segment_id: str) -> tuple[int, int, int, str]:
        segment = self._table.rows[segment_id].segment
        return self._table.recordings[segment.recording_id].number, segment.start_us, segment.end_us, segment.id

    def _recording(self, row: SegmentRow) -> str:
        recording = self._table.recordings[row.segment.recording_id]
        return f"{recording.number}  {recording.name}"

    def _collection(self, row: SegmentRow) -> str:
        return self._table.collections[self._table.recordings[row.segment.recording_id].collection_id].name

    def _track(self, row: SegmentRow) -> str:
        scheme = self._session.schemes.find(row.segment.scheme)
        return scheme.track_or_empty(row.segment.track).name if scheme else row.segment.track

    def _label(self, segment: Segment, label: str) -> str:
        kept = (segment.scheme, segment.track, label)
        if kept not in self._names:
            known = self._session.schemes.find(segment.scheme)
            self._names[kept] = known.label_name(segment.track, label) if known else label
        return self._names[kept]

    def _judges(self, row: SegmentRow) -> str:
        """Return such as `Error 2, Competence 1, hidden 1`."""
        said = self._table.verdicts(row.segment.id)
        if said is None:
            return ""
        counts = Counter(self._label(row.segment, label) for label in said.judges.values())
        parts = [*counts.most_common(), ("no answer", len(said.silent)), ("hidden", len(said.hidden))]
        return ", ".join(f"{name} {number}" for name, number in parts if number)

    def _entropy(self, row: SegmentRow) -> float:
        said = self._table.verdicts(row.segment.id)
        return -1.0 if said is None else said.entropy

    def _field_text(self, field: str, row: SegmentRow) -> str:
        return self._value(row.segment.scheme, field, row.values.get(field))

    def _value(self, scheme: str, field: str, value: Json) -> str:
        if value is None:
            return ""
        if isinstance(value, list):
            return ", ".join(self._value(scheme, field, item) for item in value)
        if not isinstance(value, str):
            return f"{value:g}" if isinstance(value, int | float) else str(value)
        person = self._table.participants.get(value)
        if person is not None:
            return person.pseudonym
        known = self._session.schemes.find(scheme)
        return " ".join((value if known is None else known.choice_name(field, value)).split())


def _number_in(field: str, row: SegmentRow) -> float:
    value = row.values.get(field)
    return float(value) if isinstance(value, int | float) else float("-inf")


def _end_text(row: SegmentRow) -> str:
    return "" if row.segment.is_point else format_time(row.segment.end_us)


def _duration_text(row: SegmentRow) -> str:
    return "" if row.segment.is_point else f"{_duration_us(row) / 1e6:.3f} s"


def _duration_us(row: SegmentRow) -> int:
    return row.segment.end_us - row.segment.start_us


def _comments_text(row: SegmentRow) -> str:
    unresolved = f" ({row.unresolved} open)" if row.unresolved else ""
    return f"{row.comments}{unresolved}" if row.comments else ""


def _review_text(row: SegmentRow) -> str:
    said = [(row.agreeing, "agree"), (row.disagreeing, "disagree")]
    return ", ".join(f"{count} {verb}" for count, verb in said if count)
