"""Measures how private a rendering is, and holds it against the study's limits."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from app.core.faces.hiding import regions_in
from app.core.privacy.job import measure_rendering
from app.core.privacy.limits import PrivacyLimits, not_measured, over_limit
from app.core.release.outcome import Outcome
from app.core.release.rendering import Rendering
from project.percent import percent
from project.progress import Progress
from project.types import Json

if TYPE_CHECKING:
    from anonymize.measures.report import PrivacyReport

_SHOWN = 1e-3
_ANY = 1_000_000


def measured(
    rendering: Rendering, parameters: Mapping[str, Json], limits: PrivacyLimits, progress: Progress
) -> Outcome:
    """Return the outcome of a rendering with what was measured in it.

    Where no face is hidden, there is nothing to measure.

    Raises:
        UserError: a file cannot be read.
        Cancelled: the user stopped it.
    """
    from anonymize.measures.strangers import stranger_from

    plan, outcome = rendering.plan, rendering.outcome
    if not any(len(track.frames) and not track.dismissed and track.id not in plan.exempt for track in plan.tracks):
        return replace(outcome, measured=True, figures={"Faces": "none to hide"})
    others = {one.id for one in plan.areas}
    report = measure_rendering(
        plan,
        rendering.clip,
        plan.method.name,
        tracked_by=str(parameters["tracked_by"]),
        regions=[*plan.areas, *(one for one in regions_in(parameters) if one.id not in others)],
        blanked_us=outcome.blanked_us,
        strangers=[stranger_from(one) for one in cast(list[dict[str, Any]], parameters["strangers"])],
        progress=progress,
    )
    return with_measures(outcome, report, limits, drawn=plan.method.kind == "face")


def with_measures(outcome: Outcome, report: "PrivacyReport", limits: PrivacyLimits, *, drawn: bool) -> Outcome:
    """Return an outcome with what was measured in its rendering.

    Args:
        outcome: what rendering and check gave.
        report: of the measures.
        limits: of the study.
        drawn: whether the method draws other faces.
    """
    missing = not_measured(report)
    alone = replace(limits, worst_track=1.0, leak_frames=_ANY, detected=1.0)
    return replace(
        outcome,
        measured=not missing,
        why_not=" ".join(missing),
        over=tuple(over_limit(report, limits)),
        recognized=tuple(over_limit(report, alone)) if drawn else (),
        figures=figures_of(report),
    )


def figures_of(report: "PrivacyReport") -> dict[str, str]:
    """Return what was measured, in words, for the data card."""
    from anonymize.measures.report import FIGURES

    found = {about.name: _said(report.figure(key).value, about.unit) for key, about in FIGURES.items()}
    for attack in report.attacks:
        rate = attack.rates[0].value
        found[f"Re-identified at FAR 1e-2, {attack.kind} attacker, {attack.embedder}"] = _said(rate, "share")
    return {name: text for name, text in found.items() if text}


def _said(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "share":
        return percent(value)
    return f"{value:.0f}" if float(value).is_integer() and abs(value) >= _SHOWN else f"{value:.3g} {unit}".strip()
