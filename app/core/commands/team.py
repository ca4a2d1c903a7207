"""Merging the copies of annotators, and choosing between the versions of a conflict."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.garbage import collector_paused
from app.core.session import Session
from project.errors import Cancelled, UserError
from project.merging.merge import Merged, merge_copy, open_copy, order_of
from project.merging.resolving import put
from project.progress import Progress, Silent
from project.queries.conflicts import Conflict, conflict, set_resolution
from project.types import Changes

_SILENT = Silent()


class Side(StrEnum):
    """Which version of a conflict is chosen."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class MergedCopy:
    """One copy, and what merging it did."""

    path: Path
    merged: Merged


def merge_copies(
    session: Session, copies: Sequence[Path], *, dry_run: bool = False, progress: Progress = _SILENT
) -> list[MergedCopy]:
    """Bring the work of copies home, each as one step; every copy is looked at before the first is merged.

    Copies are merged in an order of their own, so that it does not matter how they are named. Where it is stopped, the
    copies are returned that were merged before, whole.

    Raises:
        UserError: a file is no copy of this study, is damaged, newer, or open elsewhere; nothing was merged then.
        Cancelled: the user stopped it before the first copy was merged; nothing was changed.
    """
    if not dry_run:
        session.study.require_writable()
    with contextlib.ExitStack() as stack:
        opened = []
        for path in copies:
            progress.check_cancelled()
            opened.append(stack.enter_context(open_copy(session.study, path)))
        opened.sort(key=order_of)
        who = session.annotator()
        stack.enter_context(collector_paused())
        stack.enter_context(session.study.in_bulk())
        known_as = who.id if who else None
        done: list[MergedCopy] = []
        for copy in opened:
            try:
                merged = merge_copy(session.study, copy, known_as, dry_run=dry_run, progress=progress)
            except Cancelled:
                if not done:
                    raise
                break
            done.append(MergedCopy(copy.path, merged))
    session.schemes.reload()
    return done


def resolve(session: Session, conflict_id: str, side: Side) -> Changes:
    """Choose one version of a conflict, as one step; choosing again later changes it.

    Raises:
        UserError: there is no such conflict, or the version cannot be put in place any more.
    """
    found = find_conflict(session, conflict_id)
    with session.step("Take theirs" if side is Side.THEIRS else "Keep ours") as step:
        if side is Side.THEIRS:
            put(session.study, found, found.theirs)
        elif found.resolution == Side.THEIRS:
            put(session.study, found, found.ours)
        set_resolution(session.study, found.id, side.value)
    return step.changes


def find_conflict(session: Session, conflict_id: str) -> Conflict:
    """Return the conflict of an id, or of the start of one that fits no other.

    Raises:
        UserError: there is none, or several fit.
    """
    found = conflict(session.study, conflict_id)
    if found is None:
        raise UserError(f"No conflict has the id “{conflict_id}”.", "See: greenroom conflicts STUDY")
    return found
