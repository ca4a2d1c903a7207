"""Where the lanes and their sub-rows lie, in logical pixels."""

from dataclasses import dataclass

from widgets.timeline.lane import Lane, LaneKind
from widgets.timeline.model import TimelineModel
from widgets.timeline.stacking import MAX_ROWS

HEADER = 132
"""Width of the titles; a multiple of four, so that it is whole device pixels at 1.25, 1.5 and 1.75 too."""
RULER = 28
FOLDED = 20
_WAVEFORM = 56
_SPANS = 24
_VERDICT = 12
_PAD = 4
_GAP = 2
_OVERFLOW = 12


@dataclass(frozen=True, slots=True)
class Band:
    """One lane's place.

    Attributes:
        lane: the lane.
        top: from the top of the first lane.
        height: of the whole lane.
        rows: sub-rows that are drawn.
        row_height: of each.
        overflows: whether a strip for what found no row lies under them.
        folded: only a summary is drawn.
    """

    lane: Lane
    top: int
    height: int
    rows: int = 1
    row_height: int = 0
    overflows: bool = False
    folded: bool = False

    @property
    def bottom(self) -> int:
        """First pixel below."""
        return self.top + self.height

    def row_top(self, row: int) -> int:
        """Top of a sub-row, from the top of the first lane; the overflow strip's for `MAX_ROWS`."""
        return self.top + _PAD + min(row, self.rows) * (self.row_height + _GAP)

    def row_at(self, y: float) -> int | None:
        """Return the sub-row at a height, or None between them; `MAX_ROWS` in the overflow strip."""
        row, rest = divmod(y - self.top - _PAD, self.row_height + _GAP)
        if 0 <= row < self.rows and rest <= self.row_height:
            return int(row)
        return MAX_ROWS if self.overflows and row == self.rows else None


def lay_out(model: TimelineModel) -> tuple[Band, ...]:
    """Return the place of every lane, from top to bottom."""
    bands: list[Band] = []
    top = 0
    for lane in model.lanes:
        band = _band(model, lane, top)
        bands.append(band)
        top = band.bottom
    return tuple(bands)


def _band(model: TimelineModel, lane: Lane, top: int) -> Band:
    if lane.key in model.folded:
        return Band(lane, top, FOLDED, 1, FOLDED - 2 * _PAD, folded=True)
    if lane.kind is LaneKind.WAVEFORM:
        return Band(lane, top, _WAVEFORM, 1, _WAVEFORM - 2 * _PAD)
    if lane.kind is LaneKind.SPANS:
        return Band(lane, top, _SPANS, 1, _SPANS - 2 * _PAD)
    track = model.track(lane.key)
    rows = track.row_count
    if lane.kind is LaneKind.VERDICTS:
        height = 2 * _PAD + rows * (_VERDICT + _GAP) - _GAP + (_OVERFLOW if track.overflows else 0)
        return Band(lane, top, height, rows, _VERDICT, track.overflows)
    row_height = 24 if rows <= 2 else 20 if rows <= 4 else 14
    height = 2 * _PAD + rows * (row_height + _GAP) - _GAP + (_OVERFLOW if track.overflows else 0)
    return Band(lane, top, height, rows, row_height, track.overflows)
