"""Opens the details of a recording and turns what is changed there into edits."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.core import synchronizing
from app.core.commands import collections as collection_commands
from app.core.commands import participants, recordings
from app.core.session import MediaState, Session
from app.gui.background import Background
from app.gui.dialogs import Questions
from app.gui.file_lines import FileLine
from app.gui.job_center import JobCenter
from app.gui.participants_table import Person
from app.gui.recording_dialog import Known, RecordingDialog
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.collections import all_collections
from project.queries.media import media_of
from project.queries.participants import all_participants, consents, participants_in
from project.timebase import format_time
from project.types import Changes, Json, Medium, MediumRole, ParticipantRole
from resources.translation import tr

_FILE_ROLES = {
    MediumRole.MAIN: tr("main file"),
    MediumRole.CAMERA: tr("second camera"),
    MediumRole.MICROPHONE: tr("separate microphone"),
    MediumRole.CHAPTER: "chapter",
}


class Details(QObject):
    """Belongs to the window; there is one dialog at most."""

    def __init__(
        self, studio: Studio, background: Background, jobs: JobCenter, questions: Questions, window: QWidget
    ) -> None:
        super().__init__(window)
        self._jobs = jobs
        self._studio = studio
        self._background = background
        self._questions = questions
        self._window = window
        self._recording_id = ""
        self.dialog: RecordingDialog | None = None
        # Not at once: the row that was ticked may be replaced.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._show)
        studio.bridge.changed.connect(lambda _changes, _initiator: self._soon.start())
        studio.leaving.connect(self._close)
        for signal in (jobs.started, jobs.done, jobs.stopped):
            signal.connect(lambda *_: self._soon.start())

    def open(self) -> None:
        """Show the details of the recording that is shown."""
        if self._studio.session is None or self._studio.recording is None:
            return
        self._close()
        self._recording_id = self._studio.recording.id
        self.dialog = dialog = RecordingDialog(self._window)
        dialog.finished.connect(lambda _code: self._forget())
        edit = self._edit
        dialog.name_entered.connect(
            lambda text: edit(lambda s: recordings.rename_recording(s, self._recording_id, text))
        )
        dialog.collection_entered.connect(
            lambda text: edit(lambda s: collection_commands.move_recording(s, self._recording_id, text))
        )
        dialog.agent_entered.connect(lambda text: edit(lambda s: self._describe(s, text)))
        dialog.file_requested.connect(self._add_file)
        dialog.files.offset_entered.connect(
            lambda medium, at: edit(lambda s: recordings.move_medium(s, self._recording_id, medium, at))
        )
        dialog.files.search_requested.connect(self._search)
        people = dialog.participants
        people.add_requested.connect(self._add_participant)
        people.role_changed.connect(lambda who, role: edit(lambda s: participants.change_role(s, who, role)))
        people.here_changed.connect(
            lambda who, on: edit(lambda s: participants.set_appearance(s, self._recording_id, who, on))
        )
        people.consent_changed.connect(lambda who, use, on: edit(lambda s: participants.set_consent(s, who, use, on)))
        self._show()
        dialog.open()

    def _edit(self, do: Callable[[Session], Changes]) -> None:
        if not self._studio.edit(do):
            self._soon.start()

    def _show(self) -> None:
        dialog, session = self.dialog, self._studio.session
        if dialog is None or session is None:
            return
        try:
            recording = session.recording(self._recording_id)
        except UserError:
            self._close()
            return
        study = session.study
        homes = all_collections(study)
        home = next((one for one in homes if one.id == recording.collection_id), None)
        dialog.show_known(
            Known(
                tr("Recording {number}").format(number=recording.number),
                recording.name,
                home.name if home else "",
                [one.name for one in homes],
                home.agent_context if home else "",
                self._files(session),
                self._studio.writable,
            )
        )
        here = {one.id for one in participants_in(study, recording.id)}
        dialog.participants.set_people(
            [
                Person(one, one.id in here, consents(study, one.id))
                for one in sorted(all_participants(study), key=lambda one: one.id not in here)
            ]
        )

    def _files(self, session: Session) -> list[FileLine]:
        lines = []
        media = media_of(session.study, self._recording_id)
        main_heard = any(m.role is MediumRole.MAIN and self._heard(session, m) for m in media)
        for medium in media:
            facts = [Path(medium.path).name, _FILE_ROLES[medium.role], format_time(medium.facts.duration_us)]
            state = session.locate(medium).state
            if state is not MediaState.PRESENT:
                facts.append(state.value)
            offset_us = None if medium.role is MediumRole.MAIN else medium.offset_us
            line = FileLine(medium.id, ", ".join(facts), offset_us)
            lines.append(line if offset_us is None else self._with_search(session, medium, line, main_heard))
        return lines

    def _heard(self, session: Session, medium: Medium) -> bool:
        return medium.facts.audio is not None and session.locate(medium).state is MediaState.PRESENT

    def _with_search(self, session: Session, medium: Medium, line: FileLine, main_heard: bool) -> FileLine:
        found = synchronizing.found_for(session, medium)
        return replace(
            line,
            heard=main_heard and self._heard(session, medium) and self._studio.writable,
            searching=medium.id in self._searched(),
            found=found.as_text() if found else "",
            found_us=found.offset_us if found and found.sure else None,
        )

    def _searched(self) -> set[Json]:
        return {work.parameters["medium"] for work in self._jobs.jobs() if work.kind == synchronizing.KIND}

    def _search(self, medium_id: str) -> None:
        session = self._studio.session
        if session is None or medium_id in self._searched():
            return
        try:
            session.study.require_writable()
            work = synchronizing.prepare(session, self._recording_id, medium_id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work)

    def _describe(self, session: Session, agent: str) -> Changes:
        recording = session.recording(self._recording_id)
        home = next(one for one in all_collections(session.study) if one.id == recording.collection_id)
        return collection_commands.describe_collection(session, home.id, home.name, agent)

    def _add_participant(self, name: str) -> None:
        self._edit(lambda s: participants.add_participant(s, name, ParticipantRole.USER, self._recording_id)[1])

    def _add_file(self, role: MediumRole, offset_us: int) -> None:
        chosen = self._questions.videos()
        if not chosen:
            return
        recording_id = self._recording_id

        def add(found: object) -> None:
            assert isinstance(found, recordings.ProbedFile)
            self._edit(lambda s: recordings.add_medium(s, recording_id, found, role, offset_us))

        def fail(error: Exception) -> None:
            if not isinstance(error, UserError):
                raise error
            self._studio.failed.emit(error)

        self._background.run_confined(lambda _progress: recordings.probe_file(chosen[0]), add, fail)

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.accept()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
