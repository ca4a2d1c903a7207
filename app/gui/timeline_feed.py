"""Keeps the timeline in step with the study: after an edit only the segments it touched are read again."""

from collections.abc import Iterable
from enum import IntEnum

from PySide6.QtCore import QObject

from app.gui.studio import Studio
from project.queries.annotators import all_annotators
from project.queries.segments import segment, segments_of
from project.types import Annotator, Changes, Segment
from widgets.timeline.lane import Lane, LaneKind
from widgets.timeline.view import TimelineView

WAVEFORM = "waveform"
FACES = "faces"
OWN = "own"
"""Key of the lane of a person who has made no segment yet and so is not in the study."""


class CameOrWent(IntEnum):
    """Whether an edit added or removed segments, and where."""

    NO = 0
    HERE = 1
    ELSEWHERE = 2


class TimelineFeed(QObject):
    """Fills lanes and segments."""

    def __init__(self, studio: Studio, timeline: TimelineView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._timeline = timeline
        self._has_faces = False
        self.own_id: str | None = None
        studio.recording_changed.connect(self.reload)
        studio.selection_changed.connect(self._show_selection)
        timeline.selection_changed.connect(studio.select)

    def reload(self) -> None:
        """Show the recording anew."""
        recording, session = self._studio.recording, self._studio.session
        if recording is None or session is None:
            self._timeline.set_recording(0)
            self._timeline.set_lanes(())
            return
        self._timeline.set_recording(recording.duration_us)
        segments = segments_of(session.study, recording.id)
        self._set_lanes(segments)
        self._timeline.set_segments(segments)
        self._timeline.set_editable(self._studio.writable)

    def reload_lanes(self) -> None:
        """Show whose lane may be edited, after the annotator changed."""
        self._set_lanes(None)

    def set_has_faces(self, has: bool) -> None:
        """Show or leave out the lane that says where faces are."""
        if has != self._has_faces:
            self._has_faces = has
            self._set_lanes(None)

    def apply(self, changes: Changes) -> CameOrWent:
        """Read what an edit touched; returns whether segments came or went."""
        recording, session = self._studio.recording, self._studio.session
        if session is None:
            return CameOrWent.NO
        changed: list[Segment] = []
        removed: list[str] = []
        came_or_went = CameOrWent.NO
        for segment_id in changes.ids("segment"):
            before = self._timeline.model.segment(segment_id)
            now = segment(session.study, segment_id)
            here = now is not None and recording is not None and now.recording_id == recording.id
            if now is not None and here:
                changed.append(now)
            else:
                removed.append(segment_id)
            if before is None or not here:
                place = CameOrWent.HERE if here or before is not None else CameOrWent.ELSEWHERE
                came_or_went = max(came_or_went, place)
        if came_or_went or changes.ids("annotator"):
            self._set_lanes(changed)
        if changed or removed:
            self._timeline.update_segments(changed, removed)
        return came_or_went

    def counts(self) -> dict[str, int]:
        """Return annotator id -> number of segments in the recording that is shown."""
        model = self._timeline.model
        found = {lane.key: len(model.track(lane.key)) for lane in model.lanes if lane.kind is LaneKind.SEGMENTS}
        return {key: count for key, count in found.items() if count}

    def select_own(self) -> None:
        """Select every segment that may be edited here."""
        own = self._timeline.model.track(self.own_id).items if self.own_id else []
        self._timeline.choose([one.id for one in own])

    def _set_lanes(self, segments: Iterable[Segment] | None) -> None:
        session = self._studio.session
        if session is None or self._studio.recording is None:
            return
        people = all_annotators(session.study)
        own = next((a for a in people if a.name == session.annotator_name), None)
        self.own_id = own.id if own else None
        shown = {lane.key for lane in self._timeline.model.lanes}
        present = {s.annotator_id for s in segments or ()} | shown
        medium = session.main_medium(self._studio.recording.id)
        lanes = [Lane(WAVEFORM, "Sound", LaneKind.WAVEFORM)] if medium and medium.facts.audio else []
        lanes.append(Lane(self.own_id or OWN, session.annotator_name or "You", editable=True))
        lanes += [_lane(a) for a in people if a.id != self.own_id and a.id in present]
        if self._has_faces:
            lanes.append(Lane(FACES, "Faces", LaneKind.SPANS))
        if tuple(lanes) != self._timeline.model.lanes:
            self._timeline.set_lanes(lanes)

    def _show_selection(self) -> None:
        if self._timeline.selection() != list(self._studio.selected):
            self._timeline.set_selection(self._studio.selected)


def _lane(annotator: Annotator) -> Lane:
    return Lane(annotator.id, annotator.name)
