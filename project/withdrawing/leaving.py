"""A withdrawal from one file, worked out in memory; and the files beside a study that hold older states of it."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from project.backups import backups_of
from project.creation import copies_before_upgrades
from project.errors import UserError
from project.filesystem import resolved
from project.names import shown
from project.schema import APPLICATION_ID
from project.sealing.files import overwrite
from project.store import Study
from project.withdrawing.alike import Alike, found_words, left_words
from project.withdrawing.facts import Facts, facts_of
from project.withdrawing.file import anew, in_memory, require_readable, write_anew
from project.withdrawing.reach import Reach, reach_of
from project.withdrawing.removing import Removed, bury, remove


@dataclass(slots=True)
class Prepared:
    """A study without somebody, in memory.

    Attributes:
        path: of the file, which is as it was.
        reach: what was theirs.
        facts: what has to be named.
        removed: what is not in it any more.
        alike: words that were taken for a name of theirs, and those that were not.
    """

    path: Path
    memory: sqlite3.Connection
    reach: Reach
    facts: Facts
    removed: Removed
    alike: Alike

    @contextlib.contextmanager
    def put(self, annotator: str, at: str) -> Iterator[Callable[[], None]]:
        """Write it beside the study, with a step of the history, and lend what puts it in its place.

        Args:
            annotator: name of who does it.
            at: when, UTC, ISO 8601.

        Raises:
            UserError: it cannot be written.
        """
        row = self.memory.execute("SELECT id FROM annotator WHERE name = ?", (annotator,)).fetchone()
        bury(self.memory, self.reach, None if row is None else str(row[0]), at)
        with anew(self.memory, self.path) as put:
            yield put

    def close(self) -> None:
        """Forget what is in memory."""
        self.memory.close()


def prepare(path: Path, pseudonym: str, words: Sequence[str] = (), *, drop: bool = False) -> Prepared:
    """Work out a withdrawal without writing anything.

    Args:
        path: of the study.
        pseudonym: of who withdraws.
        words: further words by which they are known.
        drop: recordings in which they are go as a whole.

    Raises:
        UserError: nobody is called that, or the study cannot be read.
    """
    path = resolved(path)
    memory = in_memory(path)
    try:
        people = _called(memory, pseudonym)
        reach = reach_of(memory, people, words=words, drop=drop)
        facts, found = facts_of(memory, reach), found_words(memory, reach.wording)
        removed = remove(memory, reach)
        return Prepared(path, memory, reach, facts, removed, Alike(found, left_words(memory, reach.wording)))
    except BaseException:
        memory.close()
        raise


def _called(memory: sqlite3.Connection, pseudonym: str) -> list[str]:
    wanted = " ".join(pseudonym.split())
    rows = memory.execute("SELECT id, pseudonym FROM participant ORDER BY pseudonym").fetchall()
    found = [row[0] for row in rows if row[1] == wanted]
    if not found:
        known = ", ".join(shown(row[1]) for row in rows) or "nobody"
        raise UserError(f"No participant is called “{shown(wanted)}”.", f"In this study: {known}.")
    return found


def older_states(path: Path) -> list[Path]:
    """Return the files beside a study that hold older states of it: backups, and what a killed process left.

    What a link leads to is no part of it: a study may come from a stranger, and these files are erased.
    """
    path = resolved(path)
    left = [one for one in path.parent.iterdir() if one.name.startswith(f".{path.name}.") and one != path]
    left += [
        one
        for one in path.parent.glob(f".{escape(path.stem)}.*/copy*")
        if one.is_file() and not one.parent.is_symlink()
    ]
    own = [one for one in left if not one.is_symlink()]
    inside = [file for one in own for file in ([*one.rglob("*")] if one.is_dir() else [one])]
    unfinished = [one for one in sorted(inside) if one.is_file() and not one.is_symlink()]
    return [*backups_of(path), *copies_before_upgrades(path), *unfinished]


def copies_of(path: Path, study_id: str, opened: Iterable[Path] = ()) -> list[Path]:
    """Return files that are states or copies of a study under names of their own, which a person gave them.

    Args:
        path: of the study; its folder is looked through, and the folders in that.
        study_id: of the study.
        opened: further files that may be.
    """
    path = resolved(path)
    known = {path, *older_states(path)}
    near = [one for pattern in ("*", "*/*") for one in sorted(path.parent.glob(pattern)) if not one.is_symlink()]
    wanted = dict.fromkeys(one for one in (*near, *map(resolved, opened)) if one not in known)
    return [one for one in wanted if _looks_like_one(one) and is_same_study(one, study_id)]


def _looks_like_one(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def why_unreadable(path: Path, study: Path) -> str:
    """Return why nobody can be taken out of an older state of a study; "" where it can be read, or is erased anyhow."""
    if _is_unfinished(path, study):
        return ""
    try:
        require_readable(path)
    except UserError as error:
        return error.message
    return ""


def leave_older_state(
    path: Path, study: Path, now: Reach, words: Sequence[str], *, drop: bool, at: str, erase: bool = False
) -> str:
    """Take somebody out of an older state of a study. What a killed process left unfinished is erased.

    In an older state they may not have been found yet in a recording that is known to be theirs now.

    Args:
        path: of the file.
        study: beside which it lies.
        now: what is theirs in the study.
        words: by which they are known.
        drop: recordings in which they are go as a whole.
        at: when, UTC, ISO 8601.
        erase: what cannot be read is erased.

    Returns:
        `rewritten`, `erased`, `erased unread`, or `clean` where there was nothing of theirs in it.

    Raises:
        UserError: it cannot be read, or cannot be written, and is as it was.
        OSError: it cannot be written, and is as it was.
    """
    if _is_unfinished(path, study):
        overwrite(path)
        return "erased"
    status = path.stat()
    try:
        if _rewritten(path, now, words, drop=drop, at=at):
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            return "rewritten"
    except Unreadable:
        if not erase:
            raise
        overwrite(path)
        return "erased unread"
    return "clean"


class Unreadable(UserError):
    """An older state of a study cannot be read, so nobody can be taken out of it."""


def _is_unfinished(path: Path, study: Path) -> bool:
    return path.name.startswith(".") or path.parent != study.parent


def _rewritten(path: Path, now: Reach, words: Sequence[str], *, drop: bool, at: str) -> bool:
    try:
        memory = in_memory(path)
    except UserError as error:
        raise Unreadable(error.message, error.hint) from None
    try:
        reach = reach_of(memory, now.people, words=words, drop=drop, known=now.stones(), said=now.said)
        if remove(memory, reach).nothing:
            return False
        bury(memory, reach, None, at)
        write_anew(memory, path)
    except (RuntimeError, sqlite3.Error) as error:
        raise Unreadable(f"“{shown(path.name)}” is not sound: {error}.") from None
    finally:
        memory.close()
    return True


def is_same_study(path: Path, study_id: str) -> bool:
    """Tell whether a file is a state of a study."""
    try:
        with Study.open(path, read_only=True) as found:
            return found.id == study_id
    except (UserError, OSError):
        return False
