"""From a report to plots."""

from collections.abc import Sequence

import numpy as np

from app.core.agreement.figure_words import words_of
from app.gui.agreement.rows import measured
from benchmark.agreement.material import Named
from benchmark.agreement.report import Report, Row
from resources.translation import tr, trn
from widgets.label_looks import LabelLook, Pattern, Sign
from widgets.plots.scene import Bars, Histogram, Lines, Matrix, Number, Pile, Plot, Series

MOST_BARS = 40
"""More groups than this are drawn as a histogram of their values."""
_FIGURE_BINS = tuple(place / 20 for place in range(-20, 21))


def agreement_plots(report: Report) -> list[Plot]:
    """Return what agreement is drawn as; nothing where no recording was annotated by two."""
    if not report.settings["recordings_compared"]:
        return []
    names = [name_of(label) for label in report.labels]
    matched = int(report.confusion[:-1, :-1].sum())
    alone = int(report.confusion.sum()) - matched
    cells = report.confusion.astype(int).tolist()
    cells[-1][-1] = None
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
            tuple(tuple(row) for row in cells),
            down=tr("First of the pair"),
            across=tr("Second of the pair"),
            diagonal=True,
        ),
        _f1(report),
    ]
    shares = [one for one in report.published if one.published.value <= 1 and one.own and one.own.value is not None]
    if shares:
        found.append(
            Bars(
                "published",
                tr("Beside the SHREC paper"),
                tr("Shares of this study with 95 % intervals over recordings"),
                tuple(one.published.name for one in shares),
                (Series(tr("This study"), tuple(measured(one.own) for one in shares if one.own is not None)),),
                "share",
                Number.FIGURE,
                reference=tr("SHREC paper"),
                references=tuple(one.published.value for one in shares),
            )
        )
    for key, title in (
        ("label", tr("Same label, by label")),
        *((field.key, tr("Same label, by {name}").format(name=field.name.lower())) for field in report.fields),
    ):
        rows = report.rows.get(key, ())
        if any(row.figures["verdict_agreement"].value is not None for row in rows):
            found.append(split_plot(f"same_label_by_{key}", title, rows, "verdict_agreement"))
    return found


def split_plot(key: str, title: str, rows: Sequence[Row], figure: str) -> Plot:
    """Draw one figure of each row: as bars with intervals, or as a histogram where there are many rows."""
    having = [row for row in rows if figure in row.figures]
    defined = [row.figures[figure].value for row in having if row.figures[figure].value is not None]
    if len(having) > MOST_BARS:
        values = np.array(defined, float)
        edges = np.array(
            [edge for edge in _FIGURE_BINS if edge >= min(0.0, float(np.floor(values.min(initial=0) * 10) / 10))]
        )
        counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
        middle = float(np.median(values)) if len(values) else None
        pile = Pile(
            words_of(figure).name,
            tuple(counts.tolist()),
            mark=middle,
            mark_name="" if middle is None else tr("median {middle:.3f}").format(middle=middle),
        )
        undefined = len(having) - len(defined)
        note = tr("{having} groups").format(having=len(having)) + (
            tr(", undefined in {undefined}").format(undefined=undefined) if undefined else ""
        )
        return Histogram(key, title, note, tuple(edges.tolist()), (pile,), words_of(figure).name)
    bars = tuple(measured(row.figures[figure]) for row in having)
    whole = sum(one.n or 0 for one in bars)
    intervals = tr("; whiskers: 95 % intervals over recordings") if any(one.low is not None for one in bars) else ""
    return Bars(
        key,
        title,
        tr("n from {fewest:,} to {most:,}{intervals}").format(
            fewest=min((one.n or 0 for one in bars), default=0),
            most=max((one.n or 0 for one in bars), default=0),
            intervals=intervals,
        )
        if whole
        else tr("Nothing to compare yet"),
        tuple(row.name for row in having),
        (Series(words_of(figure).name, bars),),
        words_of(figure).name,
        Number.FIGURE,
    )


def _f1(report: Report) -> Lines:
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
            Series(tr("Boundaries"), tuple(map(measured, report.f1_iou.values())), boundaries),
            Series(tr("And label"), tuple(map(measured, report.f1_iou_same_label.values())), labels),
        ),
        tr("IoU"),
        "F1",
    )


def name_of(one: Named) -> str:
    """Return what people call it."""
    return one.name or one.key


def many(number: int, thing: str) -> str:
    """Return a number and what it counts, whose plural ends in s."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
