"""The Team window: who has what, copies for annotators, their work brought home, and conflicts."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from app.core.commands import team as commands
from app.core.commands.plan import Wish, make_plan
from app.core.commands.splitting import MediaWith
from app.core.conflicts import Described, described
from app.core.merge_report import as_text
from app.core.session import Session
from app.core.team import Cell, TeamPlan, team_plan
from app.gui.context import Context
from app.gui.team.copying import Copying
from app.gui.team.split_dialog import SplitDialog
from project.errors import UserError
from project.progress import Progress
from project.queries.conflicts import all_conflicts, count_unresolved
from project.splitting import Split
from project.timebase import SECOND, format_minutes
from project.types import Changes, WorkPurpose
from resources.translation import tr, trn
from widgets import theme
from widgets.close_button import close_button
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.progress_line import ProgressLine
from widgets.team.conflicts_view import ConflictsView, Versions
from widgets.team.plan_form import PlanForm, Wanted
from widgets.team.plan_table import PlanCell, PlanColumn, PlanRow, PlanTable, State

_PLAN = frozenset({"assignment", "completion", "hold_out", "annotator", "recording", "segment"})
Ask = Callable[[Sequence[str]], tuple[str, MediaWith] | None]


def make(context: Context) -> QWidget:
    """Make the window."""
    return TeamWindow(context)


class TeamWindow(QWidget):
    """Every change is a step of the study that can be undone in the main window."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self.ask_split: Ask = self._ask_split
        self.setWindowTitle(tr("Team"))
        self.resize(1040, 640)
        self.form, self.table, self.conflicts = PlanForm(), PlanTable(), ConflictsView()
        self.report = PlainLabel()
        self.report.setWordWrap(True)
        self.report.setMargin(theme.GRID)
        self.report.hide()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._plan_page(), tr("Plan"))
        self.tabs.addTab(self.conflicts, tr("Conflicts"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.report)
        self.progress = ProgressLine(tr("Copy for an annotator"))
        column.addWidget(self.progress)
        column.addLayout(self._foot())
        self.copying = Copying(self._studio, context.background, self)
        self.copying.progressed.connect(self.progress.show_progress)
        self.copying.made.connect(self._copied)
        self.copying.failed.connect(self._studio.failed)
        self.copying.ended.connect(self._copying_ended)
        self.progress.cancel_requested.connect(self.copying.cancel)
        self.form.plan_requested.connect(self._plan)
        self.table.recording_chosen.connect(lambda recording_id: context.look_at(recording_id, 0))
        self.conflicts.chosen.connect(self._resolve)
        self._studio.bridge.changed.connect(self._apply)
        self._studio.session_changed.connect(self.reload)
        self._studio.failed.connect(self._show_error)
        self.reload()

    def reload(self) -> None:
        """Show the study as it is now."""
        session = self._studio.session
        if session is None:
            return
        self._show_plan(team_plan(session))
        self._show_conflicts(session)
        for control in (self.form, self.merge):
            control.setEnabled(self._studio.writable)
        for button in (self.conflicts.ours, self.conflicts.theirs):
            button.setEnabled(self._studio.writable and button.isEnabled())
        self.split.setEnabled(self._studio.writable and not self.copying.busy)

    def _plan_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.form)
        column.addWidget(self.table, 1)
        return page

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.split = QPushButton(tr("Copy for an annotator…"))
        self.split.setToolTip(tr("Make a study file for one annotator, with nothing of anybody else's work"))
        self.split.clicked.connect(self._split)
        self.merge = QPushButton(tr("Merge copies…"))
        self.merge.setToolTip(tr("Bring the work of copies home; merging a copy twice changes nothing"))
        self.merge.clicked.connect(self._merge)
        row.addWidget(self.split)
        row.addWidget(self.merge)
        row.addStretch()
        row.addWidget(close_button(self))
        return row

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if self.isVisible() and (_PLAN & set(changes) or changes.ids("conflict") or self.conflicts.listing.count()):
            self.reload()

    def _show_plan(self, plan: TeamPlan) -> None:
        shown = [who for who in plan.annotators if any(one == who.id for _, one in plan.cells)]
        columns = [_column(plan, who.id) for who in shown]
        rows = [
            PlanRow(
                one.id,
                one.number,
                one.name,
                one.id in plan.held_out,
                tuple(_cell(plan.cells.get((one.id, who.id))) for who in shown),
            )
            for one in plan.recordings
        ]
        self.table.show_plan(columns, rows)
        self.form.show_names(
            tuple(who.name for who in shown if any(c.purpose for (_, o), c in plan.cells.items() if o == who.id))
        )

    def _show_conflicts(self, session: Session) -> None:
        found = [described(session, one) for one in all_conflicts(session.study, unresolved=True)]
        self.conflicts.show_items([_versions(one) for one in found])
        self.tabs.setTabText(1, tr("Conflicts ({found})").format(found=len(found)) if found else tr("Conflicts"))
        self.tabs.setTabIcon(1, icon("triangle-alert") if found else icon("circle-check"))

    def _plan(self, wanted: Wanted) -> None:
        wish = Wish(wanted.annotators, wanted.per_recording, wanted.seed, wanted.keep, held_out=wanted.held_out)
        if self._studio.edit(partial(make_plan, wish=wish)):
            self._tell(tr("The plan is made. Give everybody their copy: Copy for an annotator…"))
            self.reload()

    def _split(self) -> None:
        session = self._studio.session
        if session is None:
            return
        names = [column.name for column in map(partial(_column, team_plan(session)), _planned(team_plan(session)))]
        chosen = self.ask_split(names)
        if chosen is None:
            return
        who, media = chosen
        out = self._context.questions.copy_place(f"{session.study.path.stem} {who}")
        if out is None:
            return
        self._tell("")
        self.split.setEnabled(False)
        self.copying.begin(who, out, media)

    def _copied(self, made: Split) -> None:
        self._tell(
            tr("Made {name}: {recording} recordings.").format(
                name=made.path.name, recording=made.rows.get("recording", 0)
            )
        )

    def _copying_ended(self) -> None:
        self.progress.hide()
        self.split.setEnabled(self._studio.writable)

    def _ask_split(self, names: Sequence[str]) -> tuple[str, MediaWith] | None:
        dialog = SplitDialog(names, self)
        done = dialog.exec()
        dialog.deleteLater()
        return dialog.chosen() if done else None

    def _merge(self) -> None:
        paths = self._context.questions.copies()
        if paths:
            self.merge_files(paths)

    def merge_files(self, paths: Sequence[Path]) -> None:
        """Merge copies and say what came."""
        done: list[commands.MergedCopy] = []

        def do(session: Session, progress: Progress) -> Changes:
            done.extend(commands.merge_copies(session, paths, progress=progress))
            changes = Changes()
            for one in done:
                changes |= one.merged.changes
            return changes

        text = trn("Merging {count} copy…", "Merging {count} copies…", len(paths))
        if not self._studio.edit_apart(do, text) or self._studio.session is None:
            return
        stopped = tr("Cancelled: {count} were not merged.").format(count=len(paths) - len(done))
        self._tell("\n".join([as_text(done, 0), *([stopped] if len(done) < len(paths) else [])]))
        self.reload()
        if count_unresolved(self._studio.session.study):
            self.tabs.setCurrentWidget(self.conflicts)

    def _resolve(self, conflict_id: str, side: str) -> None:
        self._studio.edit(partial(commands.resolve, conflict_id=conflict_id, side=commands.Side(side)))

    def _tell(self, text: str) -> None:
        self.report.setText(text)
        self.report.setVisible(bool(text))

    def _show_error(self, error: UserError) -> None:
        if self.isVisible():
            self._tell(str(error))


def _planned(plan: TeamPlan) -> list[str]:
    given = {who for (_, who), cell in plan.cells.items() if cell.purpose}
    return [one.id for one in plan.annotators if one.id in given or not given]


def _column(plan: TeamPlan, annotator_id: str) -> PlanColumn:
    part = plan.progress(next(one for one in plan.annotators if one.id == annotator_id))
    if not part.given:
        return PlanColumn(part.annotator.name, tr("nothing planned"))
    return PlanColumn(
        part.annotator.name,
        tr("{done} of {given} done, {length}").format(
            done=part.done, given=part.given, length=format_minutes(part.minutes * 60 * SECOND)
        ),
    )


def _cell(cell: Cell | None) -> PlanCell | None:
    if cell is None:
        return None
    state = State.DONE if cell.done else State.BEGUN if cell.segments else State.GIVEN
    return PlanCell(state, cell.segments, cell.purpose is not None, cell.purpose is WorkPurpose.TRAINING)


def _versions(one: Described) -> Versions:
    lines = tuple((line.name[:1].upper() + line.name[1:], line.ours, line.theirs) for line in one.lines)
    return Versions(one.id, one.title, one.source, lines, one.deleted)
