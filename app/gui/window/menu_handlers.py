"""Handlers of the menu actions that concern the window as a whole: history, view, help, shortcuts and the annotator."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMessageBox

from annotate.study.recording_edits import rename_recording
from app.gui.help.help_topics import DIALOG_PAGES, START_PAGE, TUTORIAL_PAGE
from app.gui.player.player import RATES
from app.gui.window.menus import Menus
from app.gui.window.page_registry import VIEW_PAGES
from app.gui.window.parts import WindowParts
from app.gui.window.shortcuts import Shortcuts
from project.version import __version__
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import bring_to_front, change_owner
from widgets.dialogs.shortcut_dialogs import ShortcutSheet
from widgets.text_labels import semibold
from widgets.timeline.time_area import FollowMode

if TYPE_CHECKING:
    from app.gui.help.help_window import HelpWindow


_HELP_ACTION = "documentation"
_EXTENDED = QAbstractItemView.SelectionMode.ExtendedSelection


class Help(QObject):
    """Keeps one help window, which belongs to the main window, or to the dialog that waits for an answer.

    So it stays in front of that dialog, which does not block it.
    A dialog that waits gets the key for help when it comes into sight; one that blocks every other window gets a help
    window of its own.
    """

    def __init__(self, window: WindowParts, shortcuts: Shortcuts) -> None:
        super().__init__(window)
        self._window = window
        self._shortcuts = shortcuts
        self._shown: HelpWindow | None = None
        app = QApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._add_help_action)

    def open_page(self, page: str) -> "HelpWindow":
        """Show a page, given as `NAME` or `NAME#PLACE`, in front."""
        found = self._usable_window()
        found.show_page(page)
        bring_to_front(found)
        self._set_owner()
        return found

    def open_tutorial(self) -> "HelpWindow":
        """Show the page to begin with."""
        return self.open_page(TUTORIAL_PAGE)

    def open_for_context(self) -> "HelpWindow":
        """Show the page about the dialog, window or mode that is used."""
        return self.open_page(self.context_page())

    def context_page(self) -> str:
        """Return the page about what is in sight."""
        active = QApplication.activeModalWidget() or QApplication.activeWindow()
        if active is not None and active is self._shown:
            return self._shown.page
        while active is not None and active is not self._window:
            found = VIEW_PAGES.get(self._window.windows.view_key(active)) or DIALOG_PAGES.get(type(active).__name__)
            if found:
                return found
            behind = active.parentWidget()
            active = behind.window() if behind is not None else None
        return VIEW_PAGES[self._window.pages.view_key] if self._window.studio.session is not None else START_PAGE

    def close(self) -> None:
        """Close the window."""
        if self._shown is not None:
            self._shown.close()
            self._shown.deleteLater()
            self._shown = None

    def _usable_window(self) -> "HelpWindow":
        """Return a help window that can be used now."""
        from app.gui.help.help_window import HelpWindow

        modal = QApplication.activeModalWidget()
        if modal is not None and modal.windowModality() == Qt.WindowModality.ApplicationModal:
            own = modal.findChild(HelpWindow) or HelpWindow(modal)
            own.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            return own
        if self._shown is None:
            self._shown = HelpWindow(self._window)
        return self._shown

    def _set_owner(self) -> None:
        """Let the help window belong to the dialog that waits for an answer, or to the main window."""
        if self._shown is not None:
            change_owner(self._shown, QApplication.activeModalWidget() or self._window)

    def _add_help_action(self) -> None:
        """Let a dialog that waits have the keys for help; the window's own do not reach it."""
        self._set_owner()
        modal = QApplication.activeModalWidget()
        if modal is None or modal.property(_HELP_ACTION):
            return
        modal.setProperty(_HELP_ACTION, True)
        for key in self._shortcuts.keys(_HELP_ACTION):
            QShortcut(QKeySequence(key), modal).activated.connect(self.open_for_context)


_ABOUT_TEXT = tr(
    "<b>Greenroom {version}</b>"
    "<p>Annotate, anonymize and compare recordings of social interaction, on your own machine.</p>"
    "<p>Apache License 2.0. Plays with libVLC, reads with FFmpeg, drawn with Qt.</p>"
).format(version=__version__)


class WindowCommands:
    """The handlers of the actions that concern the window as a whole."""

    def __init__(self, window: WindowParts, menus: Menus, shortcuts: Shortcuts) -> None:
        self._window = window
        self._menus = menus
        self._shortcuts = shortcuts
        self._sheet: ShortcutSheet | None = None

    def undo(self) -> None:
        """Take back the newest step."""
        self._window.inspecting.flush()
        self._window.studio.undo()

    def redo(self) -> None:
        """Do again what was undone last."""
        self._window.inspecting.flush()
        self._window.studio.redo()

    def select_all(self) -> None:
        """Select everything in the list that has the focus, else the annotator's segments."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractItemView) and focused.selectionMode() is _EXTENDED:
            focused.selectAll()
        else:
            self._window.feed.select_editable()

    def clear_selection(self) -> None:
        """Leave full screen, else forget the selection, else the marks."""
        if self._window.isFullScreen():
            self.toggle_full_screen()
        elif self._window.coding.discard_open():
            return
        elif self._window.studio.selected:
            self._window.studio.select(())
        elif self._window.studio.selected_nodes:
            self._window.studio.select_nodes(())
        elif self._window.studio.mark_in is not None or self._window.studio.mark_out is not None:
            self._window.studio.set_marks(None, None)
        else:
            self._window.messages.dismiss()

    def change_rate(self, steps: int) -> None:
        """Play slower or faster by a step."""
        nearest = min(range(len(RATES)), key=lambda i: abs(RATES[i] - abs(self._window.player.rate)))
        self._window.player.set_rate(RATES[min(max(nearest + steps, 0), len(RATES) - 1)])

    def toggle_full_screen(self) -> None:
        """Show nothing but the picture on the whole screen, or everything again."""
        only = not self._window.isFullScreen()
        self._window.workspace.show_picture_only(only)
        self._window.menuBar().setVisible(not only)
        self._window.messages.setVisible(not only)
        self._window.full_screen_hints.set_full_screen(only)
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)
        if not only:
            self._window.timeline.setFocus()

    def leave_full_screen(self) -> None:
        """Show everything again, if only the picture is shown."""
        if self._window.isFullScreen():
            self.toggle_full_screen()

    def set_theme(self, mode: str) -> None:
        """Change the colours, and remember it."""
        apply_theme(mode)
        self._menus.set_theme(mode)
        if mode != self._window.studio.settings.theme:
            self._window.studio.change_settings(lambda kept: replace(kept, theme=mode))

    def set_text_size(self, size: int) -> None:
        """Change the size of text, and remember it."""
        apply_text_size(size)
        self._menus.set_text_size(theme.text_size())
        if size != self._window.studio.settings.text_size:
            self._window.studio.change_settings(lambda kept: replace(kept, text_size=size))

    def show_jobs(self) -> None:
        """Open the list of jobs under its button."""
        button, panel = self._window.workspace.modes.jobs, self._window.workspace.jobs_panel
        panel.move(button.mapToGlobal(QPoint(button.width() - panel.width(), button.height() + 4)))
        panel.show()

    def show_shortcuts(self) -> None:
        """Open the sheet of all keys, or close it."""
        if self._sheet is not None and self._sheet.isVisible():
            self._sheet.close()
            return
        session = self._window.studio.session
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = ShortcutSheet(self._menus.shortcuts(session.schemes if session else ()), self._window)
        self._sheet.change_requested.connect(self._shortcuts.open_editor)
        self._sheet.show()

    def show_about(self) -> None:
        """Say what this is."""
        QMessageBox.about(self._window, tr("About Greenroom"), semibold(_ABOUT_TEXT))

    def ask_annotator(self) -> None:
        """Ask under which name edits are recorded."""
        session = self._window.studio.session
        if session is None:
            return
        before = session.annotator_name
        name = self._window.files.questions.text(
            tr("Annotator"), tr("Your name or pseudonym, kept with every edit"), before
        )
        if not name or name == before:
            return
        self._window.studio.change_settings(lambda kept: replace(kept, annotator=name))
        self._window.studio.set_annotator(name)
        self._window.feed.reload_lanes()
        self._window.inspecting.show()
        self._window.messages.show_message(
            tr("Edits are recorded under the name {name} from now on.").format(name=name)
        )

    def ask_export(self) -> None:
        """Open the export, for the selected segment or the marks if there are any."""
        self._window.inspecting.flush()
        self._window.exports.ask(self._window.playback.current_span(), self._window.player.position_us)

    def toggle_follow(self) -> None:
        """Let the timeline keep up with the playhead, or stay where it is."""
        on = self._menus.actions["follow"].isChecked()
        self._window.timeline.set_follow(FollowMode.PAGE if on else FollowMode.OFF)

    def rename_recording(self) -> None:
        """Ask for another name of the recording that is shown."""
        recording = self._window.studio.recording
        if recording is None:
            return
        name = self._window.files.questions.text(tr("Rename recording"), tr("Name of the recording"), recording.name)
        if name and name != recording.name:
            self._window.studio.edit(lambda session: rename_recording(session, recording.id, name))


def apply_theme(mode: str) -> None:
    """Give the program its colours; a mode that is not known follows the desktop."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        theme.apply(app, mode if mode in get_args(theme.Mode) else "system")  # type: ignore[arg-type]


def apply_text_size(size: int) -> None:
    """Give every text of the program a size, in per cent; one that is not offered is the usual one."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        theme.set_text_size(app, size if size in theme.TEXT_SIZES else 100)
