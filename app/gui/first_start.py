"""What the window asks at the first start of the program."""

from dataclasses import replace
from typing import TYPE_CHECKING

from app.gui.starting import StartDialog

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


class FirstStart:
    """Asks once, at the first start of the program, and never again."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self.dialog: StartDialog | None = None

    def ask(self) -> None:
        """Show the dialog over the window, where it was not shown before."""
        settings = self._window.studio.settings
        if settings.welcomed or settings.recent:
            return
        self.dialog = self._window.files.start_dialog(first=True)
        self.dialog.finished.connect(self._go_on)
        self.dialog.open()

    def _go_on(self, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        self._window.studio.change_settings(lambda kept: replace(kept, welcomed=True))
        if result == StartDialog.DialogCode.Accepted:
            self._window.files.begin(dialog.plan())
        dialog.deleteLater()
