"""The page of the mode Benchmark: one item set, with a tab each for the set, runs, results and items."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QTabWidget, QWidget

from app.gui.benchmark.item_set_form import NewSetForm, TaskOption
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Json
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint, EmptyState, EmptyStateAction
from widgets.form.checklists import TickMenu
from widgets.form.controls import check_box, push_button
from widgets.form.form import Form
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import Gap, make_column, make_row, make_stack
from widgets.progress_bars import ProgressLine
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel, plain_tip

ALL = "all"


class ItemsTab(QWidget):
    """Choosing a row shows its moment, a double click plays it.

    Signals:
        changed: other items are wanted.
        show_requested (str): an item was chosen, by id.
        play_requested (str): its moment is to be played.
    """

    changed = Signal()
    show_requested = Signal(str)
    play_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.which = ChoiceBox(tr("Which items"), tr("Show only items of which this is so"))
        self.run = ChoiceBox(tr("Of which judge"), tr("Whose answers decide which items are shown"))
        self.count = PlainLabel(look="quiet")
        self._columns: tuple[str, ...] = ()
        self.table = RecordTable(tr("Items"), text_columns(()))
        self.table.chosen.connect(lambda row: self.show_requested.emit(row.key))
        self.table.doubleClicked.connect(lambda _index: self._play())
        self.note = PlainLabel(wordWrap=True, look="quiet")
        self.setLayout(
            make_column(
                make_row(self.which, self.run, None, self.count), self.table, 1, self.note, margin=(0, theme.GRID, 0, 0)
            )
        )
        for box in (self.which, self.run):
            box.currentIndexChanged.connect(lambda _at: self.changed.emit())

    def set_choices(self, which: Mapping[str, str], runs: Mapping[str, str]) -> None:
        """Offer what items can be filtered by, and whose answers: key -> name."""
        self.which.offer(which)
        self.run.offer(runs)
        self.run.setVisible(bool(runs))

    def select_filter(self, which: str, run: str) -> None:
        """Show the items of one number."""
        for combo, key in ((self.which, which), (self.run, run)):
            with QSignalBlocker(combo):
                combo.choose(key)
        self.changed.emit()

    def selected_filter(self) -> tuple[str, str]:
        """Return by what items are filtered, and whose answers decide."""
        return str(self.which.currentData() or ALL), str(self.run.currentData() or "")

    def show_items(self, columns: Sequence[str], rows: Sequence[TableRow], count: str, note: str) -> None:
        """Show items, a column for each judge."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self.table.set_columns(text_columns(columns, shrinks=1))
        self.table.show_records(rows)
        self.count.setText(count)
        self.note.setText(note)

    def _play(self) -> None:
        if key := self.table.current_key():
            self.play_requested.emit(key)


COLUMNS = (tr("Judge"), tr("Metric"), tr("Mean ± sd"), tr("95 % interval"), "n", tr("Unparsed"), tr("Not known"))


class ResultsTab(QWidget):
    """A row leads to its items.

    Signals:
        changed: other rows are wanted.
        row_chosen (str): a row was chosen, by key.
    """

    changed = Signal()
    row_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.published = check_box(
            tr("P&ublished rows"), tr("Show what the paper reports beside this study's own figures"), checked=True
        )
        self.everything = check_box(tr("&All sets"), tr("Show the runs of every item set of this study"))
        self.report = push_button(tr("Re&port…"), tr("Tables and plots of all runs, to be looked at and written"))
        self.table = RecordTable(tr("Results"), text_columns(COLUMNS, shrinks=0))
        self.table.setToolTip(tr("Choose a row to see its items"))
        self.status = PlainLabel(wordWrap=True, accessibleName=tr("State of the results"), look="quiet")
        self.setLayout(
            make_column(
                make_row(self.published, self.everything, None, self.report),
                self.table,
                1,
                self.status,
                margin=(0, theme.GRID, 0, 0),
            )
        )
        self.published.toggled.connect(lambda _on: self.changed.emit())
        self.everything.toggled.connect(lambda _on: self.changed.emit())
        self.table.chosen.connect(lambda row: self.row_chosen.emit(row.key))

    def show_rows(self, rows: Sequence[TableRow], status: str) -> None:
        """Show other rows, and a line about them."""
        self.table.show_records(rows)
        self.status.setText(status)


class RunTab(QWidget):
    """Judges above, people below, and all runs of the set.

    Signals:
        cancel_requested: stop; what was answered is kept.
        answer_requested: the current annotator answers the items.
        changed: something else is chosen.
    """

    cancel_requested = Signal()
    answer_requested = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._writable, self._why_not, self._under_way = True, "", False
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.conditions = TickMenu(tr("Renderings"), tr("Raw"))
        form = Form()
        form.add(tr("&Judges"), self.judges)
        self.shown = form.choice(tr("Sh&own"), tr("What of each item judges and you are shown"))
        self.variant = form.choice(tr("&Prompt"), tr("How the questions are put"))
        form.add(tr("Seen as"), self.conditions)
        with form.line():
            self.seed = form.number(
                tr("S&eed"), tr("Another seed asks everything again, as another run"), maximum=2**31 - 1
            )
            self.budget = form.decimal(
                tr("&Budget"),
                tr("Money that the run may cost, in the currency of the judges' prices"),
                maximum=1_000_000,
                decimals=2,
                specialValueText=tr("No limit"),
            )
        self.anew = check_box(
            tr("As&k again"),
            tr("Begin a new run and ask again what was refused or could not be read"),
            name=tr("Ask again"),
        )
        self.run = push_button(tr("&Run"), look="primary")
        form.add("", make_row(self.anew, None, self.run))
        self.progress = ProgressLine(tr("Run of the benchmark"))
        self.progress.cancel.setToolTip(tr("Stop; what was answered is kept, and running again goes on from there"))
        self.ways = PlainLabel(wordWrap=True, accessibleName=tr("What would leave this machine"))
        self.notes = PlainLabel(wordWrap=True, accessibleName=tr("What was not asked, and why"))
        self.answer = push_button(
            tr("Ans&wer yourself…"),
            tr("Answer the items as judges get them, one after the other; nothing else is shown meanwhile"),
            self.answer_requested,
            name=tr("Answer yourself"),
        )
        self.own = check_box(
            tr("Also items made from my own annotations"),
            tr("Else they are left out and counted; with them, your row says so"),
            name=tr("Also my own"),
        )
        self.standing = PlainLabel(wordWrap=True, look="quiet")
        heads = tr("Judge"), tr("Shown"), tr("Prompt"), tr("Seen"), tr("Answered"), tr("Began")
        self.runs = RecordTable(tr("Runs of this set"), text_columns(heads, shrinks=0))
        self.setLayout(
            make_column(
                form,
                self.ways,
                self.progress,
                self.notes,
                Gap(theme.GRID),
                _make_heading(tr("People")),
                make_row(self.answer, self.own, None),
                self.standing,
                Gap(theme.GRID),
                _make_heading(tr("Runs of this set")),
                self.runs,
                1,
                margin=(0, theme.GRID, 0, 0),
            )
        )
        self.show_egress("")
        self.show_notes("")
        self.progress.cancel_requested.connect(self.cancel_requested)
        for menu in (self.judges, self.conditions):
            menu.changed.connect(self.changed)
        form.changed.connect(self.changed)
        self.own.toggled.connect(lambda _on: self.changed.emit())

    def set_choices(self, shown: Mapping[str, tuple[str, str]], variants: Mapping[str, tuple[str, str]]) -> None:
        """Offer what can be shown, and variants of the prompts: key -> name and what it is."""
        self.shown.offer(shown)
        self.variant.offer(variants)

    def set_runnable(self, why_not: str) -> None:
        """Say why nothing can be asked, or "" where it can."""
        self._why_not = why_not
        self._enable()

    def set_writable(self, writable: bool) -> None:
        """Let judges and people answer, or not."""
        self._writable = writable
        self._enable()

    def set_running(self, under_way: bool) -> None:
        """Show that a run is under way, or ended."""
        self._under_way = under_way
        if not under_way:
            self.progress.hide()
        self._enable()

    def show_egress(self, text: str) -> None:
        """Say what would leave this machine, and what may not be asked."""
        self.ways.setText(text)
        self.ways.setVisible(bool(text))

    def show_notes(self, text: str) -> None:
        """Say how a run ended, and what was not asked."""
        self.notes.setText(text)
        self.notes.setVisible(bool(text))

    def chosen_modality(self) -> str:
        """Return the key of what is shown."""
        return self.shown.key()

    def chosen_variant(self) -> str:
        """Return the key of the variant."""
        return self.variant.key()

    def save_state(self) -> dict[str, Json]:
        """Return what is chosen, to be kept."""
        return {
            "judges": [*sorted(self.judges.all_ticked_keys())],
            "conditions": [*sorted(self.conditions.all_ticked_keys())],
            "shown": self.chosen_modality(),
            "variant": self.chosen_variant(),
            "seed": self.seed.value(),
            "budget": self.budget.value(),
            "own": self.own.isChecked(),
        }

    def restore_state(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen; what is no longer offered is left out."""
        for menu, key in ((self.judges, "judges"), (self.conditions, "conditions")):
            found = looks.get(key)
            if isinstance(found, list):
                menu.set_ticked(str(key) for key in found)
        for combo, key in ((self.shown, "shown"), (self.variant, "variant")):
            combo.choose(looks.get(key))
        seed, budget = looks.get("seed"), looks.get("budget")
        if isinstance(seed, int):
            self.seed.setValue(seed)
        if isinstance(budget, int | float):
            self.budget.setValue(budget)
        self.own.setChecked(looks.get("own") is True)

    def _enable(self) -> None:
        self.run.setEnabled(self._writable and not self._why_not and not self._under_way)
        self.run.setToolTip(
            plain_tip(self._why_not or tr("Ask the judges; a run that was stopped goes on where it was"))
        )
        self.answer.setEnabled(self._writable)


def _make_heading(text: str) -> QLabel:
    return PlainLabel(text, font=theme.font(theme.POINTS, semibold=True))


class SetTab(QWidget):
    """Nothing here can be edited: a set is frozen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._facts = QFormLayout()
        self._facts.setHorizontalSpacing(theme.GRID * 2)
        self.changed = PlainLabel(wordWrap=True, accessibleName=tr("Whether the study has changed since"))
        heading = _make_heading(tr("Left out"))
        self.left_out = RecordTable(tr("What was left out"), text_columns((tr("How often"), tr("Why"))))
        EmptyHint(self.left_out, tr("Nothing was left out."))
        self.setLayout(
            make_column(
                self._facts, self.changed, Gap(theme.GRID), heading, self.left_out, 1, margin=(0, theme.GRID, 0, 0)
            )
        )
        theme.notifier.changed.connect(self._tint)
        self._differs = False

    def show_set(self, facts: Mapping[str, str], left_out: Sequence[TableRow]) -> None:
        """Show facts by name, and what was left out."""
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for name, text in facts.items():
            value = PlainLabel(text, wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
            label = PlainLabel(name, look="quiet")
            self._facts.addRow(label, value)
        self.left_out.show_records(left_out)

    def show_changed(self, text: str, *, differs: bool) -> None:
        """Say whether the study is as it was when the set was drawn."""
        self._differs = differs
        self.changed.setText(text)
        self._tint()

    def _tint(self) -> None:
        colours = theme.palette()
        self.changed.setStyleSheet(f"color: {(colours.uncertain if self._differs else colours.muted).name()};")


NEW = "new"
TABS = (tr("Set"), tr("Run"), tr("Results"), tr("Items"))


class BenchmarkPage(StudyView):
    """Everything here is about the item set that is chosen on top.

    Signals:
        set_chosen (str): another item set is chosen, by id.
        looks_changed: something else is chosen, which is worth keeping.
    """

    set_chosen = Signal(str)
    looks_changed = Signal()

    title = tr("Benchmark")

    def __init__(self, context: Context, tasks: Sequence[TaskOption], included: Mapping[str, str]) -> None:
        super().__init__(context)
        self._wanted = ""
        self.sets = ChoiceBox(tr("Item set"), tr("The item set that is asked, answered and shown"), compact=True)
        self.new = push_button(
            tr("&New set…"), tr("Draw items of a task from this study and freeze them"), self.show_form
        )
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
            (EmptyStateAction(NEW, tr("New set…"), primary=True),),
        )
        self._lay_out()
        self.sets.currentIndexChanged.connect(self._choose)
        self._empty.button_clicked.connect(lambda _key: self.show_form())
        self.form.cancelled.connect(self.show_tabs)
        self.tabs.currentChanged.connect(lambda _at: self.looks_changed.emit())
        self.run.changed.connect(self.looks_changed)
        self.acts: dict[str, Callable[[], None]] = {"new": self.show_form, "run": self._run}
        """What the window's menu can ask the page for."""
        self.show_tabs()

    def set_item_sets(self, names: Mapping[str, str]) -> None:
        """Offer item sets by id, in order; what was asked for is chosen, else the chosen one stays, else the newest."""
        self.sets.offer(names, first=[*names][-1] if names else None)
        if self._wanted in names:
            with QSignalBlocker(self.sets):
                self.sets.choose(self._wanted)
            self._wanted = ""
        if self._stack.currentWidget() is not self.form:
            self.show_tabs()

    def choose_set(self, set_id: str) -> None:
        """Choose an item set, also one that is offered later."""
        self._wanted = "" if self.sets.choose(set_id) else set_id

    def current_set(self) -> str:
        """Return the id of the chosen item set, or ""."""
        return self.sets.key()

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
        self._empty.set_buttons_enabled(writable)
        self.run.set_writable(writable)

    def save_state(self) -> dict[str, Json]:
        """Return what is chosen, to be kept."""
        return {"set": self.current_set(), "tab": self.tabs.currentIndex(), "run": self.run.save_state()}

    def restore_state(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen."""
        self.choose_set(str(looks.get("set", "")))
        tab, run = looks.get("tab"), looks.get("run")
        if isinstance(tab, int) and 0 <= tab < self.tabs.count():
            self.tabs.setCurrentIndex(tab)
        if isinstance(run, dict):
            self.run.restore_state(run)

    def _choose(self) -> None:
        self._wanted = self.current_set()
        self.show_tabs()
        self.set_chosen.emit(self._wanted)
        self.looks_changed.emit()

    def _run(self) -> None:
        self.tabs.setCurrentWidget(self.run)
        self.run.run.click()

    def _lay_out(self) -> None:
        label = PlainLabel(tr("I&tem set"), look="quiet")
        label.setBuddy(self.sets)
        self._stack = make_stack(self._empty, self.form, self.tabs)
        self.setLayout(make_column(make_row(label, self.sets, 1, self.new), self._stack, 1, margin=theme.GRID * 3 // 2))
