"""Makes the page of the mode Transcript, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.gui.context import Context
from app.gui.transcript.correcting import Correcting
from app.gui.transcript.keys import TranscriptKeys
from app.gui.transcript.making import Making
from app.gui.transcript.reading_along import ReadingAlong
from app.gui.transcript.searching import Searching
from app.gui.transcript.walking import Walking
from widgets.transcript.page import TranscriptPage


def make(context: Context) -> QWidget:
    """Return the page."""
    page = TranscriptPage()
    correcting = Correcting(context, page)
    reading = ReadingAlong(context, page, correcting)
    walking = Walking(context, page, correcting, reading)
    searching = Searching(context, page, correcting)
    making = Making(context, page, correcting)
    TranscriptKeys(context, page, correcting, reading, walking, searching, making)
    return page
