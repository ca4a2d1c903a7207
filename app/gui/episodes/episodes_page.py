"""The list of episodes, and beside it the one that is played or put together."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.gui.episodes.play_view import PlayView
from app.gui.episodes.start_form import StartForm
from app.gui.episodes.words import COLUMNS
from resources.translation import tr
from widgets import theme
from widgets.empty_state import Choice, EmptyState
from widgets.icons import icon
from widgets.plain_tip import plain_tip
from widgets.rows_table import RowsTable

NEW, IMPORT = "new", "import"


class EpisodesPage(QWidget):
    """Parts and places, and nothing that they do.

    Signals:
        asked (str): `NEW` or `IMPORT`, where there is no episode yet.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = RowsTable(tr("Episodes"), COLUMNS)
        self.new = _button(tr(" New…"), "plus", tr("Put an episode together from a scenario and characters"))
        self.bring = _button(tr("Import…"), "", tr("Episodes, profiles or human scores in files of SOTOPIA"))
        self.export = _button(tr("Export…"), "", tr("All episodes as SOTOPIA writes them; never hold-outs"))
        self.play = PlayView()
        self.start = StartForm()
        choices = (Choice(NEW, tr("New episode…"), primary=True), Choice(IMPORT, tr("Import…")))
        self.nothing = EmptyState(
            "film",
            tr("No episode yet"),
            tr("Judges and people play a situation, turn by turn; then it is rated."),
            choices,
        )
        self.nothing.chosen.connect(self.asked)
        self.stack = QStackedWidget()
        for one in (self.nothing, self.play, self.start):
            self.stack.addWidget(one)
        self.stack.setContentsMargins(theme.GRID, 0, 0, 0)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        for button in (self.new, self.bring, self.export):
            row.addWidget(button)
        row.addStretch()
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, theme.GRID, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        parts = QSplitter()
        parts.addWidget(left)
        parts.addWidget(self.stack)
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 5)
        parts.setSizes([380, 860])
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(theme.GRID // 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, theme.GRID, 0, 0)
        whole.addWidget(parts)

    def turn_to(self, part: QWidget) -> None:
        """Show the episode, the form, or that there is nothing."""
        self.stack.setCurrentWidget(part)

    def shows(self, part: QWidget) -> bool:
        """Tell whether a part is in front."""
        return self.stack.currentWidget() is part


def _button(text: str, picture: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(plain_tip(tip))
    if picture:
        made.setIcon(icon(picture))
    return made
