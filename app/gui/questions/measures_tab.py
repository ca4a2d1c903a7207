"""The tab of measures.

It shows judges' accuracy and consistency, diagnostics of the question set, and chain statistics.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QTabWidget, QWidget

from app.gui.pages.context import Context
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView
from app.gui.questions import measures_figures
from app.gui.questions.measures_figures import RELEVANT_TABLES, MeasuresResult, compute_measures_result, measures_files
from app.gui.study.background import Read
from benchmark.metrics.published_figures import PublishedTableRow
from benchmark.questions.question_measures import JudgeMeasures, Measures
from resources.translation import tr, trn
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, push_button
from widgets.form.layouts import make_row, make_splitter, make_tab_page
from widgets.form.wheel_guard import ComboBox
from widgets.plots.estimates_table import FiguresView
from widgets.plots.plot_view import PlotWall
from widgets.table.record_table import RecordTable, text_columns
from widgets.text_labels import PlainLabel, describe

_DEFAULT_REFERENCE = tr("GPT-4o, +sub+tom")
_NOBODY_ASKED = tr("Figures appear here once a judge was asked, in the mode Questions.")


class MeasuresTab(ComputedView[MeasuresResult]):
    """Nothing here changes the study."""

    title = tr("What judges understand")
    tables = RELEVANT_TABLES
    preferred_size = (1120, 780)

    def __init__(self, context: Context) -> None:
        super().__init__(context, self._measures_reader)
        self._found: MeasuresResult | None = None
        self.setMinimumWidth(480)
        self.everything = check_box(
            tr("Also &unverified questions"),
            tr("Count questions that two people have not approved of yet; dropped ones never count"),
        )
        self.overview = RecordTable(
            tr("Judges and published rows"), measures_figures.overview_columns(), empty=_NOBODY_ASKED
        )
        self.figures, self.about = (
            FiguresView(tr("Figures of one judge")),
            FiguresView(tr("What the questions are like")),
        )
        self.compared, self.drawn = PlotWall(tr("Plots of all judges")), PlotWall(tr("Plots of one judge"))
        self.chains = RecordTable(
            tr("What the chains are made of"),
            text_columns((tr("Figure"), tr("This study"), "R3-VQA", tr("Where it says so"))),
            empty=tr("Figures appear here once the study has chains."),
        )
        self.chains_drawn = PlotWall(tr("Plots of the chains"))
        self._hint = EmptyHint(self.figures, _NOBODY_ASKED)
        self._about_hint = EmptyHint(self.about, _NOBODY_ASKED)
        self._lay_out()
        self._connect_signals()

    def _lay_out(self) -> None:
        self.refresh_button = push_button(
            tr("&Refresh"), tr("Compute the figures of the study as it is now"), self.computing.start
        )
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (_make_splitter(self.overview, self.compared), tr("&All judges")),
            (self._make_judge_page(), tr("&One judge")),
            (self.about, tr("&Questions")),
            (_make_splitter(self.chains, self.chains_drawn), tr("&Chains")),
        ):
            self.tabs.addTab(page, name)
        self.export = push_button(
            tr("&Export all figures…"),
            tr("Write a folder with every table (CSV), every plot (SVG, PNG, PDF, CSV) and measures.json"),
            self.export_all,
            look="primary",
            enabled=False,
        )
        self.lay_out(make_row(self.everything, 1, self.refresh_button), self.tabs, 1, foot=(self.export,))

    def _make_judge_page(self) -> QWidget:
        parts: list[QWidget] = []
        self.judge, self.beside = ComboBox(), ComboBox()
        for name, box, tip in (
            (tr("&Judge"), self.judge, tr("A judge, and how it was asked")),
            (tr("&Beside"), self.beside, tr("What R3-VQA reports, to compare with")),
        ):
            label = PlainLabel(name)
            label.setBuddy(box)
            describe(box, tip, tip)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            parts += [label, box]
        self.beside.addItems([*measures_figures.published_by_name()])
        self.beside.setCurrentText(_DEFAULT_REFERENCE)
        return make_tab_page(make_row(*parts, None), _make_splitter(self.figures, self.drawn), 1)

    def _connect_signals(self) -> None:
        self.everything.toggled.connect(lambda _: self.computing.start())
        self.computing.finished.connect(self._show)
        self.computing.changed.connect(self._show_state)
        self.computing.show_on(self.line, lambda found: _summary(found.measures))
        self.judge.currentIndexChanged.connect(lambda _: self._show_judge())
        self.beside.currentIndexChanged.connect(lambda _: self._show_judge())
        self.overview.chosen.connect(lambda row: self._open_judge(row.key))
        for wall in (self.compared, self.drawn, self.chains_drawn):
            wall.action_requested.connect(self.exporting.export_plot)

    def export_all(self) -> None:
        """Ask for a folder and write everything into a new one inside it."""
        found = self._found
        if found is None:
            return
        beside = self._published_row()
        self.exporting.export_folder("measures", lambda: measures_files(found, beside))

    def _measures_reader(self) -> Read[MeasuresResult]:
        everything = self.everything.isChecked()
        return lambda second, progress: compute_measures_result(second, progress, everything)

    def _show(self, found: MeasuresResult) -> None:
        self._found = found
        self.export.setEnabled(True)
        self.overview.show_records(measures_figures.overview_rows(found.measures))
        self.compared.set_plots(measures_figures.comparison_plots(found.measures))
        self.compared.setVisible(self.compared.has_plots)
        self._fill_judges(found.measures.judges)
        self.about.show_rows(measures_figures.diagnostics_rows(found.measures), "ESI-Bench")
        self.chains.show_records(measures_figures.chain_rows(found.chains))
        self.chains_drawn.set_plots(measures_figures.chain_plots(found.chains))
        self.chains_drawn.setVisible(self.chains_drawn.has_plots)

    def _fill_judges(self, judges: Sequence[JudgeMeasures]) -> None:
        chosen = self.judge.currentText()
        blocked = self.judge.blockSignals(True)
        self.judge.clear()
        self.judge.addItems([measures_figures.judge_label(judge.setup) for judge in judges])
        self.judge.setCurrentIndex(max(0, self.judge.findText(chosen)) if judges else -1)
        self.judge.blockSignals(blocked)
        self.judge.setEnabled(bool(judges))
        self._show_judge()

    def _show_judge(self) -> None:
        at = self.judge.currentIndex()
        beside = self._published_row()
        if self._found is None or not 0 <= at < len(self._found.measures.judges):
            self.figures.show_rows(())
            self.drawn.set_plots(())
            self.drawn.hide()
            return
        judge_measures = self._found.measures.judges[at]
        self.figures.show_rows(
            measures_figures.judge_rows(judge_measures, beside), beside.paper if beside is not None else ""
        )
        self.drawn.set_plots(measures_figures.judge_plots(judge_measures, beside))
        self.drawn.setVisible(self.drawn.has_plots)

    def _open_judge(self, key: str) -> None:
        """Show the figures of a row of the overview; a published one is put beside them."""
        if key.isdigit():
            self.judge.setCurrentIndex(int(key))
            self.tabs.setCurrentIndex(1)
        else:
            self.beside.setCurrentText(key.removeprefix("published "))

    def _published_row(self) -> PublishedTableRow | None:
        return measures_figures.published_by_name().get(self.beside.currentText())

    def _show_state(self) -> None:
        working = self.computing.state is LiveState.WORKING
        self._hint.setText(tr("Figures are being worked out.") if working else _NOBODY_ASKED)


def _make_splitter(upper: QWidget, lower: QWidget) -> QSplitter:
    return make_splitter(Qt.Orientation.Vertical, upper, lower, sizes=[330, 330])


def _summary(found: Measures) -> str:
    parts = [
        tr("{questions} of {chains} count").format(
            questions=trn("{count} question", "{count} questions", found.questions),
            chains=trn("{count} chain", "{count} chains", len(found.sizes[0])),
        )
    ]
    if found.unverified:
        extra = tr("are not verified") if found.everything else tr("are not verified and do not count")
        parts.append(f"{found.unverified:,} {extra}")
    if found.stale:
        parts.append(tr("{stale:,} are older than their chain and do not count").format(stale=found.stale))
    if not found.questions:
        parts.append(tr("make questions from chains and verify them in the mode Questions"))
    elif not found.judges:
        parts.append(tr("no judge was asked yet: ask judges in the mode Questions"))
    return f"{'; '.join(parts)}."
