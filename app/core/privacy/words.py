"""What a privacy report says, in lines for people."""

from collections.abc import Sequence

from anonymize.measures.figure import Figure
from anonymize.measures.report import FIGURES, NAIVE, PARROT, RAW, About, Attack, PrivacyReport
from project.percent import percent
from project.timebase import format_time

PRIVACY = ("detected", "coverage", "leak_frames", "leak_longest_s")
USE = (
    *("landmarks_found", "nme", "yaw", "pitch", "roll", "iris", "gaze"),
    *("mouth", "eye", "brow", "lag_s", "warp", "identity_variance", "expression"),
)
BESIDE = {
    "detected": "detected_in_source",
    "identity_variance": "identity_variance_in_source",
    "mouth": "mouth_in_source",
    "eye": "eye_in_source",
    "brow": "brow_in_source",
}
"""Figures that say little without another one."""
ATTACKERS = {RAW: "Source itself", NAIVE: "Naive attacker", PARROT: "Parrot attacker"}


def value_text(about: About, figure: Figure) -> str:
    """Return how a figure is written: with its unit, or a dash where there is none."""
    if figure.value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    if about.unit in ("share",):
        return percent(figure.value)
    if about.unit == "frames":
        return f"{figure.value:.0f}"
    if about.unit in ("r", "kappa", "variance"):
        return f"{figure.value:.2f}"
    return f"{figure.value:.{3 if about.unit == 'eye distances' else 2}f} {about.unit}"


def figure_text(report: PrivacyReport, key: str) -> str:
    """Return a figure with what must be read beside it."""
    text = value_text(FIGURES[key], report.figure(key))
    beside = BESIDE.get(key)
    if beside is None or report.figure(key).value is None or report.figure(beside).value is None:
        return text
    words = "both models on the source" if beside.endswith("_in_source") and FIGURES[key].unit == "r" else "source"
    return f"{text} ({words} {value_text(FIGURES[beside], report.figure(beside))})"


def attack_text(attack: Attack) -> str:
    """Return what one attacker achieved."""
    share = About("", "share")
    first, second = (value_text(share, one) for one in attack.rates)
    parts = [f"re-identified {first}{_chance(attack.chance)} at FAR 1e-2, {second} at 1e-3"]
    parts.append(f"worst track {value_text(share, attack.worst)}{_chance(attack.worst_chance)}")
    parts.append(f"rank-1 {value_text(share, attack.rank_one)}")
    parts.append(f"EER {value_text(About('', 'r'), attack.equal_error)}")
    return ", ".join(parts)


def lines_of(report: PrivacyReport, over: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Return a report as lines.

    Args:
        report: what was measured.
        over: what is over a limit.
        missing: what has a limit and was not measured.
    """
    looked = f"{report.looks} of {report.frames} frames, {report.faces} faces, {report.seconds:.1f} s"
    lines = [f"Looked at {looked}", "", "Privacy"]
    lines += [f"  {FIGURES[key].name}: {figure_text(report, key)}" for key in PRIVACY]
    for attack in report.attacks:
        others = "one other person" if attack.people == 1 else f"{attack.people} other people"
        lines.append(f"  {ATTACKERS[attack.kind]} ({attack.embedder}, {others}): {attack_text(attack)}")
    lines += ["", "Use"]
    lines += [
        f"  {FIGURES[key].name}: {figure_text(report, key)}" for key in USE if report.figure(key).value is not None
    ]
    unknown = [FIGURES[key].name for key in USE if report.figure(key).value is None]
    if unknown:
        lines.append(f"  Not measured: {'; '.join(unknown)}.")
    lines.append("")
    lines += [f"OVER THE LIMIT: {line}" for line in over]
    lines += [] if over else ["Nothing that was measured is over its limit."]
    if report.worst_us is not None:
        lines.append(f"Look first at {format_time(report.worst_us)}.")
    return lines + [f"Note: {line}" for line in (*missing, *report.notes)]


def _chance(figure: Figure) -> str:
    """Return how much of a share is chance, where it is any."""
    return f" (chance {value_text(About('', 'share'), figure)})" if figure.value else ""
