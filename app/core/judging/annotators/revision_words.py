"""Revisions in words, for the command line and the window."""

from collections.abc import Sequence

from app.core.judging.annotators.revisions import Revised, Revision, RevisionReport
from app.core.judging.annotators.said import LABEL
from app.core.session import Session
from project.counted import counted
from project.names import shown
from project.queries.segments import segment
from project.schemes.scheme import Scheme
from project.timebase import format_time
from project.types import Json

NOTHING = "Nobody was shown what judges say yet."


def place_text(one: Revision) -> str:
    """Return such as `3  0:01:02.000`: number of the recording and time."""
    number = str(one.recording.number) if one.recording is not None else "?"
    return f"{number}  {format_time(one.start_us)}"


def part_name(session: Session, one: Revision) -> str:
    """Return what the part is called in the form."""
    if one.part == LABEL:
        return "Label"
    scheme = _scheme(session, one)
    names = {field.key: field.name for field in scheme.fields} if scheme is not None else {}
    return names.get(one.part, one.part)


def value_words(session: Session, one: Revision, value: Json) -> str:
    """Return a value of the part in words."""
    if value is None:
        return "deleted" if one.part == LABEL else "nothing"
    scheme = _scheme(session, one)
    named = []
    if scheme is not None and one.part == LABEL:
        named = [(label.key, label.name) for track in scheme.tracks for label in track.labels]
    elif scheme is not None:
        fields = [field for field in scheme.fields if field.key == one.part]
        named = [(choice.key, choice.name) for field in fields for choice in field.choices]
    names = dict(named)
    several: Sequence[Json] = value if isinstance(value, list) else [value]
    return ", ".join(names.get(str(each), str(each)) for each in several)


def revised_text(one: Revised) -> str:
    """Return how much one annotator saw and revised, on one line."""
    toward = ", ".join(f"{name} ({number})" for name, number in one.toward.items())
    said = f"{one.annotator.name} saw judges on {counted(one.seen, 'segment')} and revised {one.revised}"
    if toward:
        said += f", now agreeing with {toward}"
    if one.unprepared:
        said += f"; {counted(one.unprepared, 'segment')} more before marking anything there"
    return f"{said}."


def hidden_text(report: RevisionReport) -> str:
    """Return how many revisions are left out, or ""."""
    if not report.hidden:
        return ""
    return f"{counted(report.hidden, 'revision')} hidden, because your own is not complete there yet."


def report_text(session: Session, report: RevisionReport) -> str:
    """Return all of it for people."""
    lines = [revised_text(one) for one in report.annotators]
    for one in report.revisions:
        change = f"{value_words(session, one, one.before)} -> {value_words(session, one, one.after)}"
        toward = f"  now agrees with {', '.join(one.toward)}" if one.toward else ""
        lines.append(shown(f"{one.annotator.name}  {place_text(one)}  {part_name(session, one)}: {change}{toward}"))
    lines.append(hidden_text(report))
    return "\n".join(line for line in lines if line) or NOTHING


def _scheme(session: Session, one: Revision) -> Scheme | None:
    found = segment(session.study, one.own_id or one.segment_id)
    return None if found is None else session.schemes.known(found.scheme)
