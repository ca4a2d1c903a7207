"""Commands that run the benchmark, show the figures of its runs, and compare two runs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from app.cli.benchmark.judge_ask import JUDGES, budget_options
from app.cli.command import EDIT, argument, command, option
from app.cli.console import Output, aligned, progress_bar, record
from app.cli.plugin_options import SCHEDULER
from benchmark.judging.ask_run import refusal_error
from benchmark.judging.run_budget import Limits
from benchmark.metrics.published_figures import PublishedScore
from benchmark.prompts.judge_prompt import VARIANTS
from benchmark.results.item_results import Confusion, MetricRow
from project.codec import dump
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.item_set_rows import benchmark_runs
from project.session.session import Session
from project.text_format import escape_unprintable, format_percent, pluralize

if TYPE_CHECKING:
    from benchmark.runs.run_figures import RunComparison, RunFigures


@command()
def compare(
    session: Session,
    first: str = argument(metavar="FIRST"),
    second: str = argument(metavar="SECOND"),
    names: tuple[str, ...] = option("A set that both were asked; by default all.", "--set", metavar="NAME"),
    samples: int = option("Of the bootstrap.", default=200, type=click.IntRange(0, 10_000)),
) -> Output:
    """Say whether two judges differ, or a run and an earlier one.

    FIRST and SECOND are names of judges or people, or ids of runs. Judges are compared on every set that both were
    asked in the same way. McNemar's test counts items that only one got right; the differences of other figures have
    intervals over recordings. Nothing is written.

    \b
    Example:
      greenroom benchmark compare my-study.greenroom gpt human
      greenroom benchmark compare my-study.greenroom gpt 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --json
    """
    from benchmark.runs.run_figures import compare_runs, read_figures

    known = {benchmark_run.id for benchmark_run in benchmark_runs(session.study)}
    ids = [run_id for run_id in dict.fromkeys((first, second)) if run_id in known]
    every = [
        *read_figures(session, (), names, samples=0, parts=False),
        *(read_figures(session, ids, samples=0, parts=False) if ids else []),
    ]

    def called(name: str) -> list["RunFigures"]:
        found = [
            run_figures
            for run_figures in every
            if name in (run_figures.run.id, run_figures.judge, run_figures.run.judge.get("name"))
        ]
        if not found:
            raise UserError(
                f"“{escape_unprintable(name)}” has no answers in these runs.",
                "List the runs: greenroom benchmark results STUDY",
            )
        return [*{run_figures.run.id: run_figures for run_figures in found}.values()]

    pairs = _pair_runs(called(first), called(second))
    if not pairs:
        raise UserError(
            "The two judges have no items in common.",
            "Run both on one item set: greenroom benchmark run STUDY --set NAME",
        )
    found = [compare_runs(session, run_figures, other, samples) for run_figures, other in pairs]
    return Output(
        {
            "comparisons": [
                record(comparison, first=comparison.first.about_json(), second=comparison.second.about_json())
                for comparison in found
            ]
        },
        (line for run_comparison in found for line in comparison_lines(run_comparison)),
    )


def _pair_runs(first: "list[RunFigures]", second: "list[RunFigures]") -> "list[tuple[RunFigures, RunFigures]]":
    """Return the pairs to compare: over one set and asked in one way; else over one set; else of one task."""
    every = [(run_figures, other) for run_figures in first for other in second if run_figures.run.id != other.run.id]
    for same in (_run_settings, _set_id, _task_key):
        if found := [(run_figures, other) for run_figures, other in every if same(run_figures) == same(other)]:
            return found
    return []


def _run_settings(run_figures: "RunFigures") -> tuple[str, ...]:
    run = run_figures.run
    return run.set_id, run.shown.value, run.variant, run.condition, str(run.seed)


def _set_id(run_figures: "RunFigures") -> str:
    return run_figures.run.set_id


def _task_key(run_figures: "RunFigures") -> str:
    return run_figures.item_set.task


@command()
def results(
    session: Session,
    runs: tuple[str, ...] = option("A run; by default the newest of each judge.", "--run", metavar="ID"),
    names: tuple[str, ...] = option("A set of items; by default all.", "--set", metavar="NAME"),
    tasks: tuple[str, ...] = option("A task.", "--task", metavar="KEY"),
    judges: tuple[str, ...] = option("A judge or person.", "--judge", metavar="NAME"),
    parts: bool = option("Also by attribute, channel, collection, and who was taken for whom."),
    margin: float = option(
        "Conditions within it count as the same.", default=0.1, type=click.FloatRange(0, 1, min_open=True)
    ),
    samples: int = option("Of the bootstrap.", default=200, type=click.IntRange(0, 10_000)),
) -> Output:
    """Show what judges and people reached, beside chance and what papers report.

    Nothing is written. Answers that were refused or could not be read count as wrong, and are counted apart.

    \b
    Example:
      greenroom benchmark results my-study.greenroom
      greenroom benchmark results my-study.greenroom --task verdict --parts --json
    """
    from benchmark.metrics.paper_settings import departure_lines
    from benchmark.metrics.published_figures import published_scores_for
    from benchmark.runs.run_figures import compare_conditions, read_figures
    from benchmark.runs.run_settings import run_settings

    found = read_figures(session, runs, names, samples=samples, parts=parts)
    found = [
        run_figures
        for run_figures in found
        if (not tasks or run_figures.item_set.task in tasks)
        and (not judges or {run_figures.judge, run_figures.run.judge.get("name")} & {*judges})
    ]
    if not found:
        raise UserError("No run matches.", "Start one: greenroom benchmark run STUDY --task verdict --judge NAME")
    sets = {run_figures.item_set.id: run_figures.item_set for run_figures in found}.values()
    changed, standing = describe_changed_sets(session, sets)
    rows = compare_conditions(found, margin)
    published = [
        row
        for task in dict.fromkeys(run_figures.item_set.task for run_figures in found)
        for row in published_scores_for(task)
    ]
    lines = [*standing, *run_lines(found)]
    for run_figures in found if parts else ():
        lines += part_lines(run_figures)
    lines += [condition_row.sentence for condition_row in rows]
    lines += spent_lines(found)
    departures = departure_lines(
        (run_figures.item_set.task, format_run_name(run_figures), run_settings(run_figures.run, run_figures.item_set))
        for run_figures in found
    )
    shares = {row.metric: row.share for run_figures in found for row in run_figures.rows}
    lines += [*published_lines(published, shares), *(f"  {line}" for line in departures)]
    told = {
        "results": [line for run_figures in found for line in run_figures.results_json()],
        "runs": [record(figures, "run", "item_set", "items", **figures.about_json()) for figures in found],
        "changed": changed,
        "conditions": [record(condition_row, sentence=condition_row.sentence) for condition_row in rows],
        "departures": departures,
        "published": [
            record(row, "name", "modality", published=True, judge=row.name, shown=row.modality) for row in published
        ],
    }
    return Output(told, lines)


@command(study=EDIT)
def run(
    session: Session,
    tasks: tuple[str, ...] = option("A task.", "--task", metavar="KEY"),
    names: tuple[str, ...] = option("A set of items.", "--set", metavar="NAME"),
    judges: tuple[str, ...] = JUDGES,
    draws: int | None = option("Samples of a set that is made; by default as the task has.", type=click.IntRange(1)),
    seed: int = option("Of what is drawn into a set, and of the judges' sampling.", default=0),
    variant: str | None = option("How questions are put; by default as in each paper.", choices=VARIANTS),
    modality: ItemModality | None = option(
        "Words, words and pictures, or pictures alone; by default what each judge sees."
    ),
    conditions: tuple[str, ...] = option("raw, or a rendering by its method.", "--condition", default=(RAW_CONDITION,)),
    retry: bool = option("Begin a new run that asks again what was refused or could not be read."),
    fresh: bool = option("Begin a new run that asks everything again."),
    budget: Limits = budget_options("all of it"),
    scheduler: str = SCHEDULER,
) -> Output:
    """Ask judges all items of a task, and measure their answers.

    A task that has no set of items yet gets one. Each answer is in the study as soon as it is there; a run that was
    stopped goes on where it was when it is run again.

    \b
    Example:
      greenroom benchmark run my-study.greenroom --task verdict --judge gpt --judge random --draws 3 --seed 0
      greenroom benchmark run my-study.greenroom --set disputed --modality L --variant cot --json
      greenroom benchmark run my-study.greenroom --task conditions --condition raw --condition blur
    """
    from benchmark.judging.judge_registry import get_judges
    from benchmark.runs.run_figures import read_figures
    from benchmark.runs.run_plan import BenchmarkRequest, choose_sets
    from benchmark.runs.scheduler import run_benchmark

    entries = get_judges(session, judges)
    chosen = choose_sets(session, tasks, names, seed=seed, draws=draws, conditions=conditions)
    wanted = BenchmarkRequest(
        chosen.sets,
        entries,
        variant,
        modality,
        conditions,
        seed,
        budget,
        retry,
        fresh,
    )
    with progress_bar("Benchmark") as bar:
        ran = run_benchmark(session, wanted, bar, scheduler)
    if not ran.runs and ran.notes:
        raise refusal_error(ran.notes)
    found = read_figures(
        session,
        [benchmark_run.id for benchmark_run in ran.runs],
        [item_set.id for item_set in chosen.sets],
        parts=False,
    )
    changed, standing = describe_changed_sets(
        session, [item_set for item_set in chosen.sets if item_set.id not in chosen.created_ids]
    )
    if ran.notes and not any(run_figures.counts.counted for run_figures in found):
        raise refusal_error(ran.notes)
    results = [{**line, **record(run_figures.spent)} for run_figures in found for line in run_figures.results_json()]
    sets = [_set_json(item_set, made=item_set.id in chosen.created_ids) for item_set in chosen.sets]
    told = {
        "results": results,
        "sets": sets,
        "changed": changed,
        "runs": [benchmark_run.id for benchmark_run in ran.runs],
        "taken_up": [*sorted(ran.resumed_ids)],
        "cached": ran.cached,
        **dump(ran.outcome),
        "notes": [record(note, "judge_id", "about", questions=len(note.about)) for note in ran.notes],
    }
    lines = [f"Made a set of items, {item_set.name}." for item_set in chosen.sets if item_set.id in chosen.created_ids]
    lines += standing
    lines += [note.as_text() for note in ran.notes]
    said = [ran.outcome.as_text()] if ran.outcome.completed or ran.outcome.over_budget else []
    said += [f"{ran.cached:,} from before"] if ran.cached else []
    lines += [f"{', '.join(said)}."] if said else ["Everything was answered before."]
    return Output(told, [*lines, *run_lines(found)])


def describe_changed_sets(session: Session, sets: Iterable[ItemSet]) -> tuple[list[Json], list[str]]:
    """Return the sets whose material has changed since they were made, as JSON objects and in words."""
    from benchmark.sets.frozen_sets import find_changed_items

    told, lines = list[Any](), []
    for item_set in sets:
        if count := len(find_changed_items(session, item_set)):
            told.append({"set": item_set.name, "sha256": item_set.sha256, "items": count})
            lines.append(
                f"{item_set.name}: the study says something else by now about {pluralize(count, 'item')}; "
                f"they are asked as they were frozen (set {item_set.sha256[:12]})."
            )
    return told, lines


def _set_json(item_set: ItemSet, *, made: bool) -> dict[str, Any]:
    return {"id": item_set.id, "name": item_set.name, "task": item_set.task, "sha256": item_set.sha256, "made": made}


_PERCENT = 100.0
_MS_PER_SECOND = 1000
_SMALLEST_P = 0.001
_NAME_WIDTH = 34


def format_value(number: float | None, *, share: bool) -> str:
    """Return a figure as text: percent if it is a share, else two decimals; a dash if there is none."""
    if number is None:
        return "-"
    return format_percent(number) if share else f"{number:.2f}"


def format_figure(row: MetricRow) -> str:
    """Return a figure with its standard deviation and its interval, such as `57.1 % ± 1.2 [52.0 to 61.9]`."""
    text = format_value(row.mean, share=row.share)
    if row.sd is not None:
        text += f" ± {_PERCENT * row.sd:.1f}" if row.share else f" ± {row.sd:.2f}"
    if row.low is not None and row.high is not None:
        low, high = (_PERCENT * value if row.share else value for value in (row.low, row.high))
        text += f" [{low:.1f} to {high:.1f}]" if row.share else f" [{low:.2f} to {high:.2f}]"
    return text


def format_run_name(run_figures: "RunFigures") -> str:
    """Return who was asked, and how if that is not the usual way."""
    run = run_figures.run
    how = [run.shown.value]
    how += [run.variant] if run.variant != "plain" else []
    how += [run.condition] if run.condition != RAW_CONDITION else []
    how += [f"seed {run.seed}"] if run.seed else []
    return f"{run_figures.judge} ({', '.join(how)})"


def run_lines(found: "Sequence[RunFigures]") -> list[str]:
    """Return the figures of runs set by set, each judge with the outcome of its items."""
    lines = []
    for name in dict.fromkeys(run_figures.item_set.name for run_figures in found):
        runs = [run_figures for run_figures in found if run_figures.item_set.name == name]
        lines.append(f"{name}: {runs[0].item_set.task}, {pluralize(runs[0].counts.items, 'item')}")
        for run in runs:
            lines.append(f"  {format_run_name(run)}: {outcome_text(run)}")
            lines += [f"    {row.name:<{_NAME_WIDTH}} {format_figure(row)}" for row in run.rows if row.mean is not None]
            if undefined := [row.name for row in run.rows if row.mean is None]:
                lines.append(f"    undefined: {', '.join(undefined)}")
        if guessed := [
            f"{row.name} {format_value(row.chance, share=row.share)}" for row in runs[0].rows if _has_chance(row)
        ]:
            lines.append(f"  chance: {', '.join(guessed)}")
        if constant := [
            f"{row.name} {format_value(row.constant, share=row.share)}"
            for row in runs[0].rows
            if row.constant is not None
        ]:
            lines.append(f"  constant answer: {', '.join(constant)}")
    return lines


def published_lines(rows: Iterable[PublishedScore], shares: dict[str, bool]) -> list[str]:
    """Return published figures, marked as such, one line for each judge or group of people."""
    told: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        how = ", ".join(part for part in (row.modality, row.setting) if part)
        key = (row.source.partition(",")[0], row.task, f"{row.name} ({how})" if how else row.name)
        spread = "" if row.sd is None else f" ± {_PERCENT * row.sd:.1f}" if shares.get(row.metric, True) else ""
        told.setdefault(key, []).append(
            f"{row.metric} {format_value(row.mean, share=shares.get(row.metric, True))}{spread}"
        )
    return [
        f"  published, {paper}, {task}: {who}: {', '.join(figures)}" for (paper, task, who), figures in told.items()
    ]


def outcome_text(run_figures: "RunFigures") -> str:
    """Return the outcome of the items of a run in words."""
    counts = run_figures.counts
    parts = [f"{counts.counted:,} of {pluralize(counts.items, 'item')} count"]
    for number, what in (
        (counts.unparsed, "unreadable"),
        (counts.refused, "refused"),
        (counts.errors, "failed"),
        (counts.missing, "not asked"),
    ):
        parts += [f"{number:,} {what}"] if number else []
    return ", ".join(parts)


def spent_lines(found: "Sequence[RunFigures]") -> list[str]:
    """Return what runs took, one line for each judge; no line for a run that took nothing."""
    lines = []
    for run_figures in found:
        spent = run_figures.spent
        tokens = spent.tokens_in + spent.tokens_out
        parts = [f"{spent.ms / _MS_PER_SECOND:,.1f} s"] if spent.ms else []
        parts += [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{money:,.4f} {currency}" for currency, money in spent.money.items()]
        if parts:
            lines.append(f"{run_figures.item_set.name}, {format_run_name(run_figures)} took {', '.join(parts)}")
    return lines


def comparison_lines(found: "RunComparison") -> list[str]:
    """Return two runs side by side as lines, with the tests of their difference."""
    first, second = found.first, found.second
    lines = [
        f"{first.item_set.name}: {format_run_name(first)} and {format_run_name(second)}, "
        f"{pluralize(found.n, 'item')} in common"
    ]
    if not found.paired:
        lines = [
            f"{format_run_name(first)} on {first.item_set.name}, "
            f"and {format_run_name(second)} on {second.item_set.name}: no test"
        ]
    for row in found.rows:
        difference = row.difference
        scale = _PERCENT if row.share else 1
        text = f"{format_value(row.first, share=row.share)} and {format_value(row.second, share=row.share)}"
        if difference.value is not None:
            text += f", {scale * difference.value:+.{1 if row.share else 2}f}"
        if difference.low is not None and difference.high is not None:
            decimals = 1 if row.share else 2
            text += f" [{scale * difference.low:.{decimals}f} to {scale * difference.high:.{decimals}f}]"
        text += "" if difference.p is None else f", {_p_text(difference.p)}"
        lines.append(f"  {row.name:<{_NAME_WIDTH}} {text}")
    right = found.mcnemar
    if right is not None and right.p is not None:
        lines.append(
            f"  only the first is right {right.first_only} times, only the second {right.second_only} times: "
            f"McNemar's test{', exact,' if right.exact else ''} gives {_p_text(right.p)}"
        )
    return lines


def _p_text(value: float) -> str:
    return "p < .001" if value < _SMALLEST_P else f"p = {value:.3f}"


def _has_chance(row: MetricRow) -> bool:
    return row.chance is not None


_NO_ANSWER = "no answer"


def part_lines(run_figures: "RunFigures") -> list[str]:
    """Return the breakdowns of a run as lines."""
    lines = [f"{run_figures.item_set.name}, {format_run_name(run_figures)}"]
    if run_figures.labels:
        lines.append(f"  by label: {_figures_text(run_figures.labels)}")
    for breakdown in run_figures.breakdowns:
        lines.append(f"  by {breakdown.trait}")
        lines += [f"    {part.value} ({part.items}): {_figures_text(part.figures)}" for part in breakdown.parts]
    for matrix in run_figures.confusions:
        lines += ["  true by row, said by column", *_confusion_lines(matrix)]
    return lines


def _figures_text(rows: tuple[MetricRow, ...]) -> str:
    return (
        ", ".join(f"{row.name} {format_value(row.mean, share=row.share)}" for row in rows if row.mean is not None)
        or "-"
    )


def _confusion_lines(found: Confusion) -> list[str]:
    columns = (*found.labels, _NO_ANSWER)
    rows = [(label, *map(str, row)) for label, row in zip(found.labels, found.counts, strict=True)]
    return [f"    {line}" for line in aligned(rows, "", *columns)]
