"""Puts what several columns say about one part of a form side by side, and marks where they differ."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from app.core.judging.annotators.said import LABEL, Said
from project.schemes.scheme import CHOOSING, Field, FieldKind, Scheme, Track
from project.types import Json
from resources.translation import tr
from widgets.judges.shown import Cell, Chip, Chips, RowHead, Verdict, Words
from widgets.label_looks import looks_of, unknown_look

_LONGEST_NAME = 40
_REASON = "_reason"
"""What a rating's reason is called, after the rating; outside a scheme of ratings the two are one row."""


class Answers:
    """All answers about one segment.

    Attributes:
        people: by the key of a column, who says it; the others are judges.
    """

    def __init__(
        self,
        scheme: Scheme | None,
        track: str,
        said: Mapping[str, Said],
        people: Mapping[str, str],
        participants: Mapping[str, str],
    ) -> None:
        self._track = scheme.lane(track) if scheme is not None else Track(track, track, ())
        self._fields = {one.key: one for one in scheme.fields_of(track)} if scheme is not None else {}
        self._said = said
        self._people = people
        self._participants = participants

    def parts(self) -> list[str]:
        """Return which parts there are: the label, the fields of the scheme in its order, then whatever else."""
        there = [key for said in self._said.values() for key in said.parts if said.of(key) is not None]
        ordered = [LABEL, *(key for key in self._fields if key in there)]
        rest = [key for key in dict.fromkeys(there) if key not in ordered]
        return [*ordered, *(key for key in rest if key.removesuffix(_REASON) not in rest or not key.endswith(_REASON))]

    def rows(self) -> tuple[RowHead, ...]:
        """Return the rows of the table."""
        return tuple(RowHead(part, self._name(part), self._row_differs(part)) for part in self.parts())

    def cells(self, column: str) -> dict[str, Cell]:
        """Return what one column says, by row."""
        return {part: self._cell(column, part) for part in self.parts()}

    def texts(self, column: str) -> frozenset[str]:
        """Return the rows in which a column has free text for a field of the form."""
        return frozenset(
            key
            for key, field in self._fields.items()
            if field.kind is FieldKind.TEXT and self._said[column].of(key) is not None
        )

    def _name(self, part: str) -> str:
        if part == LABEL:
            return tr("Verdict")
        field = self._fields.get(part)
        return field.name if field is not None else part.replace("_", " ").capitalize()

    def _cell(self, column: str, part: str) -> Cell:
        if part == LABEL:
            return self._verdict(column)
        value = self._said[column].of(part)
        field = self._fields.get(part)
        if isinstance(value, list) and (field is None or field.kind is FieldKind.CHOICES):
            return self._chips(part, value)
        if value is None:
            empty = field is not None and field.kind is FieldKind.CHOICES and part in self._said[column].parts
            return Chips(()) if empty else None
        reason = None if field is not None else self._said[column].of(part + _REASON)
        own = self._words(field, value)
        words = own if reason is None else f"{own}\n{reason}"
        return Words(words, self._compared(field, value) and own not in self._usual(field, part))

    def _verdict(self, column: str) -> Cell:
        label = self._said[column].label
        if not label:
            return None
        looks = {one.key: one for one in looks_of(self._track)}
        look = looks.get(label) or unknown_look(label[:_LONGEST_NAME])
        if column in self._people:
            return Verdict(look)
        theirs = {name: self._said[key].label for key, name in self._people.items() if self._said[key].label}
        agrees = tuple(name for name, one in theirs.items() if one == label)
        return Verdict(look, agrees, tuple(name for name in theirs if name not in agrees))

    def _chips(self, part: str, value: Sequence[Json]) -> Chips:
        names = {one.key: one.name for one in self._fields[part].choices} if part in self._fields else {}
        order = list(names)
        chosen = sorted((str(one) for one in value), key=lambda one: (order.index(one) if one in order else 99, one))
        every = self._sets(part, self._people) or self._sets(part)
        half = len(every) / 2
        return Chips(tuple(Chip(names.get(one, one), sum(one in found for found in every) >= half) for one in chosen))

    def _sets(self, part: str, columns: Collection[str] = ()) -> list[set[str]]:
        """Return the choices of every column that says something about a part; of none at all counts too."""
        found = []
        for key in columns or self._said:
            value = self._said[key].parts.get(part)
            if isinstance(value, list):
                found.append({str(one) for one in value})
        return found

    def _usual(self, field: Field | None, part: str) -> set[str]:
        """Return what is said most often about a part: by people, or by everybody where no person says anything."""
        for columns in (self._people, self._said):
            values = [value for key in columns if (value := self._said[key].of(part)) is not None]
            counted = Counter(self._words(field, value) for value in values)
            if counted:
                return {words for words, count in counted.items() if count == max(counted.values())}
        return set()

    def _row_differs(self, part: str) -> bool:
        field = self._fields.get(part)
        values = [value for said in self._said.values() if (value := said.of(part)) is not None]
        if field is not None and field.kind is FieldKind.CHOICES:
            return len({frozenset(one) for one in self._sets(part)}) > 1
        kept = [value for value in values if part == LABEL or self._compared(field, value)]
        return len({self._words(field, value) for value in kept}) > 1

    def _compared(self, field: Field | None, value: Json) -> bool:
        if field is not None:
            return field.kind is not FieldKind.TEXT
        return isinstance(value, int | float)

    def _words(self, field: Field | None, value: Json) -> str:
        if field is not None and field.kind in CHOOSING:
            return {one.key: one.name for one in field.choices}.get(str(value), str(value))
        if field is not None and field.kind is FieldKind.PARTICIPANT:
            return self._participants.get(str(value), str(value))
        return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
