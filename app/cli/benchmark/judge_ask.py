"""The command that asks judges about segments and shows side by side what they say.

The helpers that ask with progress, and report at the end what came of it, serve other commands too.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from app.cli.annotate.segment import FILTER, SegmentFilterArgs, find_segments
from app.cli.command import EDIT, OptionGroup, command, given_options, option
from app.cli.console import Bar, Output, progress_bar, run_job, table_lines
from benchmark.judging.ask_run import RunOutcome, refusal_error
from benchmark.judging.run_budget import Limits
from benchmark.judging.visible_answers import VisibleAnswer, visible_answers
from project.entities.judgments import RAW_CONDITION, Judgment, JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from project.text_tables import Column, NumberFormat, table
from project.timebase import format_time

if TYPE_CHECKING:
    from benchmark.judging.ask_job import AskPlan
    from benchmark.judging.ask_run import AskRequest

_LABEL_KEY = "label"


def _answer_json(answer: VisibleAnswer) -> dict[str, Any]:
    judgment = answer.judgment
    return {
        "id": judgment.id,
        "recording": answer.number,
        "segment": judgment.segment_id,
        "judge": str(judgment.judge.get("name", "")),
        "task": judgment.task,
        "condition": judgment.condition,
        "status": judgment.status,
        "hidden": answer.hidden,
        "answer": judgment.answer,
        "error": judgment.error,
        "cached": answer.cached,
        "model_id": judgment.model_id,
        "tokens_in": judgment.tokens_in,
        "tokens_out": judgment.tokens_out,
        "cost": judgment.cost,
        "ms": judgment.ms,
        "shortened": judgment.sight.get("shortened", []),
    }


def _verdict(answer: VisibleAnswer) -> str:
    """Return the label, or the text that stands in its place."""
    if answer.judgment.status is not JudgmentStatus.OK:
        return f"({answer.judgment.status.value})"
    if answer.hidden:
        return "(hidden)"
    label = answer.judgment.answer.get(_LABEL_KEY)
    return str(label) if label is not None else _format_value(next(iter(answer.judgment.answer.values()), ""))


def _details(answer: VisibleAnswer) -> str:
    """Return the rest of the answer, or the error if there is no answer."""
    judgment = answer.judgment
    if judgment.status is not JudgmentStatus.OK:
        return judgment.error
    if answer.hidden:
        return ""
    rest = {
        name: value for name, value in judgment.answer.items() if name != _LABEL_KEY and value not in (None, "", [])
    }
    if _LABEL_KEY not in judgment.answer:
        rest = dict([*rest.items()][1:])
    return "; ".join(f"{name}: {_format_value(value)}" for name, value in rest.items())


def _cost_text(answer: VisibleAnswer) -> str:
    """Return the time, the tokens and the money that it took."""
    judgment = answer.judgment
    if answer.cached:
        return "cached"
    parts = [f"{judgment.ms / 1000:.1f} s"]
    if judgment.tokens_in is not None and judgment.tokens_out is not None:
        parts.append(f"{judgment.tokens_in + judgment.tokens_out:,} tokens")
    if judgment.cost is not None:
        parts.append(f"{judgment.cost:.4f} {_currency(judgment)}")
    return ", ".join(parts)


def format_table(answers: Iterable[VisibleAnswer]) -> list[str]:
    """Return a line for each segment with who made it, and below it a line for each judge with verdict and cost."""
    rows = [*answers]
    lines: list[str] = []
    segment_id = ""
    for row, line in zip(rows, table_lines(table(rows, _ANSWER_COLUMNS), indent="  "), strict=True):
        about = row.judgment
        if about.segment_id != segment_id:
            segment_id = about.segment_id
            span = f"{format_time(about.start_us)} to {format_time(about.end_us)}"
            lines.append(f"{segment_id}  recording {row.number}  {span}  {row.people}")
        lines.append(line)
    hidden = next((row.hidden for row in rows if row.hidden and row.judgment.status is JudgmentStatus.OK), "")
    return [*lines, *([hidden] if hidden else [])]


def _judge_name(answer: VisibleAnswer) -> str:
    condition = "" if answer.judgment.condition == RAW_CONDITION else f" ({answer.judgment.condition[:8]})"
    return f"{answer.judgment.judge.get('name', '')}{condition}"


_ANSWER_COLUMNS = (
    Column("judge", "Judge", NumberFormat.TEXT, _judge_name),
    Column("verdict", "Verdict", NumberFormat.TEXT, _verdict),
    Column("cost", "Cost", NumberFormat.TEXT, _cost_text),
    Column("details", "Details", NumberFormat.TEXT, _details),
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


_MATERIAL = given_options(
    "What judges are shown",
    rule=(str | None, option("Which frames stand for a segment.", choices=["interior", "endpoints"])),
    before=(
        int | None,
        option("Turns before the segment that are shown; by default 6.", type=click.IntRange(0, 200)),
    ),
    cues=(bool | None, option("Whether marked cues are shown.", "--cues/--no-cues")),
    longest_side=(int | None, option("Of a frame, in pixels; by default 512.", type=click.IntRange(64, 4096))),
    quality=(int | None, option("Of the JPEGs; by default 85.", type=click.IntRange(1, 100))),
    clip=(bool | None, option("Whether a video is sent in the place of frames.", "--clip/--no-clip")),
)
"""What of a segment a judge is shown: fields of `InputSettings`."""
JUDGES = option("A judge; by default all.", "--judge", metavar="NAME")


def budget_options(whole: str) -> Any:
    """Declare the options that limit what judges may cost; `whole` is what the budget is for."""
    return OptionGroup(
        declared={
            "budget_money": (
                float | None,
                option(f"What {whole} may cost, in the judges' currency.", type=click.FloatRange(0)),
            ),
            "budget_tokens": (int | None, option(f"Tokens that {whole} may take.", type=click.IntRange(0))),
        },
        build=lambda budget_money, budget_tokens: Limits(budget_money, budget_tokens),
        heading="Budget",
    )


@command(
    study=EDIT,
    annotator=option(
        "Who reads the answers; hidden until they annotated the segment.",
        "--as",
        metavar="NAME",
    ),
)
def ask(
    session: Session,
    segments: tuple[str, ...] = option("A segment.", "--segment", metavar="ID"),
    everything: bool = option("Every segment of the study.", "--all"),
    judges: tuple[str, ...] = JUDGES,
    task: str = option(
        "What is asked of a segment: assess, verdict, error, attributes, multiple or ratings.", default="assess"
    ),
    variant: str = option("How: plain, few-shot, cot or tom.", default="plain"),
    condition: str = option("What is shown: raw, or a rendering by its method or id.", default="raw"),
    seed: int = option("Another seed draws another answer.", default=0),
    retry: bool = option("Ask again what was refused or could not be read."),
    fresh: bool = option("Ask again also what was answered."),
    budget: Limits = budget_options("the run"),
    frames: int | None = option("Frames; by default each judge's own.", type=click.IntRange(0, 64)),
    material: dict[str, Any] = _MATERIAL,
    asked: SegmentFilterArgs = FILTER,
) -> Output:
    """Ask judges about segments; shows answers side by side.

    What was answered before is not asked again, so a run that was stopped goes on where it was.

    \b
    Example:
      greenroom judge ask my-study.greenroom --segment 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --judge gpt
      greenroom judge ask my-study.greenroom --recording 3 --task verdict --budget-money 2
      greenroom judge ask my-study.greenroom --all --judge gpt --condition blur
    """
    from benchmark.judge_input.input_plan import InputSettings
    from benchmark.judging.ask_run import AskRequest
    from benchmark.judging.judge_registry import get_judges

    request = AskRequest(
        get_judges(session, judges),
        _select_segments(session, segments, everything, asked),
        task,
        variant,
        condition,
        seed,
        InputSettings(**material),
        frames,
        budget,
        retry,
        fresh,
    )
    came = ask_here(session, request)
    came.require_answers()
    answers = visible_answers(session, came.ids, {*came.cached_ids})
    told = {"judgments": [_answer_json(answer) for answer in answers], **came.as_json()}
    return Output(told, [*format_table(answers), *came.lines()])


def _select_segments(
    session: Session, segments: tuple[str, ...], everything: bool, asked: SegmentFilterArgs
) -> list[str]:
    """Return the ids of the segments that are named or fit the conditions, by recording and time."""
    from annotate.segments.segment_edits import find_segment

    given = any(getattr(asked, field.name) not in (None, ()) for field in fields(SegmentFilterArgs))
    if segments and (everything or given):
        raise UserError("--segment cannot be combined with conditions.", "Give one of the two.")
    if segments:
        return [find_segment(session, segment_id).id for segment_id in dict.fromkeys(segments)]
    if not everything and not given:
        raise UserError(
            "No segments are chosen.", "Give --segment, or conditions: --all, --recording 1, --label error."
        )
    found = find_segments(session, asked)
    if not found:
        raise UserError("No segment matches.", "List the segments: greenroom segment list STUDY")
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

    def as_json(self) -> dict[str, Any]:
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
        result, changes = run_job(session, asking.job, _Bar)
        outcome, new = result, sorted(changes.ids("judgment"))
    outcome.notes[:0] = asking.notes
    return AskResult(tuple(judgment.id for judgment in asking.cached), tuple(new), outcome)
