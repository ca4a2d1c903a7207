"""Shows one page of the documentation: words, tables, code and pictures. It reads shipped pictures and nothing else."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QRegularExpression, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QImage, QMouseEvent, QResizeEvent, QTextBlock, QTextCursor, QTextDocument, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from resources.translation import tr
from widgets import theme

_WIDEST = 840
"""Pixels of a line in the usual size: longer ones are hard to read."""
_SETTLED_MS = 120
_MOST_MARKED = 300
_BACK, _FORWARD = Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton


@dataclass(frozen=True, slots=True)
class Place:
    """What is at the top of the view, however wide lines are: the number of a block, and how much of it is above."""

    block: int = 0
    above: float = 0.0


TOP = Place()


class PageView(QTextBrowser):
    """Words to read, to select and to copy; a link is told, never followed.

    Signals:
        link_chosen (str): a link, as the page has it.
        zoom_requested (int): one size larger (1) or smaller (-1).
        walk_requested (int): back (-1) or forward (1), by the buttons of a mouse.
        width_changed: pictures and lines have another room now, so the page has to be drawn again.
    """

    link_chosen = Signal(str)
    zoom_requested = Signal(int)
    walk_requested = Signal(int)
    width_changed = Signal()

    def __init__(self, whole: str, picture: Callable[[str], Path | None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = whole
        self._picture = picture
        self._zoom = 1.0
        self._drawn_for = -1
        self.setAccessibleName(tr("Page of the documentation"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        # A bar that comes and goes would change the room for pictures after they were fitted.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        # Code is broken and pictures are fitted; only the border of a table, a pixel, is wider than the room.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.anchorClicked.connect(lambda link: self.link_chosen.emit(link.toString()))
        self._settled = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(self._tell_width)

    def show_page(self, html: str, rules: str, zoom: float) -> None:
        """Show a page; pictures that are wider than the room for them are made smaller."""
        self._zoom = zoom
        self._drawn_for = self.viewport().width()
        document = self.document()
        document.clear()
        document.setDefaultStyleSheet(rules)
        document.setDefaultFont(theme.font())
        self.setHtml(html)
        frame = document.rootFrame().frameFormat()
        left, right = self._margins()
        frame.setLeftMargin(left)
        frame.setRightMargin(right)
        frame.setTopMargin(theme.GRID * 2)
        frame.setBottomMargin(theme.GRID * 4)
        document.rootFrame().setFrameFormat(frame)
        # Lines are laid out when there is time, and until then the bar ends elsewhere: a place could not be gone to.
        height = document.documentLayout().documentSize().height()
        self.verticalScrollBar().setMaximum(max(0, math.ceil(height) - self.viewport().height()))

    def place(self) -> Place:
        """Return the place in the text that is at the top."""
        down = self.verticalScrollBar().value()
        if not down:
            return TOP
        tops = ((self._room_of(block).top(), block.blockNumber()) for block in self._blocks())
        top, number = max((one for one in tops if one[0] <= down), default=(0.0, 0))
        height = self._room_of(self.document().findBlockByNumber(number)).height()
        return Place(number, min(1.0, (down - top) / max(height, 1.0)))

    def go_to(self, place: Place) -> None:
        """Show the text from a place on."""
        if place == TOP:
            self.verticalScrollBar().setValue(0)
            return
        block = self.document().findBlockByNumber(min(place.block, self.document().blockCount() - 1))
        there = self._room_of(block)
        self.verticalScrollBar().setValue(round(there.top() + place.above * there.height()))

    def mark(self, words: Sequence[str]) -> None:
        """Show where words begin that were searched for; none takes the marks away."""
        marks: list[QTextEdit.ExtraSelection] = []
        for word in words:
            wanted = QRegularExpression(
                rf"\b{QRegularExpression.escape(word)}", QRegularExpression.PatternOption.CaseInsensitiveOption
            )
            found = self.document().find(wanted)
            while not found.isNull() and len(marks) < _MOST_MARKED:
                marks.append(self._marked(found))
                found = self.document().find(wanted, found)
        self.setExtraSelections(marks)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        asked = name.toString() if isinstance(name, QUrl) else name
        path = self._picture(asked.removeprefix(self._whole))
        if path is None:
            return QImage()
        image = QImage(str(path))
        scale = self.devicePixelRatioF()
        room = round((self.viewport().width() - sum(self._margins())) * scale)
        if not asked.startswith(self._whole) and image.width() > room > 0:
            image = image.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
            image.setDevicePixelRatio(scale)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._settled.start()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.zoom_requested.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() in (_BACK, _FORWARD):
            self.walk_requested.emit(-1 if event.button() == _BACK else 1)
        else:
            super().mouseReleaseEvent(event)

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _room_of(self, block: QTextBlock) -> QRectF:
        return self.document().documentLayout().blockBoundingRect(block)

    def _margins(self) -> tuple[int, int]:
        least = theme.GRID * 3
        return least, max(least, self.viewport().width() - least - round(_WIDEST * self._zoom))

    def _marked(self, found: QTextCursor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.cursor = found
        mark.format.setBackground(theme.palette().selection)
        return mark

    def _tell_width(self) -> None:
        if self.viewport().width() != self._drawn_for:
            self.width_changed.emit()
