"""Windows of their own about the study as a whole: tables, plots, plans. They stay beside the main window."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from app.gui import view_state
from app.gui.context import Context
from app.gui.view_state import Remembering, View
from project.types import Json
from widgets.own_window import attach, bring_to_front
from widgets.room import within_screen

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
    "release": "app.gui.release.window:make",
    "schemes": "app.gui.schemes_window:make",
    "privacy": "app.gui.privacy.window:make",
    "pii": "app.gui.pii.window:make",
    "models": "app.gui.models.window:make",
    "prompts": "app.gui.judges.prompts_window:make",
    "revisions": "app.gui.revisions_window:make",
    "policy": "app.gui.policy.window:make",
    "question_filter": "app.gui.questions.funnel_window:make",
    "meta": "app.gui.meta.window:make",
    "question_set": "app.gui.questions.set_window:make",
    "measures": "app.gui.questions.measures_window:make",
    "episodes": "app.gui.episodes.window:make",
    "benchmark_report": "app.gui.benchmark.report_window:make",
}
"""Key -> `module:function`; the function is called with the `Context` and returns the window's widget."""

_PASSING = frozenset({"import_annotations", "export_annotations", "adjudicate", "question_set"})
"""Windows for one errand: they do not come back with the study."""
_MOVES = frozenset({QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize})


class StudyWindows(QObject):
    """Opens each at most once, and closes all of them with the study.

    Signals:
        changed: one was opened, closed, moved or resized.
    """

    changed = Signal()

    def __init__(self, context: Context, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner
        self._open: dict[str, QWidget] = {}
        self._looks: dict[str, View] = {}
        context.studio.leaving.connect(self.close_all)

    def open(self, key: str) -> QWidget:
        """Show one, in front."""
        found = self._made(key)
        bring_to_front(found)
        return found

    def key_of(self, window: QWidget) -> str:
        """Return the key of a window; "" for what is none of these."""
        return next((key for key, one in self._open.items() if one is window), "")

    def looks(self) -> dict[str, Json]:
        """Return which windows are open, and where; also where those were that were closed."""
        self._note()
        return {key: dict(looks) for key, looks in self._looks.items()}

    def restore(self, looks: Json) -> None:
        """Open the windows that were open, where they were, once the main window is there."""
        known = looks if isinstance(looks, dict) else {}
        self._looks = {key: one for key, one in known.items() if key in WINDOWS and isinstance(one, dict)}
        session = self._context.studio.session
        wanted = [key for key, one in self._looks.items() if one.get("open") is True and key not in _PASSING]

        def show() -> None:
            if self._context.studio.session is session and wanted:
                self._made(wanted.pop(0)).show()
                self._owner.activateWindow()
                # One after the other: the window lives on between them.
                QTimer.singleShot(0, self, show)

        QTimer.singleShot(0, self, show)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self.changed.emit()
        return super().eventFilter(watched, event)

    def _made(self, key: str) -> QWidget:
        if key in self._open:
            return self._open[key]
        module, function = WINDOWS[key].split(":")
        make = cast(Callable[[Context], QWidget], getattr(import_module(module), function))
        made = self._open[key] = make(self._context)
        attach(made, self._owner)
        made.resize(within_screen(made.size(), self._owner))
        before = self._looks.get(key, {})
        made.restoreGeometry(view_state.unpack(view_state.text(before, "geometry")))
        for splitter, state in zip(made.findChildren(QSplitter), view_state.texts(before, "splitters"), strict=False):
            splitter.restoreState(view_state.unpack(state))
        own = before.get("own")
        if isinstance(made, Remembering) and isinstance(own, dict):
            made.restore_looks(own)
        made.installEventFilter(self)
        return made

    def _note(self) -> None:
        for key, window in self._open.items():
            self._looks[key] = {
                "open": window.isVisible(),
                "geometry": view_state.pack(window.saveGeometry()),
                "splitters": [view_state.pack(one.saveState()) for one in window.findChildren(QSplitter)],
                "own": window.looks() if isinstance(window, Remembering) else {},
            }

    def close_all(self) -> None:
        """Close every one; they stay noted as open."""
        self._note()
        for window in self._open.values():
            window.close()
            window.deleteLater()
        self._open.clear()
