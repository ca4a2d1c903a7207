"""From the statistics of a study to plots: of all annotators together, and side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.core.statistics import BINS, Counted, Statistics
from app.gui.agreement.plots import name_of
from benchmark.agreement.material import Named
from benchmark.agreement.types import Floats
from project.schemes.scheme import Label, Track
from resources.translation import tr, trn
from widgets.label_looks import LabelLook, looks_of, unknown_look
from widgets.plots.scene import Bars, Histogram, Lines, Matrix, Measured, Pile, Plot, Series
from widgets.plots.ticks import nice_ticks

Looks = Mapping[str, LabelLook]
_LONGEST_SHARE = 97
"""Percent of the durations that the histogram shows; the last bin holds the others."""
_DURATION_BINS = 16
_SIDE_BY_SIDE = 6
"""More annotators than this cannot be told apart in one plot."""


def statistics_plots(statistics: Statistics, looks: Looks) -> list[Plot]:
    """Return what the study's segments are drawn as; nothing where nothing is marked."""
    total = int(statistics.by_label.sum())
    if not total:
        return []
    labels = [(label, looks.get(label.key) or unknown_look(label.key)) for label in statistics.labels]
    about = tr("{segments} in {recordings}").format(
        segments=trn("{count} segment", "{count} segments", total),
        recordings=trn("{count} recording", "{count} recordings", statistics.recordings),
    )
    found: list[Plot] = [
        Bars(
            "segments_by_annotator",
            tr("Segments by label and annotator"),
            about,
            tuple(who.name for who in statistics.annotators),
            _by_label(labels, statistics.by_annotator.T),
            "segments",
            stacked=True,
        ),
        _density_of(
            "density",
            tr("Marked time over the recording"),
            tr("{about}; mean of recordings and annotators").format(about=about),
            [(label, look, statistics.density[place]) for place, (label, look) in enumerate(labels)],
        ),
        _durations_of(
            "durations",
            tr("How long segments are"),
            [(label, look, statistics.seconds[label.key]) for label, look in labels],
        ),
    ]
    for field in statistics.fields:
        if field.filled:
            found += _of_field(field, labels, total)
    return found


def annotator_plots(each: Sequence[Statistics]) -> list[Plot]:
    """Return the statistics of several annotators side by side; nothing for one, too many, or without any segment."""
    total = sum(int(one.by_label.sum()) for one in each)
    if not 1 < len(each) <= _SIDE_BY_SIDE or not total:
        return []
    people = [one.annotators[0] for one in each]
    looks = looks_of(Track("annotators", "", tuple(Label(who.key, who.name) for who in people)))
    named = list(zip(people, looks, strict=True))
    found: list[Plot] = [
        _density_of(
            "density_by_annotator",
            tr("Marked time, by annotator"),
            tr("{count} of any label; mean of each annotator's recordings").format(
                count=trn("{count} segment", "{count} segments", total)
            ),
            [(who, look, one.density.sum(0)) for (who, look), one in zip(named, each, strict=True)],
        ),
        _durations_of(
            "durations_by_annotator",
            tr("How long segments are, by annotator"),
            [
                (who, look, np.concatenate([np.zeros(0), *one.seconds.values()]))
                for (who, look), one in zip(named, each, strict=True)
            ],
        ),
    ]
    for place, field in enumerate(each[0].fields):
        counted = [one.fields[place] for one in each]
        if any(one.filled for one in counted):
            series = tuple(
                Series(who.name, tuple(Measured(float(n)) for n in one.together.diagonal()), look)
                for (who, look), one in zip(named, counted, strict=True)
            )
            found.append(
                Bars(
                    f"segments_by_{field.key}_and_annotator",
                    tr("Segments by {name} and annotator").format(name=field.name.lower()),
                    tr("Filled in for {count}").format(
                        count=trn("{count} segment", "{count} segments", sum(one.filled for one in counted))
                    ),
                    tuple(name_of(one) for one in field.choices),
                    series,
                    "segments",
                )
            )
    return found


def _by_label(labels: Sequence[tuple[Named, LabelLook]], counts: Any) -> tuple[Series, ...]:
    """Return a series for each label; `counts` is (labels, groups)."""
    return tuple(
        Series(name_of(label), tuple(Measured(float(one)) for one in counts[place]), look)
        for place, (label, look) in enumerate(labels)
    )


def _density_of(key: str, title: str, note: str, lines: Sequence[tuple[Named, LabelLook, Floats]]) -> Lines:
    """Draw (BINS,) shares over the recording, a line for each."""
    return Lines(
        key,
        title,
        note,
        tuple(100 * (place + 0.5) / BINS for place in range(BINS)),
        tuple(
            Series(name_of(one), tuple(Measured(float(value)) for value in values), look) for one, look, values in lines
        ),
        tr("% of the recording"),
        tr("Share of the time that is marked"),
    )


def _durations_of(key: str, title: str, groups: Sequence[tuple[Named, LabelLook, Floats]]) -> Histogram:
    """Draw how many segments last how long; each group comes with its (n,) seconds."""
    every = np.concatenate([np.zeros(0), *(seconds for _, _, seconds in groups)])
    most = float(np.percentile(every, _LONGEST_SHARE)) if len(every) else 1.0
    edges = np.array(nice_ticks([max(most, 1e-3)], _DURATION_BINS).values)
    piles = []
    for one, look, seconds in groups:
        counts = np.histogram(np.minimum(seconds, edges[-1]), edges)[0]
        middle = float(np.median(seconds)) if len(seconds) else None
        mark = "" if middle is None else tr("median {middle:.1f} s").format(middle=middle)
        piles.append(Pile(name_of(one), tuple(counts.tolist()), look, middle, mark))
    note = tr("{count}; the last bin holds all that are longer").format(
        count=trn("{count} segment", "{count} segments", len(every))
    )
    return Histogram(key, title, note, tuple(edges.tolist()), tuple(piles), "seconds", open_end=True)


def _of_field(field: Counted, labels: Sequence[tuple[Named, LabelLook]], total: int) -> list[Plot]:
    names = tuple(name_of(one) for one in field.choices)
    filled = tr("filled in for {filled:,} of {count}").format(
        filled=field.filled, count=trn("{count} segment", "{count} segments", total)
    )
    found: list[Plot] = [
        Bars(
            f"segments_by_{field.key}",
            tr("Segments by {name}").format(name=field.name.lower()),
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
                tr("{name} chosen together").format(name=field.name),
                tr("Segments with both; framed: with the one; n = {filled:,}").format(filled=field.filled),
                names,
                names,
                tuple(tuple(row) for row in together),
                diagonal=True,
            )
        )
    return found
