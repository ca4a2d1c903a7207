"""Where works are done: on this machine one after the other, or on a lab's own cluster through Dask."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.jobs import Work, run_here
from app.core.judging.runs import asking, splitting
from app.core.leaving.authority import authority_of
from app.core.session import Session
from models.connection.cluster import Gone, Scheduler, connected, permitted, scheduler_at
from project.errors import UserError
from project.progress import Progress
from project.types import Changes, Json

if TYPE_CHECKING:
    from app.core.cluster.piece import Piece

_LEAST_CUT = 2


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one work.

    Attributes:
        result: of the job; None where it failed. Where a part of a run of judges failed, it is what came of the others.
        changes: what was stored of it, also where it failed later.
        error: why it, or a part of it, failed.
    """

    work: Work
    result: dict[str, Json] | None
    changes: Changes
    error: UserError | None


def run_all(
    session: Session,
    works: Sequence[Work],
    progress: Progress,
    scheduler: str = "",
    *,
    ended: Callable[[Done], None] = lambda _: None,
) -> list[Done]:
    """Do works and store what comes of them; what fails fails alone.

    Args:
        session: holds the study, and is the only one to write to it.
        works: made by the `prepare` of their kinds.
        progress: told about all of them together.
        scheduler: address of a scheduler of Dask whose workers are prepared for Greenroom; "" for this machine.
        ended: called for each as soon as it is over, in this thread.

    Returns:
        What came of each, in their order.

    Raises:
        Cancelled: the user stopped it; what was stored until then stays.
        Forbidden: the policy does not let the scheduler be connected to.
        UserError: there is no scheduler, it went away, or its workers cannot be used; what was stored stays.
    """
    if not works:
        return []
    if not scheduler:
        return [_here(session, work, _Share(progress, at, len(works)), ended) for at, work in enumerate(works)]
    wanted = scheduler_at(scheduler)
    addresses = permitted(wanted, authority_of(session))
    with asyncio.Runner() as runner:
        return runner.run(_there(session, works, progress, wanted, addresses, ended))


def _here(session: Session, work: Work, progress: Progress, ended: Callable[[Done], None]) -> Done:
    changes, error, result = Changes(), None, None
    try:
        result, changes = run_here(session, work, progress)
    except UserError as found:
        error = found
    done = Done(work, result, changes, error)
    ended(done)
    return done


async def _there(
    session: Session,
    works: Sequence[Work],
    progress: Progress,
    wanted: Scheduler,
    addresses: tuple[str, ...],
    ended: Callable[[Done], None],
) -> list[Done]:
    # What serves a cluster is loaded only where there is one.
    from app.core.cluster.piece import Piece
    from app.core.cluster.serving import Serving

    found: dict[int, Done] = {}
    try:
        async with connected(wanted, addresses) as cluster:
            threads = sum(one.threads for one in await cluster.seats())
            pieces: list[Piece] = []
            for at, work in enumerate(works):
                if work.kind == asking.KIND:
                    cut = splitting.pieces(work, max(_LEAST_CUT, threads))
                    pieces += [Piece(at, one, splitting.served(one)) for one in cut]
                else:
                    pieces.append(Piece(at, work))

            def piece_ended(piece: Piece) -> None:
                of_it = [one for one in pieces if one.whole == piece.whole]
                if all(one.over for one in of_it):
                    found[piece.whole] = _joined(works[piece.whole], of_it)
                    ended(found[piece.whole])

            await Serving(session, wanted, cluster, addresses, pieces, progress, piece_ended).go()
    except Gone:
        raise UserError(
            f"The scheduler at {wanted} does not answer any more.",
            "What was done is in the study. Start it and its workers again, then run the same again: it goes on.",
        ) from None
    return [found[at] for at in range(len(works))]


def _joined(work: Work, pieces: Sequence["Piece"]) -> Done:
    changes = Changes()
    for one in pieces:
        changes |= one.changes
    error = next((one.error for one in pieces if one.error is not None), None)
    results = [one.result for one in pieces if one.result is not None]
    if work.kind == asking.KIND:
        return Done(work, splitting.together(results) if results else None, changes, error)
    return Done(work, results[0] if results else None, changes, error)


class _Share:
    """Tells how far one of several works is, as a part of all."""

    def __init__(self, progress: Progress, at: int, of: int) -> None:
        self._progress, self._at, self._of = progress, at, of
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report it."""
        if self._of == 1 or not total:
            self._progress.progress(done, total, text)
        else:
            self._progress.progress(self._at * total + done, self._of * total, text)
