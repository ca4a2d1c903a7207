"""The privacy window.

It shows the measures of each export, red where over the study's limits, plots of protection and utility, and the worst
frame.
"""

from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QTabWidget, QWidget

from anonymize.measures.privacy_report import FIGURES, NAIVE, PARROT, Attack, MeasuredValue, MeasureInfo, PrivacyReport
from anonymize.privacy import privacy_job
from anonymize.privacy.exported_clips import KIND, ExportedClip, find_clip, list_exports
from anonymize.privacy.privacy_limits import (
    ATTACKER_NAMES,
    PrivacyLimits,
    exceeded_limits,
    format_figure,
    format_value,
    read_privacy_limits,
    set_privacy_limits,
    unmeasured_limits,
)
from app.gui.pages.context import Context
from app.gui.pages.figure_export import PlotExporter
from app.gui.pages.study_view import StudyView
from project.errors import UserError
from project.schemes.scheme import Pattern
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.input_fields import DecimalBox, IntegerBox
from widgets.form.layouts import make_row, make_splitter, make_tab_page
from widgets.labels import LabelLook, Sign
from widgets.plots.plot_data import BarPlot, Histogram, HistogramPanel, Plot, PlotNumberFormat, PlottedValue, Series
from widgets.plots.plot_view import PlotWall
from widgets.table.record_table import NOT_MEASURED, RecordColumn, RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel, describe

EXPORT_COLUMNS = (
    *(tr("Recording"), tr("Method"), tr("Re-identified"), tr("Worst track"), tr("Still detected"), tr("Leaks")),
    *(tr("Mouth"), tr("Eyes"), tr("Flicker"), tr("Clip")),
)
TRACK_COLUMNS = (
    *(tr("Face"), tr("Looks"), tr("Re-identified"), tr("Still detected"), tr("Covered"), tr("Landmark error (NME)")),
    *(tr("Mouth"), tr("Eyes"), tr("Brows"), tr("Flicker")),
)
_TRACK_KEYS = ("reidentified", "detected", "coverage", "nme", "mouth", "eye", "brow", "warp")
FIGURE_COLUMNS = (tr("Figure"), tr("Value"), tr("Taken from"), tr("Note"))
_SHARE_FORMAT, _CORRELATION_FORMAT = MeasureInfo("", "share"), MeasureInfo("", "r")
_NO_CHANCE = MeasuredValue(0.0)
_SHORT_ID_CHARS = 8

Over = frozenset[int]


def export_cells(export: ExportedClip) -> tuple[str, ...]:
    """Return one row of the table of exports."""
    head = (f"{export.recording.number}  {export.recording.name}", export.run.backend)
    report = export.report
    if report is None:
        return (*head, NOT_MEASURED, *[""] * (len(EXPORT_COLUMNS) - 4), export.clip)
    attack = report.strongest_attack(NAIVE)
    rates = (
        (format_value(_SHARE_FORMAT, attack.rates[0]), format_value(_SHARE_FORMAT, attack.worst))
        if attack is not None
        else ("–", "–")  # noqa: RUF001
    )
    keys = ("detected", "leak_frames", "mouth", "eye", "warp")
    return (*head, *rates, *(format_value(FIGURES[key], report.figure(key)) for key in keys), export.clip)


def columns_over_limit(report: PrivacyReport, limits: PrivacyLimits) -> Over:
    """Return which columns of the table of exports are over a limit."""
    found: set[int] = set()
    for attack in (known_attack for known_attack in report.attacks if known_attack.kind == NAIVE):
        if _exceeds(attack.rates[0], attack.chance, limits.reidentified):
            found.add(EXPORT_COLUMNS.index(tr("Re-identified")))
        if _exceeds(attack.worst, attack.worst_chance, limits.worst_track):
            found.add(EXPORT_COLUMNS.index(tr("Worst track")))
    if not report.replaces and _exceeds(report.figure("detected"), _NO_CHANCE, limits.detected):
        found.add(EXPORT_COLUMNS.index(tr("Still detected")))
    if _exceeds(report.figure("leak_frames"), _NO_CHANCE, limits.leak_frames):
        found.add(EXPORT_COLUMNS.index(tr("Leaks")))
    return frozenset(found)


def track_rows(report: PrivacyReport) -> list[tuple[str, tuple[str, ...], int]]:
    """Return track id, cells and when to look, for each track; those recognized best first."""
    tracks = sorted(
        report.tracks,
        key=lambda track_report: (
            -(track_report.figures["reidentified"].value or 0.0) if "reidentified" in track_report.figures else 0
        ),
    )
    rows = []
    for track in tracks:
        name = (
            track.identity
            if track.identity != track.track_id
            else tr("unnamed {value}").format(value=track.track_id[-_SHORT_ID_CHARS:])
        )
        texts = [_track_text(key, track.figures.get(key)) for key in _TRACK_KEYS]
        rows.append((track.track_id, (name, f"{track.looks:,}", *texts), track.worst_us or 0))
    return rows


def figure_rows(report: PrivacyReport) -> list[tuple[str, tuple[str, ...]]]:
    """Return key and cells of every figure, attacks first."""
    rows = []
    for place, attack in enumerate(report.attacks):
        rows += _attack_rows(attack, f"attack {place}")
    for key, about in FIGURES.items():
        figure = report.figures.get(key)
        if figure is not None and not key.endswith("_in_source"):
            rows.append((key, (about.name, format_figure(report, key), f"{figure.n:,}", figure.note)))
    return rows


def _attack_rows(attack: Attack, key: str) -> list[tuple[str, tuple[str, ...]]]:
    name = f"{ATTACKER_NAMES[attack.kind]} ({attack.embedder})"
    parts: Sequence[tuple[str, MeasureInfo, MeasuredValue]] = (
        (tr("re-identified at FAR 1e-2"), _SHARE_FORMAT, attack.rates[0]),
        (tr("re-identified by chance"), _SHARE_FORMAT, attack.chance),
        (tr("re-identified at FAR 1e-3"), _SHARE_FORMAT, attack.rates[1]),
        (tr("worst track"), _SHARE_FORMAT, attack.worst),
        (tr("worst track by chance"), _SHARE_FORMAT, attack.worst_chance),
        ("rank-1", _SHARE_FORMAT, attack.rank_one),
        (tr("equal error rate"), _CORRELATION_FORMAT, attack.equal_error),
    )
    return [
        (
            f"{key} {what}",
            (f"{name}: {what}", format_value(about, measured_value), f"{measured_value.n:,}", measured_value.note),
        )
        for what, about, measured_value in parts
    ]


def _track_text(key: str, figure: MeasuredValue | None) -> str:
    if figure is None or figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    return format_value(FIGURES.get(key, _SHARE_FORMAT), figure)


def _exceeds(figure: MeasuredValue, chance: MeasuredValue, limit: float) -> bool:
    return figure.value is not None and figure.value - (chance.value or 0.0) > limit


_PERCENT = 100.0


class LimitsBar(QWidget):
    """One editor a limit; shares are shown in percent.

    Signals:
        changed (PrivacyLimits): a person set one again.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editors: dict[str, QDoubleSpinBox | QSpinBox] = {}
        parts: list[QWidget] = [PlainLabel(tr("Limits:"))]
        for field in fields(PrivacyLimits):
            label = PlainLabel(str(field.metadata["title"]))
            editor = IntegerBox() if isinstance(field.default, int) else DecimalBox(decimals=1, suffix=" %")
            editor.setMaximum(int(min(field.metadata["maximum"], 99_999)) if isinstance(field.default, int) else 100)
            describe(
                editor,
                tr("Limit: {title}").format(title=field.metadata["title"]),
                tr("{description} A release refuses what is over it").format(description=field.metadata["description"]),
            )
            editor.setKeyboardTracking(False)
            editor.valueChanged.connect(lambda _value: self.changed.emit(self.limits()))
            label.setBuddy(editor)
            self.editors[field.name] = editor
            parts += [label, editor]
        self.setLayout(make_row(*parts, None))

    def show_limits(self, limits: PrivacyLimits) -> None:
        """Show what the study allows."""
        for name, value in asdict(limits).items():
            editor = self.editors[name]
            editor.blockSignals(True)
            if isinstance(editor, QDoubleSpinBox):
                editor.setValue(value * _PERCENT)
            else:
                editor.setValue(value)
            editor.blockSignals(False)

    def limits(self) -> PrivacyLimits:
        """Return what is shown."""
        values = {
            name: round(box.value() / _PERCENT, 6) if isinstance(box, QDoubleSpinBox) else box.value()
            for name, box in self.editors.items()
        }
        return PrivacyLimits(**values)  # type: ignore[arg-type]


_EXPRESSION_MEASURES = (
    ("mouth", tr("Mouth")),
    ("eye", tr("Eyes")),
    ("brow", tr("Brows")),
    ("iris_x", tr("Gaze to the side")),
)
_SERIES_LOOKS = (
    LabelLook("first", "", "accent", Pattern.SOLID, Sign.SQUARE),
    LabelLook("second", "", "uncertain", Pattern.HATCH, Sign.TRIANGLE),
    LabelLook("third", "", "competence", Pattern.DOTS, Sign.RING),
    LabelLook("fourth", "", "muted", Pattern.BACK_HATCH, Sign.DIAMOND),
)
_SCORE_KINDS = (
    ("genuine", tr("Same person, source")),
    ("impostor", tr("Other people, source")),
    ("anonymized", tr("Clip, same person")),
)


def method_plots(exports: Sequence[ExportedClip]) -> list[Plot]:
    """Compare methods: the newest measured export of each, over all recordings."""
    reports = _newest_reports(exports)
    if not reports:
        return []
    names = tuple(f"{method}, {number}" for method, number, _ in reports)
    found = [report for _, _, report in reports]
    note = tr("The newest export of each recording by each method; the number is the recording's")
    return [
        BarPlot(
            "privacy_by_method",
            tr("Re-identified faces"),
            note,
            names,
            (
                Series(
                    tr("Naive attacker"),
                    tuple(_reidentification_rate(report, NAIVE) for report in found),
                    _SERIES_LOOKS[0],
                ),
                Series(
                    tr("Parrot attacker"),
                    tuple(_reidentification_rate(report, PARROT) for report in found),
                    _SERIES_LOOKS[1],
                ),
            ),
            tr("share at FAR 1e-2"),
            PlotNumberFormat.FIGURE,
        ),
        BarPlot(
            "use_by_method",
            tr("Signals that are kept"),
            note,
            names,
            tuple(
                Series(name, tuple(_to_measured(report.figure(key)) for report in found), look)
                for (key, name), look in zip(_EXPRESSION_MEASURES, _SERIES_LOOKS, strict=True)
            ),
            tr("correlation with the source"),
            PlotNumberFormat.FIGURE,
        ),
    ]


def similarity_plot(report: PrivacyReport) -> Histogram | None:
    """Show how alike faces are; None where nothing was compared."""
    counts = {key: np.array(report.scores.counts.get(key, ()), int) for key, _ in _SCORE_KINDS}
    if not any(count.sum() for count in counts.values()):
        return None
    edges = np.array(report.scores.edges)
    used = np.flatnonzero(sum(count for count in counts.values() if len(count)))
    first, last = int(used[0]), int(used[-1]) + 1
    attack = report.strongest_attack(NAIVE)
    limit = attack.thresholds[0].value if attack is not None else None
    piles = tuple(
        HistogramPanel(
            name,
            tuple(counts[key][first:last].tolist()),
            mark=limit,
            mark_name="" if limit is None else tr("FAR 1e-2: {limit:.2f}").format(limit=limit),
        )
        for key, name in _SCORE_KINDS
    )
    return Histogram(
        "similarities",
        tr("How alike faces are"),
        tr("Cosines of the first embedding, against the mean of other frames"),
        tuple(edges[first : last + 1].tolist()),
        piles,
        "cosine",
    )


def _newest_reports(exports: Sequence[ExportedClip]) -> list[tuple[str, int, PrivacyReport]]:
    found: dict[tuple[str, int], PrivacyReport] = {}
    for export in exports:
        if export.report is not None:
            found.setdefault((export.run.backend, export.recording.number), export.report)
    return sorted(((*key, report) for key, report in found.items()), key=lambda row: row[:2])


def _reidentification_rate(report: PrivacyReport, kind: str) -> PlottedValue:
    attack = report.strongest_attack(kind)
    if attack is None:
        return PlottedValue(None, reason=tr("No model that recognises faces was installed."))
    return _to_measured(attack.rates[0])


def _to_measured(figure: MeasuredValue) -> PlottedValue:
    return PlottedValue(figure.value, figure.n, reason=figure.note)


_NOTHING_EXPORTED = tr("Nothing was exported yet. Export a recording first: Ctrl+E.")


class PrivacyTab(StudyView):
    """Measures exports and shows what came of it."""

    title = tr("Privacy of exports")
    tables = frozenset({"run", "property", "recording"})
    preferred_size = (1160, 760)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._allowed = PrivacyLimits()
        self.limits = LimitsBar()
        self.table = RecordTable(
            tr("Exports"),
            [self._export_column(place) for place in range(len(EXPORT_COLUMNS))],
            key=lambda export: export.run.id,
            empty=tr("No clip was exported yet. Export one: Ctrl+E."),
        )
        self.verdict = PlainLabel(wordWrap=True, accessibleName=tr("What is over a limit"))
        self.methods = PlotWall(tr("Plots of methods"))
        self.alike = PlotWall(tr("Plot of similarities"))
        for wall in (self.methods, self.alike):
            wall.set_hint(tr("Measure an export to see this plot."))
        unmeasured = tr("Measure an export to see its figures.")
        self.tracks = RecordTable(tr("Faces of the export"), text_columns(TRACK_COLUMNS), empty=unmeasured)
        self.figures = RecordTable(tr("All figures of the export"), text_columns(FIGURE_COLUMNS), empty=unmeasured)
        self.notes = PlainLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
        self._exporting = PlotExporter(context, self.tell)
        self._arrange()
        self._connect_signals()

    def reload(self, session: Session) -> None:
        self._allowed = read_privacy_limits(session.study)
        self.limits.show_limits(self._allowed)
        self.limits.setEnabled(self._studio.writable)
        exports = list_exports(session)
        self.table.show_records(exports)
        self.methods.set_plots(method_plots(exports))
        if exports and self.table.current() is None:
            self.table.selectRow(0)
        self._show_selected()

    def selected_export(self) -> ExportedClip | None:
        """Return the export that is chosen."""
        return self.table.current()

    def measure(self) -> None:
        """Measure the chosen export; asks for its folder where it is not beside the study."""
        session, export = self._studio.session, self.selected_export()
        if session is None or export is None:
            return
        try:
            clip = self._export_path(export)
            if clip is not None:
                self._context.jobs.start(privacy_job.prepare(session, clip, export))
        except UserError as error:
            self.tell(error)

    def show_worst(self) -> None:
        """Go to the frame of the chosen export that should be looked at first."""
        export = self.selected_export()
        if export is not None and export.report is not None and export.report.worst_us is not None:
            self._context.look_at(export.recording.id, export.report.worst_us)

    def _arrange(self) -> None:
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (self.tracks, tr("F&aces")),
            (self.figures, tr("All &figures")),
            (self.alike, tr("&Similarities")),
            (self.methods, tr("&Methods")),
        ):
            self.tabs.addTab(page, name)
        split = make_splitter(
            Qt.Orientation.Vertical,
            self.table,
            make_tab_page(self.verdict, self.tabs, 1, self.notes),
            2,
            sizes=[220, 460],
        )
        self.go = push_button(
            tr("&Go to the worst frame"), tr("Show the frame of this export that should be looked at first")
        )
        self.start = push_button(tr("&Measure"), tr("Measure the chosen export against its recording"), look="primary")
        self.lay_out(self.limits, split, 1, foot=(self.go, self.start))

    def _connect_signals(self) -> None:
        self.table.selection_changed.connect(self._show_selected)
        self.tracks.chosen.connect(self._jump)
        self.limits.changed.connect(self._set_limits)
        self.start.clicked.connect(self.measure)
        self.go.clicked.connect(self.show_worst)
        self.methods.action_requested.connect(self._exporting.export_plot)
        self.alike.action_requested.connect(self._exporting.export_plot)
        jobs = self._context.jobs
        jobs.started.connect(self._on_started)
        jobs.done.connect(self._on_done)
        jobs.stopped.connect(self._on_stopped)
        theme.notifier.changed.connect(self.refresh)

    def _on_started(self, work: JobSpec) -> None:
        if work.kind == KIND:
            self.tell(tr("Measuring…"))

    def _on_done(self, work: JobSpec, _result: object) -> None:
        if work.kind == KIND:
            self.tell(tr("Measured."))

    def _on_stopped(self, work: JobSpec) -> None:
        if work.kind == KIND:
            self.tell(tr("Measuring was stopped."))

    def _show_selected(self) -> None:
        export, session = self.selected_export(), self._studio.session
        report = export.report if export is not None else None
        self.start.setEnabled(export is not None and self._studio.writable)
        self.go.setEnabled(report is not None and report.worst_us is not None)
        self.tracks.show_records(
            [TableRow(key, texts, time_us=time) for key, texts, time in track_rows(report)] if report else []
        )
        self.figures.show_records([TableRow(key, texts) for key, texts in figure_rows(report)] if report else [])
        alike = similarity_plot(report) if report else None
        self.alike.set_plots([] if alike is None else [alike])
        missing = unmeasured_limits(report) if report else []
        notes = [*missing, *(report.notes if report else ())]
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))
        self.go.setText(
            tr("&Go to the worst frame, {worst_us}").format(worst_us=format_time(report.worst_us))
            if report is not None and report.worst_us is not None
            else tr("&Go to the worst frame")
        )
        if export is None or session is None:
            self.verdict.setText(_NOTHING_EXPORTED)
        elif report is None:
            self.verdict.setText(tr("This export was not measured yet. Measure compares it with its recording."))
        else:
            over = exceeded_limits(report, self._allowed)
            self.verdict.setText(
                tr("Over the limit: ") + " ".join(over) if over else tr("Nothing that was measured is over its limit.")
            )

    def _export_column(self, place: int) -> RecordColumn[ExportedClip]:
        def exceeds(export: ExportedClip) -> bool:
            return export.report is not None and place in columns_over_limit(export.report, self._allowed)

        def tip(export: ExportedClip) -> str:
            text = export_cells(export)[place]
            return tr("{text}: over the limit").format(text=text) if exceeds(export) else text

        return RecordColumn(
            EXPORT_COLUMNS[place],
            lambda export: export_cells(export)[place],
            icon=None if place else lambda export: _export_icon(export, self._allowed),
            colour=lambda export: "error" if exceeds(export) else "text",
            bold=exceeds,
            tip=tip,
        )

    def _export_path(self, export: ExportedClip) -> Path | None:
        session = self._studio.session
        assert session is not None
        try:
            return find_clip(session, export)
        except UserError:
            folder = self._context.questions.folder(tr("Folder of {clip}").format(clip=export.clip))
            return None if folder is None else folder / export.clip

    def _jump(self, track: TableRow) -> None:
        export = self.selected_export()
        if export is not None:
            self._context.look_at(export.recording.id, track.time_us)

    def _set_limits(self, limits: PrivacyLimits) -> None:
        self.edit(partial(set_privacy_limits, limits=limits))


def _export_icon(export: ExportedClip, allowed: PrivacyLimits) -> str:
    if export.report is None:
        return "circle-dashed"
    if exceeded_limits(export.report, allowed):
        return "triangle-alert"
    return "circle-alert" if unmeasured_limits(export.report) else "circle-check"
