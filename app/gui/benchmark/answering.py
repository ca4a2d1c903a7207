"""Lets a person answer the items of a set, one after the other, in a window that shows nothing else."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, Signal

from app.core.benchmark import people
from app.core.benchmark.people import Asked, Queue, Way
from app.core.judging.annotators.person_form import FORM, PersonTask
from app.core.judging.seeing.sight import build
from app.core.session import Session
from app.gui.context import Context
from benchmark.tasks.registry import task_of
from models.judges.base import Message, Role
from project.errors import UserError
from project.item_sets import ItemSet
from project.types import Changes, Json
from resources.translation import tr, trn
from widgets.benchmark.room import AnswerRoom

Messages = tuple[Message, ...]


class Answering(QObject):
    """One queue at a time; an answer is in the study before the next item is shown.

    Signals:
        ended: the room was left.
    """

    ended = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._queue: Queue | None = None
        self._passed: set[Asked] = set()
        self._asked: Asked | None = None
        self._planned: PersonTask | None = None
        self._messages: Messages = ()
        self._since = 0.0
        self._made: dict[Asked, tuple[PersonTask, Messages]] = {}
        self.room: AnswerRoom | None = None
        context.studio.leaving.connect(self.end)

    def begin(self, item_set: ItemSet, way: Way) -> None:
        """Ask who works here what is left of a set."""
        session = self._context.studio.session
        if session is None or self.room is not None:
            return
        try:
            queue, changes = people.begin(session, people.queue(session, item_set, way))
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        self._queue, self._passed = queue, set()
        room = self.room = AnswerRoom()
        room.saved.connect(self._save)
        room.declined.connect(self._decline)
        room.passed.connect(self._pass)
        room.left.connect(self.end)
        self._context.go_blind(room)
        self._context.studio.publish(changes)
        self._next()

    def end(self) -> None:
        """Leave the room; what was answered is saved."""
        if self.room is None:
            return
        self.room, self._asked, self._planned = None, None, None
        self._made.clear()
        self._context.see_again()
        self.ended.emit()

    def _left(self) -> list[Asked]:
        return [one for one in self._queue.left if one not in self._passed] if self._queue is not None else []

    def _next(self) -> None:
        """Show the next item that was not answered as an equal one already."""
        session, room = self._context.studio.session, self.room
        while session is not None and room is not None and self._queue is not None:
            left = self._left()
            self._show_standing(room, self._queue)
            if not left:
                self._show_done(room, self._queue)
                return
            self._asked = left[0]
            try:
                planned = self._plan(session, self._queue, left[0])
                there = people.said_before(session, self._queue, planned)
            except UserError as error:
                room.show_broken(str(error))
                return
            if there is None:
                self._show(room, left[0], planned)
                return
            self._queue, changes = people.repeat(session, self._queue, left[0], there)
            self._context.studio.publish(changes)

    def _plan(self, session: Session, queue: Queue, asked: Asked) -> PersonTask:
        return self._made[asked][0] if asked in self._made else people.ask(session, queue, asked)

    def _show(self, room: AnswerRoom, asked: Asked, planned: PersonTask) -> None:
        self._planned = planned
        room.show_task(planned.scheme, FORM, planned.people)

        def show(messages: Messages) -> None:
            if room is self.room and asked == self._asked:
                self._messages = messages
                user = next(one for one in messages if one.role is Role.USER)
                room.show_material(user.text, [(one.shown, one.jpeg) for one in user.pictures])
                self._since = monotonic()
                self._get_ready()

        def fail(error: Exception) -> None:
            if room is self.room and asked == self._asked:
                room.show_broken(str(error))

        if asked in self._made:
            show(self._made.pop(asked)[1])
        else:
            self._context.background.run(lambda _progress: build(planned.plan), show, fail)

    def _get_ready(self) -> None:
        """Make what comes next while somebody still reads."""
        session, queue, left = self._context.studio.session, self._queue, self._left()
        if session is None or queue is None or len(left) < 2 or left[1] in self._made:
            return
        room, asked = self.room, left[1]
        try:
            planned = people.ask(session, queue, asked)
        except UserError:
            # It is said when its turn comes.
            return

        def keep(messages: Messages) -> None:
            if room is self.room is not None:
                self._made[asked] = (planned, messages)

        self._context.background.run(lambda _progress: build(planned.plan), keep, lambda _error: None)

    def _save(self, values: dict[str, Json]) -> None:
        self._store(
            lambda session, queue, asked, planned, ms: people.answer(
                session, queue, asked, planned, values, ms, self._messages
            )
        )

    def _decline(self) -> None:
        self._store(
            lambda session, queue, asked, planned, ms: people.decline(
                session, queue, asked, planned, ms, self._messages
            )
        )

    def _store(self, do: Callable[[Session, Queue, Asked, PersonTask, int], tuple[Queue, Changes]]) -> None:
        session, room, queue = self._context.studio.session, self.room, self._queue
        if session is None or room is None or queue is None or self._asked is None or self._planned is None:
            return
        try:
            self._queue, changes = do(
                session, queue, self._asked, self._planned, round((monotonic() - self._since) * 1e3)
            )
        except UserError as error:
            room.say(f"{error.message} {error.hint}".strip())
            return
        self._context.studio.publish(changes)
        self._next()

    def _pass(self) -> None:
        if self._asked is not None:
            self._passed.add(self._asked)
            self._next()

    def _show_standing(self, room: AnswerRoom, queue: Queue) -> None:
        left, total = self._left(), len(queue.asked)
        done = len(queue.done)
        name = task_of(left[0].task).name if left else queue.item_set.name
        counts = [tr("{done:,} of {total:,} answered").format(done=done, total=total)]
        if queue.refused:
            counts.append(tr("{refused:,} not known").format(refused=queue.refused))
        if self._passed:
            counts.append(tr("{passed:,} left for later").format(passed=len(self._passed)))
        if queue.own:
            counts.append(tr("{own:,} of your own left out").format(own=queue.own))
        room.show_standing(name, " · ".join(counts), done, total)

    def _show_done(self, room: AnswerRoom, queue: Queue) -> None:
        if self._passed:
            room.show_done(
                tr("{count} could not be shown").format(count=trn("{count} item", "{count} items", len(self._passed))),
                tr("Everything else is answered. Put what is missing back, then go on."),
            )
        elif not queue.asked:
            room.show_done(tr("There is nothing to answer"), tr("Every item was made from your own annotations."))
        else:
            room.show_done(tr("All answered"), tr("Thank you. What is right may be shown to you now."))
