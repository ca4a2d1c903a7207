"""Makes the page of the mode Judges, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.gui.context import Context
from app.gui.judges.answering import Answering
from app.gui.judges.asking import Asking
from app.gui.judges.details import Details
from app.gui.judges.entries import Entries
from app.gui.judges.inspecting import Inspecting
from app.gui.judges.showing import Showing
from widgets.judges.page import JudgesPage

KEYS = "Ctrl+J"


def make(context: Context) -> QWidget:
    """Return the page."""
    page = JudgesPage(KEYS)
    shown = Showing(context, page)
    Entries(context, page, shown)
    asking = Asking(context, page, shown)
    Inspecting(context, page, shown, asking)
    Details(context, page, shown)
    Answering(context, page, shown, asking)
    return page
