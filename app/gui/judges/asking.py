"""Asks judges about the selected segments, and follows what runs where until it is answered or cancelled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from app.core.jobs import Work
from app.core.judging.runs import asking
from app.core.judging.runs.outcome import Note, outcome_from
from app.core.judging.runs.wanted import AskRequest
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from app.gui.judges.more_form import MoreForm
from app.gui.judges.readying import foretold, once_files_are_known
from app.gui.judges.running import Running
from app.gui.judges.showing import Showing
from project.errors import UserError
from project.judging import JudgeEntry
from project.policy import Forbidden
from project.queries.judgments import judgments_called
from project.types import Changes
from resources.translation import tr
from widgets.judges.page import JudgesPage
from widgets.judges.shown import Column, State

LOOK_EVERY_MS = 250
_BY_POLICY = ("nothing-leaves", "raw", "hosts", "redirects", "proxies", "unencrypted")
"""Rules that the window of the policy changes: its button beside the line says what to do."""


class Asking(QObject):
    """Starts jobs of the kind `ask`, whoever they are started by, and cancels parts of them."""

    def __init__(self, context: Context, page: JudgesPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._runs: dict[int, Running] = {}
        self.more = MoreForm()
        page.bar.set_more(self.more)
        self._timer = QTimer(self, interval=LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)
        page.bar.ask_requested.connect(self.ask)
        page.bar.policy_requested.connect(lambda: context.trigger("policy"))
        page.board.again_requested.connect(self._again)
        page.board.cancel_requested.connect(self._cancel)
        page.queue.cancel_requested.connect(self._cancel_judge)
        shown.renewed.connect(self._show_askable)
        jobs, studio = context.jobs, context.studio
        jobs.started.connect(self._on_started)
        jobs.done.connect(self._on_done)
        jobs.stopped.connect(self._on_stopped)
        studio.bridge.changed.connect(self._on_changed)
        studio.session_changed.connect(self._forget)
        for work in jobs.jobs():
            self._on_started(work)

    def request(self, judges: Sequence[JudgeEntry], condition: str, *, fresh: bool = False) -> AskRequest:
        """Return what is asked with what is chosen on the page."""
        bar = self._page.bar
        return AskRequest(
            judges,
            self._shown.segments(),
            bar.chosen_task(),
            bar.chosen_variant(),
            condition,
            self.more.seed(),
            self.more.sight(),
            self.more.frames(),
            self.more.limits(),
            again=True,
            fresh=fresh,
        )

    def ask(self) -> None:
        """Ask every judge that is chosen, in every condition that is chosen."""
        for condition in self._shown.chosen_conditions():
            self._start(self.request(self._shown.chosen(), condition))

    def _again(self, column: Column) -> None:
        entry = next((one for one in self._shown.judges() if one.id == column.judge_id), None)
        if entry is None:
            self._context.studio.failed.emit(
                UserError(
                    tr("{name} is no longer a judge of this study.").format(name=column.name),
                    tr("Add it again to ask it."),
                )
            )
            return
        about = self._shown.segment()
        if about is not None:
            request = self.request([entry], column.own_condition, fresh=bool(column.judgment_id))
            self._start(request, [about.id])

    def _start(self, request: AskRequest, segments: Sequence[str] = ()) -> None:
        session = self._shown.session()
        if session is None or not request.judges or not (segments or request.about):
            return
        if segments:
            request = replace(request, about=tuple(segments))
        for judge in request.judges:
            for segment_id in request.about:
                self._shown.not_sent.pop((segment_id, judge.id, request.condition), None)
        once_files_are_known(self._context, request.judges, lambda: self._prepare(session, request))

    def _prepare(self, session: Session, request: AskRequest) -> None:
        if self._shown.session() is not session:
            return
        try:
            found = asking.prepare(session, request)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        self._note(found.notes, request.condition, request.about)
        if found.changes:
            self._context.studio.publish(found.changes)
        if found.work is not None:
            self._context.jobs.start(found.work)
        elif found.cached and not found.notes:
            self._context.studio.told.emit(tr("Nothing was asked: the study has the answer already."))
        self._shown.renew()

    def _note(self, notes: Sequence[Note], condition: str, segments: Sequence[str]) -> None:
        judges = [one.id for one in self._shown.judges()]
        for note in notes:
            for segment_id in note.about or segments:
                for judge_id in [note.judge_id] if note.judge_id else judges:
                    said = " ".join(part for part in (note.message, note.hint) if part)
                    self._shown.not_sent[segment_id, judge_id, condition] = said

    def _show_askable(self) -> None:
        session = self._shown.session()
        if session is None:
            return
        bar, reason = self._page.bar, ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif not self._shown.segments():
            reason = tr("Choose a segment first.")
        elif not self._shown.chosen():
            reason = tr("Choose a judge first.")
        bar.set_askable(reason, len(self._shown.segments()))
        self._say_forbidden(session)
        self._show_queue()

    def _say_forbidden(self, session: Session) -> None:
        """Say before anything is asked which judge the policy forbids to ask, and where what leaves would go."""
        recording, lines, hints = self._context.studio.recording, [], []
        if recording is not None:
            for judge in self._shown.chosen():
                for condition in self._shown.chosen_conditions():
                    found, ways = foretold(session, judge, self._shown.judges(), recording.id, condition)
                    if found is not None:
                        rule = found.rule if isinstance(found, Forbidden) else ""
                        told = (
                            tr("{message} (rule {rule})").format(message=found.message, rule=rule)
                            if rule in _BY_POLICY
                            else str(found)
                        )
                        lines.append(f"{judge.name}: {told}")
                        hints.append(found.hint)
                    else:
                        lines += ways
        said, hint = "\n".join(dict.fromkeys(lines)), " ".join(dict.fromkeys(hints))
        self._page.bar.set_notes(said, policy=bool(lines), hint=hint)

    # What runs

    def _on_started(self, work: Work) -> None:
        if work.kind != asking.KIND:
            return
        if not any(one.open for one in self._runs.values()):
            self._runs.clear()
        self._runs[id(work)] = Running(work)
        self._timer.start()
        self._look()

    def _on_done(self, work: Work, result: Result) -> None:
        run = self._runs.get(id(work))
        if run is None:
            return
        run.end()
        for condition in run.conditions():
            self._note(outcome_from(result).notes, condition, run.segments())
        self._look()
        self._shown.renew()

    def _on_stopped(self, work: Work) -> None:
        run = self._runs.get(id(work))
        if run is not None:
            run.end()
            self._look()
            self._shown.renew()

    def _on_changed(self, changes: Changes, _initiator: object) -> None:
        session, ids = self._shown.session(), changes.ids("judgment")
        if session is None or not ids or not self._runs:
            return
        for one in judgments_called(session.study, list(ids)):
            for run in self._runs.values():
                run.take(one)
        # Many come in a second; the timer looks soon enough.
        if not self._timer.isActive():
            self._look()

    def _look(self) -> None:
        """Show what is asked at this moment; the page is only read again where that is another than before."""
        running = self._context.jobs.beside.running
        states: dict[tuple[str, str, str], State] = {}
        for run in self._runs.values():
            states |= run.states(running is run.work)
        before, self._shown.under_way = self._shown.under_way, states
        if _of(self._shown.segments(), before) != _of(self._shown.segments(), states):
            self._shown.renew()
        self._show_queue()
        if not any(run.open for run in self._runs.values()):
            self._timer.stop()

    def _show_queue(self) -> None:
        lines = [
            line for run in self._runs.values() for line in run.lines(self._context.jobs.beside.running is run.work)
        ]
        self._page.queue.show_lines(lines)

    def _cancel(self, column: Column) -> None:
        about = self._shown.segment()
        if about is None:
            return
        for run in self._runs.values():
            if run.open and run.withdraw(column.judge_id, about.id, column.own_condition):
                self._context.jobs.cancel(run.work)
        self._look()

    def _cancel_judge(self, judge_id: str) -> None:
        for run in [one for one in self._runs.values() if one.open]:
            if not judge_id or run.withdraw(judge_id):
                self._context.jobs.cancel(run.work)
        self._look()

    def _forget(self) -> None:
        self._runs.clear()
        self._timer.stop()
        self._shown.under_way.clear()
        self._shown.not_sent.clear()
        self._page.queue.show_lines(())


def _of(chosen: Sequence[str], states: Mapping[tuple[str, str, str], State]) -> dict[tuple[str, str, str], State]:
    """Return the states of the segment that is shown."""
    return {key: how for key, how in states.items() if key[0] in chosen[-1:]}
