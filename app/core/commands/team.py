"""Splitting a study for an annotator, merging copies, and choosing between the versions of a conflict."""

import contextlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.core.commands.people import annotator_called
from app.core.garbage import collector_paused
from app.core.session import MediaState, Session
from app.core.training import gate_of
from project.errors import UserError
from project.merging.merge import Merged, merge_copy, open_copy, order_of
from project.merging.resolving import put
from project.queries.conflicts import Conflict, conflict, set_resolution
from project.queries.media import all_media
from project.queries.plans import all_assignments
from project.queries.recordings import all_recordings
from project.splitting import Share, Split, split
from project.store import Study
from project.types import Changes, WorkPurpose


class MediaWith(StrEnum):
    """What becomes of the media files when a study is split."""

    LEAVE = "leave"
    LINK = "link"
    COPY = "copy"


class Side(StrEnum):
    """Which version of a conflict is chosen."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class MergedCopy:
    """One copy, and what merging it did."""

    path: Path
    merged: Merged


def split_for(session: Session, annotator: str, out: Path, media: MediaWith = MediaWith.LEAVE) -> Split:
    """Make a study file for one annotator, with their recordings and nothing of anybody else's work.

    Raises:
        UserError: nobody is called that, nothing is assigned to them although there is a plan, a media file to copy
            is missing, or the file cannot be made.
    """
    session.study.require_writable()
    who = annotator_called(session, annotator)
    plan = all_assignments(session.study)
    own = [one for one in plan if one.annotator_id == who.id]
    if plan and not own:
        raise UserError(f"Nothing is assigned to {who.name}.", "Plan again, and name them too.")
    recordings = tuple(one.recording_id for one in own) or tuple(one.id for one in all_recordings(session.study))
    gate = gate_of(session)
    training = {one.recording_id for one in own if one.purpose is WorkPurpose.TRAINING}
    taught = training & {*gate.recordings} if gate else set()
    share = Share(who, recordings, tuple(sorted(taught)), (gate.reference,) if gate and taught else ())
    placed: list[Path] = []
    place = None if media is MediaWith.LEAVE else _placing(session, recordings, media, placed)
    try:
        return split(session.study, share, out, place)
    except BaseException:
        for folder in placed:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def merge_copies(session: Session, copies: Sequence[Path], *, dry_run: bool = False) -> list[MergedCopy]:
    """Bring the work of copies home, each as one step; every copy is looked at before the first is merged.

    Copies are merged in an order of their own, so that it does not matter how they are named.

    Raises:
        UserError: a file is no copy of this study, is damaged, newer, or open elsewhere; nothing was merged then.
    """
    if not dry_run:
        session.study.require_writable()
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(open_copy(session.study, path)) for path in copies]
        opened.sort(key=order_of)
        who = session.annotator()
        stack.enter_context(collector_paused())
        stack.enter_context(session.study.in_bulk())
        known_as = who.id if who else None
        done = [MergedCopy(copy.path, merge_copy(session.study, copy, known_as, dry_run=dry_run)) for copy in opened]
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


def _placing(
    session: Session, recordings: Sequence[str], media: MediaWith, placed: list[Path]
) -> Callable[[Study, Path], None]:
    wanted = {*recordings}
    located = [session.locate(one) for one in all_media(session.study) if one.recording_id in wanted]
    missing = [one.path.name for one in located if one.state is not MediaState.PRESENT]
    if missing:
        raise UserError(
            f"{len(missing)} media files are missing or were replaced, such as {missing[0]}.",
            "Relink them first, or leave the media behind.",
        )

    def place(copy: Study, path: Path) -> None:
        folder = path.with_name(f"{path.stem} media")
        try:
            folder.mkdir()
        except FileExistsError:
            raise UserError(f"“{folder.name}” is there already.", "Choose another name for the copy.") from None
        placed.append(folder)
        with copy.without_history():
            for number, one in enumerate(located, 1):
                name = f"{number:04} {one.path.name}"
                _put_file(one.path, folder / name, media)
                copy.write("UPDATE medium SET path = ? WHERE id = ?", (f"{folder.name}/{name}", one.medium.id))

    return place


def _put_file(source: Path, target: Path, media: MediaWith) -> None:
    if media is MediaWith.COPY:
        shutil.copyfile(source, target)
        return
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source.resolve())
