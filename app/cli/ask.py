"""The command that asks judges about segments and shows side by side what they say.

The helpers that ask with progress, and report at the end what came of it, serve other commands too.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.command import STUDY, Bar, json_option, print_result, progress_bar
from app.cli.segment import SegmentFilterArgs, filter_options, find_segments
from benchmark.judging.run_outcome import RunOutcome, refusal_error
from project.entities.judgments import RAW_CONDITION, Judgment, JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import run_inline
from project.session.session import Session
from project.timebase import format_time

if TYPE_CHECKING:
    from benchmark.judging.ask_job import AskPlan
    from benchmark.judging.run_config import AskRequest

_LABEL_KEY = "label"
_MAX_DETAIL_CHARS = 60


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One judgment as it may be shown now.

    Attributes:
        number: the number of the recording.
        people: who made the segment, and its label.
        hidden: why its answer is not shown; "" where it is.
        cached: whether it was there before, or is from an equal request.
    """

    judgment: Judgment
    number: int
    people: str
    hidden: str = ""
    cached: bool = False

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        judgment = self.judgment
        return {
            "id": judgment.id,
            "recording": self.number,
            "segment": judgment.segment_id,
            "judge": str(judgment.judge.get("name", "")),
            "task": judgment.task,
            "condition": judgment.condition,
            "status": judgment.status.value,
            "hidden": self.hidden,
            "answer": dict(judgment.answer),
            "error": judgment.error,
            "cached": self.cached,
            "model_id": judgment.model_id,
            "tokens_in": judgment.tokens_in,
            "tokens_out": judgment.tokens_out,
            "cost": judgment.cost,
            "ms": judgment.ms,
            "shortened": judgment.sight.get("shortened", []),
        }

    def verdict(self) -> str:
        """Return the label, or the text that stands in its place."""
        if self.judgment.status is not JudgmentStatus.OK:
            return f"({self.judgment.status.value})"
        if self.hidden:
            return "(hidden)"
        label = self.judgment.answer.get(_LABEL_KEY)
        return str(label) if label is not None else _format_value(next(iter(self.judgment.answer.values()), ""))

    def details(self) -> str:
        """Return the rest of the answer in short, or the error if there is no answer."""
        judgment = self.judgment
        if judgment.status is not JudgmentStatus.OK:
            return judgment.error
        if self.hidden:
            return ""
        rest = {
            name: value for name, value in judgment.answer.items() if name != _LABEL_KEY and value not in (None, "", [])
        }
        if _LABEL_KEY not in judgment.answer:
            rest = dict([*rest.items()][1:])
        text = "; ".join(f"{name}: {_format_value(value)}" for name, value in rest.items())
        return text if len(text) <= _MAX_DETAIL_CHARS else f"{text[:_MAX_DETAIL_CHARS]}…"

    def cost_text(self) -> str:
        """Return the time, the tokens and the money that it took."""
        judgment = self.judgment
        if self.cached:
            return "cached"
        parts = [f"{judgment.ms / 1000:.1f} s"]
        if judgment.tokens_in is not None and judgment.tokens_out is not None:
            parts.append(f"{judgment.tokens_in + judgment.tokens_out:,} tokens")
        if judgment.cost is not None:
            parts.append(f"{judgment.cost:.4f} {_currency(judgment)}")
        return ", ".join(parts)


def visible_answers(session: Session, ids: Sequence[str], cached: Container[str]) -> list[JudgmentRow]:
    """Return judgments as the annotator at work may see them, by recording and time, judges in the order of answers.

    That they were shown is recorded, as in the window. `cached` are the ids of those that were not asked now.
    """
    from annotate.blinding.reveals import reveal, split_by_visibility
    from project.queries.annotator_rows import all_annotators
    from project.queries.judgment_rows import find_judgments
    from project.queries.segment_rows import find_segment

    found = {judgment.id: judgment for judgment in find_judgments(session.study, ids)}
    parted = split_by_visibility(session, [found[text] for text in ids if text in found])
    for segment_id, task in {(judgment.segment_id, judgment.task) for judgment in parted.judgments}:
        reveal(session, segment_id, task)
    numbers = {
        recording_id: session.recording(recording_id).number
        for recording_id in {judgment.recording_id for judgment in found.values()}
    }
    names = {annotator.id: annotator.name for annotator in all_annotators(session.study)}
    people = {}
    for segment_id in {judgment.segment_id for judgment in found.values()}:
        about = find_segment(session.study, segment_id)
        people[segment_id] = f"{names.get(about.annotator_id, '?')}: {about.label}" if about else ""
    listed = [(judgment, "") for judgment in parted.judgments] + [
        (judgment, parted.hidden_reason) for judgment in parted.hidden
    ]
    made = [
        JudgmentRow(judgment, numbers[judgment.recording_id], people[judgment.segment_id], why, judgment.id in cached)
        for judgment, why in listed
    ]
    place = {text: at for at, text in enumerate(ids)}
    return sorted(
        made,
        key=lambda judgment_row: (
            judgment_row.number,
            judgment_row.judgment.start_us,
            judgment_row.judgment.segment_id,
            place.get(judgment_row.judgment.id, 0),
        ),
    )


def format_table(answers: Iterable[JudgmentRow]) -> list[str]:
    """Return a line for each segment with who made it, and below it a line for each judge with verdict and cost."""
    rows = [*answers]
    widths = [max((len(text) for text in column), default=0) for column in zip(*map(_cells, rows), strict=True)]
    lines: list[str] = []
    at = ""
    for row in rows:
        about = row.judgment
        if about.segment_id != at:
            at = about.segment_id
            span = f"{format_time(about.start_us)} to {format_time(about.end_us)}"
            lines.append(f"{at}  recording {row.number}  {span}  {row.people}")
        cells = _cells(row)
        lines.append("  " + "  ".join(text.ljust(width) for text, width in zip(cells, widths, strict=True)).rstrip())
    hidden = next((row.hidden for row in rows if row.hidden and row.judgment.status is JudgmentStatus.OK), "")
    return [*lines, *([hidden] if hidden else [])]


def _cells(judgment_row: JudgmentRow) -> tuple[str, str, str, str]:
    condition = "" if judgment_row.judgment.condition == RAW_CONDITION else f" ({judgment_row.judgment.condition[:8]})"
    return (
        f"{judgment_row.judgment.judge.get('name', '')}{condition}",
        judgment_row.verdict(),
        judgment_row.cost_text(),
        judgment_row.details(),
    )


def _currency(judgment: Judgment) -> str:
    settings = judgment.judge.get("settings")
    return str(settings.get("currency", "USD")) if isinstance(settings, dict) else ""


def _format_value(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_value(item)}" for name, item in value.items())
    return "yes" if value is True else "no" if value is False else str(value)


@click.command()
@STUDY
@click.option(
    "--segment", "segments", multiple=True, metavar="ID", help="A segment; give it again for each further one."
)
@click.option("--all", "everything", is_flag=True, help="Every segment of the study.")
@click.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="A judge; again for each further one; all when not given."
)
@click.option(
    "--task",
    default="assess",
    show_default=True,
    help="What is asked of a segment: assess, verdict, error, attributes, multiple or ratings.",
)
@click.option("--variant", default="plain", show_default=True, help="How: plain, few-shot, cot or tom.")
@click.option(
    "--condition", default="raw", show_default=True, help="What is shown: raw, or a rendering by its method or id."
)
@click.option("--seed", default=0, show_default=True, help="Another seed draws another answer.")
@click.option("--again", is_flag=True, help="Ask again what was refused or could not be read.")
@click.option("--fresh", is_flag=True, help="Ask again also what was answered.")
@click.option("--budget-money", type=click.FloatRange(0), help="What the run may cost, in the judges' currency.")
@click.option("--budget-tokens", type=click.IntRange(0), help="Tokens that the run may take.")
@click.option("--frames", type=click.IntRange(0, 64), help="Frames of a segment; as each judge is set when not given.")
@click.option("--rule", type=click.Choice(["interior", "endpoints"]), help="Which frames stand for a segment.")
@click.option("--before", type=click.IntRange(0, 200), help="Turns before the segment that are told; 6 when not given.")
@click.option("--cues/--no-cues", default=None, help="Whether marked cues are told.")
@click.option("--longest-side", type=click.IntRange(64, 4096), help="Of a frame, in pixels; 512 when not given.")
@click.option("--quality", type=click.IntRange(1, 100), help="Of the JPEGs; 85 when not given.")
@click.option("--clip/--no-clip", default=None, help="Whether a video is sent in the place of frames.")
@click.option(
    "--as", "who", metavar="NAME", help="Whose eyes see the answers: judges are hidden until one's own is said."
)
@filter_options
@json_option
def ask(
    study: Path,
    segments: tuple[str, ...],
    everything: bool,
    judges: tuple[str, ...],
    task: str,
    variant: str,
    condition: str,
    seed: int,
    again: bool,
    fresh: bool,
    budget_money: float | None,
    budget_tokens: int | None,
    who: str | None,
    asked: SegmentFilterArgs,
    as_json: bool,
    **sight: Any,
) -> None:
    """Ask judges about segments; shows answers side by side.

    Segments are named by their ids, or found by the conditions of greenroom segment list. What was answered before is
    not asked again, so a run that was stopped goes on where it was. Each answer is in the study as soon as it is there.

    \b
    Example:
      greenroom ask my-study.greenroom --segment 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --judge gpt
      greenroom ask my-study.greenroom --recording 3 --task verdict --budget-money 2
      greenroom ask my-study.greenroom --all --judge gpt --condition blur
    """
    from benchmark.judge_input.input_plan import InputSettings
    from benchmark.judging.judge_registry import get_judges
    from benchmark.judging.run_budget import Limits
    from benchmark.judging.run_config import AskRequest

    with Session.open(study, who) as session:
        session.study.require_writable()
        frames = sight.pop("frames")
        request = AskRequest(
            get_judges(session, judges),
            _select_segments(session, segments, everything, asked),
            task,
            variant,
            condition,
            seed,
            InputSettings(**{name: value for name, value in sight.items() if value is not None}),
            frames,
            Limits(budget_money, budget_tokens),
            again,
            fresh,
        )
        came = ask_here(session, request)
        came.require_answers()
        answers = visible_answers(session, came.ids, {*came.cached_ids})
    told: dict[str, Json] = {"judgments": [answer.as_json() for answer in answers], **came.as_json()}
    print_result(as_json, told, "\n".join([*format_table(answers), *came.lines()]))


def _select_segments(
    session: Session, segments: tuple[str, ...], everything: bool, asked: SegmentFilterArgs
) -> list[str]:
    """Return the ids of the segments that are named or fit the conditions, by recording and time."""
    from annotate.segments.segment_edits import find_segment

    given = any(getattr(asked, field.name) not in (None, ()) for field in fields(SegmentFilterArgs))
    if segments and (everything or given):
        raise UserError("Segments are named, or found by conditions, not both.", "Leave one of the two out.")
    if segments:
        return [find_segment(session, segment_id).id for segment_id in dict.fromkeys(segments)]
    if not everything and not given:
        raise UserError(
            "Which segments?", "Name them with --segment, or find them: --all, --recording 1, --label error."
        )
    found = find_segments(session, asked)
    if not found:
        raise UserError("No segment fits.", "See which there are: greenroom segment list STUDY")
    return found


class _Bar(Bar):
    """Progress of a run; leaves out the time left from the text of the run, because the bar shows it itself."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        super().progress(done, total, text.rpartition(" · ")[2] if "left" in text else text)


@dataclass(frozen=True, slots=True)
class AskResult:
    """The result of asking.

    Attributes:
        cached_ids: ids of the judgments that were there before.
        new_ids: ids of the new ones, in the order in which they came.
        outcome: counts, and why something was not asked.
    """

    cached_ids: tuple[str, ...]
    new_ids: tuple[str, ...]
    outcome: RunOutcome

    @property
    def ids(self) -> list[str]:
        """Ids of all judgments, those from before first."""
        return [*self.cached_ids, *self.new_ids]

    def require_answers(self) -> None:
        """Raise an error if nothing was answered and there is a reason for it."""
        if not self.ids and self.outcome.notes:
            raise refusal_error(self.outcome.notes)

    def as_json(self) -> dict[str, Json]:
        """Return the result for `--json`."""
        return {"cached": len(self.cached_ids), **self.outcome.as_short_json()}

    def lines(self) -> list[str]:
        """Return what was not asked and why, and last what was asked, as lines."""
        found = self.outcome
        said = [found.as_text()] if found.completed or found.over_budget or found.withdrawn else []
        said += [f"{len(self.cached_ids)} from before"] if self.cached_ids else []
        return [*(note.as_text() for note in found.notes), f"{', '.join(said)}." if said else "Nothing was asked."]


def ask_here(session: Session, request: "AskRequest") -> AskResult:
    """Ask with progress; what was answered before is not asked again."""
    from benchmark.judging.ask_job import prepare

    with progress_bar("Looking up") as bar:
        asking = prepare(session, request, bar)
    return run_ask_plan(session, asking)


def run_ask_plan(session: Session, asking: "AskPlan") -> AskResult:
    """Ask what is still unanswered, with progress."""
    outcome, new = RunOutcome(), []
    if asking.job is not None:
        bar = _Bar(asking.job.title)
        try:
            result, changes = run_inline(session, asking.job, bar)
        finally:
            bar.clear()
        outcome, new = result, sorted(changes.ids("judgment"))
    outcome.notes[:0] = asking.notes
    return AskResult(tuple(judgment.id for judgment in asking.cached), tuple(new), outcome)
