"""The tables of the papers, with the rows of the study first, then chance, then published results."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.metrics.published_figures import (
    ACCURACY,
    CALIBRATION_ERROR,
    CHAIN_CONSISTENCY,
    DIMENSIONS,
    EXACT_MATCH,
    FACTUALITY,
    MACRO_F1,
    MAE,
    PAIRWISE_AGREEMENT,
    PARTIAL_MATCH,
    PEARSON_R,
    RANDOLPH_KAPPA,
    SUBCHAIN_CONSISTENCY,
    describe_metric,
    join_metric_key,
)
from benchmark.prompts.recording_prompts import DIMENSIONS as ESI_DIMENSIONS
from benchmark.report.report_data import (
    ReportRun,
    ReportRuns,
    departures_of,
    figure_cell,
    group_by_name,
    published_for,
)
from benchmark.report.report_document import (
    ItemListLink,
    NumberFormat,
    ReportCell,
    ReportColumn,
    ReportRow,
    ReportTable,
    ResultOrigin,
)

_ORIGIN_ORDER = (ResultOrigin.JUDGE, ResultOrigin.PERSON, ResultOrigin.BASELINE)


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """One column: a metric of a task."""

    task: str
    metric: str
    name: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table of a paper."""

    key: str
    title: str
    note: str
    columns: tuple[PaperColumn, ...]
    number_format: NumberFormat = NumberFormat.SHARE

    @property
    def tasks(self) -> list[str]:
        """Keys of the tasks in it."""
        return list(dict.fromkeys(place.task for place in self.columns))


_DRAWS_NOTE = "Mean and standard deviation over the draws."
_QUESTION_KINDS = ("MSE", "emotion", "belief", "intent", "desire", "EU", "CW", "CH/W")
SHREC = (
    PaperTable(
        "shrec-1",
        "SHREC, table 1: errors and competences, and their attributes",
        _DRAWS_NOTE,
        (
            PaperColumn("verdict", ACCURACY, "Acc.", "Error / competence / none"),
            PaperColumn("verdict", MACRO_F1, "F1", "Error / competence / none"),
            PaperColumn("error", ACCURACY, "Acc.", "Error"),
            PaperColumn("error", MACRO_F1, "F1", "Error"),
            PaperColumn("attributes", EXACT_MATCH, "Acc.", "Attributes"),
            PaperColumn("attributes", MACRO_F1, "F1", "Attributes"),
            PaperColumn("attributes", PARTIAL_MATCH, "Partial", "Attributes"),
            PaperColumn("multiple", ACCURACY, "Acc.", "Several attributes"),
            PaperColumn("multiple", MACRO_F1, "F1", "Several attributes"),
        ),
    ),
    PaperTable(
        "shrec-2",
        "SHREC, table 2: what comes before and after, rationale and correction",
        f"Accuracy. {_DRAWS_NOTE}",
        (
            PaperColumn("pre", ACCURACY, "Before", "If-then reasoning"),
            PaperColumn("post", ACCURACY, "After", "If-then reasoning"),
            PaperColumn("rationale", ACCURACY, "Rationale", "Rationale and correction"),
            PaperColumn("correction", ACCURACY, "Correction", "Rationale and correction"),
        ),
    ),
)
R3_VQA = (
    PaperTable(
        "r3vqa",
        "R3-VQA: questions made from causal chains",
        "Accuracy by kind of question, and the share of chains and subchains that were answered right as a whole.",
        (
            *(
                PaperColumn("r3vqa", join_metric_key(ACCURACY, kind), kind.capitalize() if kind.islower() else kind)
                for kind in _QUESTION_KINDS
            ),
            PaperColumn("r3vqa", ACCURACY, "Overall"),
            PaperColumn("r3vqa", CHAIN_CONSISTENCY, "Chain", "Consistency"),
            PaperColumn("r3vqa", SUBCHAIN_CONSISTENCY, "Subchain", "Consistency"),
        ),
    ),
    PaperTable(
        "r3vqa-written",
        "R3-VQA: questions written by people",
        "Accuracy.",
        (PaperColumn("r3vqa_written", ACCURACY, "Overall"),),
    ),
)
ESI = (
    PaperTable(
        "esi",
        "ESI-Bench",
        "Accuracy among four options.",
        (
            PaperColumn("esi", ACCURACY, "Overall"),
            *(
                PaperColumn("esi", join_metric_key(ACCURACY, key), dimension.name, "By dimension")
                for key, dimension in ESI_DIMENSIONS.items()
            ),
        ),
    ),
)
SOCIALNLI = (
    PaperTable(
        "socialnli",
        "SocialNLI: how likely an inference is",
        "The posterior beside what people said, with the opposing likelihood of section 4.1 and of the prompt C.8.",
        tuple(
            PaperColumn("socialnli", join_metric_key(metric, part), name, group)
            for part, group in (("", "Section 4.1"), ("c8", "Appendix C.8"))
            for metric, name in ((PEARSON_R, "r"), (MAE, "MAE"), (CALIBRATION_ERROR, "Calibration error"))
        ),
        NumberFormat.FIGURE,
    ),
    PaperTable(
        "socialnli-facts",
        "SocialNLI: explanations that people found to be right",
        "Share of the explanations.",
        (PaperColumn("socialnli_facts", FACTUALITY, "Factuality"),),
        NumberFormat.FIGURE,
    ),
)
SOTOPIA = (
    PaperTable(
        "sotopia",
        "SOTOPIA-EVAL: ratings beside the mean of people",
        "Pearson's r by dimension, mean absolute error, and how people agree with each other.",
        (
            *(
                PaperColumn(
                    "sotopia_eval", join_metric_key(PEARSON_R, key), key.replace("_", " ").capitalize(), "Pearson's r"
                )
                for key in DIMENSIONS
            ),
            PaperColumn("sotopia_eval", PEARSON_R, "Mean", "Pearson's r"),
            PaperColumn("sotopia_eval", MAE, "MAE"),
            PaperColumn("sotopia_eval", RANDOLPH_KAPPA, "Kappa", "People"),
            PaperColumn("sotopia_eval", PAIRWISE_AGREEMENT, "Agreement", "People"),
        ),
    ),
)
SECTION_TABLES = {"shrec": SHREC, "r3vqa": R3_VQA, "esi": ESI, "socialnli": SOCIALNLI, "sotopia": SOTOPIA}
"""Key of a section -> its tables."""


def paper_tables(material: ReportRuns, layouts: Sequence[PaperTable]) -> list[ReportTable]:
    """Return the tables with at least one task that was asked."""
    return [_table(material, layout) for layout in layouts if material.runs_of(*layout.tasks)]


def other_tables(material: ReportRuns) -> list[ReportTable]:
    """Return a table for each task that is in no table of a paper, such as one from a plugin."""
    covered = {place.task for layouts in SECTION_TABLES.values() for layout in layouts for place in layout.columns} | {
        "conditions"
    }
    found = []
    for task in material.tasks():
        if task not in covered:
            entry = material.entries[task]
            places = tuple(PaperColumn(task, metric.key, metric.name) for metric in entry.metrics)
            found.append(
                _table(material, PaperTable(f"task-{task}", entry.name, entry.description, places, NumberFormat.FIGURE))
            )
    return found


def _table(material: ReportRuns, layout: PaperTable) -> ReportTable:
    places = _available_columns(material, layout)
    own = _study_rows(material, layout, places)
    chance = [_reference_row(material, places, "Chance"), _reference_row(material, places, "Constant answer")]
    rows = [
        *own,
        *(row for row in chance if any(cell.value is not None for cell in row.cells)),
        *_published_rows(layout, places),
    ]
    columns = tuple(
        ReportColumn(f"{place.task}.{place.metric}", place.name, layout.number_format, place.group) for place in places
    )
    note = " ".join([layout.note, *departures_of(material.runs_of(*layout.tasks))])
    return ReportTable(layout.key, layout.title, note, columns, tuple(rows))


def _available_columns(material: ReportRuns, layout: PaperTable) -> list[PaperColumn]:
    """Return the columns with a value in the study or in a paper."""
    known = {(row.task, row.metric) for row in published_for(layout.tasks)}
    own = {
        (report_run.task, row.metric)
        for report_run in material.runs_of(*layout.tasks)
        for row in report_run.figures.rows
    }
    return [place for place in layout.columns if (place.task, place.metric) in known | own]


def _study_rows(material: ReportRuns, layout: PaperTable, places: Sequence[PaperColumn]) -> list[ReportRow]:
    """Return one row for each judge and setting over all tasks of the table, with the best of each column marked."""
    by_row: dict[str, list[ReportRun]] = {}
    for report_run in material.runs_of(*layout.tasks):
        by_row.setdefault(report_run.name, []).append(report_run)
    rows = [
        ReportRow(name, some[0].origin, tuple(_cell(some, place) for place in places)) for name, some in by_row.items()
    ]
    rows.sort(key=lambda row: _ORIGIN_ORDER.index(row.origin))
    return _mark_best(rows, places)


def _cell(asked: Sequence[ReportRun], place: PaperColumn) -> ReportCell:
    report_run = next((run for run in asked if run.task == place.task), None)
    if report_run is None:
        return ReportCell(reason="not asked")
    return figure_cell(report_run.row(place.metric), ItemListLink(report_run.list_key))


def _mark_best(rows: list[ReportRow], places: Sequence[PaperColumn]) -> list[ReportRow]:
    """Mark the best of each column among the judges of the study, if there are two or more."""
    for at, place in enumerate(places):
        meaning = describe_metric(place.metric)
        sign = 1 if meaning is None or meaning.high_is_good else -1
        values = [
            sign * value
            for row in rows
            if row.origin is ResultOrigin.JUDGE and (value := row.cells[at].value) is not None
        ]
        if len(values) < 2:
            continue
        for number, row in enumerate(rows):
            cell = row.cells[at]
            if row.origin is ResultOrigin.JUDGE and cell.value is not None and sign * cell.value == max(values):
                cells = (*row.cells[:at], _as_best(cell), *row.cells[at + 1 :])
                rows[number] = ReportRow(row.name, row.origin, cells, row.source)
    return rows


def _as_best(cell: ReportCell) -> ReportCell:
    return ReportCell(cell.value, cell.sd, cell.low, cell.high, cell.n, cell.text, cell.target, cell.reason, best=True)


def _reference_row(material: ReportRuns, places: Sequence[PaperColumn], name: str) -> ReportRow:
    """Return the row of guessing, or of one constant answer, over the items of the first run of each task."""
    cells = []
    for place in places:
        rows = [row for report_run in material.runs_of(place.task) if (row := report_run.row(place.metric)) is not None]
        values = [row.chance if name == "Chance" else row.constant for row in rows]
        cells.append(ReportCell(next((value for value in values if value is not None), None)))
    return ReportRow(name, ResultOrigin.CHANCE, tuple(cells))


def _published_rows(layout: PaperTable, places: Sequence[PaperColumn]) -> list[ReportRow]:
    rows = []
    for (name, modality, setting), some in group_by_name(published_for(layout.tasks)).items():
        found = {(published_score.task, published_score.metric): published_score for published_score in some}
        cells = [found.get((place.task, place.metric)) for place in places]
        if any(cells):
            told = f"({modality}) {name}" if modality and name != "Human" else name
            told += f", {setting}" if setting and setting != name.lower() else ""
            sources = "; ".join(dict.fromkeys(published_score.source for published_score in some))
            values = tuple(ReportCell() if cell is None else ReportCell(cell.mean, cell.sd) for cell in cells)
            rows.append(ReportRow(told, ResultOrigin.PUBLISHED, values, sources))
    return rows
