"""A withdrawal from one file, worked out in memory; and the files beside a study that hold older states of it."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path

from project.backups import backups_of
from project.creation import copies_before_upgrades
from project.errors import UserError
from project.filesystem import resolved
from project.names import shown
from project.schema import APPLICATION_ID
from project.sealing.container import MAGIC, is_sealed
from project.sealing.files import overwrite
from project.sealing.passphrases import header_of, key_of
from project.store import Study
from project.withdrawing.alike import Alike, found_words, look_alikes
from project.withdrawing.facts import Facts, facts_of
from project.withdrawing.file import RewrittenFile, anew, in_memory, require_readable, write_anew
from project.withdrawing.reach import PersonalFinder, Reach, contacts_of, reach_of
from project.withdrawing.removing import Removed, bury, remove


@dataclass(slots=True)
class Prepared:
    """A study without somebody, in memory.

    Attributes:
        path: of the file, which is as it was.
        reach: what was theirs.
        facts: what has to be named.
        removed: what is not in it any more.
        alike: words that were taken for a name of theirs, and what stays and looks as if it were theirs.
    """

    path: Path
    memory: sqlite3.Connection
    reach: Reach
    facts: Facts
    removed: Removed
    alike: Alike

    @contextlib.contextmanager
    def rewritten(self, annotator: str, at: str) -> Iterator[RewrittenFile]:
        """Write it beside the study, with a step of the history, and lend it, to be put in its place.

        Args:
            annotator: name of who does it.
            at: when, UTC, ISO 8601.

        Raises:
            UserError: it cannot be written.
        """
        row = self.memory.execute("SELECT id FROM annotator WHERE name = ?", (annotator,)).fetchone()
        bury(self.memory, self.reach, None if row is None else str(row[0]), at)
        with anew(self.memory, self.path) as rewritten:
            yield rewritten

    def close(self) -> None:
        """Forget what is in memory."""
        self.memory.close()


def prepare(
    path: Path,
    pseudonym: str,
    words: Sequence[str] = (),
    *,
    drop: bool = False,
    keep: Sequence[str] = (),
    finder: PersonalFinder = contacts_of,
) -> Prepared:
    """Work out a withdrawal without writing anything.

    Args:
        path: of the study.
        pseudonym: of who withdraws.
        words: further words by which they are known.
        drop: recordings in which they are go as a whole.
        keep: words, numbers and names that look like theirs and are not.
        finder: finds what is personal in texts of their recordings.

    Raises:
        UserError: nobody is called that, or the study cannot be read.
    """
    path = resolved(path)
    memory = in_memory(path)
    try:
        people = _called(memory, pseudonym)
        reach = reach_of(memory, people, words=words, drop=drop, keep=keep, finder=finder)
        facts, found = facts_of(memory, reach), found_words(memory, reach.wording)
        removed = remove(memory, reach)
        alike = replace(look_alikes(memory, reach, keep), found=found)
        return Prepared(path, memory, reach, facts, removed, alike)
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
    return [one.path for one in all_copies_of(path, study_id, opened) if one.sure]


@dataclass(frozen=True, slots=True)
class StudyCopy:
    """A file that is a copy of a study (`sure`), or may be: it is sealed or damaged, so its content is not known."""

    path: Path
    sure: bool


def all_copies_of(path: Path, study_id: str, opened: Iterable[Path] = ()) -> list[StudyCopy]:
    """Return the same, with the files that may be copies: nobody can tell whose study is in a sealed one.

    A sealed file is opened where its passphrase is known already; nobody is asked for it.
    """
    path = resolved(path)
    older = older_states(path)
    known = {path, *older}
    folders = dict.fromkeys((path.parent, *(one.parent for one in backups_of(path))))
    near = [
        one
        for folder in folders
        for pattern in ("*", "*/*", "*/*/*")
        for one in sorted(folder.glob(pattern))
        if not one.is_symlink()
    ]
    found = []
    for one in dict.fromkeys(one for one in (*near, *map(resolved, opened)) if one not in known):
        if _looks_like_one(one) and (same := _is_copy(one, study_id)) is not False:
            found.append(StudyCopy(one, bool(same)))
    return found


def _is_copy(path: Path, study_id: str) -> bool | None:
    """Tell whether a file is a copy of a study; None where it cannot be read."""
    if is_sealed(path):
        try:
            key_of(path, header_of(path), ask=False)
        except UserError:
            return None
    try:
        with Study.open(path, read_only=True) as found:
            return found.id == study_id
    except (UserError, OSError):
        return None


def _looks_like_one(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    if header.startswith(MAGIC):
        return True
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
    path: Path,
    study: Path,
    now: Reach,
    words: Sequence[str],
    *,
    drop: bool,
    at: str,
    erase: bool = False,
    keep: Sequence[str] = (),
    finder: PersonalFinder = contacts_of,
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
        keep: what looks like theirs and is not.
        finder: finds what is personal in texts of their recordings.

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
        if _rewritten(path, now, words, drop=drop, at=at, keep=keep, finder=finder):
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


def alike_in_older_state(
    path: Path,
    study: Path,
    now: Reach,
    words: Sequence[str],
    *,
    drop: bool,
    keep: Sequence[str] = (),
    finder: PersonalFinder = contacts_of,
) -> Alike:
    """Return what looks like theirs and would stay in an older state; nothing where it is erased or cannot be read.

    Args: as in `leave_older_state`.
    """
    if _is_unfinished(path, study):
        return Alike()
    try:
        memory, reach, _ = _without(path, now, words, drop=drop, keep=keep, finder=finder)
    except Unreadable:
        return Alike()
    try:
        return look_alikes(memory, reach, keep)
    finally:
        memory.close()


def _without(
    path: Path, now: Reach, words: Sequence[str], *, drop: bool, keep: Sequence[str], finder: PersonalFinder
) -> tuple[sqlite3.Connection, Reach, Removed]:
    """Return an older state without them, in memory."""
    try:
        memory = in_memory(path)
    except UserError as error:
        raise Unreadable(error.message, error.hint) from None
    try:
        reach = reach_of(
            memory,
            now.people,
            words=words,
            drop=drop,
            known=now.stones(),
            said=now.said,
            strings=now.strings,
            keep=keep,
            finder=finder,
        )
        return memory, reach, remove(memory, reach)
    except (RuntimeError, sqlite3.Error) as error:
        memory.close()
        raise Unreadable(f"“{shown(path.name)}” is not sound: {error}.") from None
    except BaseException:
        memory.close()
        raise


def _rewritten(
    path: Path,
    now: Reach,
    words: Sequence[str],
    *,
    drop: bool,
    at: str,
    keep: Sequence[str],
    finder: PersonalFinder,
) -> bool:
    memory, reach, removed = _without(path, now, words, drop=drop, keep=keep, finder=finder)
    try:
        if removed.nothing:
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
