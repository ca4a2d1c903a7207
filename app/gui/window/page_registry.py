"""The registry of modes and study windows, each with the views on its tabs.

A view is made when it is first shown; study windows stay beside the main window.
"""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.gui.pages import context as view_state
from app.gui.pages.context import Context, View
from app.gui.pages.study_view import StudyView
from app.gui.pages.tabbed_view import TabbedView, ViewTab, paint_apart
from app.gui.study.background import in_turn
from project.entities.study_records import Json
from resources.translation import tr
from widgets.dialogs.dialog_windows import attach, bring_to_front
from widgets.form.layouts import bounded_to_screen, bring_up


@dataclass(frozen=True, slots=True)
class WindowMode:
    """One mode: its key, its name on the bar, the keys that choose it, and the views on the tabs of its page.

    The window makes a page without `tabs` itself; `page` documents it. `width` is how many pixels the page wants, where
    it wants more than others.
    """

    key: str
    name: str
    keys: str
    tabs: tuple[ViewTab, ...] = ()
    width: int = 0
    page: str = ""


def _mode(key: str, name: str, keys: str, factory: str, page: str, width: int = 0) -> WindowMode:
    return WindowMode(key, name, keys, (ViewTab(key, name, factory, page),), width)


MODES: tuple[WindowMode, ...] = (
    WindowMode("annotate", tr("Annotate"), "Ctrl+1", page="annotating.md"),
    WindowMode("faces", tr("Faces"), "Ctrl+2", page="faces.md#in-the-window"),
    WindowMode(
        "review",
        tr("Review"),
        "Ctrl+3",
        (
            ViewTab("review", tr("Items"), "app.gui.review.review_page:ReviewPage", "review.md"),
            ViewTab(
                "adjudicate",
                tr("Adjudicated lane"),
                "app.gui.review.adjudication_tab:AdjudicationTab",
                "review.md#one-lane-of-several",
            ),
        ),
    ),
    _mode(
        "transcript",
        tr("Transcript"),
        "Ctrl+4",
        "app.gui.transcript.transcript_mode:make_transcript_page",
        "transcripts.md",
    ),
    WindowMode(
        "judges",
        tr("Judges"),
        "Ctrl+5",
        (
            ViewTab("judges", tr("Judgments"), "app.gui.judges.judges_mode:make_judges_page", "judges.md"),
            ViewTab(
                "prompts", tr("Prompts"), "app.gui.judges.prompts_tab:PromptsTab", "judges.md#tasks-variants-prompts"
            ),
            ViewTab("revisions", tr("Revisions"), "app.gui.judges.judges_mode:RevisionsTab", "judges.md#blind-first"),
        ),
        720,
    ),
    _mode("chains", tr("Chains"), "Ctrl+6", "app.gui.chains.chains_mode:make_chains_page", "causal-chains.md", 720),
    _mode(
        "questions",
        tr("Questions"),
        "Ctrl+7",
        "app.gui.questions.questions_mode:make_questions_page",
        "questions.md",
        720,
    ),
    _mode(
        "benchmark",
        tr("Benchmark"),
        "Ctrl+8",
        "app.gui.benchmark.benchmark_mode:make_benchmark_page",
        "benchmark.md",
        720,
    ),
)
WINDOWS: dict[str, tuple[ViewTab, ...]] = {
    "segments": (
        ViewTab("segments", tr("Segments"), "app.gui.annotate.segments_tab:SegmentsTab", "finding.md"),
        ViewTab(
            "checklist", tr("Checklist"), "app.gui.annotate.task_checklist:ChecklistTab", "finding.md#the-checklist"
        ),
        ViewTab("meta", tr("Meta information"), "app.gui.annotate.meta_tab:MetaTab", "meta-information.md"),
    ),
    "import_annotations": (
        ViewTab("import_annotations", "", "app.gui.files.annotation_import:ImportWindow", "interchange.md"),
    ),
    "export_annotations": (
        ViewTab("export_annotations", "", "app.gui.files.annotation_export:ExportWindow", "interchange.md"),
    ),
    "agreement": (
        ViewTab("agreement", tr("Agreement"), "app.gui.agreement.agreement_window:AgreementWindow", "agreement.md"),
        ViewTab("time_budget", tr("Time budget"), "app.gui.statistics.time_budget_tab:TimeBudgetTab", "time-budget.md"),
        ViewTab(
            "transitions",
            tr("Transitions"),
            "app.gui.statistics.transitions_tab:TransitionsTab",
            "time-budget.md#transitions",
        ),
    ),
    "evaluation": (
        ViewTab(
            "question_filter", tr("Filter questions"), "app.gui.questions.filter_tab:FilterTab", "question-filtering.md"
        ),
        ViewTab(
            "measures",
            tr("What judges understand"),
            "app.gui.questions.measures_tab:MeasuresTab",
            "questions.md#how-well-judges-answer",
        ),
        ViewTab(
            "question_set",
            tr("Data set of questions"),
            "app.gui.questions.dataset_tab:DatasetTab",
            "question-data-set.md",
        ),
        ViewTab(
            "benchmark_report", tr("Benchmark report"), "app.gui.benchmark.report_tab:ReportTab", "benchmark-report.md"
        ),
    ),
    "team": (
        ViewTab("team", tr("Work plan"), "app.gui.team.team_tab:TeamTab", "team.md"),
        ViewTab("training", tr("Training"), "app.gui.team.training_tab:TrainingTab", "team.md#training"),
        ViewTab(
            "activity", tr("Active minutes"), "app.gui.team.activity_tab:ActivityTab", "long-sessions.md#active-minutes"
        ),
    ),
    "release": (
        ViewTab("release", tr("Release"), "app.gui.release.release_tab:ReleaseTab", "release.md"),
        ViewTab("privacy", tr("Privacy of exports"), "app.gui.release.privacy_tab:PrivacyTab", "privacy.md"),
        ViewTab(
            "pii", tr("Personal information"), "app.gui.release.pii_tab:PiiTab", "personal-information.md#in-the-window"
        ),
    ),
    "schemes": (ViewTab("schemes", "", "app.gui.settings.schemes_window:SchemesWindow", "schemes.md"),),
    "models": (ViewTab("models", "", "app.gui.settings.models_window:ModelsWindow", "models.md"),),
    "policy": (ViewTab("policy", "", "app.gui.settings.policy_window:PolicyWindow", "what-leaves.md"),),
    "episodes": (ViewTab("episodes", "", "app.gui.episodes.episodes_window:EpisodesWindow", "episodes.md"),),
}
"""Key of a window -> the views on its tabs. What needs more width than the page of a mode has is in a window."""
VIEW_TABS = tuple(tab for tabs in (*(mode.tabs for mode in MODES), *WINDOWS.values()) for tab in tabs)
VIEW_PAGES = {tab.key: tab.page for tab in VIEW_TABS} | {mode.key: mode.page for mode in MODES if not mode.tabs}
"""View, or mode whose page the window makes -> page of the documentation."""


def find_mode(view: str) -> str:
    """Return the key of the mode whose page shows a view; "" where a window does."""
    return next((mode.key for mode in MODES if view in {tab.key for tab in mode.tabs}), "")


class Pages(QObject):
    """Holds the page of each mode in a stack.

    Signals:
        changed: a page looks otherwise, in a way that is worth keeping.
        view_made (QWidget): a part of a page was made.
    """

    changed = Signal()
    view_made = Signal(QWidget)

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

    @property
    def view_key(self) -> str:
        """Key of the view that is shown; that of the mode where the window made its page."""
        page = self._made.get(self._mode)
        return page.key if isinstance(page, TabbedView) else self._mode

    def set_page(self, mode: str, page: QWidget) -> None:
        """Use a page that the window made, in place of the one before it, if any."""
        self.remove_page(mode)
        self._made[mode] = page
        self._stack.addWidget(page)
        self.view_made.emit(page)
        if mode == self._mode:
            bring_up(self._stack, self._stack.indexOf(page))

    def remove_page(self, mode: str) -> None:
        """Delete the page of a mode."""
        page = self._made.pop(mode, None)
        if page is not None:
            self._stack.removeWidget(page)
            page.deleteLater()

    def save_state(self) -> dict[str, Json]:
        """Return what is worth keeping of how the pages look, by mode."""
        for mode, page in self._made.items():
            if isinstance(page, TabbedView):
                self._looks[mode] = page.save_state()
        return {mode: dict(looks) for mode, looks in self._looks.items()}

    def restore_state(self, looks: Json) -> None:
        """Let the pages look as they did, also those that are made later."""
        known = looks if isinstance(looks, dict) else {}
        self._looks = {mode: state for mode, state in known.items() if isinstance(state, dict)}
        for mode, page in self._made.items():
            if isinstance(page, TabbedView):
                page.restore_state(self._looks.get(mode, {}))

    def current_view(self) -> QWidget | None:
        """Return the view that is shown."""
        page = self._made.get(self._mode)
        return page.show_view() if isinstance(page, TabbedView) else page

    def trigger_action(self, what: str) -> None:
        """Let the view that is shown do something that it offers by name, if it does."""
        acts = getattr(self.current_view(), "acts", {})
        if what in acts:
            acts[what]()

    def show_page(self, mode: str, view: str = "") -> None:
        """Show the page of a mode, and a view on it; an unknown mode is the first, "" the view that was shown last."""
        found = next((window_mode for window_mode in MODES if window_mode.key == mode), MODES[0])
        self._mode = found.key
        paint_apart(self._stack)
        if found.key not in self._made and found.tabs:
            made = TabbedView(self._context, found.tabs)
            made.view_made.connect(self.view_made)
            made.restore_state(self._looks.get(found.key, {}))
            made.changed.connect(self.changed)
            self.set_page(found.key, made)
        page = self._made.get(found.key)
        if isinstance(page, TabbedView):
            page.show_view(view)
        if page is not None:
            bring_up(self._stack, self._stack.indexOf(page))
            if page.focusProxy() is not None:
                page.setFocus()


_NOT_RESTORED = frozenset({"import_annotations", "export_annotations"})
"""Windows for one errand: they do not come back with the study."""
_GEOMETRY_EVENTS = frozenset({QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize})


class StudyWindows(QObject):
    """Opens each at most once, and closes all of them with the study.

    Signals:
        changed: one was opened, closed, moved or resized, or shows another view.
    """

    changed = Signal()

    def __init__(self, context: Context, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner
        self._open: dict[str, TabbedView] = {}
        self._looks: dict[str, View] = {}
        self._is_away = False
        context.studio.leaving.connect(self.close_all)

    def open_window(self, view: str) -> StudyView:
        """Show a view in its window, in front."""
        window = self._get_or_create(next(key for key, tabs in WINDOWS.items() if view in {tab.key for tab in tabs}))
        shown = window.show_view(view)
        bring_to_front(window)
        window.focus_first(shown)
        return shown

    def view_key(self, window: QWidget) -> str:
        """Return the key of the view that a window shows; "" for what is none of these."""
        return window.key if isinstance(window, TabbedView) and window in self._open.values() else ""

    def save_state(self) -> dict[str, Json]:
        """Return which windows are open, and where; also where those were that were closed."""
        self._remember_windows()
        return {key: dict(looks) for key, looks in self._looks.items()}

    def restore_state(self, looks: Json) -> None:
        """Open the windows that were open, where they were, once the main window is there."""
        known = looks if isinstance(looks, dict) else {}
        self._is_away = False
        self._looks = {key: state for key, state in known.items() if key in WINDOWS and isinstance(state, dict)}
        session = self._context.studio.session
        wanted = [key for key, entry in self._looks.items() if entry.get("open") is True and key not in _NOT_RESTORED]

        def show() -> None:
            if self._context.studio.session is session and wanted:
                window = self._get_or_create(wanted.pop(0))
                window.show_view()
                window.show()
                self._owner.activateWindow()
                in_turn(self, show)

        in_turn(self, show)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _GEOMETRY_EVENTS:
            self.changed.emit()
        return super().eventFilter(watched, event)

    def _get_or_create(self, key: str) -> TabbedView:
        if key in self._open:
            return self._open[key]
        made = self._open[key] = TabbedView(self._context, WINDOWS[key])
        before = self._looks.get(key, {})
        geometry = view_state.decode_state(view_state.text_value(before, "geometry"))
        attach(made, self._owner)
        made.resize(0, 0)
        is_placed = made.restoreGeometry(geometry)

        def fit(view: StudyView) -> None:
            view.add_close_button()
            if not is_placed:
                made.resize(bounded_to_screen(view.size().expandedTo(made.size()), self._owner))

        made.view_made.connect(fit)
        views = before.get("views")
        made.restore_state(views if isinstance(views, dict) else {})
        made.changed.connect(self.changed)
        made.installEventFilter(self)
        return made

    def _remember_windows(self) -> None:
        for key, window in () if self._is_away else self._open.items():
            self._looks[key] = {
                "open": window.isVisible(),
                "geometry": view_state.encode_state(window.saveGeometry()),
                "views": window.save_state(),
            }

    def hide_all(self) -> None:
        """Hide all until `restore_state`; they stay noted as open, and are told when their jobs end."""
        self._remember_windows()
        self._is_away = True
        for window in self._open.values():
            window.close()

    def close_all(self) -> None:
        """Close every one; they stay noted as open."""
        self.hide_all()
        for window in self._open.values():
            in_turn(window, window.deleteLater)
        self._open.clear()
        self._is_away = False
