"""The tables of the papers, with the rows of the study first, then chance, then published results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from benchmark.report.report_document import ReportRow, ReportTable, ResultOrigin, cell_column, cell_row
from project.text_tables import Column, NumberFormat, TableCell

_ORIGIN_ORDER = (ResultOrigin.JUDGE, ResultOrigin.PERSON, ResultOrigin.BASELINE)


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """One column: a metric of a task."""

    task: str
    metric: str
    title: str
    group: str = ""

    @property
    def key(self) -> str:
        return f"{self.task}.{self.metric}"


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
        return list(dict.fromkeys(column.task for column in self.columns))


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
    covered = {task for layouts in SECTION_TABLES.values() for layout in layouts for task in layout.tasks}
    tables = []
    for task in material.tasks():
        if task not in covered | {"conditions"}:
            entry = material.entries[task]
            columns = tuple(PaperColumn(task, metric.key, metric.name) for metric in entry.metrics)
            layout = PaperTable(f"task-{task}", entry.name, entry.description, columns, NumberFormat.FIGURE)
            tables.append(_table(material, layout))
    return tables


def _table(material: ReportRuns, layout: PaperTable) -> ReportTable:
    available = _available_columns(material, layout)
    columns = tuple(cell_column(column.key, column.title, layout.number_format, column.group) for column in available)
    rows = [
        *_mark_best(_study_rows(material, layout, available, columns), available),
        *_reference_rows(material, available, columns),
        *_published_rows(layout, available, columns),
    ]
    note = " ".join([layout.note, *departures_of(material.runs_of(*layout.tasks))])
    return ReportTable(layout.key, layout.title, note, columns, tuple(rows))


CellColumns = Sequence[Column[Mapping[str, TableCell]]]


def _available_columns(material: ReportRuns, layout: PaperTable) -> list[PaperColumn]:
    """Return the columns with a value in the study or in a paper."""
    known = {(score.task, score.metric) for score in published_for(layout.tasks)}
    known |= {(run.task, row.metric) for run in material.runs_of(*layout.tasks) for row in run.figures.rows}
    return [column for column in layout.columns if (column.task, column.metric) in known]


def _study_rows(
    material: ReportRuns, layout: PaperTable, available: Sequence[PaperColumn], columns: CellColumns
) -> list[ReportRow]:
    """Return one row for each judge and setting over all tasks of the table."""
    runs_by_name: dict[str, dict[str, ReportRun]] = {}
    for run in material.runs_of(*layout.tasks):
        runs_by_name.setdefault(run.name, {}).setdefault(run.task, run)
    rows = []
    for name, runs in runs_by_name.items():
        cells = {
            column.key: figure_cell(asked.row(column.metric), asked.list_key)
            if (asked := runs.get(column.task)) is not None
            else TableCell(reason="not asked")
            for column in available
        }
        rows.append(cell_row(columns, name, next(iter(runs.values())).origin, cells))
    return sorted(rows, key=lambda row: _ORIGIN_ORDER.index(row.origin))


def _mark_best(rows: Sequence[ReportRow], available: Sequence[PaperColumn]) -> list[ReportRow]:
    """Mark the best of each column among the judges of the study, if there are two or more."""
    marked = [[*row.cells] for row in rows]
    for at, column in enumerate(available):
        meaning = describe_metric(column.metric)
        sign = 1 if meaning is None or meaning.high_is_good else -1
        values = {
            number: sign * value
            for number, row in enumerate(rows)
            if row.origin is ResultOrigin.JUDGE and (value := row.cells[at].figure) is not None
        }
        for number, value in values.items():
            if len(values) > 1 and value == max(values.values()):
                marked[number][at] = replace(marked[number][at], best=True)
    return [replace(row, cells=tuple(cells)) for row, cells in zip(rows, marked, strict=True)]


def _reference_rows(
    material: ReportRuns, available: Sequence[PaperColumn], columns: CellColumns
) -> Iterator[ReportRow]:
    """Yield the rows of guessing, and of one constant answer, over the items of the first run of each task."""
    for name, statistic in (("Chance", "chance"), ("Constant answer", "constant")):
        cells = {}
        for column in available:
            rows = (run.row(column.metric) for run in material.runs_of(column.task))
            values = (getattr(row, statistic) for row in rows if row is not None)
            cells[column.key] = TableCell(next((value for value in values if value is not None), None))
        if any(cell.value is not None for cell in cells.values()):
            yield cell_row(columns, name, ResultOrigin.CHANCE, cells)


def _published_rows(layout: PaperTable, available: Sequence[PaperColumn], columns: CellColumns) -> Iterator[ReportRow]:
    keys = {column.key for column in available}
    for (name, modality, setting), scores in group_by_name(published_for(layout.tasks)).items():
        cells = {f"{score.task}.{score.metric}": TableCell(score.mean, score.sd) for score in scores}
        if cells.keys() & keys:
            title = f"({modality}) {name}" if modality and name != "Human" else name
            title += f", {setting}" if setting and setting != name.lower() else ""
            sources = "; ".join(dict.fromkeys(score.source for score in scores))
            yield cell_row(columns, title, ResultOrigin.PUBLISHED, cells, sources)
