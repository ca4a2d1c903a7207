"""Makes the page of the mode Review, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.gui.context import Context
from app.gui.review.reviewing import Reviewing
from widgets.review.page import ReviewPage


def make(context: Context) -> QWidget:
    """Return the page."""
    page = ReviewPage()
    Reviewing(context, page)
    return page
