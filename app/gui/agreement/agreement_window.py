"""The agreement window: agreement figures, their plots, and statistics of the study.

A bar chooses what is compared: lanes, annotators and recordings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QTabWidget, QWidget

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.annotation_arrays import Options
from annotate.agreement.figure_intervals import load_published
from annotate.agreement.span_matching import POINT_TOLERANCE_US
from annotate.agreement.study_agreement import ADJUDICATED, MAX_TOLERANCE_US, AgreementQuery, build_report_tables
from app.gui.agreement import agreement_figures
from app.gui.agreement.agreement_figures import (
    RELEVANT_TABLES,
    AgreementResult,
    agreement_files,
    compute_agreement_result,
)
from app.gui.agreement.breakdown_table import SplitsPage
from app.gui.pages.context import Context
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView
from app.gui.study.background import Read
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_collections, all_recordings
from project.session.session import Session
from project.text_format import to_csv
from project.timebase import SECOND_US
from resources.translation import tr, trn
from widgets import theme
from widgets.form.checklists import ChoiceButton
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox, DecimalBox, IntegerBox
from widgets.form.layouts import FlowLayout, label_control
from widgets.plots.estimates_table import FiguresView
from widgets.plots.plot_view import PlotWall

STEP_MS = 100
_MAX_STEP_MS = 60_000
TOLERANCE_S = POINT_TOLERANCE_US / SECOND_US


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """What the user wants compared.

    Attributes:
        lane: key of what was offered.
        pair: two names, or none for everybody.
        third: a name, or "".
        groups: keys of the recordings and collections that were ticked; none for all.
    """

    lane: str
    pair: tuple[str, ...]
    third: str
    groups: frozenset[str]
    minimum_iou: float
    step_ms: int
    tolerance_s: float


class ComparisonBar(QWidget):
    """Controls in a row that breaks where the window ends.

    Signals:
        changed: something else is to be compared.
        refresh_requested: compute again.
    """

    changed = Signal()
    refresh_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = FlowLayout(self)
        self.lane = ChoiceBox(tr("Track"), tr("Scheme and track whose segments are compared"))
        self.pair = ChoiceBox(tr("Who"), tr("Everybody who is a person, or one pair"))
        self.third = ChoiceBox(tr("Third"), tr("One who is compared with the others, and counts in no other figure"))
        self.recordings = ChoiceButton(tr("Recordings"))
        self.minimum_iou = DecimalBox(minimum=0, maximum=1, singleStep=0.05, decimals=2)
        self.minimum_iou.setSpecialValueText(tr("Any"))
        self.step = IntegerBox(minimum=1, maximum=_MAX_STEP_MS, singleStep=100, value=STEP_MS)
        self.step.setSuffix(tr(" ms"))
        self.tolerance = DecimalBox(
            minimum=0, maximum=MAX_TOLERANCE_US / SECOND_US, singleStep=0.1, decimals=2, value=TOLERANCE_S
        )
        self.tolerance.setSuffix(tr(" s"))
        self.refresh = push_button(
            tr("Refresh"),
            tr("Compute again from the study as it is now (F5)"),
            self.refresh_requested,
            shortcut="F5",
        )
        overlap = label_control(
            tr("Minimum overlap (IoU)"),
            self.minimum_iou,
            tr("Which segments count as overlapping: any shared time, or more"),
        )
        step = label_control(
            tr("Step"), self.step, tr("Between the instants of the time grid, on which kappa and alpha rest")
        )
        tolerance = label_control(
            tr("Tolerance"), self.tolerance, tr("How far two points may be apart to be the same event")
        )
        self._lane = label_control(tr("Track"), self.lane)
        self._for_spans, self._for_points = (overlap, step), (tolerance,)
        self._points: frozenset[str] = frozenset()
        self._sampled: frozenset[str] = frozenset()
        who, third = label_control(tr("Who"), self.pair), label_control(tr("Third"), self.third)
        for part in (self._lane, who, third, overlap, step, tolerance, self.recordings, self.refresh):
            row.addWidget(part)
        for spin in (self.minimum_iou, self.step, self.tolerance):
            spin.setKeyboardTracking(False)
            spin.setFixedWidth(theme.scaled(theme.GRID * 10))
        for box in (self.lane, self.pair, self.third):
            box.setMaximumWidth(theme.scaled(theme.GRID * 30))
        changes: tuple[SignalInstance, ...] = (
            self.lane.currentIndexChanged,
            self.pair.currentIndexChanged,
            self.third.currentIndexChanged,
            self.minimum_iou.valueChanged,
            self.step.valueChanged,
            self.tolerance.valueChanged,
        )
        self.lane.currentIndexChanged.connect(lambda _: self._show_controls())
        for signal in changes:
            signal.connect(lambda _: self.changed.emit())
        self.recordings.changed.connect(self.changed)

    def set_choices(
        self,
        lanes: Mapping[str, str],
        people: Sequence[str],
        groups: Mapping[str, str],
        points: Collection[str] = (),
        sampled: Collection[str] = (),
    ) -> bool:
        """Offer lanes, names and recordings; returns whether what is chosen is another thing now.

        Args:
            lanes: key -> name.
            people: names.
            groups: key -> name of recordings and collections.
            points: keys of the lanes that hold points.
            sampled: keys of the lanes that are sampled.
        """
        before = self.settings()
        pairs = {
            "": tr("Everybody"),
            **{f"{a}\n{b}": tr("{a} and {b}").format(a=a, b=b) for a, b in combinations(people, 2)},
        }
        blocked = self.blockSignals(True)
        try:
            self.lane.offer(lanes)
            self.pair.offer(pairs)
            self.third.offer({"": tr("None"), **{name: name for name in people}})
            self.recordings.set_choices(groups)
        finally:
            self.blockSignals(blocked)
        self._lane.setVisible(len(lanes) > 1)
        self._points, self._sampled = frozenset(points), frozenset(sampled)
        self._show_controls()
        return self.settings() != before

    def _show_controls(self) -> None:
        """Show the controls that the figures of the lane depend on; those of samples depend on none."""
        key = self.lane.key()
        for control in self._for_spans:
            control.setVisible(key not in self._points | self._sampled)
        for control in self._for_points:
            control.setVisible(key in self._points - self._sampled)

    def settings(self) -> ComparisonSettings:
        """Return what is chosen."""
        pair = self.pair.key()
        return ComparisonSettings(
            self.lane.key(),
            tuple(pair.split("\n")) if pair else (),
            self.third.key(),
            self.recordings.ticked_keys(),
            self.minimum_iou.value(),
            self.step.value(),
            self.tolerance.value(),
        )


_MAX_AUTOMATIC_S = 0.7
"""A computation that takes no longer is done again by itself after each edit."""
_COLLECTION_PREFIX = tr("collection ")


def fill_comparison_bar(session: Session, bar: ComparisonBar) -> bool:
    """Offer what the study has; returns whether what is chosen is another thing now."""
    lanes = {
        f"{scheme.key}/{track.key}": scheme.name if len(scheme.tracks) == 1 else f"{scheme.name}: {track.name}"
        for scheme in session.schemes
        for track in scheme.tracks
    }
    people = [annotator.name for annotator in all_annotators(session.study) if annotator.kind != ADJUDICATED]
    recordings = all_recordings(session.study)
    used = {recording.collection_id for recording in recordings}
    collections = [collection for collection in all_collections(session.study) if collection.id in used]
    groups = {
        f"{_COLLECTION_PREFIX}{collection.id}": tr("Collection {name}").format(name=collection.name)
        for collection in collections
        if len(collections) > 1
    }
    groups |= {recording.id: f"{recording.number}. {recording.name}" for recording in recordings}
    tracks = {f"{scheme.key}/{track.key}": track for scheme in session.schemes for track in scheme.tracks}
    points = [key for key, track in tracks.items() if track.holds_points]
    sampled = [key for key, track in tracks.items() if track.sampling is not None]
    return bar.set_choices(lanes, people, groups, points, sampled)


def build_query(session: Session, asked: ComparisonSettings) -> AgreementQuery:
    """Return what the controls ask."""
    scheme, _, track = asked.lane.partition("/")
    chosen = tuple(
        recording.id
        for recording in all_recordings(session.study)
        if recording.id in asked.groups or f"{_COLLECTION_PREFIX}{recording.collection_id}" in asked.groups
    )
    return AgreementQuery(
        pair=asked.pair,
        third=asked.third,
        scheme=scheme,
        track=track,
        recordings=chosen,
        options=Options(
            minimum_iou=asked.minimum_iou,
            step_us=1000 * asked.step_ms,
            tolerance_us=round(SECOND_US * asked.tolerance_s),
        ),
    )


class AgreementWindow(ComputedView[AgreementResult]):
    """Nothing here changes the study."""

    title = tr("Agreement")
    tables = RELEVANT_TABLES
    preferred_size = (1200, 800)

    def __init__(self, context: Context) -> None:
        super().__init__(context, self._agreement_reader, automatic_below_s=_MAX_AUTOMATIC_S)
        self._found: AgreementResult | None = None
        self.setMinimumWidth(480)
        self.bar = ComparisonBar()
        self.figures, self.form = FiguresView(tr("Figures of agreement")), FiguresView(tr("Figures of the form"))
        self.drawn, self.counted = PlotWall(tr("Plots of agreement")), PlotWall(tr("Plots of statistics"))
        self.splits = SplitsPage(context, self.exporting)
        self._lay_out()
        self._connect_signals()

    def _lay_out(self) -> None:
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (self.figures, tr("&Figures")),
            (self.drawn, tr("&Plots")),
            (self.splits, tr("By &group")),
            (self.form, tr("F&orm")),
            (self.counted, tr("&Statistics")),
        ):
            self.tabs.addTab(page, name)
        self.copy = push_button(tr("Copy figures"), tr("Copy the table of figures as CSV"), self._copy)
        self.export = push_button(
            tr("&Export all figures…"),
            tr("Write a folder with every table (CSV), every plot (SVG, PNG, PDF, CSV) and agreement.json"),
            self.export_all,
            look="primary",
        )
        self.lay_out(self.bar, self.tabs, 1, foot=(self.copy, self.export))

    def _connect_signals(self) -> None:
        self.bar.changed.connect(self.computing.schedule)
        self.bar.refresh_requested.connect(self.refresh)
        self.computing.finished.connect(self._show)
        self.computing.changed.connect(self._show_state)
        self.computing.show_on(self.line, lambda found: _summary(found.report))
        self.drawn.action_requested.connect(self.exporting.export_plot)
        self.counted.action_requested.connect(self.exporting.export_plot)
        self._show_state()

    def export_all(self) -> None:
        """Ask for a folder and write everything into a new one inside it."""
        found = self._found
        if found is None:
            return
        drawn = [*found.agreement_plots, *self.splits.all_plots(found.report), *found.statistics_plots]
        plots = {plot.key: plot for plot in drawn}.values()
        self.exporting.export_folder("agreement", lambda: agreement_files(found.report, found.statistics, plots))

    def _agreement_reader(self) -> Read[AgreementResult] | None:
        session = self._studio.session
        if session is None or not self.isVisible():
            return None
        fill_comparison_bar(session, self.bar)
        query = build_query(session, self.bar.settings())
        return lambda second, progress: compute_agreement_result(second, query, progress)

    def _show(self, found: AgreementResult) -> None:
        self._found = found
        report = found.report
        published = load_published(report.settings.scheme) if report.published else None
        self.figures.show_rows(
            agreement_figures.main_rows(report), tr("{name} paper").format(name=published.name) if published else ""
        )
        self.form.show_rows(agreement_figures.form_rows(report))
        self.tabs.setTabVisible(self.tabs.indexOf(self.form), bool(report.fields))
        self.drawn.set_hint(_missing_hint(report))
        self.drawn.set_plots(found.agreement_plots)
        self.counted.set_hint(_missing_hint(report))
        self.counted.set_plots(found.statistics_plots)
        self.splits.show_report(report)

    def _show_state(self) -> None:
        state = self.computing.state
        self.bar.refresh.setProperty("primary", state is LiveState.OUTDATED and self._found is not None)
        self.bar.refresh.style().polish(self.bar.refresh)
        for control in (self.copy, self.export):
            control.setEnabled(self._found is not None and state is not LiveState.WORKING)

    def _copy(self) -> None:
        if self._found is not None:
            head, table = build_report_tables(self._found.report)["figures"]
            self.exporting.copy_table(to_csv(head, table), tr("Figures"))


def _missing_hint(report: AgreementReport) -> str:
    """Return what has to be done before there is agreement; "" where there is some."""
    if not report.settings.annotations:
        return tr("Nothing is marked yet. Mark segments in the main window: I at the start, O at the end.")
    if not report.settings.recordings_compared:
        return tr("Agreement needs a recording that two people annotated.")
    return ""


def _summary(report: AgreementReport) -> str:
    found, missing = report.settings, _missing_hint(report)
    if not found.annotations:
        return missing
    text = tr("{annotations:,} annotations of {count}, {compared} by two or more.").format(
        annotations=found.annotations,
        count=trn("{count} recording", "{count} recordings", found.recordings),
        compared=found.recordings_compared,
    )
    return f"{text} {missing}".strip()
