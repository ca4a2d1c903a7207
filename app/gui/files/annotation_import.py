"""The window that imports annotations of other tools as one step.

It shows what the files would bring, and maps their tiers, texts, values and recordings.
"""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QTabWidget

from annotate.interchange.annotation_files import apply_import, guess_format, read_files
from annotate.interchange.document import Document
from annotate.interchange.document_import import Plan
from annotate.interchange.lane_entries import lies_mostly_within
from annotate.interchange.lane_mapping import OutsideRule
from annotate.interchange.lossless_format import RowsPlan
from app.gui.files.import_choices import Detail, FirstRow, ImportChoices, LaneImportCounts
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.study.background import PendingTask, in_turn
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.session import Session
from project.text_format import escape_unprintable
from project.timebase import format_time
from resources.translation import tr, trn
from widgets import theme
from widgets.form.controls import push_button, text_area
from widgets.form.input_fields import ChoiceBox, IntegerBox
from widgets.form.layouts import Gap, make_row, make_tab_page
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import PlainLabel, describe, plain_tip

_MAX_TITLE_CHARS = 60


class ImportWindow(StudyView):
    """Files on their way into the study; they are asked for when the window is shown.

    Nothing is written before Import is pressed.
    """

    title = tr("Import annotations")
    preferred_size = (920, 640)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._choices: ImportChoices | None = None
        self._counts: dict[str, LaneImportCounts] = {}
        self._plan: Plan | RowsPlan | None = None
        self._planning: PendingTask | None = None
        self._paths: tuple[Path, ...] = ()
        self._rows = 0
        self.status.setStyleSheet(f"color: {theme.palette().error.name()};")
        self.lanes = RecordTable(tr("What each tier becomes"), self._lane_columns(), key=str)
        self.parts = RecordTable(tr("Which recording each is"), self._part_columns(), key=str)
        self.details = RecordTable(
            tr("What the texts and values of the tier become"),
            self._detail_columns(),
            key=lambda detail: f"{detail.is_text} {detail.name}",
            empty=tr("The texts and values of a tier with labels appear here.\nChoose one under Tiers."),
        )
        self.first_rows = RecordTable(
            tr("The first rows of the tier"),
            self._row_columns(),
            empty=tr("The first rows of a tier appear here as they come in.\nChoose one under Tiers."),
        )
        self.make_missing = push_button(
            tr("Make recordings without &video"),
            tr("One for each recording in the file that has none in the study"),
            self._make_missing,
        )
        self.parts_page = make_tab_page(self.parts, make_row(None, self.make_missing))
        self.tabs = QTabWidget()
        self.tabs.addTab(self.lanes, tr("T&iers"))
        self.tabs.addTab(self.first_rows, tr("&First rows"))
        self.tabs.addTab(self.details, tr("&Texts and values"))
        self.tabs.addTab(self.parts_page, tr("&Recordings"))
        hint = tr("Remarks about what is changed or left out appear here.")
        self.notes = text_area(tr("Remarks"), hint, readOnly=True)
        self.total = PlainLabel()
        self.apply = push_button(
            tr("&Import"),
            tr("Write what is new to the study; one undo takes it back"),
            self.accept,
            look="primary",
            enabled=False,
        )
        parts = (self._file_row(), self.tabs, 3, self._rules(), self.notes, 1)
        self.lay_out(*parts, foot=(self.total, self.apply))
        self.lanes.selection_changed.connect(self._show_details)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        if paths:
            self.load(*paths)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._forget()
            QTimer.singleShot(0, self, self.choose)

    def choose(self) -> None:
        """Ask for files and read them."""
        if paths := self._context.questions.annotations(self):
            self.load(*paths)

    def load(self, *paths: Path) -> None:
        """Read files in the background and show what they would bring."""
        self._forget()
        self._paths = paths
        self.file.setText(self._title())
        self.file.setToolTip(plain_tip("\n".join(map(str, paths))))
        self.format.setText(tr("Reading…"))
        self._context.background.run(
            lambda _progress: (", ".join(dict.fromkeys(guess_format(path).name for path in paths)), read_files(paths)),
            lambda found: self._show(paths, *found),
            lambda error: self._on_failed(paths, error),
        )

    def _title(self) -> str:
        return self._paths[0].name if len(self._paths) == 1 else tr("{count} files").format(count=len(self._paths))

    def accept(self) -> None:
        """Import what is shown, as one step, and close."""
        choices, title = self._choices, self._title()
        if choices is None:
            return
        said: list[str] = []
        shown: list[str] = []

        def do(session: Session) -> Changes:
            plan = choices.plan(session)
            shown[:] = [lane.recording_id for lane in plan.lanes if lane.added]
            changes = apply_import(session, plan, title)
            known = tr(" {known} were in the study already.").format(known=plan.known) if plan.known else ""
            said.append(
                tr("Imported {count} from {name}.{known}").format(
                    count=trn("{count} annotation", "{count} annotations", plan.added), name=title, known=known
                )
            )
            return changes

        text = tr("Importing {name}…").format(name=escape_unprintable(title))
        if self._context.studio.edit_many(do, self._rows, text):
            self._context.studio.message.emit(said[0])
            self.window().close()
            here = self._context.studio.recording
            if shown and (here is None or here.id not in shown):
                in_turn(self, lambda: self._context.look_at(shown[0], 0))

    def _forget(self) -> None:
        """Show no file."""
        self._stop_planning()
        self._paths, self._choices, self._plan = (), None, None
        self.file.setText(tr("No file chosen"))
        self.format.setText("")
        self.total.setText("")
        self.notes.clear()
        for table in (self.lanes, self.details, self.first_rows, self.parts):
            table.show_records([])
        self.apply.setEnabled(False)
        self.tell("")

    def _show(self, paths: tuple[Path, ...], name: str, document: Document) -> None:
        session = self._context.studio.session
        if session is None or paths != self._paths:
            return
        self._choices = ImportChoices(session, document, self._context.keys_in_use())
        here = self._context.studio.recording
        if here is not None and self._choices.places == [""]:
            within = lies_mostly_within(document.recordings[0], here.duration_us)
            self._choices.places = [here.id if within else ""]
        self.format.setText(name)
        for page in (self.details, self.first_rows, self.parts_page):
            self.tabs.setTabVisible(self.tabs.indexOf(page), not self._choices.whole)
        self._counts = {}
        self.parts.show_records(range(len(document.recordings)))
        self.lanes.show_records(self._choices.names)
        if self._choices.names:
            self.lanes.selectRow(0)
            self.lanes.setFocus()
        self._update()
        if not self._choices.whole and not all(self._choices.places):
            self.tabs.setCurrentWidget(self.parts_page)

    def _on_failed(self, paths: tuple[Path, ...], error: Exception) -> None:
        if paths == self._paths:
            self.format.setText("")
            self._show_failure(error)

    def _show_failure(self, error: Exception) -> None:
        if not isinstance(error, UserError):
            raise error
        self.show_error(error)

    def _update(self) -> None:
        """Plan again in the background, then show the counts."""
        choices, session = self._choices, self._context.studio.session
        if choices is None or session is None:
            return
        self.apply.setEnabled(False)
        self._stop_planning()
        self._planning = self._context.background.read(
            session,
            lambda second, _progress: choices.plan(second),
            lambda plan: self._show_plan(choices, plan),
            self._show_failure,
        )

    def _stop_planning(self) -> None:
        if self._planning is not None:
            self._planning.stop()

    def _show_plan(self, choices: ImportChoices, plan: Plan | RowsPlan) -> None:
        choices.show(plan)
        self.tell("")
        self._plan = plan
        self._rows = plan.added + plan.other_row_count
        self._counts = choices.counts(plan)
        self.lanes.show_records(choices.names)
        self.parts.show_records(range(len(choices.places)))
        self.make_missing.setEnabled(not all(choices.places))
        lines = [*plan.remarks]
        for name, found in self._counts.items():
            lines += [f"{name}: {note}" for note in found.notes]
        self.notes.setPlainText("\n".join(lines))
        known = tr(", {known} in the study already").format(known=plan.known) if plan.known else ""
        self.total.setText(
            tr("{added} new{known}, {left_out} left out").format(added=plan.added, known=known, left_out=plan.left_out)
        )
        self.apply.setEnabled(self._context.studio.writable and plan.added + plan.other_row_count > 0)
        self._show_details()

    def _show_details(self) -> None:
        name = self.lanes.current()
        if self._choices is None or self._plan is None or name is None:
            self.details.show_records([])
            self.first_rows.show_records([])
            return
        self.details.show_records(self._choices.details(name))
        self.first_rows.show_records(self._choices.first_rows(self._plan, name))
        title = tr("&Texts and values of {name}").format(name=name.replace("&", "&&"))
        self.tabs.setTabText(self.tabs.indexOf(self.details), title[:_MAX_TITLE_CHARS])

    def _lane_columns(self) -> list[RecordColumn[str]]:
        choices = self._chosen_mapping

        def count(title: str, value: Callable[[LaneImportCounts], int]) -> RecordColumn[str]:
            return RecordColumn(
                title,
                lambda name: str(value(self._counts[name])) if name in self._counts else "",
                width=90,
                number=True,
                tip=lambda name: "\n".join(self._counts[name].notes) if name in self._counts else "",
            )

        return [
            RecordColumn(tr("Tier or subject in the file"), str, stretch=True),
            RecordColumn(
                tr("Becomes"),
                lambda name: dict(choices().targets(name)).get(choices().target(name), tr("As it is")),
                width=210,
                choices=lambda name: choices().targets(name),
                choice=lambda name: choices().target(name),
                write=self._set_target,
                is_writable=lambda _name: not choices().whole,
            ),
            RecordColumn(
                tr("Annotator / speaker"),
                lambda name: choices().lane_author(name),
                width=150,
                write=self._set_author,
                is_writable=lambda _name: not choices().whole,
            ),
            count(tr("Entries"), lambda counts: counts.entries),
            count(tr("New"), lambda counts: counts.added),
            count(tr("In the study"), lambda counts: counts.known),
            count(tr("Left out"), lambda counts: counts.left_out),
        ]

    def _part_columns(self) -> list[RecordColumn[int]]:
        choices = self._chosen_mapping
        return [
            RecordColumn(
                tr("Recording in the file"), lambda place: choices().document.recordings[place].name, stretch=True
            ),
            RecordColumn(
                tr("Recording in the study"),
                lambda place: dict(choices().recordings())[choices().places[place]],
                width=380,
                choices=lambda _place: choices().recordings(),
                choice=lambda place: choices().places[place],
                write=self._set_part,
            ),
        ]

    def _detail_columns(self) -> list[RecordColumn[Detail]]:
        return [
            RecordColumn(
                tr("In the tier"),
                lambda detail: f"“{detail.name}”" if detail.is_text else tr("Value {name}").format(name=detail.name),
                stretch=True,
            ),
            RecordColumn(tr("Entries"), lambda detail: str(detail.count), width=80, number=True),
            RecordColumn(
                tr("Becomes"),
                lambda detail: dict(detail.choices).get(detail.key, ""),
                width=260,
                choices=lambda detail: detail.choices,
                choice=lambda detail: detail.key,
                write=self._set_detail,
            ),
        ]

    def _row_columns(self) -> list[RecordColumn[FirstRow]]:
        return [
            RecordColumn(tr("Recording in the file"), lambda row: row.part, width=200),
            RecordColumn(tr("Start"), lambda row: format_time(row.start_us), width=110, number=True),
            RecordColumn(tr("End"), lambda row: format_time(row.end_us), width=110, number=True),
            RecordColumn(tr("Label"), lambda row: row.label, width=140),
            RecordColumn(tr("In the file"), lambda row: row.text, stretch=True),
        ]

    def _make_missing(self) -> None:
        self._chosen_mapping().make_missing_recordings()
        self._update()

    def _chosen_mapping(self) -> ImportChoices:
        assert self._choices is not None
        return self._choices

    def _set_target(self, name: str, key: str) -> None:
        self._chosen_mapping().set_target(name, key)
        self._update()

    def _set_author(self, name: str, who: str) -> None:
        self._chosen_mapping().set_lane_author(name, who)
        self._update()

    def _set_part(self, place: int, key: str) -> None:
        self._chosen_mapping().places[place] = key
        self._update()

    def _set_detail(self, detail: Detail, key: str) -> None:
        name = self.lanes.current()
        if name is not None:
            self._chosen_mapping().set_detail(name, detail, key)
            self._update()

    def _rules_changed(self) -> None:
        if self._choices is not None:
            self._choices.set_outside_rule(self.outside.currentData())
            self._choices.set_point_duration(self.point.value() * 1000)
            self._update()

    def _file_row(self) -> QHBoxLayout:
        self.file = PlainLabel(tr("No file chosen"))
        self.format = PlainLabel(styleSheet=f"color: {theme.palette().muted.name()};")
        self.browse = push_button(tr("&Choose…"), tr("Choose the files to import"), self.choose)
        return make_row(self.file, self.format, 1, self.browse)

    def _rules(self) -> QHBoxLayout:
        self.outside = ChoiceBox(
            tr("Entries that reach outside the recording"),
            tr("What is done with entries that reach outside the recording"),
            {OutsideRule.CLAMP: tr("are cut off there"), OutsideRule.LEAVE_OUT: tr("are left out")},
        )
        self.outside.currentIndexChanged.connect(self._rules_changed)
        self.point = IntegerBox(
            maximum=3_600_000, value=100, singleStep=50, suffix=tr(" ms"), specialValueText=tr("left out")
        )
        describe(self.point, tr("Length of points"), tr("How long an entry without duration becomes; 0 leaves it out"))
        self.point.valueChanged.connect(self._rules_changed)
        return make_row(
            PlainLabel(tr("Entries that reach outside the recording")),
            self.outside,
            Gap(theme.GRID * 2),
            PlainLabel(tr("Give point events a length of")),
            self.point,
            None,
        )
