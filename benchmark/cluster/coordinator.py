"""Runs jobs, on this machine one after the other or on a Dask cluster.

The coordinator submits them to workers, answers what they ask, and stores results.
"""

import asyncio
import json
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from anonymize.egress.egress_authority import StudyAuthority
from benchmark.cluster.work_envelope import permit_job, worker_request
from benchmark.cluster.worker_proxy import unpack_files
from benchmark.cluster.worker_proxy import work as task
from benchmark.judging import ask_job
from benchmark.judging.ask_run import RunOutcome
from benchmark.judging.judgment_record import JudgmentBatch
from models.connection.dask_connection import (
    Cluster,
    Scheduler,
    SchedulerLostError,
    connect,
    parse_scheduler,
    permitted_addresses,
)
from project.codec import load
from project.entities.egress_policy import Forbidden
from project.entities.judgments import Judgment
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress, SubtaskProgress
from project.session.jobs import JobSpec, answer, load_kind, run_inline, store_part
from project.session.session import Session
from project.text_format import pluralize
from project.version import __version__

_MIN_PARTS = 2
_SHARE = 1000
"""Units of progress of one of several jobs."""


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result or the error of one job.

    Attributes:
        result: of the job; None if it failed. If a part of a run of judges failed, it is the result of the others.
        changes: what was stored of it, also where it failed later.
    """

    job: JobSpec
    result: Any
    changes: Changes
    error: UserError | None


def run_jobs(
    session: Session,
    works: Sequence[JobSpec],
    progress: Progress,
    scheduler: str = "",
    *,
    ended: Callable[[JobResult], None] = lambda _: None,
) -> list[JobResult]:
    """Run jobs and store their results; a job that fails does not stop the others.

    Args:
        session: holds the study, and is the only one to write to it.
        works: made by the `prepare` of their kinds.
        progress: reports all of them together.
        scheduler: address of a scheduler of Dask whose workers are prepared for Greenroom; "" for this machine.
        ended: called for each job as soon as it is over, in this thread.

    Returns:
        The result of each, in their order.

    Raises:
        Cancelled: the user stopped it; what was stored until then stays.
        Forbidden: the policy does not let the scheduler be connected to.
    """
    if not works:
        return []
    if not scheduler:
        return [
            _run_locally(session, work, SubtaskProgress(progress, at * _SHARE, _SHARE, len(works) * _SHARE), ended)
            for at, work in enumerate(works)
        ]
    wanted = parse_scheduler(scheduler)
    addresses = permitted_addresses(wanted, StudyAuthority(session))
    with asyncio.Runner() as runner:
        return runner.run(_run_on_cluster(session, works, progress, wanted, addresses, ended))


def _run_locally(session: Session, work: JobSpec, progress: Progress, ended: Callable[[JobResult], None]) -> JobResult:
    changes, error, result = Changes(), None, None
    try:
        result, changes = run_inline(session, work, progress)
    except UserError as found:
        error = found
    done = JobResult(work, result, changes, error)
    ended(done)
    return done


async def _run_on_cluster(
    session: Session,
    works: Sequence[JobSpec],
    progress: Progress,
    wanted: Scheduler,
    addresses: tuple[str, ...],
    ended: Callable[[JobResult], None],
) -> list[JobResult]:
    # What serves a cluster is loaded only where there is one.
    found: dict[int, JobResult] = {}
    try:
        async with connect(wanted, addresses) as cluster:
            threads = sum(cluster_worker.threads for cluster_worker in await cluster.list_workers())
            pieces: list[ClusterTask] = []
            for at, work in enumerate(works):
                if work.kind == ask_job.KIND:
                    cut = ask_job.split_job(work, max(_MIN_PARTS, threads))
                    pieces += [ClusterTask(at, job_spec, ask_job.served_judge_ids(job_spec)) for job_spec in cut]
                else:
                    pieces.append(ClusterTask(at, work))

            def piece_ended(piece: ClusterTask) -> None:
                siblings = [cluster_task for cluster_task in pieces if cluster_task.job_index == piece.job_index]
                if all(cluster_task.is_done for cluster_task in siblings):
                    found[piece.job_index] = _merge_results(works[piece.job_index], siblings)
                    ended(found[piece.job_index])

            await ClusterCoordinator(session, wanted, cluster, addresses, pieces, progress, piece_ended).run()
    except SchedulerLostError:
        raise UserError(
            f"The scheduler at {wanted} no longer responds.",
            "Finished parts are in the study. Start the scheduler, its workers and the run again to continue.",
        ) from None
    return [found[at] for at in range(len(works))]


def _merge_results(work: JobSpec, pieces: Sequence["ClusterTask"]) -> JobResult:
    changes = Changes()
    for piece in pieces:
        changes |= piece.changes
    error = next((piece.error for piece in pieces if piece.error is not None), None)
    results = [piece.result for piece in pieces if piece.result is not None]
    if work.kind == ask_job.KIND:
        return JobResult(work, ask_job.merge_results(results) if results else None, changes, error)
    return JobResult(work, results[0] if results else None, changes, error)


MAX_TRIES = 3
"""How often a job is started in all, if its workers stop."""


@dataclass
class ClusterTask:
    """One job, or a part of one.

    Attributes:
        job_index: position of what it is a part of.
        job: what remains to be done.
        judge_ids: judges at servers; two tasks that ask the same one do not run at once.
        tries: how often it was started.
        token: of the current try; "" before the first and between two.
        crashed: the process that did it ended by itself.
        host: the machine that runs it.
        fraction_done: how much of it is done, from 0 to 1.
        result: None while it is not done.
        error: why it failed; None otherwise.
    """

    job_index: int
    job: JobSpec
    judge_ids: frozenset[str] = frozenset()
    tries: int = 0
    token: str = ""
    crashed: bool = False
    host: str = ""
    fraction_done: float = 0.0
    progress_text: str = ""
    result: Any = None
    error: UserError | None = None
    changes: Changes = field(default_factory=Changes)
    _stored: list[Judgment] = field(default_factory=list)
    _earlier_results: list[RunOutcome] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return self.result is not None or self.error is not None

    def add_stored_part(self, part: Mapping[str, Json], changes: Changes) -> None:
        self._stored += load(JudgmentBatch, part, self.job.kind).judgments
        self.changes |= changes

    def start(self, token: str, host: str) -> bool:
        """Note that a worker starts it; after an earlier try, what that one stored is left out.

        Returns:
            Whether the worker may start; otherwise the task is over, with a result or an error.
        """
        if self.tries and self.job.kind == ask_job.KIND:
            try:
                left = ask_job.remaining_job(self.job, self._stored)
            except UserError as error:
                self.error = error
                return False
            self._earlier_results.append(ask_job.partial_result(self.job.parameters.entries, self._stored))
            self._stored.clear()
            if left is None:
                self.finish(ask_job.merge_results([]))
                return False
            self.job = left
        if self.tries and hasattr(self.job.parameters, "overwrite"):
            # The file that the earlier worker may have written.
            self.job = replace(self.job, parameters=replace(self.job.parameters, overwrite=True))
        self.tries, self.token, self.host = self.tries + 1, token, host
        self.fraction_done, self.progress_text, self.crashed = 0.0, "", False
        if self.tries > MAX_TRIES:
            self.error = self.lost_error()
        return self.error is None

    def finish(self, result: Any) -> None:
        """Set its result, merged with those of earlier tries."""
        self.result = ask_job.merge_results([*self._earlier_results, result]) if self._earlier_results else result
        self.fraction_done = 1.0

    def lost_error(self) -> UserError:
        on = f" (the last one on {self.host})" if self.host else ""
        return UserError(
            f"The workers stopped {MAX_TRIES} times{on}: {self.job.title}.",
            "See the log of that worker, then start the run again.",
        )


_PROGRESS_STEPS = 1000
_POLL_INTERVAL_S = 0.1
_GRACE_S = 5.0
_STOP_TIMEOUT_S = 3.0


class ClusterCoordinator:
    """One run of jobs on a cluster."""

    def __init__(
        self,
        session: Session,
        scheduler: Scheduler,
        cluster: Cluster,
        addresses: tuple[str, ...],
        pieces: Sequence[ClusterTask],
        progress: Progress,
        ended: Callable[[ClusterTask], None],
    ) -> None:
        self._session, self._scheduler, self._addresses, self._cluster = session, scheduler, addresses, cluster
        self._pieces, self._progress, self._ended = pieces, progress, ended
        self._run = f"greenroom-{new_id()}"
        self._futures: dict[int, Any] = {}
        self._finished: dict[int, float] = {}
        self._replies: dict[str, Any] = {}

    async def run(self) -> None:
        """Run until every task has a result or an error.

        Raises:
            SchedulerLostError: the scheduler does not answer any more.
            Cancelled: the user stopped it; answers until then are stored.
        """
        said = await self._cluster.open_queue(self._run)
        receiving = asyncio.create_task(self._receive(said))
        try:
            while not all(piece.is_done for piece in self._pieces):
                self._progress.check_cancelled()
                if receiving.done():
                    receiving.result()
                if not self._cluster.is_alive:
                    raise SchedulerLostError
                self._submit_pending()
                await self._check_pieces()
                await self._report_progress()
                await asyncio.sleep(_POLL_INTERVAL_S)
        except BaseException:
            await asyncio.shield(self._stop())
            raise
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)
            for queue in (said, *self._replies.values()):
                with suppress(Exception):
                    self._cluster.close_queue(queue)
        await self._report_progress()

    def _submit_pending(self) -> None:
        """Submit tasks that were not yet, except those that ask a judge that another task is asking."""
        asked = {
            judge
            for number in self._futures
            if not (piece := self._pieces[number]).is_done
            for judge in piece.judge_ids
        }
        for number, piece in enumerate(self._pieces):
            if number not in self._futures and not piece.is_done and not asked & piece.judge_ids:
                asked |= piece.judge_ids
                self._submit(number)

    def _submit(self, number: int) -> None:
        key = f"{self._run}-{number}-{new_id()}"
        self._futures[number] = self._cluster.submit(task, self._run, number, key, key=key)
        self._finished.pop(number, None)

    async def _check_pieces(self) -> None:
        """Find tasks that their workers gave up."""
        now = time.monotonic()
        for number, piece in enumerate(self._pieces):
            if number not in self._futures or piece.is_done or self._futures[number].status == "pending":
                continue
            failed = self._futures[number].status == "error"
            if failed and isinstance(await self._futures[number].exception(), ImportError | RuntimeError):
                raise UserError(
                    "A worker of the cluster was started without Greenroom.",
                    f"Start it with: dask worker --preload greenroom {self._scheduler}",
                )
            # The last messages of its worker may still arrive.
            if not piece.crashed and now - self._finished.setdefault(number, now) < _GRACE_S:
                continue
            if failed or piece.tries >= MAX_TRIES:
                piece.error = piece.lost_error()
                self._ended(piece)
            else:
                self._submit(number)

    async def _receive(self, said: Any) -> None:
        """Handle what jobs say, in its order."""
        while True:
            for text in await self._cluster.take(said):
                message = json.loads(text)
                reply = await self._handle_message(message)
                if reply is not None:
                    await self._send(message["token"], *reply)

    async def _send(self, token: str, message: Json) -> None:
        """Send a job a message; its queue is opened when it is first told something."""
        if token not in self._replies:
            self._replies[token] = await self._cluster.open_queue(f"{self._run}-{token}")
        await self._cluster.put(self._replies[token], json.dumps(message))

    async def _handle_message(self, message: dict[str, Any]) -> tuple[Json] | None:
        """Return what a job is told in answer to what it said; None for nothing."""
        if "begin" in message:
            return (await self._start_piece(self._pieces[message["number"]], message["token"], message["begin"]),)
        line = message["line"]
        piece = next((cluster_task for cluster_task in self._pieces if cluster_task.token == message["token"]), None)
        if piece is None or piece.is_done:
            # The task was given to another worker meanwhile.
            return ("cancel",) if "ask" in line else None
        return self._handle_line(piece, line)

    async def _start_piece(self, piece: ClusterTask, token: str, facts: dict[str, Any]) -> Json:
        """Return the request that a worker gets; None where it need not begin."""
        _require_same_version(facts)
        seats = {seat.address: seat for seat in await self._cluster.list_workers()}
        seat = seats.get(facts["address"])
        if piece.is_done or seat is None:
            return None
        if piece.start(token, str(facts["host"])):
            try:
                permit_job(self._session, self._scheduler, self._addresses, seat, piece.job)
                return worker_request(self._session, piece.job)
            except UserError as error:
                piece.error = error
        self._ended(piece)
        return None

    def _handle_line(self, piece: ClusterTask, line: dict[str, Any]) -> tuple[Json] | None:
        if "progress" in line:
            done, total, text = line["progress"]
            piece.fraction_done, piece.progress_text = (min(1.0, done / total) if total else 0.0), text
        elif "part" in line or "question" in line:
            return self._answer_question(piece, line)
        elif "result" in line:
            self._store_result(piece, line["result"], line["files"])
        elif "error" in line:
            piece.error = UserError(line["error"]["message"], line["error"]["hint"])
        elif "unreachable" in line:
            piece.error = UserError(*line["unreachable"])
        elif "cancelled" in line:
            piece.error = UserError("The run was stopped.", "Start it again to continue.")
        elif "crashed" in line:
            piece.token, piece.crashed = "", True
        if piece.is_done:
            self._ended(piece)
        return None

    def _answer_question(self, piece: ClusterTask, line: dict[str, Any]) -> tuple[Json] | None:
        reply: dict[str, Json] = {"answer": line.get("ask")}
        try:
            if "part" in line:
                piece.add_stored_part(line["part"], store_part(self._session, piece.job, line["part"]))
                reply["content"] = {}
            else:
                reply["content"] = answer(self._session, piece.job, line["question"])
        except UserError as error:
            rule = error.rule if isinstance(error, Forbidden) else ""
            reply["error"] = {"message": error.message, "hint": error.hint, "rule": rule}
        return (reply,) if "ask" in line else None

    def _store_result(self, piece: ClusterTask, result: dict[str, Json], files: dict[str, Json]) -> None:
        try:
            kind = load_kind(piece.job.kind)
            found = load(kind.result, unpack_files(result, files), kind.key)
            piece.changes |= kind.store(self._session, piece.job, found)
            piece.finish(found)
        except UserError as error:
            piece.error = error

    async def _stop(self) -> None:
        """Cancel running tasks, and store what was answered until then."""
        with suppress(SchedulerLostError, UserError, asyncio.TimeoutError):
            for piece in self._pieces:
                if not piece.is_done and piece.token:
                    await self._send(piece.token, "cancel")
            until = time.monotonic() + _STOP_TIMEOUT_S
            while (
                self._cluster.is_alive
                and time.monotonic() < until
                and any(cluster_task.token and not cluster_task.is_done for cluster_task in self._pieces)
            ):
                await asyncio.sleep(_POLL_INTERVAL_S)
            if self._cluster.is_alive:
                await asyncio.wait_for(self._cluster.cancel([*self._futures.values()]), _STOP_TIMEOUT_S)

    async def _report_progress(self) -> None:
        ended = sum(piece.is_done for piece in self._pieces)
        share = sum(1.0 if piece.is_done else piece.fraction_done for piece in self._pieces) / max(1, len(self._pieces))
        at_work = sum(1 for piece in self._pieces if piece.token and not piece.is_done)
        text = f"{ended} of {pluralize(len(self._pieces), 'part')}, {at_work} under way"
        if not at_work and ended < len(self._pieces) and not await self._cluster.list_workers():
            text = f"No worker yet: dask worker --preload greenroom {self._scheduler}"
        self._progress.progress(int(share * _PROGRESS_STEPS), _PROGRESS_STEPS, text)


def _require_same_version(facts: dict[str, Any]) -> None:
    """Raise if a worker runs other versions."""
    here = {"version": __version__, "python": platform.python_version()}
    there = {name: facts[name] for name in here}
    if there != here:
        raise UserError(
            f"The worker on {facts['host']} uses Greenroom {there['version']} on Python {there['python']}; "
            f"this machine uses Greenroom {here['version']} on Python {here['python']}.",
            "Install the same versions on every machine.",
        )
