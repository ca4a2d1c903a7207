"""The room in which a person answers benchmark items. It shows one item at a time and nothing else of the study."""

from collections.abc import Callable, Sequence
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.gui.benchmark.benchmark_labels import progress_text
from app.gui.benchmark.benchmark_page import BenchmarkPage
from app.gui.benchmark.item_sets import ItemSetPresenter
from app.gui.judges.human_answer import AnswerPanel
from app.gui.pages.commands import PageKey, add_page_keys, digit_keys
from app.gui.pages.context import Context
from benchmark.judge_input.input_plan import build_messages
from benchmark.judging.person_judge import FORM_TRACK, PersonTask, person_judgment, refusal_judgment
from benchmark.prompts.judge_prompt import TASKS
from benchmark.runs import people_runs
from benchmark.runs.people_runs import HumanItemQueue, HumanRunOptions, ItemQuestion
from models.judges.judge_interface import Message, Role
from project.entities.frozen_items import ItemModality, ItemSet
from project.entities.judgments import RAW_CONDITION, Judgment
from project.entities.study_records import Json, Participant
from project.errors import UserError
from project.schemes.scheme import CHOICE_KINDS, Scheme
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_row, make_stack
from widgets.progress_bars import ProgressBar
from widgets.text_labels import PlainLabel

_BACK_KEY = "back"
_CHOOSE_HINT = tr("1 to 9 choose, ")
_KEYS_HINT = tr("Ctrl+Return saves, Ctrl+K if you don't know, Esc pauses.")


class AnswerRoom(QWidget):
    """Shows what is asked; what is right is no part of it.

    Signals:
        saved (dict): the answer, by the keys of the fields.
        declined: they do not know.
        leave_requested: they go on another time, or are done.
    """

    saved = Signal(dict)
    declined = Signal()
    leave_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Answering blind"))
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.panel: AnswerPanel | None = None
        self._ready = False
        self.title = PlainLabel(font=theme.font(theme.POINTS + 2, semibold=True))
        self.count = PlainLabel(look="quiet")
        self.bar = ProgressBar(textVisible=False)
        self.bar.setFixedHeight(4)
        self.bar.setAccessibleName(tr("How much is answered"))
        self.note = PlainLabel(wordWrap=True, accessibleName=tr("What to do"))
        self.save = push_button(
            tr("Save and go &on"),
            tr("Save your answer and show the next item (Ctrl+Return)"),
            look="primary",
            do=self.save_answer,
        )
        self.skip = push_button(
            tr("I &don't know"),
            tr("Go on without an answer; it is counted apart and not asked again (Ctrl+K)"),
            do=self.decline,
        )
        self.later = push_button(tr("&Next item"), tr("Leave this item, which cannot be shown, for later"))
        self.pause = push_button(
            tr("&Pause"),
            tr("Leave; everything you answered is saved, and you go on where you left (Esc)"),
            do=self.leave_requested,
        )
        self._done = EmptyState(
            "circle-check", "", "", (EmptyStateAction(_BACK_KEY, tr("Back to the study"), primary=True),)
        )
        self._done.button_clicked.connect(lambda _key: self.leave_requested.emit())
        self._lay_out()
        add_page_keys(self, KEYS)

    def show_progress(self, title: str, count: str, done: int, total: int) -> None:
        """Say what is asked, and how far they are."""
        self.title.setText(title)
        self.count.setText(count)
        self.bar.show_value(done, max(total, 1))

    def show_task(self, scheme: Scheme, track: str, people: Sequence[Participant]) -> None:
        """Show an empty form; it can be filled in when its material is there."""
        before, self.panel = self.panel, AnswerPanel(scheme, track, people)
        self.panel.form.value_changed.connect(lambda _field, _value: self._show_key_hint())
        if before is not None:
            self._stack.removeWidget(before)
            before.deleteLater()
        self._stack.addWidget(self.panel)
        self._stack.setCurrentWidget(self.panel)
        self.later.hide()
        self._set_ready(False)
        self.show_note(tr("Reading the frames…"))

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG); from now on it can be answered."""
        if self.panel is None:
            return
        self.panel.show_material(text, pictures)
        self._set_ready(True)
        self._show_key_hint()
        # No choice has the focus: it would look as if it were chosen.
        self.setFocus()

    def show_unavailable(self, why: str) -> None:
        """Say why an item cannot be shown; it can be left for later."""
        self._set_ready(False)
        self.later.show()
        self.show_note(why)

    def show_done(self, title: str, hint: str) -> None:
        """Say that nothing is left."""
        self._set_ready(False)
        self.later.hide()
        self._done.set_text(title, hint)
        self._stack.setCurrentWidget(self._done)
        self._done.setFocus()

    def show_note(self, text: str) -> None:
        """Show a line beside the buttons."""
        self.note.setText(text)

    @property
    def is_ready(self) -> bool:
        """Whether an answer can be given."""
        return self._ready

    def answer(self) -> dict[str, Json]:
        """Return what is filled in."""
        return self.panel.answer() if self.panel is not None else {}

    def _lay_out(self) -> None:
        self._stack = make_stack(self._done)
        self.setLayout(
            make_column(
                make_row(self.title, None, self.count),
                self.bar,
                self._stack,
                1,
                make_row(self.note, 1, self.pause, self.later, self.skip, self.save),
                margin=theme.GRID * 2,
            )
        )
        self.later.hide()
        self._set_ready(False)

    def _set_ready(self, ready: bool) -> None:
        self._ready = ready
        for button in (self.save, self.skip):
            button.setEnabled(ready)
        if self.panel is not None:
            self.panel.form.setEnabled(ready)

    def _show_key_hint(self) -> None:
        fields = [editor.field for editor in self.panel.form.editors.values()] if self.panel is not None else []
        chooses = any(field.kind in CHOICE_KINDS for field in fields)
        self.show_note(f"{_CHOOSE_HINT if chooses else ''}{_KEYS_HINT}")

    def save_answer(self) -> None:
        """Hand the answer on, where one can be given."""
        if self._ready:
            self.saved.emit(self.answer())

    def decline(self) -> None:
        """Say that they do not know."""
        if self._ready:
            self.declined.emit()

    def pick(self, number: int) -> None:
        """Choose by number."""
        if self._ready and self.panel is not None:
            self.panel.pick_choice(number)


KEYS: tuple[PageKey["AnswerRoom"], ...] = (
    PageKey("1 2 3", tr("Choose")),
    *digit_keys(lambda room, number: room.pick(number)),
    PageKey("Ctrl+Return", tr("Save and go on"), lambda room: room.save_answer()),
    PageKey("Ctrl+K", tr("I don't know"), lambda room: room.decline()),
    PageKey("Esc", tr("Pause"), lambda room: room.leave_requested.emit()),
)


Messages = tuple[Message, ...]


class BenchmarkAnswerController(QObject):
    """One queue at a time; an answer is in the study before the next item is shown.

    Signals:
        ended: the room was left.
    """

    ended = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._queue: HumanItemQueue | None = None
        self._passed: set[ItemQuestion] = set()
        self._asked: ItemQuestion | None = None
        self._planned: PersonTask | None = None
        self._messages: Messages = ()
        self._since = 0.0
        self._made: dict[ItemQuestion, tuple[PersonTask, Messages]] = {}
        self.room: AnswerRoom | None = None
        context.studio.leaving.connect(self.end)

    def begin(self, item_set: ItemSet, way: HumanRunOptions) -> None:
        """Ask the current annotator what is left of a set."""
        session = self._context.studio.session
        if session is None or self.room is not None:
            return
        try:
            queue, changes = people_runs.start_run(session, people_runs.read_queue(session, item_set, way))
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        self._queue, self._passed = queue, set()
        room = self.room = AnswerRoom()
        room.saved.connect(self._save)
        room.declined.connect(self._decline)
        room.later.clicked.connect(self._postpone)
        room.leave_requested.connect(self.end)
        self._context.go_blind(room)
        self._context.studio.publish(changes)
        self._show_next()

    def end(self) -> None:
        """Leave the room; what was answered is saved."""
        if self.room is None:
            return
        self.room, self._asked, self._planned = None, None, None
        self._made.clear()
        self._context.see_again()
        self.ended.emit()

    def _remaining(self) -> list[ItemQuestion]:
        return (
            [item_question for item_question in self._queue.remaining if item_question not in self._passed]
            if self._queue is not None
            else []
        )

    def _show_next(self) -> None:
        """Show the next item that was not answered as an equal one already."""
        session, room = self._context.studio.session, self.room
        while session is not None and room is not None and self._queue is not None:
            left = self._remaining()
            self._show_progress(room, self._queue)
            if not left:
                self._show_done(room, self._queue)
                return
            self._asked = left[0]
            try:
                planned = self._planned_task(session, self._queue, left[0])
                there = people_runs.find_equal_answer(session, self._queue, planned)
            except UserError as error:
                room.show_unavailable(str(error))
                return
            if there is None:
                self._show(room, left[0], planned)
                return
            self._queue, changes = people_runs.repeat_answer(session, self._queue, left[0], there)
            self._context.studio.publish(changes)

    def _planned_task(self, session: Session, queue: HumanItemQueue, asked: ItemQuestion) -> PersonTask:
        return self._made[asked][0] if asked in self._made else people_runs.plan_question_task(session, queue, asked)

    def _show(self, room: AnswerRoom, asked: ItemQuestion, planned: PersonTask) -> None:
        self._planned = planned
        room.show_task(planned.scheme, FORM_TRACK, planned.people)

        def show(messages: Messages) -> None:
            if room is self.room:
                self._messages = messages
                user = next(message for message in messages if message.role is Role.USER)
                room.show_material(user.text, [(picture.time_label, picture.jpeg) for picture in user.pictures])
                self._since = monotonic()
                self._prefetch_next()

        def fail(error: Exception) -> None:
            if room is self.room:
                room.show_unavailable(str(error))

        if asked in self._made:
            show(self._made.pop(asked)[1])
        else:
            self._context.background.run(lambda _progress: build_messages(planned.plan), show, fail)

    def _prefetch_next(self) -> None:
        """Make what comes next while somebody still reads."""
        session, queue, left = self._context.studio.session, self._queue, self._remaining()
        if session is None or queue is None or len(left) < 2 or left[1] in self._made:
            return
        room, asked = self.room, left[1]
        try:
            planned = people_runs.plan_question_task(session, queue, asked)
        except UserError:
            # It is said when its turn comes.
            return

        def keep(messages: Messages) -> None:
            if room is self.room is not None:
                self._made[asked] = (planned, messages)

        self._context.background.run(lambda _progress: build_messages(planned.plan), keep, lambda _error: None)

    def _save(self, values: dict[str, Json]) -> None:
        self._store(lambda session, planned, ms: person_judgment(session, planned, values, ms, self._messages))

    def _decline(self) -> None:
        self._store(
            lambda session, planned, ms: refusal_judgment(session, planned, ms, self._messages, people_runs.DONT_KNOW)
        )

    def _store(self, judge: Callable[[Session, PersonTask, int], Judgment]) -> None:
        session, room, queue = self._context.studio.session, self.room, self._queue
        if session is None or room is None or queue is None or self._asked is None or self._planned is None:
            return
        try:
            made = judge(session, self._planned, round((monotonic() - self._since) * 1e3))
            self._queue, changes = people_runs.save_judgment(session, queue, self._asked, made)
        except UserError as error:
            room.show_note(f"{error.message} {error.hint}".strip())
            return
        self._context.studio.publish(changes)
        self._show_next()

    def _postpone(self) -> None:
        if self._asked is not None:
            self._passed.add(self._asked)
            self._show_next()

    def _show_progress(self, room: AnswerRoom, queue: HumanItemQueue) -> None:
        left, total = self._remaining(), len(queue.questions)
        done = len(queue.statuses)
        name = TASKS.make(left[0].task).name if left else queue.item_set.name
        counts = [tr("{done:,} of {total:,} answered").format(done=done, total=total)]
        if queue.refused_count:
            counts.append(tr("{refused:,} not known").format(refused=queue.refused_count))
        if self._passed:
            counts.append(tr("{passed:,} left for later").format(passed=len(self._passed)))
        if queue.own_count:
            counts.append(tr("{own:,} of your own left out").format(own=queue.own_count))
        room.show_progress(name, " · ".join(counts), done, total)

    def _show_done(self, room: AnswerRoom, queue: HumanItemQueue) -> None:
        if self._passed:
            room.show_done(
                tr("{count} could not be shown").format(count=trn("{count} item", "{count} items", len(self._passed))),
                tr("Everything else is answered. Put what is missing back, then go on."),
            )
        elif not queue.questions:
            room.show_done(tr("There is nothing to answer"), tr("Every item was made from your own annotations."))
        else:
            room.show_done(tr("All answered"), tr("Thank you. What is right may be shown to you now."))


_REFRESH_DELAY_MS = 250
"""What somebody made is looked up in the whole study: not with every key."""


class HumanRunController(QObject):
    """What is chosen for judges holds for people too."""

    def __init__(self, context: Context, page: BenchmarkPage, shown: ItemSetPresenter) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self.answering = BenchmarkAnswerController(context, self)
        page.run.answer_requested.connect(self.open)
        self._soon = QTimer(self, singleShot=True, interval=_REFRESH_DELAY_MS)
        self._soon.timeout.connect(self._show)
        page.run.changed.connect(self._soon.start)
        page.acts["answer"] = self.open
        page.tabs.currentChanged.connect(lambda _at: self._soon.start())
        shown.changed.connect(self._soon.start)
        self.answering.ended.connect(shown.refresh)

    def open(self) -> None:
        """Let the current annotator answer what is left."""
        item_set = self._shown.current()
        if item_set is not None:
            self.answering.begin(item_set, self.options())

    def options(self) -> HumanRunOptions:
        """Return how they would be asked."""
        tab = self._page.run
        chosen = tab.chosen_modality()
        condition = next(iter(tab.conditions.ticked_keys()), RAW_CONDITION)
        shown = ItemModality(chosen) if chosen else ItemModality.TEXT_AND_VIDEO
        return HumanRunOptions(shown, tab.chosen_variant() or "plain", condition, tab.seed.value(), tab.own.isChecked())

    def _show(self) -> None:
        item_set, session, tab = self._shown.current(), self._shown.session, self._page.run
        if session is None or item_set is None or not tab.isVisible():
            return
        if session.annotator() is None or session.study.read_only:
            tab.standing.setText("")
            return
        try:
            tab.standing.setText(progress_text(people_runs.read_queue(session, item_set, self.options())))
        except UserError as error:
            tab.standing.setText(str(error))
