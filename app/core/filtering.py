"""Which segments of a study are looked at: conditions that all have to hold."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.core.segment_table import SegmentRow, SegmentTable
from project.types import Json

EMPTY = ""
"""Among the wanted values of a field: that it has none."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions on segments; what is empty or None asks for nothing.

    Attributes:
        annotators: ids of who may have made it.
        recordings: ids.
        collections: ids.
        lanes: (scheme, track) keys.
        labels: keys.
        values: field -> values of which it has at least one; `EMPTY` stands for no value.
        lacks: fields that its scheme's rules ask for and of which at least one is missing.
        incomplete: whether anything is still to be done about it by its scheme's rules.
        disputed: whether somebody else who worked on the recording says something else there.
        commented: whether it has comments.
        unresolved: whether it has comments that are not resolved.
        reviewed: whether somebody reviewed it.
        disagreed: whether a reviewer disagreed with it.
        held_out: whether its recording is kept back.
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
        return self != _NOTHING

    def apply(self, table: SegmentTable, among: Collection[str] | None = None) -> list[str]:
        """Return the ids of the segments for which every condition holds, in the table's order.

        Args:
            table: of the study.
            among: ids that are looked at alone, such as those that a search found; all where None.
        """
        return [
            key
            for key, row in table.rows.items()
            if (among is None or key in among) and self._holds_plainly(row, table) and self._holds(key, table)
        ]

    def _holds_plainly(self, row: SegmentRow, table: SegmentTable) -> bool:
        one = row.segment
        return (
            (not self.annotators or one.annotator_id in self.annotators)
            and (not self.recordings or one.recording_id in self.recordings)
            and (not self.collections or table.recordings[one.recording_id].collection_id in self.collections)
            and (not self.lanes or (one.scheme, one.track) in self.lanes)
            and (not self.labels or one.label in self.labels)
            and self.commented in (None, row.comments > 0)
            and self.unresolved in (None, row.unresolved > 0)
            and self.reviewed in (None, row.agreeing + row.disagreeing > 0)
            and self.disagreed in (None, row.disagreeing > 0)
            and self.held_out in (None, one.recording_id in table.held_out)
            and all(_has(row.values.get(key), wanted) for key, wanted in self.values.items())
        )

    def _holds(self, key: str, table: SegmentTable) -> bool:
        return (
            (not self.lacks or not self.lacks.isdisjoint(table.lacks(key)))
            and self.incomplete in (None, bool(table.problems(key)) if self.incomplete is not None else None)
            and self.disputed in (None, table.disputed(key) if self.disputed is not None else None)
            and self._holds_of_judges(key, table)
        )

    def _holds_of_judges(self, key: str, table: SegmentTable) -> bool:
        if (self.judged, self.judges_differ, self.revised) == (None, None, None):
            return True
        said = table.verdicts(key)
        return (
            self.judged in (None, said is not None)
            and self.judges_differ in (None, said is not None and said.differs)
            and self.revised in (None, table.revised(key) if self.revised is not None else None)
        )


_NOTHING = Filter()


def _has(value: Json, wanted: frozenset[str]) -> bool:
    if value in (None, "", []):
        return EMPTY in wanted
    return any(str(one) in wanted for one in value) if isinstance(value, list) else str(value) in wanted
