"""The main window as its menus, commands and memory see it. `MainWindow` makes the parts and joins them."""

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from app.gui.annotate.comments import CommentsFeed
from app.gui.annotate.conversation import ConversationFeed
from app.gui.annotate.guidelines import Guidelines
from app.gui.annotate.inspector import Inspector, InspectorFeed
from app.gui.export.clip_export import ExportController
from app.gui.faces.faces_mode import FacesController
from app.gui.files.study_files import Files
from app.gui.jobs.job_center import JobCenter
from app.gui.pages.context import Context
from app.gui.player.cameras import Views
from app.gui.player.picture_controls import FullScreenHints, PictureControls
from app.gui.player.playback import Playback, Subtitles
from app.gui.player.player import Player
from app.gui.recordings.recording_dialog import RecordingDetailsController
from app.gui.recordings.recordings_list import RecordingsFeed, RecordingsList
from app.gui.study.background import BackgroundPool
from app.gui.study.study_controller import ActiveTrack, StudyController
from app.gui.timeline.chain_lane import Chains
from app.gui.timeline.judgment_lanes import DisagreementStrip, JudgesStrip
from app.gui.timeline.live_coding import PlaybackCodingMode
from app.gui.timeline.segment_editing import PrelabelDeciding, SegmentEditing
from app.gui.timeline.time_sampling import TimeSamplingMode
from app.gui.timeline.timeline_presenter import RangeSliderController, TimelineFeed
from app.gui.timeline.transcript_lanes import UtteranceEditor
from app.gui.transcript.cue_form import CueController
from app.gui.transcript.speech_jobs import SpeechJobController, SuggestedSpeakers
from app.gui.window.message_bar import MessageBar
from app.gui.window.page_registry import Pages, StudyWindows
from app.gui.window.workspace import Welcome, Workspace
from project.errors import UserError
from widgets.player.player_view import PlayerView
from widgets.player.transport_bar import TransportBar
from widgets.timeline.timeline_view import TimelineView


class WindowActs(Protocol):
    """What the actions of the window do that concern the window as a whole."""

    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def select_all(self) -> None: ...
    def clear_selection(self) -> None: ...
    def change_rate(self, steps: int) -> None: ...
    def toggle_full_screen(self) -> None: ...
    def leave_full_screen(self) -> None: ...
    def toggle_follow(self) -> None: ...
    def show_jobs(self) -> None: ...
    def show_shortcuts(self) -> None: ...
    def show_about(self) -> None: ...
    def ask_annotator(self) -> None: ...
    def ask_export(self) -> None: ...
    def rename_recording(self) -> None: ...


class HelpActs(Protocol):
    """Opens the documentation."""

    def open_page(self, page: str) -> object: ...
    def open_for_context(self) -> object: ...
    def open_tutorial(self) -> object: ...
    def close(self) -> None: ...


class PaletteOpener(Protocol):
    """Opens the command palette."""

    def open_palette(self) -> object: ...


class ShortcutsOpener(Protocol):
    """Opens the editor of keys."""

    def open_editor(self) -> object: ...


class InterruptedJobsOpener(Protocol):
    """Opens the list of interrupted jobs."""

    def show_list(self) -> None: ...


class WindowParts(QMainWindow):
    """The main window without what its menus and actions are: those are handed to the parts that need them.

    Attributes:
        view: the picture of the main camera.
        feed: fills the timeline.
        active: the track that new segments go to.
        history: what was said before the selected segment.
        spoken: edits utterances on the timeline.
        marks: the start and end that the range slider shows.
        prelabels: what a model proposed, to be decided.
        strip: where people and judges disagree.
        verdicts: the lanes of judges.
    """

    studio: StudyController
    background: BackgroundPool
    context: Context
    workspace: Workspace
    welcome: Welcome
    messages: MessageBar
    pages: Pages
    windows: StudyWindows
    files: Files
    jobs: JobCenter
    exports: ExportController
    player: Player
    playback: Playback
    views: Views
    view: PlayerView
    transport: TransportBar
    picture: PictureControls
    full_screen_hints: FullScreenHints
    subtitles: Subtitles
    timeline: TimelineView
    feed: TimelineFeed
    active: ActiveTrack
    editing: SegmentEditing
    coding: PlaybackCodingMode
    sampling: TimeSamplingMode
    prelabels: PrelabelDeciding
    marks: RangeSliderController
    strip: DisagreementStrip
    verdicts: JudgesStrip
    chains: Chains
    spoken: UtteranceEditor
    listening: SpeechJobController
    speakers: SuggestedSpeakers
    cues: CueController
    recordings: RecordingsList
    listing: RecordingsFeed
    details: RecordingDetailsController
    inspector: Inspector | None
    inspecting: InspectorFeed
    comments: CommentsFeed
    history: ConversationFeed
    guidelines: Guidelines
    faces: FacesController
    commands: WindowActs
    help: HelpActs
    command_palette: PaletteOpener
    shortcuts: ShortcutsOpener
    interrupted: InterruptedJobsOpener

    resized = Signal()
    """The window was moved or resized."""

    def open_view(self, view: str) -> QWidget | None:
        """Show a view of the study: on the page of its mode, or in its window in front."""
        raise NotImplementedError

    def trigger_page_action(self, mode: str, what: str) -> None:
        """Show the page of a mode, and let it do something that it offers by name."""
        raise NotImplementedError

    def set_mode(self, mode: str, view: str = "") -> None:
        """Change the page on the right, and show a view on it; player and timeline stay."""
        raise NotImplementedError

    def mode(self) -> str:
        """Return which mode is on."""
        raise NotImplementedError

    def set_boxes(self, visible: bool) -> None:
        """Draw boxes around faces, or not."""
        raise NotImplementedError

    def renew_keys(self) -> None:
        """Let labels and forms have the keys that the actions leave them."""
        raise NotImplementedError

    def show_workspace(self, open_: bool) -> None:
        """Show the parts for a study that is open, or the welcome page."""
        raise NotImplementedError

    def open_study(self, path: Path) -> bool:
        """Open a study in place of the present one."""
        raise NotImplementedError

    def close_study(self) -> None:
        """Close the study and show the welcome page."""
        raise NotImplementedError

    def choose_recording(self, recording_id: str) -> None:
        """Show a recording where it was left."""
        raise NotImplementedError

    def look_at(self, recording_id: str, time_us: int) -> None:
        """Show a recording at a time in microseconds."""
        raise NotImplementedError

    def show_error(self, error: UserError) -> None:
        """Show what could not be done."""
        raise NotImplementedError
