"""Runs a benchmark from its first question to its last, here or on a cluster."""

from dataclasses import dataclass
from typing import cast

from app.core.benchmark.running.course import Course
from app.core.benchmark.running.legs import begin
from app.core.benchmark.running.wanted import Wanted
from app.core.cluster.door import Done, run_all
from app.core.judging.runs.outcome import Note, Outcome
from app.core.session import Session
from project.item_sets import BenchmarkRun
from project.progress import Progress
from project.types import Changes, Json


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of it.

    Attributes:
        runs: by set and condition.
        taken_up: ids of runs that were there already, and went on.
        notes: what was not asked, and why.
        outcome: of all that was asked now.
        cached: answers that were there already.
    """

    runs: tuple[BenchmarkRun, ...]
    taken_up: frozenset[str]
    notes: tuple[Note, ...]
    outcome: Outcome
    cached: int
    changes: Changes


def run_benchmark(session: Session, wanted: Wanted, progress: Progress, scheduler: str = "") -> Ran:
    """Ask the judges that are wanted about the sets that are wanted, and note each answer as it comes.

    It may be stopped at any moment, also by `kill -9`: run again, it asks what has no answer yet.

    Args:
        session: of the study, which it alone writes to.
        wanted: what is asked of whom.
        progress: told about all of it.
        scheduler: address of a Dask cluster that does it; "" for this machine.

    Raises:
        Cancelled: the user stopped it.
        UserError: nothing is wanted, the cluster went away, or a work failed under a budget; what was answered until
            then is in the study.
    """
    begun = begin(session, wanted)
    course = Course(session, wanted, begun, at_once=bool(scheduler))
    whole = _Whole(progress, course)
    changes = begun.changes

    def ended(done: Done) -> None:
        nonlocal changes
        changes |= done.changes
        course.ended(done.work, done.result, done.error)

    while works := course.next(whole.looking_up):
        whole.begin(sum(len(cast(list[Json], work.parameters["requests"])) for work in works))
        run_all(session, works, whole, scheduler, ended=ended)
    outcome = course.outcome
    return Ran(begun.runs, begun.taken_up, tuple(outcome.notes), outcome, course.cached, changes | course.changes)


class _Whole:
    """Tells how far all of it is, from how far the works under way are."""

    def __init__(self, progress: Progress, course: Course) -> None:
        self._progress, self._course = progress, course
        self._before, self._requests = 0, 0
        self.check_cancelled = progress.check_cancelled
        self.looking_up = _LookingUp(progress, course)

    def begin(self, requests: int) -> None:
        """Begin with some works of so many requests."""
        self._before, self._requests = self._course.settled, requests

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report how far these works are."""
        share = done / total if total else 0.0
        now = self._before + round(share * self._requests)
        self._progress.progress(min(now, self._course.total), max(self._course.total, 1), text)


class _LookingUp:
    """Tells that questions are put together; how many are over does not change by that."""

    def __init__(self, progress: Progress, course: Course) -> None:
        self._progress, self._course = progress, course
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, text: str = "") -> None:  # noqa: ARG002
        """Report it."""
        self._progress.progress(self._course.settled, max(self._course.total, 1), "looking up")
