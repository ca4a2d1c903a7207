"""Makes the page of the mode Transcript, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.gui.context import Context
from app.gui.transcript.correcting import Correcting
from app.gui.transcript.keys import TranscriptKeys
from app.gui.transcript.making import Making
from app.gui.transcript.reading_along import ReadingAlong
from app.gui.transcript.searching import Searching
from app.gui.transcript.showing import Showing
from app.gui.transcript.walking import Walking
from widgets.transcript.page import TranscriptPage


def make(context: Context) -> QWidget:
    """Return the page."""
    page = TranscriptPage()
    shown = Showing(context, page)
    correcting = Correcting(context, page, shown)
    reading = ReadingAlong(context, page, shown)
    walking = Walking(context, page, correcting, reading)
    searching = Searching(context, page, shown)
    making = Making(context, page, shown, correcting)
    TranscriptKeys(context, page, correcting, reading, walking, searching, making)
    return page
