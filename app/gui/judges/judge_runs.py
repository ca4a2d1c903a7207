"""Asks judges about the selected segments, tracks each run until it ends, and holds the settings under *More*."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.gui.jobs.job_center import Result
from app.gui.judges.answer_columns import JudgmentColumn, JudgmentColumnState
from app.gui.judges.judge_bars import QueueLine
from app.gui.judges.judges_page import JudgesPage
from app.gui.judges.request_facts import check_egress, request_destination, when_checksums_known
from app.gui.pages.context import Context
from benchmark.judge_input.input_plan import FRAME_RULES, InputSettings
from benchmark.judging import ask_job
from benchmark.judging.ask_job import monitor_of
from benchmark.judging.ask_run import AskRequest, RunNote
from benchmark.judging.run_budget import Limits
from project.entities.egress_policy import Forbidden
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.plugins.option_limits import choice_field, limited_field
from project.queries.judgment_rows import find_judgments
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr
from widgets.form.form import OptionForm
from widgets.form.layouts import make_column

_DEFAULT_INPUT = InputSettings()


def _optional_number_field(none: str, default: float, maximum: float, title: str, description: str) -> Any:
    """Return a field for a number whose lowest value, its default, stands for none."""
    metadata = {"minimum": default, "maximum": maximum, "title": title, "description": description, "none": none}
    return field(default=default, metadata=metadata)


def _checkbox_field(default: bool, title: str, description: str) -> Any:
    return field(default=default, metadata={"title": title, "description": description})


@dataclass(frozen=True)
class AskSettings:
    """What can be set under *More*.

    Attributes:
        frames: for every judge; 0 for as many as each is set to.
        money: that asking may cost, in the currency of the judges' prices; 0 for no limit.
        tokens: that asking may take; 0 for no limit.
    """

    frames: int = _optional_number_field(
        tr("as each is set"), 0, 64, tr("Frames"), tr("Of the segment, for every judge.")
    )
    longest_side: int = limited_field(
        _DEFAULT_INPUT.longest_side, 64, 4096, tr("Longest side"), tr("Of a frame, in pixels."), "px"
    )
    quality: int = limited_field(
        _DEFAULT_INPUT.quality, 10, 100, tr("JPEG quality"), tr("Of the frames; more is larger.")
    )
    rule: str = choice_field(
        _DEFAULT_INPUT.rule, FRAME_RULES, tr("Which frames"), tr("Inside equal parts, or from the first to the last.")
    )
    stamps: bool = _checkbox_field(_DEFAULT_INPUT.stamps, tr("Times of frames"), tr("Tell when each frame was taken."))
    before: int = limited_field(
        _DEFAULT_INPUT.before, 0, 100, tr("Turns before"), tr("What was said before the segment, in turns.")
    )
    cues: bool = _checkbox_field(
        _DEFAULT_INPUT.cues, tr("Cues"), tr("Tell the cues that people marked, inside the turns.")
    )
    seed: int = limited_field(0, 0, 2_000_000_000, tr("Seed"), tr("Another one repeats the question as a new one."))
    money: float = _optional_number_field(
        tr("no limit"), 0.0, 100_000.0, tr("Spending limit"), tr("That asking may cost at once.")
    )
    tokens: int = _optional_number_field(
        tr("no limit"), 0, 2_000_000_000, tr("Most tokens"), tr("That asking may take at once.")
    )


class MoreForm(QWidget):
    """Shows `AskSettings`.

    Signals:
        changed: a value is another one.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = OptionForm(AskSettings, {})
        self._column = make_column(self.form)
        self.setLayout(self._column)
        self.form.changed.connect(self.changed)

    def restore(self, values: Mapping[str, Json]) -> None:
        """Fill in what was filled in before; what does not fit is as by default."""
        defaults = AskSettings()
        fit = {key: value for key, value in values.items() if type(value) is type(getattr(defaults, key, None))}
        self._column.removeWidget(self.form)
        self.form.deleteLater()
        self.form = OptionForm(AskSettings, fit)
        self._column.addWidget(self.form)
        self.form.changed.connect(self.changed)

    def values(self) -> dict[str, Json]:
        """Return what is filled in."""
        return self.form.values()

    def input_settings(self) -> InputSettings:
        """Return what a judge sees."""
        found = self.values()
        return InputSettings(
            before=cast(int, found["before"]),
            cues=found["cues"] is True,
            longest_side=cast(int, found["longest_side"]),
            quality=cast(int, found["quality"]),
            rule=str(found["rule"]),
            stamps=found["stamps"] is True,
        )

    def frames(self) -> int | None:
        """Return how many frames every judge gets; None for as many as each is set to."""
        return cast(int, self.values()["frames"]) or None

    def seed(self) -> int:
        """Return the seed of the sampling."""
        return cast(int, self.values()["seed"])

    def limits(self) -> Limits:
        """Return what asking may cost."""
        found = self.values()
        return Limits(cast(float, found["money"]) or None, cast(int, found["tokens"]) or None)


class JudgeRunTracker:
    """Counts what came back by what was stored, and what is under way by what the run says of itself.

    Attributes:
        work: the job.
        open: it waits or runs.
    """

    def __init__(self, work: JobSpec) -> None:
        payload = work.parameters
        self.work = work
        self.open = True
        asked = {item.judge for item in payload.items}
        self._judges = {payload.entries[at].id: payload.entries[at] for at in sorted(asked)}
        self._left = {
            (payload.entries[item.judge].id, item.about, payload.plans[item.plan].condition) for item in payload.items
        }
        self._segments = sorted({item.about for item in payload.items})
        self._conditions = sorted({plan.condition for plan in payload.plans})
        self._done: dict[str, int] = dict.fromkeys(self._judges, 0)
        self._failed: dict[str, int] = dict.fromkeys(self._judges, 0)
        self._where = {key: _destination_name(entry) for key, entry in self._judges.items()}

    def conditions(self) -> list[str]:
        """Return what the judges see."""
        return self._conditions

    def segments(self) -> list[str]:
        """Return which segments it is about."""
        return self._segments

    def record_answer(self, judgment: Judgment) -> None:
        """Take in that something came back."""
        asked = (judgment.judge_id, judgment.segment_id, judgment.condition)
        if asked not in self._left:
            return
        self._left.discard(asked)
        self._done[judgment.judge_id] += 1
        if judgment.status is not JudgmentStatus.OK:
            self._failed[judgment.judge_id] += 1

    def cancel_requests(self, judge_id: str, segment_id: str = "", condition: str = "") -> bool:
        """Give up what a judge is asked, all or a part; tells whether nothing is left of the run then."""
        gone = {
            row for row in self._left if row[0] == judge_id and segment_id in ("", row[1]) and condition in ("", row[2])
        }
        if gone:
            monitor_of(self.work).cancel(judge_id, segment_id)
            self._left -= gone
        return bool(gone) and not self._left

    def mark_ended(self) -> None:
        """Take in that it ended."""
        self.open = False
        self._left.clear()

    def column_states(self, running: bool) -> dict[tuple[str, str, str], JudgmentColumnState]:
        """Return (segment, judge, condition) -> how far it is."""
        asked = self._requests_in_flight() if running else set()
        return {
            (which, who, condition): JudgmentColumnState.ASKING
            if (who, which) in asked
            else JudgmentColumnState.WAITING
            for who, which, condition in self._left
        }

    def queue_lines(self, running: bool) -> list[QueueLine]:
        """Return how far each judge is."""
        asked = self._requests_in_flight() if running else set()
        found = []
        for key, entry in self._judges.items():
            left = [(who, which) for who, which, _ in self._left if who == key]
            under_way = sum(pair in asked for pair in left)
            done, failed = self._done[key] - self._failed[key], self._failed[key]
            found.append(QueueLine(key, entry.name, self._where[key], under_way, len(left) - under_way, done, failed))
        return found

    def _requests_in_flight(self) -> set[tuple[str, str]]:
        return {(judge.judge_id, about) for judge in monitor_of(self.work).judges for about in judge.asking}


def _destination_name(entry: JudgeEntry) -> str:
    try:
        return request_destination(entry).host_label
    except UserError:
        return ""


POLL_INTERVAL_MS = 250
_POLICY_RULES = ("nothing-leaves", "raw", "hosts", "redirects", "proxies", "unencrypted")
"""Rules that the window of the policy changes: its button beside the line says what to do."""


class JudgingController(QObject):
    """Starts jobs of the kind `ask`, follows those started elsewhere, and cancels parts of them."""

    def __init__(self, context: Context, page: JudgesPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._runs: dict[int, JudgeRunTracker] = {}
        self.more = MoreForm()
        page.bar.set_settings_form(self.more)
        self._timer = QTimer(self, interval=POLL_INTERVAL_MS)
        self._timer.timeout.connect(self._poll_runs)
        page.bar.ask_requested.connect(self.ask_selected)
        page.bar.policy_requested.connect(lambda: context.trigger("policy"))
        page.board.retry_requested.connect(self._ask_again)
        page.board.cancel_requested.connect(self._cancel)
        page.queue.cancel_requested.connect(self._cancel_judge)
        page.changed.connect(self._show_askable)
        jobs, studio = context.jobs, context.studio
        jobs.started.connect(self._on_started)
        jobs.done.connect(self._on_done)
        jobs.stopped.connect(self._on_stopped)
        studio.bridge.changed.connect(self._on_changed)
        studio.session_changed.connect(self._forget)
        for work in jobs.jobs():
            self._on_started(work)

    def build_request(self, judges: Sequence[JudgeEntry], condition: str, *, fresh: bool = False) -> AskRequest:
        """Return what is asked with what is chosen on the page."""
        bar = self._page.bar
        return AskRequest(
            judges,
            self._page.segments(),
            bar.chosen_task(),
            bar.chosen_variant(),
            condition,
            self.more.seed(),
            self.more.input_settings(),
            self.more.frames(),
            self.more.limits(),
            again=True,
            fresh=fresh,
        )

    def ask_selected(self) -> None:
        """Ask every judge that is chosen, in every condition that is chosen."""
        for condition in self._page.selected_conditions():
            self._start(self.build_request(self._page.selected_judges(), condition))

    def _ask_again(self, column: JudgmentColumn) -> None:
        entry = next((judge for judge in self._page.judges() if judge.id == column.judge_id), None)
        if entry is None:
            self._context.studio.failed.emit(
                UserError(
                    tr("{name} is no longer a judge of this study.").format(name=column.name),
                    tr("Add it again first."),
                )
            )
            return
        about = self._page.segment()
        if about is not None:
            request = self.build_request([entry], column.own_condition, fresh=bool(column.judgment_id))
            self._start(request, [about.id])

    def _start(self, request: AskRequest, segments: Sequence[str] = ()) -> None:
        session = self._page.session()
        if session is None or not request.judges or not (segments or request.about):
            return
        if segments:
            request = replace(request, about=tuple(segments))
        for judge in request.judges:
            for segment_id in request.about:
                self._page.not_sent.pop((segment_id, judge.id, request.condition), None)
        when_checksums_known(self._context, request.judges, lambda: self._prepare(session, request))

    def _prepare(self, session: Session, request: AskRequest) -> None:
        if self._page.session() is not session:
            return
        try:
            found = ask_job.prepare(session, request)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        self._record_not_sent(found.notes, request.condition, request.about)
        if found.changes:
            self._context.studio.publish(found.changes)
        if found.job is not None:
            self._context.jobs.start(found.job)
        elif found.cached and not found.notes:
            self._context.studio.message.emit(tr("Nothing was asked: the study has the answer already."))
        self._page.refresh()

    def _record_not_sent(self, notes: Sequence[RunNote], condition: str, segments: Sequence[str]) -> None:
        judges = [judge.id for judge in self._page.judges()]
        for note in notes:
            for segment_id in note.about or segments:
                for judge_id in [note.judge_id] if note.judge_id else judges:
                    said = " ".join(part for part in (note.message, note.hint) if part)
                    self._page.not_sent[segment_id, judge_id, condition] = said

    def _show_askable(self) -> None:
        session = self._page.session()
        if session is None:
            return
        bar, reason = self._page.bar, ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif not self._page.segments():
            reason = tr("Choose a segment first.")
        elif not self._page.selected_judges():
            reason = tr("Choose a judge first.")
        bar.set_ask_enabled(reason, len(self._page.segments()))
        self._show_egress(session)
        self._show_queue()

    def _show_egress(self, session: Session) -> None:
        """Say before anything is asked which judge the policy forbids to ask, and where what leaves would go."""
        recording, lines, hints = self._context.studio.recording, [], []
        if recording is not None:
            for judge in self._page.selected_judges():
                for condition in self._page.selected_conditions():
                    found, ways = check_egress(session, judge, self._page.judges(), recording.id, condition)
                    if found is not None:
                        rule = found.rule if isinstance(found, Forbidden) else ""
                        told = (
                            tr("{message} (rule {rule})").format(message=found.message, rule=rule)
                            if rule in _POLICY_RULES
                            else str(found)
                        )
                        lines.append(f"{judge.name}: {told}")
                        hints.append(found.hint)
                    else:
                        lines += ways
        said, hint = "\n".join(dict.fromkeys(lines)), " ".join(dict.fromkeys(hints))
        self._page.bar.set_notes(said, policy=bool(lines), hint=hint)

    # What runs

    def _on_started(self, work: JobSpec) -> None:
        if work.kind != ask_job.KIND:
            return
        if not any(run.open for run in self._runs.values()):
            self._runs.clear()
        self._runs[id(work)] = JudgeRunTracker(work)
        self._timer.start()
        self._poll_runs()

    def _on_done(self, work: JobSpec, result: Result) -> None:
        run = self._runs.get(id(work))
        if run is None:
            return
        run.mark_ended()
        for condition in run.conditions():
            self._record_not_sent(result.notes, condition, run.segments())
        self._poll_runs()
        self._page.refresh()

    def _on_stopped(self, work: JobSpec) -> None:
        run = self._runs.get(id(work))
        if run is not None:
            run.mark_ended()
            self._poll_runs()
            self._page.refresh()

    def _on_changed(self, changes: Changes, _initiator: object) -> None:
        session, ids = self._page.session(), changes.ids("judgment")
        if session is None or not ids or not self._runs:
            return
        for judgment in find_judgments(session.study, list(ids)):
            for run in self._runs.values():
                run.record_answer(judgment)
        # Many come in a second; the timer looks soon enough.
        if not self._timer.isActive():
            self._poll_runs()

    def _poll_runs(self) -> None:
        """Show what is asked at this moment; the page is only read again where that is another than before."""
        running = self._context.jobs.beside.running_job
        states: dict[tuple[str, str, str], JudgmentColumnState] = {}
        for run in self._runs.values():
            states |= run.column_states(running is run.work)
        before, self._page.under_way = self._page.under_way, states
        if _states_of_shown(self._page.segments(), before) != _states_of_shown(self._page.segments(), states):
            self._page.refresh()
        self._show_queue()
        if not any(run.open for run in self._runs.values()):
            self._timer.stop()

    def _show_queue(self) -> None:
        lines = [
            line
            for run in self._runs.values()
            for line in run.queue_lines(self._context.jobs.beside.running_job is run.work)
        ]
        self._page.queue.show_lines(lines)

    def _cancel(self, column: JudgmentColumn) -> None:
        about = self._page.segment()
        if about is None:
            return
        for run in self._runs.values():
            if run.open and run.cancel_requests(column.judge_id, about.id, column.own_condition):
                self._context.jobs.cancel(run.work)
        self._poll_runs()

    def _cancel_judge(self, judge_id: str) -> None:
        for run in [tracker for tracker in self._runs.values() if tracker.open]:
            if not judge_id or run.cancel_requests(judge_id):
                self._context.jobs.cancel(run.work)
        self._poll_runs()

    def _forget(self) -> None:
        self._runs.clear()
        self._timer.stop()
        self._page.under_way.clear()
        self._page.not_sent.clear()
        self._page.queue.show_lines(())


def _states_of_shown(
    chosen: Sequence[str], states: Mapping[tuple[str, str, str], JudgmentColumnState]
) -> dict[tuple[str, str, str], JudgmentColumnState]:
    """Return the states of the segment that is shown."""
    return {key: how for key, how in states.items() if key[0] in chosen[-1:]}
