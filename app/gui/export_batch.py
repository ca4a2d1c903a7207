"""The clips of one export in the window: where each stands, on disk and in the list of jobs."""

from app.core.jobs import Work
from app.core.rendering import queue as rendering_queue
from app.core.rendering.queue import Clip, ClipState, Queue
from app.core.session import Session
from app.gui.job_center import JobCenter, Result
from project.errors import UserError
from resources.translation import tr
from widgets.job_row import JobState

_ENDED = frozenset({ClipState.DONE, ClipState.FAILED, ClipState.CANCELLED})


class ExportBatch:
    """A queue of clips while it is worked on.

    Attributes:
        plan: key of the plan under which the list of jobs knows it.
    """

    def __init__(self, session: Session, jobs: JobCenter, queue: Queue) -> None:
        """Begin; nothing is done before its clips are begun."""
        self.session = session
        self.queue = queue
        self.plan = ""
        self.clips = tuple(queue.left)
        self._jobs = jobs
        self._works: dict[int, tuple[Work, Clip]] = {}
        self._ended: dict[tuple[str, str], ClipState] = {}
        self._faces_left = 0
        self._row = ""
        rendering_queue.save(session, queue)

    def show_row(self) -> None:
        """Say in a row of its own in the list of jobs how far several clips are together."""
        if len(self.clips) > 1:
            self._row = self._jobs.begin_group(tr("Export of {clips} clips").format(clips=len(self.clips)), self.cancel)
            self._show()

    @property
    def ended(self) -> bool:
        """Whether every clip was made, failed or was taken back."""
        return len(self._ended) == len(self.clips)

    def begin(self, clip: Clip, work: Work) -> None:
        """Note which job makes a clip. From now on the clip may be there when the program stops."""
        self._works[id(work)] = (work, clip)
        self.queue = self.queue.marked(clip, ClipState.RUNNING)
        rendering_queue.save(self.session, self.queue)

    def clip_of(self, work: Work) -> Clip | None:
        """Return the clip that a job makes; None where it makes none of this batch."""
        return self._works[id(work)][1] if id(work) in self._works else None

    def done(self, clip: Clip, result: Result) -> None:
        """Note that a clip was made."""
        self._faces_left += bool(result.get("faces_left"))
        self._end(clip, ClipState.DONE)

    def failed(self, clip: Clip, error: UserError) -> None:
        """Note that a clip could not be made."""
        self._end(clip, ClipState.FAILED, f"{error.message} {error.hint}".strip())

    def stopped(self, clip: Clip) -> None:
        """Note that somebody took a clip back."""
        self._end(clip, ClipState.CANCELLED)

    def cancel(self) -> None:
        """Take back every clip that is not there yet."""
        for clip in self.clips:
            if not any(one is clip for _, one in self._works.values()) and _key(clip) not in self._ended:
                self.stopped(clip)
        for work, clip in reversed([*self._works.values()]):
            if _key(clip) not in self._ended:
                self._jobs.cancel(work)

    def has_ended(self, clip: Clip) -> bool:
        """Tell whether a clip was made, failed or was taken back."""
        return _key(clip) in self._ended

    def summary(self) -> str:
        """Say in a line what came of all clips."""
        counts = {state: sum(one is state for one in self._ended.values()) for state in _ENDED}
        said = [tr("{counts} of {clips} clips made").format(counts=counts[ClipState.DONE], clips=len(self.clips))]
        if self._faces_left:
            said.append(tr("faces left in {faces_left}: do not release those").format(faces_left=self._faces_left))
        if counts[ClipState.FAILED]:
            said.append(tr("{counts} failed").format(counts=counts[ClipState.FAILED]))
        if counts[ClipState.CANCELLED]:
            said.append(tr("{counts} cancelled").format(counts=counts[ClipState.CANCELLED]))
        return ", ".join(said)

    def _end(self, clip: Clip, state: ClipState, problem: str = "") -> None:
        if _key(clip) in self._ended:
            return
        self._ended[_key(clip)] = state
        self.queue = self.queue.marked(clip, state, problem)
        rendering_queue.save(self.session, self.queue)
        self._show()

    def _show(self) -> None:
        if not self._row:
            return
        if not self.ended:
            done = len(self._ended)
            self._jobs.show_group(
                self._row, done, len(self.clips), tr("{done} of {clips} clips").format(done=done, clips=len(self.clips))
            )
            return
        states = set(self._ended.values())
        bad = ClipState.FAILED in states or self._faces_left > 0
        state = JobState.FAILED if bad else JobState.DONE if ClipState.DONE in states else JobState.CANCELLED
        self._jobs.end_group(self._row, state, self.summary())


def _key(clip: Clip) -> tuple[str, str]:
    return clip.recording_id, clip.method
