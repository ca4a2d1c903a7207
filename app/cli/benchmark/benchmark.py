"""Commands about benchmark tasks and item sets, rated statements, and reports on runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.benchmark.judge_ask import JUDGES
from app.cli.command import EDIT, argument, command, option
from app.cli.console import Output, progress_bar, record
from benchmark.items.sampling import ONE_ANNOTATOR, TRUTHS, SamplingOptions
from project.entities.frozen_items import ItemSet
from project.entities.study_records import Json, Recording
from project.errors import UserError
from project.queries.item_set_rows import all_sets, find_item_set, items_of
from project.session.session import Session
from project.text_format import escape_unprintable, pluralize

if TYPE_CHECKING:
    from benchmark.report.benchmark_report import Painter


@command(study=EDIT, annotator=option("Annotator; by default the name in the settings."))
def infer(
    session: Session,
    recordings: tuple[Recording, ...] = option(
        "Number, file name or id.", "--recording", required=True, metavar="NUMBER"
    ),
    judges: tuple[str, ...] = JUDGES,
    questions: int = option("Questions a recording: 1 to 10, ten inferences each.", default=1),
    raters: tuple[str, ...] = option("Who is to rate.", "--rater", metavar="NAME"),
    condition: str = option("What is shown: raw, or a rendering by its method or id.", default="raw"),
    seed: int = option("Another one asks for other questions and inferences.", default=0),
) -> Output:
    """Let judges write statements about recordings, for people to rate (SocialNLI).

    Each judge asks a question about what is meant but not said, then writes five inferences for it with thoughts first
    and five without. Those that can be used become statements without plausibility, one for each rater.

    \b
    Example:
      greenroom benchmark infer my-study.greenroom --recording 3 --judge gpt
      greenroom benchmark infer my-study.greenroom --recording 3 --judge gpt --rater Anna --rater Bram --json
    """
    from benchmark.authoring.statement_suggestions import (
        ask_judges,
        import_inferences,
        inference_requests,
        question_request,
    )
    from benchmark.judging.judge_registry import get_judges

    ids = [owner.id for owner in recordings]
    entries = get_judges(session, judges)
    with progress_bar("Asking for questions") as bar:
        first = ask_judges(session, [question_request(session, ids, entries, questions, condition, seed)], bar)
    with progress_bar("Asking for inferences") as bar:
        then = ask_judges(session, inference_requests(entries, first.answers, condition, seed), bar)
    notes = [*first.notes, *then.notes]
    taken, _ = import_inferences(session, then.answers, raters)
    told = {"study": session.study.path, "questions": len(first.answers), **record(taken)}
    lines = [f"{pluralize(taken.statements, 'statement')} to rate, of {pluralize(len(first.answers), 'question')}."]
    lines += [f"Left out {number}: {reason}" for reason, number in taken.skipped.items()]
    return Output(told, [*lines, *(f"Not asked: {note.as_text()}" for note in notes)])


_SHARE_METAVAR = "LABEL=WEIGHT"


@command(study=EDIT)
def make(
    session: Session,
    tasks: tuple[str, ...] = option("Key of a task.", "--task", required=True, metavar="KEY"),
    name: str = option("Name of the set; by default the task's key.", default=""),
    seed: int = option("The same seed draws the same items.", default=0),
    draws: int | None = option("How many samples; by default as many as the task has in its paper."),
    size: int | None = option("Items of a sample at most, 0 for all; by default as in the paper."),
    stratify: bool = option("As many items from each collection."),
    include: tuple[str, ...] = option("disagreed, reviewed, unreviewed or hold-out.", metavar="WHAT"),
    scheme: str = option("Whose segments; by default the study's default scheme.", default=""),
    track: str = option("Of the scheme; by default its first.", default=""),
    shares: tuple[str, ...] = option("Weight of a label.", "--share", metavar=_SHARE_METAVAR),
    negatives: str = option("Where none is from: annotated, unmarked or both.", default="both"),
    conditions: tuple[str, ...] = option("Only what has this rendering.", "--condition", metavar="METHOD"),
    truth: str = option("Whose attributes are true.", default=ONE_ANNOTATOR, choices=TRUTHS),
    with_consent: bool = option("Only recordings in which everybody consented to models."),
) -> Output:
    """Draw the items of tasks from a study, and freeze them as sets.

    A set is never changed: every judge and every person is asked the same items. Only segments that two people marked
    and agree on are drawn, never from a recording that is held out, unless --include says otherwise. What could not
    become an item is counted.

    \b
    Example:
      greenroom benchmark make my-study.greenroom --task verdict --task error
      greenroom benchmark make my-study.greenroom --task attributes --include disagreed --name disputed --json
    """
    from benchmark.sets.frozen_sets import make_set

    if name and len(tasks) > 1:
        raise UserError("--name can only name one set.", "Leave out --name, or give one task.")
    weights = _parse_weights(shares)
    wishes = SamplingOptions(include, stratify, scheme, track, weights, negatives, conditions, with_consent, truth)
    made: list[ItemSet] = []
    for task in dict.fromkeys(tasks):
        found, _ = make_set(session, task, name, seed, draws, size, wishes)
        made.append(found)
    sizes = [len(items_of(session.study, item_set.id)) for item_set in made]
    lines = [line for item_set, items in zip(made, sizes, strict=True) for line in _set_lines(item_set, items)]
    told = [set_json(item_set, items) for item_set, items in zip(made, sizes, strict=True)]
    return Output({"study": session.study.path, "sets": told}, lines)


def set_json(item_set: ItemSet, items: int) -> dict[str, Any]:
    """Return a set as a JSON object."""
    return record(item_set, "id", "program_version", set=item_set.id, items=items)


def format_left_out(item_set: ItemSet) -> list[str]:
    """Return a line for each reason why candidates did not become items, the most frequent first."""
    ordered = sorted(item_set.left_out.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"  left out: {number:,}, {reason}" for reason, number in ordered]


def _set_lines(item_set: ItemSet, items: int) -> list[str]:
    head = f"{item_set.name}: {pluralize(items, 'item')} in {pluralize(item_set.draws, 'draw')}, {item_set.sha256[:12]}"
    return [head, *truth_lines(item_set), *format_left_out(item_set)]


def truth_lines(item_set: ItemSet) -> list[str]:
    """Return lines that say what counts as true in a set of segments, and of whom nothing tells the looks."""
    lines = [f"  true is {TRUTHS[str(item_set.rule['truth'])]}"] if item_set.rule.get("scheme") else []
    if isinstance(ungrounded := item_set.rule.get("ungrounded"), int):
        told = pluralize(ungrounded, "item")
        lines.append(f"  {told} with people whose looks the study does not describe: greenroom recording meta looks")
    return lines


def _parse_weights(shares: tuple[str, ...]) -> dict[str, float]:
    found: dict[str, float] = {}
    for share in shares:
        label, _, weight = share.rpartition("=")
        try:
            found[label] = float(weight)
        except ValueError:
            label = ""
        if not label or not 0 <= found[label] < float("inf"):
            raise UserError(f"“{share}” is not a share.", f"Give {_SHARE_METAVAR}, such as error=0.5.")
    return found


@command()
def report(
    study: Path = argument(),
    out: Path = option("Folder that is not there or empty."),
    sets: tuple[str, ...] = option("Name or id of a set of items; by default all.", "--set"),
    against: str = option("Folder of an earlier report, or id of a run, to compare with.", default=""),
    texts: bool = option("PRIVATE: also options, words, answers and reasons as they are. Not to be passed on."),
    no_plots: bool = option("Tables and items only."),
) -> Output:
    """Write a report: the papers' tables with your rows, plots, and what became of each item.

    HTML that needs no network, Markdown, LaTeX, CSV, SVG and PNG. People are called by codes and recordings by numbers,
    and no text of the study is in it, so that it may be sent around; --texts puts all of that in.

    \b
    Example:
      greenroom benchmark report my-study.greenroom --out report
      greenroom benchmark report my-study.greenroom --out report-2 --set verdict --against report
    """
    from benchmark.report.benchmark_report import (
        PAGE_NAME,
        WARNING,
        EmptyReportError,
        ReportOptions,
        build_report,
        gather_report_input,
        write_report,
    )
    from benchmark.runs.people_runs import unanswered_item_ids
    from project.files.publication import require_free

    require_free(out)
    paint = None if no_plots else _load_painter()
    with progress_bar("Report") as bar:
        with Session.open(study) as session:
            unanswered = frozenset().union(
                *(unanswered_item_ids(session, item_set) for item_set in all_sets(session.study))
            )
            try:
                gathered = gather_report_input(session, ReportOptions(sets, against, texts), bar, unanswered)
            except EmptyReportError as error:
                raise UserError(
                    error.message, "Ask judges about one first: greenroom benchmark run STUDY --judge NAME"
                ) from None
        pictures = paint(gathered.runs) if paint is not None else {}
        made = build_report(gathered, pictures)
        files = write_report(made, out, bar)
    tables = sum(len(section.tables) for section in made.sections)
    plots = sum(len(section.pictures) for section in made.sections)
    items = sum(len(report_item_list.lines) for report_item_list in made.lists)
    lines = [
        f"Wrote {out / PAGE_NAME}: {pluralize(tables, 'table')}, {pluralize(plots, 'plot')}, "
        f"{pluralize(items, 'answered item')}."
    ]
    result = {
        "folder": out,
        "tables": tables,
        "plots": plots,
        "items": items,
        "private": texts,
        "files": files,
    }
    return Output(result, [*lines, *([f"PRIVATE: {WARNING}"] if texts else [])])


def _load_painter() -> "Painter":
    """Return the painter that draws plots without a screen."""
    try:
        from app.gui.benchmark.report_plots import render_plots_offscreen
    except ImportError as error:
        raise UserError(
            f"Plots cannot be drawn here: {error}.",
            "Install its libraries: sudo apt install libegl1 libgl1 libxkbcommon0. To leave out plots: --no-plots.",
        ) from None
    return render_plots_offscreen


@command()
def tasks() -> Output:
    """List the tasks of the benchmark, with paper, draws and size.

    \b
    Example:
      greenroom benchmark tasks
      greenroom benchmark tasks --json
    """
    from benchmark.tasks.benchmark_task import SUITE

    lines, told = [], list[Json]()
    for key in SUITE:
        benchmark_task = SUITE.make(key)
        size = f"about {benchmark_task.size}" if benchmark_task.size else "all there is"
        lines.append(
            f"{key:14} {benchmark_task.description} {benchmark_task.paper}, {benchmark_task.section}; "
            f"{pluralize(benchmark_task.draws, 'draw')} of {size}."
        )
        told.append(
            {
                "task": key,
                "name": benchmark_task.name,
                "description": benchmark_task.description,
                "paper": benchmark_task.paper,
                "section": benchmark_task.section,
                "draws": benchmark_task.draws,
                "size": benchmark_task.size,
                "answer": benchmark_task.answer,
                "metrics": [metric.key for metric in benchmark_task.metrics],
            }
        )
    return Output({"tasks": told}, lines)


@command()
def sets(session: Session, name: str | None = argument()) -> Output:
    """List the item sets of a study, and whether it has changed since they were made.

    With a name, that set alone, with its rule, its items by draw, and what was left out.

    \b
    Example:
      greenroom benchmark sets my-study.greenroom
      greenroom benchmark sets my-study.greenroom verdict --json
    """
    from benchmark.sets.frozen_sets import find_changed_items

    lines, told = [], list[Json]()
    chosen = all_sets(session.study) if name is None else [find_item_set(session.study, name)]
    for item_set in chosen:
        if item_set is None:
            raise UserError(
                f"There is no item set “{escape_unprintable(name)}” in this study.",
                "List them: greenroom benchmark sets STUDY",
            )
        items = items_of(session.study, item_set.id)
        changed = find_changed_items(session, item_set)
        since = f"; {len(changed):,} changed since" if changed else ""
        lines.append(
            f"{item_set.name}: {item_set.task}, {pluralize(len(items), 'item')} in "
            f"{pluralize(item_set.draws, 'draw')}, seed {item_set.seed}, {item_set.sha256[:12]}{since}"
        )
        found: dict[str, Any] = {**set_json(item_set, len(items)), "changed": changed}
        if name is not None:
            lines += [
                f"  {key}: {_format_value(value)}" for key, value in item_set.rule.items() if value not in ("", [], {})
            ]
            lines += format_left_out(item_set)
            found["each_draw"] = [sum(item.draw == draw for item in items) for draw in range(item_set.draws)]
        told.append(found)
    nothing = "No item set yet. Make one: greenroom benchmark make STUDY --task verdict"
    return Output({"study": session.study.path, "sets": told}, lines or nothing)


def _format_value(value: Json) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{key} {number}" for key, number in value.items())
        case _:
            return str(value)
