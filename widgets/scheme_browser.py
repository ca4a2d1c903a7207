"""Shows a scheme's words, with its labels as plates in their colours and patterns."""

from PySide6.QtCore import QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from project.schemes.scheme import Scheme, Track
from widgets import theme
from widgets.label_looks import LabelLook, looks_of
from widgets.label_paint import paint_plate, plate_size
from widgets.scheme_text import guidelines, whole_scheme

_LOOK = "look:"
_BELOW = 4
"""Pixels free below a plate: its middle is at the middle of the letters beside it, and not on their line."""


class SchemeBrowser(QTextBrowser):
    """Words to read, to select and to copy."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._looks: dict[str, LabelLook] = {}
        self._html = ""
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.document().setDocumentMargin(theme.GRID * 1.5)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus | Qt.FocusPolicy.TabFocus)
        theme.notifier.changed.connect(self._draw)

    def show_guidelines(self, scheme: Scheme, track: Track) -> None:
        """Show what somebody who annotates on a track wants to look up."""
        self._show(scheme, guidelines(scheme, track))

    def show_scheme(self, scheme: Scheme) -> None:
        """Show everything that a scheme says."""
        self._show(scheme, whole_scheme(scheme))

    def show_words(self, html: str) -> None:
        """Show rich text without labels."""
        self._looks = {}
        self._html = html
        self._draw()

    def _show(self, scheme: Scheme, html: str) -> None:
        looks = {f"{track.key}/{look.key}": look for track in scheme.tracks for look in looks_of(track)}
        if (looks, html) != (self._looks, self._html):
            self._looks, self._html = looks, html
            self._draw()

    def _draw(self) -> None:
        colours = theme.palette()
        self.document().setDefaultStyleSheet(
            f"tt {{ color: {colours.muted.name()}; font-weight: 400; }} a {{ color: {colours.accent.name()}; }}"
            # The bundled typeface has this weight; anything bolder would be made up.
            "b, h2, h3 { font-weight: 600; }"
        )
        self.document().clear()
        for place, look in self._looks.items():
            self.document().addResource(
                QTextDocument.ResourceType.ImageResource, QUrl(f"{_LOOK}{place}"), self._plate(look)
            )
        at = self.verticalScrollBar().value()
        self.setHtml(self._html)
        self.verticalScrollBar().setValue(at)

    def _plate(self, look: LabelLook) -> QPixmap:
        scale = self.devicePixelRatioF()
        size = plate_size(QFontMetricsF(theme.font(semibold=True)).horizontalAdvance(look.name))
        pixmap = QPixmap(QSize(size.width(), size.height() + _BELOW) * scale)
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_plate(painter, look, QRectF(0, 0, size.width(), size.height()))
        painter.end()
        return pixmap
