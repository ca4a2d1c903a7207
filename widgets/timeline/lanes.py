"""The lanes of the timeline, and what they hold: segments, nodes, utterances and verdicts as bars."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import TypeGuard

from project.entities.causal_chains import ChainNode, NodeKind
from project.entities.study_records import Segment, Utterance
from project.schemes.scheme import Pattern
from project.timebase import format_time
from resources.translation import tr
from widgets.labels import KIND_LOOKS, LabelLook, Sign, unknown_look
from widgets.text_labels import semibold


class LaneKind(StrEnum):
    """What a lane shows."""

    WAVEFORM = "waveform"
    SEGMENTS = "segments"
    UTTERANCES = "utterances"
    NODES = "nodes"
    SPANS = "spans"
    VERDICTS = "verdicts"


@dataclass(frozen=True, slots=True)
class Lane:
    """One band of the timeline.

    Attributes:
        key: of a lane of segments, what `lane_key` gives; else any unique word.
        title: what stands at its left.
        kind: what it shows.
        editable: whether segments, utterances or nodes can be made, moved and resized in it.
        looks: how the labels of its track look, in the scheme's order; any other label is drawn as unknown.
        subtitle: a second line under the title, such as the track's name.
        active: whether new segments go here.
        faded: its scheme is not in use.
        pale: what is in it is suggested by a model, and nobody's work.
        points: its segments are points, moments without length.
        fixed: its segments cannot be moved, such as samples.
        active_look: of the label that a segment gets that is drawn in it; None where people are asked, or
            the track has no other label.
    """

    key: str
    title: str
    kind: LaneKind = LaneKind.SEGMENTS
    editable: bool = False
    looks: tuple[LabelLook, ...] = ()
    subtitle: str = ""
    active: bool = False
    faded: bool = False
    pale: bool = False
    points: bool = False
    fixed: bool = False
    active_look: LabelLook | None = None

    @property
    def has_bars(self) -> bool:
        """Whether it holds segments, utterances or nodes, which can be selected and dragged."""
        return self.kind in (LaneKind.SEGMENTS, LaneKind.UTTERANCES, LaneKind.NODES)

    @property
    def draws_bars(self) -> bool:
        """Whether it is drawn as bars; those of verdicts stand for segments and are no segments themselves."""
        return self.has_bars or self.kind is LaneKind.VERDICTS

    def look(self, label: str) -> LabelLook:
        """Return how a label looks here."""
        return next((look for look in self.looks if look.key == label), None) or unknown_look(label)


def lane_key(annotator_id: str, scheme: str = "shrec", track: str = "segments") -> str:
    """Return the key of the lane that shows one annotator's segments of one track."""
    return f"{annotator_id}/{scheme}/{track}"


def lane_key_of(segment: Segment) -> str:
    """Return the key of the lane that a segment is in."""
    return lane_key(segment.annotator_id, segment.scheme, segment.track)


_NODES_SCHEME, _NODES_TRACK, _NODES_OWNER = "chains", "nodes", "chain"
NODES = lane_key(_NODES_OWNER, _NODES_SCHEME, _NODES_TRACK)
"""Key of the lane."""


@dataclass(frozen=True, slots=True)
class NodeBar(Segment):
    """A node as the lane holds it; its label is the kind.

    Attributes:
        text: what the node says, on one line.
        people: whose event or state it is, for people to read.
        flag: what is wrong with it, one line; "" where there is nothing.
    """

    text: str = ""
    people: str = ""
    flag: str = ""


def is_node(bar: Segment | None) -> TypeGuard[NodeBar]:
    """Tell a node from a segment or an utterance."""
    return isinstance(bar, NodeBar)


def node_bar(node: ChainNode, recording_id: str, people: Iterable[str] = (), flag: str = "") -> NodeBar:
    """Return the bar of a node; `people` are names."""
    return NodeBar(
        node.id,
        recording_id,
        _NODES_OWNER,
        node.kind.value,
        node.start_us,
        node.end_us,
        _NODES_SCHEME,
        _NODES_TRACK,
        " ".join(node.text.split()),
        ", ".join(people),
        flag,
    )


def node_lane(title: str, subtitle: str, editable: bool) -> Lane:
    """Return the lane of the chain that is worked on."""
    return Lane(NODES, title, LaneKind.NODES, editable, tuple(KIND_LOOKS.values()), subtitle=subtitle)


def kind_name(kind: str) -> str:
    """Return what people call a kind."""
    return KIND_LOOKS[NodeKind(kind)].name


def node_bar_tooltip(bar: NodeBar) -> str:
    """Return a node as rich text for a tooltip: kind, people, when, what it says, and what is wrong with it."""
    span = tr("{start_us} to {end_us}").format(start_us=format_time(bar.start_us), end_us=format_time(bar.end_us))
    head = f"<b>{escape(kind_name(bar.label))}</b>" + (
        tr(" of {people}").format(people=escape(bar.people)) if bar.people else ""
    )
    parts = [f"{head}, {span}", escape(bar.text) or tr("<i>no words yet</i>")]
    return semibold("<br>".join([*parts, *([f"<i>{escape(bar.flag)}</i>"] if bar.flag else [])]))


SAID, UNSURE = "said", "unsure"
"""Labels of bars: a person saw to it; or nobody looked at the words yet, or the speaker is a guess of the program."""
_SPOKEN_SCHEME, _SPOKEN_TRACK = "transcript", "utterances"
_NOBODY_KEY = "nobody"


@dataclass(frozen=True, slots=True)
class SpokenBar(Segment):
    """An utterance as the lanes hold it; its `annotator_id` is who speaks.

    Attributes:
        text: what is said.
        flag: why somebody should look at it, one line; "" where there is nothing.
        hint: what more to say about it when it is pointed at, one line.
    """

    text: str = ""
    flag: str = ""
    hint: str = ""


def is_utterance(bar: Segment | None) -> TypeGuard[SpokenBar]:
    """Tell an utterance from a segment."""
    return isinstance(bar, SpokenBar)


def utterance_bar(utterance: Utterance, flag: str = "") -> SpokenBar:
    """Return the bar of an utterance."""
    hints = [tr("words not checked yet")] * (not utterance.checked) + [
        tr("the speaker is suggested")
    ] * utterance.suggested
    return SpokenBar(
        utterance.id,
        utterance.recording_id,
        utterance.participant_id or _NOBODY_KEY,
        SAID if utterance.checked and not utterance.suggested else UNSURE,
        utterance.start_us,
        utterance.end_us,
        _SPOKEN_SCHEME,
        _SPOKEN_TRACK,
        " ".join(utterance.text.split()),
        flag,
        ", ".join(hints),
    )


def utterance_lane_key(participant_id: str | None) -> str:
    """Return the key of the lane of a participant; None is for nobody yet."""
    return lane_key(participant_id or _NOBODY_KEY, _SPOKEN_SCHEME, _SPOKEN_TRACK)


def speaker_of_lane(key: str) -> str | None:
    """Return whose lane it is, by the key of a lane of utterances; None for nobody yet."""
    found = key.split("/")[0]
    return None if found == _NOBODY_KEY else found


def utterance_lane(participant_id: str | None, title: str, subtitle: str, colour: str | None, editable: bool) -> Lane:
    """Return the lane of a participant, in their colour (`#rrggbb`; grey for None)."""
    ink = colour or "muted"
    return Lane(
        utterance_lane_key(participant_id),
        title,
        LaneKind.UTTERANCES,
        editable,
        (
            LabelLook(SAID, title, ink, Pattern.SOLID, Sign.SQUARE),
            LabelLook(UNSURE, title, ink, Pattern.DOTS, Sign.QUESTION),
        ),
        subtitle=subtitle,
    )


def bar_kind(bar: Segment | None) -> LaneKind:
    """Return which kind of lane a bar belongs in."""
    if is_utterance(bar):
        return LaneKind.UTTERANCES
    return LaneKind.NODES if is_node(bar) else LaneKind.SEGMENTS


HIDDEN_LABEL = "?hidden"
"""The label of a bar whose verdict the viewer may not see yet."""
SILENT_LABEL = "?silent"
"""The label of a bar where the judge gave no answer that could be read."""
_EXTRA_VERDICT_LOOKS = (
    LabelLook(HIDDEN_LABEL, tr("Hidden"), "muted", Pattern.DOTS, Sign.RING),
    LabelLook(SILENT_LABEL, tr("No answer"), "muted", Pattern.BARS, Sign.QUESTION),
)
_VERDICTS_SCHEME, _VERDICTS_TRACK = "judges", "verdicts"


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
    """Return the bar of what a voice says about a segment.

    `label` is one of the segment's, `HIDDEN_LABEL` or `SILENT_LABEL`.
    """
    return VerdictBar(
        f"{voice} {segment.id}",
        segment.recording_id,
        voice,
        label,
        segment.start_us,
        segment.end_us,
        _VERDICTS_SCHEME,
        _VERDICTS_TRACK,
        segment.id,
        tuple(notes),
    )


def verdict_lane(voice: str, title: str, subtitle: str, looks: Sequence[LabelLook]) -> Lane:
    """Return the lane of a voice; `looks` are those of the labels of the segments."""
    return Lane(
        lane_key(voice, _VERDICTS_SCHEME, _VERDICTS_TRACK),
        title,
        LaneKind.VERDICTS,
        looks=(*looks, *_EXTRA_VERDICT_LOOKS),
        subtitle=subtitle,
    )


def verdict_tooltip(lane: Lane, bar: VerdictBar) -> str:
    """Return a verdict as rich text for a tooltip: who, what, when, and its notes."""
    span = format_time(bar.start_us)
    if not bar.is_point:
        span = tr("{start_us} to {end_us}").format(start_us=span, end_us=format_time(bar.end_us))
    who = f"{lane.title}, {lane.subtitle}" if lane.subtitle else lane.title
    parts = [f"<b>{escape(who)}</b>: {escape(lane.look(bar.label).name)}", span, *map(escape, bar.notes)]
    return semibold("<br>".join(parts))
