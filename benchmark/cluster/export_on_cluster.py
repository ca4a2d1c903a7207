"""Exports the clips of a render queue on a cluster.

All clips are submitted at once, and each is marked on disk when it is done.
"""

from collections.abc import Sequence
from dataclasses import replace

from anonymize.export.export_job import ClipExportResult
from anonymize.export.export_queue import ClipState, QueuedClip, RenderQueue, prepare, save_queue
from anonymize.faces.masking_plan import delete_tracks_file
from benchmark.cluster.coordinator import JobResult, run_jobs
from project.errors import UserError
from project.progress import Progress
from project.session.jobs import JobSpec
from project.session.session import Session


def run_queue_on_cluster(
    session: Session, queue: RenderQueue, scheduler: str, progress: Progress
) -> Sequence[tuple[QueuedClip, ClipExportResult | None]]:
    """Export the pending clips of a queue; returns each clip with its result, None where it failed.

    Raises:
        Cancelled: the user stopped it; the rest can be exported later.
    """
    jobs: list[tuple[QueuedClip, JobSpec]] = []
    results: list[tuple[QueuedClip, ClipExportResult | None]] = []

    def mark(clip: QueuedClip, state: ClipState, problem: str = "") -> QueuedClip:
        nonlocal queue
        queue = queue.with_state(clip, state, problem)
        save_queue(session, queue)
        return replace(clip, state=state, problem=problem)

    def ended(done: JobResult) -> None:
        clip = next(queued_clip for queued_clip, work in jobs if work is done.job)
        delete_tracks_file(done.job.parameters)
        state = ClipState.DONE if done.error is None else ClipState.FAILED
        results.append((mark(clip, state, str(done.error or "")), done.result))

    for clip in queue.pending:
        try:
            jobs.append((clip, prepare(session, queue, clip)))
            mark(clip, ClipState.RUNNING)
        except UserError as error:
            results.append((mark(clip, ClipState.FAILED, str(error)), None))
    run_jobs(session, [work for _, work in jobs], progress, scheduler, ended=ended)
    order = [(queued_clip.recording_id, queued_clip.method) for queued_clip in queue.clips]
    return sorted(results, key=lambda row: order.index((row[0].recording_id, row[0].method)))
