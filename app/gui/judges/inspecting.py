"""Opens the inspector of what is sent: before asking, made by the code that asks, and after, from what was kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from app.core.judging.seeing.plan import SightPlan
from app.core.judging.seeing.sight import build, plan_sight, settings_for
from app.core.session import Session
from app.gui.context import Context
from app.gui.judges.asking import Asking
from app.gui.judges.sent_words import sent_after, sent_before
from app.gui.judges.showing import Showing
from models.judges.base import Message, Sampling
from models.judges.options import ModelOptions
from models.judges.registry import options_of
from project.errors import UserError
from project.judging import RAW, JudgeEntry, Judgment
from resources.translation import tr
from widgets.judges.page import JudgesPage
from widgets.judges.sent_view import SentView
from widgets.judges.shown import Column


@dataclass(frozen=True, slots=True)
class _Offer:
    entry: JudgeEntry
    condition: str
    name: str


class Inspecting(QObject):
    """Plans in the window, builds in a thread; nothing of it is sent."""

    def __init__(self, context: Context, page: JudgesPage, shown: Showing, asking: Asking) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._asking = asking
        self.view: SentView | None = None
        page.bar.inspect_requested.connect(self._before)
        page.board.sent_requested.connect(self._after)
        context.studio.leaving.connect(self._close)

    def _before(self) -> None:
        offers = [
            _Offer(judge, condition, f"{judge.name}, {self._name(condition)}")
            for judge in self._shown.chosen()
            for condition in self._shown.chosen_conditions()
        ]
        if not offers or self._shown.segment() is None:
            return
        view = self._open(tr("What is sent"), [one.name for one in offers], before=True)
        view.chosen.connect(lambda at: self._plan(view, offers[at]))
        view.ask_requested.connect(self._ask)
        self._plan(view, offers[0])

    def _after(self, column: Column) -> None:
        session, found = self._shown.session(), self._shown.judgment(column.judgment_id)
        if session is None or found is None:
            return
        name = f"{column.name}, {self._name(found.condition)}"
        view = self._open(tr("What was sent"), [name], before=False)
        view.show_sent(sent_after(session, found, name, {}))
        self._rebuild(session, view, found, name)

    def _open(self, title: str, offered: Sequence[str], *, before: bool) -> SentView:
        self._close()
        view = self.view = SentView(title, offered, before=before, parent=self._page.window())
        view.policy_requested.connect(lambda: self._context.trigger("policy"))
        view.open()
        return view

    def _close(self) -> None:
        if self.view is not None:
            self.view.reject()
            self.view.deleteLater()
            self.view = None

    def _ask(self) -> None:
        self._close()
        self._asking.ask()

    def _plan(self, view: SentView, offer: _Offer) -> None:
        session, about = self._shown.session(), self._shown.segment()
        if session is None or about is None:
            return
        view.say(tr("Reading the frames…"))
        request = self._asking.request([offer.entry], offer.condition)
        try:
            settings = settings_for(offer.entry, request.sight)
            if request.frames is not None and settings.frames:
                settings = replace(settings, frames=request.frames)
            plan = plan_sight(session, about.id, request.task, request.variant, request.condition, settings)
            sampling = _sampling(offer.entry, request.seed)
        except UserError as error:
            view.say(str(error))
            return

        def show(built: tuple[tuple[Message, ...], str]) -> None:
            if view is not self.view or self._shown.session() is not session:
                return
            messages, schema = built
            try:
                view.show_sent(sent_before(session, offer.entry, offer.name, plan, messages, sampling, schema))
            except UserError as error:
                view.say(str(error))

        def fail(error: Exception) -> None:
            if view is self.view:
                view.say(str(error))

        self._context.background.run(lambda _progress: _built(plan), show, fail)

    def _rebuild(self, session: Session, view: SentView, one: Judgment, name: str) -> None:
        """Make the frames again, to show them: those that come out byte by byte as they were sent."""
        frames = one.sight.get("frames")
        if not isinstance(frames, list) or not frames:
            return
        side = max(_number(one.sight.get("width"), 512), _number(one.sight.get("height"), 512))
        wanted = replace(
            self._asking.more.sight(),
            frames=len(frames),
            longest_side=side,
            quality=_number(one.sight.get("quality"), 85),
        )
        try:
            plan = plan_sight(session, one.segment_id, one.task, one.variant, one.condition, wanted)
        except UserError:
            return

        def show(messages: tuple[Message, ...]) -> None:
            if view is self.view and self._shown.session() is session:
                made = {picture.sha256: picture.jpeg for message in messages for picture in message.pictures}
                view.show_sent(sent_after(session, one, name, made))

        self._context.background.run(lambda _progress: build(plan), show)

    def _name(self, condition: str) -> str:
        names = {one.key: one.name for one in self._page.bar.conditions.entries()}
        return "raw" if condition == RAW else names.get(condition, tr("another rendering"))


def _built(plan: SightPlan) -> tuple[tuple[Message, ...], str]:
    return build(plan), json.dumps(dict(plan.answer_form.schema), ensure_ascii=False, indent=1)


def _sampling(entry: JudgeEntry, seed: int) -> Sampling:
    options = options_of(entry.backend, entry.settings)
    if isinstance(options, ModelOptions):
        return Sampling(options.temperature, seed, options.max_tokens)
    return Sampling(seed=seed)


def _number(found: object, default: int) -> int:
    return found if isinstance(found, int) else default
