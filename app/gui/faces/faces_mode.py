"""Controls the mode Faces.

Loads tracks and regions, updates page, boxes and lanes, and starts the jobs that track faces and find text in the
picture.
"""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, QTimer

from annotate.study import people
from anonymize.faces import face_tracking_job, text_regions_job
from anonymize.faces.face_review import FaceSheet, build_face_sheet
from anonymize.faces.face_review_edits import add_areas
from app.gui.faces.box_editing import BoxCanvas, BoxEditor
from app.gui.faces.face_crops import Crops, build_cards, region_styles, track_crops
from app.gui.faces.face_decisions import FaceReviewController
from app.gui.faces.face_queue import ReviewSpans
from app.gui.faces.faces_page import FacesPage
from app.gui.jobs.job_center import JobCenter, RunningJob
from app.gui.pages.commands import ModeKeys, PageKey, digit_keys
from app.gui.player.playback import Playback
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from app.gui.timeline.timeline_presenter import FACES, TimelineFeed
from models.text_regions.text_detectors import StaticTextRegion
from project.entities.face_regions import Keyframe, Region, region_to_track
from project.entities.study_records import Changes, FaceTrack, Participant, ParticipantRole, Run
from project.queries.annotator_rows import annotator_names
from project.queries.face_rows import regions_of, track_boxes, tracks_of
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_participants, participants_in
from project.session.job_notes import is_noted
from project.store.locking import is_held
from resources.translation import tr, trn
from widgets.player.player_view import PlayerView
from widgets.timeline.timeline_view import TimelineView

_TEXT_AREA_LABEL = "text"


class TextAreas(QObject):
    """Runs the job and shows what it suggests."""

    def __init__(
        self, studio: StudyController, player: Player, page: FacesPage, jobs: JobCenter, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio, self._player, self._page, self._jobs = studio, player, page, jobs
        self._shown = 0
        self.suggested: list[StaticTextRegion] = []
        page.text.accept_requested.connect(self._accept)
        page.text.show_requested.connect(self._show_next)

    def find_text(self) -> None:
        """Look for text in this recording."""
        self._jobs.start_here(text_regions_job.KIND, text_regions_job.prepare)

    def reload(self) -> None:
        """Read what is suggested for the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        self.suggested = []
        if session is not None and recording is not None:
            self.suggested = text_regions_job.suggested_areas(session, recording.id)
        count = trn("{count} place", "{count} places", len(self.suggested)) if self.suggested else ""
        words = tr("Text was found in {count} that no area masks").format(count=count) if count else ""
        accept = tr("Mask it") if len(self.suggested) == 1 else tr("Mask all")
        self._page.text.show_suggestion(words, accept, several=False, writable=self._page.writable)

    def _accept(self) -> None:
        recording, areas = self._studio.recording, [(Keyframe(a.start_us, *a.box), a.end_us) for a in self.suggested]
        if recording is not None and areas:
            self._studio.edit(lambda s: add_areas(s, recording.id, areas, _TEXT_AREA_LABEL))

    def _show_next(self) -> None:
        if self.suggested:
            self._shown = (self._shown + 1) % len(self.suggested)
            suggested_area = self.suggested[self._shown]
            self._player.seek((suggested_area.start_us + suggested_area.end_us) // 2)


_FACE_TABLES = frozenset({"run", "face_track", "track_correction", "track_box", "region", "region_box", "participant"})
_REVIEW_TABLES = frozenset({"seen_span", "face_review", "annotator"})
_FRAME_US = 40_000
_UPDATE_DELAY_MS, _SLOW_UPDATE_DELAY_MS = 40, 400
"""How long after an edit the spans are worked out again: keys that are held down are not slowed."""
_MANY_TRACKS = 300
"""Tracks from which on it is the longer pause."""


def _nudge(*by: int) -> Callable[["FacesController"], object]:
    return lambda c: c.drawing.nudge(*by)


_STEPS = (("Left", (-1, 0)), ("Right", (1, 0)), ("Up", (0, -1)), ("Down", (0, 1)))


class FacesController(QObject):
    """Reads the tracks and regions, shows them everywhere, and joins the parts that edit them."""

    def __init__(
        self,
        studio: StudyController,
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
        self.page = page
        self._view = view
        self._timeline = timeline
        self._feed = feed
        self._active = False
        self._people: dict[str, Participant] = {}
        self._drawn: dict[str, object] = {}
        self._sorted = ""
        self._stale = False
        self._frame_us = _FRAME_US
        self._shown_boxes: dict[str, FaceTrack] = {}
        self.tracks: list[FaceTrack] = []
        self.regions: list[Region] = []
        self.sheet: FaceSheet | None = None
        self.canvas = BoxCanvas(view)
        self.crops = Crops(self)
        self.places = ReviewSpans(timeline, feed, self)
        self.drawing = BoxEditor(studio, player, self.canvas, self.places, self)
        self.deciding = FaceReviewController(studio, player, page, self.places, self.drawing, self)
        self.text = TextAreas(studio, player, page, jobs, self)
        self._jobs = jobs
        self.job = RunningJob(studio, jobs, ("faces",), page.set_progress, self)
        self._keys = ModeKeys(page, KEYS, self, lambda: bool(self.drawing.selected))
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._update_queue)
        self._connect_signals()

    def _connect_signals(self) -> None:
        page, studio = self.page, self._studio
        page.track_requested.connect(self.track)
        page.cancel_requested.connect(self.job.cancel)
        studio.recording_changed.connect(self._leave_recording)
        self._player.opened.connect(lambda _times: self.reload())
        self._player.position_changed.connect(self._on_position)
        page.cards.opened.connect(self._seek_to_card)
        page.selection_changed.connect(self._select)
        page.boxes_toggled.connect(self.set_boxes)
        page.role_requested.connect(self._change_role)
        page.queue.step_requested.connect(self.places.step)
        page.model.crops_needed.connect(self._request_crops)
        self.crops.ready.connect(page.model.set_crops)
        self.places.changed.connect(self._show_place)
        self.places.go_requested.connect(self._playback.jump)
        self.places.place_entered.connect(self._on_place_entered)
        self.drawing.region_drawn.connect(lambda key: page.select([key]))
        self._view.face_clicked.connect(lambda key: page.select([key]))

    def track(self) -> None:
        """Look for faces in this recording."""
        if self._jobs.start_here("faces", face_tracking_job.prepare) is not None:
            self.job.refresh()

    def close(self) -> None:
        """End the thread that makes pictures."""
        self.crops.close()

    def set_active(self, active: bool) -> None:
        """Say whether the mode Faces is on: boxes are drawn and the band is shown then only."""
        self._active = active
        if active and self._stale:
            self._schedule_queue_update()
        self.places.set_band_visible(active)
        self._show_canvas()

    def set_keys(self, keys: Mapping[str, tuple[str, ...]], trigger: Callable[[str], object]) -> None:
        """Take the user's keys of the actions of this mode, action -> keys, and what triggers an action."""
        self._keys.set_own_keys({key: partial(trigger, action) for action, found in keys.items() for key in found})
        first = {action: ", ".join(found) for action, found in keys.items()}
        self.page.queue.set_keys(
            {"after": first["place_on"], "before": first["place_back"], "seen": first["place_seen"]}
        )

    def set_boxes(self, visible: bool) -> None:
        """Draw boxes over the picture, or not."""
        self._view.set_overlays_visible(visible)
        self.page.set_boxes(visible)
        self._show_canvas()

    def toggle_boxes(self) -> None:
        """Draw boxes if there were none, and the other way round."""
        self.set_boxes(not self._view.overlays_visible())

    def apply(self, changes: Changes) -> None:
        """Read what an edit or a job touched."""
        if _FACE_TABLES & set(changes):
            self.reload()
        elif _REVIEW_TABLES & set(changes):
            self._schedule_queue_update()

    def reload(self) -> None:
        """Read the tracks and regions of the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            self._clear()
            return
        run, times = latest_run(session.study, recording.id, "faces"), self._player.times
        moments = times.times_us if times is not None else None
        self.tracks = tracks_of(session.study, recording.id, moments) if run else []
        self.regions = regions_of(session.study, recording.id)
        here = {participant.id for participant in participants_in(session.study, recording.id)}
        everybody = sorted(all_participants(session.study), key=lambda participant: participant.id not in here)
        self._people = {participant.id: participant for participant in everybody}
        medium = session.main_medium(recording.id)
        video = medium.facts.video if medium else None
        self.canvas.set_frame_size(*((video.width, video.height) if video else (0, 0)))
        self._frame_us = round(1e6 / video.frame_rate) if video and video.frame_rate else _FRAME_US
        boxes = track_boxes(session.study, run.id) if run is not None else {}
        drawn = [region_to_track(region, moments) for region in self.regions] if moments is not None else []
        shown = [*self.tracks, *(face_track for face_track in drawn if face_track is not None)]
        self._drop_changed_crops(shown, {**boxes, **{region.id: region for region in self.regions}})
        self._playback.faces.set_tracks(shown, self._people, self._frame_us, region_styles(self.regions))
        self.drawing.set_faces(self.tracks, self.regions, boxes, run.id if run is not None else "", self._frame_us)
        self.page.set_writable(self._studio.writable, session.study.read_only_reason)
        held = session.study.read_only and is_held(session.study.path)
        self.page.set_other_window_state(held=held, asked=held and is_noted(session.study, "faces", recording.id))
        if medium is not None and video is None:
            self.page.show_no_picture()
        else:
            self._fill_cards(run)
        if self.crops.set_source(self._player.path if times is not None else None):
            self.page.model.drop_crops()
        self._feed.set_has_faces(bool(self.tracks))
        self._timeline.set_spans(FACES, self._playback.faces.coverage())
        self._playback.show_faces()
        self._show_region()
        self.text.reload()
        self._show_canvas()
        self.job.refresh()
        self._schedule_queue_update()

    def _fill_cards(self, run: Run | None) -> None:
        waiting = self.sheet.pending if self.sheet is not None else []
        cards = build_cards(self.tracks, self.regions, self._people, waiting, self._frame_us)
        facts = ""
        if run is not None:
            with_face, frames = run.result.get("frames_with_face"), run.result.get("frames")
            facts = tr("{count}; a face in {with_face} of {frames} frames.").format(
                count=trn("{count} track", "{count} tracks", len(self.tracks)), with_face=with_face, frames=frames
            )
        # Once sorted by how uncertain they are, cards stay where they are while a person works through them.
        subject = run.id if run is not None and self.sheet is not None else ""
        sort = subject != self._sorted
        self._sorted = subject
        self.page.set_cards(cards, self._people, facts, tracked=run is not None or bool(self.regions), sort=sort)

    def _schedule_queue_update(self) -> None:
        """Work out again where a look is needed, once the edits pause; nobody needs to know in another mode."""
        self._stale = True
        if self._active:
            self._later.start(_UPDATE_DELAY_MS if len(self.tracks) < _MANY_TRACKS else _SLOW_UPDATE_DELAY_MS)

    def _update_queue(self) -> None:
        """Work out again where a look is needed."""
        session, recording, times = self._studio.session, self._studio.recording, self._player.times
        if session is None or recording is None or times is None or not len(times):
            return
        self._stale = False
        self.sheet = found = build_face_sheet(session, recording.id, times)
        tracked = found.run is not None
        self.places.set_spans(times, found.spans if tracked else [], found.pending if tracked else [])
        self._fill_cards(found.run)
        names = annotator_names(session.study)
        self.deciding.show_sheet(found if tracked else None, self._people, names)

    def _clear(self) -> None:
        self.tracks, self.regions, self.sheet = [], [], None
        self._later.stop()
        self.crops.set_source(None)
        self.places.set_spans(None, [], [])
        self.drawing.set_faces([], [], {}, "", _FRAME_US)
        self._playback.faces.set_tracks([], {}, _FRAME_US)
        self._feed.set_has_faces(False)
        self.page.show_nothing()
        self._view.set_overlays(())

    def _leave_recording(self) -> None:
        self.sheet = None
        self.places.set_spans(None, [], [])
        self.deciding.show_sheet(None, {}, {})
        self.crops.set_source(None)
        self.page.model.drop_crops()
        self._shown_boxes = {}
        self._select([])
        self.reload()

    def _drop_changed_crops(self, shown: list[FaceTrack], drawn: Mapping[str, object]) -> None:
        """Drop the pictures of faces that a person drew elsewhere; `drawn` is what was drawn, by id."""
        changed = [key for key in {*drawn, *self._drawn} if drawn.get(key) != self._drawn.get(key)]
        self._shown_boxes = {face_track.id: face_track for face_track in shown if len(face_track.frames)}
        self._drawn = dict(drawn)
        self.page.model.drop_crops(changed)

    def _request_crops(self, key: str) -> None:
        track = self._shown_boxes.get(key)
        if track is not None:
            self.crops.request(key, track_crops(track))

    def _seek_to_card(self, key: str) -> None:
        card = self.page.model.card(key)
        if card is not None:
            self._player.seek(card.start_us)

    def _select(self, keys: object) -> None:
        assert isinstance(keys, list)
        key = keys[-1] if keys else ""
        self._playback.faces.select(key)
        self.drawing.select(key)
        self._playback.show_faces()
        self._show_region()

    def _show_region(self) -> None:
        self.page.region.show_region(self.drawing.region(), self.page.writable)

    def _show_canvas(self) -> None:
        self.canvas.set_editable(self._studio.writable)
        self.canvas.setVisible(self._active and self._view.overlays_visible() and self._studio.recording is not None)

    def _show_place(self) -> None:
        places = self.places
        self.page.queue.show_remaining(
            places.remaining_text(),
            places.reason_text(),
            any_left=bool(places.waiting),
            at_one=places.current is not None,
            writable=self.page.writable,
        )
        self._show_suspect()

    def _on_position(self, time_us: int) -> None:
        if self._active and not self._player.playing:
            self.places.note_playhead(time_us)
        self._show_suspect()

    def _show_suspect(self) -> None:
        """Show where a face may be uncovered, while the playhead is at that place."""
        place = self.places.current
        if place is None or not place.start_us <= self.drawing.now_us < place.end_us:
            self.canvas.show_suspect(None)
        else:
            self.canvas.show_suspect(place.box, tr("Uncovered face?"))

    def _on_place_entered(self, key: str) -> None:
        if self.page.model.row(key) is not None:
            self.page.select([key])
        else:
            self._select([key])

    def go_to_undecided(self) -> None:
        """Select the next face that nobody decided about, and show it."""
        card = self.page.select_next()
        if card is None:
            self._studio.message.emit(tr("Every face is decided."))
        else:
            self._player.seek(card.start_us)

    def _change_role(self, participant_id: str, role: ParticipantRole) -> None:
        person = self._people.get(participant_id)
        if person is not None:
            self._studio.edit(lambda s: people.change_role(s, person, role))


KEYS: tuple[PageKey["FacesController"], ...] = (
    PageKey("1 2 3", tr("It is this participant")),
    *digit_keys(lambda c, number: c.deciding.assign_by_digit(number)),
    PageKey("X", tr("Not a face, or a face after all"), lambda c: c.deciding.toggle_dismissed()),
    PageKey("Return", tr("Next face to decide"), lambda c: c.go_to_undecided()),
    PageKey("Esc", tr("Select nothing"), lambda c: c.page.select([]), on_selection=True),
    PageKey("[ ]", tr("The selected drawn box starts or ends here")),
    PageKey("[", "", lambda c: c.drawing.trim(True)),
    PageKey("]", "", lambda c: c.drawing.trim(False)),
    PageKey("Del", tr("Delete the selected drawn box"), lambda c: c.drawing.delete()),
    PageKey("Alt+Left Alt+Up", tr("Move the selected box; with Shift, its size")),
    *(PageKey(f"Alt+{key}", "", _nudge(*by), repeats=True) for key, by in _STEPS),
    *(PageKey(f"Alt+Shift+{key}", "", _nudge(0, 0, *by), repeats=True) for key, by in _STEPS),
)
