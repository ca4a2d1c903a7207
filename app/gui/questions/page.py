"""Makes the page of the mode Questions, and joins it with the study."""

from PySide6.QtWidgets import QWidget

from app.core.questions.settings import DEFAULT, SETTINGS
from app.gui.context import Context
from app.gui.questions.answers import Answers
from app.gui.questions.deciding import Deciding
from app.gui.questions.making import Making
from app.gui.questions.showing import Showing
from app.gui.questions.words import CHECKLISTS, MAKERS
from app.gui.questions.writing import Writing
from benchmark.questions.base import OPTIONS
from project.questions import DIFFICULTIES
from widgets.questions.page import QuestionsPage


def make(context: Context) -> QWidget:
    """Return the page."""
    settings = {key: one.name for key, one in sorted(SETTINGS.items(), key=lambda item: item[0] != DEFAULT)}
    page = QuestionsPage(MAKERS, CHECKLISTS, DIFFICULTIES, settings, OPTIONS - 1)
    shown = Showing(context, page)
    Deciding(context, page, shown)
    Answers(context, page, shown)
    Making(context, page)
    Writing(context, page, shown)
    return page
