"""Shows what a file of another tool would bring, lets it be changed, and imports it as one step."""

from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.interchange.document import Document
from app.core.interchange.files import apply_import, read_file
from app.core.interchange.mapping import Outside
from app.core.interchange.registry import guess
from app.core.session import Session
from app.gui.context import Context
from app.gui.interchange.import_choices import Detail, ImportChoices
from project.errors import UserError
from project.names import shown
from project.types import Changes
from resources.translation import tr, trn
from widgets import theme
from widgets.choice_table import Cell, ChoiceTable
from widgets.empty_hint import EmptyHint
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

LANES = (
    tr("Lane in the file"),
    tr("Becomes"),
    tr("By or speaker"),
    tr("Entries"),
    tr("New"),
    tr("In the study"),
    tr("Left out"),
)
PARTS = (tr("Recording in the file"), tr("Recording in the study"))
DETAILS = (tr("In the lane"), tr("Entries"), tr("Becomes"))
_BECOMES, _WHO = 1, 2
_LONGEST_TITLE = 60


def import_window(context: Context) -> QWidget:
    """Make the window; it asks for the file when it is shown first."""
    return ImportWindow(context)


class ImportWindow(QWidget):
    """One file on its way into the study. Nothing is written before Import is pressed."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._choices: ImportChoices | None = None
        self._details: list[Detail] = []
        self._path: Path | None = None
        self._rows = 0
        self.setWindowTitle(tr("Import annotations"))
        self.resize(920, 640)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addLayout(self._file_row())
        self.problem = PlainLabel(wordWrap=True)
        self.problem.setStyleSheet(f"color: {theme.palette().error.name()};")
        self.problem.hide()
        column.addWidget(self.problem)
        self.lanes = ChoiceTable(LANES, tr("What each lane becomes"))
        self.parts = ChoiceTable(PARTS, tr("Which recording each is"))
        self.details = ChoiceTable(DETAILS, tr("What the texts and values of the lane become"))
        for table, widths in (
            (self.lanes, (210, 120, 70, 70, 90, 70)),
            (self.parts, (380,)),
            (self.details, (80, 260)),
        ):
            for place, width in enumerate(widths, 1):
                table.setColumnWidth(place, width)
        EmptyHint(
            self.details,
            tr("Of a lane that becomes segments, each text and value stands here.\nChoose one under Lanes."),
        )
        self.tabs = QTabWidget()
        self.tabs.addTab(self.lanes, tr("&Lanes"))
        self.tabs.addTab(self.details, tr("&Texts and values"))
        self.tabs.addTab(self.parts, tr("&Recordings"))
        column.addWidget(self.tabs, 3)
        column.addLayout(self._rules())
        self.notes = QPlainTextEdit(readOnly=True)
        self.notes.setAccessibleName(tr("Remarks"))
        self.notes.setPlaceholderText(tr("Remarks about what is changed or left out appear here."))
        column.addWidget(self.notes, 1)
        column.addLayout(self._buttons())
        self.lanes.chosen.connect(self._lane_chosen)
        self.lanes.currentCellChanged.connect(self._show_details)
        self.details.chosen.connect(self._detail_chosen)
        self.parts.chosen.connect(self._part_chosen)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        if len(paths) == 1:
            self.load(paths[0])
        elif paths:
            self._forget()
            self._say(UserError(tr("One file is imported at a time."), tr("Drop one of them.")))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._forget()
            QTimer.singleShot(0, self, self.choose)

    def choose(self) -> None:
        """Ask for a file and read it."""
        path = self._context.questions.annotations(self)
        if path is not None:
            self.load(path)

    def load(self, path: Path) -> None:
        """Read a file in the background and show what it would bring."""
        self._forget()
        self._path = path
        self.file.setText(path.name)
        self.file.setToolTip(plain_tip(str(path)))
        self.format.setText(tr("Reading…"))
        self._context.background.run(
            lambda _progress: (guess(path).name, read_file(path)),
            lambda found: self._show(path, *found),
            lambda error: self._failed(path, error),
        )

    def accept(self) -> None:
        """Import what is shown, as one step, and close."""
        choices, path = self._choices, self._path
        if choices is None or path is None:
            return
        said: list[str] = []

        def do(session: Session) -> Changes:
            plan = choices.plan()
            changes = apply_import(session, plan, path.name)
            known = tr(" {known} were in the study already.").format(known=plan.known) if plan.known else ""
            said.append(
                tr("Imported {count} from {name}.{known}").format(
                    count=trn("{count} annotation", "{count} annotations", plan.added), name=path.name, known=known
                )
            )
            return changes

        text = tr("Importing {name}…").format(name=shown(path.name))
        if self._context.studio.edit_many(do, self._rows, text):
            self._context.studio.told.emit(said[0])
            self.close()

    def _forget(self) -> None:
        """Show no file."""
        self._path, self._choices = None, None
        self.file.setText(tr("No file chosen"))
        self.format.setText("")
        self.total.setText("")
        self.notes.clear()
        for table in (self.lanes, self.details, self.parts):
            table.fill([])
        self.apply.setEnabled(False)
        self._say(None)

    def _show(self, path: Path, name: str, document: Document) -> None:
        session = self._context.studio.session
        if session is None or path != self._path:
            return
        self._choices = ImportChoices(session, document)
        here = self._context.studio.recording
        if here is not None and self._choices.places == [""]:
            self._choices.places = [here.id]
        self.format.setText(name)
        self.tabs.setTabVisible(1, not self._choices.whole)
        self.tabs.setTabVisible(2, not self._choices.whole)
        self.parts.fill(
            [
                [Cell(part.name), Cell(choices=self._choices.recordings(), key=place)]
                for part, place in zip(document.recordings, self._choices.places, strict=True)
            ]
        )
        self.lanes.fill([[Cell(name)] for name in self._choices.names])
        if self._choices.names:
            self.lanes.selectRow(0)
        self._update()
        if not self._choices.whole and not all(self._choices.places):
            self.tabs.setCurrentWidget(self.parts)

    def _failed(self, path: Path, error: Exception) -> None:
        if path != self._path:
            return
        if not isinstance(error, UserError):
            raise error
        self.format.setText("")
        self._say(error)

    def _update(self) -> None:
        """Plan anew and show the counts."""
        choices = self._choices
        assert choices is not None
        try:
            plan = choices.plan()
        except UserError as error:
            self._say(error)
            self.apply.setEnabled(False)
            return
        self._say(None)
        self._rows = plan.added + plan.further
        counts = choices.counts(plan)
        targets = () if choices.whole else choices.targets()
        for row, name in enumerate(choices.names):
            found = counts[name]
            tip = "\n".join(found.notes)
            words = dict(choices.targets()).get(choices.target(name), tr("As it is"))
            for column, cell in enumerate(
                (
                    Cell(name),
                    Cell(words, targets, choices.target(name)),
                    Cell(choices.who(name), free=not choices.whole),
                    Cell(str(found.entries)),
                    Cell(str(found.added)),
                    Cell(str(found.known)),
                    Cell(str(found.left_out), tip=tip),
                )
            ):
                self.lanes.show_cell(row, column, cell)
        lines = [*plan.remarks]
        for name, found in counts.items():
            lines += [f"{name}: {note}" for note in found.notes]
        self.notes.setPlainText("\n".join(lines))
        known = tr(", {known} in the study already").format(known=plan.known) if plan.known else ""
        self.total.setText(
            tr("{added} new{known}, {left_out} left out").format(added=plan.added, known=known, left_out=plan.left_out)
        )
        self.apply.setEnabled(self._context.studio.writable and plan.added + plan.further > 0)
        self._show_details()

    def _show_details(self) -> None:
        choices = self._choices
        row = self.lanes.currentRow()
        if choices is None or not 0 <= row < len(choices.names):
            self._details = []
        else:
            self._details = choices.details(choices.names[row])
            name = choices.names[row].replace("&", "&&")
            self.tabs.setTabText(1, tr("&Texts and values of {name}").format(name=name)[:_LONGEST_TITLE])
        self.details.fill(
            [
                [
                    Cell(f"“{one.name}”" if one.is_text else tr("Value {name}").format(name=one.name)),
                    Cell(str(one.count)),
                    Cell(choices=one.choices, key=one.key),
                ]
                for one in self._details
            ]
        )

    def _lane_chosen(self, row: int, column: int, key: str) -> None:
        if self._choices is None:
            return
        name = self._choices.names[row]
        if column == _BECOMES:
            self._choices.set_target(name, key)
        elif column == _WHO:
            self._choices.set_who(name, key)
        self._update()

    def _detail_chosen(self, row: int, _column: int, key: str) -> None:
        if self._choices is not None:
            self._choices.set_detail(self._choices.names[self.lanes.currentRow()], self._details[row], key)
            self._update()

    def _part_chosen(self, row: int, _column: int, key: str) -> None:
        if self._choices is not None:
            self._choices.places[row] = key
            self._update()

    def _rules_changed(self) -> None:
        if self._choices is not None:
            self._choices.set_outside(self.outside.currentData())
            self._choices.set_point(self.point.value() * 1000)
            self._update()

    def _say(self, error: UserError | None) -> None:
        self.problem.setVisible(error is not None)
        self.problem.setText("" if error is None else f"{error.message} {error.hint}".strip())

    def _file_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.file = PlainLabel(tr("No file chosen"))
        self.format = PlainLabel()
        self.format.setStyleSheet(f"color: {theme.palette().muted.name()};")
        browse = QPushButton(tr("&Choose…"))
        browse.setToolTip(tr("Choose the file to import"))
        browse.clicked.connect(self.choose)
        self.browse = browse
        row.addWidget(self.file)
        row.addWidget(self.format, 1)
        row.addWidget(browse)
        return row

    def _rules(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.outside = QComboBox()
        self.outside.addItem(tr("are cut off there"), Outside.CLAMP)
        self.outside.addItem(tr("are left out"), Outside.LEAVE_OUT)
        self.outside.setAccessibleName(tr("Entries that reach outside the recording"))
        self.outside.setToolTip(tr("What is done with entries that reach outside the recording"))
        self.outside.currentIndexChanged.connect(self._rules_changed)
        self.point = IntegerBox()
        self.point.setRange(0, 3_600_000)
        self.point.setValue(100)
        self.point.setSingleStep(50)
        self.point.setSuffix(tr(" ms long"))
        self.point.setSpecialValueText(tr("left out"))
        for one in (self.point, self.point.lineEdit()):
            one.setAccessibleName(tr("Length of points"))
        self.point.setToolTip(tr("How long an entry without duration becomes; 0 leaves it out"))
        self.point.valueChanged.connect(self._rules_changed)
        row.addWidget(PlainLabel(tr("Entries that reach outside the recording")))
        row.addWidget(self.outside)
        row.addSpacing(theme.GRID * 2)
        row.addWidget(PlainLabel(tr("Points are")))
        row.addWidget(self.point)
        row.addStretch()
        return row

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.total = PlainLabel()
        cancel = QPushButton(tr("Cancel"))
        cancel.setToolTip(tr("Import nothing (Esc)"))
        cancel.clicked.connect(self.close)
        self.apply = QPushButton(tr("&Import"))
        self.apply.setProperty("primary", True)
        self.apply.setToolTip(tr("Write what is new to the study; one undo takes it back"))
        self.apply.setEnabled(False)
        self.apply.clicked.connect(self.accept)
        row.addWidget(self.total, 1)
        row.addWidget(cancel)
        row.addWidget(self.apply)
        return row
