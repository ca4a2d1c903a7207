"""What to export, how the faces are hidden, and where the clips go."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from anonymize.methods.registry import DEFAULT, METHODS, method_type
from project.schemes.scheme import Choice
from project.timebase import format_time
from project.types import Json
from widgets import theme
from widgets.tick_row import TickRow

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What the user wants. `span` is None for whole recordings; `everything` means all recordings."""

    method: str
    options: Mapping[str, Json]
    folder: Path
    span: Span | None
    everything: bool
    keep_robots: bool
    overwrite: bool


class ExportDialog(QDialog):
    """Asks; it exports nothing itself.

    Signals:
        accepted_request (ExportRequest): the user pressed Export.
    """

    accepted_request = Signal(object)

    def __init__(
        self,
        title: str,
        span: Span | None,
        recordings: int,
        folder: Path,
        parent: QWidget | None = None,
        choose_folder: Callable[[QWidget, Path], Path | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._span = span
        self._choose_folder = choose_folder or _ask_folder
        self._inputs: dict[str, QSpinBox | QDoubleSpinBox] = {}
        self.setWindowTitle("Export anonymized")
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        self._form = QFormLayout()
        self._form.setSpacing(theme.GRID)
        self.what = QComboBox()
        self.what.setAccessibleName("What to export")
        self.what.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.what.addItem(f"This recording ({title})", "recording")
        if span is not None:
            self.what.addItem(f"From {format_time(span[0])} to {format_time(span[1])}", "span")
            self.what.setCurrentIndex(1)
        if recordings > 1:
            self.what.addItem(f"All {recordings} recordings", "all")
        self._form.addRow("&Export", self.what)
        self.method = QComboBox()
        self.method.setAccessibleName("How the faces are hidden")
        for key in METHODS:
            kind = method_type(key)
            self.method.addItem(f"{kind.title} (recommended)" if key == DEFAULT else kind.title, key)
        self.method.setCurrentIndex(list(METHODS).index(DEFAULT))
        self._form.addRow("&Method", self.method)
        self._described = QLabel(wordWrap=True)
        self._described.setMinimumHeight(theme.GRID * 5)
        self._described.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._form.addRow("", self._described)
        self._options = QWidget()
        self._options_form = QFormLayout(self._options)
        self._options_form.setContentsMargins(0, theme.GRID // 2, 0, theme.GRID // 2)
        self._form.addRow("", self._options)
        row = self._folder_row(folder)
        label = QLabel("&Folder")
        label.setBuddy(self.folder)
        self._form.addRow(label, row)
        self.keep_robots = TickRow(
            Choice("robots", "Leave robots' faces as they are", "Those assigned to a participant with the role robot.")
        )
        self._form.addRow("", self.keep_robots)
        self.overwrite = TickRow(Choice("overwrite", "Replace clips of the same name", "Made by an earlier export."))
        self._form.addRow("", self.overwrite)
        column.addLayout(self._form)
        note = QLabel(
            "Faces are looked for first where that was not done yet. Afterwards every clip is searched for faces that "
            "are left.",
            wordWrap=True,
        )
        note.setStyleSheet(f"color: {theme.palette().muted.name()};")
        column.addWidget(note)
        column.addStretch()
        column.addLayout(self._buttons())
        self.method.currentIndexChanged.connect(self._show_method)
        self._show_method()

    def request(self) -> ExportRequest:
        """Return what is filled in."""
        what = self.what.currentData()
        return ExportRequest(
            self.method.currentData(),
            {key: box.value() for key, box in self._inputs.items()},
            Path(self.folder.text()).expanduser(),
            self._span if what == "span" else None,
            what == "all",
            self.keep_robots.isChecked(),
            self.overwrite.isChecked(),
        )

    def _folder_row(self, folder: Path) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.folder = QLineEdit(str(folder))
        self.folder.setAccessibleName("Folder for the clips")
        browse = QPushButton("Choose…")
        browse.setToolTip("Choose the folder for the clips")
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row.addWidget(self.folder, 1)
        row.addWidget(browse)
        return row

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addStretch()
        cancel = QPushButton("Cancel")
        cancel.setToolTip("Export nothing (Esc)")
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        export = QPushButton("Export")
        export.setProperty("primary", True)
        export.setToolTip("Start the export (Enter); you can go on working meanwhile")
        export.setDefault(True)
        export.clicked.connect(self._accept)
        row.addWidget(cancel)
        row.addWidget(export)
        return row

    def _show_method(self) -> None:
        kind = method_type(self.method.currentData())
        self._described.setText(kind.description)
        while self._options_form.rowCount():
            self._options_form.removeRow(0)
        self._inputs = {}
        for spec in fields(kind.options_type):
            if "minimum" in spec.metadata:
                self._inputs[spec.name] = box = _box(spec.default, spec.metadata)
                self._options_form.addRow(spec.metadata["title"], box)
        self._options.setVisible(bool(self._inputs))

    def _browse(self) -> None:
        chosen = self._choose_folder(self, Path(self.folder.text()))
        if chosen is not None:
            self.folder.setText(str(chosen))

    def _accept(self) -> None:
        if self.folder.text().strip():
            self.accepted_request.emit(self.request())
            self.accept()
        else:
            self.folder.setFocus()


def _box(default: Any, metadata: Mapping[str, Any]) -> QSpinBox | QDoubleSpinBox:
    box: QSpinBox | QDoubleSpinBox
    if isinstance(default, int):
        box = QSpinBox()
        box.setRange(metadata["minimum"], metadata["maximum"])
    else:
        box = QDoubleSpinBox()
        box.setDecimals(2)
        box.setSingleStep(0.05)
        box.setRange(metadata["minimum"], metadata["maximum"])
    box.setValue(default)
    box.setAccessibleName(metadata["title"])
    box.setToolTip(metadata["description"])
    return box


def _ask_folder(parent: QWidget, start: Path) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, "Folder for the clips", str(start))
    return Path(chosen) if chosen else None
