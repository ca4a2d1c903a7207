"""The context that pages and study windows get, and the view state that is kept when a study is closed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget

from app.gui.jobs.job_center import JobCenter
from app.gui.pages.activity_log import ActivityLog
from app.gui.player.playback import Playback
from app.gui.player.player import Player
from app.gui.study.background import BackgroundPool
from app.gui.study.dialogs import Dialogs
from app.gui.study.study_controller import StudyController
from app.gui.timeline.chain_lane import Chains
from app.gui.timeline.segment_editing import SegmentEditing
from app.gui.timeline.timeline_presenter import TimelineFeed
from project.entities.study_records import Json
from project.session.settings import load_view, save_view
from widgets.timeline.timeline_view import TimelineView


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of the window that pages join.

    Attributes:
        look_at: shows a recording (id) at a time in microseconds.
        trigger: does what an entry of the menus does, by its key.
        go_blind: shows nothing of the study but a room in which somebody answers, which is deleted in the end.
        see_again: shows everything again.
        open_study: opens a study in place of the present one; tells whether it was opened.
        clear_message: takes the message of the window away.
        leave_full_screen: shows everything again, if only the picture is shown.
        window: the main window, to which dialogs belong.
        keys_in_use: the keys of the window's own actions, in upper case.
    """

    studio: StudyController
    player: Player
    playback: Playback
    timeline: TimelineView
    feed: TimelineFeed
    editing: SegmentEditing
    jobs: JobCenter
    background: BackgroundPool
    questions: Dialogs
    look_at: Callable[[str, int], None]
    activity: ActivityLog
    trigger: Callable[[str], None]
    chains: Chains
    go_blind: Callable[[QWidget], None]
    see_again: Callable[[], None]
    open_study: Callable[[Path], bool]
    clear_message: Callable[[], None]
    leave_full_screen: Callable[[], None]
    keys_in_use: Callable[[], frozenset[str]]
    window: QWidget


View = dict[str, Json]


@runtime_checkable
class StatefulView(Protocol):
    """A page or window with looks of its own that are worth keeping, such as its columns."""

    def save_state(self) -> View: ...

    def restore_state(self, looks: View) -> None: ...


def load_view_state(study_id: str) -> View:
    """Return what was kept for a study; empty for one that is new here."""
    return load_view(study_id)


def save_view_state(study_id: str, view: View) -> None:
    """Keep how the window looks."""
    save_view(study_id, view)


def text_value(view: View, key: str, default: str = "") -> str:
    """Return a text of the view, or the default where there is none."""
    found = view.get(key)
    return found if isinstance(found, str) else default


def number_list(view: View, key: str, count: int) -> list[int] | None:
    """Return a list of so many whole numbers, or None where there is none."""
    found = view.get(key)
    if isinstance(found, list) and len(found) == count and all(isinstance(n, int) for n in found):
        return cast(list[int], found)
    return None


def text_list(view: View, key: str) -> list[str]:
    """Return a list of texts; empty where there is none."""
    found = view.get(key)
    return [value for value in found if isinstance(value, str)] if isinstance(found, list) else []


def encode_state(state: QByteArray) -> str:
    """Write a geometry or a splitter's state as text."""
    return bytes(state.toBase64().data()).decode()


def decode_state(state: str) -> QByteArray:
    """Read what `encode_state` wrote."""
    return QByteArray.fromBase64(state.encode())
