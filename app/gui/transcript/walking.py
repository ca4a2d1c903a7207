"""Goes to what still needs a person: drafts, doubtful words, what was checked just now."""

from PySide6.QtCore import QObject

from app.gui.context import Context
from app.gui.transcript.correcting import Correcting
from app.gui.transcript.reading_along import ReadingAlong
from resources.translation import tr
from widgets.transcript.page import TranscriptPage


class Walking(QObject):
    """Walks through the list by key."""

    def __init__(self, context: Context, page: TranscriptPage, correcting: Correcting, reading: ReadingAlong) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._correcting = correcting
        self._reading = reading

    def step(self, by: int) -> None:
        """Go to the next or the previous utterance, and let it be heard where that is wanted."""
        if self._page.view.go(by):
            self._reading.play_on()

    def check_and_go_on(self) -> None:
        """Mark what is selected as read, and go on to the next utterance."""
        self._correcting.mark_read()
        self.step(1)

    def draft(self, by: int) -> None:
        """Go to the next or the previous utterance that nobody read."""
        rows = self._rows(by)
        found = next((one for one in rows if not self._page.model.lines[one].said.checked), None)
        if found is None:
            self._context.studio.told.emit(tr("Every utterance of this recording is checked."))
        else:
            self._page.view.go_to(self._page.model.lines[found].said.id)
            self._reading.play_on()

    def doubtful(self, by: int) -> None:
        """Go to the next or the previous word that was heard with little confidence."""
        below, at = self._page.doubtful_below, self._context.player.position_us
        lines = self._page.model.lines
        here = max(self._page.model.row(self._page.view.current()), 0)
        rows = [here, *self._rows(by)] if lines else []
        for number, row in enumerate(rows):
            words = lines[row].timed
            places = [words[one].start_us for one in sorted(lines[row].doubtful(below))]
            if number == 0:
                places = [one for one in places if (one > at if by > 0 else one < at)]
            if places:
                if row != here:
                    self._page.view.go_to(lines[row].said.id)
                self._context.playback.jump(places[0] if by > 0 else places[-1])
                return
        self._context.studio.told.emit(tr("No doubtful word is left in this direction."))

    def _rows(self, by: int) -> list[int]:
        """Return all rows but the current one, from the next on and round."""
        count, here = len(self._page.model.lines), self._page.model.row(self._page.view.current())
        if here < 0:
            return [*range(count)] if by > 0 else [*range(count)][::-1]
        return [(here + by * step) % count for step in range(1, count)]
