"""Windows of their own about the study as a whole: tables, plots, plans. They stay beside the main window."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.gui.context import Context

WINDOWS: dict[str, str] = {
    "segments": "app.gui.segments.window:make",
    "checklist": "app.gui.segments.checklist_window:make",
    "import_annotations": "app.gui.interchange.import_window:import_window",
    "export_annotations": "app.gui.interchange.export_window:export_window",
    "agreement": "app.gui.agreement.window:make",
    "adjudicate": "app.gui.review.adjudicating:make",
    "team": "app.gui.team.window:make",
    "activity": "app.gui.activity_window:make",
    "training": "app.gui.training.window:make",
    "schemes": "app.gui.schemes_window:make",
}
"""Key -> `module:function`; the function is called with the `Context` and returns the window's widget."""


class StudyWindows(QObject):
    """Opens each at most once, and closes all of them with the study."""

    def __init__(self, context: Context, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner
        self._open: dict[str, QWidget] = {}
        context.studio.leaving.connect(self.close_all)

    def open(self, key: str) -> QWidget:
        """Show one, in front."""
        found = self._open.get(key)
        if found is None:
            module, function = WINDOWS[key].split(":")
            make = cast(Callable[[Context], QWidget], getattr(import_module(module), function))
            found = self._open[key] = make(self._context)
            found.setParent(self._owner, Qt.WindowType.Window)
        found.show()
        found.raise_()
        found.activateWindow()
        return found

    def close_all(self) -> None:
        """Close every one."""
        for window in self._open.values():
            window.close()
            window.deleteLater()
        self._open.clear()
