"""Shows the questions of a recording or a study, and the one that is chosen, with its span and its chain."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.questions.agreeing import agreement_of
from app.core.questions.hardening.reading import read_about
from app.core.questions.hardening.rules import anything_decides
from app.core.questions.hardening.scores import scores_of
from app.core.questions.hardening.steps import step_called
from app.core.questions.seen import is_author
from app.core.questions.verifying import Verified, counting, gathered, me, progress, read_again
from app.core.session import Session
from app.gui.context import Context
from app.gui.questions.funnel_computing import FunnelComputing, who_goes_on
from app.gui.questions.words import (
    EVERYWHERE,
    HOW_FAR,
    KINDS,
    MADE_BY,
    SCOPES,
    STALE,
    WAITING,
    agreement_in_words,
    progress_in_words,
    row_of,
    shown_of,
)
from project.queries.annotators import all_annotators
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.types import Changes
from resources.translation import tr
from widgets.chains.looks import Person
from widgets.participant_looks import participant_colours
from widgets.questions.list_bar import KIND, MAKER, SCOPE, STANDING
from widgets.questions.page import QuestionsPage
from widgets.questions.shown import ShownQuestion

_TABLES = frozenset(
    {
        *("question", "verification", "chain", "chain_node", "chain_edge", "chain_person", "annotator", "participant"),
        *("judgment", "judge", "property", "recording"),
    }
)


_ANSWERS_MS = 200
"""Many answers come in a second."""


class Showing(QObject):
    """Works while the page is in sight; what changed meanwhile is read when it comes back.

    Signals:
        renewed: the questions were read again, or another one is shown.
    """

    renewed = Signal()

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._stale = True
        self._wanted = ""
        self._fitted = ("", "")
        self._everywhere = False
        self._going: frozenset[str] | None = None
        self.all: list[Verified] = []
        self.current: Verified | None = None
        bar = page.bar
        for which, choices in ((SCOPE, SCOPES), (STANDING, HOW_FAR), (KIND, KINDS), (MAKER, MADE_BY)):
            bar.set_choices(which, choices)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._reload)
        self._computing = FunnelComputing(context, page, who_goes_on, lambda: page.isVisible() and self._filtered())
        self._computing.found.connect(self._take_in)
        self._answered = QTimer(self, singleShot=True, interval=_ANSWERS_MS)
        self._answered.timeout.connect(self.renewed)
        bar.changed.connect(self._list)
        page.question_chosen.connect(self.go_to)
        page.visible_changed.connect(lambda visible: self._reload() if visible and self._stale else None)
        page.graph.seek_requested.connect(context.playback.jump)
        studio = context.studio
        studio.session_changed.connect(self._forget)
        studio.recording_changed.connect(self._renew)
        studio.bridge.changed.connect(self._apply)

    @property
    def session(self) -> Session | None:
        """The study that is open."""
        return self._context.studio.session

    def go_to(self, question_id: str) -> None:
        """Show a question, and repeat its span in the player."""
        found = next((one for one in self.all if one.question.id == question_id), None)
        if found is None:
            return
        self.current = found
        studio, question = self._context.studio, found.question
        self._page.list.set_current(question_id)
        if studio.recording is None or studio.recording.id != question.recording_id:
            self._wanted = question_id
            self._context.look_at(question.recording_id, question.start_us)
        self._show()
        self.repeat(on=True)

    def show_quietly(self, question_id: str) -> None:
        """Show a question without moving the player."""
        found = next((one for one in self.all if one.question.id == question_id), None)
        if found is not None:
            self.current = found
            self._page.list.set_current(question_id)
            self._show()

    def repeat(self, *, on: bool) -> None:
        """Repeat the span of the question that is shown, or stop doing so."""
        if self.current is None:
            return
        playback, player = self._context.playback, self._context.player
        if not on:
            playback.set_looping(False)
            return
        playback.repeat(self.current.question.start_us, self.current.question.end_us)
        if player.path is not None and not player.playing:
            player.play()

    def next_waiting(self) -> str:
        """Return the id of the next question of the list that waits, after the current one and round; "" for none."""
        session = self.session
        if session is None:
            return ""
        who = me(session)
        keys = [row.key for row in self._page.list.rows()]
        at = keys.index(self.current.question.id) if self.current and self.current.question.id in keys else -1
        waiting = {one.question.id for one in self.all if one.waits_for(who)}
        return next((key for key in [*keys[at + 1 :], *keys[: at + 1]] if key in waiting), "")

    def reload(self) -> None:
        """Read the questions again now."""
        self._reload()

    def read_again(self, question_id: str) -> None:
        """Read one question again now, and nothing else."""
        session = self.session
        found = None if session is None else read_again(session, question_id)
        if found is None or question_id not in {one.question.id for one in self.all}:
            self._reload()
            return
        self.all = [found if one.question.id == question_id else one for one in self.all]
        if self.current is not None and self.current.question.id == question_id:
            self.current = found
        self._stale = False
        self._soon.stop()
        self._list()

    def _forget(self) -> None:
        self.current = None
        self.all = []
        self._going = None
        self._renew()

    def _renew(self) -> None:
        self._stale = True
        if self._page.isVisible():
            self._soon.start()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        tables = set(changes)
        if tables == {"judgment"}:
            if self._page.isVisible():
                self._answered.start()
        elif _TABLES & tables:
            self._renew()

    def _reload(self) -> None:
        session = self.session
        self._stale = False
        recording = self._context.studio.recording
        here = recording.id if recording is not None else ""
        self._everywhere = self._page.bar.chosen(SCOPE) == EVERYWHERE
        nothing = session is None or not (here or self._everywhere)
        self.all = [] if session is None or nothing else gathered(session, "" if self._everywhere else here)
        if self._filtered():
            # Until it is read who goes on, nobody does: nobody verifies what the filters leave out.
            self._going = frozenset() if self._going is None else self._going
            self._computing.start()
        else:
            self._going = None
        shown = self._wanted or (self.current.question.id if self.current is not None else "")
        self._wanted = ""
        self.current = next((one for one in self.all if one.question.id == shown), None)
        self._list()

    def _filtered(self) -> bool:
        session = self.session
        return session is not None and anything_decides(session.study)

    def _take_in(self, going: frozenset[str]) -> None:
        if going != self._going:
            self._going = going
            self._list()

    def _goes_on(self, one: Verified) -> bool:
        """Tell whether a question is to be verified; every one is where no filter decides."""
        return self._going is None or one.goes_on(self._going)

    def _list(self) -> None:
        session, bar, page = self.session, self._page.bar, self._page
        if session is None:
            page.show_rows([], "")
            page.say_empty(tr("No study is open"), tr("Open one first."))
            self._show()
            return
        who, recording = me(session), self._context.studio.recording
        everywhere = bar.chosen(SCOPE) == EVERYWHERE
        if everywhere and not self._everywhere:
            self._reload()
            return
        owners = {one.id: f"{one.number} {one.name}" for one in all_recordings(session.study)}
        here = recording.id if recording is not None else ""
        of_scope = [one for one in self.all if everywhere or one.question.recording_id == here]
        found = [one for one in of_scope if self._fits(one, who)]
        found.sort(key=lambda one: not (one.waits_for(who) and (one.stale or one.again(who))))
        rows = [
            row_of(
                one,
                who,
                survives=self._goes_on(one),
                recording=owners.get(one.question.recording_id, "") if everywhere else "",
            )
            for one in found
        ]
        if self.all and of_scope:
            page.say_empty(tr("Nothing fits"), tr("Choose something else above, or look for other words."))
        else:
            page.say_empty(
                tr("No questions yet"),
                tr("Make them by rules from the chains of the study, with a judge, or write one."),
            )
        page.show_rows(rows, self.current.question.id if self.current is not None else "")
        page.progress.set_text(progress_in_words(progress(of_scope, who), len(rows)))
        agreed = agreement_in_words(agreement_of([counting(one.question, one.said) for one in of_scope]))
        page.agreement.set_text(agreed)
        page.agreement.setVisible(bool(agreed))
        if self.current is None and rows:
            self.current = next(one for one in found if one.question.id == rows[0].key)
            page.list.set_current(rows[0].key)
        self._show()

    def _fits(self, one: Verified, who: str) -> bool:
        bar, question = self._page.bar, one.question
        wanted = bar.chosen(STANDING)
        words = bar.words.text().casefold().split()
        text = " ".join((question.text, *question.options)).casefold()
        return (
            bar.chosen(KIND) in ("", question.kind.value)
            and bar.chosen(MAKER) in ("", question.maker.value)
            and all(word in text for word in words)
            and (
                not wanted
                or (wanted == WAITING and one.waits_for(who) and self._goes_on(one))
                or (wanted == STALE and one.stale)
                or wanted == one.standing.value
            )
        )

    def _show(self) -> None:
        session, one = self.session, self.current
        page = self._page
        if session is None or one is None:
            page.verify.setEnabled(False)
            page.graph.hide()
            page.graph.show_graph(None, {}, {})
            self.renewed.emit()
            return
        page.verify.setEnabled(True)
        page.verify.show_question(self._shown(session, one))
        people = all_participants(session.study)
        colours = participant_colours([each.id for each in people])
        page.graph.setVisible(one.graph is not None)
        if one.graph is not None:
            page.graph.show_graph(
                one.graph, {each.id: Person(each.pseudonym, colours.get(each.id)) for each in people}, {}
            )
            page.graph.highlight(one.question.covers)
            if self._fitted != (one.question.id, one.graph.chain.id):
                self._fitted = (one.question.id, one.graph.chain.id)
                page.graph.look_at(one.question.covers)
        self.renewed.emit()

    def _shown(self, session: Session, one: Verified) -> ShownQuestion:
        reason = ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif is_author(one.question, me(session)):
            reason = tr("You wrote this question: two others verify it.")
        elif not one.ready:
            reason = tr("A draft cannot be verified: whoever wrote it tries it on judges first.")
        scores: list[float] = []
        if one.looked_at_by(me(session)):
            found = scores_of(read_about(session, one.question), step_called("difficulty"), one.question)
            scores = [each.value for each in found if each.value is not None]
        names = {each.id: each.name for each in all_annotators(session.study)}
        return shown_of(one, me(session), names, scores=scores, reason=reason)
