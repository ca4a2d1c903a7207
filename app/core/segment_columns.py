"""The columns of the table of all segments: what stands in each, and how it sorts by them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.csv_cells import as_csv
from app.core.segment_table import SegmentTable
from app.core.session import Session
from project.schemes.scheme import CHOOSING, Field, FieldKind, Scheme
from project.timebase import format_time
from project.types import Json

FIELD = "field "
"""What the keys of the columns of a form's fields begin with."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `shown` is whether it is there before anybody chose."""

    key: str
    title: str
    shown: bool = True


class SegmentColumns:
    """Texts and order for one study; made anew when its schemes change."""

    def __init__(self, session: Session, table: SegmentTable) -> None:
        self._session = session
        self._table = table
        self._fields: dict[str, Field] = {}
        for scheme in session.schemes:
            for field in scheme.fields:
                self._fields.setdefault(field.key, field)
        self.columns = self._columns()
        self._names: dict[tuple[str, str, str], str] = {}

    def _columns(self) -> tuple[Column, ...]:
        needed = {key for rule in self._session.scheme.rules for key in rule.needs}
        several = len(list(self._session.schemes)) > 1 or len(self._session.scheme.tracks) > 1
        fields = [
            Column(FIELD + field.key, field.name, field.kind in CHOOSING and field.key in needed)
            for field in self._fields.values()
        ]
        first = next((field.key for field in self._fields.values() if field.kind is FieldKind.TEXT), "")
        fields = [Column(one.key, one.title, one.shown or one.key == FIELD + first) for one in fields]
        return (
            Column("recording", "Recording"),
            Column("collection", "Collection", False),
            Column("start", "Start"),
            Column("end", "End", False),
            Column("duration", "Duration"),
            Column("label", "Label"),
            Column("track", "Track", several),
            Column("annotator", "Annotator"),
            *fields,
            Column("comments", "Comments"),
            Column("review", "Review"),
            Column("judges", "Judges", False),
            Column("problems", "To do", False),
        )

    def text(self, key: str, segment_id: str) -> str:
        """Return what stands in a cell, on one line."""
        row = self._table.rows[segment_id]
        one = row.segment
        match key:
            case "recording":
                recording = self._table.recordings[one.recording_id]
                return f"{recording.number}  {recording.name}"
            case "collection":
                return self._collection(one.recording_id)
            case "start":
                return format_time(one.start_us)
            case "end":
                return format_time(one.end_us)
            case "duration":
                return f"{(one.end_us - one.start_us) / 1e6:.3f} s"
            case "label":
                return self._label(one.scheme, one.track, one.label)
            case "track":
                scheme = self._session.schemes.known(one.scheme)
                return scheme.lane(one.track).name if scheme else one.track
            case "annotator":
                return self._table.annotators[one.annotator_id].name
            case "comments":
                open_ones = f" ({row.unresolved} open)" if row.unresolved else ""
                return f"{row.comments}{open_ones}" if row.comments else ""
            case "review":
                said = [(row.agreeing, "agree"), (row.disagreeing, "disagree")]
                return ", ".join(f"{number} {word}" for number, word in said if number)
            case "judges":
                return self._judges(segment_id)
            case "problems":
                return " ".join(self._table.problems(segment_id))
            case _:
                return self._value(one.scheme, key.removeprefix(FIELD), row.values.get(key.removeprefix(FIELD)))

    def ordered(self, ids: Iterable[str], key: str, descending: bool = False) -> list[str]:
        """Return ids sorted by a column; what is equal there stays in the order of recordings and times."""
        place = self._place
        listed = sorted(ids, key=place)
        if key in ("recording", ""):
            return listed[::-1] if descending else listed
        listed.sort(key=self._order(key), reverse=descending)
        return listed

    def as_csv(self, ids: Iterable[str], keys: Sequence[str]) -> str:
        """Return rows as CSV with a head; no cell can be taken for a formula."""
        titles = {one.key: one.title for one in self.columns}
        head = [titles[key] for key in keys]
        return as_csv(head, ([self.text(key, one) for key in keys] for one in ids))

    def _place(self, segment_id: str) -> tuple[int, int, int, str]:
        one = self._table.rows[segment_id].segment
        return self._table.recordings[one.recording_id].number, one.start_us, one.end_us, one.id

    def _order(self, key: str) -> Callable[[str], Any]:
        rows = self._table.rows
        match key:
            case "start":
                return lambda one: rows[one].segment.start_us
            case "end":
                return lambda one: rows[one].segment.end_us
            case "duration":
                return lambda one: rows[one].segment.end_us - rows[one].segment.start_us
            case "comments":
                return lambda one: (rows[one].unresolved, rows[one].comments)
            case "review":
                return lambda one: (rows[one].disagreeing, rows[one].agreeing)
            case "judges":
                return lambda one: said.entropy if (said := self._table.verdicts(one)) is not None else -1.0
        field = self._fields.get(key.removeprefix(FIELD)) if key.startswith(FIELD) else None
        if field is not None and field.kind in (FieldKind.SCALE, FieldKind.SLIDER):
            return lambda one: _number(rows[one].values.get(field.key))
        return lambda one: self.text(key, one).casefold()

    def _collection(self, recording_id: str) -> str:
        return self._table.collections[self._table.recordings[recording_id].collection_id].name

    def _label(self, scheme: str, track: str, label: str) -> str:
        kept = (scheme, track, label)
        if kept not in self._names:
            known = self._session.schemes.known(scheme)
            self._names[kept] = known.label_name(track, label) if known else label
        return self._names[kept]

    def _judges(self, segment_id: str) -> str:
        """Return such as `Error 2, Competence 1, hidden 1`."""
        said, one = self._table.verdicts(segment_id), self._table.rows[segment_id].segment
        if said is None:
            return ""
        counts = Counter(self._label(one.scheme, one.track, label) for label in said.judges.values())
        parts = [*counts.most_common(), ("no answer", len(said.silent)), ("hidden", len(said.hidden))]
        return ", ".join(f"{name} {number}" for name, number in parts if number)

    def _value(self, scheme: str, field: str, value: Json) -> str:
        if value is None:
            return ""
        if isinstance(value, list):
            return ", ".join(self._value(scheme, field, one) for one in value)
        if not isinstance(value, str):
            return f"{value:g}" if isinstance(value, int | float) else str(value)
        person = self._table.participants.get(value)
        if person is not None:
            return person.pseudonym
        return self._choice(self._session.schemes.known(scheme), field, value)

    def _choice(self, scheme: Scheme | None, key: str, value: str) -> str:
        for field in scheme.fields if scheme else ():
            if field.key == key and field.kind in CHOOSING:
                return next((choice.name for choice in field.choices if choice.key == value), value)
        return " ".join(value.split())


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else float("-inf")
