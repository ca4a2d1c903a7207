"""What the tables of the window say about a report."""

from collections.abc import Sequence

from anonymize.measures.figure import Figure
from anonymize.measures.report import FIGURES, NAIVE, About, Attack, PrivacyReport
from app.core.privacy.exports import Export
from app.core.privacy.limits import PrivacyLimits
from app.core.privacy.words import ATTACKERS, figure_text, value_text
from resources.translation import tr
from widgets.rows_table import NOT_YET

EXPORTS = (
    *(tr("Recording"), tr("Method"), tr("Re-identified"), tr("Worst track"), tr("Still detected"), tr("Leaks")),
    *(tr("Mouth"), tr("Eyes"), tr("Flicker"), tr("Clip")),
)
TRACKS = (
    *(tr("Face"), tr("Looks"), tr("Re-identified"), tr("Still detected"), tr("Covered"), tr("Landmarks (NME)")),
    *(tr("Mouth"), tr("Eyes"), tr("Brows"), tr("Flicker")),
)
_TRACK_KEYS = ("reidentified", "detected", "coverage", "nme", "mouth", "eye", "brow", "warp")
FIGURE_COLUMNS = (tr("Figure"), tr("Value"), tr("Taken from"), tr("Note"))
_SHARE, _R = About("", "share"), About("", "r")
_NO_CHANCE = Figure(0.0)
_SHORT_ID = 8

Over = frozenset[int]


def export_cells(export: Export) -> tuple[str, ...]:
    """Return one row of the table of exports."""
    head = (f"{export.recording.number}  {export.recording.name}", export.run.backend)
    report = export.report
    if report is None:
        return (*head, NOT_YET, *[""] * (len(EXPORTS) - 4), export.clip)
    attack = report.attack(NAIVE)
    rates = ("–", "–") if attack is None else (value_text(_SHARE, attack.rates[0]), value_text(_SHARE, attack.worst))  # noqa: RUF001
    keys = ("detected", "leak_frames", "mouth", "eye", "warp")
    return (*head, *rates, *(value_text(FIGURES[key], report.figure(key)) for key in keys), export.clip)


def over_columns(report: PrivacyReport, limits: PrivacyLimits) -> Over:
    """Return which columns of the table of exports are over a limit."""
    found: set[int] = set()
    for attack in (one for one in report.attacks if one.kind == NAIVE):
        if _over(attack.rates[0], attack.chance, limits.reidentified):
            found.add(EXPORTS.index(tr("Re-identified")))
        if _over(attack.worst, attack.worst_chance, limits.worst_track):
            found.add(EXPORTS.index(tr("Worst track")))
    if not report.replaces and _over(report.figure("detected"), _NO_CHANCE, limits.detected):
        found.add(EXPORTS.index(tr("Still detected")))
    if _over(report.figure("leak_frames"), _NO_CHANCE, limits.leak_frames):
        found.add(EXPORTS.index(tr("Leaks")))
    return frozenset(found)


def track_rows(report: PrivacyReport) -> list[tuple[str, tuple[str, ...], int]]:
    """Return track id, cells and when to look, for each track; those recognized best first."""
    tracks = sorted(
        report.tracks,
        key=lambda one: -(one.figures["reidentified"].value or 0.0) if "reidentified" in one.figures else 0,
    )
    rows = []
    for one in tracks:
        name = (
            one.identity
            if one.identity != one.track_id
            else tr("unnamed {value}").format(value=one.track_id[-_SHORT_ID:])
        )
        texts = [_track_text(key, one.figures.get(key)) for key in _TRACK_KEYS]
        rows.append((one.track_id, (name, f"{one.looks:,}", *texts), one.worst_us or 0))
    return rows


def figure_rows(report: PrivacyReport) -> list[tuple[str, tuple[str, ...]]]:
    """Return key and cells of every figure, attacks first."""
    rows = []
    for place, attack in enumerate(report.attacks):
        rows += _attack_rows(attack, f"attack {place}")
    for key, about in FIGURES.items():
        figure = report.figures.get(key)
        if figure is not None and not key.endswith("_in_source"):
            rows.append((key, (about.name, figure_text(report, key), f"{figure.n:,}", figure.note)))
    return rows


def _attack_rows(attack: Attack, key: str) -> list[tuple[str, tuple[str, ...]]]:
    name = f"{ATTACKERS[attack.kind]} ({attack.embedder})"
    parts: Sequence[tuple[str, About, Figure]] = (
        (tr("re-identified at FAR 1e-2"), _SHARE, attack.rates[0]),
        (tr("re-identified by chance"), _SHARE, attack.chance),
        (tr("re-identified at FAR 1e-3"), _SHARE, attack.rates[1]),
        (tr("worst track"), _SHARE, attack.worst),
        (tr("worst track by chance"), _SHARE, attack.worst_chance),
        ("rank-1", _SHARE, attack.rank_one),
        (tr("equal error rate"), _R, attack.equal_error),
    )
    return [
        (f"{key} {what}", (f"{name}: {what}", value_text(about, one), f"{one.n:,}", one.note))
        for what, about, one in parts
    ]


def _track_text(key: str, figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    return value_text(FIGURES.get(key, _SHARE), figure)


def _over(figure: Figure, chance: Figure, limit: float) -> bool:
    return figure.value is not None and figure.value - (chance.value or 0.0) > limit
