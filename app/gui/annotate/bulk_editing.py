"""Edits all selected segments at once, and the bar that offers the edits that apply to them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget, QWidgetAction

from annotate.review.segment_table import SegmentTable
from annotate.segments import bulk_edits
from app.gui.study.dialogs import Dialogs, Rows, changed_message, confirm_change, confirm_delete, deleted_message
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, Segment
from project.schemes.scheme import CHOICE_KINDS, Field, FieldKind
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.input_fields import IntegerBox
from widgets.form.layouts import make_panel, make_row
from widgets.text_labels import PlainLabel, describe

_MAX_SHIFT_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Option:
    """One label or choice, and how many of the selected segments it fits."""

    key: str
    name: str
    match_count: int


@dataclass(frozen=True, slots=True)
class FieldOptions:
    """The choices of one field; `is_multiple` where more than one can be chosen."""

    key: str
    name: str
    choices: tuple[Option, ...]
    is_multiple: bool


class BulkBar(QWidget):
    """Says how many segments are selected and may be changed, and offers what fits them.

    Signals:
        label_chosen (str)
        choice_added (str, str): field and choice.
        choice_removed (str, str): field and choice.
        shift_requested (int): milliseconds, negative for earlier.
        delete_requested
        copy_requested
    """

    label_chosen = Signal(str)
    choice_added = Signal(str, str)
    choice_removed = Signal(str, str)
    shift_requested = Signal(int)
    delete_requested = Signal()
    copy_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: Sequence[Option] = ()
        self._fields: Sequence[FieldOptions] = ()
        self.count = PlainLabel(wordWrap=True)
        self.label = self._menu_button(
            tr("Set label"), tr("Give the selected segments another label"), self._fill_labels
        )
        self.add = self._menu_button(
            tr("Add"), tr("Add an attribute, or set a choice"), lambda menu: self._fill_fields(menu, self.choice_added)
        )
        self.remove = self._menu_button(
            tr("Remove"),
            tr("Take an attribute or a choice away"),
            lambda menu: self._fill_fields(menu, self.choice_removed),
        )
        self.shift = self._shift_button()
        self.delete = push_button(
            tr(" Delete"),
            tr("Delete the selected segments (Del)"),
            self.delete_requested,
            name=tr("Delete"),
            icon="trash-2",
        )
        self.copy = push_button(
            tr("Copy as CSV"),
            tr("Copy the rows for a spreadsheet: the selected ones, or all (Ctrl+C)"),
            self.copy_requested,
            name=tr("Copy as CSV"),
        )
        self._edits = (self.label, self.add, self.remove, self.shift, self.delete)
        self.setLayout(make_row(self.count, 1, *self._edits, self.copy))

    def set_selection(self, text: str, labels: Sequence[Option], fields: Sequence[FieldOptions], usable: bool) -> None:
        """Say what is selected, and offer what fits it; `usable` is whether anything may be changed."""
        self.count.setText(text)
        self._labels, self._fields = labels, fields
        for button in self._edits:
            button.setEnabled(usable)
        self.label.setEnabled(usable and bool(labels))
        self.add.setEnabled(usable and bool(fields))
        self.remove.setEnabled(usable and bool(fields))

    def _button(self, text: str, explained: str) -> QPushButton:
        return push_button(text, explained, name=text.strip())

    def _menu_button(self, text: str, explained: str, fill: object) -> QPushButton:
        button = self._button(text, explained)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: fill(menu))  # type: ignore[operator]
        button.setMenu(menu)
        return button

    def _shift_button(self) -> QPushButton:
        button = self._button(tr("Shift"), tr("Move the selected segments in time"))
        menu = QMenu(button)
        self.milliseconds = IntegerBox(
            minimum=-_MAX_SHIFT_MS, maximum=_MAX_SHIFT_MS, value=0, singleStep=40, suffix=tr(" ms")
        )
        describe(self.milliseconds, tr("Shift by milliseconds; less than 0 is earlier"), tr("Less than 0 is earlier"))
        move = push_button(
            tr("Move"), tr("Move the selected segments by this much"), name=tr("Move the selected segments")
        )
        inside = make_panel(make_row(self.milliseconds, move, margin=theme.GRID))
        held = QWidgetAction(menu)
        held.setDefaultWidget(inside)
        menu.addAction(held)
        button.setMenu(menu)

        def go() -> None:
            menu.close()
            if self.milliseconds.value():
                self.shift_requested.emit(self.milliseconds.value())

        move.clicked.connect(go)
        self.milliseconds.lineEdit().returnPressed.connect(go)
        menu.aboutToShow.connect(self.milliseconds.setFocus)
        return button

    def _fill_labels(self, menu: QMenu) -> None:
        menu.clear()
        for label in self._labels:
            menu.addAction(_option_text(label)).triggered.connect(
                lambda _=False, key=label.key: self.label_chosen.emit(key)
            )

    def _fill_fields(self, menu: QMenu, chosen: object) -> None:
        menu.clear()
        for field in self._fields:
            part = menu.addMenu(field.name.replace("&", "&&"))
            for choice in field.choices:
                part.addAction(_option_text(choice)).triggered.connect(
                    lambda _=False, field=field.key, key=choice.key: chosen.emit(field, key)  # type: ignore[attr-defined]
                )


def _option_text(option: Option) -> str:
    return f"{option.name} ({option.match_count})".replace("&", "&&")


_Edit = Callable[[Session, Sequence[str]], Changes]
_Fitting = Callable[[Session, Sequence[Segment]], list[Segment]]
"""Returns those of some segments that an edit fits."""


class BulkEditor:
    """Joins the bar to the commands."""

    def __init__(
        self,
        studio: StudyController,
        questions: Dialogs,
        bar: BulkBar,
        selected: Callable[[], Sequence[str]],
        table: SegmentTable,
    ) -> None:
        self._studio = studio
        self._questions = questions
        self._table = table
        self._bar = bar
        self._selected = selected
        bar.label_chosen.connect(self.change_label)
        bar.choice_added.connect(self.add_choice)
        bar.choice_removed.connect(self.remove_choice)
        bar.shift_requested.connect(
            lambda ms: self._change(
                lambda s, ids: bulk_edits.shift_segments(s, ids, ms * 1000), bulk_edits.filter_movable
            )
        )
        bar.delete_requested.connect(self.delete)

    def show_selection(self, rows: int) -> None:
        """Say how many are selected and what can be done to them."""
        session, chosen = self._studio.session, self._selected()
        if session is None:
            return
        if not chosen:
            self._bar.set_selection(
                tr("1 segment") if rows == 1 else tr("{rows:,} segments").format(rows=rows), (), (), False
            )
            return
        author, known = session.annotator(), self._table.rows
        found = [known[segment_id].segment for segment_id in chosen if segment_id in known]
        own = [segment for segment in found if author is not None and segment.annotator_id == author.id]
        others = len(chosen) - len(own)
        text = tr("{chosen:,} selected").format(chosen=len(chosen))
        if not self._studio.writable:
            self._bar.set_selection(tr("{text}. The study is read-only.").format(text=text), (), (), False)
            return
        if others and own:
            text += tr(", {own:,} yours; {others:,} by others stay as they are").format(own=len(own), others=others)
        elif others:
            text += tr(", made by others: they stay as they are")
        alike = _count_distinct(own)
        self._bar.set_selection(text, self._labels(session, alike), self._fields(session, alike), bool(own))

    def delete(self) -> None:
        """Delete those of the selected segments that are one's own; asks where they are of several recordings."""
        own = self._editable_segments(lambda _session, segments: [*segments])
        recordings = len({segment.recording_id for segment in own})
        if not confirm_delete(self._questions, Rows.SEGMENTS, len(own), recordings):
            return
        if (
            self._edit(bulk_edits.delete_own_segments, tr("Deleting {count:,} segments…").format(count=len(own)))
            is not None
        ):
            self._studio.message.emit(deleted_message(Rows.SEGMENTS, len(own), recordings))

    def change_label(self, label: str) -> None:
        """Give the selected segments another label."""
        self._change(
            lambda s, ids: bulk_edits.change_label(s, ids, label),
            lambda s, rows: bulk_edits.filter_by_label(s, rows, label),
        )

    def add_choice(self, field: str, key: str) -> None:
        """Add a choice to a field of the selected segments."""
        self._change(
            lambda s, ids: bulk_edits.add_choice(s, ids, field, key),
            lambda s, rows: bulk_edits.filter_by_choice(s, rows, field, key),
        )

    def remove_choice(self, field: str, key: str) -> None:
        """Take a choice from a field of the selected segments."""
        self._change(
            lambda s, ids: bulk_edits.remove_choice(s, ids, field, key),
            lambda s, rows: bulk_edits.filter_by_choice(s, rows, field, key),
        )

    def _change(self, do: _Edit, fitting: _Fitting) -> None:
        """Change the selected segments that an edit fits; asks where they are of several recordings."""
        homes = {segment.id: segment.recording_id for segment in self._editable_segments(fitting)}
        if not confirm_change(self._questions, Rows.SEGMENTS, len(homes), len(set(homes.values()))):
            return
        changes = self._edit(do, tr("Changing {count:,} segments…").format(count=len(homes)))
        if changes is None:
            return
        touched = changes.ids("segment") | changes.ids("segment_value")
        if touched:
            places = {homes[segment_id] for segment_id in touched if segment_id in homes}
            self._studio.message.emit(changed_message(Rows.SEGMENTS, len(touched), len(places)))
        else:
            self._studio.message.emit(tr("Nothing changed: they are like this already."))

    def _editable_segments(self, fitting: _Fitting) -> list[Segment]:
        """Return the selected segments that are one's own and that an edit fits."""
        session = self._studio.session
        author = session.annotator() if session is not None else None
        if session is None or author is None:
            return []
        known = self._table.rows
        segments = [known[segment_id].segment for segment_id in self._selected() if segment_id in known]
        own = [segment for segment in segments if segment.annotator_id == author.id]
        # What fits depends on scheme, track and label alone.
        fits = {(segment.scheme, segment.track, segment.label) for segment in fitting(session, [*_count_distinct(own)])}
        return [segment for segment in own if (segment.scheme, segment.track, segment.label) in fits]

    def _edit(self, do: _Edit, text: str) -> Changes | None:
        """Edit the selected segments; returns what changed, or None where nothing was done."""
        ids = self._selected()
        done: list[Changes] = []

        def run(session: Session) -> Changes:
            done.append(do(session, ids))
            return done[0]

        if not ids:
            return None
        return done[0] if self._studio.edit_many(run, len(ids), text) else None

    def _labels(self, session: Session, alike: Mapping[Segment, int]) -> list[Option]:
        names: dict[str, str] = {}
        for segment in alike:
            if session.schemes.is_in_use(segment.scheme):
                for label in session.schemes.get(segment.scheme).track_or_empty(segment.track).offered_labels:
                    names.setdefault(label.key, label.name)
        return [
            Option(key, name, sum(alike[segment] for segment in bulk_edits.filter_by_label(session, [*alike], key)))
            for key, name in names.items()
        ]

    def _fields(self, session: Session, alike: Mapping[Segment, int]) -> list[FieldOptions]:
        fields: dict[str, Field] = {}
        for key in dict.fromkeys(segment.scheme for segment in alike):
            if session.schemes.is_in_use(key):
                for field in session.schemes.get(key).fields:
                    if field.kind in CHOICE_KINDS:
                        fields.setdefault(field.key, field)
        found = []
        for field in fields.values():
            counts = [
                Option(
                    choice.key,
                    choice.name,
                    sum(alike[kind] for kind in bulk_edits.filter_by_choice(session, [*alike], field.key, choice.key)),
                )
                for choice in field.choices
            ]
            if any(count.match_count for count in counts):
                found.append(FieldOptions(field.key, field.name, tuple(counts), field.kind is FieldKind.CHOICES))
        return found


def _count_distinct(segments: Sequence[Segment]) -> dict[Segment, int]:
    """Return one segment of each scheme, track and label, with how many there are: what fits depends on these alone."""
    first: dict[tuple[str, str, str], Segment] = {}
    counts: dict[Segment, int] = {}
    for segment in segments:
        kind = first.setdefault((segment.scheme, segment.track, segment.label), segment)
        counts[kind] = counts.get(kind, 0) + 1
    return counts
