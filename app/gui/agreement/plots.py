"""From a report and the statistics to plots."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.core.figure_words import words_of
from app.core.statistics import BINS, Counted, Statistics
from app.gui.agreement.rows import measured
from benchmark.agreement.material import Named
from benchmark.agreement.report import Report, Row
from widgets.label_looks import LabelLook, Pattern, Sign, unknown_look
from widgets.plots.scene import Bars, Histogram, Lines, Matrix, Measured, Number, Pile, Plot, Series
from widgets.plots.ticks import nice_ticks

Looks = Mapping[str, LabelLook]
MOST_BARS = 40
"""More groups than this are drawn as a histogram of their values."""
_LONGEST_SHARE = 97
"""Percent of the durations that the histogram shows; the last bin holds the others."""
_DURATION_BINS = 16
_FIGURE_BINS = tuple(place / 20 for place in range(-20, 21))


def agreement_plots(report: Report) -> list[Plot]:
    """Return what agreement is drawn as."""
    names = [_name(label) for label in report.labels]
    matched = int(report.confusion[:-1, :-1].sum())
    alone = int(report.confusion.sum()) - matched
    cells = report.confusion.astype(int).tolist()
    cells[-1][-1] = None
    found: list[Plot] = [
        Matrix(
            "confusion",
            "Labels of matched segments",
            f"{_many(matched, 'matched pair')}, {_many(alone, 'segment')} without a partner",
            (*names, "Unmatched"),
            (*names, "Unmatched"),
            tuple(tuple(row) for row in cells),
            down="First of the pair",
            across="Second of the pair",
            diagonal=True,
        ),
        _f1(report),
    ]
    shares = [one for one in report.published if one.published.value <= 1 and one.own and one.own.value is not None]
    if shares:
        found.append(
            Bars(
                "published",
                "Beside the SHREC paper",
                "Shares of this study with 95 % intervals over recordings",
                tuple(one.published.name for one in shares),
                (Series("This study", tuple(measured(one.own) for one in shares if one.own is not None)),),
                "share",
                Number.FIGURE,
                reference="SHREC paper",
                references=tuple(one.published.value for one in shares),
            )
        )
    for key, title in (
        ("label", "Same label, by label"),
        *((field.key, f"Same label, by {field.name.lower()}") for field in report.fields),
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
            mark_name="" if middle is None else f"median {middle:.3f}",
        )
        undefined = len(having) - len(defined)
        note = f"{len(having)} groups" + (f", undefined in {undefined}" if undefined else "")
        return Histogram(key, title, note, tuple(edges.tolist()), (pile,), words_of(figure).name)
    bars = tuple(measured(row.figures[figure]) for row in having)
    whole = sum(one.n or 0 for one in bars)
    intervals = "; whiskers: 95 % intervals over recordings" if any(one.low is not None for one in bars) else ""
    return Bars(
        key,
        title,
        f"n from {min((one.n or 0 for one in bars), default=0):,} to {max((one.n or 0 for one in bars), default=0):,}"
        f"{intervals}"
        if whole
        else "Nothing to compare yet",
        tuple(row.name for row in having),
        (Series(words_of(figure).name, bars),),
        words_of(figure).name,
        Number.FIGURE,
    )


def statistics_plots(statistics: Statistics, looks: Looks) -> list[Plot]:
    """Return what the study's segments are drawn as."""
    total = int(statistics.by_label.sum())
    labels = [(label, looks.get(label.key) or unknown_look(label.key)) for label in statistics.labels]
    about = f"{_many(total, 'segment')} in {_many(statistics.recordings, 'recording')}"
    found: list[Plot] = [
        Bars(
            "segments_by_annotator",
            "Segments by label and annotator",
            about,
            tuple(who.name for who in statistics.annotators),
            _by_label(labels, statistics.by_annotator.T),
            "segments",
            stacked=True,
        ),
        _density(statistics, labels, about),
        _durations(statistics, labels),
    ]
    for field in statistics.fields:
        if field.filled:
            found += _of_field(field, labels, total)
    return found


def _f1(report: Report) -> Lines:
    levels = [float(level) for level in report.f1_iou]
    n = max((figure.n for figure in report.f1_iou.values()), default=0)
    boundaries = LabelLook("f1", "Boundaries", "accent", Pattern.SOLID, Sign.SQUARE)
    labels = LabelLook("f1_same_label", "And label", "uncertain", Pattern.HATCH, Sign.TRIANGLE)
    return Lines(
        "f1_over_iou",
        "F1 over the IoU that is asked for",
        f"n = {n:,} annotations; whiskers: 95 % intervals over recordings",
        tuple(levels),
        (
            Series("Boundaries", tuple(map(measured, report.f1_iou.values())), boundaries),
            Series("And label", tuple(map(measured, report.f1_iou_same_label.values())), labels),
        ),
        "IoU",
        "F1",
    )


def _by_label(labels: Sequence[tuple[Named, LabelLook]], counts: Any) -> tuple[Series, ...]:
    """Return a series for each label; `counts` is (labels, groups)."""
    return tuple(
        Series(_name(label), tuple(Measured(float(one)) for one in counts[place]), look)
        for place, (label, look) in enumerate(labels)
    )


def _density(statistics: Statistics, labels: Sequence[tuple[Named, LabelLook]], about: str) -> Lines:
    series = tuple(
        Series(_name(label), tuple(Measured(float(one)) for one in statistics.density[place]), look)
        for place, (label, look) in enumerate(labels)
    )
    return Lines(
        "density",
        "Marked time over the recording",
        f"{about}; mean of recordings and annotators",
        tuple(100 * (place + 0.5) / BINS for place in range(BINS)),
        series,
        "% of the recording",
        "Share of the time that is marked",
    )


def _durations(statistics: Statistics, labels: Sequence[tuple[Named, LabelLook]]) -> Histogram:
    every = np.concatenate([np.zeros(0), *statistics.seconds.values()])
    most = float(np.percentile(every, _LONGEST_SHARE)) if len(every) else 1.0
    edges = np.array(nice_ticks([max(most, 1e-3)], _DURATION_BINS).values)
    piles = []
    for label, look in labels:
        seconds = statistics.seconds[label.key]
        counts = np.histogram(np.minimum(seconds, edges[-1]), edges)[0]
        middle = float(np.median(seconds)) if len(seconds) else None
        name = "" if middle is None else f"median {middle:.1f} s"
        piles.append(Pile(_name(label), tuple(counts.tolist()), look, middle, name))
    return Histogram(
        "durations",
        "How long segments are",
        f"{_many(len(every), 'segment')}; the last bin holds all that are longer",
        tuple(edges.tolist()),
        tuple(piles),
        "seconds",
        open_end=True,
    )


def _of_field(field: Counted, labels: Sequence[tuple[Named, LabelLook]], total: int) -> list[Plot]:
    names = tuple(_name(one) for one in field.choices)
    filled = f"filled in for {field.filled:,} of {_many(total, 'segment')}"
    found: list[Plot] = [
        Bars(
            f"segments_by_{field.key}",
            f"Segments by {field.name.lower()}",
            filled[0].upper() + filled[1:],
            names,
            _by_label(labels, field.by_label),
            "segments",
            stacked=True,
        )
    ]
    together = field.together.tolist()
    if any(together[one][other] for one in range(len(names)) for other in range(len(names)) if one != other):
        found.append(
            Matrix(
                f"together_{field.key}",
                f"{field.name} chosen together",
                f"Segments with both; framed: with the one; n = {field.filled:,}",
                names,
                names,
                tuple(tuple(row) for row in together),
                diagonal=True,
            )
        )
    return found


def _name(one: Named) -> str:
    return one.name or one.key


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
