"""The list of pages of the documentation, under their headings."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_tip import plain_tip

_KEY = Qt.ItemDataRole.UserRole


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
            item.setData(0, _KEY, page.key)
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
        key = item.data(0, _KEY)
        if key:
            self.page_chosen.emit(key)
        else:
            item.setExpanded(not item.isExpanded())
