"""The documentation inside the window."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app.docs_browser.docs_pages import list_pages
from app.gui.help.help_window import HelpWindow
from app.gui.window.main_window import MainWindow
from widgets import theme


@pytest.fixture(scope="module")
def browsed() -> list[str]:
    """The addresses that were opened in the browser."""
    return []


@pytest.fixture(scope="module")
def help_window(qapp: QApplication, look: None, browsed: list[str]) -> Iterator[HelpWindow]:
    made = HelpWindow(browse=browsed.append)
    made.show()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def shown(help_window: HelpWindow) -> HelpWindow:
    """The window at its first page."""
    help_window.show()
    help_window.activateWindow()
    help_window.search.clear()
    help_window.show_page("index.md")
    return help_window


def test_it_lists_the_pages_in_the_order_of_the_site_and_shows_each(shown: HelpWindow) -> None:
    assert shown.contents.titles() == [page.title for page in list_pages()]
    for page in list_pages()[::20]:
        shown.contents.page_chosen.emit(page.name)
        assert shown.page == page.name
        assert page.title in shown.view.toPlainText()
        assert page.title in shown.windowTitle()


def test_links_go_to_pages_and_to_places_in_them_and_back_again(qtbot: QtBot) -> None:
    shown = HelpWindow()
    qtbot.addWidget(shown)
    shown.show()
    shown.show_page("index.md")
    assert not shown.back.isEnabled()
    shown.follow("tutorial.md")
    shown.follow("faces.md#where-it-ends")
    down = shown.view.verticalScrollBar().value()
    assert shown.page == "faces.md"
    assert down > 0
    shown.follow("#reviewing")
    assert shown.view.verticalScrollBar().value() < down
    shown.step_history(-1)
    assert abs(shown.view.verticalScrollBar().value() - down) < theme.GRID * 4
    shown.step_history(-1)
    assert shown.page == "tutorial.md"
    shown.step_history(1)
    assert (shown.page, shown.forward.isEnabled()) == ("faces.md", True)
    shown.show_page("index.md")
    assert not shown.forward.isEnabled()


def test_the_bar_ends_where_the_page_does_at_once(shown: HelpWindow) -> None:
    shown.follow("faces.md#where-it-ends")
    bar, view = shown.view.verticalScrollBar(), shown.view
    end = view.document().documentLayout().documentSize().height() - view.viewport().height()
    assert abs(bar.maximum() - end) <= 1
    assert not view.horizontalScrollBar().isVisible()
    there = next(block for block in view._blocks() if block.text() == "Where it ends")
    assert bar.value() <= view._block_rect(there).top() <= bar.value() + view.viewport().height()


def test_a_link_that_leads_out_is_shown_and_opened_only_when_asked(shown: HelpWindow, browsed: list[str]) -> None:
    address = "https://cryptography.io"
    shown.follow(address)
    assert address in shown.address.words.text()
    assert (shown.address.isVisible(), browsed, shown.page) == (True, [], "index.md")
    shown.address.copy_it.click()
    assert QApplication.clipboard().text() == address
    assert browsed == []
    shown.follow(address)
    shown.address.open_it.click()
    assert browsed == [address]
    assert not shown.address.isVisible()


def test_nothing_but_shipped_pictures_is_read(shown: HelpWindow) -> None:
    kind = QTextDocument.ResourceType
    for name in ("https://example.org/x.png", "file:///etc/hostname", "../../x.png", "none.png"):
        assert shown.view.loadResource(kind.ImageResource.value, QUrl(name)).isNull(), name
        assert shown.view.loadResource(kind.HtmlResource.value, QUrl(name)) is None, name


def test_a_picture_fits_and_a_click_shows_it_whole(shown: HelpWindow) -> None:
    kind = QTextDocument.ResourceType.ImageResource.value
    whole = shown.view.loadResource(kind, QUrl("picture:window-light.png"))
    fitted: QImage = shown.view.loadResource(kind, QUrl("window-light.png"))
    assert fitted.width() < whole.width()
    assert fitted.width() <= shown.view.viewport().width() * fitted.devicePixelRatio()
    shown.follow("picture:window-light.png")
    assert shown.view.toPlainText().strip() in ("", "\ufffc")
    shown.step_history(-1)
    assert "Greenroom" in shown.view.toPlainText()


def test_a_search_lists_places_and_marks_the_words(shown: HelpWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(shown.search, "certificate withdraw")
    places = shown.found.places()
    assert shown.found.isVisible()
    assert any("The certificate" in place.heading for place in places)
    qtbot.keyClick(shown.search, Qt.Key.Key_Return)
    assert shown.page == "withdrawal.md"
    assert shown.view.extraSelections()
    shown.search.setText("zebrafish")
    assert shown.found.places() == []
    assert "zebrafish" in shown.found.nothing.text()
    shown.search.clear()
    assert shown.contents.isVisible()
    assert not shown.view.extraSelections()


def test_it_can_be_made_larger_and_follows_the_theme(shown: HelpWindow, qapp: QApplication) -> None:
    shown.show_page("faces.md")
    height = shown.view.document().size().height()
    shown.zoom(1)
    assert shown.view.document().size().height() > height
    shown.zoom(0)
    assert shown.view.document().size().height() == height
    theme.apply(qapp, "light")
    assert theme.palette().text.name() in shown.view.toHtml()
    theme.apply(qapp, "dark")


def test_escape_takes_away_one_thing_after_the_other(shown: HelpWindow) -> None:
    shown.search.setText("faces")
    shown.follow("https://cryptography.io")
    for left in (False, False):
        shown.escape()
        assert shown.isVisible()
        assert shown.address.isVisible() is left
    assert shown.search.text() == ""
    shown.escape()
    assert not shown.isVisible()


def visible_help() -> HelpWindow:
    (found,) = [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, HelpWindow) and widget.isVisible()
    ]
    return found


def test_f1_and_the_palette_open_the_page_about_what_is_in_sight(
    window: MainWindow, help_window: HelpWindow, qtbot: QtBot
) -> None:
    help_window.hide()
    for mode, page in (("faces", "faces.md"), ("review", "review.md"), ("annotate", "annotating.md")):
        window.set_mode(mode)
        window.menus.actions["documentation"].trigger()
        assert window.help.open_for_context().page == page
        window.activateWindow()
    palette = window.command_palette.open_palette()
    palette.field.setText("help releasing")
    assert [entry.key for entry in palette.shown_entries()] == ["page release.md"]
    palette.accept_current()
    assert visible_help().page == "release.md"
    visible_help().close()

    team = window.windows.open_window("team").window()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is team)
    assert window.help.context_page() == "team.md"
    team.close()
    dialog = QDialog(window)
    dialog.open()
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is dialog)
    qtbot.waitUntil(lambda: bool(dialog.property("documentation")))
    qtbot.keyClick(dialog, Qt.Key.Key_F1)
    assert visible_help().page == "annotating.md", "a dialog that blocks the window has the key too"
    dialog.close()
    window.close_study()
    assert window.help.context_page() == "index.md"
