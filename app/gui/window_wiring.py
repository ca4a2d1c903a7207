"""Which signal of which part of the window leads where."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from widgets.message_bar import Level

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow


def join_studio(window: "MainWindow") -> None:
    """Let the window follow the study, the player, the jobs and the files."""
    studio, reactions, messages, actions = window.studio, window.reactions, window.messages, window.menus.actions
    studio.bridge.changed.connect(reactions.apply)
    studio.leaving.connect(reactions.leave)
    studio.session_changed.connect(reactions.show_session)
    studio.history_changed.connect(reactions.show_history)
    studio.recording_changed.connect(reactions.enable)
    studio.selection_changed.connect(reactions.enable)
    studio.failed.connect(window.show_error)
    for source in (studio, window.files, window.playback, window.player):
        source.told.connect(messages.show_message)
    window.files.warned.connect(lambda text, hint: messages.show_message(text, Level.WARNING, hint))
    window.files.added.connect(reactions.show_added)
    window.files.relinked.connect(reactions.reopen_media)
    window.player.problem.connect(reactions.show_problem)
    window.playback.media_missing.connect(reactions.offer_to_locate)
    window.views.locate_requested.connect(window.files.locate)
    window.views.changed.connect(reactions.enable)
    window.playback.loop_changed.connect(lambda on: actions["loop"].setChecked(on))
    window.jobs.started.connect(reactions.note_start)
    window.jobs.done.connect(reactions.show_done)
    window.jobs.failed.connect(window.show_error)
    window.active.changed.connect(reactions.show_track)
    window.coding.toggled.connect(actions["coding"].setChecked)
    window.guidelines.toggled.connect(actions["guidelines"].setChecked)
    window.exports.jump_requested.connect(window.look_at)


def join_widgets(window: "MainWindow") -> None:
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
    space.modes.chosen.connect(window.set_mode)
    space.modes.jobs.clicked.connect(window.commands.show_jobs)
    space.views.double_clicked.connect(window.commands.toggle_full_screen)
    window.recordings.recording_chosen.connect(window.choose_recording)
    window.recordings.add_requested.connect(lambda: window.files.add())
    window.recordings.context_requested.connect(window.context_menus.on_recording)
    window.recordings.files_dropped.connect(window.files.take)
    window.transport.full_screen_requested.connect(window.commands.toggle_full_screen)
    window.transport.time_edit.rejected.connect(lambda text: window.messages.show_message(text, Level.WARNING))
    window.transport.jump_requested.connect(lambda _at: timeline.setFocus())
    window.faces_page.export_requested.connect(window.commands.ask_export)
    window.faces_page.boxes_toggled.connect(actions["boxes"].setChecked)
    window.messages.action_chosen.connect(lambda key: window.interrupted.acts.get(key, actions_of(key))())
    window.messages.policy_clicked.connect(actions["policy"].trigger)
    timeline.segment_move_requested.connect(editing.move)
    timeline.segment_create_requested.connect(
        lambda lane, start, end: editing.create(start, end, place=window.feed.place_of(lane))
    )
    timeline.delete_requested.connect(editing.delete)
    timeline.nudge_requested.connect(editing.nudge)
    timeline.menu_requested.connect(window.context_menus.on_timeline)
