"""The items of a review: their list, and one item side by side, with the differences marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QScrollArea,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from annotate.agreement.annotator_lanes import Mark
from annotate.review.peer_review import BOUNDARIES, LABEL, RecordingReview, ReviewItem, ReviewOutcome, name_differences
from project.entities.study_records import Json, ReviewDecision, Segment
from project.schemes.scheme import CHOICE_KINDS, Field, FieldKind, Scheme
from project.timebase import format_time
from resources.translation import later, tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.layouts import LayoutPart, make_column, make_panel
from widgets.labels import SIGN_PX, LabelChip, LabelLook, label_ink, label_looks, mix, paint_sign, unknown_look
from widgets.table.lists import ROW_ROLE, KeyedList, paint_row_ground
from widgets.text_labels import PlainLabel, RichLabel


class ReviewItemState(StrEnum):
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
    state: ReviewItemState


@dataclass(frozen=True, slots=True)
class AnnotatorColumn:
    """One annotator in the comparison.

    Attributes:
        name: of the annotator.
        segment_id: what they marked, or "".
        is_decidable: whether who reviews says something about it.
        statements: what was said about it, a line each.
        note: what who reviews noted about it.
        is_decided: whether who reviews said something about it already.
    """

    name: str
    segment_id: str
    is_decidable: bool = False
    statements: tuple[str, ...] = ()
    note: str = ""
    is_decided: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonText:
    """One line of a cell; `differs` where the others do not have it."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One thing that is compared: its name, and for each column a label, or lines of text."""

    name: str
    cells: tuple[LabelLook | tuple[ComparisonText, ...], ...]
    differs: bool = False


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """One item side by side; `target` is the column that a decision is about, or -1."""

    columns: tuple[AnnotatorColumn, ...]
    lines: tuple[ComparisonRow, ...]
    target: int = -1


_OUTCOME_STATES = {
    ReviewOutcome.ALIKE: ReviewItemState.ALIKE,
    ReviewOutcome.SETTLED: ReviewItemState.SETTLED,
    ReviewOutcome.DISPUTED: ReviewItemState.DISPUTED,
    ReviewOutcome.OPEN: ReviewItemState.WAITS_FOR_OTHER,
}


def item_row(item: ReviewItem, compared: RecordingReview, scheme: Scheme | None, reviewer_id: str) -> ItemRow:
    """Return an item as the list shows it."""
    looks = tuple(None if mark is None else label_look(mark.segment, scheme) for mark in (item.first, item.second))
    third = compared.third.name if compared.third else ""
    if not item.pair:
        text = tr("Only {third}").format(third=third)
    elif not item.is_matched:
        text = tr("Only {name}").format(name=(compared.first if item.first else compared.second).name)
    elif item.differing_parts or item.third_differing_parts:
        first, *rest = name_differences(scheme, item.differing_parts or item.third_differing_parts)
        text = ", ".join([first, *(name.lower() for name in rest)])
        text = text if item.differing_parts else f"{third}: {text.lower()}"
    else:
        text = tr("Nothing differs")
    return ItemRow(item.key, item.start_us, looks, text, item_state(item, reviewer_id))


def item_state(item: ReviewItem, reviewer_id: str) -> ReviewItemState:
    """Return how far an item is, for one who reviews."""
    if not item.pair or (item.outcome is ReviewOutcome.ALIKE and item.third_differing_parts):
        return ReviewItemState.THIRD
    if item.pending_for(reviewer_id):
        return ReviewItemState.WAITS
    if item.outcome in (ReviewOutcome.ALIKE, ReviewOutcome.DISPUTED):
        return _OUTCOME_STATES[item.outcome]
    said = [mark.review_by(reviewer_id) for mark in item.to_review(reviewer_id)]
    if said and said[0] is not None:
        return ReviewItemState.AGREED if said[0].decision is ReviewDecision.AGREE else ReviewItemState.DISAGREED
    return _OUTCOME_STATES[item.outcome]


def compare_item(
    item: ReviewItem,
    compared: RecordingReview,
    scheme: Scheme | None,
    reviewer_id: str,
    names: Mapping[str, str],
    participants: Mapping[str, str],
) -> ItemComparison:
    """Return an item side by side; `names` are of annotators and `participants` of people in the recording, by id."""
    people = [compared.first, compared.second, *([compared.third] if compared.third else [])]
    marks = [item.first, item.second, *([item.third] if compared.third else [])]
    wanted = {mark.segment.id for mark in item.to_review(reviewer_id)}
    columns = tuple(
        _annotator_column(who.name, mark, mark is not None and mark.segment.id in wanted, reviewer_id, names)
        for who, mark in zip(people, marks, strict=True)
    )
    waiting = {mark.segment.id for mark in item.pending_for(reviewer_id)}
    order = [at for at, annotator_column in enumerate(columns) if annotator_column.is_decidable]
    # The second's segment comes first, and what waits before what was decided.
    order.sort(key=lambda at: (columns[at].segment_id not in waiting, at != 1))
    differing = set(item.differing_parts) | set(item.third_differing_parts)
    lines = [
        ComparisonRow(
            tr("Label"),
            tuple(() if mark is None else label_look(mark.segment, scheme) for mark in marks),
            LABEL in differing,
        )
    ]
    points = all(mark.segment.is_point for mark in item.marks)
    for name, edge in ((tr("Time"), "start_us"),) if points else ((tr("Start"), "start_us"), (tr("End"), "end_us")):
        lines.append(ComparisonRow(name, _edge_cells(marks, edge), BOUNDARIES in differing))
    for field in scheme.fields_of(item.marks[0].segment.track) if scheme is not None else ():
        cells = _field_cells(field, marks, participants)
        if any(cells):
            lines.append(ComparisonRow(field.name, cells, field.key in differing))
    return ItemComparison(columns, tuple(lines), order[0] if order else -1)


def label_look(segment: Segment, scheme: Scheme | None) -> LabelLook:
    """Return how the label of a segment looks."""
    looks = label_looks(scheme.track_or_empty(segment.track)) if scheme is not None else ()
    return next((look for look in looks if look.key == segment.label), None) or unknown_look(segment.label)


def _annotator_column(
    name: str, mark: Mark | None, decidable: bool, reviewer_id: str, names: Mapping[str, str]
) -> AnnotatorColumn:
    if mark is None:
        return AnnotatorColumn(name, "", statements=(tr("Marked nothing here"),))
    own = mark.review_by(reviewer_id)
    said = []
    for review in mark.reviews:
        verb = "agree" if review.decision is ReviewDecision.AGREE else "disagree"
        who = (
            tr("You {verb}").format(verb=verb)
            if review is own
            else f"{names.get(review.reviewer_id, tr('Somebody'))} {verb}s"
        )
        said.append(f"{who}: {review.note}" if review.note else who)
    if decidable and own is None:
        said.append(tr("Waits for you"))
    return AnnotatorColumn(name, mark.segment.id, decidable, tuple(said), own.note if own else "", own is not None)


def _edge_cells(marks: Sequence[Mark | None], edge: str) -> tuple[tuple[ComparisonText, ...], ...]:
    """Return the times of an edge; all but the first say how many seconds they are from it."""
    found: list[tuple[ComparisonText, ...]] = []
    base: int | None = None
    for mark in marks:
        if mark is None:
            found.append(())
            continue
        at = int(getattr(mark.segment, edge))
        parts = [ComparisonText(format_time(at))]
        if base is not None and at != base:
            parts.append(ComparisonText(f"{(at - base) / 1e6:+.3f} s".replace("-", "\N{MINUS SIGN}")))
        base = at if base is None else base
        found.append(tuple(parts))
    return tuple(found)


def _field_cells(
    field: Field, marks: Sequence[Mark | None], participants: Mapping[str, str]
) -> tuple[tuple[ComparisonText, ...], ...]:
    given = [mark.values.get(field.key) if mark is not None else None for mark in marks]
    there = [value for mark, value in zip(marks, given, strict=True) if mark is not None]
    return tuple(
        () if mark is None else _value_texts(field, value, there, participants)
        for mark, value in zip(marks, given, strict=True)
    )


def _value_texts(
    field: Field, value: Json, every: Sequence[Json], participants: Mapping[str, str]
) -> tuple[ComparisonText, ...]:
    if value in (None, "", []):
        return ()
    if field.kind in CHOICE_KINDS:
        names = {choice.key: choice.name for choice in field.choices}
        chosen = [str(choice) for choice in value] if isinstance(value, list) else [str(value)]
        sets = [{str(choice) for choice in (v if isinstance(v, list) else [v])} for v in every]
        return tuple(
            ComparisonText(names.get(choice, choice), not all(choice in found for found in sets)) for choice in chosen
        )
    if field.kind is FieldKind.PARTICIPANT:
        return (ComparisonText(participants.get(str(value), str(value))),)
    if field.kind is FieldKind.TEXT:
        return (ComparisonText(str(value)),)
    return (
        ComparisonText(f"{value:g}" if isinstance(value, int | float) else str(value), any(v != value for v in every)),
    )


_ROW_HEIGHT = 40
_STATE_ICONS = {
    ReviewItemState.WAITS: ("circle-dashed", "accent"),
    ReviewItemState.WAITS_FOR_OTHER: ("loader", "muted"),
    ReviewItemState.AGREED: ("circle-check", "competence"),
    ReviewItemState.DISAGREED: ("circle-x", "error"),
    ReviewItemState.SETTLED: ("check", "competence"),
    ReviewItemState.DISPUTED: ("triangle-alert", "uncertain"),
    ReviewItemState.ALIKE: ("check", "muted"),
    ReviewItemState.THIRD: ("info", "muted"),
}
_Index = QModelIndex | QPersistentModelIndex


def _row_texts(row: ItemRow) -> tuple[str, str]:
    labels = tr(" and ").join(look.name if look else "nothing" for look in row.looks)
    return f"{format_time(row.start_us)}, {labels}, {row.text}, {tr(row.state)}", f"{row.text}\n{tr(row.state)}"


class ReviewItemList(KeyedList[ItemRow]):
    """Shows the items; one is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Items to review"), _row_texts, _ReviewItemDelegate(), parent)


class _ReviewItemDelegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, theme.scaled(_ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW_ROLE)
        colours = theme.palette()
        area = QRectF(option.rect)
        painter.save()
        selected = paint_row_ground(painter, option, *_STATE_ICONS[row.state])
        for place, look in enumerate(row.looks):
            _paint_label_sign(
                painter, look, QPointF(area.left() + 36 + 18 * place, area.center().y() - SIGN_PX / 2), colours.disabled
            )
        text = area.adjusted(42 + 18 * len(row.looks), 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        waits = row.state is ReviewItemState.WAITS
        painter.setFont(theme.font(semibold=waits))
        painter.setPen(quiet if row.state is ReviewItemState.ALIKE else colours.text)
        time = format_time(row.start_us)
        painter.drawText(text, Qt.AlignmentFlag.AlignTop, time)
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        metrics = QFontMetrics(painter.font())
        wide = round(text.width())
        painter.drawText(
            text, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight, "" if waits else tr(row.state.value)
        )
        line = metrics.elidedText(row.text, Qt.TextElideMode.ElideRight, wide)
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()


def _paint_label_sign(painter: QPainter, look: LabelLook | None, corner: QPointF, nothing: QColor) -> None:
    if look is not None:
        paint_sign(painter, look.sign, corner, label_ink(look, theme.palette()))
        return
    painter.setPen(QPen(nothing, 1.5))
    painter.drawLine(corner + QPointF(2, SIGN_PX / 2), corner + QPointF(SIGN_PX - 2, SIGN_PX / 2))


DIFFERS = "≠"
_EMPTY_HINT = tr("Press N to begin, or choose one above.")


class SideBySide(QScrollArea):
    """Shows what each annotator says, a column each.

    Signals:
        column_chosen (int): the column that decisions should be about.
    """

    column_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Side by side"))
        self._shown: ItemComparison | None = None
        theme.notifier.changed.connect(self._redraw)
        self._redraw()

    def comparison(self) -> ItemComparison | None:
        """Return what is shown."""
        return self._shown

    def show_comparison(self, shown: ItemComparison | None) -> None:
        """Show an item, or nothing."""
        if shown != self._shown:
            self._shown = shown
            self._redraw()

    def _redraw(self) -> None:
        parts: list[LayoutPart]
        if self._shown is not None:
            parts = [self._heads(self._shown), *map(_comparison_row_widget, self._shown.lines)]
        else:
            parts = [PlainLabel(_EMPTY_HINT, wordWrap=True, styleSheet=f"color: {theme.palette().muted.name()};")]
        self.setWidget(make_panel(make_column(*parts, None, spacing=theme.GRID // 2)))

    def _heads(self, shown: ItemComparison) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(theme.GRID)
        for place, annotator_column in enumerate(shown.columns):
            grid.setColumnStretch(place, 1)
            grid.addWidget(self._head(annotator_column, place, place == shown.target), 0, place)
            said = PlainLabel(
                "\n".join(annotator_column.statements),
                wordWrap=True,
                alignment=Qt.AlignmentFlag.AlignTop,
                styleSheet=f"color: {theme.palette().muted.name()};",
            )
            _allow_shrinking(said)
            grid.addWidget(said, 1, place)
        return grid

    def _head(self, annotator_column: AnnotatorColumn, place: int, target: bool) -> QWidget:
        button = push_button(
            tr("{name}: decide").format(name=annotator_column.name) if target else annotator_column.name,
            tr("Your decision is about what {name} marked").format(name=annotator_column.name)
            if annotator_column.is_decidable
            else tr("Nothing of {name} to review here").format(name=annotator_column.name),
            lambda: self.column_chosen.emit(place),
            name=tr("Decide about the segment of {name}").format(name=annotator_column.name),
            look="segment",
            checkable=True,
            checked=target,
            enabled=annotator_column.is_decidable,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )
        _allow_shrinking(button)
        return button


def _comparison_row_widget(line: ComparisonRow) -> QWidget:
    colours = theme.palette()
    frame = QFrame()
    frame.setObjectName("line")
    if line.differs:
        ground, edge = mix(colours.uncertain, colours.panel, 0.16), colours.uncertain
        frame.setStyleSheet(f"#line {{ background: {ground.name()}; border-left: 3px solid {edge.name()}; }}")
    else:
        frame.setStyleSheet("#line { border-left: 3px solid transparent; }")
    grid = QGridLayout(frame)
    grid.setContentsMargins(theme.GRID, 3, theme.GRID, 3)
    grid.setHorizontalSpacing(theme.GRID)
    grid.setVerticalSpacing(1)
    shown = f"{DIFFERS} {line.name}" if line.differs else line.name
    name = PlainLabel(
        shown,
        font=theme.font(theme.POINTS - 1, semibold=line.differs),
        styleSheet=f"color: {(colours.text if line.differs else colours.muted).name()};",
        accessibleName=tr("{name}: differs").format(name=line.name) if line.differs else line.name,
    )
    grid.addWidget(name, 0, 0, 1, len(line.cells))
    for place, cell in enumerate(line.cells):
        grid.setColumnStretch(place, 1)
        chip = isinstance(cell, LabelLook)
        start = Qt.AlignmentFlag.AlignLeft if chip else Qt.AlignmentFlag(0)
        grid.addWidget(_cell_widget(cell), 1, place, Qt.AlignmentFlag.AlignTop | start)
    return frame


def _cell_widget(cell: LabelLook | tuple[ComparisonText, ...]) -> QWidget:
    if isinstance(cell, LabelLook):
        chip = LabelChip()
        chip.set_look(cell)
        return chip
    text = RichLabel(
        "<br>".join(_part_html(comparison_text) for comparison_text in cell) or "\N{EN DASH}",
        wordWrap=True,
        textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        focusPolicy=Qt.FocusPolicy.NoFocus,
    )
    _allow_shrinking(text)
    return text


def _part_html(comparison_text: ComparisonText) -> str:
    text = escape(comparison_text.text).replace("\n", "<br>")
    return f'<span style="font-weight: 600">{DIFFERS} {text}</span>' if comparison_text.differs else text


def _allow_shrinking(widget: QWidget) -> None:
    """Let columns be of one width, however long a word in them is."""
    widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())
    widget.setMinimumWidth(40)
