"""Opens the form in which a person answers what judges are asked, and stores the answer."""

from dataclasses import replace
from time import monotonic

from PySide6.QtCore import QObject

from app.core.judging.annotators.person_form import FORM, PersonTask, person_task, save_answer
from app.core.judging.seeing.plan import SightSettings
from app.core.judging.seeing.sight import build
from app.gui.context import Context
from app.gui.judges.asking import Asking
from app.gui.judges.showing import Showing
from benchmark.tasks.registry import task_of
from models.judges.base import Message, Role
from project.errors import UserError
from project.types import Json
from resources.translation import tr
from widgets.judges.page import JudgesPage
from widgets.judges.person_form import PersonForm


class Answering(QObject):
    """One form at a time; time counts from when everything is shown until the answer is saved."""

    def __init__(self, context: Context, page: JudgesPage, shown: Showing, asking: Asking) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._asking = asking
        self._messages: tuple[Message, ...] = ()
        self._since = 0.0
        self.form: PersonForm | None = None
        page.bar.answer_requested.connect(self.open)
        page.acts["answer"] = page.bar.answer.click
        context.studio.leaving.connect(self.close)

    def open(self) -> None:
        """Ask who works here about the segment that is shown, blind to what anybody else said."""
        session, about, bar = self._shown.session(), self._shown.segment(), self._page.bar
        if session is None or about is None:
            return
        self.close()
        task, condition = bar.chosen_task(), self._shown.chosen_conditions()[0]
        more = self._asking.more
        settings = replace(more.sight(), frames=more.frames() or SightSettings().frames)
        try:
            asked = person_task(session, about.id, task, bar.chosen_variant(), condition, settings)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        form = PersonForm(
            tr("Answer yourself: {name}").format(name=task_of(task).name),
            asked.scheme,
            FORM,
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
                user = next(one for one in messages if one.role is Role.USER)
                form.show_material(user.text, [(one.shown, one.jpeg) for one in user.pictures])
                self._since = monotonic()

        def fail(error: Exception) -> None:
            if form is self.form:
                form.show_waiting(str(error))

        self._context.background.run(lambda _progress: build(asked.plan), show, fail)

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
            form.say(f"{error.message} {error.hint}".strip())
            return
        self.close()
        self._context.studio.publish(changes)
        self._context.studio.told.emit(tr("Your answer is saved."))
