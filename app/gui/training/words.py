"""What the Training window says, in words."""

from app.core.agreement.lanes import Mark
from app.core.session import Session
from app.core.training import Gate, Trained
from app.core.training_report import Line
from project.timebase import format_time

NAMES = {"boundaries": "Boundaries", "labels": "Labels", "attributes": "Attributes"}


def figure(one: Trained, gate: Gate, key: str) -> str:
    """Return a figure and what it comes to, such as `0.72, passes (needed 0.50)`."""
    value, least = one.figures.get(key), gate.minimum.get(key)
    said = "nothing to compare" if value is None else f"{value:.2f}"
    if least is None:
        return said
    if not one.done:
        return f"- (needed {least:.2f})"
    state = "too low" if key in one.short else "passes"
    return f"{said}, {state} (needed {least:.2f})"


def result(one: Trained) -> str:
    """Return what it comes to as a whole."""
    if one.passed:
        return "Passed: the work is open"
    if one.done < one.given:
        return f"{one.done} of {one.given} recordings done"
    return "Not passed: go over the recordings again"


def about(gate: Gate, numbers: list[int], reference: str) -> str:
    """Return the round as one sentence."""
    count = "Recording" if len(numbers) == 1 else "Recordings"
    needed = ", ".join(f"{NAMES[key].lower()} {least:.2f}" for key, least in gate.minimum.items() if key in NAMES)
    listed = ", ".join(map(str, numbers))
    return f"{count} {listed} against {reference}. {f'Needed: {needed}.' if needed else 'No score is needed.'}"


def described(session: Session, mark: Mark | None) -> str:
    """Return a segment in a few words."""
    if mark is None:
        return "nothing"
    one = mark.segment
    scheme = session.schemes.known(one.scheme)
    track = scheme.lane(one.track) if scheme is not None else None
    label = track.label(one.label) if track is not None else None
    return f"{label.name if label else one.label}  {format_time(one.start_us)} to {format_time(one.end_us)}"


def differing(line: Line) -> str:
    """Return what differs between the two."""
    if line.mine is None:
        return "Only the reference marked this"
    if line.reference is None:
        return "The reference marked nothing here"
    return ", ".join(line.differs) or "Nothing"
