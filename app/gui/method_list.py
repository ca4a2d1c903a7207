"""The methods of an export: which are wanted, what each is, its options, and how to get what it lacks."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from anonymize.methods.base import Method
from anonymize.methods.registry import METHODS, method_type, missing_weights, recommended
from app.core.faces.hiding import can_be_fetched, getting
from app.gui.option_form import OptionForm
from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.rich_label import RichLabel
from widgets.tick_list import ROW, TickList

_SEMIBOLD = '<span style="font-weight:600">'


class MethodList(QWidget):
    """Several methods can be ticked; the one that is selected shows what it is, its options and its preview.

    Signals:
        changed: what is ticked or selected, or an option.
        fetch_requested (list[str]): weights that the user wants to get.
    """

    changed = Signal()
    fetch_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, dict[str, Json]] = {}
        self._missing: list[str] = []
        self.form: OptionForm | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.tree = TickList(columns=2)
        self.tree.setAccessibleName(tr("Methods: how the faces are hidden"))
        self.tree.setFixedHeight(ROW * len(METHODS) + 4)
        column.addWidget(self.tree)
        self._described = RichLabel(wordWrap=True)
        self._described.setMinimumHeight(theme.GRID * 7)
        self._described.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self._described)
        self._options = QVBoxLayout()
        column.addLayout(self._options)
        column.addWidget(self._build_getting())
        best = recommended()
        for key in METHODS:
            self.tree.add(key, "", key == best)
        self._fill()
        self.tree.select(best)
        self.tree.currentItemChanged.connect(lambda *_: self._show_current())
        self.tree.itemChanged.connect(lambda *_: self.changed.emit())
        self._show_current()

    def refresh(self) -> None:
        """Look again at which weights are installed."""
        self._fill()
        self._show_current()

    def current(self) -> str:
        """Return the method that is selected."""
        return self.tree.current_key()

    def missing(self) -> list[str]:
        """Return the weights that the selected method lacks."""
        return list(self._missing)

    def options(self) -> dict[str, Json]:
        """Return the options of the selected method."""
        return self.form.values() if self.form is not None else {}

    def chosen(self) -> dict[str, Mapping[str, Json]]:
        """Return the methods that are ticked, with their options."""
        self._keep()
        return {key: self._values.get(key, {}) for key in self.tree.ticked()}

    def say(self, text: str) -> None:
        """Say how far the getting of weights is."""
        self._getting.setText(text)

    def _fill(self) -> None:
        best = recommended()
        self.tree.blockSignals(True)
        for key in METHODS:
            kind, lacks = method_type(key), bool(missing_weights(key))
            title = tr("{title} (recommended)").format(title=kind.title) if key == best else kind.title
            what = tr("needs weights") if lacks else kind_of_method(kind)
            self.tree.set_row(key, (title, what), kind.description, not lacks)
        self.tree.blockSignals(False)
        self.tree.viewport().update()

    def _build_getting(self) -> QWidget:
        self._lacking = QWidget()
        column = QVBoxLayout(self._lacking)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        self._getting = PlainLabel(wordWrap=True)
        column.addWidget(self._getting)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.command = QLineEdit(readOnly=True)
        self.command.setAccessibleName(tr("The command that gets the weights"))
        copy = QPushButton(tr("Copy"))
        copy.setToolTip(tr("Copy the command"))
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self.get = QPushButton(tr("Get it"))
        self.get.setToolTip(tr("Get the weights over the network now; nothing is fetched unless you press this"))
        self.get.setAutoDefault(False)
        self.get.clicked.connect(lambda: self.fetch_requested.emit(self.missing()))
        row.addWidget(self.command, 1)
        row.addWidget(copy)
        row.addWidget(self.get)
        column.addLayout(row)
        return self._lacking

    def _show_current(self) -> None:
        self._keep()
        key = self.current()
        kind = method_type(key)
        self._missing = missing_weights(key)
        self._described.setText(f"{_SEMIBOLD}{kind_of_method(kind).capitalize()}.</span> {kind.description}")
        if self.form is not None:
            self._options.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self.form = OptionForm(kind.options_type, self._values.get(key, {}))
        self.form.changed.connect(self.changed)
        self.form.setVisible(bool(self.form.inputs) and not self._missing)
        self._shown = key
        self._options.addWidget(self.form)
        self._lacking.setVisible(bool(self._missing))
        if self._missing:
            self.command.setText(getting(self._missing))
            needed = tr(" and ").join(self._missing)
            fetched = can_be_fetched(self._missing)
            self.get.setVisible(fetched)
            how = tr("Get them here, or by a command:") if fetched else tr("You bring your own, by this command:")
            self._getting.setText(tr("It needs the weights {needed}. {how}").format(needed=needed, how=how))
        self.changed.emit()

    def _keep(self) -> None:
        if self.form is not None:
            self._values[self._shown] = self.form.values()


def kind_of_method(kind: type[Method]) -> str:
    """Return in a word or two whether a face can be got back."""
    if kind.reversible:
        return tr("reversible by attacks")
    return tr("another face is drawn") if kind.kind == "face" else "irreversible"
