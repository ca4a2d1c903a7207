"""The page of the mode Judges.

It shows the answers of judges and people about the selected segment, as far as the viewer may see them.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from annotate.blinding.reveals import reveal, split_by_visibility
from anonymize.privacy.exported_clips import read_checksums
from app.gui.judges.answer_columns import (
    DIFFERS,
    ColumnFoot,
    ColumnHead,
    ColumnPairPosition,
    Fold,
    JudgmentColumn,
    JudgmentColumnState,
    JudgmentTable,
    TextCell,
    cell_widget,
    make_quiet_label,
)
from app.gui.judges.answer_table import JudgeCondition, SegmentJudgments, build_table
from app.gui.judges.judge_bars import ADD, ChoiceBar, JudgeQueueBar
from app.gui.judges.request_facts import describe_egress, find_coercion_judge
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from benchmark.disclosure.conditions import conditions, unread_renderings
from benchmark.prompts.judge_prompt import ITEM_ONLY_TASKS, TASKS, TASKS_BY_SUBJECT, VARIANTS
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry, Judgment, JudgmentTargetKind
from project.entities.study_records import Changes, Json, Segment
from project.errors import UserError
from project.queries.judgment_rows import all_judges, judged_segments, judgments_of
from project.queries.segment_rows import find_segment
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.checklists import TickMenuItem
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_stack

MIN_COLUMN_WIDTH = 196
"""Pixels of a column; with less room the columns are scrolled sideways."""
_MAX_COLUMN_WIDTH = 320
_NAME_COLUMN_WIDTH = 84
_GAP = theme.GRID
_ADOPT_LABEL = tr("Take over…")


class _JudgeColumn:
    """The widgets of one column."""

    def __init__(self, column: JudgmentColumn, head: ColumnHead, cells: list[QWidget], foot: ColumnFoot) -> None:
        self.column = column
        self.head = head
        self.cells = cells
        self.foot = foot

    def widgets(self) -> list[QWidget]:
        return [self.head, *self.cells, self.foot]


class JudgmentTableView(QScrollArea):
    """Shows a table; what did not change keeps its widgets, so that focus and scrolling stay.

    Signals:
        retry_requested (JudgmentColumn)
        cancel_requested (JudgmentColumn)
        inspect_requested (JudgmentColumn)
        raw_requested (JudgmentColumn)
        adopt_requested (JudgmentColumn, str): take the words of a row over into one's own form.
    """

    retry_requested = Signal(object)
    cancel_requested = Signal(object)
    inspect_requested = Signal(object)
    raw_requested = Signal(object)
    adopt_requested = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("What judges and people say, side by side"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._table = JudgmentTable((), ())
        self._places: list[_JudgeColumn] = []
        self._inner = QWidget()
        self._bands = QWidget(self._inner)
        self._names = QWidget(self._inner)
        self._heads = QWidget(self._inner)
        self._corner = QWidget(self._inner)
        self._labels: list[QLabel] = []
        for pane in (self._names, self._heads, self._corner):
            pane.setAutoFillBackground(True)
        self.setWidget(self._inner)
        self.horizontalScrollBar().valueChanged.connect(self._move_frozen_panes)
        self.verticalScrollBar().valueChanged.connect(self._move_frozen_panes)
        theme.notifier.changed.connect(self._redraw)

    def table(self) -> JudgmentTable:
        """Return what is shown."""
        return self._table

    def show_table(self, table: JudgmentTable) -> None:
        """Show another table."""
        if table == self._table:
            return
        same_rows = table.rows == self._table.rows
        kept = {place.column.key: place for place in self._places} if same_rows else {}
        self._table = table
        places = []
        for column in table.columns:
            place = kept.get(column.key)
            if place is not None and place.column == column:
                places.append(kept.pop(column.key))
            else:
                places.append(self._make(column))
        stale = {id(place) for place in places}
        for place in self._places:
            if id(place) not in stale:
                _delete_widgets(place)
        self._places = places
        self._name_rows()
        self._set_tab_order()
        self._arrange()

    def column_widgets(self, key: str) -> dict[str, QWidget]:
        """Return the widgets of a column: `head`, `foot`, and each row by its key."""
        place = next(judge_column for judge_column in self._places if judge_column.column.key == key)
        rows = {row.key: cell for row, cell in zip(self._table.rows, place.cells, strict=False)}
        return {"head": place.head, "foot": place.foot, **rows, "thoughts": place.cells[-1]}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring what gets the focus into sight, beside the names and below the heads."""
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self.ensureWidgetVisible(watched, theme.scaled(_NAME_COLUMN_WIDTH) + _GAP, self._heads.height() + _GAP)
        return super().eventFilter(watched, event)

    def _redraw(self) -> None:
        table, self._table = self._table, JudgmentTable((), ())
        self.show_table(table)

    def _make(self, column: JudgmentColumn) -> _JudgeColumn:
        head = ColumnHead(column)
        head.setParent(self._heads)
        cells: list[QWidget] = []
        for row in self._table.rows:
            name = f"{column.name}, {row.name}"
            answered = column.state in (JudgmentColumnState.ANSWERED, JudgmentColumnState.PERSON)
            cell = cell_widget(column.cells.get(row.key), name) if answered else QWidget()
            if answered and row.key in column.adoptable and isinstance(column.cells.get(row.key), TextCell):
                cell = self._with_adopt_button(cell, column, row.key, row.name)
            cells.append(cell)
        if column.reasoning and column.state is not JudgmentColumnState.HIDDEN:
            fold = Fold(column.reasoning, tr("Thoughts of {name}").format(name=column.name))
            fold.toggled.connect(lambda _on: self._arrange())
            cells.append(fold)
        else:
            cells.append(QWidget())
        foot = ColumnFoot(column)
        foot.retry_requested.connect(self.retry_requested)
        foot.cancel_requested.connect(self.cancel_requested)
        foot.inspect_requested.connect(self.inspect_requested)
        foot.raw_requested.connect(self.raw_requested)
        for widget in (*cells, foot):
            widget.setParent(self._inner)
        place = _JudgeColumn(column, head, cells, foot)
        for widget in place.widgets():
            widget.show()
            for part in (widget, *widget.findChildren(QWidget)):
                part.installEventFilter(self)
        return place

    def _with_adopt_button(self, cell: QWidget, column: JudgmentColumn, row: str, name: str) -> QWidget:
        both = _CellWithButton(cell)
        take = push_button(
            _ADOPT_LABEL,
            tr("Put these words into your own form; the study notes whose they are"),
            lambda: self.adopt_requested.emit(column, row),
            name=tr("Take over {row} of {judge} into your own form").format(row=name, judge=column.name),
            look="flat",
            styleSheet="padding-left: 0; padding-right: 0; text-align: left;",
        )
        both.set_button(take)
        return both

    def _name_rows(self) -> None:
        for old in self._labels:
            old.deleteLater()
        self._labels = []
        thoughts = any(
            place.column.reasoning and place.column.state is not JudgmentColumnState.HIDDEN for place in self._places
        )
        names = [(row.name, row.differs) for row in self._table.rows]
        for name, differs in (*names, (tr("Thoughts") if thoughts else "", False)):
            label = make_quiet_label(f"{DIFFERS} {name}" if differs else name)
            label.setParent(self._names)
            if differs:
                label.setProperty("quiet", False)
                label.setFont(theme.font(theme.POINTS, semibold=True))
                label.setAccessibleName(tr("{name}: differs").format(name=name))
            label.show()
            self._labels.append(label)

    def _set_tab_order(self) -> None:
        """Let Tab go through a column from top to bottom, then to the next."""
        before: QWidget = self
        for place in self._places:
            for widget in place.widgets():
                for part in (widget, *widget.findChildren(QWidget)):
                    if part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                        QWidget.setTabOrder(before, part)
                        before = part

    def _arrange(self) -> None:
        """Give every cell its place: rows are as tall as their tallest cell, columns equally wide."""
        count = len(self._places)
        names, least = theme.scaled(_NAME_COLUMN_WIDTH), theme.scaled(MIN_COLUMN_WIDTH)
        room = self.viewport().width() - names
        width = min(theme.scaled(_MAX_COLUMN_WIDTH), max(least, (room - count * _GAP) // count)) if count else least
        total = max(self.viewport().width(), names + count * (width + _GAP))
        top = max((_height_for(place.head, width) for place in self._places), default=0)
        lefts = [names + at * (width + _GAP) for at in range(count)]
        for left, place in zip(lefts, self._places, strict=True):
            joined = _GAP if place.column.pair is ColumnPairPosition.FIRST else 0
            place.head.setGeometry(left, 0, width + joined, top)
        y = top
        for old in self._bands.children():
            if isinstance(old, QWidget):
                old.hide()
                old.deleteLater()
        for at, label in enumerate(self._labels):
            heights = [_height_for(place.cells[at], width) for place in self._places]
            height = max([label.heightForWidth(names - _GAP) if label.text() else 0, *heights])
            label.setGeometry(theme.GRID // 2, y + 4, names - theme.GRID // 2 - 2, height)
            for left, place in zip(lefts, self._places, strict=True):
                place.cells[at].setGeometry(left + 4, y + 4, width - 4, height)
            if height:
                self._draw_rule(y, total)
                y += height + 9
        self._draw_rule(y, total)
        feet = max((_height_for(place.foot, width) for place in self._places), default=0)
        for left, place in zip(lefts, self._places, strict=True):
            place.foot.setGeometry(left + 4, y + 5, width - 4, feet)
        y += feet + 9
        self._inner.resize(total, max(y, self.viewport().height()))
        self._bands.setGeometry(0, 0, total, y)
        self._bands.lower()
        self._bands.show()
        self._names.resize(names, self._inner.height())
        self._heads.resize(total, top)
        self._corner.resize(names, top)
        for pane in (self._names, self._heads, self._corner):
            pane.raise_()
            pane.show()
        self._move_frozen_panes()

    def _draw_rule(self, y: int, width: int) -> None:
        rule = QFrame(self._bands)
        rule.setStyleSheet(f"background: {theme.palette().border.name()};")
        rule.setGeometry(0, y, width, 1)
        rule.show()

    def _move_frozen_panes(self) -> None:
        x, y = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        self._names.move(x, 0)
        self._heads.move(0, y)
        self._corner.move(x, y)


class _CellWithButton(QWidget):
    """A cell with a button below it."""

    def __init__(self, cell: QWidget) -> None:
        super().__init__()
        self._cell = cell
        self._column = make_column(cell, 1, spacing=0)
        self.setLayout(self._column)
        self._button: QPushButton | None = None

    def set_button(self, button: QPushButton) -> None:
        self._button = button
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        below = self._button.sizeHint().height() if self._button is not None else 0
        return _height_for(self._cell, width) + below

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(MIN_COLUMN_WIDTH), self.heightForWidth(theme.scaled(MIN_COLUMN_WIDTH)))


def _height_for(widget: QWidget, width: int) -> int:
    layout = widget.layout()
    if type(widget).heightForWidth is not QWidget.heightForWidth:
        return widget.heightForWidth(width)
    if layout is not None and layout.hasHeightForWidth():
        return layout.totalHeightForWidth(width)
    return max(0, widget.sizeHint().height())


def _delete_widgets(place: _JudgeColumn) -> None:
    for widget in place.widgets():
        widget.hide()
        widget.deleteLater()


VARIANT_LABELS = {
    "plain": (tr("Plain"), tr("The question as it is")),
    "few-shot": (
        tr("Few-shot"),
        tr(
            "With examples before it: reviewed segments of other recordings in which everybody agreed to be sent to "
            "models, else those of the scheme"
        ),
    ),
    "cot": (tr("Chain of thought"), tr("Thoughts first, apart from the answer")),
    "tom": (tr("Theory of mind"), tr("Thoughts about what each person knows, wants and feels, first")),
}


class JudgesPage(StudyView):
    """Shows a segment through the eyes of judges and people.

    Signals:
        add_requested: add a judge.
        looks_changed: something else is chosen, which is worth keeping.
        changed: other judges, another segment or another choice is shown.

    Attributes:
        under_way: state by (segment, judge, condition), of what is asked now.
        not_sent: why it was not asked, by (segment, judge, condition).
    """

    add_requested = Signal()
    looks_changed = Signal()
    changed = Signal()
    title = tr("Judges")
    tables = frozenset(
        {"segment", "segment_value", "judge", "judgment", "annotator", "participant", "property", "adoption"}
        | {"run", "face_review", "utterance", "pii_decision"}
    )
    follows_recording = True

    def __init__(self, context: Context, keys: str) -> None:
        super().__init__(context)
        self.under_way: dict[tuple[str, str, str], JudgmentColumnState] = {}
        self.not_sent: dict[tuple[str, str, str], str] = {}
        self.bar = ChoiceBar(keys)
        self.bar.changed.connect(self.looks_changed)
        self.board = JudgmentTableView()
        self.queue = JudgeQueueBar()
        self._no_judge = EmptyState(
            "list-checks",
            tr("No judge yet"),
            tr(
                "A judge is a model on this machine, a server, or a baseline. It says what it thinks of a segment, "
                "beside what people say."
            ),
            (EmptyStateAction(ADD, tr("Add judge…"), primary=True),),
        )
        self._no_judge.button_clicked.connect(lambda _key: self.add_requested.emit())
        self._nothing = EmptyState("list-checks", "", "")
        self._stack = make_stack(self._no_judge, self._nothing, self.board)
        self.setLayout(make_column(self.bar, self._stack, 1, self.queue, margin=theme.GRID * 3 // 2))
        tasks = [key for key in TASKS_BY_SUBJECT[JudgmentTargetKind.SEGMENT] if key not in ITEM_ONLY_TASKS]
        self.bar.set_tasks({key: (TASKS.make(key).name, TASKS.make(key).description) for key in tasks})
        self.bar.set_variants({key: VARIANT_LABELS[key] for key in VARIANTS})
        self.bar.changed.connect(self.refresh)
        self._studio.selection_changed.connect(self.refresh)
        self.acts = {
            "ask": lambda: self.bar.ask.click(),
            "inspect": lambda: self.bar.inspect.click(),
            "cancel": lambda: self.queue.cancel_requested.emit(""),
            "add": self.add_requested.emit,
        }
        """What the window's menu can ask the page for."""

    def save_state(self) -> dict[str, Json]:
        """Return who and what is chosen."""
        return self.bar.save_state()

    def restore_state(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen."""
        self.bar.restore_state(looks)

    def show_no_judge(self, writable: bool) -> None:
        """Say what judges are, and offer to add one."""
        self._no_judge.set_buttons_enabled(writable)
        self._stack.setCurrentWidget(self._no_judge)

    def show_nothing(self, title: str, hint: str) -> None:
        """Say why there is nothing to show, and what to do."""
        self._nothing.set_text(title, hint)
        self._stack.setCurrentWidget(self._nothing)

    def show_table(self, table: JudgmentTable) -> None:
        """Show what everybody says."""
        self.board.show_table(table)
        self._stack.setCurrentWidget(self.board)

    def session(self) -> Session | None:
        """Return the study that is open."""
        return self._studio.session

    def segment(self) -> Segment | None:
        """Return the segment that is shown: the one that was selected last."""
        session, chosen = self.session(), self._studio.selected
        return find_segment(session.study, chosen[-1]) if session is not None and chosen else None

    def segments(self) -> list[str]:
        """Return the segments that are asked about: all that are selected."""
        return list(self._studio.selected)

    def judges(self) -> list[JudgeEntry]:
        """Return every judge of the study."""
        session = self.session()
        return all_judges(session.study) if session is not None else []

    def selected_judges(self) -> list[JudgeEntry]:
        """Return the judges that are ticked, people left out: they answer in a form."""
        wanted = set(self.bar.judges.ticked_keys())
        return [judge for judge in self.judges() if judge.id in wanted and judge.backend != PERSON_BACKEND]

    def selected_conditions(self) -> list[str]:
        """Return what the judges see; raw where nothing else is ticked."""
        return list(self.bar.conditions.ticked_keys()) or [RAW_CONDITION]

    def judgment(self, judgment_id: str) -> Judgment | None:
        """Return a judgment of the segment that is shown, as far as it may be seen."""
        session, about = self.session(), self.segment()
        if session is None or about is None:
            return None
        seen = split_by_visibility(session, judgments_of(session.study, about.id))
        return next(
            (judgment for judgment in (*seen.judgments, *seen.hidden) if judgment.id == judgment_id),
            None,
        )

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        if not super().needs_reload(changes, initiator):
            return False
        return self.tables & changes.tables.keys() != {"judgment"} or self._concerns_segment(changes)

    def _concerns_segment(self, changes: Changes) -> bool:
        """Tell whether any of the judgments that came is about the segment that is shown."""
        session, chosen = self.session(), self._studio.selected
        if session is None or not chosen:
            return False
        return chosen[-1] in judged_segments(session.study, changes.ids("judgment"))

    def reload(self, session: Session) -> None:
        recording = self._studio.recording
        try:
            self._fill_bar(session, recording.id if recording is not None else "")
            self._show(session)
        except UserError as error:
            self.show_nothing(error.message, error.hint)
        self.changed.emit()

    def _fill_bar(self, session: Session, recording_id: str) -> None:
        bar = self.bar
        judges = all_judges(session.study)
        offered = [TickMenuItem(judge.id, judge.name, f"{judge.backend} {judge.model}".strip()) for judge in judges]
        keys = {entry.key for entry in offered}
        # What is ticked may be of the study that was open before.
        if keys - {entry.key for entry in bar.judges.entries()} and not keys & bar.judges.all_ticked_keys():
            bar.judges.blockSignals(True)
            bar.judges.set_ticked(judge.id for judge in judges if _is_local(judge, judges))
            bar.judges.blockSignals(False)
        bar.judges.set_entries(offered)
        found = conditions(session, recording_id) if recording_id else []
        if recording_id and (files := unread_renderings(session, recording_id)):
            self._context.background.run(lambda _progress: read_checksums(files), lambda _none: self.refresh())
        bar.conditions.set_entries(
            [
                TickMenuItem(
                    condition.id,
                    tr("Raw") if condition.id == RAW_CONDITION else condition.name,
                    condition.unreviewed_reason,
                )
                for condition in found
            ]
        )

    def _show(self, session: Session) -> None:
        about, judges = self.segment(), self.judges()
        if self._studio.recording is None:
            self.show_nothing(tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
        elif about is None:
            if not judges:
                self.show_no_judge(self._studio.writable)
            else:
                self.show_nothing(tr("No segment is selected"), tr("Click one on the timeline, or press Down there."))
        else:
            self._show_segment(session, about, judges)

    def _show_segment(self, session: Session, about: Segment, judges: Sequence[JudgeEntry]) -> None:
        bar = self.bar
        task, variant = bar.chosen_task(), bar.chosen_variant()
        said = [
            judgment
            for judgment in judgments_of(session.study, about.id, task)
            if judgment.variant == variant or judgment.judge.get("backend") == PERSON_BACKEND
        ]
        if said:
            reveal(session, about.id, task)
        seen = split_by_visibility(session, said)
        if not judges and not said:
            self.show_no_judge(self._studio.writable)
            return
        wanted = [
            JudgeCondition(judge, condition)
            for judge in self.selected_judges()
            for condition in self.selected_conditions()
        ]
        under_way = {(who, seeing): how for (which, who, seeing), how in self.under_way.items() if which == about.id}
        not_sent = {(who, seeing): why for (which, who, seeing), why in self.not_sent.items() if which == about.id}
        names = {entry.key: entry.name for entry in bar.conditions.entries()} | {RAW_CONDITION: tr("Raw")}
        known = SegmentJudgments(seen.judgments, seen.hidden, seen.hidden_reason, wanted, under_way, not_sent, names)
        self.show_table(build_table(session, about, known))


def _is_local(entry: JudgeEntry, judges: Sequence[JudgeEntry]) -> bool:
    """Tell whether asking a judge sends nothing to another machine: others are asked once somebody ticked them.

    A study may come from somebody else, with its policy, and Ctrl+J asks from whatever mode.
    """
    try:
        return not describe_egress(entry, RAW_CONDITION, find_coercion_judge(entry, judges))
    except UserError:
        return False
