"""What is known about a recording besides its segments: its name, its collection, its files, who is in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.gui.file_lines import FileLine, FileLines, offset_field
from app.gui.participants_table import ParticipantsTable
from project.timebase import SECOND
from project.types import MediumRole
from resources.translation import tr
from widgets import theme
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_ROLES = {
    MediumRole.CAMERA: tr("Second camera"),
    MediumRole.MICROPHONE: tr("Separate microphone"),
    MediumRole.CHAPTER: tr("Next chapter"),
}


@dataclass(frozen=True, slots=True)
class Known:
    """What the dialog shows."""

    title: str
    name: str
    collection: str
    collections: Sequence[str]
    agent: str
    files: Sequence[FileLine]
    writable: bool


class RecordingDialog(OwnDialog):
    """Every change is saved at once, and is a step that can be undone.

    Signals:
        name_entered (str): another name.
        collection_entered (str): name of the collection it belongs to, which may be new.
        agent_entered (str): what the agent in this collection is.
        file_requested (MediumRole, int): add a file with this role; where its zero lies, in microseconds.
    """

    name_entered = Signal(str)
    collection_entered = Signal(str)
    agent_entered = Signal(str)
    file_requested = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Recording details"))
        self.setMinimumWidth(592)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        self.body = QWidget()
        form = QFormLayout(self.body)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(theme.GRID)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.name = QLineEdit()
        self.name.editingFinished.connect(lambda: self._entered(self.name, self.name_entered))
        form.addRow(tr("&Name"), self.name)
        self.collection = QComboBox(editable=True)
        self.collection.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.collection.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.collection.setAccessibleName(tr("Collection"))
        self.collection.setToolTip(tr("Choose a collection, or type the name of a new one"))
        self._home = QLineEdit()
        self._home.setAccessibleName(tr("Collection"))
        self.collection.setLineEdit(self._home)
        self._home.editingFinished.connect(lambda: self._entered(self._home, self.collection_entered))
        self.collection.activated.connect(lambda: self._entered(self._home, self.collection_entered))
        form.addRow(tr("&Collection"), self.collection)
        self.agent = QLineEdit(placeholderText=tr("What the agent is, such as wellness coach robot"))
        self.agent.setToolTip(tr("What the agent is in every recording of this collection"))
        self.agent.editingFinished.connect(lambda: self._entered(self.agent, self.agent_entered))
        form.addRow(tr("&Agent"), self.agent)
        self.files = FileLines()
        form.addRow(tr("Files"), self.files)
        form.addRow("", self._file_row())
        self.participants = ParticipantsTable()
        form.addRow(tr("People"), self.participants)
        column.addWidget(self.body, 1)
        column.addLayout(self._foot())

    def show_known(self, known: Known) -> None:
        """Show what is known; what is being typed stays."""
        self._shown = {
            self.name: known.name,
            self._home: known.collection,
            self.agent: known.agent,
        }
        self.setWindowTitle(known.title)
        self.collection.blockSignals(True)
        self.collection.clear()
        self.collection.addItems(list(known.collections))
        self.collection.setCurrentText(known.collection)
        self.collection.blockSignals(False)
        for field in (self.name, self.agent):
            field.setText(self._shown[field])
        self.files.show_lines(known.files)
        self.body.setEnabled(known.writable)

    def _entered(self, field: QLineEdit, signal: object) -> None:
        text = field.text().strip()
        before, self._shown[field] = self._shown[field], text
        if text != before:
            signal.emit(text)  # type: ignore[attr-defined]

    def _file_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.role = QComboBox()
        for role, name in _ROLES.items():
            self.role.addItem(name, role)
        self.role.setAccessibleName(tr("What the further file is"))
        self.offset = offset_field(tr("the further file"))
        self.add = add = QPushButton(tr("Add file…"))
        add.setToolTip(tr("Add a further file of the same interaction to this recording"))
        add.setAutoDefault(False)
        add.clicked.connect(self._ask_file)
        row.addWidget(self.role)
        row.addWidget(PlainLabel(tr("begins at")))
        row.addWidget(self.offset)
        row.addWidget(add)
        row.addStretch()
        return row

    def _ask_file(self) -> None:
        self.file_requested.emit(MediumRole(self.role.currentData()), round(self.offset.value() * SECOND))

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        note = PlainLabel(tr("Saved at once. Consent is denied until it is ticked."))
        note.setStyleSheet(f"color: {theme.palette().muted.name()};")
        close = QPushButton(tr("Close"))
        close.setToolTip(tr("Close this (Esc)"))
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        row.addWidget(note)
        row.addStretch()
        row.addWidget(close)
        return row
