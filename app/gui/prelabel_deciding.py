"""Accepts and rejects the pre-labels that are selected, and goes on to the next."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.core.commands import cues as commands
from app.core.cues.prelabels import Prelabel, open_prelabels
from app.core.session import Session
from app.gui.edit_text import Rows, count_rows
from app.gui.playback import Playback
from app.gui.studio import Studio
from project.errors import UserError
from project.types import Changes
from resources.translation import tr


class PrelabelDeciding(QObject):
    """Decides on suggestions of a model."""

    def __init__(self, studio: Studio, playback: Playback, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._playback = playback

    def accept(self) -> None:
        """Make the selected pre-labels cues of one's own, and select the next one."""
        self._decide(self._selected(), accepted=True)

    def reject(self) -> None:
        """Say that the selected pre-labels are wrong, and select the next one."""
        self._decide(self._selected(), accepted=False)

    def of_kind(self, segment_id: str) -> list[Prelabel]:
        """Return the open pre-labels of this recording of the kind of one of them; none for another segment."""
        waiting = self._open()
        one = next((each.segment for each in waiting if each.segment.id == segment_id), None)
        if one is None:
            return []
        return [each for each in waiting if (each.segment.track, each.segment.label) == (one.track, one.label)]

    def menu(self, where: QPoint, owner: QMenu, segment_id: str) -> None:
        """Offer what can be decided about a pre-label and its like, at a point of the screen."""
        session = self._studio.session
        alike = self.of_kind(segment_id)
        if session is None or not alike:
            return
        scheme = session.schemes.known(alike[0].segment.scheme)
        label = None if scheme is None else scheme.lane(alike[0].segment.track).label(alike[0].segment.label)
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

    def _open(self) -> list[Prelabel]:
        session, recording = self._studio.session, self._studio.recording
        return [] if session is None or recording is None else open_prelabels(session, recording.id)

    def _selected(self) -> list[Prelabel]:
        chosen = set(self._studio.selected)
        found = [one for one in self._open() if one.segment.id in chosen]
        if not found:
            self._studio.failed.emit(
                UserError(tr("No pre-label is selected."), tr("Click one in the lane Pre-labels."))
            )
        return found

    def _decide(self, which: Sequence[Prelabel], *, accepted: bool) -> None:
        ids = [one.segment.id for one in which]
        if not ids:
            return

        def do(session: Session) -> Changes:
            return commands.accept(session, ids)[1] if accepted else commands.reject(session, ids)

        if self._studio.edit(do):
            word = tr("Accepted") if accepted else tr("Rejected")
            text = (
                tr("{word} {rows}. Undo brings it back.")
                if len(ids) == 1
                else tr("{word} {rows}. Undo brings them back.")
            )
            self._studio.told.emit(text.format(word=word, rows=count_rows(Rows.PRELABELS, len(ids))))
            last = max(one.segment.start_us for one in which)
            rest = self._open()
            after = next((one for one in rest if one.segment.start_us >= last), rest[0] if rest else None)
            self._studio.select([] if after is None else [after.segment.id])
            if after is not None:
                self._playback.jump(after.segment.start_us)
