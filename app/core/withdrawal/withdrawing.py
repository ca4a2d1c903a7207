"""Takes a participant out of a study and out of what this machine keeps beside it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.core.clock import utc_now
from app.core.settings import load_settings
from app.core.withdrawal.places import Clip, Footing, cached, clips, footage, left_by_window, log_file, unfinished
from app.core.withdrawal.remembered import forget, names, remembered
from project.checksums import sha256_of
from project.counted import counted
from project.errors import UserError
from project.filesystem import resolved
from project.names import shown
from project.progress import Progress, Silent
from project.sealing.files import overwrite
from project.withdrawing.alike import Alike
from project.withdrawing.facts import Facts
from project.withdrawing.file import alone
from project.withdrawing.leaving import (
    Prepared,
    Unreadable,
    copies_of,
    leave_older_state,
    older_states,
    prepare,
    why_unreadable,
)
from project.withdrawing.removing import Removed


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for.

    Attributes:
        pseudonym: of who withdraws.
        words: further words by which they are known, such as a name that is no private word of the study.
        drop_recordings: recordings in which they are go as a whole; else others' annotations of them stay.
        delete_footage: the files of these recordings are deleted too.
        erase_unreadable: backups that cannot be read are erased, whatever is in them; else nothing is done.
    """

    pseudonym: str
    words: tuple[str, ...] = ()
    drop_recordings: bool = False
    delete_footage: bool = False
    erase_unreadable: bool = False


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a withdrawal would remove, on this machine and in the file.

    Attributes:
        alike: words that are taken for a name of theirs, and those that are left.
        older: backups, and what a killed process left beside the study.
        unreadable: those of them that cannot be read -> why.
        caches: what can be worked out again, and what the program keeps for itself.
        copies: of the study, under names that a person gave them; they are left.
        remembered: paths in the program's own settings that name them.
        named_by_path: whether the study's own path does; it is left.
    """

    wanted: Wanted
    facts: Facts
    removed: Removed
    alike: Alike
    older: tuple[Path, ...]
    unreadable: Mapping[Path, str]
    caches: tuple[Path, ...]
    clips: tuple[Clip, ...]
    footage: tuple[Footing, ...]
    copies: tuple[Path, ...]
    remembered: tuple[str, ...]
    named_by_path: bool


@dataclass(slots=True)
class Done:
    """What was removed.

    Attributes:
        at: when, UTC, ISO 8601.
        sha256: of the study file as it is now.
        older: name of a file that held an older state -> `rewritten`, `erased`, `erased unread` or `clean`, and its
            checksum.
        caches: how many files of the cache went.
        forgotten: how many paths that named them went from the program's own settings.
        clips: recording and checksum of each clip and report that was deleted.
        footage: recording, role and checksum of each file of footage, and whether it was deleted.
        problems: what could not be deleted, one line each; it has to be done by hand.
    """

    foreseen: Foreseen
    at: str
    sha256: str
    older: dict[str, tuple[str, str]] = field(default_factory=dict)
    caches: int = 0
    forgotten: int = 0
    clips: list[tuple[int, str]] = field(default_factory=list)
    footage: list[tuple[int, str, str, bool]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def foresee(path: Path, wanted: Wanted) -> Foreseen:
    """Work out what a withdrawal would remove; nothing is changed.

    Raises:
        UserError: nobody is called that, or the study cannot be read.
    """
    prepared = prepare(resolved(path), wanted.pseudonym, wanted.words, drop=wanted.drop_recordings)
    try:
        return _foreseen(prepared, wanted)
    finally:
        prepared.close()


def _foreseen(prepared: Prepared, wanted: Wanted) -> Foreseen:
    facts, study, wording = prepared.facts, prepared.path, prepared.reach.wording
    older = tuple(older_states(study))
    why = {one: why_unreadable(one, study) for one in older}
    return Foreseen(
        wanted,
        facts,
        prepared.removed,
        prepared.alike,
        older,
        {one: reason for one, reason in why.items() if reason},
        (*cached(facts, study), *left_by_window(facts, study), *unfinished(study.parent)),
        tuple(clips(facts, study.parent)),
        tuple(footage(facts, study.parent)),
        tuple(copies_of(study, facts.study_id, map(Path, load_settings().recent))),
        tuple(remembered(facts.study_id, wording)),
        names(str(study), wording),
    )


def withdraw(path: Path, wanted: Wanted, annotator: str, progress: Progress | None = None) -> Done:
    """Remove a participant. The study comes last: as long as it holds them, the same can be asked again.

    Args:
        path: of the study, which nobody has open.
        wanted: who, and how far.
        annotator: name of who does it.
        progress: told of each step.

    Raises:
        UserError: nobody is called that, somebody has the study open, or it cannot be written; or a backup cannot be
            read, and was not asked to be erased.
    """
    path, progress, at = resolved(path), progress or Silent(), utc_now()
    with alone(path):
        progress.progress(0, 4, "reading the study")
        prepared = prepare(path, wanted.pseudonym, wanted.words, drop=wanted.drop_recordings)
        try:
            foreseen = _foreseen(prepared, wanted)
            _require_readable(foreseen)
            done = Done(foreseen, at, "")
            with prepared.put(annotator, at) as put:
                progress.progress(1, 4, "backups")
                _older(prepared, done)
                progress.progress(2, 4, "clips and caches")
                _delete(prepared, done)
                progress.progress(3, 4, "the study")
                put()
        finally:
            prepared.close()
        done.sha256 = sha256_of(path)
        return done


def _require_readable(foreseen: Foreseen) -> None:
    if not foreseen.unreadable or foreseen.wanted.erase_unreadable:
        return
    count, names = len(foreseen.unreadable), ", ".join(f"“{shown(one.name)}”" for one in foreseen.unreadable)
    raise UserError(
        f"{counted(count, 'backup')} cannot be read and may hold them: {names}. Nothing was removed.",
        "Save what is left of it (greenroom recover), then have it erased with the rest: --erase-unreadable.",
    )


def _older(prepared: Prepared, done: Done) -> None:
    wanted = done.foreseen.wanted
    words = (*prepared.reach.wording.names, *wanted.words)
    for file in done.foreseen.older:
        try:
            what = leave_older_state(
                file,
                prepared.path,
                prepared.reach,
                words,
                drop=wanted.drop_recordings,
                at=done.at,
                erase=wanted.erase_unreadable,
            )
            done.older[file.name] = what, sha256_of(file) if file.exists() else ""
        except Unreadable:
            # It is damaged in a way that only shows now; the study still holds them, so the same can be asked again.
            raise
        except (OSError, UserError) as error:
            done.problems.append(_not_removed(file, error))
    for copy in done.foreseen.copies:
        done.problems.append(f"{shown(copy)} is a copy of the study: run the same command on it, or delete it.")


def _delete(prepared: Prepared, done: Done) -> None:
    done.caches = sum(_erased(file, done) for file in done.foreseen.caches)
    _forget_in_log(prepared, done)
    for clip in done.foreseen.clips:
        digest = _sha256(clip.path)
        if not clip.sure:
            done.problems.append(f"{shown(clip.path)}: it is called like a clip of the study and is another file.")
        elif _erased(clip.path, done):
            done.clips.append((clip.recording, digest))
    for one in done.foreseen.footage:
        digest = _sha256(one.path) if one.there else ""
        gone = one.there and done.foreseen.wanted.delete_footage and _erased(one.path, done)
        done.footage.append((one.about.recording, one.about.role, digest, gone))
    try:
        forget(prepared.facts.study_id, done.foreseen.remembered)
        done.forgotten = len(done.foreseen.remembered)
    except OSError as error:
        done.problems.append(f"Paths in the settings that name them could not be forgotten: {error.strerror}.")


def _forget_in_log(prepared: Prepared, done: Done) -> None:
    """Take out of the log of errors each line that names them."""
    log = log_file()
    with suppress(FileNotFoundError):
        try:
            lines = log.read_text("utf-8", "replace").splitlines(keepends=True)
            kept = [one for one in lines if not prepared.reach.wording.in_text(one)]
            if len(kept) < len(lines):
                overwrite(log)
                log.touch(0o600)
                log.write_text("".join(kept), "utf-8")
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                done.problems.append(_not_removed(log, error))


def _erased(path: Path, done: Done) -> bool:
    try:
        overwrite(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        done.problems.append(_not_removed(path, error))
        return False
    return True


def _not_removed(path: Path, error: OSError | UserError) -> str:
    why = error.message if isinstance(error, UserError) else f"{error.strerror}."
    return f"{shown(path)} could not be removed: {why}"


def _sha256(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError:
        return ""
