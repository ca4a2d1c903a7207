"""The window: makes its parts and lays them out."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.gui.active_track import ActiveTrack
from app.gui.activity_log import ActivityLog
from app.gui.background import Background
from app.gui.blindness import Blindness
from app.gui.chains.chains import Chains
from app.gui.coding import Coding
from app.gui.comments_feed import CommentsFeed
from app.gui.context import Context
from app.gui.context_menus import ContextMenus
from app.gui.conversation_feed import ConversationFeed
from app.gui.cue_adding import CueAdding
from app.gui.details import Details
from app.gui.dialogs import Questions
from app.gui.disagreement_strip import DisagreementStrip
from app.gui.drops import Drops
from app.gui.export import Export
from app.gui.faces.faces import Faces
from app.gui.faces.page import FacesPage
from app.gui.files import Files
from app.gui.guidelines import Guidelines
from app.gui.help.help import Help
from app.gui.inspector_feed import InspectorFeed
from app.gui.interrupted_jobs import InterruptedJobs
from app.gui.job_center import JobCenter
from app.gui.judges_strip import JudgesStrip
from app.gui.key_guard import KeyGuard
from app.gui.marks import Marks
from app.gui.menus import Menus
from app.gui.pages import Pages
from app.gui.palette import CommandPalette
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.policy.searching_ahead import SearchingAhead
from app.gui.prelabel_deciding import PrelabelDeciding
from app.gui.quitting import Quitting
from app.gui.recordings_feed import RecordingsFeed
from app.gui.segment_editing import SegmentEditing
from app.gui.shortcuts import Shortcuts
from app.gui.speech.listening import Listening
from app.gui.speech.speakers import SuggestedSpeakers
from app.gui.spoken_editing import SpokenEditing
from app.gui.studio import Studio
from app.gui.study_windows import StudyWindows
from app.gui.subtitles import Subtitles
from app.gui.timeline_feed import TimelineFeed
from app.gui.training.gate import TrainingGate
from app.gui.transcript import asking
from app.gui.views import Views
from app.gui.vlc_engine import VlcEngine
from app.gui.welcome import Welcome
from app.gui.window_commands import WindowCommands, apply_theme
from app.gui.window_memory import WindowMemory
from app.gui.window_reactions import WindowReactions
from app.gui.window_wiring import join_studio, join_widgets
from app.gui.worker_runner import WorkerRunner
from app.gui.workspace import Workspace
from project.errors import UserError
from project.sqlite_errors import DamagedStudy
from resources.translation import tr
from widgets import accessible
from widgets.escape import EscapeKeys
from widgets.inspector import Inspector
from widgets.message_bar import Level, MessageBar
from widgets.player_view import PlayerView
from widgets.recordings_list import RecordingsList
from widgets.room import within_screen
from widgets.timeline.view import TimelineView
from widgets.transport_bar import TransportBar

_SIZE = QSize(1360, 860)


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
    cues: CueAdding
    history: ConversationFeed
    prelabels: PrelabelDeciding
    spoken: SpokenEditing
    shortcuts: Shortcuts
    strip: DisagreementStrip
    verdicts: JudgesStrip
    subtitles: Subtitles
    playback: Playback
    views: Views
    faces: Faces
    chains: Chains
    blindness: Blindness
    commands: WindowCommands
    active: ActiveTrack
    guidelines: Guidelines
    windows: StudyWindows
    help: Help
    quitting: Quitting
    interrupted: InterruptedJobs
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
        self.setWindowTitle(tr("Greenroom"))
        self.setObjectName("greenroom")
        self.resize(within_screen(_SIZE, self))
        self.studio = Studio(self)
        accessible.install()
        # Before any widget is made: those that exist already would keep the desktop's typeface.
        apply_theme(self.studio.settings.theme)
        self.background = Background(self)
        self.player = Player(self, engine)
        self.memory = WindowMemory(self)
        self._closing = self._close_later = False
        self.studio.apart.freed.connect(self._close_now, Qt.ConnectionType.QueuedConnection)
        self._build()
        self._join(questions or Questions(self), runner or WorkerRunner(self), engine)
        self.guard.watch(self)
        self._drops = Drops(self, self.files)
        self.memory.restore_window()
        self.memory.follow()
        self.reactions.show_session()

    # Parts

    def _build(self) -> None:
        centre = QWidget(self)
        self._content = QStackedWidget(centre)
        self.workspace = Workspace(self._content)
        self.view, self.timeline = self.workspace.view, self.workspace.timeline
        self.transport, self.recordings = self.workspace.transport, self.workspace.recordings
        self.faces_page = FacesPage(self.workspace.pages)
        self.inspector: Inspector | None = None
        self.messages = MessageBar(centre)
        self.welcome = Welcome()
        self._content.addWidget(self.welcome)
        self._content.addWidget(self.workspace)
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
        self.subtitles = Subtitles(self.studio, self.player, space.views, self)
        self.strip = DisagreementStrip(self.studio, self.feed, self.timeline, self.player, self.playback, self)
        self.verdicts = JudgesStrip(self.studio, self.feed, self.timeline, self)
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
        self.quitting = Quitting(self)
        self.interrupted = InterruptedJobs(self)
        self.exports = Export(self.studio, self.jobs, questions, self)
        self.listening: Listening = Listening(self.studio, self.jobs, questions, self)
        self.speakers: SuggestedSpeakers = SuggestedSpeakers(self.studio, self.jobs, self)
        self.cues = CueAdding(self.studio, self.player, self.jobs, self)
        self.prelabels = PrelabelDeciding(self.studio, self.playback, self)
        self.history = ConversationFeed(self.studio, self.playback, self)
        self.spoken = SpokenEditing(
            self.studio,
            self.player,
            self.timeline,
            lambda: asking.ask(self, "type"),
            self.cues.ask,
            lambda: self.chains.drawing.add_from_selected(),
            self,
        )
        self.details = Details(self.studio, self.background, self.jobs, questions, self)
        self.activity = ActivityLog(self.studio, self.player, self)
        self.chains = Chains(self.studio, self.player, self.editing, self.feed, self.timeline, questions, self)
        self.blindness = Blindness(self, self._content)
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
            lambda key: self.menus.actions[key].trigger(),
            self.chains,
            self.blindness.begin,
            self.blindness.end,
        )
        self.pages = Pages(space.pages, context, self)
        self.pages.put("faces", self.faces_page)
        self.windows = StudyWindows(context, self)
        self.ahead = SearchingAhead(context, self)
        self.gate = TrainingGate(self.studio, space.gate_line, lambda: self.windows.open("training"), self)
        self.commands = WindowCommands(self)
        self.shortcuts = Shortcuts(self)
        self.help = Help(self)
        self.command_palette: CommandPalette = CommandPalette(self)
        self.menus = Menus(self)
        self.faces.set_keys(self.shortcuts.of_mode("faces"))
        self.context_menus = ContextMenus(self)
        self.guard = KeyGuard(self)
        self.reactions = WindowReactions(self)
        join_studio(self)
        join_widgets(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._keep_focus)
        EscapeKeys.install().left.connect(self._take_focus)
        self.set_boxes(True)

    # What is shown

    def set_mode(self, mode: str) -> None:
        """Change the page on the right; player and timeline stay."""
        self.pages.show(mode)
        page = self.workspace.pages.currentWidget()
        if page is not None:
            self.guard.watch(page)
        self.workspace.give_pages(self.pages.width)
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
        self.reactions.renew_inspector()
        self.reactions.show_track()

    def show_workspace(self, open_: bool) -> None:
        """Show the parts for a study that is open, or the welcome page."""
        self._content.setCurrentWidget(self.workspace if open_ else self.welcome)

    def close_study(self) -> None:
        """Close the study and show the welcome page."""
        if self.studio.may_leave(None):
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

    def look_at(self, recording_id: str, time_us: int) -> None:
        """Show a recording at a time in microseconds."""
        self.choose_recording(recording_id)
        self.playback.jump(time_us)

    def show_error(self, error: UserError) -> None:
        """Show what could not be done."""
        damaged = isinstance(error, DamagedStudy)
        self.messages.show_error(error, ("recover", tr("Recover…")) if damaged else None)

    def show_bug(self, text: str, log: Path) -> None:
        """Say that something unexpected happened; the session goes on."""
        self.messages.show_message(
            tr("Something unexpected happened: {text}").format(text=text),
            Level.ERROR,
            tr("Your work is saved. To report it, add what “greenroom doctor” prints. Details: {log}").format(log=log),
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
            # What is being sealed or opened is awaited; then the window closes.
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
            self.quitting.end()
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
