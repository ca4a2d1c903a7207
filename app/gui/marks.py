"""The range slider: the span of the selected segment, or the marks of the next one."""

from PySide6.QtCore import QObject

from app.gui.player import Player
from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from project.timebase import FrameTimes
from widgets.label_looks import unknown_look
from widgets.range_slider import RangeSlider
from widgets.timeline.lane import lane_of
from widgets.timeline.view import TimelineView


class Marks(QObject):
    """Keeps the slider, the timeline's marks and the selection in step."""

    def __init__(
        self,
        studio: Studio,
        player: Player,
        slider: RangeSlider,
        timeline: TimelineView,
        editing: SegmentEditing,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._slider = slider
        self._timeline = timeline
        self._editing = editing
        studio.marks_changed.connect(self.show)
        studio.selection_changed.connect(self.show)
        studio.recording_changed.connect(self._show_recording)
        timeline.view_changed.connect(slider.set_span)
        player.opened.connect(self._show_frames)
        player.position_changed.connect(slider.set_playhead)
        slider.range_changing.connect(self._preview)
        slider.range_changed.connect(self._moved)

    def show(self) -> None:
        """Show the span of the one selected segment, else the marks."""
        self._timeline.set_marks(self._studio.mark_in, self._studio.mark_out)
        chosen = self._timeline.model.segment(self._studio.selected[0]) if len(self._studio.selected) == 1 else None
        if chosen is not None:
            lane = self._timeline.model.lane(lane_of(chosen))
            look = unknown_look(chosen.label) if lane is None else lane.look(chosen.label)
            self._slider.set_range(chosen.start_us, chosen.end_us, look)
            self._slider.set_editable(self._timeline.can_edit(lane))
        else:
            self._slider.set_range(self._studio.mark_in, self._studio.mark_out)
            self._slider.set_editable(self._studio.writable)

    def _show_recording(self) -> None:
        recording = self._studio.recording
        self._slider.set_frames(None)
        self._slider.set_span(0, recording.duration_us if recording else 0)
        self.show()

    def _show_frames(self, times: FrameTimes) -> None:
        self._slider.set_frames(times)

    def _preview(self, start_us: int, end_us: int) -> None:
        if self._player.playing:
            return
        before = (self._studio.mark_in, self._studio.mark_out)
        chosen = self._timeline.model.segment(self._studio.selected[0]) if len(self._studio.selected) == 1 else None
        if chosen is not None:
            before = (chosen.start_us, chosen.end_us)
        self._player.seek(end_us if start_us == before[0] else start_us)

    def _moved(self, start_us: int, end_us: int) -> None:
        if len(self._studio.selected) == 1:
            self._editing.move([(self._studio.selected[0], start_us, end_us)], f"slider {self._studio.selected[0]}")
            self.show()
        else:
            self._studio.set_marks(start_us, end_us)
