"""Prepares a withdrawal in memory, and erases the person from backups and copies of the study.

`collect_facts` reads the footage, clips, copies and requests that the withdrawal has to name before anything is erased.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from glob import escape
from pathlib import Path

from project.encryption.encrypted_files import shred_file
from project.encryption.encryption_key import is_encrypted, starts_encrypted
from project.encryption.passphrases import obtain_key
from project.erasure.erased_file import RewrittenFile, load_into_memory, prepare_rewrite, require_readable
from project.erasure.lookalikes import LookAlikeWords, find_look_alikes, matched_words
from project.erasure.raw_rows import Row, live_rows, parse_json, past_states
from project.erasure.removal import ErasureCounts, erase_subject, read_study_id, record_withdrawal
from project.erasure.subject_scope import PersonalFinder, SubjectScope, build_scope, find_contact_strings
from project.erasure.subject_terms import REDACTION_MARK
from project.errors import UserError, unknown_name
from project.files.filesystem import resolve_path
from project.files.sqlcipher import sqlite3
from project.queries.history_rows import SHARED_PROPERTY, SharedCopy, parse_shared_copies
from project.schema.format_versions import APPLICATION_ID
from project.store.backups import backup_paths
from project.store.creation import upgrade_copies
from project.store.study import Study
from project.text_format import escape_unprintable

_CONTENT_KEYS = ("texts", "frames", "clips")


@dataclass(frozen=True, slots=True)
class Footage:
    """A file of a recording in which somebody is; `path` is as the study has it."""

    recording: int
    role: str
    path: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A clip, a report or a folder that was made of a recording; its name alone is known, not where it lies.

    Attributes:
        kind: of the run: `anonymize`, `release` or `questions`.
        sha256: of a clip; "" for a folder.
    """

    recording: int = 0
    kind: str = ""
    name: str = ""
    at: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that carried something of a recording away; what was sent is known by its checksum alone."""

    at: str = ""
    host: str = ""
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawalFacts:
    """Everything that a withdrawal has to name.

    Attributes:
        study_id: of the study.
        recordings: numbers of the recordings in which they are, those that go as a whole among them.
        copies: when copies were split off or merged.
        shared_copies: copies with annotations alone; a name that tells who withdraws is left out.
        others: fingerprints of the files of recordings in which they are not.
    """

    study_id: str = ""
    recordings: tuple[int, ...] = ()
    footage: tuple[Footage, ...] = ()
    made_files: tuple[MadeFile, ...] = ()
    sent_requests: tuple[SentRequest, ...] = ()
    copies: tuple[str, ...] = ()
    shared_copies: tuple[SharedCopy, ...] = ()
    others: frozenset[str] = frozenset()


def collect_facts(connection: sqlite3.Connection, reach: SubjectScope) -> WithdrawalFacts:
    """Read what has to be named; the study still holds everything."""
    numbers = {row["id"]: int(row["number"]) for _, row in past_states(connection, ("recording",))}
    numbers |= {row["id"]: int(row["number"]) for row in live_rows(connection, "recording")}
    theirs = {recording: numbers.get(recording, 0) for recording in reach.recordings | reach.dropped}
    footage = {
        Footage(theirs[row["recording_id"]], row["role"], row["path"], row["fingerprint"])
        for rows in (live_rows(connection, "medium"), (row for _, row in past_states(connection, ("medium",))))
        for row in rows
        if row["recording_id"] in theirs
    }
    made = [
        file
        for row in live_rows(connection, "run")
        if row["recording_id"] in theirs
        for file in _made_files(row, theirs[row["recording_id"]])
    ]
    sent = [request for row in live_rows(connection, "egress") for request in _sent_requests(row, {*theirs})]
    copies = connection.execute(
        "SELECT at FROM journal_step WHERE name LIKE 'Split for %' UNION SELECT at FROM merged_copy ORDER BY at"
    )
    shared = connection.execute("SELECT value FROM property WHERE key = ?", (SHARED_PROPERTY,)).fetchone()
    return WithdrawalFacts(
        read_study_id(connection),
        tuple(sorted(number for number in theirs.values() if number)),
        tuple(sorted(footage, key=lambda file: (file.recording, file.role, file.path))),
        tuple(sorted(made, key=lambda file: (file.at, file.name))),
        tuple(_redact_host(request, reach) for request in sorted(sent, key=lambda request: request.at)),
        tuple(at for (at,) in copies),
        tuple(_redact_name(copy, reach) for copy in parse_shared_copies(shared[0] if shared else "")),
        frozenset(
            str(row["fingerprint"]) for row in live_rows(connection, "medium") if row["recording_id"] not in theirs
        ),
    )


def _redact_name(copy: SharedCopy, reach: SubjectScope) -> SharedCopy:
    return replace(copy, name="") if reach.terms.matches_text(copy.name) else copy


def _redact_host(request: SentRequest, reach: SubjectScope) -> SentRequest:
    return replace(request, host=REDACTION_MARK) if reach.terms.matches_text(request.host) else request


def _made_files(row: Row, number: int) -> Iterator[MadeFile]:
    result = parse_json(row["result"])
    if row["kind"] not in ("anonymize", "release", "questions") or not isinstance(result, dict):
        return
    name, digest = result.get("output"), result.get("sha256")
    if isinstance(name, str) and name and (row["kind"] != "release" or result.get("released")):
        yield MadeFile(number, row["kind"], name, row["finished_at"], digest if isinstance(digest, str) else "")


def _sent_requests(row: Row, theirs: set[str]) -> Iterator[SentRequest]:
    request = parse_json(row["request"])
    if row["rule"] or not isinstance(request, dict) or not any(request.get(name) for name in _CONTENT_KEYS):
        return
    others = request.get("others")
    about = {str(request.get("recording_id")), *(map(str, others) if isinstance(others, list) else ())}
    if about & theirs:
        size = request.get("size")
        yield SentRequest(
            row["at"], str(request.get("host")), size if isinstance(size, int) else 0, str(request.get("sha256"))
        )


@dataclass
class ErasedStudy:
    """A study without somebody, in memory.

    Attributes:
        path: of the file, which is as it was.
        scope: what was theirs.
        removed: what is not in it any more.
        facts: what has to be named; not of an older state.
        found: words that were taken for a name of theirs -> how often they stood in it; not of an older state.
    """

    path: Path
    memory: sqlite3.Connection
    scope: SubjectScope
    removed: ErasureCounts
    facts: WithdrawalFacts = field(default_factory=WithdrawalFacts)
    found: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def look_alikes(self) -> LookAlikeWords:
        """What stays and looks as if it were theirs; read from memory, so before it is closed."""
        return replace(find_look_alikes(self.memory, self.scope), found=self.found)

    @contextlib.contextmanager
    def prepare_rewrite(self, annotator: str, at: str) -> Iterator[RewrittenFile]:
        """Write it beside the study, with a step of the history under a name, and lend it, to be put in its place."""
        row = self.memory.execute("SELECT id FROM annotator WHERE name = ?", (annotator,)).fetchone()
        record_withdrawal(self.memory, self.scope, None if row is None else str(row[0]), at)
        with prepare_rewrite(self.memory, self.path) as rewritten:
            yield rewritten

    def close(self) -> None:
        """Discard the study in memory."""
        self.memory.close()


def prepare_erasure(
    path: Path,
    pseudonym: str,
    words: Sequence[str] = (),
    *,
    drop: bool = False,
    keep: Sequence[str] = (),
    finder: PersonalFinder = find_contact_strings,
) -> ErasedStudy:
    """Prepare a withdrawal in memory, without writing anything. For `words` and what follows, see `build_scope`."""
    path = resolve_path(path)
    memory = load_into_memory(path)
    try:
        people = _find_participants(memory, pseudonym)
        reach = build_scope(memory, people, words=words, drop=drop, keep=keep, finder=finder)
        facts, found = collect_facts(memory, reach), matched_words(memory, reach.terms)
        return ErasedStudy(path, memory, reach, erase_subject(memory, reach), facts, found)
    except BaseException:
        memory.close()
        raise


def _find_participants(memory: sqlite3.Connection, pseudonym: str) -> list[str]:
    wanted = " ".join(pseudonym.split())
    rows = memory.execute("SELECT id, pseudonym FROM participant ORDER BY pseudonym").fetchall()
    found = [row[0] for row in rows if row[1] == wanted]
    if not found:
        raise unknown_name("participant", wanted, [row[1] for row in rows])
    return found


def find_older_states(path: Path) -> list[Path]:
    """Return the files beside a study that hold older states of it: backups, and what a killed process left.

    What a link leads to is no part of it: a study may come from a stranger, and these files are erased.
    """
    path = resolve_path(path)
    left = [place for place in path.parent.iterdir() if place.name.startswith(f".{path.name}.") and place != path]
    left += [
        place
        for place in path.parent.glob(f".{escape(path.stem)}.*/copy*")
        if place.is_file() and not place.parent.is_symlink()
    ]
    own = [place for place in left if not place.is_symlink()]
    inside = [file for place in own for file in ([*place.rglob("*")] if place.is_dir() else [place])]
    unfinished = [place for place in sorted(inside) if place.is_file() and not place.is_symlink()]
    return [*backup_paths(path), *upgrade_copies(path), *unfinished]


@dataclass(frozen=True, slots=True)
class StudyCopy:
    """A file that is a copy of a study (`is_certain`), or may be one: it is encrypted or damaged, so it is unknown."""

    path: Path
    is_certain: bool


def find_copies(path: Path, study_id: str, opened: Iterable[Path] = ()) -> list[StudyCopy]:
    """Return the copies of a study, with files that may be copies: nobody can tell whose study is in an encrypted one.

    An encrypted file is opened where its passphrase is known already; nobody is asked for it.
    """
    path = resolve_path(path)
    older = find_older_states(path)
    known = {path, *older}
    folders = dict.fromkeys((path.parent, *(backup_path.parent for backup_path in backup_paths(path))))
    near = [
        file
        for folder in folders
        for pattern in ("*", "*/*", "*/*/*")
        for file in sorted(folder.glob(pattern))
        if not file.is_symlink()
    ]
    found = []
    for file in dict.fromkeys(file for file in (*near, *map(resolve_path, opened)) if file not in known):
        if _looks_like_study(file) and (same := is_copy(file, study_id)) is not False:
            found.append(StudyCopy(file, bool(same)))
    return found


def is_copy(path: Path, study_id: str) -> bool | None:
    """Tell whether a file is a state of a study; None where it cannot be read."""
    if is_encrypted(path):
        try:
            obtain_key(path, ask=False)
        except UserError:
            return None
    try:
        with Study.open(path, read_only=True) as found:
            return found.id == study_id
    except (UserError, OSError):
        return None


def _looks_like_study(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    if starts_encrypted(header):
        return True
    return header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def unreadable_reason(path: Path, study: Path) -> str:
    """Return why nobody can be taken out of an older state of a study; "" where it can be read, or is erased anyhow."""
    if is_unfinished(path, study):
        return ""
    try:
        require_readable(path)
    except UserError as error:
        return error.message
    return ""


class Unreadable(UserError):
    """An older state of a study cannot be read, so nobody can be taken out of it."""


def prepare_older_state(path: Path, now: SubjectScope) -> ErasedStudy:
    """Prepare an older state of a study without somebody, in memory.

    They may not have been found there yet in a recording that is theirs by the scope of now.
    """
    try:
        memory = load_into_memory(path)
    except UserError as error:
        raise Unreadable(error.message, error.hint) from None
    try:
        with _unsound_is_unreadable(path):
            reach = now.in_other_state(memory)
            return ErasedStudy(path, memory, reach, erase_subject(memory, reach))
    except BaseException:
        memory.close()
        raise


@contextlib.contextmanager
def _unsound_is_unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, sqlite3.Error) as error:
        raise Unreadable(f"“{escape_unprintable(path.name)}” is damaged: {error}.") from None


def erase_from_older_state(path: Path, now: SubjectScope, at: str, *, erase: bool = False) -> str:
    """Erase a person from an older state of a study; what cannot be read goes where `erase` says so.

    Returns:
        `rewritten`, `erased unread`, or `clean` where there was nothing of theirs in it.

    Raises:
        OSError: it cannot be written, and is as it was.
    """
    status = path.stat()
    try:
        with contextlib.closing(prepare_older_state(path, now)) as older, _unsound_is_unreadable(path):
            if older.removed.is_empty:
                return "clean"
            with older.prepare_rewrite("", at) as rewritten:
                rewritten.publish()
    except Unreadable:
        if not erase:
            raise
        shred_file(path)
        return "erased unread"
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return "rewritten"


def is_unfinished(path: Path, study: Path) -> bool:
    """Tell whether an older state is what a killed process left, which is erased as a whole."""
    return path.name.startswith(".") or path.parent != study.parent
