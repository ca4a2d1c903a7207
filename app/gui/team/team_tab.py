"""The Team window: the work plan, copies for annotators, merging their work, and resolving conflicts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from annotate.team import study_copies
from annotate.team.assignments import AssignmentStatus, PlanOptions, TeamPlan, make_plan, read_team_plan
from annotate.team.study_copies import CopyFor, MediaWith
from anonymize.withdrawal.withdrawal_plan import PersonalStringFinder
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.study.background import BackgroundPool, PendingTask
from app.gui.study.study_controller import StudyController
from app.gui.team.work_plan import (
    AssignmentState,
    PlanCell,
    PlanColumn,
    PlanRow,
    TeamPlanForm,
    TeamPlanRequest,
    plan_columns,
)
from app.merge_text import ConflictDescription, describe_conflict, merge_report_text
from project.entities.study_records import Changes, WorkPurpose
from project.errors import UserError
from project.progress import Progress, Silent
from project.queries.history_rows import all_conflicts, count_unresolved
from project.session.session import Session
from project.sharing.annotator_copy import Split
from project.timebase import SECOND_US, format_minutes
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.empty_state import EmptyHint
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_form, make_row, make_splitter, make_tab_page
from widgets.form.wheel_guard import ComboBox
from widgets.progress_bars import ProgressLine
from widgets.table.lists import ShortList
from widgets.table.record_table import RecordTable
from widgets.text_labels import PlainLabel, describe, plain_tip
from widgets.theme import icon

_MAX_THREAD_TRIES = 3
"""So often it is filled in a thread while somebody edits; after that in the window's own, where nobody can."""


class AnnotatorCopyMaker(QObject):
    """One copy at a time.

    Signals:
        progressed: (int, int, str) how far it is: done, total, what is counted.
        finished: (Split) it has its name.
        failed: (UserError) it cannot be made; nothing is left of it.
        ended: it goes on no more, whatever came of it.
    """

    progressed = Signal(int, int, str)
    finished = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, studio: StudyController, background: BackgroundPool, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._background = background
        self._copy: CopyFor | None = None
        self._look: PendingTask | None = None
        self._tries = 0
        studio.leaving.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether a copy is being made."""
        return self._copy is not None

    def start(self, annotator: str, out: Path, media: MediaWith) -> None:
        """Make a copy for an annotator."""
        session = self._studio.session
        if session is None or self.busy:
            return
        try:
            self._copy = CopyFor(session, annotator, out, media)
        except UserError as error:
            self.failed.emit(error)
            return
        self._tries = 0
        self._fill(session, self._copy)

    def cancel(self) -> None:
        """Cancel the copy; nothing is left of it."""
        if self._look is not None:
            self._look.stop()
        self._end()

    def _fill(self, session: Session, copy: CopyFor) -> None:
        self.progressed.emit(0, 0, tr("Making the copy"))
        self._tries += 1

        self._look = self._background.read(
            *(session, copy.write_copy, lambda _none: self._finish(session, copy), self._fail),
            lambda done, total, _text: self.progressed.emit(done, total, tr("Megabytes copied")),
        )

    def _finish(self, session: Session, copy: CopyFor) -> None:
        try:
            made = copy.finish(session)
            if made is None and self._tries < _MAX_THREAD_TRIES:
                self._fill(session, copy)
                return
            if made is None:
                copy.write_copy(session, Silent())
                made = copy.finish(session)
        except UserError as error:
            self._fail(error)
            return
        self._end()
        self.finished.emit(made)

    def _fail(self, error: Exception) -> None:
        self._end()
        if not isinstance(error, UserError):
            raise error
        self.failed.emit(error)

    def _end(self) -> None:
        copy, self._copy, self._look = self._copy, None, None
        if copy is not None:
            copy.close()
            self.ended.emit()


_MEDIA_CHOICES = {
    MediaWith.LEAVE: tr("Leave them behind; the annotator relinks the folder"),
    MediaWith.LINK: tr("Link them beside the copy, on the same machine"),
    MediaWith.COPY: tr("Copy them beside the copy"),
}


class SplitDialog(OwnDialog):
    """Two choices; where the copy goes is asked afterwards."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Copy for an annotator"))
        self.setMinimumWidth(480)
        self.who = ComboBox()
        self.who.addItems(list(names))
        describe(self.who, tr("Annotator"), tr("Who will work in the copy"))
        self.media = ChoiceBox(tr("Media files"), tr("What becomes of the recordings' files"), _MEDIA_CHOICES)
        form = make_form((tr("&Annotator"), self.who), (tr("&Media files"), self.media))
        note = tr("The copy is a new file with their recordings and none of anybody else's work or history.")
        self.buttons = DialogButtons(self, tr("Choose a place…"), tr("Make no copy"))
        self.buttons.go_on.setToolTip(tr("Choose where the copy goes (Enter)"))
        self.buttons.go_on.clicked.connect(self.accept)
        parts = (form, PlainLabel(note, wordWrap=True, look="quiet"), self.buttons)
        self.setLayout(make_column(*parts, margin=theme.GRID * 2, spacing=theme.GRID * 2))

    def selection(self) -> tuple[str, MediaWith]:
        """Return who it is for and what becomes of the media."""
        return self.who.currentText(), MediaWith(self.media.currentData())


_ID_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Versions:
    """One item: what it is about, whose the other version is, and (name, ours, theirs) for all that is in either.

    `deleted` is `ours` or `theirs` where one side deleted it, else "".
    """

    id: str
    title: str
    source: str
    lines: tuple[tuple[str, str, str], ...]
    deleted: str = ""


class ConflictsView(QWidget):
    """Shows one item at a time; keys: Ctrl+Left keeps the study's version, Ctrl+Right takes the other.

    Signals:
        version_chosen (str, str): id of the item, and `ours` or `theirs`.
    """

    version_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[str, Versions] = {}
        self.listing = ShortList()
        self.listing.setAccessibleName(tr("Conflicts"))
        self.listing.setSpacing(theme.GRID // 4)
        self.listing.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        EmptyHint(self.listing, tr("No conflicts"))
        self.listing.currentItemChanged.connect(lambda *_: self._show_current())
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName(tr("Both versions"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(True)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for section in (1, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
        self.note = PlainLabel(wordWrap=True, look="quiet")
        split = make_splitter(Qt.Orientation.Horizontal, self.listing, self.table, 1, sizes=(368, 640))
        self.setLayout(make_column(split, 1, self._foot()))
        self.show_items(())

    def show_items(self, items: Sequence[Versions]) -> None:
        """Show these items; the one that was shown stays where it is still there."""
        before = self._current()
        self._items = {item.id: item for item in items}
        self.listing.blockSignals(True)
        self.listing.clear()
        for item in items:
            entry = QListWidgetItem(item.title)
            entry.setData(_ID_ROLE, item.id)
            entry.setToolTip(
                plain_tip(
                    tr("{title}; the other version is from {source}").format(title=item.title, source=item.source)
                )
            )
            self.listing.addItem(entry)
        places = [place for place, versions in enumerate(items) if before is not None and versions.id == before.id]
        self.listing.setCurrentRow(places[0] if places else 0 if items else -1)
        self.listing.blockSignals(False)
        self._show_current()

    def _foot(self) -> QHBoxLayout:
        self.ours, self.theirs = push_button(tr("Keep ours")), push_button(tr("Take theirs"))
        for button, side, key, text in (
            (self.ours, "ours", "Ctrl+Left", tr("Leave the study as it is")),
            (self.theirs, "theirs", "Ctrl+Right", tr("Put the other version in place")),
        ):
            button.setShortcut(key)
            button.setToolTip(plain_tip(tr("{text} ({key}); Undo takes it back").format(text=text, key=key)))
            button.clicked.connect(lambda _=False, side=side: self._choose(side))
        return make_row(self.note, 1, self.ours, self.theirs)

    def _current(self) -> Versions | None:
        item = self.listing.currentItem()
        return None if item is None else self._items.get(item.data(_ID_ROLE))

    def _choose(self, side: str) -> None:
        versions = self._current()
        if versions is not None:
            self.version_chosen.emit(versions.id, side)

    def _show_current(self) -> None:
        versions = self._current()
        for button in (self.ours, self.theirs):
            button.setEnabled(versions is not None)
        self.table.setRowCount(0 if versions is None else len(versions.lines))
        if versions is None:
            self.table.setHorizontalHeaderLabels(["", tr("Ours"), tr("Theirs")])
            self.note.setText(tr("There are no conflicts. They come up when copies are merged."))
            return
        self.table.setHorizontalHeaderLabels(["", tr("Ours"), versions.source])
        for row, (name, ours, theirs) in enumerate(versions.lines):
            for place, text in enumerate((name, ours, theirs)):
                self.table.setItem(
                    row, place, _conflict_item(text, marked=ours != theirs and not versions.deleted, name=place == 0)
                )
        self.table.resizeRowsToContents()
        words = {
            "ours": tr("It was deleted here."),
            "theirs": tr("{source} deleted it.").format(source=versions.source),
        }
        self.note.setText(words.get(versions.deleted, tr("What differs is marked.")))


def _conflict_item(text: str, *, marked: bool, name: bool) -> QTableWidgetItem:
    colours = theme.palette()
    item = QTableWidgetItem(text)
    item.setToolTip(plain_tip(text))
    item.setForeground(colours.text if marked else colours.muted)
    if marked:
        item.setFont(theme.font(semibold=True))
        if not name:
            item.setBackground(colours.selection)
    return item


Ask = Callable[[Sequence[str]], tuple[str, MediaWith] | None]


class TeamTab(StudyView):
    """Every change is a step of the study that can be undone in the main window."""

    title = tr("Team")
    tables = frozenset({"assignment", "completion", "hold_out", "annotator", "recording", "segment", "conflict"})
    preferred_size = (1040, 640)
    pause_ms = 400

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.ask_split: Ask = self._ask_copy
        self.form, self.conflicts = TeamPlanForm(), ConflictsView()
        self.table = RecordTable(
            tr("Who annotates what"),
            plan_columns([]),
            key=lambda row: row.id,
            empty=tr("No recordings yet. Add some in the main window: Ctrl+O."),
        )
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(make_tab_page(self.form, self.table, 1), tr("Plan"))
        self.tabs.addTab(self.conflicts, tr("Conflicts"))
        self.progress = ProgressLine(tr("Copy for an annotator"))
        self.split = push_button(
            tr("Copy for an annotator…"),
            tr("Make a study file for one annotator, with nothing of anybody else's work"),
            self._make_copy,
        )
        self.merge = push_button(
            tr("Merge copies…"),
            tr("Bring the work of copies home; merging a copy twice changes nothing"),
            self._merge,
        )
        self.lay_out(self.tabs, 1, self.progress, foot=(self.split, self.merge))
        self.copying = AnnotatorCopyMaker(self._studio, context.background, self)
        self.copying.progressed.connect(self.progress.show_progress)
        self.copying.finished.connect(self._on_copied)
        self.copying.failed.connect(self.show_error)
        self.copying.ended.connect(self._on_copy_ended)
        self.progress.cancel_requested.connect(self.copying.cancel)
        self.form.plan_requested.connect(self._make_plan)
        self.table.opened.connect(lambda row: context.look_at(row.id, 0))
        self.conflicts.version_chosen.connect(self._resolve)

    def needs_reload(self, changes: Changes, initiator: object) -> bool:
        return super().needs_reload(changes, initiator) or bool(self.conflicts.listing.count())

    def reload(self, session: Session) -> None:
        self._show_plan(read_team_plan(session))
        self._show_conflicts(session)
        for control in (self.form, self.merge):
            control.setEnabled(self._studio.writable)
        for button in (self.conflicts.ours, self.conflicts.theirs):
            button.setEnabled(self._studio.writable and button.isEnabled())
        self.split.setEnabled(self._studio.writable and not self.copying.busy)

    def _show_plan(self, plan: TeamPlan) -> None:
        shown = [who for who in plan.annotators if any(text == who.id for _, text in plan.cells)]
        columns = [_plan_column(plan, who.id) for who in shown]
        rows = [
            PlanRow(
                recording.id,
                recording.number,
                recording.name,
                recording.id in plan.held_out,
                tuple(_plan_cell(plan.cells.get((recording.id, who.id))) for who in shown),
            )
            for recording in plan.recordings
        ]
        self.table.set_columns(plan_columns(columns))
        self.table.show_records(rows)
        self.form.set_names(
            tuple(who.name for who in shown if any(c.purpose for (_, o), c in plan.cells.items() if o == who.id))
        )

    def _show_conflicts(self, session: Session) -> None:
        found = [describe_conflict(session, conflict) for conflict in all_conflicts(session.study, unresolved=True)]
        self.conflicts.show_items([_versions(description) for description in found])
        self.tabs.setTabText(1, tr("Conflicts ({found})").format(found=len(found)) if found else tr("Conflicts"))
        self.tabs.setTabIcon(1, icon("triangle-alert") if found else icon("circle-check"))

    def _make_plan(self, wanted: TeamPlanRequest) -> None:
        wish = PlanOptions(wanted.annotators, wanted.per_recording, wanted.seed, wanted.keep, held_out=wanted.held_out)
        if self.edit(partial(make_plan, wish=wish)):
            self.tell(tr("The plan is made. Give everybody their copy: Copy for an annotator…"))

    def _make_copy(self) -> None:
        session = self._studio.session
        if session is None:
            return
        names = [
            column.name
            for column in map(
                partial(_plan_column, read_team_plan(session)), _planned_annotators(read_team_plan(session))
            )
        ]
        chosen = self.ask_split(names)
        if chosen is None:
            return
        who, media = chosen
        out = self._context.questions.copy_place(f"{session.study.path.stem} {who}")
        if out is None:
            return
        self.tell("")
        self.split.setEnabled(False)
        self.copying.start(who, out, media)

    def _on_copied(self, made: Split) -> None:
        self.tell(
            tr("Made {name}: {recordings}.").format(
                name=made.path.name,
                recordings=trn("{count} recording", "{count} recordings", made.rows.get("recording", 0)),
            )
        )

    def _on_copy_ended(self) -> None:
        self.progress.hide()
        self.split.setEnabled(self._studio.writable)

    def _ask_copy(self, names: Sequence[str]) -> tuple[str, MediaWith] | None:
        dialog = SplitDialog(names, self)
        done = dialog.exec()
        dialog.deleteLater()
        return dialog.selection() if done else None

    def _merge(self) -> None:
        paths = self._context.questions.copies()
        if paths:
            self.merge_files(paths)

    def merge_files(self, paths: Sequence[Path]) -> None:
        """Merge copies and say what came."""
        done: list[study_copies.MergedCopy] = []

        def do(session: Session, progress: Progress) -> Changes:
            done.extend(study_copies.merge_copies(session, paths, finder=PersonalStringFinder(), progress=progress))
            changes = Changes()
            for merged_copy in done:
                changes |= merged_copy.merged.changes
            return changes

        text = trn("Merging {count} copy…", "Merging {count} copies…", len(paths))
        if not self._studio.edit_in_thread(do, text, self) or self._studio.session is None:
            return
        stopped = tr("Cancelled: {count} were not merged.").format(count=len(paths) - len(done))
        self.tell("\n".join([merge_report_text(done, 0), *([stopped] if len(done) < len(paths) else [])]))
        if count_unresolved(self._studio.session.study):
            self.tabs.setCurrentWidget(self.conflicts)

    def _resolve(self, conflict_id: str, side: str) -> None:
        self.edit(partial(study_copies.resolve_conflict, conflict_id=conflict_id, side=study_copies.ConflictSide(side)))


def _planned_annotators(plan: TeamPlan) -> list[str]:
    given = {who for (_, who), cell in plan.cells.items() if cell.purpose}
    return [annotator.id for annotator in plan.annotators if annotator.id in given or not given]


def _plan_column(plan: TeamPlan, annotator_id: str) -> PlanColumn:
    part = plan.progress(next(annotator for annotator in plan.annotators if annotator.id == annotator_id))
    if not part.given:
        return PlanColumn(part.annotator.name, tr("nothing planned"))
    return PlanColumn(
        part.annotator.name,
        tr("{done} of {given} done, {length}").format(
            done=part.done, given=part.given, length=format_minutes(part.minutes * 60 * SECOND_US)
        ),
    )


def _plan_cell(cell: AssignmentStatus | None) -> PlanCell | None:
    if cell is None:
        return None
    state = AssignmentState.DONE if cell.done else AssignmentState.BEGUN if cell.segments else AssignmentState.GIVEN
    return PlanCell(state, cell.segments, cell.purpose is not None, cell.purpose is WorkPurpose.TRAINING)


def _versions(description: ConflictDescription) -> Versions:
    lines = tuple((line.name[:1].upper() + line.name[1:], line.ours, line.theirs) for line in description.lines)
    return Versions(description.id, description.title, description.source, lines, description.deleted)
