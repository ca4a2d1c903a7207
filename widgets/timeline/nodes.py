"""The nodes of a chain as bars of the timeline: one lane, each kind with a colour, a sign and a letter of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TypeGuard

from project.chains import Node, NodeKind
from project.timebase import format_time
from project.types import Segment
from resources.translation import tr
from widgets.chains.looks import KINDS
from widgets.semibold import semibold
from widgets.timeline.lane import Lane, LaneKind, lane_key

_SCHEME, _TRACK, _WHO = "chains", "nodes", "chain"
NODES = lane_key(_WHO, _SCHEME, _TRACK)
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


def node_bar(node: Node, recording_id: str, people: Iterable[str] = (), flag: str = "") -> NodeBar:
    """Return the bar of a node; `people` are names."""
    return NodeBar(
        node.id,
        recording_id,
        _WHO,
        node.kind.value,
        node.start_us,
        node.end_us,
        _SCHEME,
        _TRACK,
        " ".join(node.text.split()),
        ", ".join(people),
        flag,
    )


def node_lane(title: str, subtitle: str, editable: bool) -> Lane:
    """Return the lane of the chain that is worked on."""
    return Lane(NODES, title, LaneKind.NODES, editable, tuple(KINDS.values()), subtitle=subtitle)


def kind_name(kind: str) -> str:
    """Return what people call a kind."""
    return KINDS[NodeKind(kind)].name


def told_node(bar: NodeBar) -> str:
    """Return a node as rich text for a tooltip: kind, people, when, what it says, and what is wrong with it."""
    span = tr("{start_us} to {end_us}").format(start_us=format_time(bar.start_us), end_us=format_time(bar.end_us))
    head = f"<b>{escape(kind_name(bar.label))}</b>" + (
        tr(" of {people}").format(people=escape(bar.people)) if bar.people else ""
    )
    parts = [f"{head}, {span}", escape(bar.text) or tr("<i>no words yet</i>")]
    return semibold("<br>".join([*parts, *([f"<i>{escape(bar.flag)}</i>"] if bar.flag else [])]))
