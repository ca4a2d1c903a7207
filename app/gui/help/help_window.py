"""The help window: a page, the list of pages, a search, and a history. It makes no network request."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices, QGuiApplication, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QWidget

from app.docs_browser.docs_pages import (
    PICTURE_PREFIX,
    DocsTheme,
    find_page,
    find_picture,
    list_pages,
    page_html,
    picture_html,
    resolve_link,
    style_sheet,
)
from app.docs_browser.docs_search import search, split_words
from app.gui.help.help_pages import (
    TOP,
    AddressBar,
    ContentsTree,
    FoundList,
    FoundPlace,
    ListedPage,
    PageView,
    ScrollAnchor,
)
from app.gui.help.help_topics import START_PAGE, ReferencePageLoader
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import attach
from widgets.form.controls import line_edit, tool_button
from widgets.form.input_fields import mark_search_field
from widgets.form.layouts import bounded_to_screen, make_column, make_panel, make_row, make_splitter, make_stack

_ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
_DEFAULT_ZOOM = _ZOOMS.index(1.0)
_SIZE = QSize(1180, 820)
_FONT_SCALE = 1.12
"""Pages are read longer than labels are: their text is larger."""


@dataclass(frozen=True, slots=True)
class _ReadingPosition:
    """Where somebody reads: a page, or a picture in its own size, and how far down."""

    page: str
    picture: str = ""
    anchor: str = ""
    search_words: tuple[str, ...] = ()
    scroll: ScrollAnchor = TOP


def open_in_browser(address: str) -> None:
    """Hand an address to the program that the desktop opens it with."""
    QDesktopServices.openUrl(QUrl(address))


class HelpWindow(QWidget):
    """Shows the documentation. `browse` is called with an address that somebody wants to see in the browser."""

    def __init__(self, parent: QWidget | None = None, browse: Callable[[str], object] = open_in_browser) -> None:
        super().__init__()
        attach(self, parent)
        self._before: list[_ReadingPosition] = []
        self._after: list[_ReadingPosition] = []
        self._here = _ReadingPosition("")
        self._zoom = _DEFAULT_ZOOM
        self._places: dict[str, _ReadingPosition] = {}
        self.setWindowTitle(tr("Documentation"))
        self.setAccessibleName(tr("Documentation"))
        self.setAutoFillBackground(True)
        self.resize(bounded_to_screen(_SIZE, self))
        self.view = PageView(PICTURE_PREFIX, find_picture)
        self.contents = ContentsTree()
        self.found = FoundList()
        words = tr("Search in all pages")
        self.search = line_edit(words, words, tr("Search in all pages (Ctrl+F)"), clearButtonEnabled=True)
        mark_search_field(self.search)
        self.address = AddressBar()
        self.reference = ReferencePageLoader(self)
        self._lay_out()
        self._connect_signals(browse)
        self.contents.show_pages(
            ListedPage(page.name, page.title, (*filter(None, (page.section, page.group)),)) for page in list_pages()
        )

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return self._here.page

    def show_page(self, name: str) -> None:
        """Show a page, given as `NAME` or `NAME#PLACE`."""
        page, _, anchor = name.partition("#")
        self._go_to(_ReadingPosition(page if find_page(page) else START_PAGE, anchor=anchor))

    def follow(self, link: str) -> None:
        """Go where a link of the page leads; one that leads out is only asked about."""
        if link.startswith(PICTURE_PREFIX):
            self._go_to(replace(self._here, picture=link.removeprefix(PICTURE_PREFIX), scroll=TOP))
            return
        found = resolve_link(self._here.page, link)
        if found is not None and found.address:
            self.address.confirm_link(found.address)
        elif found is not None and found.page:
            self._go_to(_ReadingPosition(found.page, anchor=found.anchor))

    def step_history(self, step: int) -> None:
        """Go back (-1) to what was shown before, or forward (1) again."""
        taken, given = (self._before, self._after) if step < 0 else (self._after, self._before)
        if taken:
            given.append(self._current_place())
            self._here = taken.pop()
            self._show()

    def zoom(self, steps: int) -> None:
        """Show everything larger or smaller; 0 is the usual size."""
        wanted = min(max(self._zoom + steps, 0), len(_ZOOMS) - 1) if steps else _DEFAULT_ZOOM
        if wanted != self._zoom:
            self._zoom = wanted
            self._redraw()

    def escape(self) -> None:
        """Take away what was asked or searched for, else the window."""
        if self.address.isVisible():
            self.address.hide()
        elif self.search.text():
            self.search.clear()
        else:
            self.close()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.reference.load()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.reference.close()
        super().closeEvent(event)

    def _lay_out(self) -> None:
        self.back = tool_button("arrow-left", tr("Back"), do=lambda: self.step_history(-1), keys="Alt+Left")
        self.forward = tool_button("arrow-right", tr("Forward"), do=lambda: self.step_history(1), keys="Alt+Right")
        home = tool_button("book-open", tr("First page"), do=lambda: self.show_page(START_PAGE), keys="Alt+Home")
        smaller = tool_button("zoom-out", tr("Smaller"), do=lambda: self.zoom(-1), keys="Ctrl+-")
        larger = tool_button("zoom-in", tr("Larger"), do=lambda: self.zoom(1), keys="Ctrl++")
        self._left = make_stack(self.contents, self.found)
        side = make_panel(make_column(self.search, self._left, 1, margin=(theme.GRID, theme.GRID, 0, theme.GRID)))
        head = make_row(self.back, self.forward, home, None, smaller, larger, margin=theme.GRID)
        main = make_panel(make_column(head, self.view, 1, self.address, spacing=0))
        self.setLayout(make_row(make_splitter(Qt.Orientation.Horizontal, side, main, 1, sizes=[340, 840])))
        self.view.setFocus()

    def _connect_signals(self, browse: Callable[[str], object]) -> None:
        self.contents.page_chosen.connect(self.show_page)
        self.found.place_chosen.connect(lambda key: self._go_to(self._places[key]))
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._go_to_first)
        self.view.link_chosen.connect(self.follow)
        self.view.zoom_requested.connect(self.zoom)
        self.view.history_step_requested.connect(self.step_history)
        self.view.width_changed.connect(self._redraw)
        self.address.open_requested.connect(browse)
        self.address.copy_requested.connect(lambda address: QGuiApplication.clipboard().setText(address))
        self.reference.pages_filled.connect(self._redraw)
        theme.notifier.changed.connect(self._redraw)
        keys: dict[str, Callable[[], object]] = {
            "Alt+Left": lambda: self.step_history(-1),
            "Alt+Right": lambda: self.step_history(1),
            "Alt+Home": lambda: self.show_page(START_PAGE),
            "Ctrl+F": self._focus_search,
            "Ctrl++": lambda: self.zoom(1),
            "Ctrl+=": lambda: self.zoom(1),
            "Ctrl+-": lambda: self.zoom(-1),
            "Ctrl+0": lambda: self.zoom(0),
            "Esc": self.escape,
        }
        for key, do in keys.items():
            QShortcut(QKeySequence(key), self).activated.connect(do)

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _search(self, typed: str) -> None:
        words = tuple(split_words(typed))
        self._left.setCurrentWidget(self.found if words else self.contents)
        listed = []
        self._places = {}
        for index, docs_search_hit in enumerate(search(typed)):
            key, section = str(index), docs_search_hit.section
            title = section.page.title
            listed.append(
                FoundPlace(key, section.heading or title, title if section.heading else "", docs_search_hit.excerpt)
            )
            self._places[key] = _ReadingPosition(section.page.name, anchor=section.anchor, search_words=words)
        self.found.show_places(listed)
        self.found.nothing.setText(tr("No page has “{typed}”. Try fewer or shorter words.").format(typed=typed.strip()))
        if not words:
            self._here = replace(self._here, search_words=())
            self.view.highlight(())

    def _go_to_first(self) -> None:
        if self._places:
            self._go_to(self._places["0"])
            self.found.setFocus()

    def _go_to(self, place: _ReadingPosition) -> None:
        if self._here.page:
            self._before.append(self._current_place())
        self._after.clear()
        self._here = place
        self._show()

    def _current_place(self) -> _ReadingPosition:
        return replace(self._here, anchor="", scroll=self.view.scroll_anchor())

    def _show(self) -> None:
        here = self._here
        self.address.hide()
        self._draw()
        if here.anchor:
            self.view.scrollToAnchor(here.anchor)
        else:
            self.view.scroll_to(here.scroll)
        page = find_page(here.page)
        title = page.title if page is not None else ""
        self.setWindowTitle(tr("{title} (documentation)").format(title=title))
        self.contents.show_current(here.page)
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))

    def _redraw(self) -> None:
        if self._here.page:
            down = self.view.scroll_anchor()
            self._draw()
            self.view.scroll_to(down)

    def _draw(self) -> None:
        look, here = self._docs_theme(), self._here
        html = picture_html(here.picture) if here.picture else page_html(here.page, look)
        self.view.show_page(html, style_sheet(look), _ZOOMS[self._zoom])
        self.view.highlight(here.search_words)

    def _docs_theme(self) -> DocsTheme:
        colours = theme.palette()
        return DocsTheme(
            points=theme.font().pointSizeF() * _FONT_SCALE * _ZOOMS[self._zoom],
            text=colours.text.name(),
            muted=colours.muted.name(),
            accent=colours.accent.name(),
            border=colours.border.name(),
            code=colours.panel.name(),
            code_text=colours.text.name(),
        )
