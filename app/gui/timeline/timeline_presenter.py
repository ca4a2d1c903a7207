"""Keeps the timeline and the range slider in step with the study.

After an edit, only the segments that it touched are read again.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from PySide6.QtCore import QObject

from annotate.cues.prelabels import SUGGESTED_SCHEMES, decided_prelabels, is_decided, prelabel_annotators
from app.gui.player.player import Player
from app.gui.study.study_controller import ActiveTrack, StudyController
from app.gui.timeline.segment_editing import SegmentEditing
from app.gui.timeline.transcript_lanes import SPEECH_LANE, SpokenLanes
from project.entities.study_records import Annotator, Changes, Segment
from project.queries.annotator_rows import all_annotators
from project.queries.segment_rows import segments_of, table_segments
from project.schemes.scheme import Pattern
from project.session.session import Session
from project.timebase import FrameTimes
from resources.translation import tr
from widgets.labels import label_looks, unknown_look
from widgets.timeline.lanes import Lane, LaneKind, NodeBar, bar_kind, lane_key, lane_key_of
from widgets.timeline.range_slider import RangeSlider
from widgets.timeline.timeline_view import TimelineView


class RangeSliderController(QObject):
    """Keeps the slider, the timeline's marks and the selection in step, and shows the frame under a dragged edge."""

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        slider: RangeSlider,
        timeline: TimelineView,
        editing: SegmentEditing,
        active: ActiveTrack,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._active = active
        self._slider = slider
        self._timeline = timeline
        self._editing = editing
        studio.marks_changed.connect(self.show_span)
        studio.selection_changed.connect(self.show_span)
        studio.recording_changed.connect(self._show_recording)
        timeline.view_changed.connect(slider.set_span)
        player.opened.connect(self._show_frames)
        player.position_changed.connect(slider.set_playhead)
        slider.range_changing.connect(self._preview)
        slider.range_drawn.connect(self._on_drawn)
        slider.drag_ended.connect(player.end_preview)
        timeline.segments_moving.connect(self._preview_edge)
        slider.range_changed.connect(self._on_moved)

    def show_span(self) -> None:
        """Show the span of the one selected segment, else the marks."""
        self._timeline.set_marks(self._studio.mark_in, self._studio.mark_out)
        track = self._active.track
        self._slider.set_points(track is not None and track.holds_points)
        chosen = self._timeline.model.segment(self._studio.selected[0]) if len(self._studio.selected) == 1 else None
        if chosen is not None:
            lane = self._timeline.model.lane(lane_key_of(chosen))
            look = unknown_look(chosen.label) if lane is None else lane.look(chosen.label)
            self._slider.set_range(chosen.start_us, chosen.end_us, look)
            self._slider.set_editable(lane is not None and not lane.fixed and self._timeline.can_edit(lane))
        else:
            self._slider.set_range(self._studio.mark_in, self._studio.mark_out)
            self._slider.set_editable(self._studio.writable)

    def _show_recording(self) -> None:
        recording = self._studio.recording
        self._slider.set_frames(None)
        self._slider.set_span(0, recording.duration_us if recording else 0)
        self.show_span()

    def _show_frames(self, times: FrameTimes) -> None:
        self._slider.set_frames(times)

    def _preview(self, _start_us: int, _end_us: int) -> None:
        if self._slider.dragging:
            self._player.preview(self._slider.edge_us)
        elif not self._player.playing:
            self._player.seek(self._slider.edge_us)

    def _preview_edge(self, placed: Sequence[object]) -> None:
        """Show the frame under an edge that is dragged in a lane; the playhead's comes back at the end."""
        gesture = self._timeline.gesture
        if placed and gesture is not None:
            self._player.preview(gesture.edge_us)
        else:
            self._player.end_preview()

    def _on_drawn(self, start_us: int, end_us: int) -> None:
        self._studio.select(())
        self._studio.set_marks(start_us, end_us)
        self.show_span()
        self._studio.message.emit(tr("Marked. A label's key gives it a label; Return takes the active one, or asks."))

    def _on_moved(self, start_us: int, end_us: int) -> None:
        if len(self._studio.selected) == 1:
            self._editing.move([(self._studio.selected[0], start_us, end_us)], f"slider {self._studio.selected[0]}")
            self.show_span()
        else:
            self._studio.set_marks(start_us, end_us)


WAVEFORM = "waveform"
FACES = "faces"
OWN = "own"
"""Key of the lane of a person who has made no segment yet and so is not in the study."""


_MAX_LISTED = 200
"""Segments of which each is read; of more, those of the recording that is shown."""


class CameOrWent(IntEnum):
    """Whether an edit added or removed segments, and where."""

    NO = 0
    HERE = 1
    ELSEWHERE = 2


class TimelineFeed(QObject):
    """Fills lanes and segments: a lane for each annotator and track with segments, and one for new segments."""

    def __init__(
        self, studio: StudyController, timeline: TimelineView, active: ActiveTrack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._timeline = timeline
        self._active = active
        self._places: dict[str, _LaneOwner] = {}
        self._has_faces = False
        self._strip: Lane | None = None
        self._certainty: Lane | None = None
        self._samples: Lane | None = None
        self._judges: tuple[Lane, ...] = ()
        self._chain: Lane | None = None
        self._nodes: dict[str, NodeBar] = {}
        self.own_id: str | None = None
        studio.recording_changed.connect(self.reload)
        self._spoken = SpokenLanes()
        studio.selection_changed.connect(self._show_selection)
        studio.utterances_selected.connect(self._show_selection)
        studio.nodes_selected.connect(self._show_selection)
        active.changed.connect(self.reload_lanes)
        active.label_changed.connect(self.reload_lanes)
        timeline.selection_changed.connect(self._select)

    def reload(self) -> None:
        """Show the recording again."""
        recording, session = self._studio.recording, self._studio.session
        if recording is None or session is None:
            self._timeline.set_recording(0)
            self._timeline.set_lanes(())
            return
        self._timeline.set_recording(recording.duration_us)
        done = decided_prelabels(session, recording.id)
        segments = [segment for segment in segments_of(session.study, recording.id) if segment.id not in done]
        spoken = self._spoken.read(session, recording.id)
        self._places.clear()
        self._nodes.clear()
        self._set_lanes(segments)
        self._timeline.set_segments([*segments, *spoken])
        self._timeline.set_spans(SPEECH_LANE, self._spoken.speech_spans)
        self._timeline.set_editable(self._studio.writable)

    def reload_lanes(self) -> None:
        """Show whose lane may be edited, after the annotator changed."""
        self._set_lanes(None)

    def set_has_faces(self, has: bool) -> None:
        """Show or leave out the lane that says where faces are."""
        if has != self._has_faces:
            self._has_faces = has
            self._set_lanes(None)

    def set_strip(self, lane: Lane | None) -> None:
        """Show a lane of spans above all others, or none."""
        if lane != self._strip:
            self._strip = lane
            self._set_lanes(None)

    def set_samples(self, lane: Lane | None) -> None:
        """Show a lane of samples above those of segments, or none."""
        if lane != self._samples:
            self._samples = lane
            self._set_lanes(None)

    def set_judges(self, lanes: Iterable[Lane]) -> None:
        """Show lanes of what judges say under those of people, or none."""
        wanted = tuple(lanes)
        if wanted != self._judges:
            self._judges = wanted
            self._set_lanes(None)

    def set_chain(self, lane: Lane | None, nodes: Iterable[NodeBar] = ()) -> None:
        """Show the lane of a chain's nodes, or none; only what differs from before is drawn again."""
        now = {node.id: node for node in nodes}
        before, self._nodes = self._nodes, now
        self._chain = lane
        changed = [node_bar for key, node_bar in now.items() if before.get(key) != node_bar]
        gone = before.keys() - now.keys()
        if changed or gone:
            self._timeline.update_segments(changed, gone)
        self._set_lanes(None)
        self._show_selection()

    def set_certainty(self, lane: Lane | None) -> None:
        """Show a lane of how sure it is that faces are hidden under all others, or none."""
        if lane != self._certainty:
            self._certainty = lane
            self._set_lanes(None)

    def _read_touched(self, session: Session, touched: Collection[str]) -> dict[str, Segment]:
        """Return those of some segments that are in the recording that is shown, and of few also the others."""
        recording = self._studio.recording
        if len(touched) <= _MAX_LISTED or recording is None:
            return (
                {table_segment.id: table_segment for table_segment in table_segments(session.study, [*touched])}
                if touched
                else {}
            )
        return {segment.id: segment for segment in segments_of(session.study, recording.id) if segment.id in touched}

    def apply(self, changes: Changes) -> CameOrWent:
        """Read what an edit touched; returns whether segments came or went."""
        recording, session = self._studio.recording, self._studio.session
        if session is None:
            return CameOrWent.NO
        changed: list[Segment] = []
        removed: list[str] = []
        came_or_went = CameOrWent.NO
        touched = changes.ids("segment") | changes.ids("review")
        found = self._read_touched(session, touched)
        for segment_id in touched:
            before, now = self._timeline.model.segment(segment_id), found.get(segment_id)
            here = now is not None and recording is not None and now.recording_id == recording.id
            here = here and now is not None and not is_decided(session, now)
            if now is not None and here:
                changed.append(now)
            else:
                removed.append(segment_id)
            if before is None or not here:
                place = CameOrWent.HERE if here or before is not None else CameOrWent.ELSEWHERE
                came_or_went = max(came_or_went, place)
        if came_or_went or changes.ids("annotator"):
            self._note_lanes(changed)
        if changed or removed:
            self._timeline.update_segments(changed, removed)
        spoken = self._apply_utterances(session, changes)
        if came_or_went or spoken or changes.ids("annotator"):
            self._set_lanes(None)
        return came_or_went

    def _apply_utterances(self, session: Session, changes: Changes) -> bool:
        """Show what changed about the transcript; returns whether the lanes may have."""
        recording = self._studio.recording
        if recording is None:
            return False
        if changes.ids("utterance"):
            self._timeline.update_segments(*self._spoken.apply(session, recording.id, changes))
        if changes.ids("run") or changes.ids("medium"):
            self._timeline.update_segments(self._spoken.read(session, recording.id))
            self._timeline.set_spans(SPEECH_LANE, self._spoken.speech_spans)
        return any(changes.ids(table) for table in ("utterance", "participant", "appearance", "run", "medium"))

    def segment_counts(self) -> dict[str, int]:
        """Return annotator id -> number of segments in the recording that is shown."""
        found: dict[str, int] = {}
        for key, place in self._places.items():
            count = len(self._timeline.model.track(key))
            if count:
                found[place.annotator_id] = found.get(place.annotator_id, 0) + count
        return found

    def track_of_lane(self, lane: str) -> tuple[str, str] | None:
        """Return the keys of scheme and track of a lane, or None for one that holds no segments."""
        place = self._places.get(lane)
        return None if place is None else (place.scheme, place.track)

    def select_editable(self) -> None:
        """Select every segment that may be edited here."""
        model = self._timeline.model
        own = [lane for lane in model.lanes if lane.editable and lane.kind is LaneKind.SEGMENTS]
        self._timeline.choose([item.id for lane in own for item in model.track(lane.key).items])

    def _note_lanes(self, segments: Iterable[Segment]) -> None:
        for segment in segments:
            place = _LaneOwner(segment.annotator_id, segment.scheme, segment.track)
            self._places[place.key] = place

    def _set_lanes(self, segments: Iterable[Segment] | None) -> None:
        session = self._studio.session
        if session is None or self._studio.recording is None:
            return
        self._note_lanes(segments or ())
        people = all_annotators(session.study)
        own = next((a for a in people if a.name == session.annotator_name), None)
        self.own_id = own.id if own else None
        filled = self._places.values() if segments is not None else [
            place for place in self._places.values() if len(self._timeline.model.track(place.key))
        ]  # fmt: skip
        shown = set(filled)
        if self._active.key_pair is not None:
            active = _LaneOwner(self.own_id or OWN, *self._active.key_pair)
            shown.add(active)
            self._places[active.key] = active
        medium = session.main_medium(self._studio.recording.id)
        lanes = [] if self._strip is None else [self._strip]
        lanes += [Lane(WAVEFORM, tr("Sound"), LaneKind.WAVEFORM)] if medium and medium.facts.audio else []
        lanes += [] if self._samples is None else [self._samples]
        made = self._segment_lanes(session, people, shown)
        lanes += [lane for lane in made if not lane.pale]
        lanes += self._judges
        lanes += self._spoken.lanes(session, self._studio.recording.id, self._studio.writable)
        lanes += [] if self._chain is None else [self._chain]
        lanes += [lane for lane in made if lane.pale]
        if self._has_faces:
            lanes.append(Lane(FACES, tr("Faces"), LaneKind.SPANS))
        if self._certainty is not None:
            lanes.append(self._certainty)
        if tuple(lanes) != self._timeline.model.lanes:
            self._timeline.set_lanes(lanes)

    def _segment_lanes(
        self, session: Session, people: Sequence[Annotator], shown: Iterable["_LaneOwner"]
    ) -> list[Lane]:
        """Return the lanes of segments: one's own first, then the others', each in the order of the schemes."""
        own = self.own_id or OWN
        names = {a.id: a.name for a in people} | {own: session.annotator_name or tr("You")}
        models = prelabel_annotators(session.study)
        order = {own: -1} | {a.id: n for n, a in enumerate(people) if a.id != own}
        tracks = [(scheme.key, track.key) for scheme in session.schemes for track in scheme.tracks]

        def rank(place: _LaneOwner) -> tuple[int, int, str, str]:
            kind = (place.scheme, place.track)
            at = tracks.index(kind) if kind in tracks else len(tracks)
            return order.get(place.annotator_id, len(order)), at, *kind

        placed = sorted(shown, key=rank)
        several = len({(place.scheme, place.track) for place in placed} | {*tracks}) > 1
        lanes = []
        for place in placed:
            scheme = session.schemes.find(place.scheme)
            track = None if scheme is None else scheme.track_or_empty(place.track)
            faded = not session.schemes.is_in_use(place.scheme)
            mine = place.annotator_id == own
            pale = place.annotator_id in models and place.scheme in SUGGESTED_SCHEMES
            looks = () if track is None else label_looks(track)
            label = None
            if track is not None and mine and not faded and track.sampling is None and len(track.offered_labels) > 1:
                label = self._active.label_of(f"{place.scheme}/{place.track}", track)
            lanes.append(
                Lane(
                    place.key,
                    names.get(place.annotator_id, ""),
                    editable=mine and not faded,
                    looks=tuple(replace(look, pattern=Pattern.DOTS) for look in looks) if pale else looks,
                    subtitle="" if not several else place.track if track is None else track.name,
                    active=several and mine and self._active.key_pair == (place.scheme, place.track),
                    faded=faded,
                    pale=pale,
                    points=track is not None and track.holds_points,
                    fixed=track is not None and track.sampling is not None,
                    active_look=next((look for look in looks if label is not None and look.key == label.key), None),
                )
            )
        return lanes

    def _show_selection(self) -> None:
        chosen = [*self._studio.selected, *self._studio.selected_utterances, *self._studio.selected_nodes]
        if set(self._timeline.selection()) != set(chosen):
            self._timeline.set_selection(chosen)

    def _select(self, ids: Sequence[str]) -> None:
        model = self._timeline.model
        kinds = {bar_id: bar_kind(model.segment(bar_id)) for bar_id in ids}
        self._studio.select(bar_id for bar_id in ids if kinds[bar_id] is LaneKind.SEGMENTS)
        self._studio.select_utterances(bar_id for bar_id in ids if kinds[bar_id] is LaneKind.UTTERANCES)
        self._studio.select_nodes(bar_id for bar_id in ids if kinds[bar_id] is LaneKind.NODES)


@dataclass(frozen=True, slots=True)
class _LaneOwner:
    """Whose segments of which track a lane shows."""

    annotator_id: str
    scheme: str
    track: str

    @property
    def key(self) -> str:
        return lane_key(self.annotator_id, self.scheme, self.track)
