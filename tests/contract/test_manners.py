"""What holds for every mode, window and dialog of the program, and for everything that can be done in them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotate.segments.bulk_edits import add_comment
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.scheme_changes import plan_draft
from annotate.study.scheme_draft import SchemeDraft
from app.gui.export.clip_export import ExportResult, Findings
from app.gui.files.recovery_dialog import RecoverDialog, ReportDialog
from app.gui.help.help_topics import DIALOG_PAGES
from app.gui.judges.judges_mode import RawView
from app.gui.pages.tabbed_view import TabbedView
from app.gui.settings.scheme_editor import SchemeEditor
from app.gui.study.background import _Saying
from app.gui.study.dialogs import Dialogs
from app.gui.team.team_tab import SplitDialog
from app.gui.window.action_table import ACTIONS
from app.gui.window.interrupted_jobs import InterruptedJobsDialog
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES, VIEW_TABS
from app.gui.window.shortcuts import DEFAULT_KEYS
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import add_questions
from project.queries.chain_rows import chains_of, read_graph
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from project.store.backups import Backup
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.clips import make_clip
from tests.builders.judgments import judged
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.main_windows import wait_for_turns
from tests.builders.questions_said import question
from tests.contract.documentation import ROOT
from widgets.dialogs.dialog_windows import AgreeDialog, ChoiceDialog, OwnDialog, TextDialog

VIEWS = {tab.key for tab in VIEW_TABS}
ON_THE_CLIP = ("details", "export", "transcribe", "add_judge", "withdraw", "encrypt", "shortcuts", "edit_shortcuts")
ON_A_SEGMENT = ("add_cue", "what_is_sent", "answer_yourself")
"""Actions that open a dialog, the second ones about what is chosen."""
WITHOUT_HELP = {AgreeDialog, ChoiceDialog, OwnDialog, TextDialog, _Saying}
"""Questions, and a line that says what is awaited: the page is the one of the window behind them."""


def own_classes(base: type[QWidget]) -> set[type[QWidget]]:
    """Return every class of the window that is derived from another one."""
    for floor in ("app/gui", "widgets"):
        for path in (ROOT / floor).rglob("*.py"):
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    derived, left = set(), [base]
    while left:
        for below in left.pop().__subclasses__():
            left.append(below)
            if below.__module__.startswith(("app.gui.", "widgets.")):
                derived.add(below)
    return derived


def is_spoken_of_by_qt(widget: type[QWidget]) -> bool:
    """Tell whether a screen reader knows what a widget is, also where it paints something beside."""
    return issubclass(widget, QAbstractButton | QPlainTextEdit | QDialog | QLabel | QAbstractItemView)


def entries(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        yield action
        below = action.menu()
        if isinstance(below, QMenu):
            yield from entries(below)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Path:
    """A study with something of each kind, a judge, and a last recording that has footage."""
    path = tmp_path_factory.mktemp("lab") / "lab.greenroom"
    with Study.create(path) as made:
        fill_whole_study(made, recordings=4, segments=24)
    with Session.open(path, "Annotator 1") as session:
        add_recordings(session, [probe_file(make_clip(path.with_name("talk.mp4"), size=(64, 48), sound=True))])
        add_judge(session, "chance", "random")
        segment = all_segments(session.study)[0]
        judged(session, segment.id, "Model A", label="error")
        add_comment(session, segment.id, "Really?")
        add_questions(session, [replace(question(0), recording_id=segment.recording_id)])
    return path


class StrayWindows(QObject):
    """Notes parts of a window that are shown before they have a parent: they flash as windows of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            plain = watched.windowType() is Qt.WindowType.Window
            if plain and not isinstance(watched, MainWindow | TabbedView):
                self.found.append(f"{type(watched).__name__} {watched.accessibleName()}")
        return False


@pytest.fixture
def window(qtbot: QtBot, study: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setattr(Dialogs, "annotations", lambda _self, _window=None: None)
    monkeypatch.setattr(QDialog, "exec", lambda dialog: dialog.show() or QDialog.DialogCode.Rejected)
    strays = StrayWindows()
    QApplication.instance().installEventFilter(strays)
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1360, 860)
    made.show()
    made.studio.open(study, "Annotator 1")
    wait_for_turns()
    yield made
    made.close()
    QApplication.instance().removeEventFilter(strays)
    assert strays.found == []


def test_every_action_is_in_a_menu_and_in_the_palette_and_says_its_keys_or_what_has_to_be_done_first(
    window: MainWindow,
) -> None:
    in_menus = {action for menu in window.menuBar().actions() for action in entries(menu.menu())}
    offered = {entry.key for entry in window.command_palette.open_palette().shown_entries()}
    for is_open in (True, False):
        if not is_open:
            window.close_study()
        for spec in ACTIONS:
            action, reason = window.menus.actions[spec.key], window.menus.disabled_reason(spec)
            assert action in in_menus, spec.key
            if action.isEnabled():
                assert action.toolTip(), spec.key
                assert all(key in action.toolTip() for key in DEFAULT_KEYS[spec.key]), spec.key
            else:
                assert reason in action.toolTip(), spec.key
                assert is_open or reason.endswith("."), spec.key
    assert {f"action {spec.key}" for spec in ACTIONS if spec.key != "palette"} <= offered


def unmannered(shown: QWidget) -> list[str]:
    """Return what a screen reader has no name for, also what paints itself, and what is an icon without a word."""
    silent = []
    for child in shown.findChildren(QWidget):
        if child.isVisible() and child.focusPolicy() & child.focusPolicy().TabFocus:
            told = QAccessible.queryAccessibleInterface(child)
            named = told is None or told.text(QAccessible.Text.Name) or told.text(QAccessible.Text.Description)
            if not named and child.focusProxy() is None and "qt_" not in child.objectName():
                silent.append(f"{type(child).__name__} in {type(child.parent()).__name__}")
    return [*silent, *nameless(shown), *unexplained(shown)]


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)
def test_every_mode_and_window_has_names_for_a_screen_reader_and_words_for_every_icon(
    window: MainWindow, qtbot: QtBot
) -> None:
    def check(shown: QWidget) -> None:
        # The names of some come with what is computed in a thread.
        def has_manners() -> None:
            assert unmannered(shown) == [], shown

        qtbot.waitUntil(has_manners)
        for tabs in shown.findChildren(QTabWidget):
            for at in range(tabs.count()) if tabs.isVisibleTo(shown) else ():
                tabs.setCurrentIndex(at)
                assert unmannered(tabs) == [], tabs.tabText(at)

    study = window.studio.session.study
    first, *_, clip = all_recordings(study)
    own = [segment for segment in all_segments(study) if segment.recording_id == first.id]
    for recording, chosen in ((first, own[:1]), (clip, [])):
        window.choose_recording(recording.id)
        window.studio.select([segment.id for segment in chosen])
        for chain in chains_of(study, recording.id):
            window.studio.select_nodes([read_graph(study, chain).nodes[0].id])
        for mode in MODES:
            window.set_mode(mode.key)
            check(window if mode is MODES[0] else window.pages.current_view())
    window.messages.show_message("Two jobs.", action=("resume", "Resume"), more=[("dismiss", "Dismiss")])
    check(window)
    window.commands.show_jobs()
    check(window.workspace.jobs_panel)
    window.workspace.jobs_panel.close()
    for key in VIEWS:
        check(window.open_view(key))


def make_scheme_editor(window: MainWindow) -> SchemeEditor:
    session = window.studio.session
    draft = SchemeDraft.of(session.schemes.default)
    return SchemeEditor(draft, lambda changed: plan_draft(session, changed), lambda *_: True, {}, parent=window)


def test_every_dialog_has_names_for_a_screen_reader_and_words_for_every_icon(window: MainWindow) -> None:
    path, now = Path("lab.greenroom"), datetime.now(UTC)
    makers: list[Callable[[], object]] = [
        *(window.menus.actions[key].trigger for key in (*ON_THE_CLIP, *ON_A_SEGMENT)),
        lambda: window.files.make_start_dialog().show(),
        lambda: ExportResult(path, Findings(faces_left=[0], doubtful=[1], blanked=[2]), window).show(),
        RecoverDialog(path, [Backup(path, 1, now, 1)], window).show,
        ReportDialog(["1 row is gone."], window).show,
        InterruptedJobsDialog({"a": "Track faces in recording 1"}, window).show,
        SplitDialog(["Ada"], window).show,
        lambda: make_scheme_editor(window).show(),
        RawView("Raw answer", "{}", "", window).show,
        AgreeDialog("Title", "Question?", "Go", window, careful=True).show,
        ChoiceDialog("Title", "Question?", "More.", [("go", "Go", "Go on")], ("Stay", "Stay here")).show,
        TextDialog("Rename", "Name", "before", window).show,
        _Saying("Opening…", True, quiet=False).show,
    ]
    first, *_, clip = all_recordings(window.studio.session.study)
    met = set()
    for at, make in enumerate(makers):
        about_clip = at < len(ON_THE_CLIP)
        window.choose_recording((clip if about_clip else first).id)
        window.set_mode("judges")
        if not about_clip:
            study = window.studio.session.study
            window.studio.select_utterances([utterances_of(study, first.id)[0].id])
            window.studio.select([next(s.id for s in all_segments(study) if s.recording_id == first.id)])
        make()
        for dialog in QApplication.topLevelWidgets():
            if isinstance(dialog, QDialog) and dialog.isVisible():
                assert unmannered(dialog) == [], type(dialog)
                met.add(type(dialog))
                dialog.close()
    assert met == own_classes(QDialog) - {OwnDialog}


def test_every_dialog_belongs_to_the_window_that_it_is_opened_from() -> None:
    """`OwnDialog` sees to that, and to where it is shown; a plain QDialog without a parent may open behind."""
    assert [dialog for dialog in own_classes(QDialog) if not issubclass(dialog, OwnDialog)] == []


def test_every_dialog_has_its_page() -> None:
    assert set(DIALOG_PAGES) == {dialog.__name__ for dialog in own_classes(QDialog) - WITHOUT_HELP}


def test_an_action_opens_each_view() -> None:
    opening = [
        spec.key
        for spec in ACTIONS
        if spec.handler.__name__ == "<lambda>" and "open_view" in spec.handler.__code__.co_names
    ]
    assert [key for key in VIEWS - {mode.key for mode in MODES} if opening.count(key) != 1] == []


def test_every_widget_that_paints_itself_has_a_role_for_screen_readers() -> None:
    painting = {widget for widget in own_classes(QWidget) if "paintEvent" in vars(widget)}
    assert len(painting) > 10
    assert [widget for widget in painting if not hasattr(widget, "ROLE") and not is_spoken_of_by_qt(widget)] == []


def test_a_role_reaches_the_screen_reader_with_what_is_shown(window: MainWindow) -> None:
    told = QAccessible.queryAccessibleInterface(window.timeline)
    assert told.role() == QAccessible.Role.List
    assert told.text(QAccessible.Text.Name) == "Timeline"
    assert told.text(QAccessible.Text.Value) == window.timeline.accessibleDescription() != ""
