"""From reports to plots: what each method protects, what it keeps, and how alike faces are."""

from collections.abc import Sequence

import numpy as np

from anonymize.measures.figure import Figure
from anonymize.measures.report import NAIVE, PARROT, PrivacyReport
from app.core.privacy.exports import Export
from resources.translation import tr
from widgets.label_looks import LabelLook, Pattern, Sign
from widgets.plots.scene import Bars, Histogram, Measured, Number, Pile, Plot, Series

_KEPT = (("mouth", tr("Mouth")), ("eye", tr("Eyes")), ("brow", tr("Brows")), ("iris_x", tr("Gaze to the side")))
_LOOKS = (
    LabelLook("first", "", "accent", Pattern.SOLID, Sign.SQUARE),
    LabelLook("second", "", "uncertain", Pattern.HATCH, Sign.TRIANGLE),
    LabelLook("third", "", "competence", Pattern.DOTS, Sign.RING),
    LabelLook("fourth", "", "muted", Pattern.BACK_HATCH, Sign.DIAMOND),
)
_KINDS = (
    ("genuine", tr("Same person, source")),
    ("impostor", tr("Other people, source")),
    ("anonymized", tr("Clip, same person")),
)


def method_plots(exports: Sequence[Export]) -> list[Plot]:
    """Compare methods: the newest measured export of each, over all recordings."""
    reports = _newest(exports)
    if not reports:
        return []
    names = tuple(f"{method}, {number}" for method, number, _ in reports)
    found = [report for _, _, report in reports]
    note = tr("The newest export of each recording by each method; the number is the recording's")
    return [
        Bars(
            "privacy_by_method",
            tr("Re-identified faces"),
            note,
            names,
            (
                Series(tr("Naive attacker"), tuple(_rate(report, NAIVE) for report in found), _LOOKS[0]),
                Series(tr("Parrot attacker"), tuple(_rate(report, PARROT) for report in found), _LOOKS[1]),
            ),
            tr("share at FAR 1e-2"),
            Number.FIGURE,
        ),
        Bars(
            "use_by_method",
            tr("Signals that are kept"),
            note,
            names,
            tuple(
                Series(name, tuple(_measured(report.figure(key)) for report in found), look)
                for (key, name), look in zip(_KEPT, _LOOKS, strict=True)
            ),
            tr("correlation with the source"),
            Number.FIGURE,
        ),
    ]


def similarity_plot(report: PrivacyReport) -> Histogram | None:
    """Show how alike faces are; None where nothing was compared."""
    counts = {key: np.array(report.scores.counts.get(key, ()), int) for key, _ in _KINDS}
    if not any(one.sum() for one in counts.values()):
        return None
    edges = np.array(report.scores.edges)
    used = np.flatnonzero(sum(one for one in counts.values() if len(one)))
    first, last = int(used[0]), int(used[-1]) + 1
    attack = report.attack(NAIVE)
    limit = attack.thresholds[0].value if attack is not None else None
    piles = tuple(
        Pile(
            name,
            tuple(counts[key][first:last].tolist()),
            mark=limit,
            mark_name="" if limit is None else tr("FAR 1e-2: {limit:.2f}").format(limit=limit),
        )
        for key, name in _KINDS
    )
    return Histogram(
        "similarities",
        tr("How alike faces are"),
        tr("Cosines of the first embedding, against the mean of other frames"),
        tuple(edges[first : last + 1].tolist()),
        piles,
        "cosine",
    )


def _newest(exports: Sequence[Export]) -> list[tuple[str, int, PrivacyReport]]:
    found: dict[tuple[str, int], PrivacyReport] = {}
    for one in exports:
        if one.report is not None:
            found.setdefault((one.run.backend, one.recording.number), one.report)
    return sorted(((*key, report) for key, report in found.items()), key=lambda row: row[:2])


def _rate(report: PrivacyReport, kind: str) -> Measured:
    attack = report.attack(kind)
    if attack is None:
        return Measured(None, reason=tr("No model that recognises faces was installed."))
    return _measured(attack.rates[0])


def _measured(figure: Figure) -> Measured:
    return Measured(figure.value, figure.n, reason=figure.note)
