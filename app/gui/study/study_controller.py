"""The state that the window works on: the open study, recording, selection, marks and active track.

All edits pass through it and are announced to the views.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject, Qt, Signal

from annotate.study import recording_edits
from app.gui.study.background import ModalTask
from project.encryption.encryption_key import is_encrypted
from project.encryption.passphrases import obtain_key
from project.entities.study_records import Changes, Recording
from project.errors import Cancelled, UserError
from project.progress import Progress, Silent
from project.queries.annotator_rows import Lane, hidden_lanes, lane_visibility_changes
from project.queries.segment_rows import segment_recordings
from project.schemes.scheme import Label, Scheme, Track
from project.session.session import Session
from project.session.settings import Settings, load_settings, save_settings
from project.text_format import escape_unprintable
from resources.translation import tr


class ChangeNotifier(QObject):
    """Where every change of the study passes on its way to the views.

    Signals:
        changed: (Changes, initiator) the rows touched, and who asked for it; views reload only those.
    """

    changed = Signal(object, object)

    def publish(self, changes: Changes, initiator: object = None) -> None:
        """Announce an edit; one that touched nothing is kept quiet."""
        if changes:
            self.changed.emit(changes, initiator)


@runtime_checkable
class ErrorDisplay(Protocol):
    """A window, or a part of it, that shows by itself what could not be done in it."""

    def show_error(self, error: UserError) -> None:
        """Show it."""


LARGE = 1_000
"""From so many rows on an edit is noticed, and done in a thread."""
_ROWS_WRITTEN_PER_EDIT = 2
"""Rows that are written for one that is edited: itself, and what the history says of it."""


class StudyController(QObject):
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
        message: (str) something worth a line happened.
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
    message = Signal(str)
    _checked = Signal(object)
    _backed_up = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bridge = ChangeNotifier(self)
        self.apart = ModalTask(self)
        self.settings: Settings = load_settings()
        self.session: Session | None = None
        self.refused: Path | None = None
        """The study that could not be opened just now; it may be damaged."""
        self.recording: Recording | None = None
        self.selected: tuple[str, ...] = ()
        self.selected_utterances: tuple[str, ...] = ()
        self.selected_nodes: tuple[str, ...] = ()
        self.mark_in: int | None = None
        self.mark_out: int | None = None
        self.may_close_study: Callable[[Path | None], bool] = lambda _path: True
        """Asked before another study takes the place of the one that is open; says whether it may."""
        self._hidden: frozenset[Lane] = frozenset()
        self._check: object = None
        self._before: Path | None = None
        self._checked.connect(self._finish_opening, Qt.ConnectionType.QueuedConnection)
        self._backed_up.connect(self._report_backup_problem, Qt.ConnectionType.QueuedConnection)

    @property
    def writable(self) -> bool:
        """Whether a study is open that may be edited."""
        return self.session is not None and not self.session.study.read_only

    def open(self, path: Path, annotator: str | None = None) -> None:
        """Open a study in place of the present one; the one that is open already stays as it is.

        Edits are recorded under the name of the annotator, by default the one of the settings. The pages of the file
        are looked at for damage while it is shown; if there is any, the study before comes back and `failed` says so.
        """
        if self.session is not None and (path.resolve() == self.session.study.path or not self.may_close_study(path)):
            return
        check = object()
        self.refused = path
        opened = self._open_session(path, annotator, check)
        self.refused = None
        self._check, self._before = check, self.session.study.path if self.session else None
        self.close()
        opened.settings = self.settings
        opened.patient = False
        opened.study.read_without_waiting()
        self.session = opened
        self._hidden = hidden_lanes(opened.study)
        self.change_settings(lambda kept: kept.with_recent(opened.study.path))
        self.session_changed.emit()
        self.history_changed.emit()
        if opened.study.backup_problem is not None:
            self._backed_up.emit(check)

    def _open_session(self, path: Path, annotator: str | None, check: object) -> Session:
        """Open a study; the key of an encrypted one is derived in a thread, because that takes a while."""
        if is_encrypted(path):
            if self.apart.busy:
                raise UserError(tr("Another study is being opened or closed."), tr("Wait until that is done."))
            text = tr("Opening {name}…").format(name=escape_unprintable(path.name))
            self.apart.run(lambda _progress: obtain_key(path), text)
        return Session.open(
            path,
            annotator,
            when_checked=lambda: self._checked.emit(check),
            when_backed_up=lambda: self._backed_up.emit(check),
        )

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
            damaged = self.session.study.path
            self.close()
            if self._before is not None:
                with contextlib.suppress(UserError):
                    self.open(self._before)
            self.refused = damaged
            self.failed.emit(error)

    def _report_backup_problem(self, check: object) -> None:
        """Say why no backup was made although one was due."""
        if self.session is not None and check is self._check and self.session.study.backup_problem is not None:
            self.failed.emit(self.session.study.backup_problem)

    def change_settings(self, change: Callable[[Settings], Settings]) -> None:
        """Keep another choice of the user from now on.

        What other windows chose meanwhile stays in the file, and theirs to use; paths that were forgotten there are
        forgotten here.
        """
        stored = change(load_settings())
        save_settings(stored)
        self.settings = replace(change(self.settings), recent=stored.recent, scheme_files=stored.scheme_files)
        if self.session is not None:
            self.session.settings = self.settings

    def reload_paths(self) -> None:
        """Forget the paths that a withdrawal took out of the settings on disk."""
        self.change_settings(lambda kept: kept)

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
        """Run a command on the study and announce what it changed; returns whether it was done.

        Why it was not is shown by the initiator, where that is an `ErrorDisplay`, else in the window that is used.
        """
        return self._edit(_locked(do), initiator)

    def edit_many(self, do: Callable[[Session], Changes | None], rows: int, text: str) -> bool:
        """Run a command as `edit` does; where it is about many rows, in a thread, under a line that can stop it.

        Args:
            do: a command, which changes nothing where it is stopped.
            rows: how many it is about.
            text: says what is done.
        """
        if rows < LARGE:
            return self._edit(_locked(do))

        def stoppable(session: Session, progress: Progress) -> Changes | None:
            with session.study.locked(), session.study.cancellable(progress, _ROWS_WRITTEN_PER_EDIT * rows):
                return do(session)

        return self.edit_in_thread(stoppable, text)

    def edit_in_thread(
        self, do: Callable[[Session, Progress], Changes | None], text: str, initiator: object = None
    ) -> bool:
        """Run a command as `edit` does, in a thread, under a line that says how far it is and can stop it.

        Args:
            do: a command, which changes nothing, or something whole, where its progress ends it. It takes the study's
                turn itself where it writes what it read, because it may ask in the window before that.
            text: says what is done.
            initiator: as of `edit`.
        """

        def in_thread(session: Session) -> Changes | None:
            if self.apart.busy:
                with session.study.locked():
                    return do(session, Silent())
            return self.apart.run(lambda progress: do(session, progress), text, stoppable=True)

        return self._edit(in_thread, initiator)

    def _edit(self, do: Callable[[Session], Changes | None], initiator: object = None) -> bool:
        if self.session is None:
            return False
        try:
            changes = do(self.session)
        except UserError as error:
            if isinstance(initiator, ErrorDisplay):
                initiator.show_error(error)
            else:
                self.failed.emit(error)
            return False
        except Cancelled:
            self.message.emit(tr("Cancelled: nothing was changed."))
            return False
        if changes:
            self.bridge.publish(self._add_visibility_changes(changes), initiator)
            self.history_changed.emit()
        return True

    def publish(self, changes: Changes) -> None:
        """Announce what was stored otherwise than by `edit`."""
        self.bridge.publish(self._add_visibility_changes(changes))
        self.history_changed.emit()

    def set_annotator(self, name: str) -> None:
        """Record edits under another name from now on, and show what they may see."""
        if self.session is not None:
            self.session.annotator_name = name
            who = self.session.annotator()
            self.publish(Changes.from_pairs([("annotator", who.id if who else "")]))

    def undo(self) -> None:
        """Take back the newest step."""
        rows = self.session.study.undo_size if self.session is not None else 0
        self._revert(recording_edits.undo, rows, tr("Undoing {count:,} changes…").format(count=rows), tr("Undone"))

    def redo(self) -> None:
        """Do again what was undone last."""
        rows = self.session.study.redo_size if self.session is not None else 0
        self._revert(recording_edits.redo, rows, tr("Making {count:,} changes again…").format(count=rows), tr("Redone"))

    def _revert(self, how: Callable[[Session], recording_edits.RevertedStep], rows: int, text: str, word: str) -> None:
        reverted: list[recording_edits.RevertedStep] = []

        def do(session: Session) -> Changes:
            reverted.append(how(session))
            return reverted[0].changes

        if self.edit_many(do, rows, text):
            self.message.emit(f"{word}: {reverted[0].name}{self._other_recording_name(reverted[0].changes)}")

    def _add_visibility_changes(self, changes: Changes) -> Changes:
        """Add the segments that come into sight by a change, or go out of it: a training was done, or is not."""
        if self.session is None:
            return changes
        before, self._hidden = self._hidden, hidden_lanes(self.session.study)
        differ = before ^ self._hidden
        if not differ:
            return changes
        moved = lane_visibility_changes(self.session.study, sorted(differ))
        self.select(segment_id for segment_id in self.selected if segment_id not in moved.ids("segment"))
        return changes | moved

    def _other_recording_name(self, changes: Changes) -> str:
        """Name the recording that a change is in, where it is one alone, and not the one that is shown."""
        session = self.session
        if session is None:
            return ""
        ids = changes.ids("segment") | changes.ids("segment_value")
        homes = segment_recordings(session.study, ids)
        if len(homes) != 1 or (self.recording is not None and homes == {self.recording.id}):
            return ""
        return tr(", in recording {number}").format(number=session.recording(homes.pop()).number)


def _locked(do: Callable[[Session], Changes | None]) -> Callable[[Session], Changes | None]:
    """Let a command that another thread holds up begin after it: what it reads first is then what it changes."""

    def held(session: Session) -> Changes | None:
        with session.study.locked():
            return do(session)

    return held


_SCHEMES_PROPERTY = "schemes"


class ActiveTrack(QObject):
    """The track that new segments go to, and the label that they get there.

    Follows the schemes of the study that is open; with one that is gone, the first track of the default one.

    Signals:
        changed: another track, or the schemes of the study are others.
        label_changed: new segments of a track get another label.
    """

    changed = Signal()
    label_changed = Signal()

    def __init__(self, studio: StudyController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._chosen = ("", "")
        self._labels: dict[str, str] = {}
        studio.session_changed.connect(self.changed)
        studio.bridge.changed.connect(self._apply)

    @property
    def scheme(self) -> Scheme | None:
        """The scheme; None while no study is open."""
        session = self._studio.session
        if session is None:
            return None
        key = self._chosen[0]
        return session.schemes.get(key) if session.schemes.is_in_use(key) else session.schemes.default

    @property
    def track(self) -> Track | None:
        """The track; None while no study is open."""
        scheme = self.scheme
        if scheme is None:
            return None
        same = self._chosen[0] == scheme.key
        found = next((track for track in scheme.tracks if same and track.key == self._chosen[1]), None)
        return found or scheme.tracks[0]

    @property
    def key_pair(self) -> tuple[str, str] | None:
        """Keys of the scheme and the track; None while no study is open."""
        scheme, track = self.scheme, self.track
        return None if scheme is None or track is None else (scheme.key, track.key)

    @property
    def key(self) -> str:
        """Both keys as one word, to remember and to give to `select_track`."""
        return "/".join(self.key_pair or ())

    @property
    def label(self) -> Label | None:
        """The active label: that of new segments of the track; None where people are asked each time."""
        return None if self.track is None else self.label_of(self.key, self.track)

    def label_of(self, key: str, track: Track) -> Label | None:
        """Return the active label of a track, whose key is as `key` gives it; an only label is always active."""
        offered, chosen = track.offered_labels, self._labels.get(key, "")
        return offered[0] if len(offered) == 1 else next((label for label in offered if label.key == chosen), None)

    def labels(self) -> dict[str, str]:
        """Return track -> active label, to remember."""
        return dict(self._labels)

    def select_label(self, label: str) -> None:
        """Let new segments of the track get a label; with "", people are asked each time."""
        self.restore_labels({**self._labels, self.key: label})

    def restore_labels(self, labels: Mapping[str, str]) -> None:
        """Let new segments of each track get these labels."""
        wanted = {track: label for track, label in labels.items() if label}
        if wanted != self._labels:
            self._labels = wanted
            self.label_changed.emit()

    def select_next_label(self) -> None:
        """Go to the next label of the track; after the last one, people are asked each time."""
        track = self.track
        if track is None:
            return
        keys = ["", *(label.key for label in track.offered_labels)]
        self.toggle_label(keys[(keys.index(self.label.key if self.label else "") + 1) % len(keys)])

    def toggle_label(self, key: str) -> None:
        """Make a label the active one, or no longer where it is; and say so."""
        track = self.track
        if track is None:
            return
        active = self.label.key if self.label else ""
        self.select_label("" if key == active else key)
        if self.label is None:
            text = tr("No active label: a new segment of {track} asks for its label.").format(track=track.name)
        else:
            text = tr("Active label: {label}. Dragging in the lane makes it.").format(label=self.label.name)
        self._studio.message.emit(text)

    def tracks(self) -> list[tuple[str, str]]:
        """Return key and name of every track of the schemes in use, in their order."""
        session = self._studio.session
        return [
            (f"{scheme.key}/{track.key}", scheme.name if len(scheme.tracks) == 1 else f"{track.name} ({scheme.name})")
            for scheme in session.schemes
            for track in scheme.tracks
        ] if session else []  # fmt: skip

    def keys_elsewhere(self) -> dict[str, str]:
        """Return shortcut -> name of the track, for the labels of the tracks that new segments do not go to."""
        session, here = self._studio.session, self.key_pair
        return {
            label.shortcut: track.name
            for scheme in reversed([*session.schemes])
            for track in reversed(scheme.tracks)
            for label in track.offered_labels
            if label.shortcut and (scheme.key, track.key) != here
        } if session else {}  # fmt: skip

    def select_track(self, key: str) -> None:
        """Let new segments go to another track, given as `key` gives it."""
        scheme, _, track = key.partition("/")
        if (scheme, track) != self.key_pair:
            self._chosen = (scheme, track)
            self.changed.emit()

    def select_next_track(self) -> None:
        """Let new segments go to the next track, and select nothing, so that its labels have the keys."""
        keys = [key for key, _ in self.tracks()]
        if len(keys) < 2:
            self._studio.message.emit(tr("This study has one track. Study, Schemes… adds others."))
            return
        names = dict(self.tracks())
        following = keys[(keys.index(self.key) + 1) % len(keys)]
        self._studio.select(())
        self.select_track(following)
        self._studio.message.emit(tr("New segments go to {names}.").format(names=names[following]))

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _SCHEMES_PROPERTY in changes.ids("property") or changes.ids("scheme_version"):
            self.changed.emit()
