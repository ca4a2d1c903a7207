"""Commands that review the segments of others, measure how far annotators agree, and merge their lanes into one."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from annotate.agreement import adjudication
from annotate.agreement.adjudication import AdjudicationRule, ChoiceRule, Labels, SpanRule, UnsettledRule
from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.figure_intervals import StatisticResult
from annotate.agreement.study_agreement import describe_figure
from annotate.review import peer_review
from annotate.review.peer_review import (
    RecordingReview,
    ReviewItem,
    build_recording_review,
    default_pair,
    name_differences,
)
from annotate.segments.segment_edits import find_segment
from annotate.study.people import require_annotator
from app.cli.command import EDIT, argument, command, option
from app.cli.console import Output
from project.codec import dump
from project.entities.study_records import Annotator, Recording, ReviewDecision
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import format_time

REVIEWER = option("Who reviews.", required=True)


@command(annotator=REVIEWER)
def list_waiting(
    session: Session,
    annotator: str,
    other: str | None = option("Whose segments; by default the other annotator of each recording.", "--with"),
    recording: Recording | None = option(),
    everything: bool = option("Also what was reviewed and what is alike.", "--all"),
) -> Output:
    """List what an annotator has to review: the other's segments that do not overlap their own or that differ.

    \b
    Example:
      greenroom team review list my-study.greenroom --annotator Ada --with Bo
    """
    reviewer = require_annotator(session, annotator)
    owners = all_recordings(session.study) if recording is None else [recording]
    items: list[dict[str, Any]] = []
    done = total = settled = disputed = 0
    for owner in owners:
        compared = _read_sheet(session, owner, reviewer, other)
        if compared is None:
            continue
        progress = compared.progress(reviewer.id)
        done, total = done + progress.done, total + progress.total
        settled, disputed = settled + progress.settled, disputed + progress.disputed
        items += [
            _item_json(session, owner, compared, item, reviewer)
            for item in compared.items
            if everything or item.pending_for(reviewer.id)
        ]
    lines = [_item_line(item) for item in items]
    lines.append(
        f"{done} of {pluralize(total, 'segment')} reviewed; {disputed} stay in disagreement, {settled} settled."
    )
    result = {
        "annotator": annotator,
        "done": done,
        "total": total,
        "settled": settled,
        "disputed": disputed,
        "items": items,
    }
    return Output(result, lines)


@command(study=EDIT, annotator=REVIEWER)
def decide(
    session: Session,
    annotator: str,
    segment_id: str = argument(metavar="SEGMENT"),
    decision: ReviewDecision = option("What you say."),
    note: str = option("Why.", default=""),
) -> Output:
    """Agree or disagree with somebody else's segment. A second decision replaces the first.

    \b
    Example:
      greenroom team review decide my-study.greenroom SEGMENT --decision disagree \\
        --note "She pauses to think; nothing is wrong yet." --annotator Ada
    """
    peer_review.review_segment(session, segment_id, ReviewDecision(decision), note)
    described = {"segment": segment_id, "annotator": annotator, "decision": decision, "note": note}
    return Output(described, f"{annotator} {decision}s with {segment_id}")


@command(study=EDIT, annotator=REVIEWER)
def withdraw(session: Session, annotator: str, segment_id: str = argument(metavar="SEGMENT")) -> Output:
    """Take back what was said about a segment.

    \b
    Example:
      greenroom team review withdraw my-study.greenroom SEGMENT --annotator Ada
    """
    find_segment(session, segment_id)
    peer_review.withdraw_review(session, segment_id)
    return Output({"segment": segment_id, "annotator": annotator, "decision": None}, f"Took it back: {segment_id}")


@command(study=EDIT)
def adjudicate(
    session: Session,
    spans: SpanRule = option("Where a segment lasts from and to.", default=SpanRule.MAJORITY),
    labels: Labels = option("How many have to say a label.", default=Labels.MAJORITY),
    choices: ChoiceRule = option("Which attributes a segment gets.", default=ChoiceRule.MAJORITY),
    minimum_iou: float = option("What overlapping means; 0 is any time in common.", default=0.0),
    unsettled: UnsettledRule = option(
        "What becomes of moments on which they do not agree.", default=UnsettledRule.LEAVE_OUT
    ),
    name: str = option("Of the lane.", default=adjudication.DEFAULT_LANE_NAME),
    annotators: tuple[str, ...] = option("An annotator whose lane counts; by default all.", "--annotator"),
    recording: Recording | None = option(),
) -> Output:
    """Make one lane of what several annotators say, by a rule.

    It replaces the lane of that name.

    \b
    Example:
      greenroom team adjudicate my-study.greenroom --spans union --labels majority
    """
    rule = AdjudicationRule(SpanRule(spans), Labels(labels), ChoiceRule(choices), minimum_iou, UnsettledRule(unsettled))
    only = [] if recording is None else [recording.id]
    made, _ = adjudication.create_adjudicated_lane(session, rule, name=name, recordings=only, annotators=annotators)
    counts = made.counts
    result = {
        "lane": made.lane.name,
        **asdict(counts),
        "recordings": [{"recording": owner.number, **asdict(found)} for owner, found in made.recordings],
        "skipped": [owner.number for owner in made.skipped],
    }
    text = (
        f"{made.lane.name}: {pluralize(counts.segments, 'segment')} in {pluralize(len(made.recordings), 'recording')}, "
        f"of {pluralize(counts.groups, 'moment')} that somebody marked.\n"
        f"{counts.disputed} stay in disagreement, {counts.undecided} were not agreed on and not reviewed."
    )
    if made.skipped:
        text += f"\n{pluralize(len(made.skipped), 'recording')} with fewer than two annotators left out."
    return Output(result, text)


def _read_sheet(session: Session, owner: Recording, reviewer: Annotator, other: str | None) -> RecordingReview | None:
    if other is not None:
        second = require_annotator(session, other)
        if second.id == reviewer.id:
            raise UserError("You cannot review your own segments.", "Name another annotator: --with NAME")
        return build_recording_review(session, owner.id, reviewer, second)
    pair = default_pair(session, owner.id)
    return None if pair is None else build_recording_review(session, owner.id, *pair)


def _item_json(
    session: Session, owner: Recording, compared: RecordingReview, item: ReviewItem, reviewer: Annotator
) -> dict[str, Any]:
    names = {compared.first.id: compared.first.name, compared.second.id: compared.second.name}
    scheme = session.schemes.find(item.marks[0].segment.scheme)
    waiting = {mark.segment.id for mark in item.pending_for(reviewer.id)}
    return {
        "recording": owner.number,
        "start": item.start_us / 1e6,
        "end": item.end_us / 1e6,
        "outcome": item.outcome.value,
        "differs": [*name_differences(scheme, item.differing_parts)],
        "segments": [
            {
                "segment": mark.segment.id,
                "annotator": names[mark.segment.annotator_id],
                "label": mark.segment.label,
                "start": mark.segment.start_us / 1e6,
                "end": mark.segment.end_us / 1e6,
                "waits": mark.segment.id in waiting,
                "agreed": mark.agree_count,
                "disagreed": mark.disagree_count,
            }
            for mark in item.pair
        ],
    }


def _item_line(item: dict[str, Any]) -> str:
    segments = item["segments"]
    assert isinstance(segments, list)
    parts = [
        f"{segment['annotator']}: {segment['label']} {segment['segment']}{' (waits)' if segment['waits'] else ''}"
        for segment in segments
        if isinstance(segment, dict)
    ]
    differs = item["differs"]
    assert isinstance(differs, list)
    what = f"differ in {', '.join(map(str, differs)).lower()}" if differs else "alike" if len(parts) > 1 else "alone"
    start = format_time(round(float(str(item["start"])) * 1e6))
    return f"recording {item['recording']}  {start}  {what}  {'  '.join(parts)}"


_NAME_WIDTH = 46


@command()
def agreement(
    session: Session,
    pair: tuple[str, str] | None = option("Two annotators; by default everybody.", metavar="A B"),
    third: str = option("An annotator to compare with the others, and to count nowhere else.", default=""),
    scheme: str = option("A scheme of the study; by default the study's default.", default=""),
    track: str = option("A track of the scheme; by default the first one.", default=""),
    recordings: tuple[Recording, ...] = option("", "--recording"),
    within: tuple[str, ...] = option("A field: only segments of the same value in it are compared."),
    minimum_iou: float = option("What overlapping means; 0 is any time in common.", default=0.0),
    step_ms: int = option("Between the instants of the time grid.", default=100, type=click.IntRange(1, 3_600_000)),
    tolerance_ms: int = option(
        "How far two points may be apart to be the same event.", default=500, type=click.IntRange(0, 60_000)
    ),
    bins: int = option("Into which ratings are cut for Randolph's kappa.", default=5, type=click.IntRange(2, 1000)),
    samples: int = option("Of the bootstrap.", default=1000, type=click.IntRange(0, 10_000)),
    seed: int = option("Of the bootstrap.", default=0, type=click.IntRange(0)),
) -> Output:
    """Say how far the annotators of a study agree.

    Only people count; a model does when it is named with --pair. Nothing is written.

    \b
    Example:
      greenroom team agreement my-study.greenroom
      greenroom team agreement my-study.greenroom --pair Ada Ben --minimum-iou 0.5 --json
    """
    from annotate.agreement.annotation_arrays import Options
    from annotate.agreement.study_agreement import AgreementQuery, report_agreement

    question = AgreementQuery(
        pair=pair or (),
        third=third,
        scheme=scheme,
        track=track,
        recordings=tuple(owner.id for owner in recordings),
        within=within or None,
        options=Options(minimum_iou, 1000 * step_ms, 1000 * tolerance_ms, bins, samples, seed),
    )
    report = report_agreement(session, question)
    return Output(dump(report), _report_text(report))


def _report_text(report: AgreementReport) -> str:
    found = report.settings
    lines = [
        f"{pluralize(found.annotations, 'annotation')} of {pluralize(found.recordings, 'recording')}, "
        f"{found.recordings_compared} by two or more, by {', '.join(found.annotators) or 'nobody yet'}",
        *_figure_lines({describe_figure(key, found.marks).name: figure for key, figure in report.main.items()}),
        *_figure_lines({f"F1 at IoU {level}": figure for level, figure in report.f1_iou.items()}),
    ]
    for field in report.fields:
        if any(figure.n for figure in field.figures.values()):
            lines += [
                field.name,
                *_figure_lines(
                    {f"  {key.replace('_', ' ')}": statistic_result for key, statistic_result in field.figures.items()}
                ),
            ]
    if report.published:
        lines.append("Beside what was published:")
        for beside in report.published:
            own = "-" if beside.own is None or beside.own.value is None else f"{beside.own.value:.3f}"
            lines.append(f"  {beside.published.name:<68} {beside.published.value:>6.3f}   here {own:>6}")
    return "\n".join(lines)


def _figure_lines(figures: Mapping[str, StatisticResult]) -> list[str]:
    return [f"{name:<{_NAME_WIDTH}} {_format_figure(figure)}" for name, figure in figures.items()]


def _format_figure(figure: StatisticResult) -> str:
    if figure.value is None:
        return f"     -   {figure.reason}"
    between = "" if figure.low is None or figure.high is None else f"   {figure.low:6.3f} to {figure.high:6.3f}"
    return f"{figure.value:6.3f}{between}   n = {figure.n}"
