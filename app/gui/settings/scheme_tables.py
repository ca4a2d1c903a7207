"""The tables of the code book editor, how they say what is wrong, and the looks that labels keep."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

from annotate.study.scheme_draft import SchemeDraft
from project.schemes.scheme import Example, Field, Label, Scheme, Track
from project.schemes.scheme_checks import SchemeProblem
from resources.translation import tr
from widgets import theme
from widgets.form.controls import tool_button
from widgets.form.layouts import make_column, make_row
from widgets.labels import label_looks
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import ElidedLabel

P = TypeVar("P", Track, Label, Field, Example)


@dataclass(frozen=True, slots=True)
class PartRow(Generic[P]):
    """A part of the scheme at its place, how many segments have it, and whether something is wrong with it."""

    place: int
    part: P
    segments: int = 0
    is_wrong: bool = False

    @property
    def key(self) -> str:
        """Tell it from the others: the key of the part follows its name while it is typed."""
        return str(self.place)


class PartTable(QWidget, Generic[P]):
    """A table of parts under a heading, with buttons to add, remove and move them."""

    def __init__(self, heading: str, columns: Sequence[RecordColumn[PartRow[P]]], add: str, empty: str) -> None:
        super().__init__()
        self.heading = ElidedLabel(font=theme.font(semibold=True))
        self.heading.set_text(heading)
        self.table: RecordTable[PartRow[P]] = RecordTable(heading, columns, empty=empty)
        self.table.setMinimumHeight(theme.GRID * 9)
        self.add = tool_button("plus", add, side=14)
        self.remove = tool_button("trash-2", tr("Remove the selected one"), side=14)
        self.up = tool_button("chevron-up", tr("Move up"), side=14)
        self.down = tool_button("chevron-down", tr("Move down"), side=14)
        self.head = make_row(self.heading, 1, self.add, self.remove, self.up, self.down, spacing=2)
        self.setLayout(make_column(self.head, self.table, 1, spacing=theme.GRID // 2))

    def show_rows(self, rows: Sequence[PartRow[P]], selected: int | None) -> None:
        """Show the parts, with one selected, or none."""
        self.table.show_records(rows)
        self.table.select([] if selected is None else [str(selected)])
        for button in (self.remove, self.up, self.down):
            button.setEnabled(selected is not None and bool(rows))


def part_name(part: Track | Label | Field | Example) -> str:
    """Return what a part is called."""
    return part.title if isinstance(part, Example) else part.name


def name_column(title: str) -> RecordColumn[PartRow[P]]:
    """Return the column of names, with a sign where something is wrong."""
    return RecordColumn(
        title,
        lambda row: part_name(row.part),
        stretch=True,
        icon=lambda row: ("circle-alert", "error") if row.is_wrong else "",
    )


SEGMENTS_COLUMN: RecordColumn[PartRow[P]] = RecordColumn(  # type: ignore[valid-type]
    tr("Segments"), lambda row: f"{row.segments:,}" if row.segments else "", number=True
)


_ATTRIBUTES: dict[str, str] = {
    "name": tr("name"),
    "key": tr("key"),
    "shortcut": tr("shortcut"),
    "colour": tr("colour"),
    "labels": tr("labels"),
    "tracks": tr("tracks"),
    "choices": tr("choices"),
    "maximum": tr("range"),
    "step": tr("step"),
    "ends": tr("ends"),
    "title": tr("title"),
    "situation": tr("situation"),
    "label": tr("label"),
}


def problem_text(scheme: Scheme, problem: SchemeProblem) -> str:
    """Return what is wrong, after the names of the parts on the way to it."""
    part: object = scheme
    names: list[str] = []
    attribute = ""
    for step in problem.path:
        if isinstance(step, int) and isinstance(part, tuple):
            part = part[step]
            called = getattr(part, "name", "") or getattr(part, "title", "")
            names.append(str(called or tr("number {number}").format(number=step + 1)))
        elif isinstance(step, str):
            part, attribute = getattr(part, step, None), step
    where = f"{', '.join(f'“{name}”' for name in names)}, " if names else ""
    return f"{where}{_ATTRIBUTES.get(attribute, attribute)}: {problem.what}."


def keep_looks(draft: SchemeDraft, track: Track) -> SchemeDraft:
    """Name the colours and patterns that the labels of a track have, so that those stay when others come or go."""
    looks = {look.key: look for look in label_looks(track)}
    labels = (replace(x, colour=looks[x.key].colour, pattern=looks[x.key].pattern) for x in track.labels)
    return draft.edit_track(track.key, labels=tuple(labels))
