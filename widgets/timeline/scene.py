"""What the parts of the timeline need of it: to draw it (`TimelineScene`) and to change it (`TimelineHost`)."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Signal, SignalInstance
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QScrollBar, QWidget

from project.entities.study_records import Segment
from project.timebase import FrameTimes
from widgets.timeline.drag_gestures import Gesture, Snapper
from widgets.timeline.lanes import Lane, LaneKind
from widgets.timeline.timeline_layout import Band, TimelineHit, Viewport
from widgets.timeline.timeline_model import TimelineModel


class Clock(Protocol):
    """Where playback is, to the accuracy that a moving playhead needs."""

    @property
    def playing(self) -> bool:
        """Whether time is moving."""
        ...

    @property
    def rate(self) -> float:
        """Seconds of the recording a second of the wall clock; negative when shuttling backwards."""
        ...

    def now_us(self) -> int:
        """Return the current time on the recording's axis."""
        ...


class PeakSource(Protocol):
    """The loudness of a recording over time."""

    def peaks(self, start_us: int, end_us: int, columns: int) -> NDArray[np.float32] | None:
        """Return (columns, 2) lowest and highest samples of equal slices, in -1..1; None while there are none yet."""
        ...


class Requests(QObject):
    """Asks for changes of one kind of bars: segments, utterances or nodes of a chain.

    Signals:
        move(list[tuple[str, int, int]]): id, start and end of each bar that was dragged; once, at the end of the drag.
            Moves and resizes alike.
        create(str lane_key, int start_us, int end_us): a new bar was drawn in a lane.
        delete(list[str] ids): of the selection.
        nudge(list[str] ids, int frames, str edge): see `TimelineView.request_nudge`; edge is `start`, `end` or `both`.
        activate(str id): a bar was double-clicked or Enter was pressed on it: go to a segment and loop it, or edit
            what an utterance or node says.
    """

    move = Signal(object)
    create = Signal(str, object, object)
    delete = Signal(object)
    nudge = Signal(object, int, str)
    activate = Signal(str)


class PointerState(Protocol):
    """What the mouse is doing on the timeline."""

    position: QPointF | None
    rubber: QRectF | None
    hovered: str

    @property
    def idle(self) -> bool:
        """Whether no button is held for anything."""
        ...

    def cancel(self) -> None:
        """Drop what was begun; nothing is asked for."""
        ...


class TimelineScene(Protocol):
    """What is drawn of the timeline."""

    model: TimelineModel

    @property
    def bands(self) -> tuple[Band, ...]:
        """Where the lanes are."""
        ...

    @property
    def view(self) -> Viewport:
        """Which part of the recording is shown, and how large."""
        ...

    @property
    def frames(self) -> FrameTimes | None:
        """The recording's frames, where known."""
        ...

    @property
    def peaks(self) -> PeakSource | None:
        """The sound, where there is some."""
        ...

    @property
    def marks(self) -> tuple[int | None, int | None]:
        """Where the next segment starts and ends."""
        ...

    @property
    def gesture(self) -> Gesture | None:
        """The drag that goes on."""
        ...

    @property
    def pointer(self) -> PointerState:
        """What the mouse is doing."""
        ...

    @property
    def playhead_us(self) -> int:
        """Where the playhead is."""
        ...

    def can_edit(self, lane: Lane | None) -> bool:
        """Return whether segments of a lane can be changed now."""
        ...

    def viewport(self) -> QWidget:
        """Return the widget that is drawn on."""
        ...

    def scroll_y(self) -> int:
        """Return how far the lanes are scrolled, in pixels."""
        ...

    def font(self) -> QFont:
        """Return the typeface of the lanes' names."""
        ...

    def hasFocus(self) -> bool:
        """Return whether keys go to the timeline."""
        ...


class TimelineHost(TimelineScene, Protocol):
    """What the mouse, the keyboard and the playhead do with the timeline."""

    @property
    def seek_requested(self) -> SignalInstance:
        """Asks to show a moment."""
        ...

    @property
    def clicked(self) -> SignalInstance:
        """Tells which bar was clicked and not dragged."""
        ...

    @property
    def segments_moving(self) -> SignalInstance:
        """Tells where dragged segments are now."""
        ...

    @property
    def utterance_assign_requested(self) -> SignalInstance:
        """Asks to hand utterances to another speaker."""
        ...

    def requests(self, kind: LaneKind) -> Requests:
        """Return by which signals changes of bars of a kind are asked for."""
        ...

    def request_delete(self) -> None:
        """Ask for what is selected to be deleted."""
        ...

    def request_nudge(self, frames: int, edge: str = "both") -> None:
        """Ask for what is selected, or one edge of it, to move by frames."""
        ...

    def request_assign(self, step: int) -> None:
        """Ask for the selected utterances to go to the speaker whose lane is below (1) or above (-1)."""
        ...

    def activate(self, segment: Segment) -> None:
        """Go to a segment and loop it, or edit an utterance or a node, on behalf of the user."""
        ...

    def choose(self, segment_ids: Iterable[str]) -> None:
        """Select on behalf of the user."""
        ...

    def fold(self, key: str) -> None:
        """Fold or unfold a lane on behalf of the user."""
        ...

    def hit(self, position: QPointF) -> TimelineHit:
        """Return what lies under a point of the viewport."""
        ...

    def snapper(self) -> Snapper:
        """Return what edges are drawn to now."""
        ...

    def content_changed(self) -> None:
        """Draw everything again."""
        ...

    def pan(self, pixels: float) -> None:
        """Move the part that is shown."""
        ...

    def visible_range(self) -> tuple[int, int]:
        """Return the times at the left and the right edge."""
        ...

    def verticalScrollBar(self) -> QScrollBar:
        """Return the scroll bar of the lanes."""
        ...

    def set_playhead(self, time_us: int) -> None:
        """Show the playhead at a time."""
        ...
