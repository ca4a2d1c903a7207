"""Makes the page of the mode Chains, and joins it with the study."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.gui.chains.asking import Asking
from app.gui.chains.keys import ChainKeys
from app.gui.chains.reviewing import ChainReviewing
from app.gui.chains.showing import Showing
from app.gui.context import Context
from widgets.chain_page.page import ChainsPage


def make(context: Context) -> QWidget:
    """Return the page."""
    page = ChainsPage()
    chosen, drawing = context.chains.chosen, context.chains.drawing
    Showing(context, page, chosen, drawing)
    asking = Asking(context, page, chosen, drawing)
    reviewing = ChainReviewing(context, page, chosen)
    ChainKeys(context, page, chosen, drawing, asking, reviewing)
    page.asked.connect(context.trigger)
    page.graph.menu_requested.connect(lambda where, _node: context.chains.menu(where, _menu(page)))
    page.acts = {
        "type": asking.type_words,
        "reason": asking.ask_reason,
        "result": asking.ask_result,
        "copy": reviewing.copy,
        "agree_on": reviewing.agree_on,
    }
    return page


def _menu(page: QWidget) -> QMenu:
    menu = QMenu(page)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu
