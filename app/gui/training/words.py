"""What the Training window says, in words."""

from app.core.agreement.lanes import Mark
from app.core.session import Session
from app.core.training import Gate, Trained
from app.core.training_report import Line
from project.timebase import format_time
from resources.translation import tr

NAMES = {"boundaries": tr("Boundaries"), "labels": tr("Labels"), "attributes": tr("Attributes")}


def figure(one: Trained, gate: Gate, key: str) -> str:
    """Return a figure and what it comes to, such as `0.72, passes (needed 0.50)`."""
    value, least = one.figures.get(key), gate.minimum.get(key)
    said = tr("nothing to compare") if value is None else f"{value:.2f}"
    if least is None:
        return said
    if not one.done:
        return tr("\N{EN DASH} (needed {least:.2f})").format(least=least)
    state = tr("too low") if key in one.short else "passes"
    return tr("{said}, {state} (needed {least:.2f})").format(said=said, state=state, least=least)


def result(one: Trained) -> str:
    """Return what it comes to as a whole."""
    if one.passed:
        return tr("Passed: the work is open")
    if one.done < one.given:
        return tr("{done} of {given} recordings done").format(done=one.done, given=one.given)
    return tr("Not passed: go over the recordings again")


def about(gate: Gate, numbers: list[int], reference: str) -> str:
    """Return the round as one sentence."""
    count = tr("Recording") if len(numbers) == 1 else tr("Recordings")
    needed = ", ".join(f"{NAMES[key].lower()} {least:.2f}" for key, least in gate.minimum.items() if key in NAMES)
    listed = ", ".join(map(str, numbers))
    return tr("{count} {listed} against {reference}. {words}").format(
        count=count,
        listed=listed,
        reference=reference,
        words=tr("Needed: {needed}.").format(needed=needed) if needed else tr("No score is needed."),
    )


def described(session: Session, mark: Mark | None) -> str:
    """Return a segment in a few words."""
    if mark is None:
        return "nothing"
    one = mark.segment
    scheme = session.schemes.known(one.scheme)
    label = scheme.label_name(one.track, one.label) if scheme is not None else one.label
    return tr("{words}  {start_us} to {end_us}").format(
        words=label, start_us=format_time(one.start_us), end_us=format_time(one.end_us)
    )


def differing(line: Line) -> str:
    """Return what differs between the two."""
    if line.mine is None:
        return tr("Only the reference marked this")
    if line.reference is None:
        return tr("The reference marked nothing here")
    return ", ".join(line.differs) or tr("Nothing")
