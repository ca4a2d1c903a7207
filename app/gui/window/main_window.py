"""The main window: makes its parts, lays them out, and connects their signals."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from app.gui.annotate.comments import CommentsFeed
from app.gui.annotate.conversation import ConversationFeed
from app.gui.annotate.guidelines import Guidelines
from app.gui.annotate.inspector import InspectorFeed
from app.gui.export.clip_export import ExportController
from app.gui.faces.faces_mode import FacesController
from app.gui.faces.faces_page import FacesPage
from app.gui.files.study_files import DropFilter, Files
from app.gui.jobs.job_center import JobCenter
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.pages.activity_log import ActivityLog
from app.gui.pages.context import Context
from app.gui.pages.tabbed_view import paint_apart
from app.gui.player.cameras import Views
from app.gui.player.picture_controls import FullScreenHints, PictureControls
from app.gui.player.playback import Playback, Subtitles
from app.gui.player.player import Player
from app.gui.player.vlc_engine import VlcEngine
from app.gui.recordings.recording_dialog import RecordingDetailsController
from app.gui.recordings.recordings_list import RecordingsFeed
from app.gui.release.pii_search import SearchingAhead
from app.gui.study.background import BackgroundPool
from app.gui.study.dialogs import Dialogs
from app.gui.study.study_controller import ActiveTrack, ErrorDisplay, StudyController
from app.gui.team.training_notice import TrainingGate
from app.gui.timeline.chain_lane import Chains
from app.gui.timeline.judgment_lanes import DisagreementStrip, JudgesStrip
from app.gui.timeline.live_coding import PlaybackCodingMode
from app.gui.timeline.segment_editing import PrelabelDeciding, SegmentEditing
from app.gui.timeline.time_sampling import TimeSamplingMode
from app.gui.timeline.timeline_presenter import RangeSliderController, TimelineFeed
from app.gui.timeline.transcript_lanes import UtteranceEditor
from app.gui.transcript.cue_form import CueController
from app.gui.transcript.speech_jobs import SpeechJobController, SuggestedSpeakers
from app.gui.window.blind_mode import BlindMode
from app.gui.window.demo_runner import DemoRunner
from app.gui.window.interrupted_jobs import InterruptedJobs
from app.gui.window.layout_state import WindowMemory
from app.gui.window.menu_handlers import Help, WindowCommands, apply_text_size, apply_theme
from app.gui.window.menus import ContextMenus, Menus
from app.gui.window.message_bar import MessageBar, MessageLevel
from app.gui.window.page_registry import Pages, StudyWindows, find_mode
from app.gui.window.palette_entries import CommandPalette
from app.gui.window.parts import WindowParts
from app.gui.window.quitting import QuitController
from app.gui.window.shortcuts import KeyGuard, Shortcuts, keys_in_use
from app.gui.window.state_sync import WindowReactions
from app.gui.window.workspace import Welcome, Workspace
from project.entities.study_records import MediumRole
from project.errors import UserError
from project.store.opening import DamagedStudy
from resources.translation import tr
from widgets import accessibility, theme
from widgets.dialogs.dialog_windows import owning_window, show_error_in
from widgets.form.input_fields import EscapeKeys
from widgets.form.layouts import bounded_to_screen, make_column


def connect_studio(window: "MainWindow") -> None:
    """Let the window follow the study, the player, the jobs and the files."""
    studio, reactions, messages, actions = window.studio, window.reactions, window.messages, window.menus.actions
    studio.bridge.changed.connect(reactions.apply)
    studio.leaving.connect(reactions.save_before_closing)
    studio.session_changed.connect(reactions.show_session)
    studio.history_changed.connect(reactions.show_history)
    studio.recording_changed.connect(reactions.update_actions)
    studio.selection_changed.connect(reactions.update_actions)
    studio.failed.connect(window.show_failure)
    for source in (studio, window.files, window.playback, window.player):
        source.message.connect(messages.show_message)
    window.files.warning.connect(lambda text, hint: messages.show_message(text, MessageLevel.WARNING, hint))
    window.files.recordings_added.connect(reactions.show_added)
    window.files.relinked.connect(reactions.reopen_media)
    window.player.problem.connect(reactions.show_problem)
    window.playback.media_missing.connect(reactions.offer_to_locate)
    window.views.locate_requested.connect(window.files.locate_missing)
    window.views.changed.connect(reactions.update_actions)
    window.playback.loop_changed.connect(lambda on: actions["loop"].setChecked(on))
    window.jobs.started.connect(reactions.on_job_started)
    window.jobs.done.connect(reactions.on_job_done)
    window.jobs.failed.connect(window.show_error)
    window.active.changed.connect(reactions.show_track)
    window.coding.toggled.connect(actions["coding"].setChecked)
    window.sampling.toggled.connect(actions["sampling"].setChecked)
    window.guidelines.toggled.connect(actions["guidelines"].setChecked)
    window.exports.jump_requested.connect(window.look_at)
    window.exports.view_requested.connect(
        lambda recording_id, clip, zero_us: window.details.add_file(recording_id, clip, MediumRole.CAMERA, zero_us)
    )
    window.blindness.changed.connect(reactions.update_actions)
    window.shortcuts.changed.connect(window.menus.apply_shortcuts)
    window.shortcuts.changed.connect(window.renew_keys)
    window.menus.theme_chosen.connect(window.commands.set_theme)
    window.menus.text_size_chosen.connect(window.commands.set_text_size)


def connect_widgets(window: "MainWindow") -> None:
    """Let what is asked for in a widget be done."""
    space, timeline, editing = window.workspace, window.timeline, window.editing
    actions = window.menus.actions
    for key in ("palette", "documentation"):
        actions[key].setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)

    def actions_of(key: str) -> Callable[[], None]:
        return lambda: actions[key].trigger()

    window.welcome.action_chosen.connect(lambda key: actions[key].trigger())
    window.welcome.study_chosen.connect(lambda path: window.open_study(Path(path)))
    window.welcome.sample_chosen.connect(window.files.open_sample)
    space.modes.mode_chosen.connect(window.set_mode)
    space.modes.jobs.clicked.connect(window.commands.show_jobs)
    space.views.double_clicked.connect(window.commands.toggle_full_screen)
    window.recordings.recording_chosen.connect(window.choose_recording)
    window.recordings.add_requested.connect(lambda: window.files.add_recordings())
    window.recordings.context_requested.connect(window.context_menus.show_recording_menu)
    window.recordings.files_dropped.connect(window.files.handle_dropped)
    window.transport.full_screen_requested.connect(window.commands.toggle_full_screen)
    window.transport.time_edit.rejected.connect(lambda text: window.messages.show_message(text, MessageLevel.WARNING))
    window.transport.jump_requested.connect(lambda _at: timeline.setFocus())
    window.faces_page.export_requested.connect(window.commands.ask_export)
    window.faces_page.boxes_toggled.connect(actions["boxes"].setChecked)
    window.messages.action_chosen.connect(lambda key: window.interrupted.acts.get(key, actions_of(key))())
    window.messages.policy_clicked.connect(actions["policy"].trigger)
    timeline.segment_requests.move.connect(editing.move)
    timeline.segment_requests.create.connect(
        lambda lane, start, end: editing.mark_span(window.feed.track_of_lane(lane), start, end)
    )
    editing.label_requested.connect(window.context_menus.show_label_menu)
    timeline.segment_requests.delete.connect(editing.delete)
    timeline.segment_requests.nudge.connect(editing.nudge)
    timeline.menu_requested.connect(window.context_menus.show_timeline_menu)


_SIZE = QSize(1360, 860)


class MainWindow(WindowParts):
    """The studio's only window."""

    commands: WindowCommands
    help: Help
    command_palette: CommandPalette
    shortcuts: Shortcuts
    interrupted: InterruptedJobs

    def __init__(
        self,
        questions: Dialogs | None = None,
        engine: Callable[[QObject], VlcEngine] = VlcEngine,
        runner: WorkerRunner | None = None,
    ) -> None:
        super().__init__()
        self.setWindowTitle(tr("Greenroom"))
        self.setObjectName("greenroom")
        self.resize(bounded_to_screen(_SIZE, self))
        self.studio = StudyController(self)
        accessibility.install()
        # Before any widget is made: those that exist already would keep the desktop's typeface.
        apply_theme(self.studio.settings.theme)
        apply_text_size(self.studio.settings.text_size)
        theme.dress(self)
        self.background = BackgroundPool(self)
        self.player = Player(self, engine)
        self.memory = WindowMemory(self)
        self._closing = self._close_later = False
        self.studio.apart.finished.connect(self._close_now, Qt.ConnectionType.QueuedConnection)
        self._build()
        self._join(questions or Dialogs(self), runner or WorkerRunner(self), engine)
        self.guard.watch(self)
        self._drops = DropFilter(self, self.files)
        self.memory.restore_window()
        self.menus.set_theme(self.studio.settings.theme)
        self.menus.set_text_size(theme.text_size())
        self.memory.connect_signals()
        self.reactions.show_session()

    # Parts

    def _build(self) -> None:
        centre = QWidget(self)
        self._content = QStackedWidget(centre)
        self.workspace = Workspace(self._content)
        self.view, self.timeline = self.workspace.view, self.workspace.timeline
        self.transport, self.recordings = self.workspace.transport, self.workspace.recordings
        self.faces_page = FacesPage(self.workspace.pages)
        self.inspector = None
        self.messages = MessageBar(centre)
        self.welcome = Welcome()
        self._content.addWidget(self.welcome)
        self._content.addWidget(self.workspace)
        centre.setLayout(make_column(self._content, 1, self.messages, spacing=0))
        self.setCentralWidget(centre)

    def _join(self, questions: Dialogs, runner: WorkerRunner, engine: Callable[[QObject], VlcEngine]) -> None:
        space = self.workspace
        self.files = Files(self.studio, self.background, questions, self)
        self.active = ActiveTrack(self.studio, self)
        self.editing = SegmentEditing(self.studio, self.player, self.active, self)
        self.coding = PlaybackCodingMode(
            self.studio, self.player, self.active, self.editing, self.timeline, space.coding_line, self
        )
        self.feed = TimelineFeed(self.studio, self.timeline, self.active, self)
        self.sampling = TimeSamplingMode(
            self.studio,
            self.player,
            self.active,
            self.coding,
            self.feed,
            self.timeline,
            space.coding_line,
            self,
        )
        self.playback = Playback(
            self.studio, self.player, self.view, self.transport, self.timeline, self.background, self
        )
        self.views = Views(self.studio, self.player, self.playback, space.views, self.transport, engine, self)
        self.picture = PictureControls(self.playback, space.views, self.transport, self)
        self.full_screen_hints = FullScreenHints(
            self.studio, self.player, self.active, space.views, space.coding_line.text, self
        )
        self.subtitles = Subtitles(self.studio, self.player, space.views, self)
        self.strip = DisagreementStrip(self.studio, self.feed, self.timeline, self.player, self.playback, self)
        self.verdicts = JudgesStrip(self.studio, self.feed, self.timeline, self)
        self.listing = RecordingsFeed(self.studio, self.recordings, self.background, self)
        self.comments = CommentsFeed(self.studio, self)
        self.inspecting = InspectorFeed(self.studio, self.editing, self.active, self)
        self.guidelines = Guidelines(self.studio, self.active, space.columns, space.rows, self)
        self.jobs = JobCenter(self.studio, space.jobs_panel, runner, self)
        self.marks = RangeSliderController(
            self.studio, self.player, space.slider, self.timeline, self.editing, self.active, self
        )
        self.faces = FacesController(
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
        self.quitting = QuitController(self, self.memory)
        self.interrupted = InterruptedJobs(self, self.quitting)
        self.exports = ExportController(self.studio, self.jobs, questions, self)
        self.listening = SpeechJobController(self.studio, self.jobs, questions, self)
        self.speakers = SuggestedSpeakers(self.studio, self.jobs, self)
        self.cues = CueController(self.studio, self.player, self.jobs, self)
        self.prelabels = PrelabelDeciding(self.studio, self.playback, self)
        self.history = ConversationFeed(self.studio, self.playback, self)
        self.spoken = UtteranceEditor(
            self.studio,
            self.player,
            self.timeline,
            lambda: self.trigger_page_action("transcript", "type"),
            self.cues.open_form,
            lambda: self.chains.drawing.add_from_selected(),
            self,
        )
        self.details = RecordingDetailsController(self.studio, self.background, self.jobs, questions, self)
        self.demo = DemoRunner(self)
        self.activity = ActivityLog(self.studio, self.player, self)
        self.chains = Chains(self.studio, self.player, self.editing, self.feed, self.timeline, questions, self)
        self.blindness = BlindMode(self, self._content)
        self.context = context = Context(
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
            lambda key: self.menus.actions[key].trigger(),
            self.chains,
            self.blindness.enter,
            self.blindness.leave,
            self.open_study,
            self.messages.clear,
            lambda: self.commands.leave_full_screen(),
            lambda: keys_in_use(self.shortcuts.table),
            self,
        )
        self.pages = Pages(space.pages, context, self)
        self.pages.set_page("faces", self.faces_page)
        self.windows = StudyWindows(context, self)
        self.ahead = SearchingAhead(context, self)
        self.gate = TrainingGate(self.studio, space.gate_line, lambda: self.open_view("training"), self)
        self.shortcuts = Shortcuts(self)
        self.menus = Menus(self, self.shortcuts)
        self.commands = WindowCommands(self, self.menus, self.shortcuts)
        self.help = Help(self, self.shortcuts)
        self.command_palette = CommandPalette(self, self.menus, self.shortcuts, self.blindness)
        self._give_face_keys()
        self.context_menus = ContextMenus(self, self.menus)
        self.guard = KeyGuard(self)
        self.pages.view_made.connect(self.guard.watch)
        self.reactions = WindowReactions(self, self.menus, self.memory, self.blindness, self.guard)
        connect_studio(self)
        connect_widgets(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._keep_focus)
        EscapeKeys.install().field_exited.connect(self._take_focus)
        self.set_boxes(True)

    # What is shown

    def open_view(self, view: str) -> QWidget | None:
        """Show a view of the study: on the page of its mode, or in its window in front."""
        mode = find_mode(view)
        if not mode:
            return self.windows.open_window(view)
        self.commands.leave_full_screen()
        self.set_mode(mode, view)
        self.activateWindow()
        return self.pages.current_view()

    def trigger_page_action(self, mode: str, what: str) -> None:
        """Show the page of a mode, and let it do something that it offers by name."""
        self.open_view(mode)
        self.pages.trigger_action(what)

    def set_mode(self, mode: str, view: str = "") -> None:
        """Change the page on the right, and show a view on it; player and timeline stay."""
        self.pages.show_page(mode, view)
        page = self.workspace.pages.currentWidget()
        if page is not None:
            self.guard.watch(page)
        self.workspace.set_page_width(self.pages.width)
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

    def _give_face_keys(self) -> None:
        actions = self.menus.actions
        self.faces.set_keys(self.shortcuts.mode_keys("faces"), lambda action: actions[action].trigger())

    def renew_keys(self) -> None:
        """Let labels and forms have the keys that the actions leave them."""
        self.inspecting.flush()
        self._give_face_keys()
        self.reactions.rebuild_inspector()
        self.reactions.show_track()

    def show_workspace(self, open_: bool) -> None:
        """Show the parts for a study that is open, or the welcome page."""
        if self.isVisible():
            paint_apart(self._content)
        self._content.setCurrentWidget(self.workspace if open_ else self.welcome)

    def close_study(self) -> None:
        """Close the study and show the welcome page."""
        if self.studio.may_close_study(None):
            self.commands.leave_full_screen()
            self.studio.close()

    def open_study(self, path: Path) -> bool:
        """Open a study in place of the present one."""
        return self.files.open_study(path)

    def choose_recording(self, recording_id: str) -> None:
        """Show a recording where it was left."""
        if self.studio.recording is not None and self.studio.recording.id == recording_id:
            return
        self.inspecting.flush()
        self.memory.remember_position()
        self.studio.show_recording(recording_id)
        self.memory.restore_position(recording_id)
        self.timeline.setFocus()

    def look_at(self, recording_id: str, time_us: int) -> None:
        """Show a recording at a time in microseconds."""
        self.choose_recording(recording_id)
        self.playback.jump(time_us)

    def show_error(self, error: UserError) -> None:
        """Show what could not be done."""
        damaged = isinstance(error, DamagedStudy)
        self.messages.show_error(error, ("recover", tr("Recover…")) if damaged else None)

    def show_failure(self, error: UserError) -> None:
        """Show what could not be done in the window in which it was tried."""
        used = owning_window(self) or self
        if isinstance(error, DamagedStudy):
            self.show_error(error)
        elif isinstance(used, ErrorDisplay):
            used.show_error(error)
        elif not show_error_in(used, str(error)):
            self.show_error(error)

    def show_bug(self, text: str, log: Path) -> None:
        """Say that something unexpected happened; the session goes on."""
        self.messages.show_message(
            tr("Something unexpected happened: {text}").format(text=text),
            MessageLevel.ERROR,
            tr("Your work is saved. To report it, send this file along: {log}").format(log=log),
        )

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
        if self.studio.apart.busy:
            # A study that is being encrypted or opened is awaited; then the window closes.
            self._close_later = not self._closing
            event.ignore()
            return
        if not self._closing and not self.quitting.may_close():
            event.ignore()
            return
        if not self._closing:
            self._closing = True
            self.memory.save_window()
            self.help.close()
            self.studio.close()
            self.jobs.close()
            self.views.close()
            self.faces.close()
            self.player.close()
            self.background.close()
            self.quitting.quit_from_background()
        super().closeEvent(event)

    def _close_now(self) -> None:
        if self._close_later:
            self._close_later = False
            self.close()

    def _keep_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        """Esc leaves a field of the inspector for the timeline, where the next key goes to the next segment."""
        left = before is not None and self.inspector is not None and self.inspector.isAncestorOf(before)
        # Qt gives it to what lies around a field that gave it up, where no key means anything.
        nowhere = now is None or now.focusPolicy() == Qt.FocusPolicy.NoFocus
        if nowhere and left and self.isActiveWindow() and not self._closing:
            self.timeline.setFocus()

    def _take_focus(self) -> None:
        """Give the keys to the timeline after a field was left, where nothing else took them."""
        focused = QApplication.focusWidget()
        nowhere = focused is None or focused.focusPolicy() == Qt.FocusPolicy.NoFocus
        if nowhere and self.isActiveWindow() and not self._closing:
            self.timeline.setFocus()

    def _after_showing(self) -> None:
        if self._closing:
            return
        self.player.load_engine()
        self.memory.restore_zoom()
        self.timeline.setFocus()
