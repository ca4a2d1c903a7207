"""Turns the window's actions and the timeline's drags into edits of segments, and accepts or rejects pre-labels.

Every change goes through a command.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu

from annotate.cues import prelabels
from annotate.cues.prelabels import Prelabel, open_prelabels
from annotate.segments import segment_copies, segment_edits
from annotate.segments.segment_copies import SegmentCopy
from app.gui.player.playback import Playback
from app.gui.player.player import USUAL_FRAME_US, Player
from app.gui.study.dialogs import Rows, changed_message, deleted_message, format_row_count
from app.gui.study.study_controller import ActiveTrack, StudyController
from project.entities.study_records import Changes, Json, Segment
from project.errors import UserError
from project.queries.segment_rows import find_segment
from project.schemes.scheme import Extent
from project.session.session import Session
from project.timebase import FrameTimes
from resources.translation import tr


def nudge_span(start_us: int, end_us: int, frames: int, edge: str, times: FrameTimes | None) -> tuple[int, int]:
    """Return the new start and end.

    Args:
        start_us: of the span.
        end_us: of the span.
        frames: how many, backwards where negative.
        edge: what moves: `start`, `end` or `both`; a point moves whole.
        times: of the recording's frames, where known.
    """
    if start_us == end_us:
        edge = "both"
    if times is None:
        start, end = start_us + frames * USUAL_FRAME_US, end_us + frames * USUAL_FRAME_US
    else:
        start = times.step(start_us, frames)
        end = times.step(end_us, frames) if edge == "end" else end_us + (start - start_us)
    return (start_us if edge == "end" else start), (end_us if edge == "start" else end)


class PrelabelDeciding(QObject):
    """Decides on suggestions of a model."""

    def __init__(self, studio: StudyController, playback: Playback, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._playback = playback

    def accept(self) -> None:
        """Make the selected pre-labels cues of one's own, and select the next one."""
        self._decide(self._selected(), accepted=True)

    def reject(self) -> None:
        """Say that the selected pre-labels are wrong, and select the next one."""
        self._decide(self._selected(), accepted=False)

    def same_kind(self, segment_id: str) -> list[Prelabel]:
        """Return the open pre-labels of this recording of the kind of one of them; none for another segment."""
        waiting = self._open_prelabels()
        segment = next((prelabel.segment for prelabel in waiting if prelabel.segment.id == segment_id), None)
        if segment is None:
            return []
        return [
            prelabel
            for prelabel in waiting
            if (prelabel.segment.track, prelabel.segment.label) == (segment.track, segment.label)
        ]

    def show_menu(self, where: QPoint, owner: QMenu, segment_id: str) -> None:
        """Offer what can be decided about a pre-label and its like, at a point of the screen."""
        session = self._studio.session
        alike = self.same_kind(segment_id)
        if session is None or not alike:
            return
        scheme = session.schemes.find(alike[0].segment.scheme)
        label = None if scheme is None else scheme.track_or_empty(alike[0].segment.track).label(alike[0].segment.label)
        name = alike[0].segment.label if label is None else label.name
        owner.addAction("Accept\tF9", self.accept)
        owner.addAction("Reject\tShift+F9", self.reject)
        owner.addSeparator()
        owner.addAction(
            tr("Accept all {alike} “{name}”").format(alike=len(alike), name=name),
            lambda: self._decide(alike, accepted=True),
        )
        owner.addAction(
            tr("Reject all {alike} “{name}”").format(alike=len(alike), name=name),
            lambda: self._decide(alike, accepted=False),
        )
        for action in owner.actions():
            action.setEnabled(self._studio.writable)
        owner.popup(where)

    def _open_prelabels(self) -> list[Prelabel]:
        session, recording = self._studio.session, self._studio.recording
        return [] if session is None or recording is None else open_prelabels(session, recording.id)

    def _selected(self) -> list[Prelabel]:
        chosen = set(self._studio.selected)
        found = [prelabel for prelabel in self._open_prelabels() if prelabel.segment.id in chosen]
        if not found:
            self._studio.failed.emit(
                UserError(tr("No pre-label is selected."), tr("Click a pre-label in the lane Pre-labels."))
            )
        return found

    def _decide(self, which: Sequence[Prelabel], *, accepted: bool) -> None:
        ids = [prelabel.segment.id for prelabel in which]
        if not ids:
            return

        def do(session: Session) -> Changes:
            return prelabels.accept_prelabels(session, ids)[1] if accepted else prelabels.reject_prelabels(session, ids)

        if self._studio.edit(do):
            word = tr("Accepted") if accepted else tr("Rejected")
            text = (
                tr("{word} {rows}. Undo brings it back.")
                if len(ids) == 1
                else tr("{word} {rows}. Undo brings them back.")
            )
            self._studio.message.emit(text.format(word=word, rows=format_row_count(Rows.PRELABELS, len(ids))))
            last = max(prelabel.segment.start_us for prelabel in which)
            rest = self._open_prelabels()
            after = next(
                (prelabel for prelabel in rest if prelabel.segment.start_us >= last), rest[0] if rest else None
            )
            self._studio.select([] if after is None else [after.segment.id])
            if after is not None:
                self._playback.jump(after.segment.start_us)


_MARK_HINT = tr("Mark a start (I) and an end (O) at the playhead, or drag in your lane of the timeline.")
_SAMPLING_HINT = tr("Take them with Edit, Time sampling (Shift+T).")


class SegmentEditing(QObject):
    """Edits segments of the recording that is shown. New ones go to the active track.

    Signals:
        label_requested: the marked span becomes a segment, and nobody said of which label.
    """

    label_requested = Signal()

    def __init__(
        self, studio: StudyController, player: Player, active: ActiveTrack, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._active = active
        self._copies: tuple[SegmentCopy, ...] = ()

    def mark_in(self) -> None:
        """Mark the frame on screen as the start of the next segment."""
        at = self._player.frame_time_us(self._player.position_us)
        out = self._studio.mark_out
        self._studio.select(())
        self._studio.set_marks(at, out if out is not None and out > at else None)

    def mark_out(self) -> None:
        """Mark the frame on screen as the end of the next segment."""
        at = self.end_at_playhead()
        start = self._studio.mark_in
        self._studio.select(())
        self._studio.set_marks(start if start is not None and start < at else None, at)

    def mark_span(self, track: tuple[str, str] | None, start_us: int, end_us: int) -> None:
        """Mark a span that was drawn on a track, keys of scheme and track, and make a segment of it."""
        if track is not None:
            self._active.select_track("/".join(track))
        self._studio.select(())
        self._studio.set_marks(start_us, end_us)
        self.create_from_marks()

    def create_from_marks(self, label: str | None = None) -> None:
        """Make a segment from the two marks; where the track allows it and there are none, of the whole recording.

        On a track of points, it is a point at the playhead, or where one was drawn. Without a label, it gets the active
        one, or people are asked for one. A label that nothing is marked for becomes the active one.
        """
        start, end = self._studio.mark_in, self._studio.mark_out
        track, recording = self._active.track, self._studio.recording
        unmarked = start is None and end is None
        if track is not None and track.sampling is not None:
            self._studio.failed.emit(UserError(tr("{name} are samples.").format(name=track.name), _SAMPLING_HINT))
            return
        if track is not None and track.holds_points:
            if start is None or start != end:
                start = end = self._player.frame_time_us(self._player.position_us)
        elif unmarked and recording is not None and track is not None and track.extent is not Extent.SPAN:
            start, end = 0, recording.duration_us
        if unmarked and start is None and label is not None:
            self._active.toggle_label(label)
            return
        if start is None or end is None:
            self._studio.failed.emit(UserError(tr("No start and end are marked."), _MARK_HINT))
            return
        if label is None and self._active.label is not None:
            label = self._active.label.key
        if label is None:
            self._studio.set_marks(start, end)
            self.label_requested.emit()
        elif self.create(start, end, label):
            self._studio.set_marks(None, None)

    def create(self, start_us: int, end_us: int, label: str) -> bool:
        """Make a segment of the active track and select it; `label` is the key of a label of the track."""
        recording, place = self._studio.recording, self._active.key_pair
        if recording is None or place is None:
            return False
        made: list[str] = []
        scheme, lane = place

        def do(session: Session) -> Changes:
            made_id, changes = segment_edits.add_segment(
                session, recording.id, start_us, end_us, label, scheme=scheme, track=lane
            )
            made.append(made_id)
            return changes

        if not self._studio.edit(do):
            return False
        # While it plays, a point that stays selected would only flash by in the form.
        self._studio.select(() if start_us == end_us and self._player.playing else made)
        return True

    def press_label_key(self, ids: Sequence[str], label: str) -> None:
        """Change the label of segments; where a point is selected and the playhead is elsewhere, make a new one there.

        So points are marked one after the other by their labels' keys alone.
        """
        chosen = self._segments(ids)
        now = self._player.frame_time_us(self._player.position_us)
        away = len(chosen) == 1 and chosen[0].is_point and self._player.frame_time_us(chosen[0].start_us) != now
        if away and not self._is_sample(chosen[0]):
            self._active.select_track(f"{chosen[0].scheme}/{chosen[0].track}")
            self._studio.set_marks(None, None)
            self.create_from_marks(label)
        elif any(segment.label != label for segment in chosen):
            self.set_label(ids, label)

    def _is_sample(self, segment: Segment) -> bool:
        scheme = self._studio.session.schemes.find(segment.scheme) if self._studio.session is not None else None
        return scheme is not None and scheme.track_or_empty(segment.track).sampling is not None

    def set_label(self, ids: Sequence[str], label: str) -> None:
        """Change the label of segments."""
        if self._studio.edit(lambda session: segment_edits.set_label(session, ids, label)) and len(ids) > 1:
            recordings = len({segment.recording_id for segment in self._segments(ids)})
            self._studio.message.emit(changed_message(Rows.SEGMENTS, len(ids), recordings))

    def set_field(self, segment_id: str, field: str, value: Json) -> None:
        """Fill in a field of the form; typing in one go is one step."""
        key = (
            tr("field {segment_id} {field}").format(segment_id=segment_id, field=field)
            if isinstance(value, str)
            else None
        )
        self._studio.edit(lambda session: segment_edits.set_field(session, segment_id, field, value, key), self)

    def delete_kept_value(self, segment_id: str, field: str, version: int) -> None:
        """Delete a value that the form has no place for; undo brings it back."""
        self._studio.edit(lambda session: segment_edits.delete_kept_value(session, segment_id, field, version))

    def move(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give segments new starts and ends."""
        self._studio.edit(lambda session: segment_edits.move_segments(session, spans, merge_key))

    def trim(self, edge: str) -> None:
        """Move the start or the end of the selected segment to the frame on screen."""
        chosen = self._one_selected()
        if chosen is None:
            return
        at = self._player.frame_time_us(self._player.position_us)
        if chosen.is_point:
            self.move([(chosen.id, at, at)])
        elif edge == "start":
            self.move([(chosen.id, at, chosen.end_us)])
        else:
            self.move([(chosen.id, chosen.start_us, self.end_at_playhead())])

    def nudge(self, ids: Sequence[str], frames: int, edge: str = "both") -> None:
        """Move segments, or one edge of them, by frames; a key held down is one step."""
        recording, times = self._studio.recording, self._player.times
        found = self._segments(ids)
        if recording is None or not found:
            return
        spans = []
        for segment in found:
            start, end = nudge_span(segment.start_us, segment.end_us, frames, edge, times)
            if start < 0 or end > recording.duration_us:
                return
            spans.append((segment.id, start, end))
        self.move(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def split(self, segment_id: str | None = None, at_us: int | None = None) -> None:
        """Cut a segment at the playhead, by default the selected one, and select its second half."""
        chosen = self._find(segment_id) if segment_id else self._one_selected()
        if chosen is None:
            return
        at = self._player.position_us if at_us is None else at_us
        made: list[str] = []

        def do(session: Session) -> Changes:
            second, changes = segment_edits.split_segment(session, chosen.id, at)
            made.append(second)
            return changes

        if self._studio.edit(do):
            self._studio.select(made)

    def copy(self) -> None:
        """Copy the selected segments with what is filled in about them."""
        session = self._studio.session
        if session is None:
            return
        try:
            self._copies = segment_copies.copy_segments(session, self._studio.selected)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        text = tr("Copied {rows}. Paste puts them at the playhead.")
        if len(self._copies) == 1:
            text = tr("Copied {rows}. Paste puts it at the playhead.")
        self._studio.message.emit(text.format(rows=format_row_count(Rows.SEGMENTS, len(self._copies))))

    def paste(self) -> None:
        """Insert the copied segments at the playhead, with the distances between them, and select them."""
        at = self._player.frame_time_us(self._player.position_us)
        copies, recording = self._copies, self._studio.recording
        if recording is not None:
            self._insert(lambda session: segment_copies.paste_segments(session, recording.id, copies, at))

    def duplicate(self) -> None:
        """Insert the selected segments again behind the last one, points from the next frame on; select them."""
        ids = self._studio.selected
        chosen = self._segments(ids)
        at = max((segment.end_us for segment in chosen), default=0)
        if all(segment.is_point for segment in chosen):
            at, _ = nudge_span(at, at, 1, "both", self._player.times)
        self._insert(lambda session: segment_copies.duplicate_segments(session, ids, at))

    def _insert(self, how: Callable[[Session], tuple[list[str], Changes]]) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            ids, changes = how(session)
            made.extend(ids)
            return changes

        if self._studio.edit(do):
            self._studio.select(made)

    def merge(self) -> None:
        """Make a single segment of the selected neighbours, and select it."""
        ids, merged = self._studio.selected, list[str]()
        differing: list[str] = []

        def do(session: Session) -> Changes:
            merged_id, fields, changes = segment_copies.merge_segments(session, ids)
            merged.append(merged_id)
            differing.extend(fields)
            return changes

        if self._studio.edit(do):
            self._studio.select(merged)
            text = tr("Merged {rows}.").format(rows=format_row_count(Rows.SEGMENTS, len(ids)))
            if differing:
                kept = tr("The first one's values were kept; the others differed in {fields}.")
                text = f"{text} {kept.format(fields=', '.join(differing))}"
            self._studio.message.emit(text)

    def delete(self, ids: Sequence[str] | None = None) -> None:
        """Delete segments, by default the selected ones; undo brings them back."""
        gone = tuple(self._studio.selected if ids is None else ids)
        recordings = len({segment.recording_id for segment in self._segments(gone)})
        if gone and self._studio.edit(lambda s: segment_edits.delete_segments(s, gone)):
            self._studio.message.emit(deleted_message(Rows.SEGMENTS, len(gone), recordings))

    def end_at_playhead(self) -> int:
        """Return where a segment ends that ends at the frame on screen: after the last frame, the recording's end."""
        at = self._player.frame_time_us(self._player.position_us)
        times = self._player.times
        last = times is not None and at >= times.time_of(len(times) - 1)
        return min(times.end_us, self._player.duration_us) if times is not None and last else at

    def _one_selected(self) -> Segment | None:
        if len(self._studio.selected) != 1:
            self._studio.failed.emit(
                UserError(tr("This action needs exactly one segment."), tr("Select one segment on the timeline."))
            )
            return None
        return self._find(self._studio.selected[0])

    def _find(self, segment_id: str) -> Segment | None:
        session = self._studio.session
        return find_segment(session.study, segment_id) if session else None

    def _segments(self, ids: Sequence[str]) -> list[Segment]:
        return [found for segment_id in ids if (found := self._find(segment_id)) is not None]
