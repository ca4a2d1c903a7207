"""Widgets of the help window: a page, the list of pages, search hits and the address bar.

Pages load shipped pictures only, and an external address is shown before it is opened.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QRegularExpression,
    QSize,
    Qt,
    QTimer,
    QUrl,
    Signal,
)
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import push_button
from widgets.form.layouts import make_row
from widgets.text_labels import PlainLabel, plain_tip


class AddressBar(QFrame):
    """A line under a page, out of sight until a link leads out.

    Signals:
        open_requested (str): this address is to be opened in the browser.
        copy_requested (str): this address is to be copied.
    """

    open_requested = Signal(str)
    copy_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._address = ""
        self.words = PlainLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
        self.open_it = push_button(
            tr("Open in the browser"),
            tr("Your browser asks the network for this page; the study has no part in it"),
            lambda: self._finish(self.open_requested),
        )
        self.copy_it = push_button(
            tr("Copy the address"), tr("Copy the address, and fetch nothing"), lambda: self._finish(self.copy_requested)
        )
        leave = push_button(tr("Stay here"), tr("Close this line (Esc)"), self.hide)
        self.setLayout(
            make_row(
                self.words,
                1,
                self.open_it,
                self.copy_it,
                leave,
                margin=(theme.GRID * 2, theme.GRID, theme.GRID * 2, theme.GRID),
            )
        )
        self.hide()

    def confirm_link(self, address: str) -> None:
        """Show where a link leads, and wait."""
        self._address = address
        self.words.setText(tr("This link leads out of Greenroom, to {address}").format(address=address))
        self.show()
        self.open_it.setFocus()

    def _finish(self, told: object) -> None:
        self.hide()
        told.emit(self._address)  # type: ignore[attr-defined]


_KEY_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page: its key, what it is called, and the headings that it stands under, the outer one first."""

    key: str
    title: str
    headings: tuple[str, ...] = ()


class ContentsTree(QTreeWidget):
    """Headings that fold, and pages below them.

    Signals:
        page_chosen (str): a page was clicked, or Return was pressed on it.
    """

    page_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages: dict[str, QTreeWidgetItem] = {}
        self.setAccessibleName(tr("Pages"))
        self.setHeaderHidden(True)
        self.setIndentation(theme.GRID * 3 // 2)
        self.setUniformRowHeights(True)
        self.setStyleSheet("QTreeWidget::item { padding: 2px 5px; }")
        self.setExpandsOnDoubleClick(False)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_pages(self, pages: Iterable[ListedPage]) -> None:
        """List these pages in their order."""
        self.clear()
        self._pages = {}
        headings: dict[tuple[str, ...], QTreeWidgetItem] = {}
        for page in pages:
            above = self.invisibleRootItem()
            for depth in range(len(page.headings)):
                named = page.headings[: depth + 1]
                if named not in headings:
                    headings[named] = QTreeWidgetItem(above, [named[-1]])
                    headings[named].setFont(0, theme.font(semibold=True))
                    headings[named].setExpanded(True)
                above = headings[named]
            item = self._pages[page.key] = QTreeWidgetItem(above, [page.title])
            item.setData(0, _KEY_ROLE, page.key)
            item.setToolTip(0, plain_tip(page.title))

    def show_current(self, key: str) -> None:
        """Mark the page that is shown."""
        item = self._pages.get(key)
        if item is None:
            self.setCurrentIndex(QModelIndex())
        elif item is not self.currentItem():
            self.setCurrentItem(item)
            self.scrollToItem(item)

    def titles(self) -> list[str]:
        """Return the pages that are listed, in their order."""
        return [item.text(0) for item in self._pages.values()]

    def _choose(self, item: QTreeWidgetItem) -> None:
        key = item.data(0, _KEY_ROLE)
        if key:
            self.page_chosen.emit(key)
        else:
            item.setExpanded(not item.isExpanded())


_EXCERPT_LINES = 2
"""How many the piece of text has."""
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """One place: its key, the heading it stands under, its page where that is called otherwise, a piece of its text."""

    key: str
    heading: str
    page: str
    excerpt: str


class FoundList(QListWidget):
    """Places to go to.

    Signals:
        place_chosen (str): a place was clicked, or Return was pressed on it.
    """

    place_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Places that were found"))
        self.setItemDelegate(_PlaceDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.nothing = EmptyHint(self, "")
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_places(self, places: Sequence[FoundPlace]) -> None:
        """List these, the best first."""
        self.clear()
        for place in places:
            item = QListWidgetItem(place.heading, self)
            item.setData(Qt.ItemDataRole.UserRole, place)
            said = ", ".join(part for part in (place.heading, place.page, place.excerpt) if part)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
        self.setCurrentRow(0 if places else -1)

    def places(self) -> list[FoundPlace]:
        """Return what is listed."""
        return [self.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.count())]

    def _choose(self, item: QListWidgetItem) -> None:
        self.place_chosen.emit(item.data(Qt.ItemDataRole.UserRole).key)


class _PlaceDelegate(QStyledItemDelegate):
    """Draws the heading over a muted piece of text."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        place: FoundPlace = index.data(Qt.ItemDataRole.UserRole)
        lines = 1 + bool(place.page) + _EXCERPT_LINES
        return QSize(0, round(QFontMetricsF(theme.font()).lineSpacing() * lines + theme.GRID * 1.5))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        place: FoundPlace = index.data(Qt.ItemDataRole.UserRole)
        colours = theme.palette()
        area = QRectF(option.rect).adjusted(theme.GRID, theme.GRID / 2, -theme.GRID, -theme.GRID / 2)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colours.selection)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, colours.hover)
        high = QFontMetricsF(theme.font()).lineSpacing()
        line = QRectF(area.left(), area.top(), area.width(), high)
        painter.setPen(colours.text)
        for text, font in ((place.heading, theme.font(semibold=True)), (place.page, theme.font())):
            if text:
                painter.setFont(font)
                painter.drawText(line, QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, line.width()))
                line.translate(0, high)
        painter.setPen(colours.text if option.state & QStyle.StateFlag.State_Selected else colours.muted)
        painter.setFont(theme.font())
        line.setHeight(high * _EXCERPT_LINES)
        painter.setClipRect(line)
        painter.drawText(line, Qt.TextFlag.TextWordWrap, place.excerpt)
        painter.restore()


_MAX_LINE_WIDTH = 840
"""Pixels of a line in the usual size: longer ones are hard to read."""
_SETTLE_MS = 120
_MAX_MARKS = 300
_BACK_BUTTON, _FORWARD_BUTTON = Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton


@dataclass(frozen=True, slots=True)
class ScrollAnchor:
    """What is at the top of the view, however wide lines are: the number of a block, and how much of it is above."""

    block: int = 0
    above: float = 0.0


TOP = ScrollAnchor()


class PageView(QTextBrowser):
    """Words to read, to select and to copy; a link is told, never followed.

    Signals:
        link_chosen (str): a link, as the page has it.
        zoom_requested (int): one size larger (1) or smaller (-1).
        history_step_requested (int): back (-1) or forward (1), by the buttons of a mouse.
        width_changed: pictures and lines have another room now, so the page has to be drawn again.
    """

    link_chosen = Signal(str)
    zoom_requested = Signal(int)
    history_step_requested = Signal(int)
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
        self._settled = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settled.timeout.connect(self._emit_width_changed)

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

    def scroll_anchor(self) -> ScrollAnchor:
        """Return the place in the text that is at the top."""
        down = self.verticalScrollBar().value()
        if not down:
            return TOP
        tops = ((self._block_rect(block).top(), block.blockNumber()) for block in self._blocks())
        top, number = max((block_top for block_top in tops if block_top[0] <= down), default=(0.0, 0))
        height = self._block_rect(self.document().findBlockByNumber(number)).height()
        return ScrollAnchor(number, min(1.0, (down - top) / max(height, 1.0)))

    def scroll_to(self, place: ScrollAnchor) -> None:
        """Show the text from a place on."""
        if place == TOP:
            self.verticalScrollBar().setValue(0)
            return
        block = self.document().findBlockByNumber(min(place.block, self.document().blockCount() - 1))
        there = self._block_rect(block)
        self.verticalScrollBar().setValue(round(there.top() + place.above * there.height()))

    def highlight(self, words: Sequence[str]) -> None:
        """Show where words begin that were searched for; none takes the marks away."""
        marks: list[QTextEdit.ExtraSelection] = []
        for word in words:
            wanted = QRegularExpression(
                rf"\b{QRegularExpression.escape(word)}", QRegularExpression.PatternOption.CaseInsensitiveOption
            )
            found = self.document().find(wanted)
            while not found.isNull() and len(marks) < _MAX_MARKS:
                marks.append(self._make_highlight(found))
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
        if event.button() in (_BACK_BUTTON, _FORWARD_BUTTON):
            self.history_step_requested.emit(-1 if event.button() == _BACK_BUTTON else 1)
        else:
            super().mouseReleaseEvent(event)

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _block_rect(self, block: QTextBlock) -> QRectF:
        return self.document().documentLayout().blockBoundingRect(block)

    def _margins(self) -> tuple[int, int]:
        least = theme.GRID * 3
        return least, max(least, self.viewport().width() - least - round(_MAX_LINE_WIDTH * self._zoom))

    def _make_highlight(self, found: QTextCursor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.cursor = found
        mark.format.setBackground(theme.palette().selection)
        return mark

    def _emit_width_changed(self) -> None:
        if self.viewport().width() != self._drawn_for:
            self.width_changed.emit()
