"""Runs judges on an item set as jobs, one round after the other, and resumes interrupted runs."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject

from app.gui.benchmark.benchmark_labels import MODALITY_LABELS, run_row
from app.gui.benchmark.benchmark_page import BenchmarkPage
from app.gui.benchmark.item_sets import ItemSetPresenter
from app.gui.jobs.job_center import Result
from app.gui.judges.judges_page import VARIANT_LABELS
from app.gui.judges.request_facts import check_egress, when_checksums_known
from app.gui.pages.context import Context
from benchmark.judging.run_budget import Limits
from benchmark.prompts.judge_prompt import VARIANTS
from benchmark.runs.people_runs import human_rounds, run_options
from benchmark.runs.run_plan import BenchmarkRequest, request_json, resume_request, start_runs
from benchmark.runs.scheduler import BenchmarkScheduler
from benchmark.tasks.benchmark_task import SUITE
from project.entities.frozen_items import BenchmarkRun, ItemModality, ItemSet
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry
from project.entities.study_records import Changes
from project.errors import Cancelled, UserError
from project.queries.history_rows import runs_of
from project.queries.item_set_rows import answers_of, benchmark_runs
from project.queries.judgment_rows import all_judges
from project.session.job_notes import BENCHMARK, InterruptedJob
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr, trn
from widgets.form.checklists import TickMenuItem

_PREPARING_TEXT = tr("Putting questions together")
_ASKING_TEXT = tr("Asking")
_ANONYMIZE_JOB = "anonymize"

_PAPER_VARIANT = (tr("As in the paper"), tr("Thoughts first for SocialNLI, else the question as it is"))


class BenchmarkRunController(QObject):
    """One course of runs at a time; the window stays awake while its questions are put together."""

    def __init__(self, context: Context, page: BenchmarkPage, shown: ItemSetPresenter) -> None:
        super().__init__(page)
        self._context = context
        self._shown = shown
        self._tab = page.run
        self._course: BenchmarkScheduler | None = None
        self._session: Session | None = None
        self._work: JobSpec | None = None
        self._plan = ""
        self._stopped = False
        self._runs: list[BenchmarkRun] = []
        self._tab.set_choices(MODALITY_LABELS, {"": _PAPER_VARIANT, **{key: VARIANT_LABELS[key] for key in VARIANTS}})
        self._tab.run.clicked.connect(self.start)
        self._tab.cancel_requested.connect(self.stop)
        self._tab.changed.connect(self._show_runnable)
        self._tab.runs.chosen.connect(lambda row: self._restore_run_settings(row.key))
        shown.changed.connect(self._show)
        shown.answers_changed.connect(self._show_runs)
        jobs = context.jobs
        jobs.progressed.connect(self._show_progress)
        jobs.stopped.connect(self._on_stopped)
        jobs.resumers[BENCHMARK] = self.resume
        context.studio.leaving.connect(self.stop)
        context.studio.session_changed.connect(self._forget)

    @property
    def is_running(self) -> bool:
        """Whether judges are asked now."""
        return self._session is not None

    def start(self) -> None:
        """Ask the judges that are ticked; what they answered before in the same way is not asked again."""
        session, item_set, judges = self._shown.session, self._shown.current(), self._selected_judges()
        if session is None or item_set is None or not judges or self.is_running:
            return
        self._start(session, self._build_request(item_set, judges))

    def resume(self, job: InterruptedJob) -> None:
        """Go on with runs that were interrupted; what was answered is not asked again, nor paid for a second time."""
        session = self._context.studio.session
        if session is None or self.is_running:
            raise UserError(tr("Judges are already being asked."), tr("Resume this run when they have answered."))
        wanted = resume_request(session, job.parameters, job.since)
        self._start(session, wanted)

    def _start(self, session: Session, wanted: BenchmarkRequest) -> None:
        self._session, self._stopped = session, False
        self._tab.show_notes("")
        self._tab.set_running(True)
        self._tab.progress.show_progress(0, 0, _PREPARING_TEXT)
        self._plan = self._context.jobs.begin_plan(
            BENCHMARK,
            tr("Benchmark “{name}”: {judges}").format(
                name=wanted.sets[0].name, judges=trn("{count} judge", "{count} judges", len(wanted.judges))
            ),
            request_json(wanted),
        )
        when_checksums_known(self._context, wanted.judges, lambda: self._begin(session, wanted))

    def stop(self) -> None:
        """Stop; what was answered is kept."""
        self._stopped = True
        if self._work is not None:
            self._context.jobs.cancel(self._work)

    # Asking

    def _begin(self, session: Session, wanted: BenchmarkRequest) -> None:
        if self._session is not session or self._context.studio.session is not session:
            self._end()
            return
        try:
            begun = start_runs(session, wanted)
            self._course = BenchmarkScheduler(session, wanted, begun)
        except UserError as error:
            self._fail(error)
            return
        self._context.studio.publish(begun.changes)
        self._start_next_round()

    def _start_next_round(self) -> None:
        course, session = self._course, self._session
        if course is None or session is None:
            return
        before = course.changes
        try:
            works = course.next_jobs(_EventLoopProgress(self._is_active))
        except Cancelled:
            self._end(tr("Stopped. Run again to go on."))
            return
        except UserError as error:
            self._fail(error)
            return
        self._publish(before, course.changes)
        if works:
            self._work = works[0]
            self._context.jobs.start(self._work, partial(self._on_done, works[0]), noted=False)
        else:
            self._finish(course)

    def _on_done(self, work: JobSpec, result: Result) -> None:
        course = self._course
        if work is not self._work or course is None:
            return
        self._work = None
        before = course.changes
        try:
            course.finish_job(work, result)
        except UserError as error:
            self._fail(error)
            return
        self._publish(before, course.changes)
        self._start_next_round()

    def _on_stopped(self, work: JobSpec) -> None:
        if work is self._work:
            self._work = None
            problem = self._context.jobs.failure_of(work)
            self._end(tr("Stopped. Run again to go on.") if problem is None else str(problem))

    def _finish(self, course: BenchmarkScheduler) -> None:
        notes = [note.as_text() for note in course.outcome.notes]
        done = (
            tr("Done. {count} were there already.").format(
                count=trn("{count} answer", "{count} answers", course.cached)
            )
            if course.cached
            else tr("Done.")
        )
        self._end("\n".join([done, *notes]))

    def _fail(self, error: UserError) -> None:
        self._end(f"{error.message} {error.hint}".strip())

    def _end(self, said: str = "") -> None:
        self._course = self._session = self._work = None
        self._context.jobs.end_plan(self._plan)
        self._plan = ""
        self._tab.set_running(False)
        self._tab.show_notes(said)
        self._show_runs()
        self._show_runnable()

    def _forget(self) -> None:
        """What waits for files is dropped with the study."""
        if self.is_running:
            self._end()

    def _is_active(self) -> bool:
        return not self._stopped and self._session is not None and self._session is self._context.studio.session

    def _publish(self, before: Changes, after: Changes) -> None:
        new = Changes.from_pairs((table, key) for table in after for key in after.ids(table) - before.ids(table))
        if new:
            self._context.studio.publish(new)

    def _show_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        course = self._course
        if work is not self._work or course is None:
            return
        settled = course.settled + done if total else course.settled
        self._tab.progress.show_progress(min(settled, course.total), course.total, _ASKING_TEXT)

    # What is chosen

    def _build_request(self, item_set: ItemSet, judges: Sequence[JudgeEntry]) -> BenchmarkRequest:
        tab = self._tab
        shown, money = tab.chosen_modality(), tab.budget.value()
        return BenchmarkRequest(
            [item_set],
            judges,
            tab.chosen_variant() or None,
            ItemModality(shown) if shown else None,
            list(tab.conditions.ticked_keys()) or [RAW_CONDITION],
            tab.seed.value(),
            Limits(money or None),
            again=tab.anew.isChecked(),
        )

    def _judges(self) -> list[JudgeEntry]:
        session = self._shown.session
        return (
            [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
            if session is not None
            else []
        )

    def _selected_judges(self) -> list[JudgeEntry]:
        ticked = {*self._tab.judges.ticked_keys()}
        return [judge for judge in self._judges() if judge.id in ticked]

    def _restore_run_settings(self, run_id: str) -> None:
        """Choose judge and way of a run, so that running goes on with it."""
        run = next((benchmark_run for benchmark_run in self._runs if benchmark_run.id == run_id), None)
        if run is None:
            return
        tab = self._tab
        tab.restore_state(
            {
                "judges": [] if run.annotator_id else [run.judge_id],
                "conditions": [run.condition],
                "shown": run.shown.value,
                "variant": run.variant,
                "seed": run.seed,
                "budget": tab.budget.value(),
                "own": run_options(run).include_own if run.annotator_id else tab.own.isChecked(),
            }
        )

    # What is shown

    def _show(self) -> None:
        offered = [
            TickMenuItem(judge.id, judge.name, f"{judge.backend} {judge.model}".strip()) for judge in self._judges()
        ]
        self._tab.judges.set_entries(offered)
        self._tab.conditions.set_entries([TickMenuItem(key, name) for key, name in self._conditions().items()])
        self._show_runs()
        self._show_runnable()

    def _conditions(self) -> dict[str, str]:
        session = self._shown.session
        found = {RAW_CONDITION: tr("Raw")}
        if session is not None:
            for recording_id in {item.recording_id for item in self._shown.items}:
                for run in runs_of(session.study, recording_id, _ANONYMIZE_JOB):
                    found[run.backend] = run.backend
        return found

    def _show_runs(self) -> None:
        session, item_set = self._shown.session, self._shown.current()
        self._runs = benchmark_runs(session.study, item_set.id) if session is not None and item_set is not None else []
        if session is None or item_set is None:
            self._tab.runs.show_records(())
            return
        entry, rows = SUITE.make(item_set.task), []
        for run in reversed(self._runs):
            rounds = human_rounds(entry) if run.annotator_id else entry.rounds
            asked = len(self._shown.items) * sum(len(round_.parts) for round_ in rounds)
            rows.append(run_row(run, len(answers_of(session.study, run.id)), asked))
        self._tab.runs.show_records(rows)

    def _show_runnable(self) -> None:
        why = ""
        if not self._judges():
            why = tr("Add a judge in the mode Judges first.")
        elif not self._selected_judges():
            why = tr("Choose a judge first.")
        self._tab.set_runnable(why)
        self._show_egress()

    def _show_egress(self) -> None:
        """Say before anything is asked which judge may not be asked, and where what leaves would go."""
        session, items = self._shown.session, self._shown.items
        if session is None or not items or self.is_running or not self._tab.isVisible():
            return
        every, lines = all_judges(session.study), []
        for judge in self._selected_judges():
            forbidden, ways = check_egress(session, judge, every, items[0].recording_id, RAW_CONDITION)
            lines += ways if forbidden is None else [f"{judge.name}: {forbidden}"]
        self._tab.show_egress("\n".join(dict.fromkeys(lines)))


class _EventLoopProgress:
    """Keeps the window responsive while questions are put together; stops when the run is cancelled."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        self._wanted = wanted

    def progress(self, done: int, total: int, text: str = "") -> None:  # noqa: ARG002
        """Process pending events of the window."""
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 10)
        self.check_cancelled()

    def check_cancelled(self) -> None:
        """Raise where it was stopped."""
        if not self._wanted():
            raise Cancelled
