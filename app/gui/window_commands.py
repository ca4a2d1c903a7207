"""What the menus do that is not about segments, files or playing: history, looks, lists, questions."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.commands.recordings import rename_recording
from app.gui.player import RATES
from project.version import __version__
from resources.translation import tr
from widgets import theme
from widgets.semibold import semibold
from widgets.shortcut_sheet import ShortcutSheet
from widgets.timeline.following import Follow

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

_ABOUT = tr(
    "<b>Greenroom {version}</b>"
    "<p>Annotate, anonymize and compare recordings of social interaction, on your own machine.</p>"
    "<p>Apache License 2.0. Plays with libVLC, reads with FFmpeg, drawn with Qt.</p>"
).format(version=__version__)


class WindowCommands:
    """The handlers of the actions that concern the window as a whole."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._sheet: ShortcutSheet | None = None

    def undo(self) -> None:
        """Take back the newest step."""
        self._window.inspecting.flush()
        self._window.studio.undo()

    def redo(self) -> None:
        """Do again what was undone last."""
        self._window.inspecting.flush()
        self._window.studio.redo()

    def clear(self) -> None:
        """Leave full screen, else forget the selection, else the marks."""
        if self._window.isFullScreen():
            self.toggle_full_screen()
        elif self._window.coding.discard():
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
        self._window.menus.set_theme(mode)
        if mode != self._window.studio.settings.theme:
            self._window.studio.change_settings(lambda kept: replace(kept, theme=mode))

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
        self._sheet = ShortcutSheet(self._window.menus.shortcuts(session.schemes if session else ()), self._window)
        self._sheet.change_requested.connect(self._window.shortcuts.edit)
        self._sheet.show()

    def show_about(self) -> None:
        """Say what this is."""
        QMessageBox.about(self._window, tr("About Greenroom"), semibold(_ABOUT))

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
        self._window.studio.work_as(name)
        self._window.feed.reload_lanes()
        self._window.inspecting.show()
        self._window.messages.show_message(
            tr("Edits are recorded under the name {name} from now on.").format(name=name)
        )

    def ask_export(self) -> None:
        """Open the export, for the selected segment or the marks if there are any."""
        self._window.inspecting.flush()
        self._window.exports.ask(self._window.playback.span(), self._window.player.position_us)

    def follow(self) -> None:
        """Let the timeline keep up with the playhead, or stay where it is."""
        on = self._window.menus.actions["follow"].isChecked()
        self._window.timeline.set_follow(Follow.PAGE if on else Follow.OFF)

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
