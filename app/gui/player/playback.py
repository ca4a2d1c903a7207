"""Joins the player with the picture, the transport bar, the timeline and the range slider.

Draws face boxes and subtitles over the picture.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from app.gui.player.player import Player
from app.gui.study.background import BackgroundPool
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, FaceTrack, Origin, Participant, ParticipantRole, Segment, Utterance
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.queries.recording_rows import all_participants
from project.queries.transcript_rows import find_utterances, utterances_of
from project.session.session import LocatedMedium, MediaState
from project.timebase import FrameTimes
from resources.translation import tr
from widgets.player.camera_grid import ViewsGrid
from widgets.player.player_view import FaceBox, FaceState, PlayerView
from widgets.player.transport_bar import TransportBar
from widgets.timeline.timeline_view import TimelineView

_COVERAGE_GAP_US = 250_000
_NONE_DRAWN: Mapping[str, tuple[str, FaceState | None]] = {}
_MAX_UNFOUND_US = 200_000
"""A box is drawn as guessed only when the face was not found for longer than this: not every frame is searched."""


class FaceOverlay:
    """Answers which boxes lie over the frame on screen at a time.

    Attributes:
        width: of the picture that the boxes were found in, in pixels; 0 when unknown.
    """

    def __init__(self) -> None:
        self.width = 0
        self._tracks: list[tuple[FaceTrack, str, FaceState | None]] = []
        self._found: dict[str, NDArray[np.int64]] = {}
        self._frame_us = 0
        self._selected = ""
        self._doubtful: set[str] = set()

    def set_tracks(
        self,
        tracks: Sequence[FaceTrack],
        people: Mapping[str, Participant],
        frame_us: int,
        drawn: Mapping[str, tuple[str, FaceState | None]] = _NONE_DRAWN,
    ) -> None:
        """Take the tracks.

        Args:
            tracks: the found ones first, which are numbered.
            people: participants by id.
            frame_us: how long a frame is shown.
            drawn: ids of those drawn by hand -> a name, and a state of their own where they are no faces.
        """
        self._frame_us = frame_us
        self._tracks = []
        self._found = {t.id: t.times_us[(t.origins == Origin.DETECTED) | (t.origins == Origin.DRAWN)] for t in tracks}
        # Whom somebody gave a name to is a face.
        self._doubtful = {t.id for t in tracks if t.is_doubtful and t.participant_id is None and not t.dismissed}
        for number, track in enumerate(tracks, 1):
            who = people.get(track.participant_id or "")
            name, fixed = drawn.get(track.id, (tr("Face {number}").format(number=number), None))
            if track.dismissed:
                fixed = FaceState.DISMISSED
            elif who is not None and who.role is ParticipantRole.ROBOT:
                fixed = FaceState.EXEMPT
            self._tracks.append((track, who.pseudonym if who else name, fixed))

    def select(self, track_id: str) -> None:
        """Choose the track whose box is drawn whole."""
        self._selected = track_id

    def boxes(self, time_us: int, picture_width: int) -> list[FaceBox]:
        """Return the boxes at a time, in pixels of a picture of this width; dismissed ones only when chosen."""
        scale = picture_width / self.width if self.width else 1.0
        found = []
        for track, label, fixed in self._tracks:
            if fixed is FaceState.DISMISSED and track.id != self._selected:
                continue
            # Less than a frame: a track's last box must not stand over the frame after it.
            box = track.box_at(time_us, self._frame_us * 3 // 4)
            if box is None:
                continue
            state = fixed or (FaceState.DETECTED if self._is_certain(track, time_us) else FaceState.INTERPOLATED)
            x, y, width, height = (float(side) * scale for side in box)
            doubtful = track.id in self._doubtful
            words = tr("{label}, doubtful").format(label=label) if doubtful else label
            chosen = track.id == self._selected
            found.append(FaceBox(track.id, words, x, y, width, height, state, chosen, doubtful))
        return found

    def _is_certain(self, track: FaceTrack, time_us: int) -> bool:
        found = self._found[track.id]
        at = int(np.searchsorted(found, time_us))
        return any(abs(int(found_us) - time_us) <= _MAX_UNFOUND_US for found_us in found[max(0, at - 1) : at + 1])

    def coverage(self) -> NDArray[np.int64]:
        """Return the (n, 2) spans in which some face that counts is in the picture, ordered."""
        spans = [
            (int(t.times_us[0]), int(t.times_us[-1]) + self._frame_us)
            for t, _, fixed in self._tracks
            if fixed in (None, FaceState.EXEMPT) and len(t.times_us)
        ]
        merged: list[list[int]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1] + _COVERAGE_GAP_US:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return np.array(merged, np.int64).reshape(-1, 2)


_MAX_STALE_MS = 200


class Playback(QObject):
    """Opens the file of the recording that is shown and keeps everything at the same moment.

    Signals:
        media_missing: (LocatedMedium) the file is not there, or is another one.
        message: (str) something worth a line happened.
        loop_changed: (bool) the selected segment is repeated, or not any more.
        recording_opened: another recording's main file was opened, or none.
    """

    media_missing = Signal(object)
    message = Signal(str)
    loop_changed = Signal(bool)
    recording_opened = Signal()

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        view: PlayerView,
        bar: TransportBar,
        timeline: TimelineView,
        background: BackgroundPool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._view = view
        self._bar = bar
        self._timeline = timeline
        self._background = background
        self.faces = FaceOverlay()
        self.looping = False
        self.muted = False
        self._opened: tuple[str, int] | None = None
        """Id of the main file that is open, and which of its sound tracks."""
        self._late = QTimer(self, singleShot=True, interval=_MAX_STALE_MS)
        self._late.timeout.connect(lambda: view.set_exact(False))
        timeline.set_clock(player.clock)
        self._connect()

    def _connect(self) -> None:
        player, bar = self._player, self._bar
        player.picture_changed.connect(self._show_picture)
        player.position_changed.connect(self._show_position)
        player.playing_changed.connect(self._show_playing)
        player.rate_changed.connect(bar.set_speed)
        player.opened.connect(self._show_frames)
        player.exact_shown.connect(self._show_exact)
        player.previewed.connect(lambda _at: self._late.start())
        bar.play_requested.connect(player.toggle)
        bar.step_requested.connect(player.step)
        bar.start_requested.connect(self.go_to_start)
        bar.end_requested.connect(self.go_to_end)
        bar.jump_requested.connect(self.jump)
        bar.speed_requested.connect(player.set_rate)
        bar.loop_requested.connect(self.set_looping)
        bar.volume_requested.connect(self.set_volume)
        bar.mute_requested.connect(self.set_muted)
        self._timeline.seek_requested.connect(player.seek)
        self._timeline.segment_requests.activate.connect(self.loop_segment)
        self._timeline.clicked.connect(self._go_to_clicked)
        self._studio.selection_changed.connect(self._update_loop)
        self._studio.recording_changed.connect(self.open_recording)
        self._studio.bridge.changed.connect(self._follow_main_file)

    def open_recording(self, at_us: int = 0) -> None:
        """Open the file of the recording that is shown."""
        self._open_main(at_us)
        self.recording_opened.emit()

    def _open_main(self, at_us: int) -> None:
        recording, session = self._studio.recording, self._studio.session
        self.set_looping(False)
        self._timeline.set_peaks(None)
        if recording is None or session is None:
            self._view.set_notice(
                "film", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
            )
            self._view.set_subject("")
            self._player.open(None, None, 0)
            self._bar.set_duration(0)
            self._bar.set_playable(False)
            return
        self._view.set_subject(tr("Recording {number}, {name}").format(number=recording.number, name=recording.name))
        self._bar.set_duration(recording.duration_us)
        medium = session.main_medium(recording.id)
        self._opened = (medium.id, medium.sound_track) if medium else None
        located = session.locate(medium) if medium else None
        if located is None or located.state is not MediaState.PRESENT:
            self._show_missing(located)
            self._player.open(None, None, recording.duration_us, at_us)
            self._bar.set_playable(False, reason=tr("the file is missing"))
            return
        facts = located.medium.facts
        if facts.video is None:
            self._view.set_notice("volume-2", tr("Sound only"), tr("This recording has no picture."))
        else:
            self._view.set_notice("loader", tr("Reading the file"), tr("The first time, its frames are counted."))
        self.faces.width = facts.video.width if facts.video else 0
        self._bar.set_playable(True, facts.audio is not None)
        self._player.open(located.path, facts, recording.duration_us, at_us)
        if facts.audio is not None:
            self._load_peaks(located, recording.id)

    def _follow_main_file(self, changes: Changes, _initiator: object) -> None:
        """Open the file that was added or taken away, or is used with another of its sound tracks now."""
        recording, session = self._studio.recording, self._studio.session
        if recording is None or session is None or not changes.ids("medium"):
            return
        medium = session.main_medium(recording.id)
        if self._opened != ((medium.id, medium.sound_track) if medium else None):
            self._open_main(self._player.position_us)

    def jump(self, time_us: int) -> None:
        """Go to a time, within the recording."""
        self._player.seek(min(max(time_us, 0), self._player.duration_us))

    def skip(self, delta_us: int) -> None:
        """Go forward or back by a time."""
        self.jump(self._player.position_us + delta_us)

    def go_to_start(self) -> None:
        """Go to the first frame."""
        self.jump(self._player.times.time_of(0) if self._player.times else 0)

    def go_to_end(self) -> None:
        """Go to the last frame."""
        times = self._player.times
        self.jump(times.time_of(len(times) - 1) if times else self._player.duration_us)

    def play_selected(self) -> None:
        """Play the selected segment once, from its start to its end."""
        chosen = self._selected()
        if chosen is not None:
            self._player.play_span(*chosen.shown_span(self._player.duration_us))

    def loop_segment(self, _segment_id: str) -> None:
        """Go to the selected segment and repeat it."""
        chosen = self._selected()
        if chosen is not None:
            self.set_looping(True)
            self.jump(chosen.shown_span(self._player.duration_us)[0])

    def toggle_click_seeks(self) -> None:
        """Let a click on a segment go to its start from now on, or no longer."""
        self._studio.change_settings(lambda kept: replace(kept, click_seeks=not kept.click_seeks))

    def _go_to_clicked(self, bar_id: str) -> None:
        clicked = self._timeline.model.segment(bar_id)
        if clicked is not None and self._studio.settings.click_seeks:
            self.jump(clicked.start_us)

    def repeat(self, start_us: int, end_us: int) -> None:
        """Go to a span and repeat it, until something else is repeated."""
        self._player.loop = (start_us, end_us)
        self.looping = True
        self._bar.set_loop(True)
        self.loop_changed.emit(True)
        self.jump(start_us)

    def current_span(self) -> tuple[int, int] | None:
        """Return the span of the selected segments together, else the marked one."""
        found = (self._timeline.model.segment(segment_id) for segment_id in self._studio.selected)
        chosen = [segment for segment in found if segment is not None]
        if chosen:
            spans = [segment.shown_span(self._player.duration_us) for segment in chosen]
            return min(start for start, _ in spans), max(end for _, end in spans)
        start, end = self._studio.mark_in, self._studio.mark_out
        return (start, end) if start is not None and end is not None and start < end else None

    def set_looping(self, on: bool) -> None:
        """Repeat the selected segment, or the marked span; or stop doing so."""
        span = self.current_span() if on else None
        if on and span is None:
            self.message.emit(tr("Select a segment to repeat it, or mark a start and an end."))
        self.looping = span is not None
        self._player.loop = span
        self._bar.set_loop(self.looping)
        self.loop_changed.emit(self.looping)

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, and remember it."""
        percent = min(max(percent, 0), 100)
        self._bar.set_volume(percent)
        self.muted = False
        self._bar.set_muted(False)
        self._player.set_volume(percent)
        self._studio.change_settings(lambda kept: replace(kept, volume=percent))

    def change_volume(self, delta: int) -> None:
        """Make it louder or quieter."""
        self.set_volume(self._studio.settings.volume + delta)

    def set_muted(self, muted: bool) -> None:
        """Turn the sound off or on."""
        self.muted = muted
        self._bar.set_muted(muted)
        self._player.set_volume(0 if muted else self._studio.settings.volume)

    def show_faces(self) -> None:
        """Draw the boxes of the frame on screen again."""
        picture = self._view.picture()
        if picture is not None:
            # Before the first frame's time stamp that frame is on screen already.
            times = self._player.times
            first = times.time_of(0) if times is not None and len(times) else 0
            self._view.set_overlays(self.faces.boxes(max(self._player.shown_us, first), picture.width()))

    def _show_picture(self, image: QImage) -> None:
        self._view.set_picture(None if image.isNull() else image)
        self.show_faces()

    def _show_position(self, time_us: int) -> None:
        self._bar.set_time(time_us)
        if not self._player.playing:
            self._timeline.set_playhead(time_us)
            if self._view.picture() is not None:
                self._late.start()

    def _show_exact(self, _time_us: int) -> None:
        self._late.stop()
        self._view.set_exact(True)
        self.show_faces()

    def _show_playing(self, playing: bool) -> None:
        self._bar.set_playing(playing)
        self._timeline.set_playing(playing)
        if playing:
            self._late.stop()
            self._view.set_exact(None)

    def _show_frames(self, times: FrameTimes) -> None:
        self._timeline.set_frames(times)

    def _show_missing(self, located: LocatedMedium | None) -> None:
        if located is None:
            hint = tr("File > Recording details… adds one.\nSegments can be worked on all the same.")
            self._view.set_notice("video-off", tr("No file"), hint)
            return
        titles = {
            MediaState.REPLACED: tr("Another file is in its place"),
            MediaState.OUTSIDE: tr("The file is outside the study's folder"),
        }
        title = titles.get(located.state, tr("The file is missing"))
        hint = tr("{path}\nFile > Locate missing media… finds it again. Segments can be worked on meanwhile.").format(
            path=located.path
        )
        self._view.set_notice("video-off", title, hint)
        self.media_missing.emit(located)

    def _load_peaks(self, located: LocatedMedium, recording_id: str) -> None:
        def work(progress: object) -> object:
            from media.waveform import load_peaks

            track = located.medium.sound_track
            return load_peaks(located.path, cache_folder(), progress, track=track)  # type: ignore[arg-type]

        def show(peaks: object) -> None:
            if self._studio.recording is not None and self._studio.recording.id == recording_id:
                self._timeline.set_peaks(peaks)  # type: ignore[arg-type]

        def fail(error: Exception) -> None:
            if not isinstance(error, UserError):
                raise error
            self.message.emit(str(error))

        self._background.run_confined(work, show, fail)

    def _selected(self) -> Segment | None:
        chosen = self._studio.selected
        return self._timeline.model.segment(chosen[-1]) if chosen else None

    def _update_loop(self) -> None:
        if self.looping:
            self.set_looping(self.current_span() is not None)


_SUBTITLE_SIZES = (0.75, 1.0, 1.25, 1.5, 2.0)


class Subtitles(QObject):
    """Reads the transcript of the recording that is shown, and follows the playhead.

    Attributes:
        on: whether it is shown.
    """

    def __init__(
        self, studio: StudyController, player: Player, views: ViewsGrid, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._views = views
        self.on = True
        self._told_off = False
        self._utterances: list[Utterance] = []
        self._starts: list[int] = []
        self._longest_us = 0
        self._speakers: dict[str, str] = {}
        self._size = max(_SUBTITLE_SIZES[0], min(_SUBTITLE_SIZES[-1], studio.settings.subtitles))
        views.front_changed.connect(lambda: self._show(player.position_us))
        studio.recording_changed.connect(self._reload)
        studio.bridge.changed.connect(self._apply)
        player.position_changed.connect(self._show)
        player.previewed.connect(self._show)

    def toggle(self) -> None:
        """Show what is said, or no longer."""
        self.on = not self.on
        self._told_off = False
        self._show(self._player.position_us)

    def change_size(self, steps: int) -> None:
        """Make the letters larger or smaller by a step, and remember it."""
        settings = self._studio.settings
        place = (
            min(range(len(_SUBTITLE_SIZES)), key=lambda number: abs(_SUBTITLE_SIZES[number] - settings.subtitles))
            + steps
        )
        size = _SUBTITLE_SIZES[min(max(place, 0), len(_SUBTITLE_SIZES) - 1)]
        self._studio.change_settings(lambda kept: replace(kept, subtitles=size))
        self._size = size
        self._show(self._player.position_us)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        session, recording, touched = self._studio.session, self._studio.recording, changes.ids("utterance")
        if session is None or recording is None:
            return
        if touched:
            now = find_utterances(session.study, touched).values()
            kept = [utterance for utterance in self._utterances if utterance.id not in touched]
            self._explain_missing(now)
            self._set_utterances([*kept, *(utterance for utterance in now if utterance.recording_id == recording.id)])
        if touched or changes.ids("participant"):
            self._name_speakers()

    def _explain_missing(self, now: Collection[Utterance]) -> None:
        """Say why what somebody has just checked is not to be seen in the picture."""
        drafts = {utterance.id for utterance in self._utterances if not utterance.checked}
        checked = [utterance for utterance in now if utterance.checked and utterance.id in drafts]
        if any(not utterance.text.strip() for utterance in checked):
            self._studio.message.emit(tr("Checked, but without text: no subtitle is shown for it."))
        elif checked and not self.on and not self._told_off:
            self._told_off = True
            self._studio.message.emit(tr("Checked. Subtitles are switched off: U shows them in the picture."))

    def _reload(self) -> None:
        session, recording = self._studio.session, self._studio.recording
        self._set_utterances(utterances_of(session.study, recording.id) if session and recording else [])
        self._name_speakers()

    def _set_utterances(self, found: list[Utterance]) -> None:
        self._utterances = sorted(found, key=lambda utterance: (utterance.start_us, utterance.end_us, utterance.id))
        self._starts = [utterance.start_us for utterance in self._utterances]
        self._longest_us = max((utterance.end_us - utterance.start_us for utterance in found), default=0)

    def _name_speakers(self) -> None:
        session = self._studio.session
        people = all_participants(session.study) if session and self._utterances else []
        self._speakers = {person.id: person.pseudonym for person in people}
        self._show(self._player.position_us)

    def _show(self, time_us: int) -> None:
        text = "\n".join(self._lines_at(time_us)) if self.on else ""
        front, *others = self._views.views()
        front.set_subtitle_scale(self._size)
        front.set_subtitle(text)
        for view in others:
            view.set_subtitle("")

    def _lines_at(self, time_us: int) -> list[str]:
        """Return a line for each utterance at a time, with its speaker where known; a question mark is for a guess."""
        lines: list[str] = []
        at = bisect_right(self._starts, time_us) - 1
        while at >= 0 and self._starts[at] >= time_us - self._longest_us:
            utterance = self._utterances[at]
            if time_us < utterance.end_us and utterance.text:
                speaker = self._speakers.get(utterance.participant_id or "")
                guess = "?" if utterance.suggested else ""
                lines.append(f"{speaker}{guess}: {utterance.text}" if speaker else utterance.text)
            at -= 1
        return lines[::-1]
