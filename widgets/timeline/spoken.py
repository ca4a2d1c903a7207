"""Utterances as bars of the timeline: a lane for each participant, and one for those nobody has been given yet."""

from dataclasses import dataclass
from typing import TypeGuard

from project.types import Segment, Utterance
from resources.translation import tr
from widgets.label_looks import LabelLook, Pattern, Sign
from widgets.timeline.lane import Lane, LaneKind, lane_key

SAID, UNSURE = "said", "unsure"
"""Labels of bars: a person saw to it; or nobody looked at the words yet, or the speaker is a guess of the program."""
_SCHEME, _TRACK = "transcript", "utterances"
_NOBODY = "nobody"


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


def is_spoken(bar: Segment | None) -> TypeGuard[SpokenBar]:
    """Tell an utterance from a segment."""
    return isinstance(bar, SpokenBar)


def spoken_bar(one: Utterance, flag: str = "") -> SpokenBar:
    """Return the bar of an utterance."""
    hints = [tr("nobody looked at the words yet")] * (not one.checked) + [
        tr("the speaker is suggested")
    ] * one.suggested
    return SpokenBar(
        one.id,
        one.recording_id,
        one.participant_id or _NOBODY,
        SAID if one.checked and not one.suggested else UNSURE,
        one.start_us,
        one.end_us,
        _SCHEME,
        _TRACK,
        " ".join(one.text.split()),
        flag,
        ", ".join(hints),
    )


def spoken_key(participant_id: str | None) -> str:
    """Return the key of the lane of a participant; None is for nobody yet."""
    return lane_key(participant_id or _NOBODY, _SCHEME, _TRACK)


def speaker_of(key: str) -> str | None:
    """Return whose lane it is, by the key of a lane of utterances; None for nobody yet."""
    found = key.split("/")[0]
    return None if found == _NOBODY else found


def spoken_lane(participant_id: str | None, title: str, subtitle: str, colour: str | None, editable: bool) -> Lane:
    """Return the lane of a participant, in their colour (`#rrggbb`; grey for None)."""
    ink = colour or "muted"
    return Lane(
        spoken_key(participant_id),
        title,
        LaneKind.UTTERANCES,
        editable,
        (
            LabelLook(SAID, title, ink, Pattern.SOLID, Sign.SQUARE),
            LabelLook(UNSURE, title, ink, Pattern.DOTS, Sign.QUESTION),
        ),
        subtitle=subtitle,
    )
