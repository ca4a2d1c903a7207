"""Faces of the recording that is shown: the page, the boxes, the lane, and the job that finds them."""

from PySide6.QtCore import QObject

from app.core import face_tracking
from app.core.commands import participants
from app.core.jobs import Work
from app.gui.faces_page import FacesPage
from app.gui.job_center import JobCenter
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.studio import Studio
from app.gui.timeline_feed import FACES, TimelineFeed
from project.errors import UserError
from project.queries.faces import tracks_of
from project.queries.participants import all_participants
from project.queries.runs import latest_run
from project.types import Changes, FaceTrack, ParticipantRole
from widgets.player_view import PlayerView
from widgets.timeline.view import TimelineView

_TABLES = frozenset({"run", "face_track", "track_correction", "participant"})
_FRAME_US = 40_000


class Faces(QObject):
    """Reads the tracks, shows them everywhere, and turns what is said about them into edits."""

    def __init__(
        self,
        studio: Studio,
        player: Player,
        playback: Playback,
        page: FacesPage,
        view: PlayerView,
        timeline: TimelineView,
        feed: TimelineFeed,
        jobs: JobCenter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._playback = playback
        self._page = page
        self._view = view
        self._timeline = timeline
        self._feed = feed
        self._jobs = jobs
        self.tracks: list[FaceTrack] = []
        studio.recording_changed.connect(self.reload)
        page.track_requested.connect(self.track)
        page.cancel_requested.connect(self.cancel)
        page.jump_requested.connect(player.seek)
        page.track_selected.connect(self._select)
        page.boxes_toggled.connect(self.set_boxes)
        page.assign_requested.connect(lambda track, who: studio.edit(lambda s: participants.assign_face(s, track, who)))
        page.dismiss_requested.connect(lambda track, on: studio.edit(lambda s: participants.dismiss_face(s, track, on)))
        page.participant_requested.connect(self._add_participant)
        page.role_requested.connect(self._change_role)
        view.face_clicked.connect(page.select_track)
        jobs.progressed.connect(self._show_progress)
        jobs.done.connect(lambda work, _result: self._job_ended(work))
        jobs.stopped.connect(self._job_ended)

    def track(self) -> None:
        """Look for faces in this recording."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._jobs.of("faces", recording.id) is not None:
            return
        try:
            session.study.require_writable()
            work = face_tracking.prepare(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work)
        self._show_job()

    def cancel(self) -> None:
        """Stop looking for faces in this recording."""
        work = self._running()
        if work is not None:
            self._jobs.cancel(work)

    def set_boxes(self, visible: bool) -> None:
        """Draw boxes over the picture, or not."""
        self._view.set_overlays_visible(visible)
        self._page.set_boxes(visible)

    def toggle_boxes(self) -> None:
        """Draw boxes if there were none, and the other way round."""
        self.set_boxes(not self._view.overlays_visible())

    def apply(self, changes: Changes) -> None:
        """Read what an edit or a job touched."""
        if _TABLES & set(changes):
            self.reload()

    def reload(self) -> None:
        """Read the tracks of the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            self.tracks = []
            self._playback.faces.set_tracks([], {}, _FRAME_US)
            self._feed.set_has_faces(False)
            self._page.show_nothing()
            self._view.set_overlays(())
            return
        run = latest_run(session.study, recording.id, "faces")
        self.tracks = tracks_of(session.study, recording.id) if run else []
        people = {p.id: p for p in all_participants(session.study)}
        medium = session.main_medium(recording.id)
        video = medium.facts.video if medium else None
        frame_us = round(1e6 / video.frame_rate) if video and video.frame_rate else _FRAME_US
        self._playback.faces.set_tracks(self.tracks, people, frame_us)
        facts = ""
        if run is not None:
            tracks, with_face, frames = (run.result.get(key) for key in ("tracks", "frames_with_face", "frames"))
            count = f"{tracks} track" if tracks == 1 else f"{tracks} tracks"
            facts = f"{count}; a face in {with_face} of {frames} frames."
        if medium is not None and video is None:
            self._page.show_no_picture()
        else:
            self._page.set_tracks(self.tracks, people, facts, tracked=run is not None)
        self._page.set_writable(self._studio.writable, session.study.read_only_reason)
        self._feed.set_has_faces(bool(self.tracks))
        self._timeline.set_spans(FACES, self._playback.faces.coverage())
        self._playback.show_faces()
        self._show_job()

    def _select(self, track_id: str) -> None:
        self._playback.faces.select(track_id)
        self._playback.show_faces()

    def _add_participant(self, track_id: str, name: str, role: ParticipantRole) -> None:
        here = self._studio.recording.id if self._studio.recording else None
        if not self._studio.edit(lambda s: participants.add_participant(s, name, role, here, track_id)[1]):
            self.reload()

    def _change_role(self, participant_id: str, role: ParticipantRole) -> None:
        session = self._studio.session
        if session is None:
            return
        person = next((p for p in all_participants(session.study) if p.id == participant_id), None)
        if person is not None:
            self._studio.edit(lambda s: participants.change_role(s, person, role))

    def _running(self) -> Work | None:
        recording = self._studio.recording
        return self._jobs.of("faces", recording.id) if recording else None

    def _show_job(self) -> None:
        work = self._running()
        self._page.set_progress(f"{work.title}…" if work else None)

    def _show_progress(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._running():
            self._page.set_progress(text or f"{work.title}…", done, total)

    def _job_ended(self, work: Work) -> None:
        if self._studio.recording is not None and work.recording_id == self._studio.recording.id:
            self._show_job()
