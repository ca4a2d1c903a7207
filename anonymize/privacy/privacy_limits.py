"""Limits of a study on privacy measures, the measures that exceed them, and a privacy report as text."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from anonymize.measures.privacy_report import (
    FIGURES,
    NAIVE,
    PARROT,
    RAW,
    Attack,
    MeasuredValue,
    MeasureInfo,
    PrivacyReport,
)
from project.entities.study_records import Changes
from project.errors import UserError
from project.plugins.option_limits import check_limits, limited_field
from project.session.session import Session
from project.store.study import Study
from project.text_format import format_percent
from project.timebase import format_time

LIMITS_PROPERTY = "privacy_limits"


@dataclass(frozen=True, slots=True)
class PrivacyLimits:
    """What a released clip must not exceed.

    Attributes:
        reidentified: share of faces that a naive attacker re-identifies, at one false match in a hundred.
        worst_track: the same in the worst track.
        leak_frames: looked-at frames with an uncovered face.
        detected: share of faces that a detector still finds; only for methods that hide and draw nothing instead.
    """

    reidentified: float = limited_field(
        0.02, 0.0, 1.0, "Re-identified", "Share of faces, at one false match in a hundred."
    )
    worst_track: float = limited_field(0.05, 0.0, 1.0, "Worst track", "Share of re-identified faces in one track.")
    leak_frames: int = limited_field(0, 0, 1_000_000, "Leaks", "Looked-at frames with an uncovered face.")
    detected: float = limited_field(
        0.0, 0.0, 1.0, "Still detected", "Share of faces under masks that a detector finds."
    )

    def __post_init__(self) -> None:
        check_limits(self)


def read_privacy_limits(study: Study) -> PrivacyLimits:
    """Return the limits of a study; where one was not set, or is not understood, the usual one."""
    kept, usual = study.get_property(LIMITS_PROPERTY), asdict(PrivacyLimits())
    found = dict(usual)
    for name, value in kept.items() if isinstance(kept, dict) else ():
        if name not in usual or not isinstance(value, int | float) or isinstance(value, bool):
            continue
        try:
            found[name] = getattr(replace(PrivacyLimits(), **{name: type(usual[name])(value)}), name)
        except (UserError, ValueError, OverflowError):
            continue
    return PrivacyLimits(**found)


def set_privacy_limits(session: Session, limits: PrivacyLimits) -> Changes:
    """Set the limits of a study; a step of its history."""
    with session.step("Set limits of privacy") as step:
        session.study.set_property(LIMITS_PROPERTY, asdict(limits))
    return step.changes


def exceeded_limits(report: PrivacyReport, limits: PrivacyLimits) -> list[str]:
    """Return a sentence for each measure that is over its limit; what was not measured is in `unmeasured_limits`.

    Re-identification counts as far as it is beyond chance: from the share of faces that are taken for their own person
    goes the share of other people's faces that are taken for that person too, because a mask that looks like somebody
    to the model does so for any face behind it.
    """
    found: list[str] = []
    leaks, detected = report.figure("leak_frames"), report.figure("detected")
    if leaks.value is not None and leaks.value > limits.leak_frames:
        allowed = f"{limits.leak_frames} allowed" if limits.leak_frames else "none is allowed"
        found.append(f"In {leaks.value:.0f} of {leaks.n} frames a face is not covered; {allowed}.")
    if not report.replaces and detected.value is not None and detected.value > limits.detected:
        found.append(
            f"{_format_share(detected.value)} of the hidden faces are still found; "
            f"{_format_share(limits.detected)} allowed."
        )
    for attack in report.attacks:
        if attack.kind != NAIVE:
            continue
        for figure, chance, limit, what in (
            (attack.rates[0], attack.chance, limits.reidentified, "of all faces"),
            (attack.worst, attack.worst_chance, limits.worst_track, "of the faces of one track"),
        ):
            if figure.value is not None and figure.value - (chance.value or 0.0) > limit:
                found.append(
                    f"{_format_share(figure.value)} {what} are re-identified ({attack.embedder}); "
                    f"{_format_share(limit)} allowed."
                )
    return found


def unmeasured_limits(report: PrivacyReport) -> list[str]:
    """Return a sentence for each measure with a limit that has no value, with the reason."""
    found = []
    if not report.replaces and report.figure("detected").value is None:
        found.append(f"Whether faces are still found was not measured. {report.figure('detected').note}")
    attack = report.strongest_attack(NAIVE)
    if attack is None:
        found.append(f"Re-identification was not measured. {_missing_attack_reason(report)}")
    elif attack.rates[0].value is None:
        found.append(f"Re-identification was not measured. {attack.rates[0].note}")
    return found


def _missing_attack_reason(report: PrivacyReport) -> str:
    if not report.tools.get("embedders"):
        return "No model that recognises faces is installed: greenroom model fetch sface"
    if not report.tools.get("landmarks") and not report.tools.get("driver"):
        return "Faces are aligned by landmarks first, and no model finds any: greenroom model fetch face-landmarks"
    return "No face was seen well enough to be aligned."


def _format_share(value: float) -> str:
    return format_percent(value).replace(".0 %", " %")


PRIVACY_FIGURES = ("detected", "coverage", "leak_frames", "leak_longest_s")
UTILITY_FIGURES = (
    *("landmarks_found", "nme", "yaw", "pitch", "roll", "iris"),
    *("mouth", "eye", "brow", "lag_s", "warp", "identity_variance"),
)
COMPANION_FIGURES = {
    "detected": "detected_in_source",
    "identity_variance": "identity_variance_in_source",
    "mouth": "mouth_in_source",
    "eye": "eye_in_source",
    "brow": "brow_in_source",
}
"""Figures that say little without another one."""
ATTACKER_NAMES = {RAW: "Source itself", NAIVE: "Naive attacker", PARROT: "Parrot attacker"}


def format_value(about: MeasureInfo, figure: MeasuredValue) -> str:
    """Return how a figure is written: with its unit, or a dash where there is none."""
    if figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    if about.unit == "share":
        return format_percent(figure.value)
    if about.unit == "frames":
        return f"{figure.value:.0f}"
    if about.unit in ("r", "variance"):
        return f"{figure.value:.2f}"
    return f"{figure.value:.{3 if about.unit == 'eye distances' else 2}f} {about.unit}"


def format_figure(report: PrivacyReport, key: str) -> str:
    """Return a figure with what must be read beside it."""
    text = format_value(FIGURES[key], report.figure(key))
    beside = COMPANION_FIGURES.get(key)
    if beside is None or report.figure(key).value is None or report.figure(beside).value is None:
        return text
    words = "both models on the source" if beside.endswith("_in_source") and FIGURES[key].unit == "r" else "source"
    return f"{text} ({words} {format_value(FIGURES[beside], report.figure(beside))})"


def format_attack(attack: Attack) -> str:
    """Return what one attacker achieved."""
    share = MeasureInfo("", "share")
    first, second = (format_value(share, rate) for rate in attack.rates)
    parts = [f"re-identified {first}{_chance_text(attack.chance)} at FAR 1e-2, {second} at 1e-3"]
    parts.append(f"worst track {format_value(share, attack.worst)}{_chance_text(attack.worst_chance)}")
    parts.append(f"rank-1 {format_value(share, attack.rank_one)}")
    parts.append(f"EER {format_value(MeasureInfo('', 'r'), attack.equal_error)}")
    return ", ".join(parts)


def format_report(report: PrivacyReport, over: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return a report as lines. `over` is what is over a limit, `missing` what has a limit and was not measured."""
    looked = f"{report.looks} of {report.frames} frames, {report.faces} faces, {report.seconds:.1f} s"
    lines = [f"Looked at {looked}", "", "Privacy"]
    lines += [f"  {FIGURES[key].name}: {format_figure(report, key)}" for key in PRIVACY_FIGURES]
    for attack in report.attacks:
        others = "one other person" if attack.people == 1 else f"{attack.people} other people"
        lines.append(f"  {ATTACKER_NAMES[attack.kind]} ({attack.embedder}, {others}): {format_attack(attack)}")
    lines += ["", "Use"]
    lines += [
        f"  {FIGURES[key].name}: {format_figure(report, key)}"
        for key in UTILITY_FIGURES
        if report.figure(key).value is not None
    ]
    unknown = [FIGURES[key].name for key in UTILITY_FIGURES if report.figure(key).value is None]
    if unknown:
        lines.append(f"  Not measured: {'; '.join(unknown)}.")
    lines.append("")
    lines += [f"OVER THE LIMIT: {line}" for line in over]
    lines += [] if over else ["Nothing that was measured is over its limit."]
    if report.worst_us is not None:
        lines.append(f"Look first at {format_time(report.worst_us)}.")
    return lines + [f"Note: {line}" for line in (*missing, *report.notes)]


def _chance_text(figure: MeasuredValue) -> str:
    """Return how much of a share is chance, where it is any."""
    return f" (chance {format_value(MeasureInfo('', 'share'), figure)})" if figure.value else ""
