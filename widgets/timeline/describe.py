"""What a screen reader says about the timeline."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from project.timebase import format_time
from project.types import Segment
from resources.translation import tr
from widgets.semibold import semibold
from widgets.timeline.bars import kind_of
from widgets.timeline.lane import LaneKind, lane_of
from widgets.timeline.model import TimelineModel
from widgets.timeline.nodes import is_node, kind_name
from widgets.timeline.spoken import SpokenBar, is_spoken

_NAMES = {LaneKind.SEGMENTS: "segment", LaneKind.UTTERANCES: "utterance", LaneKind.NODES: "node"}


def describe(model: TimelineModel, selected: Sequence[Segment], editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else tr(" Read-only.")
    if len(selected) == 1:
        return f"{describe_segment(model, selected[0])}.{read_only}"
    if selected:
        first, last = min(s.start_us for s in selected), max(s.end_us for s in selected)
        span = tr("between {first} and {last}").format(first=format_time(first), last=format_time(last))
        kinds = Counter(kind_of(one) for one in selected)
        chosen = [_number(kinds[kind], name) for kind, name in _NAMES.items()]
        return tr("{list} selected, {span}.{read_only}").format(
            list=tr(" and ").join(one for one in chosen if one), span=span, read_only=read_only
        )
    shown = [_number(model.count(kind), name) for kind, name in _NAMES.items()]
    count = tr(" and ").join(one for one in shown if one)
    if not count:
        return tr("No segments yet.{read_only}").format(read_only=read_only)
    return tr("{count}, none selected. Up and Down go from one to the next.{read_only}").format(
        count=count, read_only=read_only
    )


def told(model: TimelineModel, one: SpokenBar) -> str:
    """Return an utterance as rich text for a tooltip: who, when, the words, and what to look at."""
    lane = model.lane(lane_of(one))
    span = tr("{start_us} to {end_us}").format(start_us=format_time(one.start_us), end_us=format_time(one.end_us))
    parts = [f"<b>{escape(lane.title if lane else '')}</b> {span}", escape(one.text) or tr("<i>no words yet</i>")]
    parts += [f"<i>{escape(note[0].upper() + note[1:])}</i>" for note in (one.flag, one.hint) if note]
    return semibold("<br>".join(parts))


def _number(count: int, what: str) -> str:
    return "" if not count else f"{count} {what}{'s' * (count != 1)}"


def describe_segment(model: TimelineModel, segment: Segment) -> str:
    """Return such as “Segment error 0:01:02.000 to 0:01:05.200, annotator A”; of others, what they say."""
    lane = model.lane(lane_of(segment))
    if is_spoken(segment):
        who = lane.title if lane else tr("Somebody")
        span = tr("{start_us} to {end_us}").format(
            start_us=format_time(segment.start_us), end_us=format_time(segment.end_us)
        )
        return tr("Utterance of {who} {span}: {words}").format(
            who=who, span=span, words=segment.text or tr("no words yet")
        )
    if is_node(segment):
        of = tr(" of {people}").format(people=segment.people) if segment.people else ""
        span = tr("{start_us} to {end_us}").format(
            start_us=format_time(segment.start_us), end_us=format_time(segment.end_us)
        )
        return tr("Node {kind}{of} {span}: {words}").format(
            kind=kind_name(segment.label).lower(), of=of, span=span, words=segment.text or tr("no words yet")
        )
    label = lane.look(segment.label).name.lower() if lane else segment.label
    whose = tr(", annotator {title}").format(title=lane.title) if lane else ""
    return tr("Segment {label} {start_us} to {end_us}{whose}").format(
        label=label, start_us=format_time(segment.start_us), end_us=format_time(segment.end_us), whose=whose
    )
