"""What the list knows of a recording, and by which order and filter recordings are listed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from project.entities.study_records import Json
from project.timebase import format_time
from resources.translation import tr, trn


@dataclass(frozen=True, slots=True)
class RecordingRow:
    """What the list shows of one recording.

    Attributes:
        collection: name of the collection it stands under.
        segments: annotator's name and number of segments, in the order of the annotators.
        faces_tracked: faces were looked for.
        exported: an anonymized clip was made.
        missing: its media file is not where it was.
        held_out: nothing of it is ever exported.
        done: the current annotator is done with it.
        file: checksum of its media file; its picture is forgotten with it.
        people: id and pseudonym of each participant who appears in it.
    """

    id: str
    number: int
    name: str
    duration_us: int
    collection: str = ""
    segments: tuple[tuple[str, int], ...] = ()
    faces_tracked: bool = False
    exported: bool = False
    missing: bool = False
    held_out: bool = False
    done: bool = False
    file: str = ""
    people: tuple[tuple[str, str], ...] = ()

    def describe(self) -> str:
        """Return the row in words, for screen readers and the tooltip."""
        facts = [
            f"{self.number}. {self.name}",
            tr("duration {duration_us}").format(duration_us=format_time(self.duration_us)),
        ]
        if self.missing:
            facts.append(tr("media missing"))
        facts += [f"{name}: {trn('{count} segment', '{count} segments', count)}" for name, count in self.segments]
        if not any(count for _, count in self.segments):
            facts.append(tr("no segments yet"))
        if self.held_out:
            facts.append(tr("held out"))
        if self.done:
            facts.append(tr("done"))
        if self.faces_tracked:
            facts.append(tr("faces found"))
        if self.exported:
            facts.append(tr("exported"))
        if self.people:
            facts.append(tr("with {people}").format(people=", ".join(name for _, name in self.people)))
        return ", ".join(facts)


class RecordingOrder(StrEnum):
    """By what recordings are sorted within their collection."""

    NUMBER = "number"
    NAME = "name"
    ADDED = "added"
    """The newest first."""
    DURATION = "duration"
    """The longest first."""
    SEGMENTS = "segments"
    """Those with the most first."""
    DONE = "done"
    """Those that are not done first."""


_SORT_KEYS: dict[RecordingOrder, Callable[[RecordingRow], Any]] = {
    RecordingOrder.NAME: lambda row: row.name.casefold(),
    RecordingOrder.DURATION: lambda row: -row.duration_us,
    RecordingOrder.SEGMENTS: lambda row: -sum(count for _, count in row.segments),
    RecordingOrder.DONE: lambda row: row.done,
}


class RecordingFilter(StrEnum):
    """Which recordings are listed."""

    ALL = "all"
    DONE = "done"
    NOT_DONE = "not_done"
    HELD_OUT = "held_out"

    def fits(self, row: RecordingRow) -> bool:
        """Return whether a recording is listed."""
        wanted = {self.DONE: row.done, self.NOT_DONE: not row.done, self.HELD_OUT: row.held_out}
        return wanted.get(self, True)


@dataclass(frozen=True, slots=True)
class RecordingArrangement:
    """How recordings are listed.

    Attributes:
        person: id of the participant who appears in those that are listed; "" for anybody. No pseudonym,
            because this is remembered outside the study.
    """

    order: RecordingOrder = RecordingOrder.NUMBER
    backwards: bool = False
    only: RecordingFilter = RecordingFilter.ALL
    person: str = ""

    @property
    def filters(self) -> bool:
        """Whether some recordings may be left out."""
        return self.only is not RecordingFilter.ALL or bool(self.person)

    def fits(self, row: RecordingRow) -> bool:
        """Return whether a recording is listed."""
        return self.only.fits(row) and (not self.person or any(key == self.person for key, _ in row.people))

    def sort(self, rows: Iterable[RecordingRow]) -> list[RecordingRow]:
        """Return recordings in the order; those that are alike as they came."""
        if self.order is RecordingOrder.NUMBER:
            return [*rows][::-1] if self.backwards else [*rows]
        if self.order is RecordingOrder.ADDED:
            # Ids sort by the time at which they were made.
            return sorted(rows, key=lambda row: row.id, reverse=not self.backwards)
        return sorted(rows, key=_SORT_KEYS[self.order], reverse=self.backwards)

    def as_json(self) -> dict[str, Json]:
        """Return it to be remembered."""
        return {"order": self.order.value, "backwards": self.backwards, "only": self.only.value, "person": self.person}

    @classmethod
    def from_json(cls, kept: object) -> "RecordingArrangement":
        """Return what was remembered; what is not understood is as usual."""
        found = kept if isinstance(kept, dict) else {}
        order, only, person = (str(found.get(key, "")) for key in ("order", "only", "person"))
        return cls(
            RecordingOrder(order) if order in [*RecordingOrder] else RecordingOrder.NUMBER,
            found.get("backwards") is True,
            RecordingFilter(only) if only in [*RecordingFilter] else RecordingFilter.ALL,
            person,
        )
