"""The meta window of one recording: people, speech, scenes, two summaries and their contradictions."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from annotate.cues import prelabels
from annotate.meta import meta_edits, scenes
from annotate.meta.recording_cast import find_pauses, list_people, read_cued_utterances
from annotate.meta.scenes import SCHEME, read_scene_events
from annotate.segments.segment_edits import delete_segments
from app.gui.annotate import meta_tables
from app.gui.annotate.meta_suggestions import MetaSuggestionController, Pictures
from app.gui.annotate.meta_tables import (
    PICTURE_COLUMNS,
    SCENES,
    SPEECH,
    THUMBNAIL_PX,
    AnswerPicker,
    ContradictionRow,
    PersonRow,
    SummaryBox,
    contradiction_columns,
    people_columns,
)
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from benchmark.authoring.meta_answers import (
    AUDIT,
    FRAMES,
    LOOKS,
    SUMMARY_SOURCES,
    WORDS,
    import_answer,
    is_human_summary,
)
from benchmark.disclosure.conditions import condition_names
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry
from project.entities.questions import LookKind
from project.entities.study_records import Changes, Recording
from project.errors import UserError
from project.queries.judgment_rows import all_judges
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from project.text_format import pluralize
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.checklists import TickMenu, TickMenuItem
from widgets.form.controls import line_edit, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_panel, make_row, make_splitter, make_stack
from widgets.table.record_table import RecordTable, text_columns
from widgets.text_labels import ElidedLabel, PlainLabel

_WORDS_HINT = tr("What is talked about, what each of them wants, what changes between them; with times.")
_FRAMES_HINT = tr("Who does what, with which face and posture, towards whom, and where; with times.")


class MetaLayout(StudyView):
    """Parts and places, and nothing that they do."""

    title = tr("Meta information")
    preferred_size = (1280, 900)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.heading = ElidedLabel(font=theme.font(semibold=True))
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.condition = ChoiceBox(tr("What they see"), tr("What of the recording the judges see"))
        self.people: RecordTable[PersonRow] = RecordTable(tr("People"), (), wraps=True)
        self.people.setIconSize(QSize(THUMBNAIL_PX, THUMBNAIL_PX))
        self.people.verticalHeader().setMinimumSectionSize(THUMBNAIL_PX + theme.GRID)
        self.looks_answers = AnswerPicker("looks")
        self.speech = RecordTable(tr("Speech"), text_columns(SPEECH))
        self.scenes = RecordTable(tr("Scenes and events"), text_columns(SCENES))
        self.words = SummaryBox(tr("Summary from words"), _WORDS_HINT)
        self.frames = SummaryBox(tr("Summary from pictures"), _FRAMES_HINT)
        self.contradictions: RecordTable[ContradictionRow] = RecordTable(tr("Contradictions"), (), wraps=True)
        self.audit_answers = AnswerPicker("contradictions")
        empty = EmptyState("film", tr("No recording is open"), tr("Choose one in the main window."))
        self._stack = make_stack(empty, self._page())
        self.make_questions = push_button(
            tr("Make ESI questions"), tr("Let the chosen judges word questions of five dimensions from this")
        )
        self.lay_out(self._stack, 1, foot=(self.make_questions,))
        self.show_recording("")

    def show_recording(self, title: str) -> None:
        """Show whose information it is; "" for no recording."""
        self.heading.set_text(title)
        self._stack.setCurrentIndex(int(bool(title)))
        self.make_questions.setVisible(bool(title))

    def summary_boxes(self) -> dict[str, SummaryBox]:
        """Return task -> the summary that it makes."""
        return {WORDS: self.words, FRAMES: self.frames}

    def pickers(self) -> dict[str, AnswerPicker]:
        """Return task -> where its answers are offered."""
        boxes = {task: box.answers for task, box in self.summary_boxes().items()}
        return {LOOKS: self.looks_answers, AUDIT: self.audit_answers, **boxes}

    def suggest_buttons(self) -> dict[str, QPushButton]:
        """Return task -> the button that asks for it."""
        boxes = {task: box.suggest for task, box in self.summary_boxes().items()}
        return {LOOKS: self.suggest_looks, AUDIT: self.suggest_audit, **boxes}

    def show_conditions(self, names: Mapping[str, str]) -> None:
        """Offer what judges may see, by id; what was chosen stays."""
        self.condition.offer(names)

    def chosen_condition(self) -> str:
        """Return what judges see."""
        return str(self.condition.currentData() or "raw")

    def selected_mark(self) -> tuple[str, str]:
        """Return the track and the label that are marked at the playhead."""
        track, _, label = str(self.label.currentData()).partition(".")
        return track, label

    def _page(self) -> QWidget:
        head, across = self._head(), Qt.Orientation.Horizontal
        above = make_splitter(across, self._people_part(), 3, self._scenes_part(), 2, sizes=[800, 440])
        summaries = (self.words, 1, self.frames, 1)
        below = make_splitter(across, *summaries, self._contradictions_part(), sizes=[360, 360, 520])
        rows = (above, 3, self._speech_part(), 2, below, 3)
        parts = make_splitter(Qt.Orientation.Vertical, *rows, sizes=[380, 180, 290])
        for splitter in (above, below, parts):
            splitter.setHandleWidth(theme.GRID * 2)
        return make_panel(make_column(head, parts, 1))

    def _head(self) -> QHBoxLayout:
        self.judges.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.condition.setMinimumWidth(theme.GRID * 14)
        asked = PlainLabel(tr("Suggestions from"), look="quiet")
        seen = PlainLabel(tr("who see"), look="quiet")
        return make_row(self.heading, 3, asked, self.judges, 1, seen, self.condition)

    def _people_part(self) -> QWidget:
        self.suggest_looks = push_button(
            tr("Suggest looks"), tr("Ask the chosen judges by what the people can be told apart")
        )
        note = tr("Faces and who they are: mode Faces. Write looks here.")
        return _make_section(tr("People"), note, [self.suggest_looks], self.people, self.looks_answers)

    def _scenes_part(self) -> QWidget:
        self.find_changes = push_button(
            tr("Find scene changes"), tr("Look for cuts on this machine; what is found is suggested")
        )
        self.label = ChoiceBox(tr("What to mark"), tr("What is marked at the playhead"))
        for track in load_scheme(SCHEME).tracks:
            for label in track.labels:
                self.label.addItem(label.name, f"{track.key}.{label.key}")
        self.mark = push_button(
            tr("Mark at playhead"), tr("Mark half a second from where the player is; drag it on the timeline")
        )
        self.accept = push_button(tr("Accept"), tr("Make what is suggested your own"))
        self.reject = push_button(tr("Reject"), tr("What is suggested is wrong; it does not come again"))
        self.delete_scene = push_button(tr("Delete"), tr("Delete what you marked"))
        buttons = [self.accept, self.reject, self.find_changes]
        return _make_section(
            tr("Scenes and events"),
            "",
            buttons,
            self.scenes,
            make_panel(make_row(self.label, 1, self.mark, self.delete_scene, spacing=theme.GRID // 2)),
        )

    def _speech_part(self) -> QWidget:
        self.over = push_button(
            tr("Voice-over"), tr("Leave the chosen line out: nobody in the scene says it; or take it back in")
        )
        note = tr("Words, speakers and cues are edited in the mode Transcript.")
        return _make_section(tr("Speech"), note, [self.over], self.speech)

    def _contradictions_part(self) -> QWidget:
        self.suggest_audit = push_button(
            tr("Suggest"), tr("Ask the chosen judges what the two summaries say differently")
        )
        self.new_contradiction = line_edit(tr("New contradiction"), tr("Something the two summaries say differently"))
        self.add = push_button(tr("Add"), tr("Note this contradiction (Enter)"))
        self.delete = push_button(tr("Delete"), tr("Delete the chosen contradiction"))
        return _make_section(
            tr("Contradictions"),
            "",
            [self.suggest_audit],
            self.contradictions,
            make_panel(make_row(self.new_contradiction, 1, self.add, self.delete, spacing=theme.GRID // 2)),
            self.audit_answers,
        )


def _make_section(title: str, note: str, buttons: list[QPushButton], *parts: QWidget) -> QWidget:
    """Return a part of the window: a title with buttons, then its widgets, the first of which takes the room."""
    name = PlainLabel(title, font=theme.font(semibold=True))
    quiet = ElidedLabel(look="quiet")
    quiet.set_text(note)
    head = make_row(name, quiet, 1, *buttons)
    return make_panel(make_column(head, parts[0], 1, *parts[1:], spacing=theme.GRID // 2))


class MetaTab(MetaLayout):
    """Follows the recording that the main window shows; every edit is a step that undo there takes back."""

    tables = frozenset(
        {"look", "summary", "contradiction", "judgment", "utterance", "segment", "segment_value", "review"}
        | {"participant", "appearance", "track_correction", "track_box", "face_track", "run", "judge", "recording"}
        | {"property"}
    )
    pause_ms = 60
    follows_recording = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._recording: Recording | None = None
        self._pictures = Pictures(self.people)
        self._suggesting = MetaSuggestionController(context, self)
        self._connect_signals()

    def _connect_signals(self) -> None:
        self.people.set_columns(people_columns(self._pictures.picture, self._describe))
        self.people.clicked.connect(self._seek_person)
        self._pictures.changed.connect(self.people.viewport().update)
        self.speech.chosen.connect(lambda row: self._seek(row.time_us))
        self.scenes.chosen.connect(lambda row: self._seek(row.time_us))
        self.speech.selection_changed.connect(self._update_buttons)
        self.scenes.selection_changed.connect(self._update_buttons)
        self.over.clicked.connect(self._toggle_voice_over)
        self.find_changes.clicked.connect(self._find_changes)
        self.mark.clicked.connect(self._mark_moment)
        self.accept.clicked.connect(partial(self._decide, True))
        self.reject.clicked.connect(partial(self._decide, False))
        self.delete_scene.clicked.connect(self._delete_scene)
        for task, button in self.suggest_buttons().items():
            button.clicked.connect(partial(self._ask, task))
        self.make_questions.clicked.connect(self._ask_questions)
        for task, picker in self.pickers().items():
            picker.accept_requested.connect(partial(self._accept_answer, task))
        for task, box in self.summary_boxes().items():
            box.edited.connect(partial(self._summarize, task))
        edit = self._edit_recording
        self.contradictions.set_columns(
            contradiction_columns(
                lambda row, on: edit(lambda s, _: meta_edits.settle_contradiction(s, row.key, None, bool(on))),
                lambda row, text: edit(lambda s, _: meta_edits.edit_contradiction(s, row.key, text)),
                lambda row, text: edit(lambda s, _: meta_edits.settle_contradiction(s, row.key, text, bool(text))),
            )
        )
        self.add.clicked.connect(self._add_contradiction)
        self.new_contradiction.returnPressed.connect(self._add_contradiction)
        self.delete.clicked.connect(self._delete_contradiction)
        self.contradictions.selection_changed.connect(self._update_buttons)
        self._suggesting.message.connect(self.tell)

    def _describe(self, who: str, kind: LookKind, text: str) -> None:
        self._edit_recording(lambda session, where: meta_edits.set_person_description(session, where, who, kind, text))

    def _seek_person(self, index: QModelIndex) -> None:
        person = self.people.records()[index.row()]
        if index.column() < PICTURE_COLUMNS and person.start_us >= 0:
            self._seek(person.start_us)

    def hideEvent(self, event: QHideEvent) -> None:
        self._flush()
        super().hideEvent(event)

    def reload(self, session: Session) -> None:
        recording = self._studio.recording
        if recording != self._recording:
            self._flush()
            self.tell("")
        self._recording = recording
        self.show_recording(
            ""
            if recording is None
            else tr("Recording {number}: {name}").format(number=recording.number, name=recording.name)
        )
        if recording is not None:
            self._show(session, recording)
            self._update_buttons()

    def _show(self, session: Session, recording: Recording) -> None:
        writable = self._studio.writable
        people = list_people(session, recording.id)
        self.people.show_records(meta_tables.people_rows(people), writable=writable)
        self._pictures.request(session, recording.id, people)
        said = read_cued_utterances(session, recording.id)
        pauses = find_pauses(said, recording.duration_us)
        self.speech.show_records(meta_tables.speech_rows(session, said, pauses))
        self.scenes.show_records(meta_tables.scene_rows(read_scene_events(session, recording.id)))
        self.contradictions.show_records(meta_tables.contradiction_rows(session, recording.id), writable=writable)
        answers = meta_tables.answers_by_task(session, recording.id)
        for task, box in self.summary_boxes().items():
            box.set_writable(writable)
            box.show_text(*meta_tables.read_summary(session, recording.id, SUMMARY_SOURCES[task]))
            box.answers.set_replacing(is_human_summary(session, recording.id, SUMMARY_SOURCES[task]))
        for task, picker in self.pickers().items():
            picker.accept.setEnabled(writable)
            picker.show_answers(answers.get(task, ()))
        self._show_judges(session, recording.id)

    def _show_judges(self, session: Session, recording_id: str) -> None:
        judges = [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        self.judges.set_entries([TickMenuItem(judge.id, judge.name, judge.model or judge.backend) for judge in judges])
        names = condition_names(session, recording_id)
        self.show_conditions({**names, RAW_CONDITION: tr("Raw")})

    def _update_buttons(self) -> None:
        writable, session = self._studio.writable, self._studio.session
        line = self.speech.current_key()
        self.over.setEnabled(writable and bool(line) and not line.startswith(meta_tables.PAUSE))
        self.delete.setEnabled(writable and bool(self.contradictions.current_key()))
        waiting = set() if session is None or self._recording is None else self._undecided_ids(session)
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
        for suggest_button in (
            self.find_changes,
            self.mark,
            self.add,
            self.make_questions,
            *self.suggest_buttons().values(),
        ):
            suggest_button.setEnabled(writable and self._recording is not None)

    def _undecided_ids(self, session: Session) -> set[str]:
        assert self._recording is not None
        return set(meta_tables.undecided_event_ids(session, self._recording.id))

    # What the buttons do

    def _edit_recording(self, do: Callable[[Session, str], Changes | None]) -> bool:
        recording = self._recording
        if recording is None:
            return False
        done = self.edit(lambda session: do(session, recording.id))
        # Also what was refused is shown as it is in the study.
        self.refresh_later()
        return done

    def _seek(self, time_us: int) -> None:
        if self._recording is not None:
            self._context.look_at(self._recording.id, time_us)

    def _toggle_voice_over(self) -> None:
        session, key = self._studio.session, self.speech.current_key()
        if session is None or self._recording is None or not key:
            return
        over = {
            cued_utterance.utterance.id: cued_utterance.is_voice_over
            for cued_utterance in read_cued_utterances(session, self._recording.id)
        }
        self._edit_recording(lambda s, _: meta_edits.set_voice_over(s, key, not over.get(key, False)))

    def _find_changes(self) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        try:
            work = scenes.prepare(session, self._recording.id)
        except UserError as error:
            self.tell(error)
            return
        self.tell(f"{work.title}…")
        self._context.jobs.start(
            work,
            lambda result: self.tell(
                tr("Found {count}.").format(
                    count=trn("{count} scene change", "{count} scene changes", len(result.changes))
                )
            ),
        )

    def _mark_moment(self) -> None:
        track, label = self.selected_mark()
        now = self._context.player.position_us
        self._edit_recording(lambda session, where: meta_edits.mark_scene_at(session, where, now, track, label)[1])

    def _decide(self, accepted: bool, *_: object) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        waiting = self._undecided_ids(session)
        chosen = self.scenes.current_key()
        ids = [chosen] if chosen in waiting else sorted(waiting)
        if ids:
            self._edit_recording(
                lambda s, _: prelabels.accept_prelabels(s, ids)[1] if accepted else prelabels.reject_prelabels(s, ids)
            )

    def _delete_scene(self) -> None:
        key = self.scenes.current_key()
        if key:
            self._edit_recording(lambda session, _: delete_segments(session, [key]))

    def _add_contradiction(self) -> None:
        text = self.new_contradiction.text()
        if text.strip() and self._edit_recording(
            lambda session, where: meta_edits.add_contradiction(session, where, text)[1]
        ):
            self.new_contradiction.clear()

    def _delete_contradiction(self) -> None:
        key = self.contradictions.current_key()
        if key:
            self._edit_recording(lambda session, _: meta_edits.remove_contradictions(session, [key]))

    def _summarize(self, task: str, text: str) -> None:
        self._edit_recording(
            lambda session, where: meta_edits.write_summary(session, where, SUMMARY_SOURCES[task], text)
        )

    def _chosen_judges(self) -> list[JudgeEntry]:
        session = self._studio.session
        wanted = set(self.judges.ticked_keys())
        return [] if session is None else [judge for judge in all_judges(session.study) if judge.id in wanted]

    def _ask(self, task: str, *_: object) -> None:
        if self._recording is not None:
            self._flush()
            self._suggesting.ask(self._recording.id, task, self._chosen_judges(), self.chosen_condition())

    def _ask_questions(self) -> None:
        if self._recording is not None:
            self._flush()
            self._suggesting.ask_questions(self._recording.id, self._chosen_judges(), self.chosen_condition())

    def _accept_answer(self, task: str, judgment_id: str) -> None:
        session = self._studio.session
        if session is None or self._recording is None:
            return
        own = task in SUMMARY_SOURCES and is_human_summary(session, self._recording.id, SUMMARY_SOURCES[task])
        told: list[str] = []

        def do(opened: Session, _where: str) -> Changes:
            taken = import_answer(opened, judgment_id, replace_own=own)
            what = {WORDS: "summary", FRAMES: "summary", LOOKS: "look", AUDIT: "contradiction"}[task]
            told.append(tr("Took over {count}.").format(count=pluralize(taken.new, what)))
            if taken.kept and task == LOOKS:
                told.append(
                    tr("{kept} stay as they were written: empty a cell to take the judge's.").format(kept=taken.kept)
                )
            if taken.unparsed_lines:
                told.append(
                    tr("{count} say nothing about anybody here.").format(
                        count=trn("{count} line", "{count} lines", len(taken.unparsed_lines))
                    )
                )
            return taken.changes

        if self._edit_recording(do):
            self.tell(" ".join(told))

    def _flush(self) -> None:
        for box in self.summary_boxes().values():
            box.flush()
