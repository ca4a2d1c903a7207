"""Reads the entries of one lane as segments of one track, and says what does not fit."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.interchange import value_text
from app.core.interchange.comment_text import texts_in
from app.core.interchange.document import Entry
from app.core.interchange.mapping import COMMENT, Target
from app.core.interchange.mapping import Mapping as Chosen
from app.core.interchange.spans import Span, span_inside
from project.errors import UserError
from project.schemes.scheme import Extent, Scheme
from project.types import Json, Recording

_MANY_TEXTS = 50
"""Of so many different texts that are no label, the rest are counted together."""


@dataclass(frozen=True, slots=True)
class Read:
    """One entry as a segment."""

    start_us: int
    end_us: int
    label: str
    values: Mapping[str, Json]
    comments: tuple[str, ...]


class LaneReader:
    """Reads entries by one target; what is the same in many entries is worked out once."""

    def __init__(self, target: Target, scheme: Scheme, participant: Callable[[str], str]) -> None:
        """Check the target.

        Raises:
            UserError: it names a track, label or field that the scheme does not have.
        """
        self._target = target
        self._scheme = scheme
        self._participant = participant
        self._track = scheme.track(target.track)
        for label in {*target.labels.values(), target.otherwise} - {""}:
            scheme.check_label(target.track, label)
        for field in {*target.fields.values(), target.text_field} - {"", COMMENT}:
            scheme.field(field)
        names = {one.name.casefold(): one.key for one in self._track.labels}
        self._known = names | {one.key.casefold(): one.key for one in self._track.labels}
        self._labels: dict[str, str] = dict(target.labels)
        self._fields = {one.key: one for one in scheme.fields}
        self._values: dict[tuple[str, str], Json | UserError] = {}

    def label(self, text: str) -> str:
        """Return the key of the label that a text stands for, "" for none."""
        found = self._labels.get(text)
        if found is None:
            plain = text.strip()
            found = (
                plain
                if self._track.label(plain) is not None
                else self._known.get(plain.casefold(), self._target.otherwise)
            )
            self._labels[text] = found
        return found

    def read(
        self, entry: Entry, recording: Recording, chosen: Chosen, left_out: Counter[str], remarks: Counter[str]
    ) -> Read | None:
        """Return an entry as a segment, or None where it is left out, with the reason counted."""
        label = self.label(entry.text)
        if not label:
            reason = f"“{entry.text.strip()[:40]}” is no label"
            left_out[reason if reason in left_out or len(left_out) < _MANY_TEXTS else "the text is no label"] += 1
            return None
        span = self._span(entry, recording, chosen, left_out, remarks)
        if span is None:
            return None
        values: dict[str, Json] = {}
        comments: tuple[str, ...] = ()
        if self._target.text_field:
            self._take(self._target.text_field, entry.text, label, values, remarks)
        for name, value in entry.values.items():
            key = self._target.fields.get(name, "")
            if not key:
                if value not in (None, "", []):
                    remarks[f"values of “{name}” have no field, and are left out"] += 1
            elif key == COMMENT:
                comments += tuple(texts_in(value))
            else:
                self._take(key, value, label, values, remarks)
        return Read(*span, label, values, comments)

    def _span(
        self, entry: Entry, recording: Recording, chosen: Chosen, left_out: Counter[str], remarks: Counter[str]
    ) -> Span | None:
        if self._track.extent is Extent.RECORDING:
            return 0, recording.duration_us
        return span_inside(entry, recording, chosen, left_out, remarks)

    def _take(self, key: str, value: Json, label: str, values: dict[str, Json], remarks: Counter[str]) -> None:
        field = self._fields[key]
        found = self._value(key, value)
        if isinstance(found, UserError):
            remarks[f"values do not fit {field.name}, and are left out"] += 1
        elif found is None:
            return
        elif not field.applies_to(label, self._target.track):
            remarks[f"values of {field.name} do not belong to the label, and are left out"] += 1
        else:
            values[key] = found

    def _value(self, key: str, value: Json) -> Json | UserError:
        known = (key, value_text.to_text(value))
        if known not in self._values:
            try:
                self._values[known] = value_text.to_value(self._scheme, self._fields[key], value, self._participant)
            except UserError as error:
                self._values[known] = error
        return self._values[known]
