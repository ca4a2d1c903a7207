"""What judges say about segments, as bars of the timeline: a thin lane for each judge, under those of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from project.timebase import format_time
from project.types import Segment
from resources.translation import tr
from widgets.label_looks import LabelLook, Pattern, Sign
from widgets.semibold import semibold
from widgets.timeline.lane import Lane, LaneKind, lane_key

HIDDEN = "?hidden"
"""The label of a bar of which who looks may not see what the judge says yet."""
SILENT = "?silent"
"""The label of a bar where the judge gave no answer that could be read."""
_LOOKS = (
    LabelLook(HIDDEN, tr("Hidden"), "muted", Pattern.DOTS, Sign.RING),
    LabelLook(SILENT, tr("No answer"), "muted", Pattern.BARS, Sign.QUESTION),
)
_SCHEME, _TRACK = "judges", "verdicts"


@dataclass(frozen=True, slots=True)
class VerdictBar(Segment):
    """What one judge says about one segment; its `annotator_id` is the judge's voice.

    Attributes:
        about: id of the segment.
        notes: lines of a tooltip.
    """

    about: str = ""
    notes: tuple[str, ...] = ()


def verdict_bar(voice: str, segment: Segment, label: str, notes: Sequence[str] = ()) -> VerdictBar:
    """Return the bar of what a voice says about a segment; `label` is one of the segment's, `HIDDEN` or `SILENT`."""
    return VerdictBar(
        f"{voice} {segment.id}",
        segment.recording_id,
        voice,
        label,
        segment.start_us,
        segment.end_us,
        _SCHEME,
        _TRACK,
        segment.id,
        tuple(notes),
    )


def verdict_lane(voice: str, title: str, subtitle: str, looks: Sequence[LabelLook]) -> Lane:
    """Return the lane of a voice; `looks` are those of the labels of the segments."""
    return Lane(lane_key(voice, _SCHEME, _TRACK), title, LaneKind.VERDICTS, looks=(*looks, *_LOOKS), subtitle=subtitle)


def told_verdict(lane: Lane, bar: VerdictBar) -> str:
    """Return a verdict as rich text for a tooltip: who, what, when, and its notes."""
    span = tr("{start_us} to {end_us}").format(start_us=format_time(bar.start_us), end_us=format_time(bar.end_us))
    who = f"{lane.title}, {lane.subtitle}" if lane.subtitle else lane.title
    parts = [f"<b>{escape(who)}</b>: {escape(lane.look(bar.label).name)}", span, *map(escape, bar.notes)]
    return semibold("<br>".join(parts))
