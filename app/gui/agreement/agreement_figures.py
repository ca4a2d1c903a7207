"""Computes agreement and study statistics in the background and presents them as table rows, plots and files.

Reports whether the figures match the study as it is now.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotate.agreement.agreement_report import AgreementReport, AgreementRow, compute_report
from annotate.agreement.annotation_arrays import NamedKey
from annotate.agreement.figure_intervals import Floats, PublishedFigure, StatisticResult
from annotate.agreement.study_agreement import (
    AgreementQuery,
    FigureDescription,
    build_report_tables,
    describe_figure,
    read_agreement_input,
)
from annotate.statistics.segment_statistics import (
    BINS,
    ChoiceFieldCounts,
    SampleCounts,
    Statistics,
    summarize_by_annotator,
    summarize_segments,
)
from app.gui.pages.figure_export import PLOT_FILES, plot_file
from project.codec import dump
from project.entities.study_records import Json
from project.progress import Progress
from project.schemes.scheme import Label, Pattern, Track
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import to_csv
from project.timebase import SECOND_US
from resources.translation import tr, trn
from widgets.labels import LabelLook, Sign, label_looks, unknown_look
from widgets.plots.estimates_table import AgreementFigureRow, SplitRow
from widgets.plots.plot_data import (
    BarPlot,
    Histogram,
    HistogramPanel,
    Lines,
    Matrix,
    Plot,
    PlotNumberFormat,
    PlottedValue,
    Series,
)


def agreement_files(report: AgreementReport, statistics: Statistics, plots: Iterable[Plot]) -> dict[str, bytes]:
    """Return path inside the folder -> content.

    `agreement.json` is what `greenroom team agreement --json` prints; each plot comes as SVG, PNG, PDF and CSV.
    """
    files = {"agreement.json": _json(dump(report)), "statistics.json": _json(statistics.to_json())}
    for name, (head, rows) in build_report_tables(report).items():
        files[f"tables/{name}.csv"] = _csv(to_csv(head, rows))
    for plot in plots:
        files.update((f"plots/{plot.key}.{kind}", plot_file(plot, kind)) for kind in PLOT_FILES)
    return files


def _json(value: dict[str, Json]) -> bytes:
    return f"{to_json(value)}\n".encode()


def _csv(text: str) -> bytes:
    return text.encode("utf-8-sig", "replace")


_FIGURE_GROUPS = (
    (
        tr("Counterparts and labels"),
        ("overlap_share", "verdict_agreement", "matched_agreement", "sample_agreement", "disagreement_share"),
    ),
    (
        tr("Above chance"),
        (
            *("cohen_kappa", "alpha", "elan_kappa", "elan_kappa_matched"),
            *("point_kappa", "point_alpha", "point_kappa_matched", "sample_kappa", "sample_alpha"),
        ),
    ),
    (tr("Boundaries"), ("mean_iou", "elan_ratio")),
    (tr("Times"), ("point_f1", "point_f1_same_label", "point_distance")),
    (tr("Other people"), ("reviewer_agreement", "third_agreement")),
)
_F1_MEANING = tr("Share of segments that find a partner of that IoU; n: annotations.")
_LABELLED_F1_MEANING = tr("The same where a pair must have one label.")
_SPLITS = {
    "label": tr("Label"),
    "participant": tr("Participant"),
    "recording": tr("Recording"),
    "pair": tr("Pair"),
    "annotator": tr("Annotator"),
}
_DISTANCE = "point_distance"


def to_measured(figure: StatisticResult) -> PlottedValue:
    """Return a figure as the tables and plots take it."""
    return PlottedValue(figure.value, figure.n, figure.low, figure.high, figure.reason)


def main_rows(report: AgreementReport) -> list[AgreementFigureRow]:
    """Return the figures of the whole track under headings, with the published ones."""
    published = {beside.published.figure: beside.published for beside in report.published}
    rows: list[AgreementFigureRow] = []
    for heading, keys in _FIGURE_GROUPS:
        shown = [key for key in keys if key in report.main]
        if not shown:
            continue
        rows.append(AgreementFigureRow(heading))
        rows += [
            _figure_row(
                describe_figure(key, report.settings.marks),
                report.main[key],
                published.get(key),
                distance_axis_end(report) if key == _DISTANCE else 1.0,
            )
            for key in shown
        ]
        if heading == tr("Boundaries"):
            rows += [
                _figure_row(
                    FigureDescription(tr("F1 at IoU {level}").format(level=level), _F1_MEANING), statistic_result
                )
                for level, statistic_result in report.f1_iou.items()
            ]
            rows += [
                _figure_row(
                    FigureDescription(
                        tr("F1 with the same label at IoU {level}").format(level=level), _LABELLED_F1_MEANING
                    ),
                    statistic_result,
                )
                for level, statistic_result in report.f1_iou_same_label.items()
            ]
    names = {label.key: label.name for label in report.labels}
    rows.append(AgreementFigureRow(tr("What was marked")))
    for key, figure in report.label_share.items():
        words = FigureDescription(
            tr("Marked as {value}").format(value=names.get(key, key)),
            tr("Share of all annotations; n: annotations."),
        )
        rows.append(_figure_row(words, figure, published.get(f"label_share.{key}")))
    fields = {field.key: field.name for field in report.fields}
    for group, where, figures in (
        ("choices_where_agreed", "agree", report.choices_where_agreed),
        ("choices_where_differing", "differ", report.choices_where_differing),
    ):
        for key, figure in figures.items():
            words = FigureDescription(
                tr("{fields} a segment where annotators {where}").format(fields=fields.get(key, key), where=where),
                tr("Mean number; n: segments."),
            )
            rows.append(_figure_row(words, figure, published.get(f"{group}.{key}")))
    return rows


def distance_axis_end(report: AgreementReport) -> float:
    """Return the longest distance that matched points can have, in seconds: the tolerance."""
    return report.settings.options.tolerance_us / SECOND_US or 1.0


def form_rows(report: AgreementReport) -> list[AgreementFigureRow]:
    """Return the figures of the form: each field, and each of its choices."""
    rows: list[AgreementFigureRow] = []
    for field in report.fields:
        rows.append(AgreementFigureRow(field.name))
        for key, figure in field.figures.items():
            # A difference of two ratings is at most as large as the scale.
            end = float(str(figure.more.get("range", 1)))
            rows.append(_figure_row(describe_figure(key, field=True), figure, axis_end=end))
        for choice in field.choices:
            for key, figure in choice.figures.items():
                words = describe_figure(key, field=True)
                rows.append(
                    _figure_row(
                        FigureDescription(f"{choice.name}: {_lowercase_first(words.name)}", words.meaning), figure
                    )
                )
    return rows


def available_splits(report: AgreementReport) -> dict[str, str]:
    """Return what the figures can be split by: key -> name; what has no rows is left out."""
    fields = {field.key: field.name for field in report.fields}
    return {key: _SPLITS.get(key) or fields.get(key, key) for key, rows in report.rows.items() if rows}


def split_columns(report: AgreementReport, split: str) -> dict[str, FigureDescription]:
    """Return the figures that the rows of a split have, in their order."""
    marks = report.settings.marks
    return {key: describe_figure(key, marks) for row in report.rows.get(split, ()) for key in row.figures}


def split_rows(rows: Sequence[AgreementRow], columns: Mapping[str, FigureDescription]) -> list[SplitRow]:
    """Return rows with a figure for each column."""
    return [
        SplitRow(row.key, row.name, tuple(_to_optional_measured(row.figures.get(key)) for key in columns))
        for row in rows
    ]


def _to_optional_measured(figure: StatisticResult | None) -> PlottedValue | None:
    return None if figure is None else to_measured(figure)


def _figure_row(
    words: FigureDescription,
    figure: StatisticResult,
    published: PublishedFigure | None = None,
    axis_end: float = 1.0,
) -> AgreementFigureRow:
    value, source = (None, "") if published is None else (published.value, published.source)
    return AgreementFigureRow(words.name, words.meaning, to_measured(figure), value, source, axis_end)


def _lowercase_first(name: str) -> str:
    """Begin a name in lower case, unless it begins with somebody's."""
    return name if name.split(" ")[0].endswith("'s") else name[0].lower() + name[1:]


MAX_BARS = 40
"""More groups than this are drawn as a histogram of their values."""
_FIGURE_BINS = tuple(place / 20 for place in range(-20, 21))


def agreement_plots(report: AgreementReport) -> list[Plot]:
    """Return what agreement is drawn as; nothing where no recording was annotated by two."""
    if not report.settings.recordings_compared:
        return []
    names = [display_name(label) for label in report.labels]
    matched = sum(sum(row[:-1]) for row in report.confusion[:-1])
    alone = sum(map(sum, report.confusion)) - matched
    cells = [*report.confusion[:-1], (*report.confusion[-1][:-1], None)]
    found: list[Plot] = [
        Matrix(
            "confusion",
            tr("Labels of matched segments"),
            tr("{pairs}, {alone} without a partner").format(
                pairs=trn("{count} matched pair", "{count} matched pairs", matched),
                alone=trn("{count} segment", "{count} segments", alone),
            ),
            (*names, tr("Unmatched")),
            (*names, tr("Unmatched")),
            tuple(cells),
            down=tr("First of the pair"),
            across=tr("Second of the pair"),
            diagonal=True,
        ),
    ]
    if report.f1_iou:
        found.append(_f1_plot(report))
    shares = [
        beside
        for beside in report.published
        if beside.published.value <= 1 and beside.own and beside.own.value is not None
    ]
    if shares:
        found.append(
            BarPlot(
                "published",
                tr("Beside the SHREC paper"),
                tr("Shares of this study with 95 % intervals over recordings"),
                tuple(share.published.name for share in shares),
                (Series(tr("This study"), tuple(to_measured(share.own) for share in shares if share.own is not None)),),
                "share",
                PlotNumberFormat.FIGURE,
                reference=tr("SHREC paper"),
                references=tuple(share.published.value for share in shares),
            )
        )
    for key, title in (
        ("label", tr("Same label, by label")),
        ("participant", tr("Same label, by participant")),
        *((field.key, tr("Same label, by {name}").format(name=field.name.lower())) for field in report.fields),
    ):
        rows = report.rows.get(key, ())
        if any(row.figures["verdict_agreement"].value is not None for row in rows):
            found.append(split_plot(report, key, "verdict_agreement", f"same_label_by_{key}", title))
    return found


def split_plot(report: AgreementReport, split: str, figure: str, key: str = "", title: str = "") -> Plot:
    """Draw one figure of each row of a split: as bars with intervals, or as a histogram where there are many rows."""
    name = describe_figure(figure, report.settings.marks).name
    by = available_splits(report).get(split, split).lower()
    key, title = key or f"{figure}_by_{split}", title or tr("{figure}, by {split}").format(figure=name, split=by)
    having = [row for row in report.rows[split] if figure in row.figures]
    defined = [row.figures[figure].value for row in having if row.figures[figure].value is not None]
    if len(having) > MAX_BARS:
        values = np.array(defined, float)
        lowest = min(0.0, float(np.floor(values.min(initial=0) * 10) / 10))
        edges = np.array([edge for edge in _FIGURE_BINS if edge >= lowest])
        edges *= distance_axis_end(report) if figure == _DISTANCE else 1.0
        counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
        middle = float(np.median(values)) if len(values) else None
        pile = HistogramPanel(
            name,
            tuple(counts.tolist()),
            mark=middle,
            mark_name="" if middle is None else tr("median {middle:.3f}").format(middle=middle),
        )
        undefined = len(having) - len(defined)
        note = tr("{having} groups").format(having=len(having)) + (
            tr(", undefined in {undefined}").format(undefined=undefined) if undefined else ""
        )
        return Histogram(key, title, note, tuple(edges.tolist()), (pile,), name)
    bars = tuple(to_measured(row.figures[figure]) for row in having)
    whole = sum(bar.n or 0 for bar in bars)
    intervals = tr("; whiskers: 95 % intervals over recordings") if any(bar.low is not None for bar in bars) else ""
    return BarPlot(
        key,
        title,
        tr("n from {fewest:,} to {most:,}{intervals}").format(
            fewest=min((bar.n or 0 for bar in bars), default=0),
            most=max((bar.n or 0 for bar in bars), default=0),
            intervals=intervals,
        )
        if whole
        else tr("Nothing to compare yet"),
        tuple(row.name for row in having),
        (Series(name, bars),),
        name,
        PlotNumberFormat.FIGURE,
    )


def _f1_plot(report: AgreementReport) -> Lines:
    levels = [float(level) for level in report.f1_iou]
    n = max((figure.n for figure in report.f1_iou.values()), default=0)
    boundaries = LabelLook("f1", tr("Boundaries"), "accent", Pattern.SOLID, Sign.SQUARE)
    labels = LabelLook("f1_same_label", tr("And label"), "uncertain", Pattern.HATCH, Sign.TRIANGLE)
    return Lines(
        "f1_over_iou",
        tr("F1 over the IoU that is asked for"),
        tr("n = {n:,} annotations; whiskers: 95 % intervals over recordings").format(n=n),
        tuple(levels),
        (
            Series(tr("Boundaries"), tuple(map(to_measured, report.f1_iou.values())), boundaries),
            Series(tr("And label"), tuple(map(to_measured, report.f1_iou_same_label.values())), labels),
        ),
        tr("IoU"),
        "F1",
    )


def display_name(named_key: NamedKey) -> str:
    """Return what people call it."""
    return named_key.name or named_key.key


def format_count(number: int, thing: str) -> str:
    """Return a number and what it counts, whose plural ends in s."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


Looks = Mapping[str, LabelLook]
_DURATION_PERCENTILE = 97
"""Percent of the durations that the histogram shows; the last bin holds the others."""
_DURATION_BINS = 16
_MAX_ANNOTATORS = 6
"""More annotators than this cannot be told apart in one plot."""


def statistics_plots(statistics: Statistics, looks: Looks) -> list[Plot]:
    """Return what the study's segments are drawn as; nothing where nothing is marked."""
    total = int(statistics.by_label.sum())
    if not total:
        return []
    labels = [(label, looks.get(label.key) or unknown_look(label.key)) for label in statistics.labels]
    about = tr("{segments} in {recordings}").format(
        segments=trn("{count} segment", "{count} segments", total),
        recordings=trn("{count} recording", "{count} recordings", statistics.recordings),
    )
    found: list[Plot] = [
        BarPlot(
            "segments_by_annotator",
            tr("Segments by label and annotator"),
            about,
            tuple(who.name for who in statistics.annotators),
            _series_by_label(labels, statistics.by_annotator.T),
            "segments",
            stacked=True,
        ),
        _density_plot(
            "density",
            tr("Points over the recording") if statistics.points else tr("Marked time over the recording"),
            tr("{about}; mean of recordings and annotators").format(about=about),
            [(label, look, statistics.density[place]) for place, (label, look) in enumerate(labels)],
            points=statistics.points,
        ),
    ]
    if statistics.samples is not None:
        found.append(_samples_plot(statistics.samples, labels))
    elif not statistics.points:
        durations = [(label, look, statistics.seconds[label.key]) for label, look in labels]
        found.append(_duration_histogram("durations", tr("How long segments are"), durations))
    for field in statistics.fields:
        if field.filled:
            found += _field_plots(field, labels, total)
    return found


def annotator_plots(by_annotator: Sequence[Statistics]) -> list[Plot]:
    """Return the statistics of several annotators side by side; nothing for one, too many, or without any segment."""
    total = sum(int(statistics.by_label.sum()) for statistics in by_annotator)
    if not 1 < len(by_annotator) <= _MAX_ANNOTATORS or not total:
        return []
    people = [statistics.annotators[0] for statistics in by_annotator]
    looks = label_looks(Track("annotators", "", tuple(Label(who.key, who.name) for who in people)))
    named = list(zip(people, looks, strict=True))
    found: list[Plot] = [
        _density_plot(
            "density_by_annotator",
            tr("Points, by annotator") if by_annotator[0].points else tr("Marked time, by annotator"),
            tr("{count} of any label; mean of each annotator's recordings").format(
                count=trn("{count} segment", "{count} segments", total)
            ),
            [(who, look, statistics.marked) for (who, look), statistics in zip(named, by_annotator, strict=True)],
            points=by_annotator[0].points,
        ),
    ]
    if not by_annotator[0].points:
        durations = [
            (who, look, np.concatenate([np.zeros(0), *statistics.seconds.values()]))
            for (who, look), statistics in zip(named, by_annotator, strict=True)
        ]
        found.append(
            _duration_histogram("durations_by_annotator", tr("How long segments are, by annotator"), durations)
        )
    for place, field in enumerate(by_annotator[0].fields):
        counted = [statistics.fields[place] for statistics in by_annotator]
        if any(counts.filled for counts in counted):
            series = tuple(
                Series(who.name, tuple(PlottedValue(float(n)) for n in counts.co_occurrence.diagonal()), look)
                for (who, look), counts in zip(named, counted, strict=True)
            )
            found.append(
                BarPlot(
                    f"segments_by_{field.key}_and_annotator",
                    tr("Segments by {name} and annotator").format(name=field.name.lower()),
                    tr("Filled in for {count}").format(
                        count=trn("{count} segment", "{count} segments", sum(counts.filled for counts in counted))
                    ),
                    tuple(display_name(choice) for choice in field.choices),
                    series,
                    "segments",
                )
            )
    return found


def _series_by_label(labels: Sequence[tuple[NamedKey, LabelLook]], counts: Any) -> tuple[Series, ...]:
    """Return a series for each label; `counts` is (labels, groups)."""
    return tuple(
        Series(display_name(label), tuple(PlottedValue(float(count)) for count in counts[place]), look)
        for place, (label, look) in enumerate(labels)
    )


def _samples_plot(samples: SampleCounts, labels: Sequence[tuple[NamedKey, LabelLook]]) -> BarPlot:
    """Draw the share of the samples that each label has."""
    shares = tuple(PlottedValue(float(share), samples.taken) for share in samples.share)
    return BarPlot(
        "samples",
        tr("Share of samples"),
        tr("{count} taken, {missing:,} missing").format(
            count=trn("{count} sample", "{count} samples", samples.taken), missing=samples.missing
        ),
        tuple(display_name(label) for label, _ in labels),
        (Series(tr("Share of samples"), shares),),
        "share",
        PlotNumberFormat.FIGURE,
    )


def _density_plot(
    key: str, title: str, note: str, lines: Sequence[tuple[NamedKey, LabelLook, Floats]], *, points: bool
) -> Lines:
    """Draw (BINS,) shares over the recording, or points a minute, a line for each."""
    return Lines(
        key,
        title,
        note,
        tuple(100 * (place + 0.5) / BINS for place in range(BINS)),
        tuple(
            Series(display_name(named_key), tuple(PlottedValue(float(value)) for value in values), look)
            for named_key, look, values in lines
        ),
        tr("% of the recording"),
        tr("Points a minute") if points else tr("Share of the time that is marked"),
    )


def _duration_histogram(key: str, title: str, groups: Sequence[tuple[NamedKey, LabelLook, Floats]]) -> Histogram:
    """Draw how many segments last how long; each group comes with its (n,) seconds."""
    from widgets.plots.plot_figure import round_ticks

    every = np.concatenate([np.zeros(0), *(seconds for _, _, seconds in groups)])
    most = float(np.percentile(every, _DURATION_PERCENTILE)) if len(every) else 1.0
    edges = round_ticks([max(most, 1e-3)], _DURATION_BINS)
    piles = []
    for named_key, group_look, seconds in groups:
        counts = np.histogram(np.minimum(seconds, edges[-1]), edges)[0]
        middle = float(np.median(seconds)) if len(seconds) else None
        mark = "" if middle is None else tr("median {middle:.1f} s").format(middle=middle)
        piles.append(HistogramPanel(display_name(named_key), tuple(counts.tolist()), group_look, middle, mark))
    note = tr("{count}; the last bin holds all that are longer").format(
        count=trn("{count} segment", "{count} segments", len(every))
    )
    return Histogram(key, title, note, tuple(edges.tolist()), tuple(piles), "seconds", open_end=True)


def _field_plots(field: ChoiceFieldCounts, labels: Sequence[tuple[NamedKey, LabelLook]], total: int) -> list[Plot]:
    names = tuple(display_name(choice) for choice in field.choices)
    filled = tr("filled in for {filled:,} of {count}").format(
        filled=field.filled, count=trn("{count} segment", "{count} segments", total)
    )
    found: list[Plot] = [
        BarPlot(
            f"segments_by_{field.key}",
            tr("Segments by {name}").format(name=field.name.lower()),
            filled[0].upper() + filled[1:],
            names,
            _series_by_label(labels, field.by_label),
            "segments",
            stacked=True,
        )
    ]
    together = field.co_occurrence.tolist()
    if any(together[index][other] for index in range(len(names)) for other in range(len(names)) if index != other):
        found.append(
            Matrix(
                f"together_{field.key}",
                tr("{name} chosen together").format(name=field.name),
                tr("Segments with both; framed: with the one; n = {filled:,}").format(filled=field.filled),
                names,
                names,
                tuple(tuple(row) for row in together),
                diagonal=True,
            )
        )
    return found


RELEVANT_TABLES = frozenset(
    {
        *("segment", "segment_value", "review", "completion", "assignment", "annotator", "recording", "collection"),
        *("scheme_version", "property", "participant", "medium"),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class AgreementResult:
    """All figures of one question, and what they are drawn as.

    Attributes:
        per_annotator: the statistics of every annotator alone.
        looks: of the labels, by key.
        agreement_plots: plots of agreement.
        statistics_plots: plots of statistics.
    """

    report: AgreementReport
    statistics: Statistics
    per_annotator: tuple[Statistics, ...]
    looks: Mapping[str, LabelLook]
    agreement_plots: tuple[Plot, ...]
    statistics_plots: tuple[Plot, ...]


def compute_agreement_result(second: Session, question: AgreementQuery, progress: Progress) -> AgreementResult:
    """Read the study and compute all figures of a question, in any thread."""
    reading = read_agreement_input(second, question)
    progress.check_cancelled()
    statistics, each = summarize_segments(reading.material), summarize_by_annotator(reading.material)
    progress.check_cancelled()
    report = compute_report(reading, progress)
    looks = _label_looks(second, report)
    drawn = (*agreement_plots(report),)
    return AgreementResult(
        *(report, statistics, each, looks, drawn), (*statistics_plots(statistics, looks), *annotator_plots(each))
    )


def _label_looks(session: Session, report: AgreementReport) -> dict[str, LabelLook]:
    scheme = session.schemes.find(report.settings.scheme)
    if scheme is None:
        return {}
    return {look.key: look for look in label_looks(scheme.track(report.settings.track))}
