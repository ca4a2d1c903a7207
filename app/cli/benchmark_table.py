"""Figures of runs as lines of text."""

from collections.abc import Iterable, Sequence

from app.core.benchmark.results.comparing import Comparison
from app.core.benchmark.results.figures import RunFigures
from benchmark.published import PublishedRow
from benchmark.results.base import FigureRow
from project.counted import counted
from project.judging import RAW
from project.percent import percent

_HUNDRED = 100.0
_SECOND = 1000
_SMALL = 0.001
_WIDE = 34


def value(number: float | None, *, share: bool) -> str:
    """Return a figure: percent where it is a share, two decimals where it is not, a dash where there is none."""
    if number is None:
        return "-"
    return percent(number) if share else f"{number:.2f}"


def figure(row: FigureRow) -> str:
    """Return a figure with its standard deviation and its interval, such as `57.1 % ± 1.2 [52.0 to 61.9]`."""
    text = value(row.mean, share=row.share)
    if row.sd is not None:
        text += f" ± {_HUNDRED * row.sd:.1f}" if row.share else f" ± {row.sd:.2f}"
    if row.low is not None and row.high is not None:
        low, high = (_HUNDRED * one if row.share else one for one in (row.low, row.high))
        text += f" [{low:.1f} to {high:.1f}]" if row.share else f" [{low:.2f} to {high:.2f}]"
    return text


def who(one: RunFigures) -> str:
    """Return who was asked, and how where that is not the usual way."""
    run = one.run
    how = [run.shown.value]
    how += [run.variant] if run.variant != "plain" else []
    how += [run.condition] if run.condition != RAW else []
    how += [f"seed {run.seed}"] if run.seed else []
    return f"{one.judge} ({', '.join(how)})"


def run_lines(found: Sequence[RunFigures]) -> list[str]:
    """Return the figures of runs, set by set, each judge with what became of its items."""
    lines = []
    for name in dict.fromkeys(one.item_set.name for one in found):
        runs = [one for one in found if one.item_set.name == name]
        lines.append(f"{name}: {runs[0].item_set.task}, {counted(runs[0].counts.items, 'item')}")
        for one in runs:
            lines.append(f"  {who(one)}: {became(one)}")
            lines += [f"    {row.name:<{_WIDE}} {figure(row)}" for row in one.rows if row.mean is not None]
            if undefined := [row.name for row in one.rows if row.mean is None]:
                lines.append(f"    undefined: {', '.join(undefined)}")
        if guessed := [f"{row.name} {value(row.chance, share=row.share)}" for row in runs[0].rows if _known(row)]:
            lines.append(f"  chance: {', '.join(guessed)}")
    return lines


def published_lines(rows: Iterable[PublishedRow], shares: dict[str, bool]) -> list[str]:
    """Return published figures, marked as such, one line for each who was asked."""
    told: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        how = ", ".join(part for part in (row.modality, row.setting) if part)
        key = (row.source.partition(",")[0], row.task, f"{row.name} ({how})" if how else row.name)
        spread = "" if row.sd is None else f" ± {_HUNDRED * row.sd:.1f}" if shares.get(row.metric, True) else ""
        told.setdefault(key, []).append(f"{row.metric} {value(row.mean, share=shares.get(row.metric, True))}{spread}")
    return [f"  published, {paper}, {task}: {who}: {', '.join(each)}" for (paper, task, who), each in told.items()]


def became(one: RunFigures) -> str:
    """Say what became of the items of a run."""
    counts = one.counts
    parts = [f"{counts.counted:,} of {counted(counts.items, 'item')} count"]
    for number, what in (
        (counts.unparsed, "unreadable"),
        (counts.refused, "refused"),
        (counts.errors, "failed"),
        (counts.missing, "not asked"),
    ):
        parts += [f"{number:,} {what}"] if number else []
    return ", ".join(parts)


def spent_lines(found: Sequence[RunFigures]) -> list[str]:
    """Say what runs took, each judge in a line; nothing about those that took nothing."""
    lines = []
    for one in found:
        spent = one.spent
        tokens = spent.tokens_in + spent.tokens_out
        parts = [f"{spent.ms / _SECOND:,.1f} s"] if spent.ms else []
        parts += [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{money:,.4f} {currency}" for currency, money in spent.money.items()]
        if parts:
            lines.append(f"{one.item_set.name}, {who(one)} took {', '.join(parts)}")
    return lines


def comparison_lines(found: Comparison) -> list[str]:
    """Return two runs side by side, with the tests of their difference."""
    first, second = found.first, found.second
    lines = [f"{first.item_set.name}: {who(first)} and {who(second)}, {counted(found.n, 'item')} in common"]
    if not found.paired:
        lines = [f"{who(first)} on {first.item_set.name}, and {who(second)} on {second.item_set.name}: no test"]
    for row in found.rows:
        one = row.difference
        scale = _HUNDRED if row.share else 1
        text = f"{value(row.first, share=row.share)} and {value(row.second, share=row.share)}"
        if one.value is not None:
            text += f", {scale * one.value:+.{1 if row.share else 2}f}"
        if one.low is not None and one.high is not None:
            text += f" [{scale * one.low:.{1 if row.share else 2}f} to {scale * one.high:.{1 if row.share else 2}f}]"
        text += "" if one.p is None else f", {_p(one.p)}"
        lines.append(f"  {row.name:<{_WIDE}} {text}")
    right = found.right
    if right is not None and right.p is not None:
        lines.append(
            f"  only the first is right {right.first_only} times, only the second {right.second_only} times: "
            f"McNemar's test{', exact,' if right.exact else ''} gives {_p(right.p)}"
        )
    return lines


def _p(value: float) -> str:
    return "p < .001" if value < _SMALL else f"p = {value:.3f}"


def _known(row: FigureRow) -> bool:
    return row.chance is not None
