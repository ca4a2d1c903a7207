"""The registry of modes and study windows.

A mode's page is made when it is first shown; study windows stay beside the main window.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from app.gui.pages import context as view_state
from app.gui.pages.context import Context, StatefulView, View
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Json
from resources.translation import tr
from widgets.dialogs.dialog_windows import attach, bring_to_front
from widgets.form.layouts import bounded_to_screen


@dataclass(frozen=True, slots=True)
class WindowMode:
    """One mode: its key, its name on the bar, the keys that choose it, and what makes its page.

    `factory` is `module:name` of what makes the page from the `Context`; "" for the pages that the window makes itself.
    `width` is how many pixels the page wants, where it wants more than others.
    """

    key: str
    name: str
    keys: str
    factory: str = ""
    width: int = 0


MODES: tuple[WindowMode, ...] = (
    WindowMode("annotate", tr("Annotate"), "Ctrl+1"),
    WindowMode("faces", tr("Faces"), "Ctrl+2"),
    WindowMode("review", tr("Review"), "Ctrl+3", "app.gui.review.review_page:ReviewPage"),
    WindowMode("transcript", tr("Transcript"), "Ctrl+4", "app.gui.transcript.transcript_mode:make_transcript_page"),
    WindowMode("judges", tr("Judges"), "Ctrl+5", "app.gui.judges.judges_mode:make_judges_page", width=720),
    WindowMode("chains", tr("Chains"), "Ctrl+6", "app.gui.chains.chains_mode:make_chains_page", width=720),
    WindowMode(
        "questions", tr("Questions"), "Ctrl+7", "app.gui.questions.questions_mode:make_questions_page", width=720
    ),
    WindowMode(
        "benchmark", tr("Benchmark"), "Ctrl+8", "app.gui.benchmark.benchmark_mode:make_benchmark_page", width=720
    ),
)


class Pages(QObject):
    """Holds the page of each mode in a stack.

    Signals:
        changed: a page looks otherwise, in a way that is worth keeping.
    """

    changed = Signal()

    def __init__(self, stack: QStackedWidget, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stack = stack
        self._context = context
        self._made: dict[str, QWidget] = {}
        self._mode = MODES[0].key
        self._looks: dict[str, View] = {}

    @property
    def mode(self) -> str:
        """Key of the mode that is on."""
        return self._mode

    @property
    def width(self) -> int:
        """How many pixels the page of the mode wants; 0 where it takes what there is."""
        return next(window_mode.width for window_mode in MODES if window_mode.key == self._mode)

    def set_page(self, mode: str, page: QWidget) -> None:
        """Use a page that the window made, in place of the one before it, if any."""
        self.remove_page(mode)
        self._made[mode] = page
        self._stack.addWidget(page)
        if mode == self._mode:
            self._stack.setCurrentWidget(page)

    def remove_page(self, mode: str) -> None:
        """Delete the page of a mode."""
        page = self._made.pop(mode, None)
        if page is not None:
            self._stack.removeWidget(page)
            page.deleteLater()

    def save_state(self) -> dict[str, Json]:
        """Return what is worth keeping of how the pages look, by mode."""
        for mode, page in self._made.items():
            if isinstance(page, StatefulView):
                self._looks[mode] = page.save_state()
        return {mode: dict(looks) for mode, looks in self._looks.items()}

    def restore_state(self, looks: Json) -> None:
        """Let the pages look as they did, also those that are made later."""
        known = looks if isinstance(looks, dict) else {}
        self._looks = {mode: state for mode, state in known.items() if isinstance(state, dict)}
        for mode, page in self._made.items():
            if isinstance(page, StatefulView):
                page.restore_state(self._looks.get(mode, {}))

    def trigger_action(self, what: str) -> None:
        """Let the page of the mode that is on do something that it offers by name, if it does."""
        acts = getattr(self._made.get(self._mode), "acts", {})
        if what in acts:
            acts[what]()

    def show_page(self, mode: str) -> None:
        """Show the page of a mode; an unknown one is the first."""
        found = next((window_mode for window_mode in MODES if window_mode.key == mode), MODES[0])
        if found.key not in self._made and found.factory:
            module, function = found.factory.split(":")
            make = cast(Callable[[Context], QWidget], getattr(import_module(module), function))
            made = make(self._context)
            if isinstance(made, StatefulView):
                made.restore_state(self._looks.get(found.key, {}))
                told = getattr(made, "looks_changed", None)
                if told is not None:
                    told.connect(self.changed)
            self.set_page(found.key, made)
        self._mode = found.key
        page = self._made.get(found.key)
        if page is not None:
            self._stack.setCurrentWidget(page)
        if page is not None and page.focusProxy() is not None:
            page.setFocus()


WINDOWS: dict[str, str] = {
    "segments": "app.gui.annotate.segments_dock:SegmentsWindow",
    "checklist": "app.gui.annotate.task_checklist:ChecklistWindow",
    "import_annotations": "app.gui.files.annotation_import:ImportWindow",
    "export_annotations": "app.gui.files.annotation_export:ExportWindow",
    "agreement": "app.gui.agreement.agreement_window:AgreementWindow",
    "adjudicate": "app.gui.review.adjudication_tab:LaneForm",
    "team": "app.gui.team.team_window:TeamWindow",
    "activity": "app.gui.team.activity_tab:ActivityWindow",
    "training": "app.gui.team.training_tab:TrainingWindow",
    "release": "app.gui.release.release_window:ReleaseWindow",
    "schemes": "app.gui.settings.schemes_window:SchemesWindow",
    "privacy": "app.gui.release.privacy_tab:PrivacyWindow",
    "pii": "app.gui.release.pii_tab:PiiWindow",
    "models": "app.gui.settings.models_window:ModelsWindow",
    "prompts": "app.gui.judges.prompts_tab:PromptsWindow",
    "revisions": "app.gui.judges.judges_mode:RevisionsWindow",
    "policy": "app.gui.settings.policy_window:PolicyWindow",
    "question_filter": "app.gui.questions.filter_tab:FunnelWindow",
    "meta": "app.gui.annotate.meta_tab:MetaWindow",
    "question_set": "app.gui.questions.dataset_tab:SetWindow",
    "measures": "app.gui.questions.measures_tab:MeasuresWindow",
    "episodes": "app.gui.episodes.episodes_window:EpisodesWindow",
    "benchmark_report": "app.gui.benchmark.report_tab:ReportWindow",
}
"""Key -> `module:class` of a `StudyView`."""

_NOT_RESTORED = frozenset({"import_annotations", "export_annotations", "adjudicate", "question_set"})
"""Windows for one errand: they do not come back with the study."""
_GEOMETRY_EVENTS = frozenset({QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize})


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

    def open_window(self, key: str) -> QWidget:
        """Show one, in front."""
        found = self._get_or_create(key)
        bring_to_front(found)
        return found

    def window_key(self, window: QWidget) -> str:
        """Return the key of a window; "" for what is none of these."""
        return next((key for key, widget in self._open.items() if widget is window), "")

    def save_state(self) -> dict[str, Json]:
        """Return which windows are open, and where; also where those were that were closed."""
        self._remember_windows()
        return {key: dict(looks) for key, looks in self._looks.items()}

    def restore_state(self, looks: Json) -> None:
        """Open the windows that were open, where they were, once the main window is there."""
        known = looks if isinstance(looks, dict) else {}
        self._looks = {key: state for key, state in known.items() if key in WINDOWS and isinstance(state, dict)}
        session = self._context.studio.session
        wanted = [key for key, entry in self._looks.items() if entry.get("open") is True and key not in _NOT_RESTORED]

        def show() -> None:
            if self._context.studio.session is session and wanted:
                self._get_or_create(wanted.pop(0)).show()
                self._owner.activateWindow()
                # One after the other: the window lives on between them.
                QTimer.singleShot(0, self, show)

        QTimer.singleShot(0, self, show)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _GEOMETRY_EVENTS:
            self.changed.emit()
        return super().eventFilter(watched, event)

    def _get_or_create(self, key: str) -> QWidget:
        if key in self._open:
            return self._open[key]
        module, name = WINDOWS[key].split(":")
        make = cast(Callable[[Context], StudyView], getattr(import_module(module), name))
        made = self._open[key] = make(self._context)
        made.add_close_button()
        attach(made, self._owner)
        made.resize(bounded_to_screen(made.size(), self._owner))
        before = self._looks.get(key, {})
        made.restoreGeometry(view_state.decode_state(view_state.text_value(before, "geometry")))
        for splitter, state in zip(
            made.findChildren(QSplitter), view_state.text_list(before, "splitters"), strict=False
        ):
            splitter.restoreState(view_state.decode_state(state))
        own = before.get("own")
        if isinstance(made, StatefulView) and isinstance(own, dict):
            made.restore_state(own)
        made.installEventFilter(self)
        return made

    def _remember_windows(self) -> None:
        for key, window in self._open.items():
            self._looks[key] = {
                "open": window.isVisible(),
                "geometry": view_state.encode_state(window.saveGeometry()),
                "splitters": [view_state.encode_state(child.saveState()) for child in window.findChildren(QSplitter)],
                "own": window.save_state() if isinstance(window, StatefulView) else {},
            }

    def close_all(self) -> None:
        """Close every one; they stay noted as open."""
        self._remember_windows()
        for window in self._open.values():
            window.close()
            window.deleteLater()
        self._open.clear()
