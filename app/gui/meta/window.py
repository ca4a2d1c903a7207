"""The window of meta information: people, speech, scenes, two summaries and their contradictions, of one recording."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.commands import cues
from app.core.commands import meta as commands
from app.core.judging.seeing.conditions import condition_names
from app.core.meta import scene_job
from app.core.meta.answers import AUDIT, FRAMES, LOOKS, SOURCES, WORDS, is_own, take
from app.core.meta.people import people_of
from app.core.meta.scenes import happenings
from app.core.meta.speech import speech_of, without_speech
from app.core.session import Session
from app.gui.context import Context
from app.gui.meta import rows
from app.gui.meta.layout import MetaLayout
from app.gui.meta.pictures import Pictures
from app.gui.meta.suggesting import Suggesting
from project.counted import counted
from project.errors import UserError
from project.judging import PERSON, RAW, JudgeEntry
from project.queries.judges import all_judges
from project.types import Changes, Recording
from resources.translation import tr, trn
from widgets.judges.tick_menu import Entry

_TABLES = frozenset(
    {"look", "summary", "contradiction", "judgment", "utterance", "segment", "segment_value", "review", "participant"}
    | {"appearance", "track_correction", "track_box", "face_track", "run", "judge", "recording", "property"}
)
_SOON_MS = 60


def make(context: Context) -> QWidget:
    """Return the window for the study that is open."""
    return MetaWindow(context)


class MetaWindow(MetaLayout):
    """Follows the recording that the main window shows; every edit is a step that undo there takes back."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self._recording: Recording | None = None
        self._pictures = Pictures(self.people)
        self._suggesting = Suggesting(context, self)
        self._later = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._later.timeout.connect(self.reload)
        self._join()

    def _join(self) -> None:
        self.people.look_written.connect(
            lambda who, kind, text: self._edit(
                lambda session, where: commands.describe(session, where, who, kind, text)
            )
        )
        self.people.seek_requested.connect(self._seek)
        self.speech.row_chosen.connect(lambda _key, time_us: self._seek(time_us))
        self.scenes.row_chosen.connect(lambda _key, time_us: self._seek(time_us))
        self.speech.chosen_changed.connect(self._show_choice)
        self.scenes.chosen_changed.connect(self._show_choice)
        self.over.clicked.connect(self._toggle_voice_over)
        self.find_changes.clicked.connect(self._find_changes)
        self.mark.clicked.connect(self._mark)
        self.accept.clicked.connect(partial(self._decide, True))
        self.reject.clicked.connect(partial(self._decide, False))
        self.delete_scene.clicked.connect(self._delete_scene)
        for task, button in self.suggest_buttons().items():
            button.clicked.connect(partial(self._ask, task))
        self.make_questions.clicked.connect(self._ask_questions)
        for task, picker in self.pickers().items():
            picker.accept_requested.connect(partial(self._take, task))
        for task, box in self.summary_boxes().items():
            box.edited.connect(partial(self._summarize, task))
        table = self.contradictions
        table.worded.connect(lambda key, text: self._edit(lambda s, _: commands.word_contradiction(s, key, text)))
        table.resolved.connect(lambda key, text: self._edit(lambda s, _: commands.settle(s, key, text, bool(text))))
        table.settled.connect(lambda key, on: self._edit(lambda s, _: commands.settle(s, key, None, on)))
        self.add.clicked.connect(self._note)
        self.new_contradiction.returnPressed.connect(self._note)
        self.delete.clicked.connect(self._delete)
        table.itemSelectionChanged.connect(self._show_choice)
        self._suggesting.told.connect(self.status.set_text)
        self._studio.recording_changed.connect(self._change_recording)
        self._studio.session_changed.connect(self.reload)
        self._studio.failed.connect(self._show_error)
        self._studio.bridge.changed.connect(self._apply)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.reload()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._flush()
        super().closeEvent(event)

    def _show_error(self, error: UserError) -> None:
        if self.isVisible():
            self.status.set_text(str(error))

    def reload(self) -> None:
        """Show the recording as the study has it now."""
        session, recording = self._studio.session, self._studio.recording
        self._recording = recording
        self.show_recording(
            ""
            if recording is None
            else tr("Recording {number}: {name}").format(number=recording.number, name=recording.name)
        )
        if session is None or recording is None:
            return
        try:
            self._show(session, recording)
        except UserError as error:
            self.status.set_text(str(error))
        self._show_choice()

    def _show(self, session: Session, recording: Recording) -> None:
        writable = self._studio.writable
        people = people_of(session, recording.id)
        self.people.show_people(rows.people_rows(people), writable=writable)
        self._pictures.show(session, recording.id, people)
        said = speech_of(session, recording.id)
        pauses = without_speech(said, recording.duration_us)
        self.speech.show_rows(rows.speech_rows(session, said, pauses))
        self.scenes.show_rows(rows.scene_rows(happenings(session, recording.id)))
        self.contradictions.show_rows(rows.contradiction_rows(session, recording.id), writable=writable)
        answers = rows.answers_by_task(session, recording.id)
        for task, box in self.summary_boxes().items():
            box.set_writable(writable)
            box.show_text(*rows.summary_of(session, recording.id, SOURCES[task]))
            box.answers.set_replacing(is_own(session, recording.id, SOURCES[task]))
        for task, picker in self.pickers().items():
            picker.accept.setEnabled(writable)
            picker.show_answers(answers.get(task, ()))
        self._show_judges(session, recording.id)

    def _show_judges(self, session: Session, recording_id: str) -> None:
        judges = [one for one in all_judges(session.study) if one.backend != PERSON]
        self.judges.set_entries([Entry(one.id, one.name, one.model or one.backend) for one in judges])
        names = condition_names(session, recording_id)
        self.show_conditions({**names, RAW: tr("Raw")})

    def _show_choice(self) -> None:
        writable, session = self._studio.writable, self._studio.session
        line = self.speech.current_key()
        self.over.setEnabled(writable and bool(line) and not line.startswith(rows.PAUSE))
        self.delete.setEnabled(writable and bool(self.contradictions.current_key()))
        waiting = set() if session is None or self._recording is None else self._open(session)
        chosen = self.scenes.current_key()
        for button in (self.accept, self.reject):
            button.setEnabled(writable and bool(waiting))
        alone = chosen in waiting
        self.accept.setText(
            tr("Accept") if alone or not waiting else tr("Accept all {waiting}").format(waiting=len(waiting))
        )
        self.reject.setText(
            tr("Reject") if alone or not waiting else tr("Reject all {waiting}").format(waiting=len(waiting))
        )
        self.delete_scene.setEnabled(writable and bool(chosen) and not alone)
        for one in (self.find_changes, self.mark, self.add, self.make_questions, *self.suggest_buttons().values()):
            one.setEnabled(writable and self._recording is not None)

    def _open(self, session: Session) -> set[str]:
        assert self._recording is not None
        return set(rows.open_changes(session, self._recording.id))

    # What the buttons do

    def _edit(self, do: Callable[[Session, str], Changes | None]) -> bool:
        recording = self._recording
        if recording is None:
            return False
        self.status.set_text("")
        done = self._studio.edit(lambda session: do(session, recording.id), self)
        self._later.start()
        return done

    def _seek(self, time_us: int) -> None:
        if self._recording is not None:
            self._context.look_at(self._recording.id, time_us)

    def _toggle_voice_over(self) -> None:
        session, key = self._studio.session, self.speech.current_key()
        if session is None or self._recording is None or not key:
            return
        over = {one.utterance.id: one.left_out for one in speech_of(session, self._recording.id)}
        self._edit(lambda s, _: commands.set_voice_over(s, key, not over.get(key, False)))

    def _find_changes(self) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        try:
            work = scene_job.prepare(session, self._recording.id)
        except UserError as error:
            self.status.set_text(str(error))
            return
        self.status.set_text(f"{work.title}…")
        self._context.jobs.start(
            work,
            lambda result: self.status.set_text(
                tr("Found {count}.").format(
                    count=trn("{count} scene change", "{count} scene changes", len(result["changes"]))  # type: ignore[arg-type]
                )
            ),
        )

    def _mark(self) -> None:
        track, label = self.what_to_mark()
        now = self._context.player.position_us
        self._edit(lambda session, where: commands.mark_moment(session, where, now, track, label)[1])

    def _decide(self, accepted: bool, *_: object) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        waiting = self._open(session)
        chosen = self.scenes.current_key()
        ids = [chosen] if chosen in waiting else sorted(waiting)
        if ids:
            self._edit(lambda s, _: cues.accept(s, ids)[1] if accepted else cues.reject(s, ids))

    def _delete_scene(self) -> None:
        key = self.scenes.current_key()
        if key:
            self._edit(lambda session, _: commands.unmark(session, key))

    def _note(self) -> None:
        text = self.new_contradiction.text()
        if text.strip() and self._edit(lambda session, where: commands.note_contradiction(session, where, text)[1]):
            self.new_contradiction.clear()

    def _delete(self) -> None:
        key = self.contradictions.current_key()
        if key:
            self._edit(lambda session, _: commands.remove_contradictions(session, [key]))

    def _summarize(self, task: str, text: str) -> None:
        self._edit(lambda session, where: commands.summarize(session, where, SOURCES[task], text))

    def _chosen_judges(self) -> list[JudgeEntry]:
        session = self._studio.session
        wanted = set(self.judges.chosen())
        return [] if session is None else [one for one in all_judges(session.study) if one.id in wanted]

    def _ask(self, task: str, *_: object) -> None:
        if self._recording is not None:
            self._flush()
            self._suggesting.ask(self._recording.id, task, self._chosen_judges(), self.chosen_condition())

    def _ask_questions(self) -> None:
        if self._recording is not None:
            self._flush()
            self._suggesting.ask_questions(self._recording.id, self._chosen_judges(), self.chosen_condition())

    def _take(self, task: str, judgment_id: str) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        own = task in SOURCES and is_own(session, self._recording.id, SOURCES[task])
        told: list[str] = []

        def do(opened: Session, _where: str) -> Changes:
            taken = take(opened, judgment_id, replace_own=own)
            what = {WORDS: "summary", FRAMES: "summary", LOOKS: "look", AUDIT: "contradiction"}[task]
            told.append(tr("Took over {count}.").format(count=counted(taken.new, what)))
            if taken.kept and task == LOOKS:
                told.append(
                    tr("{kept} stay as they were written: empty a cell to take the judge's.").format(kept=taken.kept)
                )
            if taken.unread:
                told.append(
                    tr("{count} say nothing about anybody here.").format(
                        count=trn("{count} line", "{count} lines", len(taken.unread))
                    )
                )
            return taken.changes

        if self._edit(do):
            self.status.set_text(" ".join(told))

    def _flush(self) -> None:
        for box in self.summary_boxes().values():
            box.flush()

    def _change_recording(self) -> None:
        self._flush()
        self.status.set_text("")
        if self.isVisible():
            self.reload()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if self.isVisible() and _TABLES & set(changes):
            self._later.start()
