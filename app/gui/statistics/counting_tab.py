"""The base of tabs that count what was marked: what is counted above, a plot, and a table that can be saved."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt

from app.gui.pages.context import Context
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView
from app.gui.statistics.counting_bar import CountingBar
from app.gui.study.background import Read
from project.session.session import Session
from project.text_format import Cell, to_csv
from resources.translation import tr
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import LayoutPart, label_control, make_row, make_splitter
from widgets.plots.plot_data import Plot
from widgets.plots.plot_view import PlotWall
from widgets.table.record_table import RecordColumn, RecordTable

T = TypeVar("T")
_MAX_AUTOMATIC_S = 0.7


class CountingTab(ComputedView[T], Generic[T]):
    """Nothing here changes the study. A tab says what is computed, drawn and listed.

    Attributes:
        file_name: of the table when it is saved, without its ending.
        drawn: what the plots show.
    """

    tables = frozenset(
        {
            *("segment", "segment_value", "completion", "assignment", "annotator", "recording", "collection"),
            *("scheme_version", "property", "participant", "participant_variable", "appearance"),
        }
    )
    preferred_size = (1200, 800)
    file_name = ""

    def __init__(self, context: Context, drawn: ChoiceBox, *options: LayoutPart) -> None:
        super().__init__(context, self._reader, automatic_below_s=_MAX_AUTOMATIC_S)
        self._found: T | None = None
        self.setMinimumWidth(480)
        self.bar, self.drawn = CountingBar(), drawn
        self.wall = PlotWall(tr("Plots of {title}").format(title=self.title.lower()))
        self.table: RecordTable[Any] = RecordTable(self.title, (), sortable=True)
        split = make_splitter(Qt.Orientation.Vertical, self.wall, self.table, sizes=[340, 300])
        self.copy = push_button(
            tr("Copy table"),
            tr("Copy the table as CSV"),
            lambda: self.exporting.copy_table(self._csv(), self.title),
        )
        self.save = push_button(
            tr("Save table as CSV…"),
            tr("Save the table as CSV, for R, SPSS or a spreadsheet"),
            lambda: self.exporting.save_table(self._csv(), self.title, self.file_name),
        )
        head = make_row(label_control(tr("Draw"), drawn), *options, None)
        self.lay_out(self.bar, head, split, 1, foot=(self.copy, self.save))
        self.bar.changed.connect(self.computing.schedule)
        self.bar.refresh_requested.connect(self.refresh)
        self.drawn.currentIndexChanged.connect(lambda _: self._draw())
        self.wall.action_requested.connect(self.exporting.export_plot)
        self.computing.finished.connect(self._show)
        self.computing.changed.connect(self._show_state)
        self.computing.show_on(self.line, self.summarize)
        self._show_state()

    def prepare(self) -> Read[T]:
        """Return what computes the figures that the controls ask for."""
        raise NotImplementedError

    def summarize(self, found: T) -> str:
        """Return in a sentence what was counted."""
        raise NotImplementedError

    def plots(self, found: T) -> tuple[Sequence[Plot], str]:
        """Return the plots, and what is said where there is none."""
        raise NotImplementedError

    def records(self, found: T) -> tuple[Sequence[RecordColumn[Any]], Sequence[Any]]:
        """Return the columns and rows of the table."""
        raise NotImplementedError

    def saved_table(self, found: T) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
        """Return head and rows of the table as it is copied and saved."""
        raise NotImplementedError

    def _reader(self) -> Read[T] | None:
        session: Session | None = self._studio.session
        if session is None or not self.isVisible():
            return None
        self.bar.offer(session)
        return self.prepare()

    def _show(self, found: T) -> None:
        self._found = found
        columns, rows = self.records(found)
        self.table.set_columns(columns)
        self.table.show_records(rows)
        self._draw()

    def _draw(self) -> None:
        if self._found is not None:
            plots, hint = self.plots(self._found)
            self.wall.set_hint(hint)
            self.wall.set_plots(plots)

    def _show_state(self) -> None:
        for control in (self.copy, self.save):
            control.setEnabled(self._found is not None and self.computing.state is not LiveState.WORKING)

    def _csv(self) -> str:
        return to_csv(*self.saved_table(self._found)) if self._found is not None else ""
