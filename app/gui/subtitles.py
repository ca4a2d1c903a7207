"""Shows what is said at the playhead as a line at the foot of the picture, of the large one where there are several."""

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import replace

from PySide6.QtCore import QObject

from app.gui.player import Player
from app.gui.studio import Studio
from project.queries.participants import all_participants
from project.queries.utterances import utterances_called, utterances_of
from project.types import Changes, Utterance
from resources.translation import tr
from widgets.views_grid import ViewsGrid

_SIZES = (0.75, 1.0, 1.25, 1.5, 2.0)


class Subtitles(QObject):
    """Reads the transcript of the recording that is shown, and follows the playhead.

    Attributes:
        on: whether it is shown.
    """

    def __init__(self, studio: Studio, player: Player, views: ViewsGrid, parent: QObject | None = None) -> None:
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
        self._size = max(_SIZES[0], min(_SIZES[-1], studio.settings.subtitles))
        views.front_changed.connect(lambda: self._show(player.position_us))
        studio.recording_changed.connect(self._reload)
        studio.bridge.changed.connect(self._apply)
        player.position_changed.connect(self._show)

    def toggle(self) -> None:
        """Show what is said, or no longer."""
        self.on = not self.on
        self._told_off = False
        self._show(self._player.position_us)

    def resize(self, steps: int) -> None:
        """Make the letters larger or smaller by a step, and remember it."""
        settings = self._studio.settings
        place = min(range(len(_SIZES)), key=lambda one: abs(_SIZES[one] - settings.subtitles)) + steps
        size = _SIZES[min(max(place, 0), len(_SIZES) - 1)]
        self._studio.change_settings(lambda kept: replace(kept, subtitles=size))
        self._size = size
        self._show(self._player.position_us)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        session, recording, touched = self._studio.session, self._studio.recording, changes.ids("utterance")
        if session is None or recording is None:
            return
        if touched:
            now = utterances_called(session.study, touched).values()
            kept = [one for one in self._utterances if one.id not in touched]
            self._say_why_not(now)
            self._take([*kept, *(one for one in now if one.recording_id == recording.id)])
        if touched or changes.ids("participant"):
            self._name_speakers()

    def _say_why_not(self, now: Collection[Utterance]) -> None:
        """Say why what somebody has just checked is not to be seen in the picture."""
        drafts = {one.id for one in self._utterances if not one.checked}
        checked = [one for one in now if one.checked and one.id in drafts]
        if any(not one.text.strip() for one in checked):
            self._studio.told.emit(tr("Checked, but without text: no subtitle is shown for it."))
        elif checked and not self.on and not self._told_off:
            self._told_off = True
            self._studio.told.emit(tr("Checked. Subtitles are switched off: U shows them in the picture."))

    def _reload(self) -> None:
        session, recording = self._studio.session, self._studio.recording
        self._take(utterances_of(session.study, recording.id) if session and recording else [])
        self._name_speakers()

    def _take(self, found: list[Utterance]) -> None:
        self._utterances = sorted(found, key=lambda one: (one.start_us, one.end_us, one.id))
        self._starts = [one.start_us for one in self._utterances]
        self._longest_us = max((one.end_us - one.start_us for one in found), default=0)

    def _name_speakers(self) -> None:
        session = self._studio.session
        people = all_participants(session.study) if session and self._utterances else []
        self._speakers = {one.id: one.pseudonym for one in people}
        self._show(self._player.position_us)

    def _show(self, time_us: int) -> None:
        text = "\n".join(self._said_at(time_us)) if self.on else ""
        front, *others = self._views.views()
        front.set_subtitle_scale(self._size)
        front.set_subtitle(text)
        for view in others:
            view.set_subtitle("")

    def _said_at(self, time_us: int) -> list[str]:
        """Return a line for each utterance at a time, with its speaker where known; a question mark is for a guess."""
        lines: list[str] = []
        at = bisect_right(self._starts, time_us) - 1
        while at >= 0 and self._starts[at] >= time_us - self._longest_us:
            one = self._utterances[at]
            if time_us < one.end_us and one.text:
                speaker = self._speakers.get(one.participant_id or "")
                guess = "?" if one.suggested else ""
                lines.append(f"{speaker}{guess}: {one.text}" if speaker else one.text)
            at -= 1
        return lines[::-1]
