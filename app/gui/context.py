"""What a page or a window about the study is given to work with."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from app.gui.activity_log import ActivityLog
from app.gui.background import Background
from app.gui.chains.chains import Chains
from app.gui.dialogs import Questions
from app.gui.job_center import JobCenter
from app.gui.playback import Playback
from app.gui.player import Player
from app.gui.segment_editing import SegmentEditing
from app.gui.studio import Studio
from app.gui.timeline_feed import TimelineFeed
from widgets.timeline.view import TimelineView


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of the window that pages join.

    Attributes:
        look_at: shows a recording (id) at a time in microseconds.
        trigger: does what an entry of the menus does, by its key.
        go_blind: shows nothing of the study but a room in which somebody answers, which is deleted in the end.
        see_again: shows everything again.
    """

    studio: Studio
    player: Player
    playback: Playback
    timeline: TimelineView
    feed: TimelineFeed
    editing: SegmentEditing
    jobs: JobCenter
    background: Background
    questions: Questions
    look_at: Callable[[str, int], None]
    activity: ActivityLog
    trigger: Callable[[str], None]
    chains: Chains
    go_blind: Callable[[QWidget], None]
    see_again: Callable[[], None]
