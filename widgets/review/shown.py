"""What the review page shows, as plain facts."""

from dataclasses import dataclass
from enum import StrEnum

from resources.translation import later
from widgets.label_looks import LabelLook


class State(StrEnum):
    """How far one item of a review is, for who reviews."""

    WAITS = later("Waits for you")
    WAITS_FOR_OTHER = later("Waits for the other")
    AGREED = later("You agree")
    DISAGREED = later("You disagree")
    SETTLED = later("Settled")
    DISPUTED = later("Stays in disagreement")
    ALIKE = later("Alike")
    THIRD = later("Only the third differs")


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of the list; `looks` has a label for each of the two, None for who marked nothing."""

    key: str
    start_us: int
    looks: tuple[LabelLook | None, ...]
    text: str
    state: State


@dataclass(frozen=True, slots=True)
class Column:
    """One annotator in the comparison.

    Attributes:
        name: of the annotator.
        segment_id: what they marked, or "".
        decidable: whether who reviews says something about it.
        said: what was said about it, a line each.
        note: what who reviews noted about it.
        decided: whether who reviews said something about it already.
    """

    name: str
    segment_id: str
    decidable: bool = False
    said: tuple[str, ...] = ()
    note: str = ""
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a cell; `differs` where the others do not have it."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that is compared: its name, and for each column a label, or lines of text."""

    name: str
    cells: tuple[LabelLook | tuple[Part, ...], ...]
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """One item side by side; `target` is the column that a decision is about, or -1."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    target: int = -1
