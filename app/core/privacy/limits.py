"""How much a study lets through: the limits on what was measured about an export, and what is over them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from anonymize.measures.report import NAIVE, PrivacyReport
from app.core.session import Session
from project.errors import UserError
from project.limits import hold_to_limits, limited
from project.percent import percent
from project.store import Study
from project.types import Changes

PROPERTY = "privacy_limits"


@dataclass(frozen=True, slots=True)
class PrivacyLimits:
    """What a released clip must not exceed.

    Attributes:
        reidentified: share of faces that a naive attacker re-identifies, at one false match in a hundred.
        worst_track: the same in the worst track.
        leak_frames: looked-at frames with an uncovered face.
        detected: share of faces that a detector still finds; only for methods that hide and draw nothing instead.
    """

    reidentified: float = limited(0.02, 0.0, 1.0, "Re-identified", "Share of faces, at one false match in a hundred.")
    worst_track: float = limited(0.05, 0.0, 1.0, "Worst track", "Share of re-identified faces in one track.")
    leak_frames: int = limited(0, 0, 1_000_000, "Leaks", "Looked-at frames with an uncovered face.")
    detected: float = limited(0.0, 0.0, 1.0, "Still detected", "Share of faces under masks that a detector finds.")

    def __post_init__(self) -> None:
        hold_to_limits(self)


def privacy_limits(study: Study) -> PrivacyLimits:
    """Return the limits of a study; where none were set, or not understood, the usual ones."""
    usual = PrivacyLimits()
    found = study.get_property(PROPERTY)
    if not isinstance(found, dict):
        return usual
    kinds: dict[str, Callable[[float], float]] = {"leak_frames": int}
    try:
        known = {
            key: kinds.get(key, float)(value)
            for key, value in found.items()
            if key in asdict(usual) and isinstance(value, int | float) and not isinstance(value, bool)
        }
        return PrivacyLimits(**known)  # type: ignore[arg-type]
    except (UserError, ValueError, OverflowError):
        return usual


def set_privacy_limits(session: Session, limits: PrivacyLimits) -> Changes:
    """Set the limits of a study; a step of its history."""
    with session.step("Set limits of privacy") as step:
        session.study.set_property(PROPERTY, asdict(limits))
    return step.changes


def over_limit(report: PrivacyReport, limits: PrivacyLimits) -> list[str]:
    """Return a sentence for each measure that is over its limit; what was not measured is in `not_measured`.

    Re-identification counts as far as it is beyond chance: from the share of faces that are taken for their own person
    goes the share of other people's faces that are taken for that person too, because a mask that looks like somebody
    to the model does so whoever is behind it.
    """
    found: list[str] = []
    leaks, detected = report.figure("leak_frames"), report.figure("detected")
    if leaks.value is not None and leaks.value > limits.leak_frames:
        allowed = f"{limits.leak_frames} allowed" if limits.leak_frames else "none is allowed"
        found.append(f"In {leaks.value:.0f} of {leaks.n} frames a face is not covered; {allowed}.")
    if not report.replaces and detected.value is not None and detected.value > limits.detected:
        found.append(
            f"{_share(detected.value)} of the hidden faces are still found; {_share(limits.detected)} allowed."
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
                    f"{_share(figure.value)} {what} are re-identified ({attack.embedder}); {_share(limit)} allowed."
                )
    return found


def not_measured(report: PrivacyReport) -> list[str]:
    """Return a sentence for each measure with a limit that has no value, with the reason."""
    found = []
    if not report.replaces and report.figure("detected").value is None:
        found.append(f"Whether faces are still found was not measured. {report.figure('detected').note}")
    attack = report.attack(NAIVE)
    if attack is None:
        found.append(f"Re-identification was not measured. {_why_no_attack(report)}")
    elif attack.rates[0].value is None:
        found.append(f"Re-identification was not measured. {attack.rates[0].note}")
    return found


def _why_no_attack(report: PrivacyReport) -> str:
    if not report.tools.get("embedders"):
        return "No model that recognises faces is installed: greenroom models fetch sface"
    if not report.tools.get("landmarks") and not report.tools.get("driver"):
        return "Faces are aligned by landmarks first, and no model finds any: greenroom models fetch face-landmarks"
    return "No face was seen well enough to be aligned."


def _share(value: float) -> str:
    return percent(value).replace(".0 %", " %")
