"""The form in which a person answers the task that judges get, with the same words and frames.

The answer is stored as a judgment.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication, QListView, QListWidget, QListWidgetItem, QSplitter, QWidget

from app.gui.judges.judge_runs import JudgingController
from app.gui.judges.judges_page import JudgesPage
from app.gui.pages.context import Context
from benchmark.judge_input.input_plan import InputSettings, build_messages
from benchmark.judging.person_judge import FORM_TRACK, PersonTask, plan_person_task, save_answer
from benchmark.prompts.judge_prompt import TASKS
from models.judges.judge_interface import Message, Role
from project.entities.study_records import Json, Participant
from project.errors import UserError
from project.schemes.scheme import CHOICE_KINDS, Scheme
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import text_area
from widgets.form.layouts import bounded_to_screen, make_column, make_panel, make_scroll_area
from widgets.inspector.segment_form import SegmentForm
from widgets.text_labels import PlainLabel

_THUMBNAIL = QSize(160, 120)
_LABEL_FIELD = "label"
_PICTURE_ROLE = Qt.ItemDataRole.UserRole


class _Large(PlainLabel):
    """A frame as large as it is; any key or click puts it away."""

    def __init__(self, picture: QPixmap, name: str, parent: QWidget) -> None:
        super().__init__("", parent)
        self.setWindowFlags(Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(name)
        self.setPixmap(picture)
        self.adjustSize()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        self.close()


class AnswerPanel(QSplitter):
    """One task; it shows nothing that anybody else said."""

    def __init__(
        self, scheme: Scheme, track: str, people: Sequence[Participant], parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.form = SegmentForm(scheme, track)
        self.form.set_people(people)
        self.form.set_label("")
        self.form.value_changed.connect(self._changed)
        self.setChildrenCollapsible(False)
        self.addWidget(self._make_material_part())
        self.addWidget(self._make_answer_part())
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG)."""
        self.words.setPlainText(text)
        self.pictures.clear()
        for told, jpeg in pictures:
            picture = QPixmap()
            picture.loadFromData(jpeg)
            item = QListWidgetItem(told)
            item.setIcon(picture)
            item.setToolTip(tr("Click to see it as large as judges get it"))
            item.setData(_PICTURE_ROLE, picture)
            self.pictures.addItem(item)
        self.pictures.setVisible(bool(pictures))

    def answer(self) -> dict[str, Json]:
        """Return what is filled in, of the fields that belong to the label that was chosen."""
        self.form.flush()
        label = self.form.editors[_LABEL_FIELD].value() if _LABEL_FIELD in self.form.editors else ""
        return {
            key: editor.value()
            for key, editor in self.form.editors.items()
            if editor.field.applies_to(str(label or "")) and editor.value() is not None
        }

    def pick_choice(self, number: int) -> None:
        """Choose by number, from 1, in the first field that is a choice; nothing where there is none of that number."""
        for editor in self.form.editors.values():
            field = editor.field
            if field.kind in CHOICE_KINDS:
                if number <= len(field.choices):
                    editor.pick(field.choices[number - 1].key)
                return

    def _make_material_part(self) -> QWidget:
        self.pictures = QListWidget()
        self.pictures.setAccessibleName(tr("Frames"))
        self.pictures.setViewMode(QListView.ViewMode.IconMode)
        self.pictures.setIconSize(_THUMBNAIL)
        self.pictures.setResizeMode(QListView.ResizeMode.Adjust)
        self.pictures.setMovement(QListView.Movement.Static)
        self.pictures.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.pictures.setSpacing(4)
        self.pictures.hide()
        for chosen in (self.pictures.itemClicked, self.pictures.itemActivated):
            chosen.connect(self._enlarge)
        self.words = text_area(tr("The question, as judges get it"), readOnly=True)
        return make_panel(make_column(self.pictures, 1, self.words, 1))

    def _make_answer_part(self) -> QWidget:
        heading = PlainLabel(tr("Your answer"), font=theme.font(theme.POINTS + 1, semibold=True))
        return make_scroll_area(
            make_panel(make_column(heading, self.form, None, margin=(theme.GRID, 0, theme.GRID, 0))), frame=True
        )

    def _enlarge(self, item: QListWidgetItem) -> None:
        """Show a frame over everything, until the next click or key."""
        if QApplication.activePopupWidget() is None:
            # Not inside the panel: a splitter would make it one of its parts.
            large = _Large(item.data(_PICTURE_ROLE), tr("Frame at {text}").format(text=item.text()), self.window())
            large.move(self.mapToGlobal(self.rect().center()) - large.rect().center())
            large.show()

    def _changed(self, field: str, value: Json) -> None:
        if field == _LABEL_FIELD:
            self.form.set_label(str(value or ""))


_FORM_SIZE = QSize(1080, 760)


class PersonForm(OwnDialog):
    """Shows one task and takes the answer; it shows nothing that anybody else said.

    Signals:
        saved (dict): the answer, by the keys of the fields.
    """

    saved = Signal(dict)

    def __init__(
        self, title: str, scheme: Scheme, track: str, people: Sequence[Participant], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(bounded_to_screen(_FORM_SIZE, self))
        self.panel = AnswerPanel(scheme, track, people)
        self.form, self.words, self.pictures = self.panel.form, self.panel.words, self.panel.pictures
        self.form.value_changed.connect(lambda _field, _value: self.show_note(""))
        self.buttons = DialogButtons(self, tr("Save answer"), tr("Nothing is saved"))
        self.buttons.go_on.setToolTip(tr("Save your answer; then what judges say about this task may be seen"))
        # Enter belongs to the texts of the form.
        self.buttons.go_on.setDefault(False)
        self.buttons.go_on.setAutoDefault(False)
        self.buttons.go_on.clicked.connect(lambda: self.saved.emit(self.panel.answer()))
        self.setLayout(make_column(self.panel, 1, self.buttons, margin=theme.GRID * 2))

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG); the form can be filled in from now on."""
        self.panel.show_material(text, pictures)
        self.form.setEnabled(True)
        self.buttons.go_on.setEnabled(True)
        self.show_note("")

    def show_waiting(self, text: str) -> None:
        """Say that what is asked is being made, or why it cannot be; nothing can be answered."""
        self.form.setEnabled(False)
        self.buttons.go_on.setEnabled(False)
        self.show_note(text)

    def show_note(self, text: str) -> None:
        """Show a line beside the buttons."""
        self.buttons.note.setText(text)


class HumanAnswerController(QObject):
    """One form at a time; time counts from when everything is shown until the answer is saved."""

    def __init__(self, context: Context, page: JudgesPage, asking: JudgingController) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._asking = asking
        self._messages: tuple[Message, ...] = ()
        self._since = 0.0
        self.form: PersonForm | None = None
        page.bar.answer_requested.connect(self.open)
        page.acts["answer"] = page.bar.answer.click
        context.studio.leaving.connect(self.close)

    def open(self) -> None:
        """Ask the current annotator about the segment that is shown, blind to what anybody else said."""
        session, about, bar = self._page.session(), self._page.segment(), self._page.bar
        if session is None or about is None:
            return
        self.close()
        task, condition = bar.chosen_task(), self._page.selected_conditions()[0]
        more = self._asking.more
        settings = replace(more.input_settings(), frames=more.frames() or InputSettings().frames)
        try:
            asked = plan_person_task(session, about.id, task, bar.chosen_variant(), condition, settings)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        form = PersonForm(
            tr("Answer yourself: {name}").format(name=TASKS.make(task).name),
            asked.scheme,
            FORM_TRACK,
            asked.people,
            self._page.window(),
        )
        self.form = form
        form.saved.connect(lambda answer: self._save(asked, answer))
        form.show_waiting(tr("Reading the frames…"))
        form.open()

        def show(messages: tuple[Message, ...]) -> None:
            if form is self.form:
                self._messages = messages
                user = next(message for message in messages if message.role is Role.USER)
                form.show_material(user.text, [(picture.time_label, picture.jpeg) for picture in user.pictures])
                self._since = monotonic()

        def fail(error: Exception) -> None:
            if form is self.form:
                form.show_waiting(str(error))

        self._context.background.run(lambda _progress: build_messages(asked.plan), show, fail)

    def close(self) -> None:
        """Put the form away; nothing is saved."""
        if self.form is not None:
            form, self.form = self.form, None
            form.reject()
            form.deleteLater()

    def _save(self, asked: PersonTask, answer: dict[str, Json]) -> None:
        session, form = self._context.studio.session, self.form
        if session is None or form is None:
            return
        try:
            _, changes = save_answer(session, asked, answer, round((monotonic() - self._since) * 1e3), self._messages)
        except UserError as error:
            form.show_note(f"{error.message} {error.hint}".strip())
            return
        self.close()
        self._context.studio.publish(changes)
        self._context.studio.message.emit(tr("Your answer is saved."))
