"""Updates the window when the study, the recording, the selection or a job changes."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from anonymize.egress.egress_authority import UNCONFIRMED, needs_confirmation, policy_in_force
from anonymize.egress.egress_log import LEVEL_NAMES, describe_policy, policy_warning
from app.gui.annotate.inspector import Inspector
from app.gui.jobs.job_center import Result
from app.gui.jobs.jobs_panel import JobState
from app.gui.pages.commands import Requirement
from app.gui.study.background import in_turn
from app.gui.window.blind_mode import BlindMode
from app.gui.window.layout_state import WindowMemory
from app.gui.window.menus import Menus
from app.gui.window.message_bar import MessageLevel
from app.gui.window.parts import WindowParts
from app.gui.window.shortcuts import KeyGuard
from project.entities.egress_policy import Policy
from project.entities.study_records import Changes, Participant
from project.errors import UserError
from project.queries.policy_rows import POLICY_PROPERTY
from project.queries.recording_rows import find_recording, participants_in
from project.session.jobs import JobSpec, load_kind
from project.session.session import LocatedMedium, MediaState, Session, copy_owner
from resources.translation import tr

_SILENT_KINDS = frozenset({"pii"})
"""Jobs that begin by themselves; who waits for one is told where they wait."""


class WindowReactions(QObject):
    """Tells the parts of the window what is new; nothing here changes a study."""

    def __init__(
        self, window: WindowParts, menus: Menus, memory: WindowMemory, blindness: BlindMode, guard: KeyGuard
    ) -> None:
        super().__init__(window)
        self._window = window
        self._menus = menus
        self._memory = memory
        self._blindness = blindness
        self._guard = guard
        self._warned = ""
        self._here: frozenset[str] = frozenset()
        window.studio.recording_changed.connect(self._note_participants)

    def apply(self, changes: Changes, initiator: object) -> None:
        """Show what a step changed."""
        if changes.ids("recording"):
            self._close_deleted_recording()
        came_or_went = self._window.feed.apply(changes)
        self._window.listing.apply(changes, came_or_went, self._window.feed.segment_counts())
        if initiator is not self._window.editing or came_or_went:
            self._window.inspecting.apply(changes)
        self._window.faces.apply(changes)
        if changes.ids("segment"):
            self._window.marks.show_span()
        if POLICY_PROPERTY in changes.ids("property"):
            self._clear_warning()
            self.show_policy()
        self._window.messages.set_saved(tr("Saved"))
        shown = self._window.studio.recording
        if shown is not None and shown.id in changes.ids("appearance"):
            self._report_new_participants(shown.number)

    def _report_new_participants(self, number: int) -> None:
        """Say who appears in the recording from now on, whichever edit brought them there."""
        before = self._here
        people = self._note_participants()
        names = [person.pseudonym for person in people if person.id not in before]
        if names:
            text = tr("From now on, recording {number} says that {names} appears in it. Undo takes it back.")
            self._window.messages.show_message(text.format(number=number, names=", ".join(names)))

    def _note_participants(self) -> list[Participant]:
        session, shown = self._window.studio.session, self._window.studio.recording
        people = [] if session is None or shown is None else participants_in(session.study, shown.id)
        self._here = frozenset(person.id for person in people)
        return people

    def _close_deleted_recording(self) -> None:
        session, shown = self._window.studio.session, self._window.studio.recording
        if session is not None and shown is not None and find_recording(session.study, shown.id) is None:
            self._window.studio.show_recording(None)

    def show_session(self) -> None:
        """Show the study that was opened, or the welcome page.

        The window is painted before the workspace comes, and again before the recording does.
        """
        window, session = self._window, self._window.studio.session
        if session is None:
            window.show_workspace(False)
        else:
            self._in_turn(session, lambda: window.show_workspace(True))
            self._in_turn(session, self._memory.restore_recording)
        window.background.cancel_all()
        window.messages.dismiss()
        window.listing.reload()
        self.rebuild_inspector()
        if session is None:
            window.setWindowTitle(tr("Greenroom"))
            window.messages.set_saved("")
        else:
            self._set_title(session)
            self._memory.restore_view(session)
        self._show_recent()
        window.files.questions.start = session.study.folder if session else None
        self.show_policy()
        self.update_actions()

    def _in_turn(self, session: Session, do: Callable[[], object]) -> None:
        studio = self._window.studio
        in_turn(self, lambda: do() if studio.session is session else None)

    def _show_recent(self) -> None:
        window = self._window
        self._menus.set_recent(window.studio.settings.recent, window.open_study, self._clear_recent)
        window.welcome.set_recent(window.studio.settings.recent)

    def _clear_recent(self) -> None:
        self._window.studio.change_settings(lambda kept: replace(kept, recent=()))
        self._show_recent()

    def _set_title(self, session: Session) -> None:
        study = session.study
        name = str(study.get_property("name", study.path.stem) or study.path.stem)
        owner = copy_owner(study)
        whose = tr(", copy for {owner}").format(owner=owner) if owner else ""
        reading = tr(" (read-only)") if study.read_only else ""
        self._window.setWindowTitle(
            tr("{name}{whose}{reading} · Greenroom").format(name=name, whose=whose, reading=reading)
        )
        self._window.messages.set_saved(tr("Read-only") if study.read_only else tr("Saved"))
        unconfirmed = needs_confirmation(session)
        outward = self._warned = tr(UNCONFIRMED) if unconfirmed else policy_warning(policy_in_force(session))
        if study.defect is not None:
            self._window.messages.show_message(
                tr("This study is read-only."), MessageLevel.WARNING, study.defect.message, ("recover", tr("Recover…"))
            )
        elif study.read_only:
            self._window.messages.show_message(
                tr("This study is read-only."), MessageLevel.WARNING, study.read_only_reason
            )
        elif outward:
            self._window.messages.show_message(
                outward, MessageLevel.WARNING, tr("See what left, and who allowed it."), ("policy", tr("What leaves…"))
            )

    def _clear_warning(self) -> None:
        if self._warned and self._window.messages.message() == self._warned:
            self._window.messages.clear()

    def show_policy(self) -> None:
        """Say at the foot of the window what may leave this machine."""
        session = self._window.studio.session
        policy = Policy() if session is None else policy_in_force(session)
        more = tr("Click for the policy and the journal of requests.") if session is not None else ""
        told = "\n".join([*describe_policy(policy), more]).strip()
        self._window.messages.set_policy(policy.level, tr(LEVEL_NAMES[policy.level]), told)

    def rebuild_inspector(self) -> None:
        """Make the form again, for the scheme and the keys that hold now."""
        window, session = self._window, self._window.studio.session
        form = Inspector(session.scheme, self._menus.used_keys()) if session else None
        window.inspector = form
        if form is None:
            window.pages.remove_page("annotate")
        else:
            form.header.start.setToolTip(tr("Start: type a time, or press [ at the playhead"))
            form.header.end.setToolTip(tr("End: type a time, or press ] at the playhead"))
            form.play_requested.connect(lambda _id: window.playback.play_selected())
            form.rejected.connect(lambda text: window.messages.show_message(text, MessageLevel.WARNING))
            window.pages.set_page("annotate", window.comments.wrap_inspector(window.history.wrap_inspector(form)))
            self._guard.watch(form)
            form.panel_made.connect(self._guard.watch)
        window.inspecting.set_inspector(form)
        if form is not None:
            in_turn(form, form.prepare)

    def show_track(self) -> None:
        """Offer the labels of the track that new segments go to."""
        active, tell = self._window.active, self._window.studio.message.emit
        self._menus.set_track(active.track, self._window.sampling.press_label, active.keys_elsewhere(), tell)
        self.update_actions()
        self._window.marks.show_span()

    def show_history(self) -> None:
        """Say what can be undone and redone."""
        session = self._window.studio.session
        menus, writable = self._menus, self._window.studio.writable and not self._blindness.is_active
        if session is None:
            menus.set_history_texts(None, None, False)
        else:
            menus.set_history_texts(session.study.undo_name, session.study.redo_name, writable)

    def update_actions(self) -> None:
        """Switch on the actions that make sense now."""
        session = self._window.studio.session
        encrypted = session is not None and session.study.encryption_key is not None
        self._menus.set_encryption_text(encrypted)
        self._window.messages.set_encrypted(encrypted)
        if self._blindness.is_active:
            self._menus.enable(Requirement.NOTHING, "")
            self.show_history()
            return
        present = Requirement.SIGHT
        if session is not None:
            present |= Requirement.STUDY | (
                Requirement.WRITABLE if self._window.studio.writable else Requirement.NOTHING
            )
            present |= Requirement.ENCRYPTED if encrypted else Requirement.NOTHING
        if self._window.studio.recording is not None:
            present |= Requirement.RECORDING
        present |= Requirement.SELECTION if self._window.studio.selected else Requirement.NO_SELECTION
        present |= Requirement.SEVERAL_VIEWS if self._window.views.has_several else Requirement.NOTHING
        self._menus.enable(present, session.study.read_only_reason if session else "")
        self.show_history()

    def show_added(self, recording_id: str) -> None:
        """Show the first recording that was added, if none is shown."""
        if self._window.studio.recording is None:
            self._window.choose_recording(recording_id)

    def reopen_media(self) -> None:
        """Play files that were found again."""
        self._memory.remember_position()
        if self._window.studio.recording is not None:
            self._window.playback.open_recording()
            self._memory.restore_position(self._window.studio.recording.id)
            self._window.faces.reload()
        self._window.listing.reload()

    def show_problem(self, error: UserError) -> None:
        """Say what the player could not do."""
        self._window.messages.show_message(error.message, MessageLevel.WARNING, error.hint)

    def offer_to_locate(self, located: object) -> None:
        """Say that a file is not the one that was added, or not there."""
        if not isinstance(located, LocatedMedium):
            return
        action = ("locate", tr("Locate…")) if self._window.studio.writable else None
        name = located.path.name
        texts = {
            MediaState.REPLACED: tr("The file {name} is not the one that was added."),
            MediaState.OUTSIDE: tr("The file {name} is outside the study's folder. Locate it if it is yours."),
        }
        text = texts.get(located.state, tr("The file {name} is missing.")).format(name=name)
        self._window.messages.show_message(text, MessageLevel.WARNING, tr("Segments stay usable."), action)

    def on_job_started(self, work: JobSpec) -> None:
        """Take the message away that was there before a job; one that nobody asked for takes none away."""
        if work.kind not in _SILENT_KINDS:
            self._window.messages.dismiss()

    def on_job_done(self, work: JobSpec, result: Result) -> None:
        """Say what a job gave."""
        if work.recording_id:
            self._window.listing.runs_changed(work.recording_id)
        if work.kind in _SILENT_KINDS:
            return
        kind = load_kind(work.kind)
        level = MessageLevel.INFO if JobState(kind.outcome(result)) is JobState.DONE else MessageLevel.WARNING
        self._window.messages.show_message(f"{work.title}: {kind.summarize(work, result)}", level)

    def save_before_closing(self) -> None:
        """Keep what was typed and how the study looked, before it is closed."""
        self._window.inspecting.flush()
        self._memory.save_view()
        self._window.jobs.cancel_all()
