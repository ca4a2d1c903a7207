"""The checklist window: lists the annotation tasks that are left, in groups.

Each line leads to its segment or recording.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QWidget

from annotate.review.study_progress import (
    KIND_NAMES,
    Checklist,
    ChecklistItem,
    ChecklistItemKind,
    ReviewsWaiting,
    build_checklist,
    list_workers,
)
from app.gui.annotate.segments_tab import read_table
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Annotator, Changes
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_row, make_stack
from widgets.text_labels import PlainLabel, plain_tip

_KEY_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class ChecklistRow:
    """One thing to do; `key` tells it from the others."""

    key: str
    recording: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """The tasks of one kind; `key` tells it from the other groups."""

    key: str
    title: str
    tasks: tuple[ChecklistRow, ...]


class ChecklistView(QTreeWidget):
    """Shows groups with their counts; a click on a line goes there.

    Signals:
        opened (str): key of the task to look at.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._closed: set[str] = set()
        self.setAccessibleName(tr("What is still to be done"))
        self.setHeaderLabels([tr("Recording"), tr("Time"), tr("To do")])
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setColumnWidth(0, 220)
        self.setColumnWidth(1, 104)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)
        self.itemCollapsed.connect(lambda item: self._closed.add(item.data(0, _KEY_ROLE)))
        self.itemExpanded.connect(lambda item: self._closed.discard(item.data(0, _KEY_ROLE)))

    def set_groups(self, groups: Sequence[TaskGroup]) -> None:
        """Show these; what was folded stays folded, and the place is kept."""
        top = self.verticalScrollBar().value()
        self.blockSignals(True)
        self.clear()
        for group in groups:
            head = QTreeWidgetItem([f"{group.title} ({len(group.tasks):,})"])
            head.setData(0, _KEY_ROLE, group.key)
            head.setFont(0, theme.font(semibold=True))
            head.setSizeHint(0, QSize(0, theme.GRID * 7 // 2))
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.addChildren([_task_item(task) for task in group.tasks])
            self.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            head.setExpanded(group.key not in self._closed)
        self.blockSignals(False)
        self.verticalScrollBar().setValue(top)

    def _open(self, item: QTreeWidgetItem) -> None:
        if item.parent() is not None:
            self.opened.emit(item.data(0, _KEY_ROLE))


def _task_item(task: ChecklistRow) -> QTreeWidgetItem:
    item = QTreeWidgetItem([task.recording, task.time, task.text])
    item.setData(0, _KEY_ROLE, task.key)
    item.setToolTip(2, plain_tip(task.text))
    item.setSizeHint(0, QSize(0, theme.GRID * 3))
    return item


_ALL_DONE = (tr("All done"), tr("Nothing is missing, nothing waits."))
_NO_RECORDINGS = (tr("Nothing to do yet"), tr("Add recordings in the main window first: Ctrl+O."))


class ChecklistTab(StudyView):
    """Works out the list when it is shown, and again when edits pause."""

    title = tr("Checklist")
    preferred_size = (720, 560)
    pause_ms = 400

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        session = context.studio.session
        assert session is not None
        self._table, self._reading = read_table(context, session, self._on_rows_read)
        self._reviews = ReviewsWaiting(session)
        self._waiting = Changes()
        self._tasks: tuple[ChecklistItem, ...] = ()
        self._own_name = session.annotator_name
        label = PlainLabel(tr("To be done by"))
        self.who = ChoiceBox(tr("Annotator"), tr("Whose tasks are listed"))
        label.setBuddy(self.who)
        self.counts = PlainLabel(look="quiet")
        self.view = ChecklistView()
        self._done = EmptyState("circle-check", *_ALL_DONE)
        self._stack = make_stack(self.view, self._done)
        self.lay_out(make_row(label, self.who, self.counts, 1), self._stack, 1)
        self.view.opened.connect(self._open)
        self.who.activated.connect(lambda _: self.refresh())

    def reload(self, session: Session) -> None:
        """Work out what is to be done."""
        if self._reading:
            self.counts.setText(tr("Reading the segments…"))
            return
        if self._waiting:
            changes, self._waiting = self._waiting, Changes()
            self._table.apply(changes)
        self._offer_people(session)
        who = self._table.annotators.get(self.who.key())
        found = build_checklist(session, self._table, [who] if who else (), self._reviews)
        self._tasks = found.tasks
        groups = _task_groups(found, who is None)
        self.view.set_groups(groups)
        self._done.set_text(*(_ALL_DONE if self._table.recordings else _NO_RECORDINGS))
        self._stack.setCurrentWidget(self.view if groups else self._done)
        self.counts.setText(tr("{tasks:,} to do").format(tasks=len(self._tasks)) if self._tasks else "")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.view.setFocus()

    def _on_rows_read(self) -> None:
        self._reading = False
        self.refresh()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        self._waiting |= changes
        return True

    def _offer_people(self, session: Session) -> None:
        names = {who.id: who.name for who in list_workers(session, self._table)}
        own = next((key for key, name in names.items() if name == self._own_name), None)
        self.who.offer({"": tr("Everybody"), **names}, first=own)

    def _open(self, key: str) -> None:
        task = self._tasks[int(key)]
        self._context.look_at(task.recording.id, task.time_us)
        if task.segment_id is not None:
            self._context.studio.select([task.segment_id])


def _task_groups(found: Checklist, everybody: bool) -> list[TaskGroup]:
    lines: dict[tuple[Annotator, ChecklistItemKind], list[ChecklistRow]] = {}
    for index, task in enumerate(found.tasks):
        recording = f"{task.recording.number}  {task.recording.name}"
        time = format_time(task.time_us) if task.segment_id else ""
        lines.setdefault((task.annotator, task.kind), []).append(ChecklistRow(str(index), recording, time, task.text))
    return [
        TaskGroup(
            f"{who.id} {kind}", f"{who.name}: {KIND_NAMES[kind]}" if everybody else KIND_NAMES[kind], tuple(tasks)
        )
        for (who, kind), tasks in lines.items()
    ]
