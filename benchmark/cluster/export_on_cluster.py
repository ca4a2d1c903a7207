"""The queue of clips, made by a cluster: all are given out at once, and each is marked on disk when it is over."""

from collections.abc import Sequence
from dataclasses import replace

from anonymize.export.export_queue import ClipState, QueuedClip, RenderQueue, prepare, save_queue
from anonymize.faces.masking_plan import delete_tracks_file
from benchmark.cluster.coordinator import JobResult, run_jobs
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Progress
from project.session.jobs import JobSpec
from project.session.session import Session


def run_queue_on_cluster(
    session: Session, queue: RenderQueue, scheduler: str, progress: Progress
) -> Sequence[tuple[QueuedClip, dict[str, Json] | None]]:
    """Make what is left of a queue; returns each clip with its result, None where it failed.

    Raises:
        Cancelled: the user stopped it; what is left can be taken up again.
        UserError: the cluster cannot be used, or went away; likewise.
    """
    given: list[tuple[QueuedClip, JobSpec]] = []
    over: list[tuple[QueuedClip, dict[str, Json] | None]] = []

    def mark(clip: QueuedClip, state: ClipState, problem: str = "") -> QueuedClip:
        nonlocal queue
        queue = queue.marked(clip, state, problem)
        save_queue(session, queue)
        return replace(clip, state=state, problem=problem)

    def ended(done: JobResult) -> None:
        clip = next(one for one, work in given if work is done.work)
        delete_tracks_file(done.work.parameters)
        state = ClipState.DONE if done.error is None else ClipState.FAILED
        over.append((mark(clip, state, str(done.error or "")), done.result))

    for clip in queue.left:
        try:
            given.append((clip, prepare(session, queue, clip)))
            mark(clip, ClipState.RUNNING)
        except UserError as error:
            over.append((mark(clip, ClipState.FAILED, str(error)), None))
    run_jobs(session, [work for _, work in given], progress, scheduler, ended=ended)
    order = [(one.recording_id, one.method) for one in queue.clips]
    return sorted(over, key=lambda one: order.index((one[0].recording_id, one[0].method)))
