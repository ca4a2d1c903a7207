"""What the page of the benchmark says about sets, runs and figures."""

from collections.abc import Iterable, Mapping, Sequence

from app.gui.benchmark.item_set_form import TaskOption
from benchmark.items.sampling import INCLUDED, NEGATIVES
from benchmark.metrics.published_figures import PublishedScore
from benchmark.results.item_results import MetricRow
from benchmark.runs.people_runs import OWN, HumanItemQueue
from benchmark.runs.run_figures import RunFigures
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask, ByLabel, entry_of
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet
from project.entities.judgments import RAW
from project.entities.study_records import Json
from project.text_format import percent
from resources.translation import tr, trn
from widgets.table.record_table import TableRow

AS_SEEN = ""
SHOWN: Mapping[str, tuple[str, str]] = {
    AS_SEEN: (tr("What each judge sees"), tr("Words, and pictures for judges that see; you see both")),
    ItemModality.WORDS.value: (tr("Words alone (L)"), tr("What is said, and no picture")),
    ItemModality.BOTH.value: (tr("Words and pictures (L+V)"), tr("What is said, with frames or a clip")),
    ItemModality.PICTURES.value: (tr("Pictures alone (V)"), tr("Frames or a clip, and nothing that is said")),
}
NOTHING = "-"
PUBLISHED, CHANCE = "published", "chance"
"""How keys of rows begin that are of no run."""


def task_lines() -> list[TaskOption]:
    """Return the tasks of the benchmark."""
    return [_line(entry_of(key)) for key in SUITE]


def set_name(one: ItemSet) -> str:
    """Return what a set is called in a list."""
    task = entry_of(one.task).name if one.task in SUITE else one.task
    return one.name if one.name.casefold().startswith(task.casefold()) else f"{one.name} ({task})"


def set_facts(one: ItemSet, items: Sequence[FrozenItem]) -> dict[str, str]:
    """Return what a set is, by name."""
    facts: dict[str, str] = {}
    if one.task in SUITE:
        entry = entry_of(one.task)
        facts |= {tr("Task"): f"{entry.name}: {entry.description}", tr("Answer"): entry.answer}
        facts |= {tr("Paper"): f"{entry.paper}, {entry.section}"}
    recordings = trn("{count} recording", "{count} recordings", len({item.recording_id for item in items}))
    drawn = tr("{items} in {draws}, from {recordings}").format(
        items=trn("{count} item", "{count} items", len(items)),
        draws=trn("{count} draw", "{count} draws", one.draws),
        recordings=recordings,
    )
    facts |= {tr("Items"): drawn, tr("Seed"): str(one.seed)}
    labels = _labels(items)
    if labels:
        facts[tr("Balance")] = labels
    if unusual := _unusual(one.rule):
        facts[tr("Exceptions")] = "; ".join(unusual)
    return facts | {
        tr("Made"): tr("{value} UTC").format(value=one.at[:16].replace("T", " ")),
        tr("Checksum"): one.sha256[:16],
    }


def _unusual(rule: Mapping[str, Json]) -> list[str]:
    """Return what of a set's rule is not as usual."""
    include, shares, methods = (rule.get(key) for key in ("include", "shares", "conditions"))
    found = [INCLUDED.get(str(key), str(key)) for key in include] if isinstance(include, list) else []
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


def left_out_rows(one: ItemSet) -> list[TableRow]:
    """Return what was left out of a set and why, the most frequent first."""
    found = sorted(one.left_out.items(), key=lambda pair: (-pair[1], pair[0]))
    return [TableRow(reason, (f"{number:,}", reason)) for reason, number in found]


def changed_words(count: int, total: int) -> str:
    """Say how many items are not what the study holds now."""
    if not count:
        return tr("The study holds what these items were made from, unchanged.")
    return tr("{changed:,} of {items} changed in the study since. The set stays as it was drawn.").format(
        changed=count, items=trn("{count} item", "{count} items", total)
    )


def run_row(one: BenchmarkRun, answered: int, asked: int) -> TableRow:
    """Return a run as a row."""
    done = tr("{answered:,} of {asked:,}").format(answered=answered, asked=asked)
    return TableRow(
        one.id,
        (
            who(one),
            one.shown.value,
            one.variant,
            condition_name(one.condition),
            done,
            one.at[:16].replace("T", " "),
        ),
        "pencil" if one.annotator_id else "",
    )


def who(one: BenchmarkRun) -> str:
    """Return who answered in a run, and whether that was with their own annotations."""
    name = str(one.judge.get("name", one.judge_id))
    return f"{name}{with_own(one)}"


def with_own(one: BenchmarkRun) -> str:
    """Mark a person who also answered items that were made from their own annotations."""
    settings = one.judge.get("settings")
    return tr(" (own items too)") if isinstance(settings, dict) and settings.get(OWN) is True else ""


def condition_name(condition: str) -> str:
    """Return what a judge saw, for people."""
    return tr("Raw") if condition == RAW else condition


def standing_words(found: HumanItemQueue) -> str:
    """Say how far who works here is with a set."""
    total, done = len(found.asked), len(found.done)
    parts = [
        tr("You answered {done:,} of {count}").format(
            done=done, count=trn("{count} question", "{count} questions", total)
        )
        if done
        else tr("{count} for you").format(count=trn("{count} question", "{count} questions", total))
    ]
    if found.refused:
        parts.append(tr("{refused:,} with “I don't know”").format(refused=found.refused))
    if found.own:
        parts.append(tr("{count} of your own left out").format(count=trn("{count} item", "{count} items", found.own)))
    return f"{'; '.join(parts)}."


def figure_rows(found: Iterable[RunFigures], *, named: bool) -> list[TableRow]:
    """Return the figures of runs, a row a metric; the first row of each run names it."""
    rows = []
    for one in found:
        name = _judge(one, named=named)
        rows += [_figure(one, row, "" if place else name) for place, row in enumerate(one.rows)]
    return rows


def chance_rows(found: Sequence[RunFigures]) -> list[TableRow]:
    """Return what blind guessing reaches over the items of the first run, a row a metric."""
    first = next((one for one in found if any(row.chance is not None for row in one.rows)), None)
    known = [row for row in first.rows if row.chance is not None] if first is not None else []
    return [
        TableRow(
            f"{CHANCE} {row.metric}",
            _cells("" if place else tr("Chance"), row.name, value(row, row.chance)),
            "" if place else "circle-dashed",
        )
        for place, row in enumerate(known)
    ]


def published_lines(rows: Sequence[PublishedScore], task: str) -> list[TableRow]:
    """Return what papers report of a task, of the metrics that this study has too, under a heading."""
    metrics = {one.key: one for one in entry_of(task).metrics}
    kept = [one for one in rows if one.metric in metrics]
    if not kept:
        return []
    found = [
        TableRow(f"{PUBLISHED} {task}", _cells(tr("Published in {paper}").format(paper=entry_of(task).paper), "", ""))
    ]
    before = ""
    for place, one in enumerate(kept):
        metric = metrics[one.metric]
        how = " ".join(part for part in (one.modality, one.setting) if part)
        name = f"{one.name} ({how})" if how else one.name
        mean = _with_sd(one.mean, one.sd, metric.share)
        shown = _cells("" if name == before else name, metric.name, mean)
        found.append(TableRow(f"{PUBLISHED} {task} {place}", shown, "" if name == before else "info"))
        before = name
    return found


def _cells(name: str, metric: str, mean: str) -> tuple[str, ...]:
    return (name, metric, mean, "", "", "", "")


def value(row: MetricRow, number: float | None) -> str:
    """Return a figure as it is shown."""
    if number is None:
        return NOTHING
    return percent(number) if row.share else f"{number:.3f}"


def answer_words(answer: Mapping[str, Mapping[str, Json]]) -> str:
    """Return an answer, or a truth, on one line."""
    return "; ".join(
        _text(each) for fields in answer.values() for each in fields.values() if each not in (None, "", [])
    )


def _line(entry: BenchmarkTask) -> TaskOption:
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
        entry.shares if isinstance(entry, ByLabel) else {},
    )


def _labels(items: Sequence[FrozenItem]) -> str:
    counts: dict[str, int] = {}
    for one in items:
        if label := str(one.content.get("label", "")):
            counts[label] = counts.get(label, 0) + 1
    return ", ".join(f"{label} {percent(number / len(items), 0)}" for label, number in sorted(counts.items()))


def _judge(one: RunFigures, *, named: bool) -> str:
    how = [one.run.shown.value]
    if one.run.variant != "plain":
        how.append(one.run.variant)
    if one.run.condition != RAW:
        how.append(one.run.condition)
    own = with_own(one.run)
    name = f"{one.judge}{own} ({' '.join(how)})"
    return f"{one.item_set.name}: {name}" if named else name


def _figure(one: RunFigures, row: MetricRow, name: str) -> TableRow:
    mean = NOTHING if row.mean is None else _with_sd(row.mean, row.sd, row.share)
    n = (
        tr("{counted:,} of {items:,}").format(counted=row.n, items=one.counts.items)
        if row.n < one.counts.items
        else f"{row.n:,}"
    )
    counts = (n, f"{one.counts.unparsed:,}", f"{one.counts.refused:,}")
    cells = (name, row.name, mean, _interval(row), *counts)
    return TableRow(f"{one.run.id} {row.metric}", cells, "pencil" if one.human and name else "")


def _interval(row: MetricRow) -> str:
    if row.low is None or row.high is None:
        return ""
    return (
        tr("{low:.1f} to {high}").format(low=row.low * 100, high=percent(row.high))
        if row.share
        else tr("{low:.3f} to {high:.3f}").format(low=row.low, high=row.high)
    )


def _with_sd(mean: float, sd: float | None, share: bool) -> str:
    if share:
        return percent(mean) + (f" ± {sd * 100:.1f}" if sd is not None else "")
    return f"{mean:.3f}" + (f" ± {sd:.3f}" if sd is not None else "")


def _text(found: Json) -> str:
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found)
