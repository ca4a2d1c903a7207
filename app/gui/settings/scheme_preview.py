"""The preview of the code book editor: the lane, the label buttons and the form of a track, as annotators see them."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from project.entities.study_records import Segment
from project.schemes.scheme import Scheme, Track
from resources.translation import tr
from widgets import theme
from widgets.form.layouts import make_column, make_panel, make_scroll_area
from widgets.inspector.segment_form import TrackPanel
from widgets.labels import label_looks
from widgets.text_labels import PlainLabel
from widgets.timeline.lanes import Lane, lane_key
from widgets.timeline.timeline_view import TimelineView

_PAUSE_MS = 120
_BAR_US = 1_000_000
_GAP_US = 150_000
_LANES_HEIGHT = theme.GRID * 14


class SchemePreview(QWidget):
    """Shows one track of a scheme; the label that is chosen in it decides which fields are seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scheme: Scheme | None = None
        self._track = ""
        self._label = ""
        self.panel: TrackPanel | None = None
        self.lanes = TimelineView()
        self.lanes.setAccessibleName(tr("Preview of the lane"))
        self.lanes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.lanes.setFixedHeight(theme.scaled(_LANES_HEIGHT))
        self.lanes.set_editable(False)
        self._column = make_column(margin=(0, 0, theme.GRID, 0))
        area = make_scroll_area(make_panel(self._column), frame=True)
        title = PlainLabel(tr("As annotators see it"), font=theme.font(semibold=True))
        self.setLayout(make_column(title, self.lanes, area, 1))
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.redraw)

    def show_track(self, scheme: Scheme, track: str, label: str = "") -> None:
        """Show a track soon; `label` is chosen in it, or the one that was."""
        self._scheme, self._track, self._label = scheme, track, label or self._label
        self._pause.start()

    def redraw(self) -> None:
        """Show the track now."""
        scheme = self._scheme
        if scheme is None:
            return
        self._pause.stop()
        if self.panel is not None:
            self._column.removeWidget(self.panel)
            self.panel.hide()
            self.panel.deleteLater()
        track = scheme.track_or_empty(self._track)
        self.panel = TrackPanel(scheme, self._track)
        self.panel.labels.label_chosen.connect(self._choose)
        self._column.addWidget(self.panel, 1)
        if track.label(self._label) is None and track.labels:
            self._label = track.labels[0].key
        self._choose(self._label)
        self._draw_lane(scheme, track)

    def _choose(self, label: str) -> None:
        self._label = label
        if self.panel is not None:
            self.panel.labels.set_label(label)
            self.panel.form.set_label(label)

    def _draw_lane(self, scheme: Scheme, track: Track) -> None:
        key = lane_key("", scheme.key, track.key)
        self.lanes.set_recording(max(1, len(track.labels)) * (_BAR_US + _GAP_US))
        self.lanes.set_lanes(
            [Lane(key, track.name, looks=label_looks(track), subtitle=scheme.name, points=track.holds_points)]
        )
        length_us = 0 if track.holds_points else _BAR_US
        self.lanes.set_segments(
            Segment(str(place), "", "", label.key, start, start + length_us, scheme.key, track.key)
            for place, label in enumerate(track.labels)
            for start in (place * (_BAR_US + _GAP_US) + _GAP_US // 2,)
        )
