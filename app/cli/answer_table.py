"""What judges say about segments, side by side, as text and as JSON."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from app.core.session import Session
from project.judging import RAW, Judgment, JudgmentStatus
from project.timebase import format_time
from project.types import Json

_LABEL = "label"
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """One judgment as it may be shown.

    Attributes:
        number: of the recording.
        people: whose segment it is, and its label.
        hidden: why its answer is not shown; "" where it is.
        cached: it was there before, or is from an equal request.
    """

    judgment: Judgment
    number: int
    people: str
    hidden: str = ""
    cached: bool = False

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        one = self.judgment
        return {
            "id": one.id,
            "recording": self.number,
            "segment": one.segment_id,
            "judge": str(one.judge.get("name", "")),
            "task": one.task,
            "condition": one.condition,
            "status": one.status.value,
            "hidden": self.hidden,
            "answer": dict(one.answer),
            "error": one.error,
            "cached": self.cached,
            "model_id": one.model_id,
            "tokens_in": one.tokens_in,
            "tokens_out": one.tokens_out,
            "cost": one.cost,
            "ms": one.ms,
            "shortened": one.sight.get("shortened", []),
        }

    def verdict(self) -> str:
        """Return the label, or what there is in its place."""
        if self.judgment.status is not JudgmentStatus.OK:
            return f"({self.judgment.status.value})"
        if self.hidden:
            return "(hidden)"
        label = self.judgment.answer.get(_LABEL)
        return str(label) if label is not None else _value(next(iter(self.judgment.answer.values()), ""))

    def details(self) -> str:
        """Return what else was said, in short; the error where there is no answer."""
        one = self.judgment
        if one.status is not JudgmentStatus.OK:
            return one.error
        if self.hidden:
            return ""
        rest = {name: value for name, value in one.answer.items() if name != _LABEL and value not in (None, "", [])}
        if _LABEL not in one.answer:
            rest = dict([*rest.items()][1:])
        text = "; ".join(f"{name}: {_value(value)}" for name, value in rest.items())
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    def took(self) -> str:
        """Return time, tokens and money."""
        one = self.judgment
        if self.cached:
            return "cached"
        parts = [f"{one.ms / 1000:.1f} s"]
        if one.tokens_in is not None and one.tokens_out is not None:
            parts.append(f"{one.tokens_in + one.tokens_out:,} tokens")
        if one.cost is not None:
            parts.append(f"{one.cost:.4f} {_currency(one)}")
        return ", ".join(parts)


def answers_shown(session: Session, ids: Sequence[str], cached: Container[str]) -> list[Answer]:
    """Return judgments as who works here may see them, by recording and time, judges in the order of the answers.

    That they were shown is written down, as in the window. `cached` are the ids of those that were not asked now.
    """
    from app.core.judging.annotators.reveals import reveal, shown
    from project.queries.annotators import all_annotators
    from project.queries.judgments import judgments_called
    from project.queries.segments import segment

    found = {one.id: one for one in judgments_called(session.study, ids)}
    parted = shown(session, [found[one] for one in ids if one in found])
    for segment_id, task in {(one.segment_id, one.task) for one in parted.judgments}:
        reveal(session, segment_id, task)
    numbers = {one: session.recording(one).number for one in {each.recording_id for each in found.values()}}
    names = {one.id: one.name for one in all_annotators(session.study)}
    people = {}
    for segment_id in {one.segment_id for one in found.values()}:
        about = segment(session.study, segment_id)
        people[segment_id] = f"{names.get(about.annotator_id, '?')}: {about.label}" if about else ""
    listed = [(one, "") for one in parted.judgments] + [(one, parted.why_not) for one in parted.hidden]
    made = [
        Answer(one, numbers[one.recording_id], people[one.segment_id], why, one.id in cached) for one, why in listed
    ]
    place = {one: at for at, one in enumerate(ids)}
    return sorted(
        made,
        key=lambda one: (one.number, one.judgment.start_us, one.judgment.segment_id, place.get(one.judgment.id, 0)),
    )


def table(answers: Iterable[Answer]) -> list[str]:
    """Return lines: for every segment who made it, and below each judge with verdict, details and what it took."""
    rows = [*answers]
    widths = [max((len(text) for text in column), default=0) for column in zip(*map(_cells, rows), strict=True)]
    lines: list[str] = []
    at = ""
    for one in rows:
        about = one.judgment
        if about.segment_id != at:
            at = about.segment_id
            span = f"{format_time(about.start_us)} to {format_time(about.end_us)}"
            lines.append(f"{at}  recording {one.number}  {span}  {one.people}")
        cells = _cells(one)
        lines.append("  " + "  ".join(text.ljust(width) for text, width in zip(cells, widths, strict=True)).rstrip())
    hidden = next((one.hidden for one in rows if one.hidden and one.judgment.status is JudgmentStatus.OK), "")
    return [*lines, *([hidden] if hidden else [])]


def _cells(one: Answer) -> tuple[str, str, str, str]:
    condition = "" if one.judgment.condition == RAW else f" ({one.judgment.condition[:8]})"
    return f"{one.judgment.judge.get('name', '')}{condition}", one.verdict(), one.took(), one.details()


def _currency(one: Judgment) -> str:
    settings = one.judge.get("settings")
    return str(settings.get("currency", "USD")) if isinstance(settings, dict) else ""


def _value(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(one)}" for name, one in value.items())
    return "yes" if value is True else "no" if value is False else str(value)
