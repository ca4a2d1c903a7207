"""The guidelines beside the form: definitions, examples and worked examples, readable while annotating."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from project.schemes.scheme import Scheme, Track
from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.scheme_browser import SchemeBrowser


class GuidelinesPanel(QWidget):
    """A head with the scheme's name, and its words.

    Signals:
        close_requested: by its button.
    """

    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Guidelines"))
        self.setMinimumWidth(240)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, theme.GRID // 2, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(theme.GRID * 3 // 2, theme.GRID, theme.GRID, theme.GRID // 2)
        title = PlainLabel(tr("Guidelines"))
        title.setFont(theme.font(semibold=True))
        self._scheme = ElidedLabel()
        self._scheme.setProperty("quiet", True)
        close = QToolButton()
        close.setIcon(icon("x"))
        close.setIconSize(QSize(14, 14))
        close.setToolTip(tr("Close the guidelines (F3)"))
        close.setAccessibleName(tr("Close the guidelines"))
        close.clicked.connect(self.close_requested)
        head.setSpacing(theme.GRID)
        head.addWidget(title)
        head.addWidget(self._scheme, 1)
        head.addWidget(close)
        column.addLayout(head)
        self.words = SchemeBrowser(tr("Guidelines"))
        column.addWidget(self.words, 1)

    def show_track(self, scheme: Scheme, track: Track) -> None:
        """Show the guidelines of a track."""
        self._scheme.set_text(scheme.name)
        self.words.show_guidelines(scheme, track)
