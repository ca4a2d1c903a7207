"""Gathers the data of a report from a study, builds the report, and writes it to a folder, whole or not at all."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
    ReportedRun,
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
from benchmark.tasks.benchmark_task import SUITE
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
    "other": "Other tasks",
    "conditions": "Conditions",
    "parts": "Parts of the items",
    "confusions": "What was taken for what",
    "significance": "Judges beside each other",
    "earlier": "Beside an earlier one",
    "answers": "Answers, time, cost and sets",
}
"""Key of a section -> its title."""
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
        lists: all items that may be seen here; a report leaves out those that may not leave.
        pairs: each run compared with the best of its set.
        earlier_runs: runs of an earlier report.
        comparisons: each run compared with a run of this study.
    """

    runs: ReportRuns
    items: Mapping[str, FrozenItem]
    lists: tuple[ReportItemList, ...]
    pairs: tuple[RunPair, ...]
    earlier_runs: tuple[ReportedRun, ...]
    comparisons: tuple[RunPair, ...]
    include_texts: bool


def gather_report_input(
    session: Session, wish: ReportOptions, progress: Progress, hidden: Collection[str] = frozenset()
) -> ReportInput:
    """Read the study and compute all figures; lists leave out the items `hidden`, which somebody still answers."""
    runs = read_runs(session, sets=wish.sets)
    finish_stage = StageProgress(progress, _STEPS_PER_RUN * len(runs), "Working out figures").finish_stage
    figures = [finish_stage(compute_figures(run, samples=wish.samples)) for run in runs]
    if not figures:
        raise EmptyReportError("There are no benchmark runs yet.", "Run a benchmark first, in the mode Benchmark.")
    path = Path(wish.compare_with) if wish.compare_with else None
    earlier = read_earlier_runs(path) if path is not None and path.exists() else ()
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
    return ReportInput(material, items, tuple(lists), tuple(pairs), earlier, tuple(comparisons), wish.include_texts)


def build_report(gathered: ReportInput, pictures: Mapping[str, Sequence[ReportPlot]]) -> BenchmarkReport:
    """Build the report; needs no study."""
    at = utc_now()
    sections = [
        ReportSection(key, title, tuple(_tables(gathered, key)), tuple(pictures.get(key, ())))
        for key, title in _TITLES.items()
    ]
    return BenchmarkReport(
        "Benchmark report",
        WARNING if gathered.include_texts else "",
        _facts(gathered, at),
        tuple(section for section in sections if section.tables or section.pictures),
        tuple(map(releasable_list, gathered.lists)),
        results_json(gathered.runs, at=at),
    )


def _tables(gathered: ReportInput, key: str) -> list[ReportTable]:
    material = gathered.runs
    match key:
        case "other":
            return other_tables(material)
        case "conditions":
            return condition_tables(material)
        case "parts":
            return [*agreement_tables(material), *attribute_tables(material), *part_tables(material)]
        case "significance":
            return [pair_table(material, gathered.pairs)] if gathered.pairs else []
        case "earlier":
            return [
                *([run_table(material, gathered.comparisons)] if gathered.comparisons else []),
                *([earlier_table(material, gathered.earlier_runs)] if gathered.earlier_runs else []),
            ]
        case "answers":
            return [counts_table(material), spending_table(material), sets_table(material)]
    return paper_tables(material, SECTION_TABLES.get(key, ()))


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
    hidden = sum(releasable_list(item_list).withheld for item_list in gathered.lists)
    return facts | (
        {"Not listed": f"{pluralize(hidden, 'answered item')} of recordings that may not leave"} if hidden else {}
    )


def _report_runs(
    session: Session, figures: Sequence[RunFigures], redactor: ReportRedactor, collections: Mapping[str, str]
) -> ReportRuns:
    names, sets = report_names(session, figures), set_names(session, figures)
    conditions = _conditions(session, figures)
    tasks = {run.item_set.task for run in figures}
    entries = {key: SUITE.make(key) for key in SUITE if key in tasks}
    ranked = sorted(figures, key=lambda run: [*entries].index(run.item_set.task))
    sets_by_task: dict[str, list[str]] = {key: [] for key in entries}
    for run in ranked:
        if run.item_set.id not in sets_by_task[run.item_set.task]:
            sets_by_task[run.item_set.task].append(run.item_set.id)
    report_runs = []
    parts: set[tuple[str, str]] = set()
    for place, run in enumerate(ranked, 1):
        who, task, set_ids = names[run.run.id], run.item_set.task, sets_by_task[run.item_set.task]
        label = run_label(run.run, who, conditions.get(run.run.condition, run.run.condition))
        label += f", set {set_ids.index(run.item_set.id) + 1}" if len(set_ids) > 1 else ""
        report_runs.append(ReportRun(run, label, who, _origin(run), f"{place:03d}-{task.replace('_', '-')}"))
        parts.update(part for item in run.items for part in item_traits(item.response, collections))
        parts.update((breakdown.trait, part.value) for breakdown in run.breakdowns for part in breakdown.parts)
        parts.update((ATTRIBUTES, row.metric.partition(SEPARATOR)[2]) for row in run.labels)
        parts.update((LABEL_TRAIT, label) for confusion in run.confusions for label in confusion.labels)
    value_names = name_parts(redactor, sorted(parts))
    titles = {(trait, value): redactor.title(trait, name) for (trait, value), name in value_names.items()}
    return ReportRuns(tuple(report_runs), entries, sets, conditions, value_names, titles)


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
    """Compare one run with every other run of the same task."""
    names = report_names(session, [*(run.figures for run in material.runs), other])
    name = run_label(other.run, names[other.run.id], material.condition_name(other.run.condition))
    return [
        RunPair(run, f"{name} of {other.run.at[:10]}", compare_runs(session, run.figures, other, samples))
        for run in material.runs_of(other.item_set.task)
        if run.figures.run.id != other.run.id
    ]


PAGE_NAME = "report.html"
_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,80}")


def write_report(report: BenchmarkReport, folder: Path, progress: Progress) -> list[str]:
    """Write a report and return the paths in its folder; needs no study.

    Raises:
        Cancelled: the user stopped it. Then nothing is written.
    """
    require_free(folder)
    files = _files(report)
    with staging_folder(folder) as temporary:
        finish_stage = StageProgress(progress, len(files), "Writing the report").finish_stage
        for path, render in files.items():
            place = temporary / path
            place.parent.mkdir(exist_ok=True)
            content = finish_stage(render())
            place.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    return [*files]


def _files(report: BenchmarkReport) -> dict[str, Callable[[], str | bytes]]:
    """Return path -> what renders the file."""
    files: dict[str, Callable[[], str | bytes]] = {
        PAGE_NAME: partial(render_html, report),
        "report.md": partial(render_markdown, report),
        "tables.tex": partial(latex_document, report),
        RESULTS_NAME: lambda: f"{to_json(dict(report.results))}\n",
    }
    for section in report.sections:
        for table in section.tables:
            files[f"tables/{_file_name(table.key)}.csv"] = partial(table_csv, table)
            files[f"tables/{_file_name(table.key)}.tex"] = partial(latex_table, table)
        for picture in section.pictures:
            for ending, content in picture.files.items():
                files[f"plots/{_file_name(picture.key)}.{ending}"] = partial(bytes, content)
    for item_list in report.lists:
        files[f"items/{_file_name(item_list.key)}.html"] = partial(render_items_page, item_list, report.warning)
        files[f"items/{_file_name(item_list.key)}.csv"] = partial(items_csv, item_list)
    return files


def _file_name(key: str) -> str:
    if not _KEY_PATTERN.fullmatch(key):
        raise ValueError(f"{key!r} cannot be the name of a file")
    return key
