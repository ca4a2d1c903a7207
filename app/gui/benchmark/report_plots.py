"""Turns benchmark runs into the plots of the report's sections, and renders them to files, with or without a screen."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from app.gui.pages.figure_export import PLOT_FILES, plot_file
from app.gui.startup import make_application
from benchmark.metrics.published_figures import (
    ACCURACY,
    CHAIN_CONSISTENCY,
    DIMENSIONS,
    MACRO_F1,
    PEARSON_R,
    join_metric_key,
)
from benchmark.metrics.ratings import CALIBRATION_BINS, calibration
from benchmark.report.breakdown_tables import attribute_f1, error_f1
from benchmark.report.comparison_tables import condition_groups
from benchmark.report.report_data import LABEL_TRAIT, ReportRun, ReportRuns, group_by_name, published_for
from benchmark.report.report_document import ReportPlot, ResultOrigin
from benchmark.results.item_results import MetricRow
from benchmark.tasks.statement_task import human_plausibility, judge_plausibility
from project.entities.judgments import RAW_CONDITION
from project.schemes.scheme import Label, Track
from project.text_tables import TableCell
from resources.translation import tr
from widgets import theme
from widgets.labels import LabelLook, label_looks
from widgets.plots.plot_data import (
    BarPlot,
    Lines,
    Matrix,
    Plot,
    PlotNumberFormat,
    PlottedValue,
    Radar,
    Series,
    plot_text,
)

_AXES = {
    "verdict": (ACCURACY, "Error/competence/none"),
    "error": (ACCURACY, tr("Error")),
    "attributes": (MACRO_F1, tr("Attributes")),
    "multiple": (ACCURACY, tr("Several")),
    "pre": (ACCURACY, tr("Before")),
    "post": (ACCURACY, tr("After")),
    "rationale": (ACCURACY, tr("Rationale")),
    "correction": (ACCURACY, tr("Correction")),
}
"""Task -> figure and name of an axis of the radar (SHREC, figure 4)."""
_MIN_AXES = 3
_MAX_SIDE_BY_SIDE = 5
"""Judges that are drawn as bars of one group; more are a heat map."""
_MAX_LABELS = 10
_MAX_MATRICES = 24
_WHISKERS = tr("whiskers: 95 % intervals over recordings")
_HUMAN = tr("Human")
Thing = TypeVar("Thing")


def report_plots(material: ReportRuns) -> Mapping[str, Sequence[Plot]]:
    """Return the plots of each section; () where there is nothing to draw."""
    return {
        "shrec": tuple(_radar_plots(material)),
        "r3vqa": tuple(_length_plots(material)),
        "esi": tuple(_overall_plots(material, "esi")),
        "socialnli": tuple(_calibration_plots(material)),
        "sotopia": tuple(_dimension_plots(material)),
        "conditions": tuple(_condition_plots(material)),
        "parts": (*_agreement_plots(material), *_attribute_plots(material)),
        "confusions": tuple(_confusion_plots(material)),
        "answers": tuple(_time_plots(material)),
    }


def _radar_plots(material: ReportRuns) -> Iterator[Plot]:
    tasks = [task for task in _AXES if material.runs_of(task)]
    if len(tasks) < _MIN_AXES:
        return
    by_row: dict[str, dict[str, ReportRun]] = {}
    for report_run in material.runs_of(*tasks):
        by_row.setdefault(report_run.name, {})[report_run.task] = report_run
    shapes: list[Series] = []
    outlines: list[Series] = []
    for (name, _, _), rows in group_by_name(published_for(tasks)).items():
        if name == _HUMAN:
            known = {(row.task, row.metric): row.mean for row in rows}
            values = tuple(PlottedValue(known.get((task, _AXES[task][0]))) for task in tasks)
            outlines.append(Series(tr("Human, as published"), values))
    for name, asked in by_row.items():
        found = [asked[task].row(_AXES[task][0]) if task in asked else None for task in tasks]
        series = Series(name, tuple(to_measured(row) for row in found))
        people = next(iter(asked.values())).origin is ResultOrigin.PERSON
        (outlines if people else shapes).append(series)
    guessed = [[report_run.row(_AXES[task][0]) for report_run in material.runs_of(task)] for task in tasks]
    chance = [
        next((row.chance for row in rows if row is not None and row.chance is not None), None) for rows in guessed
    ]
    outlines.append(Series(tr("Chance"), tuple(PlottedValue(value) for value in chance)))
    note = tr("Accuracy; macro-F1 for attributes. Centre 0, rim 1")
    if shapes:
        yield Radar(
            "radar",
            tr("The tasks of SHREC"),
            note,
            tuple(_AXES[task][1] for task in tasks),
            tuple(shapes),
            tuple(outlines),
        )


def _length_plots(material: ReportRuns) -> Iterator[Plot]:
    for metric, key, title in (
        (CHAIN_CONSISTENCY, "consistency-by-length", tr("Chain consistency, by the length of the chain")),
        (ACCURACY, "accuracy-by-length", tr("Accuracy, by the length of the chain")),
    ):
        found: list[tuple[str, dict[float, MetricRow]]] = []
        for report_run in material.runs_of("r3vqa"):
            parts = [
                part
                for breakdown in report_run.figures.breakdowns
                if breakdown.trait == "steps"
                for part in breakdown.parts
            ]
            rows = {
                float(part.value): row
                for part in parts
                if part.value.isdecimal() and (row := _find_row(part.figures, metric))
            }
            if any(row.mean is not None for row in rows.values()):
                found.append((report_run.name, rows))
        x = tuple(sorted({steps for _, rows in found for steps in rows}))
        for place, some in enumerate(_split_chunks(found, _MAX_SIDE_BY_SIDE)):
            values = [[to_measured(rows.get(steps)) for steps in x] for _, rows in some]
            series = _make_series([name for name, _ in some], values)
            yield Lines(_numbered_key(key, place), title, tr("R3-VQA: share of chains answered right as a whole")
                        if metric == CHAIN_CONSISTENCY else "R3-VQA", x, series, "steps", tr("Share"))  # fmt: skip


def _overall_plots(material: ReportRuns, task: str) -> Iterator[Plot]:
    asked = material.runs_of(task)
    if asked:
        metric = material.entries[task].metrics[0]
        rows = [report_run.row(metric.key) for report_run in asked]
        chance = tuple(None if row is None else row.chance for row in rows)
        known = any(value is not None for value in chance)
        yield BarPlot(
            f"{task}-overall",
            f"{material.entries[task].name}: {metric.name.lower()}",
            _WHISKERS.capitalize(),
            tuple(report_run.name for report_run in asked),
            (Series(metric.name.lower(), tuple(to_measured(row) for row in rows)),),
            metric.name.lower(),
            PlotNumberFormat.FIGURE,
            reference="chance" if known else "",
            references=chance if known else (),
        )


def _calibration_plots(material: ReportRuns) -> Iterator[Plot]:
    x = tuple((place + 0.5) / CALIBRATION_BINS for place in range(CALIBRATION_BINS))
    found: list[tuple[str, list[PlottedValue]]] = []
    for report_run in material.runs_of("socialnli"):
        pairs = [
            (truth, judge_plausibility(said))
            for said in report_run.figures.counted_responses
            if (truth := human_plausibility(said)) is not None
        ]
        bins = calibration([true for true, _ in pairs], [None if said is None else said[0] for _, said in pairs]).bins
        by_place = {round(calibration_bin.low * CALIBRATION_BINS): calibration_bin for calibration_bin in bins}
        if bins:
            found.append((report_run.name, [
                PlottedValue(by_place[place].mean_truth, by_place[place].n) if place in by_place else PlottedValue(None)
                for place in range(CALIBRATION_BINS)
            ]))  # fmt: skip
    for place, some in enumerate(_split_chunks(found, _MAX_SIDE_BY_SIDE - 1)):
        named = [*(name for name, _ in some), tr("Perfect")]
        series = _make_series(named, [*(values for _, values in some), [PlottedValue(value) for value in x]])
        yield Lines(
            _numbered_key("calibration", place),
            tr("Calibration of plausibility"),
            tr("SocialNLI: what people said of the statements that a judge put in each bin"),
            *(x, series, tr("plausibility by the judge"), tr("Plausibility by people")),
        )


def _dimension_plots(material: ReportRuns) -> Iterator[Plot]:
    asked = material.runs_of("sotopia_eval")
    if not asked:
        return
    metrics = [join_metric_key(PEARSON_R, key) for key in DIMENSIONS]
    names = [key.replace("_", " ").capitalize() for key in DIMENSIONS]
    papers = {row.metric: row.mean for row in published_for(["sotopia_eval"]) if row.setting.endswith("models")}
    references = tuple(papers.get(metric) for metric in metrics)
    for place, some in enumerate(_split_chunks(asked, _MAX_SIDE_BY_SIDE)):
        values = [[to_measured(report_run.row(metric)) for metric in metrics] for report_run in some]
        yield BarPlot(
            _numbered_key("sotopia-by-dimension", place),
            tr("Ratings beside those of people"),
            tr("SOTOPIA-EVAL; {whiskers}").format(whiskers=_WHISKERS),
            tuple(names),
            _make_series([report_run.name for report_run in some], values),
            tr("Pearson's r"),
            PlotNumberFormat.FIGURE,
            reference=tr("GPT-4, as published"),
            references=references,
        )


def _condition_plots(material: ReportRuns) -> Iterator[Plot]:
    found = condition_groups(material)
    keys = sorted(
        {report_run.figures.run.condition for some in found for report_run in some},
        key=lambda condition: (condition != RAW_CONDITION, condition),
    )
    for metric, name in ((MACRO_F1, "macro-F1"), (ACCURACY, "accuracy")):
        some = [group for group in found if any(report_run.row(metric) is not None for report_run in group)]
        if not some:
            continue
        columns = []
        for key in keys:
            rows = [
                next((report_run.row(metric) for report_run in group if report_run.figures.run.condition == key), None)
                for group in some
            ]
            columns.append([to_measured(row) for row in rows])
        yield BarPlot(
            f"conditions-{metric.replace('_', '-')}",
            tr("Conditions: {name}").format(name=name),
            _WHISKERS.capitalize(),
            tuple(f"{material.entries[group[0].task].name}: {group[0].name}" for group in some),
            _make_series([material.condition_name(key).capitalize() for key in keys], columns),
            name,
            PlotNumberFormat.FIGURE,
        )


def _agreement_plots(material: ReportRuns) -> Iterator[Plot]:
    states = ("agreed", "disagreed")
    for task in material.tasks():
        there = {
            part.value
            for run in material.runs_of(task)
            for breakdown in run.figures.breakdowns
            for part in breakdown.parts
            if breakdown.trait == "agreed"
        }
        if not set(states) <= there:
            continue
        asked, metrics = material.runs_of(task), material.entries[task].metrics
        groups = [(report_run, metric) for report_run in asked for metric in metrics]
        columns = [
            [to_measured(report_run.part("agreed", state, metric.key)) for report_run, metric in groups]
            for state in states
        ]
        yield BarPlot(
            f"agreed-{task.replace('_', '-')}",
            tr("{name}: agreed against disagreed").format(name=material.entries[task].name),
            tr("Whether annotators agreed about an item"),
            tuple(f"{report_run.name}: {metric.name.lower()}" for report_run, metric in groups),
            _make_series([state.capitalize() for state in states], columns),
            "share",
            PlotNumberFormat.FIGURE,
        )


def _attribute_plots(material: ReportRuns) -> Iterator[Plot]:
    for key, title, note, measure, tasks in (
        (
            "error-f1-by-attribute",
            tr("Finding errors, by attribute"),
            tr("F1 of error"),
            error_f1,
            ("verdict", "error"),
        ),
        ("attribute-f1", tr("Naming attributes"), tr("F1 of each attribute"), attribute_f1, ("attributes",)),
    ):
        for task in tasks:
            figures = [(run.name, found) for run in material.runs_of(task) if (found := measure(material, run))]
            names = tuple(dict.fromkeys(name for _, cells in figures for name in cells))
            told = tuple(material.value_title("attributes", text) for text in names)
            where = f"{note}; {material.entries[task].name.lower()}" if figures else ""
            if 0 < len(figures) <= _MAX_SIDE_BY_SIDE:
                columns = [[_cell_to_measured(cells.get(name)) for name in names] for _, cells in figures]
                series = _make_series([name for name, _ in figures], columns)
                yield BarPlot(f"{key}-{task}", title, where, told, series, "F1", PlotNumberFormat.FIGURE)
            elif figures:
                values = tuple(
                    tuple(_cell_to_measured(cells.get(name)).value for name in names) for _, cells in figures
                )
                rows = tuple(name for name, _ in figures)
                yield Matrix(
                    f"{key}-{task}",
                    title,
                    where,
                    rows,
                    told,
                    values,
                    "judge",
                    "attribute",
                    number=PlotNumberFormat.FIGURE,
                )


def _confusion_plots(material: ReportRuns) -> Iterator[Plot]:
    made = 0
    for report_run in material.runs:
        for number, found in enumerate(report_run.figures.confusions):
            if len(found.labels) <= _MAX_LABELS and made < _MAX_MATRICES:
                made += 1
                labels = tuple(material.value_title(LABEL_TRAIT, label) for label in found.labels)
                yield Matrix(
                    f"confusion-{report_run.list_key}-{number}",
                    f"{material.entries[report_run.task].name}: {report_run.name}",
                    tr("n = {number:,} answers of all draws").format(number=sum(map(sum, found.counts))),
                    labels,
                    (*labels, tr("Unreadable")),
                    found.counts,
                    "true",
                    "said",
                    diagonal=True,
                )


def _time_plots(material: ReportRuns) -> Iterator[Plot]:
    known = [run for run in material.runs if run.figures.counts.counted and run.figures.spent.ms]
    if known:
        values = tuple(
            PlottedValue(run.figures.spent.ms / 1000 / run.figures.counts.counted, run.figures.counts.counted)
            for run in known
        )
        names = tuple(f"{material.entries[report_run.task].name}: {report_run.name}" for report_run in known)
        series = (Series("seconds", values),)
        yield BarPlot(
            "time",
            tr("Time an item"),
            tr("All answers to it together"),
            names,
            series,
            "seconds",
            PlotNumberFormat.FIGURE,
        )


def to_measured(row: MetricRow | None) -> PlottedValue:
    """Return a figure for a plot."""
    if row is None:
        return PlottedValue(None, reason=tr("not asked"))
    return PlottedValue(
        row.mean, row.n, row.low, row.high, "" if row.mean is not None else tr("undefined over these items")
    )


def _cell_to_measured(cell: TableCell | None) -> PlottedValue:
    return PlottedValue(None) if cell is None else PlottedValue(cell.figure, cell.n, reason=cell.reason)


def _find_row(rows: Sequence[MetricRow], metric: str) -> MetricRow | None:
    return next((row for row in rows if row.metric == metric), None)


def _split_chunks(values: Sequence[Thing], most: int) -> list[Sequence[Thing]]:
    return [values[at : at + most] for at in range(0, len(values), most)]


def _numbered_key(key: str, place: int) -> str:
    return f"{key}-{place + 1}" if place else key


def _make_series(names: Sequence[str], columns: Sequence[Sequence[PlottedValue]]) -> tuple[Series, ...]:
    if len(names) == 1:
        return (Series(names[0], tuple(columns[0])),)
    return tuple(
        Series(name, tuple(column), look)
        for name, column, look in zip(names, columns, _series_looks(len(names)), strict=True)
    )


def _series_looks(many: int) -> Sequence[LabelLook]:
    return label_looks(Track("series", "", tuple(Label(str(index), str(index)) for index in range(many))))


def render_plots(material: ReportRuns) -> dict[str, list[ReportPlot]]:
    """Return the plots of each section; an application object has to be there."""
    return {key: [_render_plot(plot) for plot in plots] for key, plots in report_plots(material).items()}


def render_plots_offscreen(material: ReportRuns) -> Mapping[str, Sequence[ReportPlot]]:
    """Return the plots of each section, from a process that opens no window."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    theme.apply(make_application(), "light")
    return render_plots(material)


def _render_plot(plot: Plot) -> ReportPlot:
    return ReportPlot(plot.key, plot.title, plot_text(plot), {kind: plot_file(plot, kind) for kind in PLOT_FILES})
