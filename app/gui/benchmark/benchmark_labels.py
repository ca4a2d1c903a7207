"""Texts of the benchmark page for item sets, runs and figures."""

from collections.abc import Iterable, Mapping, Sequence

from app.gui.benchmark.item_set_form import TaskOption
from benchmark.items.sampling import INCLUDE_LABELS, NEGATIVES, TRUTHS
from benchmark.metrics.paper_settings import departure_lines
from benchmark.metrics.published_figures import PublishedScore
from benchmark.results.item_results import MetricRow
from benchmark.runs.people_runs import OWN_SETTING, HumanItemQueue
from benchmark.runs.run_figures import RunFigures
from benchmark.runs.run_settings import run_settings
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json
from project.text_format import format_percent
from resources.translation import tr, trn
from widgets.table.record_table import TableRow

AS_SEEN = ""
MODALITY_LABELS: Mapping[str, tuple[str, str]] = {
    AS_SEEN: (tr("What each judge sees"), tr("Words, and pictures for judges that see; you see both")),
    ItemModality.TEXT.value: (tr("Words alone (L)"), tr("What is said, and no picture")),
    ItemModality.TEXT_AND_VIDEO.value: (tr("Words and pictures (L+V)"), tr("What is said, with frames or a clip")),
    ItemModality.VIDEO.value: (tr("Pictures alone (V)"), tr("Frames or a clip, and nothing that is said")),
}
MODALITY_NAMES: Mapping[str, str] = {
    ItemModality.TEXT.value: tr("words"),
    ItemModality.TEXT_AND_VIDEO.value: tr("words and pictures"),
    ItemModality.VIDEO.value: tr("pictures"),
}
NOTHING = "-"
PUBLISHED, CHANCE = "published", "chance"
"""How keys of rows begin that are of no run."""


def task_options() -> list[TaskOption]:
    """Return the tasks of the benchmark."""
    return [_task_option(SUITE.make(key)) for key in SUITE]


def item_set_name(item_set: ItemSet) -> str:
    """Return what a set is called in a list."""
    task = SUITE.make(item_set.task).name if item_set.task in SUITE else item_set.task
    return item_set.name if item_set.name.casefold().startswith(task.casefold()) else f"{item_set.name} ({task})"


def item_set_facts(item_set: ItemSet, items: Sequence[FrozenItem]) -> dict[str, str]:
    """Return what a set is, by name."""
    facts: dict[str, str] = {}
    if item_set.task in SUITE:
        entry = SUITE.make(item_set.task)
        facts |= {tr("Task"): f"{entry.name}: {entry.description}", tr("Answer"): entry.answer}
        facts |= {tr("Paper"): f"{entry.paper}, {entry.section}"}
    recordings = trn("{count} recording", "{count} recordings", len({item.recording_id for item in items}))
    moments = len({(item.recording_id, item.start_us, item.end_us) for item in items})
    drawn = tr("{items} in {draws}, from {moments} in {recordings}").format(
        items=trn("{count} item", "{count} items", len(items)),
        moments=trn("{count} moment", "{count} moments", moments),
        draws=trn("{count} draw", "{count} draws", item_set.draws),
        recordings=recordings,
    )
    facts |= {tr("Items"): drawn, tr("Seed"): str(item_set.seed)}
    if item_set.rule.get("scheme"):
        facts[tr("True is")] = TRUTHS.get(str(item_set.rule.get("truth")), "")
    if isinstance(ungrounded := item_set.rule.get("ungrounded"), int):
        facts[tr("People")] = tr("{count} with people whose looks the study does not describe").format(
            count=trn("{count} item", "{count} items", ungrounded)
        )
    labels = _label_counts_text(items)
    if labels:
        facts[tr("Balance")] = labels
    if unusual := _rule_deviations(item_set.rule):
        facts[tr("Exceptions")] = "; ".join(unusual)
    return facts | {
        tr("Made"): tr("{value} UTC").format(value=item_set.at[:16].replace("T", " ")),
        tr("Checksum"): item_set.sha256[:16],
    }


def _rule_deviations(rule: Mapping[str, Json]) -> list[str]:
    """Return what of a set's rule is not as usual."""
    include, shares, methods = (rule.get(key) for key in ("include", "shares", "conditions"))
    found = [INCLUDE_LABELS.get(str(key), str(key)) for key in include] if isinstance(include, list) else []
    if rule.get("stratify") is True:
        found.append(tr("each collection gives the same number"))
    if isinstance(shares, dict) and shares:
        weights = ", ".join(f"{key} {weight:g}" for key, weight in shares.items() if isinstance(weight, int | float))
        found.append(tr("own shares of the labels: {weights}").format(weights=weights))
    if (negatives := str(rule.get("negatives", ""))) in NEGATIVES[1:]:
        found.append(tr("none is: {negatives}").format(negatives=negatives_name(negatives)))
    if isinstance(methods, list) and methods:
        found.append(tr("only what is rendered by {methods}").format(methods=", ".join(map(str, methods))))
    if rule.get("willing") is True:
        found.append(tr("only where everybody is willing to be shown to models"))
    return found


def negatives_name(key: str) -> str:
    """Return where stretches without a label come from, for people."""
    names = {
        "both": tr("marked as none, or not marked by anybody"),
        "annotated": tr("marked as none"),
        "unmarked": tr("not marked by anybody"),
    }
    return names[key]


def left_out_rows(item_set: ItemSet) -> list[TableRow]:
    """Return what was left out of a set and why, the most frequent first."""
    found = sorted(item_set.left_out.items(), key=lambda pair: (-pair[1], pair[0]))
    return [TableRow(reason, (f"{number:,}", reason)) for reason, number in found]


def changed_text(count: int, total: int) -> str:
    """Say how many items are not what the study holds now."""
    if not count:
        return tr("The study holds what these items were made from, unchanged.")
    return tr("{changed:,} of {items} changed in the study since. The set stays as it was drawn.").format(
        changed=count, items=trn("{count} item", "{count} items", total)
    )


def run_row(benchmark_run: BenchmarkRun, answered: int, asked: int) -> TableRow:
    """Return a run as a row."""
    done = tr("{answered:,} of {asked:,}").format(answered=answered, asked=asked)
    return TableRow(
        benchmark_run.id,
        (
            run_judge_name(benchmark_run),
            MODALITY_NAMES[benchmark_run.shown.value],
            benchmark_run.variant,
            condition_name(benchmark_run.condition),
            done,
            benchmark_run.at[:16].replace("T", " "),
        ),
        "pencil" if benchmark_run.annotator_id else "",
    )


def run_judge_name(benchmark_run: BenchmarkRun) -> str:
    """Return who answered in a run, and whether that was with their own annotations."""
    name = str(benchmark_run.judge.get("name", benchmark_run.judge_id))
    return f"{name}{own_items_suffix(benchmark_run)}"


def own_items_suffix(benchmark_run: BenchmarkRun) -> str:
    """Mark a person who also answered items that were made from their own annotations."""
    settings = benchmark_run.judge.get("settings")
    return tr(" (own items too)") if isinstance(settings, dict) and settings.get(OWN_SETTING) is True else ""


def condition_name(condition: str) -> str:
    """Return what a judge saw, for people."""
    return tr("Raw") if condition == RAW_CONDITION else condition


def progress_text(found: HumanItemQueue) -> str:
    """Say how far the current annotator is with a set."""
    total, done = len(found.questions), len(found.statuses)
    parts = [
        tr("You answered {done:,} of {count}").format(
            done=done, count=trn("{count} question", "{count} questions", total)
        )
        if done
        else tr("{count} for you").format(count=trn("{count} question", "{count} questions", total))
    ]
    if found.refused_count:
        parts.append(tr("{refused:,} with “I don't know”").format(refused=found.refused_count))
    if found.own_count:
        parts.append(
            tr("{count} of your own left out").format(count=trn("{count} item", "{count} items", found.own_count))
        )
    return f"{'; '.join(parts)}."


def figure_rows(found: Iterable[RunFigures], *, named: bool) -> list[TableRow]:
    """Return the figures of runs, a row a metric; the first row of each run names it."""
    rows = []
    for run_figures in found:
        name = judge_label(run_figures, named=named)
        rows += [_figure_row(run_figures, row, "" if place else name) for place, row in enumerate(run_figures.rows)]
    return rows


def chance_rows(found: Sequence[RunFigures]) -> list[TableRow]:
    """Return what blind guessing and one constant answer reach over the items of the first run, a row a metric."""
    first = next(
        (run_figures for run_figures in found if any(row.chance is not None for row in run_figures.rows)), None
    )
    if first is None:
        return []
    return [
        *_reference_rows(tr("Chance in this set"), [(row, row.chance) for row in first.rows]),
        *_reference_rows(tr("Constant answer in this set"), [(row, row.constant) for row in first.rows]),
    ]


def _reference_rows(name: str, values: Sequence[tuple[MetricRow, float | None]]) -> list[TableRow]:
    known = [(row, value) for row, value in values if value is not None]
    return [
        TableRow(
            f"{CHANCE} {name} {row.metric}",
            _mean_row_cells("" if place else name, row.name, format_metric(row, value)),
            "" if place else "circle-dashed",
        )
        for place, (row, value) in enumerate(known)
    ]


def published_rows(rows: Sequence[PublishedScore], task: str, runs: Sequence[RunFigures]) -> list[TableRow]:
    """Return what papers report of a task, of the metrics that this study has too, under a heading.

    A row for each way in which runs depart from the paper follows the heading.
    """
    metrics = {metric.key: metric for metric in SUITE.make(task).metrics}
    kept = [row for row in rows if row.metric in metrics]
    if not kept:
        return []
    found = [
        TableRow(
            f"{PUBLISHED} {task}",
            _mean_row_cells(tr("Published in {paper}").format(paper=SUITE.make(task).paper), "", ""),
        )
    ]
    departures = departure_lines(
        (task, run.judge, run_settings(run.run, run.item_set)) for run in runs if run.item_set.task == task
    )
    found += [
        TableRow(f"{PUBLISHED} {task} other {at}", _mean_row_cells(line, "", ""), "info")
        for at, line in enumerate(departures)
    ]
    before = ""
    for place, published_score in enumerate(kept):
        metric = metrics[published_score.metric]
        modality = MODALITY_NAMES.get(published_score.modality, "")
        how = ", ".join(part for part in (modality, published_score.setting) if part)
        name = f"{published_score.name} ({how})" if how else published_score.name
        mean = _format_mean_sd(published_score.mean, published_score.sd, metric.share)
        shown = _mean_row_cells("" if name == before else name, metric.name, mean)
        found.append(TableRow(f"{PUBLISHED} {task} {place}", shown, "" if name == before else "info"))
        before = name
    return found


def _mean_row_cells(name: str, metric: str, mean: str) -> tuple[str, ...]:
    return (name, metric, mean, "", "", "", "")


def format_metric(row: MetricRow, number: float | None) -> str:
    """Return a figure as it is shown."""
    if number is None:
        return NOTHING
    return format_percent(number) if row.share else f"{number:.3f}"


def answer_text(answer: Mapping[str, Mapping[str, Json]]) -> str:
    """Return an answer, or a truth, on one line."""
    return "; ".join(
        _format_answer(value) for fields in answer.values() for value in fields.values() if value not in (None, "", [])
    )


def _task_option(entry: BenchmarkTask) -> TaskOption:
    about = tr("{description} {paper}, {section}. Answer: {answer}.").format(
        description=entry.description, paper=entry.paper, section=entry.section, answer=entry.answer
    )
    return TaskOption(
        entry.key,
        f"{entry.name} ({entry.paper})",
        about,
        entry.draws,
        entry.size,
        entry.source in ("segments", "rendered"),
        entry.shares,
    )


def _label_counts_text(items: Sequence[FrozenItem]) -> str:
    counts: dict[str, int] = {}
    for item in items:
        if label := str(item.content.get("label", "")):
            counts[label] = counts.get(label, 0) + 1
    return ", ".join(f"{label} {format_percent(number / len(items), 0)}" for label, number in sorted(counts.items()))


def judge_label(run_figures: RunFigures, *, named: bool) -> str:
    """Return who answered in a run, what was shown and how it was asked; `named`, after the name of the set."""
    how = [MODALITY_NAMES[run_figures.run.shown.value]]
    if run_figures.run.variant != "plain":
        how.append(run_figures.run.variant)
    if run_figures.run.condition != RAW_CONDITION:
        how.append(run_figures.run.condition)
    own = own_items_suffix(run_figures.run)
    name = f"{run_figures.judge}{own} ({', '.join(how)})"
    return f"{run_figures.item_set.name}: {name}" if named else name


def _figure_row(run_figures: RunFigures, row: MetricRow, name: str) -> TableRow:
    mean = NOTHING if row.mean is None else _format_mean_sd(row.mean, row.sd, row.share)
    n = (
        tr("{counted:,} of {items:,}").format(counted=row.n, items=run_figures.counts.items)
        if row.n < run_figures.counts.items
        else f"{row.n:,}"
    )
    counts = (n, f"{run_figures.counts.unparsed:,}", f"{run_figures.counts.refused:,}")
    cells = (name, row.name, mean, _interval_text(row), *counts)
    return TableRow(f"{run_figures.run.id} {row.metric}", cells, "pencil" if run_figures.human and name else "")


def _interval_text(row: MetricRow) -> str:
    if row.low is None or row.high is None:
        return ""
    return (
        tr("{low:.1f} to {high}").format(low=row.low * 100, high=format_percent(row.high))
        if row.share
        else tr("{low:.3f} to {high:.3f}").format(low=row.low, high=row.high)
    )


def _format_mean_sd(mean: float, sd: float | None, share: bool) -> str:
    if share:
        return format_percent(mean) + (f" ± {sd * 100:.1f}" if sd is not None else "")
    return f"{mean:.3f}" + (f" ± {sd:.3f}" if sd is not None else "")


def _format_answer(found: Json) -> str:
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found)
