"""What the window's actions and the timeline's drags do to segments; every change goes through a command."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.core.commands import segments as commands
from app.core.session import Session
from app.gui.active_track import ActiveTrack
from app.gui.edit_text import Rows, tell_changed, tell_deleted
from app.gui.nudging import nudged
from app.gui.player import Player
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.segments import segment
from project.schemes.scheme import Extent
from project.types import Changes, Json, Segment
from resources.translation import tr

_HOW_TO_MARK = tr("Mark a start (I) and an end (O) at the playhead, or drag in your lane of the timeline.")


class SegmentEditing(QObject):
    """Edits segments of the recording that is shown. New ones go to the active track."""

    def __init__(self, studio: Studio, player: Player, active: ActiveTrack, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._active = active
        self._last: dict[tuple[str, str], str] = {}

    def mark_in(self) -> None:
        """Mark the frame on screen as the start of the next segment."""
        at = self._player.exact_us(self._player.position_us)
        out = self._studio.mark_out
        self._studio.select(())
        self._studio.set_marks(at, out if out is not None and out > at else None)

    def mark_out(self) -> None:
        """Mark the frame on screen as the end of the next segment."""
        at = self.end_here()
        start = self._studio.mark_in
        self._studio.select(())
        self._studio.set_marks(start if start is not None and start < at else None, at)

    def from_marks(self, label: str | None = None) -> None:
        """Make a segment from the two marks; where the track allows it and there are none, of the whole recording."""
        start, end = self._studio.mark_in, self._studio.mark_out
        track, recording = self._active.track, self._studio.recording
        unmarked = start is None and end is None
        if unmarked and recording is not None and track is not None and track.extent is not Extent.SPAN:
            start, end = 0, recording.duration_us
        if start is None or end is None:
            self._studio.failed.emit(UserError(tr("No start and end are marked."), _HOW_TO_MARK))
            return
        if self.create(start, end, label):
            self._studio.set_marks(None, None)

    def create(
        self, start_us: int, end_us: int, label: str | None = None, place: tuple[str, str] | None = None
    ) -> bool:
        """Make a segment and select it; without a label, it gets the one used last on its track.

        Args:
            start_us: of the segment.
            end_us: of the segment.
            label: key of a label of the track.
            place: keys of scheme and track; they become the active ones.
        """
        if place is not None:
            self._active.choose("/".join(place))
        recording, place, track = self._studio.recording, self._active.place, self._active.track
        if recording is None or place is None or track is None:
            return False
        made: list[str] = []
        scheme, lane = place
        usual = self._last.get(place, "")
        chosen = label or (usual if track.label(usual) else track.labels[0].key)

        def do(session: Session) -> Changes:
            made_id, changes = commands.add_segment(
                session, recording.id, start_us, end_us, chosen, scheme=scheme, track=lane
            )
            made.append(made_id)
            return changes

        if not self._studio.edit(do):
            return False
        self._last[place] = chosen
        self._studio.select(made)
        return True

    def set_label(self, ids: Sequence[str], label: str) -> None:
        """Change the label of segments."""
        if self._studio.edit(lambda session: commands.set_label(session, ids, label)):
            changed = self._segments(ids)
            self._last |= {(one.scheme, one.track): label for one in changed}
            if len(ids) > 1:
                recordings = len({one.recording_id for one in changed})
                self._studio.told.emit(tell_changed(Rows.SEGMENTS, len(ids), recordings))

    def set_field(self, segment_id: str, field: str, value: Json) -> None:
        """Fill in a field of the form; typing in one go is one step."""
        key = (
            tr("field {segment_id} {field}").format(segment_id=segment_id, field=field)
            if isinstance(value, str)
            else None
        )
        self._studio.edit(lambda session: commands.set_field(session, segment_id, field, value, key), self)

    def delete_kept(self, segment_id: str, field: str, version: int) -> None:
        """Delete a value that the form has no place for; undo brings it back."""
        self._studio.edit(lambda session: commands.delete_kept_value(session, segment_id, field, version))

    def move(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give segments new starts and ends."""
        self._studio.edit(lambda session: commands.move_segments(session, spans, merge_key))

    def trim(self, edge: str) -> None:
        """Move the start or the end of the selected segment to the frame on screen."""
        chosen = self._one_selected()
        if chosen is None:
            return
        if edge == "start":
            self.move([(chosen.id, self._player.exact_us(self._player.position_us), chosen.end_us)])
        else:
            self.move([(chosen.id, chosen.start_us, self.end_here())])

    def nudge(self, ids: Sequence[str], frames: int, edge: str = "both") -> None:
        """Move segments, or one edge of them, by frames; a key held down is one step."""
        recording, times = self._studio.recording, self._player.times
        found = self._segments(ids)
        if recording is None or not found:
            return
        spans = []
        for one in found:
            start, end = nudged(one.start_us, one.end_us, frames, edge, times)
            if start < 0 or end > recording.duration_us:
                return
            spans.append((one.id, start, end))
        self.move(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def split(self, segment_id: str | None = None, at_us: int | None = None) -> None:
        """Cut a segment at the playhead, by default the selected one, and select its second half."""
        chosen = self._find(segment_id) if segment_id else self._one_selected()
        if chosen is None:
            return
        at = self._player.position_us if at_us is None else at_us
        made: list[str] = []

        def do(session: Session) -> Changes:
            second, changes = commands.split_segment(session, chosen.id, at)
            made.append(second)
            return changes

        if self._studio.edit(do):
            self._studio.select(made)

    def delete(self, ids: Sequence[str] | None = None) -> None:
        """Delete segments, by default the selected ones; undo brings them back."""
        gone = tuple(self._studio.selected if ids is None else ids)
        recordings = len({one.recording_id for one in self._segments(gone)})
        if gone and self._studio.edit(lambda s: commands.delete_segments(s, gone)):
            self._studio.told.emit(tell_deleted(Rows.SEGMENTS, len(gone), recordings))

    def end_here(self) -> int:
        """Return where a segment ends that ends at the frame on screen: after the last frame, the recording's end."""
        at = self._player.exact_us(self._player.position_us)
        times = self._player.times
        last = times is not None and at >= times.time_of(len(times) - 1)
        return min(times.end_us, self._player.duration_us) if times is not None and last else at

    def _one_selected(self) -> Segment | None:
        if len(self._studio.selected) != 1:
            self._studio.failed.emit(UserError(tr("This works on one segment."), tr("Select one on the timeline.")))
            return None
        return self._find(self._studio.selected[0])

    def _find(self, segment_id: str) -> Segment | None:
        session = self._studio.session
        return segment(session.study, segment_id) if session else None

    def _segments(self, ids: Sequence[str]) -> list[Segment]:
        return [found for one in ids if (found := self._find(one)) is not None]
