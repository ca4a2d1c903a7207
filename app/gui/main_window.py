"""The window: makes its parts, joins them, and remembers how it looked."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QKeyEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.core.jobs import Work
from app.core.session import LocatedMedium, MediaState, owner_of_copy
from app.gui.actions import Need
from app.gui.active_track import ActiveTrack
from app.gui.activity_log import ActivityLog
from app.gui.background import Background
from app.gui.coding import Coding
from app.gui.comments_feed import CommentsFeed
from app.gui.context import Context
from app.gui.details import Details
from app.gui.disagreement_strip import DisagreementStrip
from app.gui.drops import Drops
from app.gui.export import Export
from app.gui.faces.faces import Faces
from app.gui.faces.page import FacesPage
from app.gui.files import Files
from app.gui.guidelines import Guidelines
from app.gui.inspector_feed import InspectorFeed
from app.gui.job_center import JobCenter, Result, summary
from app.gui.key_guard import KeyGuard
from app.gui.marks import Marks
from app.gui.menus import Menus
from app.gui.pages import Pages
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.questions import Questions
from app.gui.recordings_feed import RecordingsFeed
from app.gui.segment_editing import SegmentEditing
from app.gui.shortcuts import Shortcuts
from app.gui.studio import Studio
from app.gui.study_windows import StudyWindows
from app.gui.subtitles import Subtitles
from app.gui.timeline_feed import TimelineFeed
from app.gui.training.gate import TrainingGate
from app.gui.views import Views
from app.gui.vlc_engine import VlcEngine
from app.gui.window_commands import WindowCommands, apply_theme
from app.gui.window_memory import WindowMemory
from app.gui.worker_runner import WorkerRunner
from app.gui.workspace import Workspace
from project.errors import UserError
from project.queries.recordings import recording
from project.types import Changes
from widgets.empty_state import Choice, EmptyState
from widgets.inspector import Inspector
from widgets.message_bar import Level, MessageBar
from widgets.player_view import PlayerView
from widgets.recordings_list import RecordingsList
from widgets.timeline.view import TimelineView
from widgets.transport_bar import TransportBar

_ON_SEGMENT = ("play_segment", "loop", "split", "trim_start", "trim_end", "delete")
_ON_TIMELINE = ("mark_in", "mark_out", "zoom_fit")
_SIZE = QSize(1360, 860)
_FRAME = QSize(16, 48)
"""What the desktop may put around a window."""
_RECENT = "recent "
_POLICY = "Nothing leaves this machine"
_POLICY_WORDS = (
    "Greenroom opens no connection to any other machine. Recordings, segments and exports stay where you put them."
)


class MainWindow(QMainWindow):
    """The studio's only window."""

    workspace: Workspace
    view: PlayerView
    timeline: TimelineView
    transport: TransportBar
    recordings: RecordingsList
    player: Player
    details: Details
    files: Files
    feed: TimelineFeed
    editing: SegmentEditing
    coding: Coding
    shortcuts: Shortcuts
    strip: DisagreementStrip
    subtitles: Subtitles
    playback: Playback
    views: Views
    faces: Faces
    commands: WindowCommands
    active: ActiveTrack
    guidelines: Guidelines
    windows: StudyWindows
    menus: Menus

    resized = Signal()
    """The window was moved or resized."""

    def __init__(
        self,
        questions: Questions | None = None,
        engine: Callable[[QObject], VlcEngine] = VlcEngine,
        runner: WorkerRunner | None = None,
    ) -> None:
        super().__init__()
        self.setWindowTitle("Greenroom")
        self.setObjectName("greenroom")
        self.resize(_SIZE.boundedTo(self.screen().availableSize() - _FRAME))
        self.studio = Studio(self)
        # Before any widget is made: those that exist already would keep the desktop's typeface.
        apply_theme(self.studio.settings.theme)
        self.background = Background(self)
        self.player = Player(self, engine)
        self.memory = WindowMemory(self)
        self._closing = False
        self._build()
        self._join(questions or Questions(self), runner or WorkerRunner(self), engine)
        self._guard = KeyGuard(self)
        self._guard.watch(self)
        self._drops = Drops(self, self.files)
        self.memory.restore_window()
        self.memory.follow()
        self._show_session()

    # Parts

    def _build(self) -> None:
        self.workspace = Workspace()
        self.view, self.timeline = self.workspace.view, self.workspace.timeline
        self.transport, self.recordings = self.workspace.transport, self.workspace.recordings
        self.faces_page = FacesPage()
        self.inspector: Inspector | None = None
        self.messages = MessageBar()
        self.messages.set_policy(_POLICY, _POLICY_WORDS)
        self.welcome = EmptyState(
            "film",
            "Welcome to Greenroom",
            "Annotate, anonymize and compare recordings of social interaction, on this machine. "
            "A study is one file that knows everything about a set of recordings.",
            [
                Choice("new", "New study…", "Ctrl+N", primary=True),
                Choice("open", "Open study…", "Ctrl+Shift+O"),
                Choice("sample", "Try the sample"),
            ],
        )
        self.welcome.chosen.connect(self._welcome_chosen)
        self._content = QStackedWidget()
        self._content.addWidget(self.welcome)
        self._content.addWidget(self.workspace)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._content, 1)
        column.addWidget(self.messages)
        self.setCentralWidget(centre)

    def _join(self, questions: Questions, runner: WorkerRunner, engine: Callable[[QObject], VlcEngine]) -> None:
        space = self.workspace
        self.files = Files(self.studio, self.background, questions, self)
        self.active = ActiveTrack(self.studio, self)
        self.editing = SegmentEditing(self.studio, self.player, self.active, self)
        self.coding = Coding(
            self.studio, self.player, self.active, self.editing, self.timeline, space.coding_line, self
        )
        self.feed = TimelineFeed(self.studio, self.timeline, self.active, self)
        self.playback = Playback(
            self.studio, self.player, self.view, self.transport, self.timeline, self.background, self
        )
        self.views = Views(self.studio, self.player, self.playback, space.views, self.transport, engine, self)
        self.subtitles = Subtitles(self.studio, self.player, self.view, self)
        self.strip = DisagreementStrip(self.studio, self.feed, self.timeline, self.player, self.playback, self)
        self.listing = RecordingsFeed(self.studio, self.recordings, self.background, self)
        self.comments = CommentsFeed(self.studio, self)
        self.inspecting = InspectorFeed(self.studio, self.editing, self.active, self)
        self.guidelines = Guidelines(self.studio, self.active, space, self)
        self.jobs = JobCenter(self.studio, space.jobs_panel, runner, self)
        self.marks = Marks(self.studio, self.player, space.slider, self.timeline, self.editing, self)
        self.faces = Faces(
            self.studio,
            self.player,
            self.playback,
            self.faces_page,
            self.view,
            self.timeline,
            self.feed,
            self.jobs,
            self,
        )
        self.exports = Export(self.studio, self.jobs, self)
        self.details = Details(self.studio, self.background, self.jobs, questions, self)
        self.activity = ActivityLog(self.studio, self.player, self)
        context = Context(
            self.studio,
            self.player,
            self.playback,
            self.timeline,
            self.feed,
            self.editing,
            self.jobs,
            self.background,
            questions,
            self.look_at,
            self.activity,
        )
        self.pages = Pages(space.pages, context, self)
        self.pages.put("faces", self.faces_page)
        self.windows = StudyWindows(context, self)
        self.gate = TrainingGate(self.studio, space.gate_line, lambda: self.windows.open("training"), self)
        self.commands = WindowCommands(self)
        self.shortcuts = Shortcuts(self)
        self.menus = Menus(self)
        self.faces.set_keys(self.shortcuts.of_mode("faces"))
        self._join_studio()
        self._join_widgets()

    def _join_studio(self) -> None:
        studio = self.studio
        studio.bridge.changed.connect(self._apply)
        studio.leaving.connect(self._leave)
        studio.session_changed.connect(self._show_session)
        studio.history_changed.connect(self._show_history)
        studio.recording_changed.connect(self._enable)
        studio.selection_changed.connect(self._enable)
        studio.failed.connect(self.show_error)
        for source in (studio, self.files, self.playback):
            source.told.connect(self.messages.show_message)
        self.files.warned.connect(lambda text, hint: self.messages.show_message(text, Level.WARNING, hint))
        self.files.added.connect(self._show_added)
        self.files.relinked.connect(self._reopen_media)
        self.player.problem.connect(self._show_problem)
        self.playback.media_missing.connect(self._offer_to_locate)
        self.views.locate_requested.connect(self.files.locate)
        self.views.changed.connect(self._enable)
        self.playback.loop_changed.connect(lambda on: self.menus.actions["loop"].setChecked(on))
        self.jobs.started.connect(lambda _work: self.messages.dismiss())
        self.jobs.done.connect(self._show_done)
        self.jobs.failed.connect(self.show_error)
        self.active.changed.connect(self._show_track)
        self.coding.toggled.connect(self.menus.actions["coding"].setChecked)
        self.guidelines.toggled.connect(self.menus.actions["guidelines"].setChecked)
        self.exports.jump_requested.connect(self.look_at)

    def _join_widgets(self) -> None:
        space, timeline = self.workspace, self.timeline
        space.modes.chosen.connect(self.set_mode)
        space.modes.jobs.clicked.connect(self.commands.show_jobs)
        self.recordings.recording_chosen.connect(self.choose_recording)
        self.recordings.add_requested.connect(lambda: self.files.add())
        self.recordings.context_requested.connect(self._show_recording_menu)
        self.recordings.files_dropped.connect(self.files.take)
        self.transport.full_screen_requested.connect(self.commands.toggle_full_screen)
        self.transport.time_edit.rejected.connect(lambda text: self.messages.show_message(text, Level.WARNING))
        self.transport.jump_requested.connect(lambda _at: timeline.setFocus())
        space.views.double_clicked.connect(self.commands.toggle_full_screen)
        self.faces_page.export_requested.connect(self.commands.ask_export)
        self.messages.action_chosen.connect(lambda key: self.menus.actions[key].trigger())
        timeline.segment_move_requested.connect(self.editing.move)
        timeline.segment_create_requested.connect(
            lambda lane, start, end: self.editing.create(start, end, place=self.feed.place_of(lane))
        )
        timeline.split_requested.connect(self.editing.split)
        timeline.delete_requested.connect(self.editing.delete)
        timeline.nudge_requested.connect(self.editing.nudge)
        timeline.menu_requested.connect(self._show_timeline_menu)
        self.faces_page.boxes_toggled.connect(self.menus.actions["boxes"].setChecked)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._keep_focus)
        self.set_boxes(True)

    # What is shown

    def set_mode(self, mode: str) -> None:
        """Change the page on the right; player and timeline stay."""
        self.pages.show(mode)
        self._guard.watch(self.workspace.pages)
        self.workspace.modes.show_mode(self.mode())
        self.view.set_faces_pickable(self.mode() == "faces")
        self.faces.set_active(self.mode() == "faces")

    def mode(self) -> str:
        """Return which mode is on."""
        return self.pages.mode

    def set_boxes(self, visible: bool) -> None:
        """Draw boxes around faces, or not."""
        self.faces.set_boxes(visible)
        self.menus.actions["boxes"].setChecked(visible)

    def renew_keys(self) -> None:
        """Let labels and forms have the keys that the actions leave them."""
        self.inspecting.flush()
        self.faces.set_keys(self.shortcuts.of_mode("faces"))
        self._renew_inspector()
        self._show_track()

    def close_study(self) -> None:
        """Close the study and show the welcome page."""
        self.commands.leave_full_screen()
        self.studio.close()

    def open_study(self, path: Path) -> bool:
        """Open a study in place of the present one."""
        return self.files.open(path)

    def choose_recording(self, recording_id: str) -> None:
        """Show a recording where it was left."""
        if self.studio.recording is not None and self.studio.recording.id == recording_id:
            return
        self.inspecting.flush()
        self.memory.note_place()
        self.studio.show_recording(recording_id)
        self.memory.go_to_place(recording_id)
        self.timeline.setFocus()

    def show_error(self, error: UserError) -> None:
        """Show what could not be done."""
        self.messages.show_error(error)

    def show_bug(self, text: str, log: Path) -> None:
        """Say that something unexpected happened; the session goes on."""
        self.messages.show_message(
            f"Something unexpected happened: {text}", Level.ERROR, f"Your work is saved. Details: {log}"
        )

    # What follows from changes

    def _apply(self, changes: Changes, initiator: object) -> None:
        if changes.ids("recording"):
            self._leave_what_is_gone()
        came_or_went = self.feed.apply(changes)
        self.listing.apply(changes, came_or_went, self.feed.counts())
        if initiator is not self.editing or came_or_went:
            self.inspecting.apply(changes)
        self.faces.apply(changes)
        if changes.ids("segment"):
            self.marks.show()
        self.messages.set_saved("Saved")

    def _leave_what_is_gone(self) -> None:
        session, shown = self.studio.session, self.studio.recording
        if session is not None and shown is not None and recording(session.study, shown.id) is None:
            self.studio.show_recording(None)

    def _show_session(self) -> None:
        session = self.studio.session
        self._content.setCurrentWidget(self.workspace if session else self.welcome)
        self.background.forget()
        self.messages.dismiss()
        self.listing.reload()
        self._renew_inspector()
        if session is None:
            self.setWindowTitle("Greenroom")
            self.messages.set_saved("")
        else:
            name = str(session.study.get_property("name", session.study.path.stem) or session.study.path.stem)
            owner = owner_of_copy(session.study)
            whose = f", copy for {owner}" if owner else ""
            reading = " (read-only)" if session.study.read_only else ""
            self.setWindowTitle(f"{name}{whose}{reading} · Greenroom")
            self.messages.set_saved("Read-only" if session.study.read_only else "Saved")
            if session.study.read_only:
                self.messages.show_message("This study is read-only.", Level.WARNING, session.study.read_only_reason)
            self.memory.restore_view(session.study.id)
        recent = self.studio.settings.recent
        self.menus.set_recent(recent, self.open_study)
        there = [path for path in recent if Path(path).exists()][:5]
        self.welcome.set_links([Choice(f"{_RECENT}{path}", path) for path in there])
        self.files.questions.start = session.study.folder if session else None
        self._enable()

    def _renew_inspector(self) -> None:
        session = self.studio.session
        self.inspector = Inspector(session.scheme, self.menus.taken()) if session else None
        if self.inspector is None:
            self.pages.drop("annotate")
        else:
            self.inspector.header.start.setToolTip("Start: type a time, or press [ at the playhead")
            self.inspector.header.end.setToolTip("End: type a time, or press ] at the playhead")
            self.inspector.play_requested.connect(lambda _id: self.playback.play_selected())
            self.inspector.rejected.connect(lambda text: self.messages.show_message(text, Level.WARNING))
            self.pages.put("annotate", self.comments.under(self.inspector))
            self._guard.watch(self.inspector)
            self.inspector.panel_made.connect(self._guard.watch)
        self.inspecting.set_inspector(self.inspector)

    def _show_track(self) -> None:
        self.menus.set_track(self.active.track, self.coding.label)
        self._enable()
        self.marks.show()

    def _show_history(self) -> None:
        session = self.studio.session
        if session is None:
            self.menus.name_history(None, None, False)
        else:
            self.menus.name_history(session.study.undo_name, session.study.redo_name, self.studio.writable)

    def _enable(self) -> None:
        session = self.studio.session
        present = Need.NOTHING
        if session is not None:
            present |= Need.STUDY | (Need.WRITABLE if self.studio.writable else Need.NOTHING)
        if self.studio.recording is not None:
            present |= Need.RECORDING
        present |= Need.SELECTION if self.studio.selected else Need.NO_SELECTION
        present |= Need.SEVERAL_VIEWS if self.views.several else Need.NOTHING
        self.menus.enable(present, session.study.read_only_reason if session else "")
        self._show_history()

    def _show_added(self, recording_id: str) -> None:
        if self.studio.recording is None:
            self.choose_recording(recording_id)

    def _reopen_media(self) -> None:
        self.memory.note_place()
        if self.studio.recording is not None:
            self.playback.open_recording()
            self.memory.go_to_place(self.studio.recording.id)
            self.faces.reload()
        self.listing.reload()

    def _show_problem(self, error: UserError) -> None:
        self.messages.show_message(error.message, Level.WARNING, error.hint)

    def _offer_to_locate(self, located: object) -> None:
        if not isinstance(located, LocatedMedium):
            return
        action = ("locate", "Locate…") if self.studio.writable else None
        name = located.path.name
        replaced = located.state is MediaState.REPLACED
        text = f"The file {name} is not the one that was added." if replaced else f"The file {name} is missing."
        self.messages.show_message(text, Level.WARNING, "Segments stay usable.", action)

    def _show_done(self, work: Work, result: Result) -> None:
        self.listing.runs_changed(work.recording_id)
        self.messages.show_message(f"{work.title}: {summary(work, result)}")

    def _show_recording_menu(self, recording_id: str, where: QPoint) -> None:
        self.choose_recording(recording_id)
        self._popup(("details", "rename", "track", "export", "locate"), where)

    def look_at(self, recording_id: str, time_us: int) -> None:
        """Show a recording at a time in microseconds."""
        self.choose_recording(recording_id)
        self.playback.jump(time_us)

    def _welcome_chosen(self, key: str) -> None:
        if key == "sample":
            self._open_sample()
        elif key.startswith(_RECENT):
            self.open_study(Path(key.removeprefix(_RECENT)))
        else:
            self.menus.actions[key].trigger()

    def _open_sample(self) -> None:
        from app.gui.sample import sample_study

        try:
            path = sample_study()
        except UserError as error:
            self.show_error(error)
            return
        self.files.open(path)

    def _show_timeline_menu(self, where: QPoint, segment_id: str, _time_us: int) -> None:
        self._popup(_ON_SEGMENT if segment_id else _ON_TIMELINE, where, () if segment_id else self.menus.label_actions)

    def _popup(self, keys: Sequence[str], where: QPoint, more: Sequence[QAction] = ()) -> None:
        menu = QMenu(self)
        menu.addActions([*(self.menus.actions[key] for key in keys), *more])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def _leave(self) -> None:
        self.inspecting.flush()
        self.memory.save_view()
        self.jobs.cancel_all()

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self._after_showing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        marked = (self.studio.mark_in, self.studio.mark_out)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and None not in marked:
            self.menus.actions["make"].trigger()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._closing:
            self._closing = True
            self.memory.save_window()
            self.studio.close()
            self.jobs.close()
            self.views.close()
            self.faces.close()
            self.player.close()
            self.background.close()
        super().closeEvent(event)

    def _keep_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        """Esc leaves a field of the inspector for the timeline, where the next key goes to the next segment."""
        left = before is not None and self.inspector is not None and self.inspector.isAncestorOf(before)
        if now is None and left and self.isActiveWindow() and not self._closing:
            self.timeline.setFocus()

    def _after_showing(self) -> None:
        if self._closing:
            return
        self.player.load_engine()
        self.memory.restore_zoom()
        self.timeline.setFocus()
