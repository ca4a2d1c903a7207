"""The same job over several recordings of a study, one after the other, in this process."""

from collections.abc import Callable, Iterable, Iterator

from app.core.jobs import Work, run_here
from app.core.session import Session
from project.progress import Progress
from project.types import Json, Recording


def run_over(
    session: Session,
    recordings: Iterable[Recording],
    prepare: Callable[[Recording], Work],
    progress: Callable[[Work], Progress],
) -> Iterator[tuple[Recording, dict[str, Json]]]:
    """Prepare all jobs first, so that a refusal comes before any work, then do them; yields each result."""
    prepared = [(recording, prepare(recording)) for recording in recordings]
    for recording, work in prepared:
        result, _ = run_here(session, work, progress(work))
        yield recording, result
