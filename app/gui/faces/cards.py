"""What the cards, the boxes and the pictures of a recording's faces are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonymize.places import CertaintySpan
from app.core.faces.review import undecided
from project.regions import Region, RegionKind
from project.types import FaceTrack, Participant
from resources.translation import tr
from widgets.faces.card import CardState, FaceCard
from widgets.picture_overlays import FaceState

_NAMES = {RegionKind.FACE: tr("Drawn face"), RegionKind.AREA: tr("Area"), RegionKind.NOTHING: tr("Nothing to hide")}
_STATES = {RegionKind.FACE: CardState.DRAWN, RegionKind.AREA: CardState.AREA, RegionKind.NOTHING: CardState.NOTHING}
_LOOKS = {RegionKind.FACE: None, RegionKind.AREA: FaceState.AREA, RegionKind.NOTHING: FaceState.NOTHING}
_SIDES = 1.25


@dataclass(frozen=True, slots=True)
class Crop:
    """A square to cut from a frame: its position, and x, y, side in pixels; it may reach outside of the picture."""

    frame: int
    x: int
    y: int
    side: int


def cards_of(
    tracks: Sequence[FaceTrack],
    regions: Sequence[Region],
    people: Mapping[str, Participant],
    waiting: Sequence[CertaintySpan],
    frame_us: int,
) -> list[FaceCard]:
    """Return a card for each found track, then for each region."""
    places: dict[str, list[int]] = {}
    for rank, one in enumerate(waiting):
        places.setdefault(one.track_id or "", []).append(rank)
    cards = [
        FaceCard(
            one.id,
            tr("Face {number}").format(number=number),
            _state(one),
            int(one.times_us[0]),
            int(one.times_us[-1] - one.times_us[0]) + frame_us,
            float(one.scores.max()),
            *_who(people, one.participant_id),
            len(places.get(one.id, ())),
            places.get(one.id, [1 << 30])[0],
        )
        for number, one in enumerate(tracks, 1)
        if len(one.frames)
    ]
    cards += [
        FaceCard(
            one.id,
            one.label or _NAMES[one.kind],
            _STATES[one.kind],
            one.start_us,
            one.end_us - one.start_us,
            None,
            *_who(people, one.participant_id),
            len(places.get(one.id, ())),
            places.get(one.id, [1 << 30])[0],
            drawn=True,
        )
        for one in regions
    ]
    return cards


def drawn_looks(regions: Sequence[Region]) -> dict[str, tuple[str, FaceState | None]]:
    """Return region id -> its name on the picture, and how its box looks where it is no face."""
    return {one.id: (one.label or _NAMES[one.kind], _LOOKS[one.kind]) for one in regions}


def crops_of(track: FaceTrack) -> tuple[Crop, Crop, Crop]:
    """Return what shows a track: its best, its worst and its last frame."""
    ends = (int(track.scores.argmax()), int(track.scores.argmin()), len(track.frames) - 1)
    if track.scores.min() == track.scores.max():
        ends = (0, len(track.frames) // 2, len(track.frames) - 1)
    best, worst, last = (_crop(track, at) for at in ends)
    return best, worst, last


def _crop(track: FaceTrack, at: int) -> Crop:
    x, y, width, height = np.asarray(track.boxes[at], np.float64).tolist()
    side = max(8.0, _SIDES * max(width, height))
    return Crop(
        int(track.frames[at]), round(x + (width - side) / 2), round(y + (height - side) / 2), max(1, round(side))
    )


def _state(track: FaceTrack) -> CardState:
    if track.dismissed:
        return CardState.DISMISSED
    if not undecided(track):
        return CardState.ASSIGNED
    return CardState.DOUBTFUL if track.doubtful else CardState.UNDECIDED


def _who(people: Mapping[str, Participant], participant_id: str | None) -> tuple[str, str | None]:
    who = people.get(participant_id or "")
    return (who.pseudonym, who.id) if who is not None else ("", None)
