"""What a person works on: the open study, the recording that is shown, what is selected, what is marked."""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from app.core.commands import history
from app.core.session import Session
from app.core.settings import Settings, load_settings, save_settings
from app.gui.bridge import Bridge
from project.errors import UserError
from project.queries.segments import segment
from project.queries.sight import Lane, came_or_went, hidden_lanes
from project.types import Changes, Recording


class Studio(QObject):
    """Holds the session; every edit of the window passes through `edit`.

    Signals:
        leaving: the study that is open is about to be closed.
        session_changed: another study was opened, or this one was closed.
        recording_changed: another recording is shown, or none.
        selection_changed: other segments are selected.
        utterances_selected: other utterances are selected.
        nodes_selected: other nodes of a chain are selected.
        marks_changed: the marked start or end changed.
        history_changed: undo and redo name other steps than before.
        failed: (UserError) an edit was refused.
        told: (str) something worth a line happened.
    """

    leaving = Signal()
    session_changed = Signal()
    recording_changed = Signal()
    selection_changed = Signal()
    utterances_selected = Signal()
    nodes_selected = Signal()
    marks_changed = Signal()
    history_changed = Signal()
    failed = Signal(object)
    told = Signal(str)
    _checked = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bridge = Bridge(self)
        self.settings: Settings = load_settings()
        self.session: Session | None = None
        self.recording: Recording | None = None
        self.selected: tuple[str, ...] = ()
        self.selected_utterances: tuple[str, ...] = ()
        self.selected_nodes: tuple[str, ...] = ()
        self.mark_in: int | None = None
        self.mark_out: int | None = None
        self._hidden: frozenset[Lane] = frozenset()
        self._check: object = None
        self._before: Path | None = None
        self._checked.connect(self._finish_opening, Qt.ConnectionType.QueuedConnection)

    @property
    def writable(self) -> bool:
        """Whether a study is open that may be edited."""
        return self.session is not None and not self.session.study.read_only

    def open(self, path: Path, annotator: str | None = None) -> None:
        """Open a study in place of the present one; the one that is open already stays as it is.

        Edits are recorded under the name of the annotator, by default the one of the settings. The pages of the file
        are looked at for damage while it is shown; if there is any, the study before comes back and `failed` says so.

        Raises:
            UserError: it cannot be opened; the present one stays open.
        """
        if self.session is not None and path.resolve() == self.session.study.path:
            return
        check = object()
        opened = Session.open(path, annotator, when_checked=lambda: self._checked.emit(check))
        self._check, self._before = check, self.session.study.path if self.session else None
        self.close()
        opened.settings = self.settings
        opened.patient = False
        self.session = opened
        self._hidden = hidden_lanes(opened.study)
        self.change_settings(self.settings.opened(opened.study.path))
        self.session_changed.emit()
        self.history_changed.emit()

    def close(self) -> None:
        """Close the study; one file is left."""
        if self.session is None:
            return
        self.leaving.emit()
        closing, self.session = self.session, None
        self.show_recording(None)
        self.session_changed.emit()
        self.history_changed.emit()
        closing.close()

    def _finish_opening(self, check: object) -> None:
        """Make the study ready to be written to, or close it where it is damaged."""
        if self.session is None or check is not self._check:
            return
        try:
            self.session.study.finish_opening()
        except UserError as error:
            self.close()
            if self._before is not None:
                with contextlib.suppress(UserError):
                    self.open(self._before)
            self.failed.emit(error)

    def change_settings(self, settings: Settings) -> None:
        """Keep other choices of the user from now on."""
        self.settings = settings
        save_settings(settings)
        if self.session is not None:
            self.session.settings = settings

    def show_recording(self, recording_id: str | None) -> None:
        """Show another recording, or none."""
        if self.session is None or recording_id is None:
            found = None
        else:
            try:
                found = self.session.recording(recording_id)
            except UserError:
                found = None
        if found == self.recording and found is not None:
            return
        self.recording = found
        self.set_marks(None, None)
        self.selected = ()
        self.selected_utterances = ()
        self.selected_nodes = ()
        self.recording_changed.emit()
        self.selection_changed.emit()
        self.utterances_selected.emit()
        self.nodes_selected.emit()

    def select(self, segment_ids: Iterable[str]) -> None:
        """Select exactly these segments."""
        chosen = tuple(segment_ids)
        if chosen != self.selected:
            self.selected = chosen
            self.selection_changed.emit()

    def select_utterances(self, utterance_ids: Iterable[str]) -> None:
        """Select exactly these utterances, in the transcript and on the timeline; the last one is the current one."""
        chosen = tuple(utterance_ids)
        if chosen != self.selected_utterances:
            self.selected_utterances = chosen
            self.utterances_selected.emit()

    def select_nodes(self, node_ids: Iterable[str]) -> None:
        """Select exactly these nodes, in the graph, the form and on the timeline; the last one is the current one."""
        chosen = tuple(node_ids)
        if chosen != self.selected_nodes:
            self.selected_nodes = chosen
            self.nodes_selected.emit()

    def set_marks(self, start_us: int | None, end_us: int | None) -> None:
        """Mark a start and an end for the next segment."""
        if (start_us, end_us) != (self.mark_in, self.mark_out):
            self.mark_in, self.mark_out = start_us, end_us
            self.marks_changed.emit()

    def edit(self, do: Callable[[Session], Changes | None], initiator: object = None) -> bool:
        """Run a command on the study and announce what it changed; returns whether it was done."""
        if self.session is None:
            return False
        try:
            changes = do(self.session)
        except UserError as error:
            self.failed.emit(error)
            return False
        if changes:
            self.bridge.publish(self._with_sight(changes), initiator)
            self.history_changed.emit()
        return True

    def publish(self, changes: Changes) -> None:
        """Announce what was stored otherwise than by `edit`."""
        self.bridge.publish(self._with_sight(changes))
        self.history_changed.emit()

    def work_as(self, name: str) -> None:
        """Record edits under another name from now on, and show what they may see."""
        if self.session is not None:
            self.session.annotator_name = name
            who = self.session.annotator()
            self.publish(Changes.of([("annotator", who.id if who else "")]))

    def undo(self) -> None:
        """Take back the newest step."""
        self._revert(history.undo, "Undone")

    def redo(self) -> None:
        """Do again what was undone last."""
        self._revert(history.redo, "Redone")

    def _revert(self, how: Callable[[Session], history.Reverted], word: str) -> None:
        reverted: list[history.Reverted] = []

        def do(session: Session) -> Changes:
            reverted.append(how(session))
            return reverted[0].changes

        if self.edit(do):
            self.told.emit(f"{word}: {reverted[0].name}{self._elsewhere(reverted[0].changes)}")

    def _with_sight(self, changes: Changes) -> Changes:
        """Add the segments that come into sight by a change, or go out of it: a training was done, or is not."""
        if self.session is None:
            return changes
        before, self._hidden = self._hidden, hidden_lanes(self.session.study)
        differ = before ^ self._hidden
        if not differ:
            return changes
        moved = came_or_went(self.session.study, sorted(differ))
        self.select(one for one in self.selected if one not in moved.ids("segment"))
        return changes | moved

    def _elsewhere(self, changes: Changes) -> str:
        """Name the recording that a change is in, where it is not the one that is shown."""
        session = self.session
        one = next(iter(changes.ids("segment") | changes.ids("segment_value")), None)
        found = segment(session.study, one) if session is not None and one is not None else None
        if session is None or found is None or (self.recording and found.recording_id == self.recording.id):
            return ""
        return f", in recording {session.recording(found.recording_id).number}"
