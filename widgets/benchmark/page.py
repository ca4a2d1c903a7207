"""The page of the mode Benchmark: which item set is worked with, and what is done with it."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QStackedLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.benchmark.items_tab import ItemsTab
from widgets.benchmark.new_set import NewSetForm, TaskLine
from widgets.benchmark.results_tab import ResultsTab
from widgets.benchmark.run_tab import RunTab
from widgets.benchmark.set_tab import SetTab
from widgets.empty_state import Choice, EmptyState
from widgets.plain_label import PlainLabel

NEW = "new"
TABS = (tr("Set"), tr("Run"), tr("Results"), tr("Items"))


class BenchmarkPage(QWidget):
    """Everything here is about the item set that is chosen on top.

    Signals:
        visible_changed (bool): the page came into sight, or went.
        set_chosen (str): another item set is chosen, by id.
        looks_changed: something else is chosen, which is worth keeping.
    """

    visible_changed = Signal(bool)
    set_chosen = Signal(str)
    looks_changed = Signal()

    def __init__(self, tasks: Sequence[TaskLine], included: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Benchmark"))
        self._wanted = ""
        self.sets = QComboBox()
        self.sets.setAccessibleName(tr("Item set"))
        self.sets.setToolTip(tr("The item set that is asked, answered and shown"))
        self.sets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.new = QPushButton(tr("&New set…"))
        self.new.setToolTip(tr("Draw items of a task from this study and freeze them"))
        self.form = NewSetForm(tasks, included)
        self.set, self.run, self.results, self.items = SetTab(), RunTab(), ResultsTab(), ItemsTab()
        self.tabs = QTabWidget(documentMode=True)
        for name, tab in zip(TABS, (self.set, self.run, self.results, self.items), strict=True):
            self.tabs.addTab(tab, f"&{name}")
        self._empty = EmptyState(
            "list-checks",
            tr("No item set yet"),
            tr(
                "An item set is drawn from this study once and then frozen, so that every judge and every person "
                "is asked the same."
            ),
            (Choice(NEW, tr("New set…"), primary=True),),
        )
        self._lay_out()
        self.sets.currentIndexChanged.connect(self._choose)
        self.new.clicked.connect(self.show_form)
        self._empty.chosen.connect(lambda _key: self.show_form())
        self.form.left.connect(self.show_tabs)
        self.tabs.currentChanged.connect(lambda _at: self.looks_changed.emit())
        self.run.changed.connect(self.looks_changed)
        self.acts: dict[str, Callable[[], None]] = {"new": self.show_form, "run": self._run}
        """What the window's menu can ask the page for."""
        self.show_tabs()

    def set_sets(self, names: Mapping[str, str]) -> None:
        """Offer item sets by id, in order; the chosen one stays, else the newest is chosen."""
        chosen = self.current_set() or self._wanted
        with QSignalBlocker(self.sets):
            self.sets.clear()
            for key, name in names.items():
                self.sets.addItem(name, key)
            at = self.sets.findData(chosen)
            self.sets.setCurrentIndex(at if at >= 0 else self.sets.count() - 1)
        if self._stack.currentWidget() is not self.form:
            self.show_tabs()

    def choose_set(self, set_id: str) -> None:
        """Choose an item set, also one that is offered later."""
        self._wanted = set_id
        at = self.sets.findData(set_id)
        if at >= 0:
            self.sets.setCurrentIndex(at)

    def current_set(self) -> str:
        """Return the id of the chosen item set, or ""."""
        return str(self.sets.currentData() or "")

    def show_form(self) -> None:
        """Show the form for another item set."""
        self._stack.setCurrentWidget(self.form)
        self.form.task.setFocus()

    def show_tabs(self) -> None:
        """Show the item set that is chosen, or that there is none."""
        self._stack.setCurrentWidget(self.tabs if self.sets.count() else self._empty)
        self.sets.setEnabled(bool(self.sets.count()))

    def set_writable(self, writable: bool) -> None:
        """Offer what writes into the study, or not."""
        self.new.setEnabled(writable)
        self._empty.set_choosable(writable)
        self.run.set_writable(writable)

    def looks(self) -> dict[str, Json]:
        """Return what is chosen, to be kept."""
        return {"set": self.current_set(), "tab": self.tabs.currentIndex(), "run": self.run.looks()}

    def restore_looks(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen."""
        self.choose_set(str(looks.get("set", "")))
        tab, run = looks.get("tab"), looks.get("run")
        if isinstance(tab, int) and 0 <= tab < self.tabs.count():
            self.tabs.setCurrentIndex(tab)
        if isinstance(run, dict):
            self.run.restore_looks(run)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _choose(self) -> None:
        self._wanted = self.current_set()
        self.show_tabs()
        self.set_chosen.emit(self._wanted)
        self.looks_changed.emit()

    def _run(self) -> None:
        self.tabs.setCurrentWidget(self.run)
        self.run.run.click()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        label = PlainLabel(tr("I&tem set"))
        label.setBuddy(self.sets)
        label.setProperty("quiet", True)
        head.addWidget(label)
        head.addWidget(self.sets, 1)
        head.addWidget(self.new)
        column.addLayout(head)
        self._stack = QStackedLayout()
        column.addLayout(self._stack, 1)
        for part in (self._empty, self.form, self.tabs):
            self._stack.addWidget(part)
