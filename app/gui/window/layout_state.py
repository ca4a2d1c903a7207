"""Saves and restores how the window looked: for each study the recording, position, zoom and selection.

A change is saved within `SAVE_DELAY_MS`, so that a crash loses nothing.
"""

from dataclasses import replace
from hashlib import sha256

from PySide6.QtCore import QTimer

from app.gui.pages import context
from app.gui.recordings.recording_arrangement import RecordingArrangement
from app.gui.window.parts import WindowParts
from project.entities.study_records import Json
from project.session.session import Session, copy_owner

SAVE_DELAY_MS = 1_000


def _view_key(session: Session) -> str:
    """Name the view of a study; a copy for an annotator has the study's id and a view of its own."""
    owner = copy_owner(session.study)
    return session.study.id + (f"-{sha256(owner.encode()).hexdigest()[:12]}" if owner else "")


class WindowMemory:
    """Writes and restores; knows the window's parts, and nobody knows it but the window."""

    def __init__(self, window: WindowParts) -> None:
        self._window = window
        self._places: dict[str, list[int]] = {}
        self._left: context.View = {}
        self._timer = QTimer(window)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_DELAY_MS)
        self._timer.timeout.connect(self._save)

    def connect_signals(self) -> None:
        """Save after every change from now on."""
        window = self._window
        space = window.workspace
        for signal in (
            window.studio.recording_changed,
            window.studio.selection_changed,
            window.studio.marks_changed,
            window.player.position_changed,
            window.timeline.view_changed,
            window.timeline.lane_folded,
            window.active.changed,
            window.active.label_changed,
            window.recordings.arrangement_changed,
            window.guidelines.toggled,
            window.windows.changed,
            window.pages.changed,
            window.resized,
            space.pages.currentChanged,
            space.columns.splitterMoved,
            space.rows.splitterMoved,
        ):
            signal.connect(self.schedule_save)

    def schedule_save(self, *_about: object) -> None:
        """Save in a moment, with what else changes until then."""
        if not self._timer.isActive():
            self._timer.start()

    def _save(self) -> None:
        self.save_view()
        if self._window.isVisible():
            self.save_window()

    def remember_position(self) -> None:
        """Remember where the recording that is shown was left."""
        window = self._window
        if window.studio.recording is not None:
            place = [window.player.position_us, *window.timeline.visible_range()]
            self._places[window.studio.recording.id] = place

    def restore_position(self, recording_id: str) -> None:
        """Go to where a recording was left."""
        window, place = self._window, self._places.get(recording_id)
        if place is not None:
            window.player.seek(place[0])
            window.timeline.set_playhead(window.player.position_us)
            # Last, because the timeline follows the playhead, which need not have been in sight.
            self.restore_zoom()

    def restore_zoom(self) -> None:
        """Show the part of the timeline that was shown."""
        window = self._window
        place = self._places.get(window.studio.recording.id) if window.studio.recording else None
        if place is not None and place[2] > place[1]:
            window.timeline.show_span(place[1], place[2])

    def save_view(self) -> None:
        """Remember how the study that is open looks."""
        window = self._window
        session, recording = window.studio.session, window.studio.recording
        if session is None:
            return
        self.remember_position()
        places: dict[str, Json] = {key: [*place] for key, place in self._places.items()}
        view: context.View = {
            "recording": recording.id if recording else "",
            "places": places,
            "selected": [*window.studio.selected],
            "marks": [-1 if m is None else m for m in (window.studio.mark_in, window.studio.mark_out)],
            "mode": window.mode(),
            "boxes": window.view.overlays_visible(),
            "views": window.views.saved_states(),
            "track": window.active.key,
            "listed": window.recordings.model.arrangement.as_json(),
            "labels": {**window.active.labels()},
            "guidelines": window.guidelines.visible,
            "folded": [*sorted(window.timeline.model.folded)],
            "windows": window.windows.save_state(),
            "pages": window.pages.save_state(),
        }
        context.save_view_state(_view_key(session), view)

    def restore_view(self, session: Session) -> None:
        """Show a study as it was left, but for its recording."""
        window = self._window
        self._left = view = context.load_view_state(_view_key(session))
        places = view.get("places")
        found = {key: context.number_list(places, key, 3) for key in places} if isinstance(places, dict) else {}
        self._places = {key: place for key, place in found.items() if place is not None}
        window.views.restore_states(view.get("views"))
        window.pages.restore_state(view.get("pages"))
        window.set_mode(context.text_value(view, "mode", "annotate"))
        window.active.select_track(context.text_value(view, "track"))
        window.recordings.set_arrangement(RecordingArrangement.from_json(view.get("listed")))
        labels = view.get("labels")
        found_labels = labels if isinstance(labels, dict) else {}
        window.active.restore_labels({key: label for key, label in found_labels.items() if isinstance(label, str)})
        window.guidelines.show(view.get("guidelines") is True)
        window.set_boxes(view.get("boxes") is not False)
        window.windows.restore_state(view.get("windows"))

    def restore_recording(self) -> None:
        """Show the recording that was shown last, unless another one is by now."""
        window, view = self._window, self._left
        if window.studio.recording is not None:
            return
        rows = [row.id for row in window.recordings.model.rows()]
        wanted = context.text_value(view, "recording")
        if wanted not in rows:
            wanted = rows[0] if rows else ""
        if not wanted:
            return
        window.choose_recording(wanted)
        # Widgets that were hidden until now get their width when the event loop runs next.
        QTimer.singleShot(0, window, self.restore_zoom)
        for lane in context.text_list(view, "folded"):
            window.timeline.set_lane_folded(lane, True)
        window.studio.select(
            text for text in context.text_list(view, "selected") if window.timeline.model.segment(text)
        )
        marks = context.number_list(view, "marks", 2)
        if marks is not None:
            window.studio.set_marks(*(None if mark < 0 else mark for mark in marks))

    def save_window(self) -> None:
        """Remember the size of the window and of its parts."""
        window = self._window
        if window.isFullScreen():
            return
        looks: dict[str, Json] = {
            "geometry": context.encode_state(window.saveGeometry()),
            "columns": context.encode_state(window.workspace.columns.saveState()),
            "rows": context.encode_state(window.workspace.rows.saveState()),
            "lent": list(window.workspace.lent or ()),
        }
        if looks != window.studio.settings.window:
            window.studio.change_settings(lambda kept: replace(kept, window=looks))

    def restore_window(self) -> None:
        """Give the window the size and the volume that it had."""
        window = self._window
        settings = window.studio.settings
        window.transport.set_volume(settings.volume)
        window.player.set_volume(settings.volume)
        for key, restore in (
            ("geometry", window.restoreGeometry),
            ("columns", window.workspace.columns.restoreState),
            ("rows", window.workspace.rows.restoreState),
        ):
            state = settings.window.get(key)
            if isinstance(state, str):
                restore(context.decode_state(state))
        lent = settings.window.get("lent")
        widths = [width for width in lent if isinstance(width, int)] if isinstance(lent, list) else []
        window.workspace.lent = (widths[0], widths[1]) if len(widths) == 2 else None
