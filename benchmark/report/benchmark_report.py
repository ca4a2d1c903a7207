"""Gathers the data of a report from a study, builds the report, and writes it to a folder, whole or not at all."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.dataset.question_selection import NO_PARTICIPANTS, recording_exclusions
from benchmark.metrics.published_figures import SEPARATOR
from benchmark.report.breakdown_tables import (
    ATTRIBUTES,
    agreement_tables,
    attribute_tables,
    build_item_list,
    counts_table,
    item_traits,
    part_tables,
    releasable_list,
    sets_table,
    spending_table,
)
from benchmark.report.comparison_tables import (
    RESULTS_NAME,
    EarlierRun,
    RunPair,
    compare_with_best,
    condition_tables,
    earlier_table,
    pair_table,
    read_earlier_runs,
    results_json,
    run_table,
)
from benchmark.report.html_report import render_html, render_items_page
from benchmark.report.latex_report import latex_document, latex_table
from benchmark.report.markdown_report import items_csv, render_markdown, table_csv
from benchmark.report.paper_tables import SECTION_TABLES, other_tables, paper_tables
from benchmark.report.report_data import (
    BASELINES,
    LABEL_TRAIT,
    ReportRedactor,
    ReportRun,
    ReportRuns,
    name_parts,
    read_item_texts,
    report_names,
    run_label,
    set_names,
)
from benchmark.report.report_document import (
    BenchmarkReport,
    ReportItemList,
    ReportPlot,
    ReportSection,
    ReportTable,
    ResultOrigin,
)
from benchmark.results.run_measures import BOOTSTRAP_SAMPLES
from benchmark.runs.run_figures import RunFigures, compare_runs, compute_figures, read_figures, read_runs
from benchmark.tasks.benchmark_task import SUITE, get_benchmark_task
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import RAW_CONDITION
from project.errors import UserError
from project.files.publication import require_free, staging_folder
from project.progress import Progress, StageProgress
from project.queries.history_rows import find_run
from project.queries.item_set_rows import items_of
from project.queries.recording_rows import all_collections, all_recordings
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import pluralize
from project.timebase import utc_now
from project.version import __version__

Painter = Callable[[ReportRuns], Mapping[str, Sequence[ReportPlot]]]
"""Returns key of a section -> its plots. Implemented by the GUI, which can draw."""
_TITLES = {
    "shrec": "SHREC",
    "r3vqa": "R3-VQA",
    "esi": "ESI-Bench",
    "socialnli": "SocialNLI",
    "sotopia": "SOTOPIA",
}
_STEPS_PER_RUN = 3
"""Progress steps of a run: its figures, its comparison with the best run of its set, and its items."""
WARNING = (
    "This report holds what was said, shown and written in the study, as it is. Do not pass it on to anybody who may "
    "not see the study itself."
)


class EmptyReportError(UserError):
    """There is no run to report on."""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Options of a report.

    Attributes:
        sets: ids or names of sets; all if empty.
        compare_with: an earlier report's folder, or the id of a run; "" for no comparison.
        include_texts: include private texts, which are what was shown and answered.
        samples: of the bootstrap over recordings; 0 for no intervals.
    """

    sets: Sequence[str] = ()
    compare_with: str = ""
    include_texts: bool = False
    samples: int = BOOTSTRAP_SAMPLES


@dataclass(frozen=True, slots=True)
class ReportInput:
    """The data of a report.

    Attributes:
        items: item id -> item.
        lists: all items that may be seen here; a report leaves out those that may not leave.
        pairs: each run compared with the best of its set.
        earlier_runs: runs of an earlier report.
        comparisons: each run compared with a run of this study.
    """

    runs: ReportRuns
    items: Mapping[str, FrozenItem]
    lists: tuple[ReportItemList, ...]
    pairs: tuple[RunPair, ...]
    earlier_runs: tuple[EarlierRun, ...]
    comparisons: tuple[RunPair, ...]
    include_texts: bool


def gather_report_input(
    session: Session, wish: ReportOptions, progress: Progress, hidden: Collection[str] = frozenset()
) -> ReportInput:
    """Read the study and compute all figures.

    Args:
        session: of the study, which may be read-only.
        wish: options of the report.
        progress: reports the steps.
        hidden: ids of items whose right answers must not be shown yet, because somebody still answers them.

    Raises:
        NothingAsked: there is no run.
        Cancelled: the user stopped it.
    """
    runs = read_runs(session, sets=wish.sets)
    finish_stage = StageProgress(progress, _STEPS_PER_RUN * len(runs), "Working out figures").finish_stage
    figures = [finish_stage(compute_figures(run, samples=wish.samples)) for run in runs]
    if not figures:
        raise EmptyReportError("No set of items was asked yet.", "Ask judges about one first, in the mode Benchmark.")
    path = Path(wish.compare_with) if wish.compare_with else None
    earlier = read_earlier_runs(path) if path is not None and path.exists() else []
    other = read_figures(session, [wish.compare_with], samples=0) if path is not None and not path.exists() else []
    items = {
        item.id: item
        for set_id in dict.fromkeys(figure.item_set.id for figure in figures)
        for item in items_of(session.study, set_id)
    }
    redactor = ReportRedactor(session)
    collections = {collection.id: collection.name for collection in all_collections(session.study)}
    material = _report_runs(session, figures, redactor, collections)
    pairs = compare_with_best(session, material.runs, wish.samples, finish_stage)
    recordings = {recording.id: recording for recording in all_recordings(session.study)}
    refused = recording_exclusions(session, recordings)
    withheld = {recording_id for recording_id, why in refused.items() if wish.include_texts or why != NO_PARTICIPANTS}
    numbers = {recording.id: recording.number for recording in recordings.values()}
    comparisons = [pair for run_figures in other for pair in _comparisons(session, run_figures, material, wish.samples)]
    visible_items = {key: frozen_item for key, frozen_item in items.items() if key not in hidden}
    lists = []
    for report_run in material.runs:
        texts = read_item_texts(session, report_run.figures, items, withheld) if wish.include_texts else {}
        lists.append(
            finish_stage(
                build_item_list(report_run, material, visible_items, numbers, withheld, redactor, collections, texts)
            )
        )
    return ReportInput(
        material, items, tuple(lists), tuple(pairs), tuple(earlier), tuple(comparisons), wish.include_texts
    )


def build_report(gathered: ReportInput, pictures: Mapping[str, Sequence[ReportPlot]]) -> BenchmarkReport:
    """Build the report; needs no study."""
    material = gathered.runs
    at = utc_now()
    sections = [_section(key, title, _tables(gathered, key), pictures) for key, title in _sections()]
    non_empty = tuple(section for section in sections if section.tables or section.pictures or section.lines)
    return BenchmarkReport(
        "Benchmark report",
        at,
        WARNING if gathered.include_texts else "",
        _facts(gathered, at),
        non_empty,
        tuple(releasable_list(report_item_list) for report_item_list in gathered.lists),
        results_json(material, at=at),
    )


def _sections() -> list[tuple[str, str]]:
    return [
        *_TITLES.items(),
        ("other", "Other tasks"),
        ("conditions", "Conditions"),
        ("parts", "Parts of the items"),
        ("confusions", "What was taken for what"),
        ("significance", "Judges beside each other"),
        ("earlier", "Beside an earlier one"),
        ("answers", "Answers, time, cost and sets"),
    ]


def _section(
    key: str, title: str, tables: Sequence[ReportTable], pictures: Mapping[str, Sequence[ReportPlot]]
) -> ReportSection:
    return ReportSection(key, title, (), tuple(tables), tuple(pictures.get(key, ())))


def _tables(gathered: ReportInput, key: str) -> list[ReportTable]:
    material = gathered.runs
    if key in SECTION_TABLES:
        return paper_tables(material, SECTION_TABLES[key])
    if key == "significance":
        table = pair_table(material, gathered.pairs)
        return [table] if table is not None else []
    if key == "earlier":
        found = [run_table(material, gathered.comparisons)] if gathered.comparisons else []
        return [*found, *([earlier_table(material, gathered.earlier_runs)] if gathered.earlier_runs else [])]
    makers: dict[str, Callable[[], list[ReportTable]]] = {
        "other": lambda: other_tables(material),
        "conditions": lambda: condition_tables(material),
        "parts": lambda: [*agreement_tables(material), *attribute_tables(material), *part_tables(material)],
        "answers": lambda: [counts_table(material), spending_table(material), sets_table(material)],
    }
    return makers[key]() if key in makers else []


def _facts(gathered: ReportInput, at: str) -> dict[str, str]:
    material = gathered.runs
    homes = {item.recording_id for item in gathered.items.values()}
    facts = {
        "Made": at[:16].replace("T", " ") + " UTC",
        "Program": f"Greenroom {__version__}",
        "Runs": f"{len(material.runs):,}",
        "Items": f"{len(gathered.items):,} of {pluralize(len(homes), 'recording')}",
        "Intervals": "95 %, by resampling recordings; ± is the standard deviation over draws",
        "Published rows": "measured by the papers on their own footage and people, to compare with",
    }
    hidden = sum(releasable_list(report_item_list).withheld for report_item_list in gathered.lists)
    return facts | (
        {"Not listed": f"{pluralize(hidden, 'answered item')} of recordings that may not leave"} if hidden else {}
    )


def _report_runs(
    session: Session, figures: Sequence[RunFigures], telling: ReportRedactor, collections: Mapping[str, str]
) -> ReportRuns:
    names, sets = report_names(session, figures), set_names(session, figures)
    conditions = _conditions(session, figures)
    there = {figure.item_set.task for figure in figures}
    entries = {key: get_benchmark_task(key) for key in SUITE if key in there}
    order = [*entries]
    ranked = sorted(figures, key=lambda run_figures: order.index(run_figures.item_set.task))
    sets_by_task: dict[str, list[str]] = {}
    for run_figures in ranked:
        known = sets_by_task.setdefault(run_figures.item_set.task, [])
        if run_figures.item_set.id not in known:
            known.append(run_figures.item_set.id)
    asked = []
    for place, run_figures in enumerate(ranked, 1):
        who = names[run_figures.run.id]
        told = run_label(run_figures.run, who, conditions.get(run_figures.run.condition, run_figures.run.condition))
        number = sets_by_task[run_figures.item_set.task].index(run_figures.item_set.id) + 1
        told += f", set {number}" if len(sets_by_task[run_figures.item_set.task]) > 1 else ""
        key = f"{place:03d}-{run_figures.item_set.task.replace('_', '-')}"
        asked.append(ReportRun(run_figures, told, who, _origin(run_figures), key))
    parts = {
        part for run_figures in ranked for item in run_figures.items for part in item_traits(item.response, collections)
    }
    parts |= {
        (found.trait, part.value) for run_figures in ranked for found in run_figures.breakdowns for part in found.parts
    }
    parts |= {(ATTRIBUTES, row.metric.partition(SEPARATOR)[2]) for run_figures in ranked for row in run_figures.labels}
    parts |= {
        (LABEL_TRAIT, label) for run_figures in ranked for found in run_figures.confusions for label in found.labels
    }
    value_names = name_parts(telling, sorted(parts))
    titles = {(trait, value): telling.title(trait, name) for (trait, value), name in value_names.items()}
    return ReportRuns(tuple(asked), entries, sets, conditions, value_names, titles)


def _origin(run_figures: RunFigures) -> ResultOrigin:
    if run_figures.human:
        return ResultOrigin.PERSON
    return ResultOrigin.BASELINE if run_figures.run.judge.get("backend") in BASELINES else ResultOrigin.JUDGE


def _conditions(session: Session, figures: Sequence[RunFigures]) -> dict[str, str]:
    found = {RAW_CONDITION: RAW_CONDITION}
    for key in dict.fromkeys(figure.run.condition for figure in figures if figure.run.condition != RAW_CONDITION):
        run = find_run(session.study, key)
        found[key] = run.backend if run is not None else key
    return found


def _comparisons(session: Session, other: RunFigures, material: ReportRuns, samples: int) -> list[RunPair]:
    """Compare one run with every run of the same task."""
    known = [
        report_run
        for report_run in material.runs
        if report_run.task == other.item_set.task and report_run.figures.run.id != other.run.id
    ]
    named = report_names(session, [*(report_run.figures for report_run in material.runs), other])
    name = run_label(other.run, named[other.run.id], material.condition_name(other.run.condition))
    return [
        RunPair(report_run, f"{name} of {other.run.at[:10]}", compare_runs(session, report_run.figures, other, samples))
        for report_run in known
    ]


PAGE_NAME = "report.html"
_BASE_FILES = 4
"""Number of files that every report has."""
_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def write_report(report: BenchmarkReport, folder: Path, progress: Progress) -> list[str]:
    """Write a report and return the paths in its folder; needs no study.

    Args:
        report: the report.
        folder: a folder that does not exist or is empty.
        progress: reports the files.

    Raises:
        Cancelled: the user stopped it. Then nothing is written.
    """
    require_free(folder)
    made = []
    with staging_folder(folder) as temporary:
        after = StageProgress(progress, _count_files(report), "Writing the report").finish_stage
        for path, data in map(after, _render_files(report)):
            place = temporary / path
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data)
            made.append(path)
    return made


def _count_files(report: BenchmarkReport) -> int:
    """Return the number of files."""
    of_sections = sum(2 * len(section.tables) + 3 * len(section.pictures) for section in report.sections)
    return _BASE_FILES + of_sections + 2 * len(report.lists)


def _render_files(report: BenchmarkReport) -> Iterator[tuple[str, bytes]]:
    yield PAGE_NAME, render_html(report).encode("utf-8", "replace")
    yield "report.md", render_markdown(report).encode("utf-8", "replace")
    yield "tables.tex", latex_document(report).encode("utf-8", "replace")
    yield RESULTS_NAME, f"{to_json(dict(report.results))}\n".encode()
    for section in report.sections:
        for table in section.tables:
            yield f"tables/{_file_name(table.key)}.csv", table_csv(table)
            yield f"tables/{_file_name(table.key)}.tex", latex_table(table).encode("utf-8", "replace")
        for picture in section.pictures:
            yield f"plots/{_file_name(picture.key)}.svg", picture.svg
            yield f"plots/{_file_name(picture.key)}.png", picture.png
            yield f"plots/{_file_name(picture.key)}.csv", picture.csv.encode("utf-8-sig", "replace")
    for report_item_list in report.lists:
        yield (
            f"items/{_file_name(report_item_list.key)}.html",
            render_items_page(report_item_list, report.warning).encode("utf-8", "replace"),
        )
        yield f"items/{_file_name(report_item_list.key)}.csv", items_csv(report_item_list)


def _file_name(key: str) -> str:
    if not _KEY_PATTERN.fullmatch(key):
        raise ValueError(f"{key!r} cannot be the name of a file")
    return key
