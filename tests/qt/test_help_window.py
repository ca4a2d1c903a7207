"""Windows beside the main one: those about the study, and the documentation with what is filled in by a process."""

import sys
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.docs_browser import docs_pages as contents
from app.docs_browser.docs_pages import list_pages, read_markdown, unfilled_pages
from app.docs_browser.docs_search import search
from app.gui.help.help_topics import ReferencePageLoader
from app.gui.help.help_window import HelpWindow
from app.gui.pages.tabbed_view import TabbedView
from app.gui.team.team_tab import TeamTab
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import WINDOWS
from resources import resource
from tests.builders.mouse_and_keys import click
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog, change_owner, owning_window
from widgets.table.record_table import RecordTable


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


def test_each_drawing_of_the_documentation_is_drawn_without_a_warning(qapp: QApplication) -> None:
    for drawing in resource("..", "docs").rglob("*.svg"):
        assert not QImage(str(drawing)).isNull(), drawing


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


def owner_of(shown: QWidget) -> object:
    handle = shown.windowHandle()
    return None if handle is None else handle.transientParent()


def closing_button(shown: QWidget) -> QPushButton:
    buttons = [button for button in shown.findChildren(QPushButton) if button.isVisible()]
    (found,) = [button for button in buttons if button.text() in ("Close", "Cancel")]
    return found


def test_a_window_about_the_study_belongs_to_the_main_window_and_closes(window: MainWindow, qtbot: QtBot) -> None:
    for key in [tab.key for tabs in WINDOWS.values() for tab in tabs]:
        view = window.windows.open_window(key)
        shown = view.window()
        assert view.isVisible(), key
        qtbot.waitUntil(shown.isActiveWindow)
        focused = QApplication.focusWidget()
        assert view.isAncestorOf(focused), key
        assert focused.focusPolicy() != Qt.FocusPolicy.NoFocus, "a control shows that it has the focus"
        assert owner_of(shown) is window.windowHandle(), key
        assert shown.windowType() is Qt.WindowType.Dialog, "window managers are told whose a dialog is, and no other"
        assert shown.windowFlags() & Qt.WindowType.WindowMaximizeButtonHint, key
        click(closing_button(shown))
        assert not shown.isVisible(), key
        window.windows.open_window(key)
        qtbot.waitUntil(shown.isActiveWindow)
        assert shown.isAncestorOf(QApplication.focusWidget()), "the keys go to it"
        QTest.keyClick(shown, Qt.Key.Key_Escape)
        assert not shown.isVisible(), key


def test_views_share_a_window_and_are_made_when_their_tab_is_first_shown(window: MainWindow, qtbot: QtBot) -> None:
    assert window.open_view("training").window() is window.open_view("team").window()
    team = TabbedView(window.context, WINDOWS["team"])
    qtbot.addWidget(team)
    team.show_view("training")
    assert team.windowTitle() == "Training"
    assert [team.tabs.tabText(at) for at in range(team.tabs.count())] == ["Work plan", "Training", "Active minutes"]
    assert not team.findChildren(TeamTab)
    team.tabs.setCurrentIndex(0)
    assert team.findChildren(TeamTab)


def test_a_column_that_was_dragged_is_as_wide_when_its_view_comes_back(window: MainWindow, qtbot: QtBot) -> None:
    prompts = window.open_view("revisions")
    table = prompts.findChildren(RecordTable)[0]
    assert not table.dragged_widths()
    table.horizontalHeader().resizeSection(0, table.columnWidth(0) + 33)
    dragged, kept = table.dragged_widths(), window.pages.save_state()["judges"]
    table.restore_widths([10] * len(dragged))
    window.pages.restore_state({"judges": kept})
    assert table.dragged_widths() == dragged
    window.open_view("judges")


def test_a_view_of_a_mode_is_a_tab_of_its_page_which_comes_back(window: MainWindow) -> None:
    window.set_mode("judges")
    beside = window.view.width()
    prompts = window.open_view("prompts")
    assert window.mode() == "judges"
    assert prompts.window() is window
    assert prompts.isVisible()
    assert window.view.width() == beside, "the picture is as wide as beside the other tabs"
    window.set_mode("annotate")
    window.set_mode("judges")
    assert prompts.isVisible()
    kept = window.pages.save_state()["judges"]
    assert kept["tab"] == "prompts"
    window.open_view("judges")
    window.pages.restore_state({"judges": kept})
    assert window.pages.current_view() is prompts
    window.open_view("judges")


def test_the_help_and_choices_of_files_belong_to_the_main_window_or_to_a_dialog_that_waits(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown = window.help.open_tutorial()
    assert owner_of(shown) is window.windowHandle()
    dialog = OwnDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    assert owning_window(window) is dialog
    window.help.open_for_context()
    assert owner_of(shown) is dialog.windowHandle(), "the dialog blocks every window that is not its own"
    dialog.close()
    assert owning_window(window) is window
    window.help.open_for_context()
    assert owner_of(shown) is window.windowHandle()
    shown.close()


TELLS = """
import json, sys
pages = [{"page": name, "title": "", "text": f"# {name}\\n\\nzebrafish {name}"} for name in sys.argv[1:]]
print(json.dumps({"pages": pages}))
"""


@pytest.fixture
def no_page_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_PAGE_TEXTS", {})


@pytest.fixture
def loaders(qtbot: QtBot) -> Iterator[Callable[[str], ReferencePageLoader]]:
    made: list[ReferencePageLoader] = []

    def make(code: str) -> ReferencePageLoader:
        made.append(ReferencePageLoader(command=(sys.executable, "-S", "-c", code)))
        return made[-1]

    yield make
    for loader in made:
        loader.close()


def test_a_window_never_comes_to_belong_to_its_own_dialog(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    dialog = QDialog(window)
    dialog.show()
    change_owner(window, dialog)
    assert window.windowHandle().transientParent() is None
    assert dialog.windowHandle().transientParent() is window.windowHandle()


def test_each_page_gets_its_own_text_once_and_is_found_by_it(
    no_page_filled: None, loaders: Callable[[str], ReferencePageLoader], qtbot: QtBot
) -> None:
    wanted = unfilled_pages()
    assert "reference/commands.md" in wanted
    assert search("zebrafish") == []
    failing = loaders("raise SystemExit(1)")
    failing.load()
    qtbot.waitUntil(lambda: not failing.is_running)
    assert unfilled_pages() == wanted, "where nothing comes back they stay as they are"
    reference = loaders(TELLS)
    with qtbot.waitSignal(reference.pages_filled):
        reference.load()
        reference.load()
    assert [read_markdown(name).split()[-1] for name in wanted] == wanted
    assert {hit.section.page.name for hit in search("zebrafish")} == set(wanted)
    reference.load()
    assert not reference.is_running
