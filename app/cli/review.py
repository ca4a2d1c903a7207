"""Reviewing each other's segments, and making one lane of them, on the command line."""

from dataclasses import asdict
from pathlib import Path

import click

from app.cli.output import json_option, tell
from app.cli.study import STUDY
from app.core.agreement.adjudication import Choices, Labels, Rule, Spans, Unsettled
from app.core.commands import adjudication, reviews
from app.core.commands.people import annotator_called
from app.core.commands.segments import find
from app.core.lookup import recording_called
from app.core.review import Item, Sheet, default_pair, named, sheet
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.queries.recordings import all_recordings
from project.timebase import format_time
from project.types import Annotator, Decision, Json, Recording

REVIEWER = click.option("--annotator", required=True, help="Who reviews.")


@click.group()
def review() -> None:
    """Review segments of others that differ from one's own."""


@review.command("list")
@STUDY
@REVIEWER
@click.option("--with", "other", help="Whose segments; the other annotator of each recording when not given.")
@click.option("--recording", help="Number, file name or id; all when not given.")
@click.option("--all", "everything", is_flag=True, help="Also what was reviewed and what is alike.")
@json_option
def list_waiting(
    study: Path, annotator: str, other: str | None, recording: str | None, everything: bool, as_json: bool
) -> None:
    """List what an annotator has to review: the other's segments that do not overlap their own or that differ.

    \b
    Example:
      greenroom review list my-study.greenroom --annotator Ada --with Bo
    """
    with Session.open(study, annotator, read_only=True) as session:
        reviewer = annotator_called(session, annotator)
        owners = all_recordings(session.study) if recording is None else [recording_called(session, recording)]
        items: list[dict[str, Json]] = []
        done = total = settled = disputed = 0
        for owner in owners:
            compared = _sheet(session, owner, reviewer, other)
            if compared is None:
                continue
            progress = compared.progress(reviewer.id)
            done, total = done + progress.done, total + progress.total
            settled, disputed = settled + progress.settled, disputed + progress.disputed
            items += [
                _described(session, owner, compared, one, reviewer)
                for one in compared.items
                if everything or one.waits_for(reviewer.id)
            ]
    lines = [_line(one) for one in items]
    lines.append(f"{done} of {counted(total, 'segment')} reviewed; {disputed} stay in disagreement, {settled} settled.")
    result: dict[str, Json] = {
        "annotator": annotator,
        "done": done,
        "total": total,
        "settled": settled,
        "disputed": disputed,
        "items": [*items],
    }
    tell(as_json, result, "\n".join(lines))


@review.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@click.option("--decision", required=True, type=click.Choice([one.value for one in Decision]), help="What you say.")
@click.option("--note", default="", help="Why.")
@REVIEWER
@json_option
def decide(study: Path, segment_id: str, decision: str, note: str, annotator: str, as_json: bool) -> None:
    """Agree or disagree with somebody else's segment. A second decision replaces the first.

    \b
    Example:
      greenroom review decide my-study.greenroom SEGMENT --decision disagree \\
        --note "She pauses to think; nothing is wrong yet." --annotator Ada
    """
    with Session.open(study, annotator) as session:
        reviews.decide(session, segment_id, Decision(decision), note)
    described: dict[str, Json] = {"segment": segment_id, "annotator": annotator, "decision": decision, "note": note}
    tell(as_json, described, f"{annotator} {decision}s with {segment_id}")


@review.command()
@STUDY
@click.argument("segment_id", metavar="SEGMENT")
@REVIEWER
@json_option
def withdraw(study: Path, segment_id: str, annotator: str, as_json: bool) -> None:
    """Take back what was said about a segment.

    \b
    Example:
      greenroom review withdraw my-study.greenroom SEGMENT --annotator Ada
    """
    with Session.open(study, annotator) as session:
        find(session, segment_id)
        reviews.withdraw(session, segment_id)
    tell(as_json, {"segment": segment_id, "annotator": annotator, "decision": None}, f"Took it back: {segment_id}")


@click.command()
@STUDY
@click.option(
    "--spans",
    default=Spans.MAJORITY.value,
    show_default=True,
    type=click.Choice([one.value for one in Spans]),
    help="Where a segment lasts from and to.",
)
@click.option(
    "--labels",
    default=Labels.MAJORITY.value,
    show_default=True,
    type=click.Choice([one.value for one in Labels]),
    help="How many have to say a label.",
)
@click.option(
    "--choices",
    default=Choices.MAJORITY.value,
    show_default=True,
    type=click.Choice([one.value for one in Choices]),
    help="Which attributes a segment gets.",
)
@click.option("--minimum-iou", default=0.0, show_default=True, help="What overlapping means; 0 is any time in common.")
@click.option(
    "--unsettled",
    default=Unsettled.LEAVE_OUT.value,
    show_default=True,
    type=click.Choice([one.value for one in Unsettled]),
    help="What becomes of moments on which they do not agree.",
)
@click.option("--name", default=adjudication.NAME, show_default=True, help="Of the lane.")
@click.option("--by", multiple=True, help="Somebody whose lane counts; give it again for each. All when not given.")
@click.option("--recording", help="Number, file name or id; all when not given.")
@json_option
def adjudicate(
    study: Path,
    spans: str,
    labels: str,
    choices: str,
    minimum_iou: float,
    unsettled: str,
    name: str,
    by: tuple[str, ...],
    recording: str | None,
    as_json: bool,
) -> None:
    """Make one lane of what several annotators say, by a rule.

    It replaces the lane of that name.

    \b
    Example:
      greenroom adjudicate my-study.greenroom --spans union --labels majority
    """
    rule = Rule(Spans(spans), Labels(labels), Choices(choices), minimum_iou, Unsettled(unsettled))
    with Session.open(study) as session:
        only = [] if recording is None else [recording_called(session, recording).id]
        made, _ = adjudication.make_lane(session, rule, name=name, recordings=only, annotators=by)
    counts = made.counts
    result: dict[str, Json] = {
        "lane": made.lane.name,
        **asdict(counts),
        "recordings": [{"recording": one.number, **asdict(found)} for one, found in made.recordings],
        "skipped": [one.number for one in made.skipped],
    }
    text = (
        f"{made.lane.name}: {counted(counts.segments, 'segment')} in {counted(len(made.recordings), 'recording')}, "
        f"of {counted(counts.groups, 'moment')} that somebody marked.\n"
        f"{counts.disputed} stay in disagreement, {counts.undecided} were not agreed on and not reviewed."
    )
    if made.skipped:
        text += f"\n{counted(len(made.skipped), 'recording')} with fewer than two annotators left out."
    tell(as_json, result, text)


def _sheet(session: Session, owner: Recording, reviewer: Annotator, other: str | None) -> Sheet | None:
    if other is not None:
        second = annotator_called(session, other)
        if second.id == reviewer.id:
            raise UserError("Nobody reviews their own segments.", "Name another annotator with --with.")
        return sheet(session, owner.id, reviewer, second)
    pair = default_pair(session, owner.id)
    return None if pair is None else sheet(session, owner.id, *pair)


def _described(session: Session, owner: Recording, compared: Sheet, item: Item, reviewer: Annotator) -> dict[str, Json]:
    names = {compared.first.id: compared.first.name, compared.second.id: compared.second.name}
    scheme = session.schemes.known(item.marks[0].segment.scheme)
    waiting = {mark.segment.id for mark in item.waits_for(reviewer.id)}
    return {
        "recording": owner.number,
        "start": item.start_us / 1e6,
        "end": item.end_us / 1e6,
        "outcome": item.outcome.value,
        "differs": [*named(scheme, item.differs)],
        "segments": [
            {
                "segment": mark.segment.id,
                "annotator": names[mark.segment.annotator_id],
                "label": mark.segment.label,
                "start": mark.segment.start_us / 1e6,
                "end": mark.segment.end_us / 1e6,
                "waits": mark.segment.id in waiting,
                "agreed": mark.agreed,
                "disagreed": mark.disagreed,
            }
            for mark in item.pair
        ],
    }


def _line(item: dict[str, Json]) -> str:
    segments = item["segments"]
    assert isinstance(segments, list)
    parts = [
        f"{one['annotator']}: {one['label']} {one['segment']}{' (waits)' if one['waits'] else ''}"
        for one in segments
        if isinstance(one, dict)
    ]
    differs = item["differs"]
    assert isinstance(differs, list)
    what = f"differ in {', '.join(map(str, differs)).lower()}" if differs else "alike" if len(parts) > 1 else "alone"
    start = format_time(round(float(str(item["start"])) * 1e6))
    return f"recording {item['recording']}  {start}  {what}  {'  '.join(parts)}"
