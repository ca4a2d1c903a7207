"""What a study says about footage, clips, copies and requests that a withdrawal has to name, read before it is done."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace

from project.sharing.noted import KEY as SHARED
from project.sharing.noted import SharedCopy, shared_copies
from project.withdrawing.reach import Reach
from project.withdrawing.rows import Row, live_rows, past_states

_SENT = ("texts", "frames", "clips")


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

    recording: int
    kind: str
    name: str
    at: str
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that carried something of a recording away; what was sent is known by its checksum alone."""

    at: str
    host: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Facts:
    """All of it.

    Attributes:
        study_id: of the study.
        recordings: numbers of the recordings in which they are, those that go as a whole among them.
        copies: when copies were split off or merged.
        shared: copies with annotations alone; a name that tells who withdraws is left out.
        others: fingerprints of the files of recordings in which they are not.
    """

    study_id: str
    recordings: tuple[int, ...]
    footage: tuple[Footage, ...]
    made: tuple[MadeFile, ...]
    sent: tuple[Sent, ...]
    copies: tuple[str, ...]
    shared: tuple[SharedCopy, ...] = ()
    others: frozenset[str] = frozenset()


def facts_of(connection: sqlite3.Connection, reach: Reach) -> Facts:
    """Read what has to be named; the study still holds everything."""
    numbers = {row["id"]: int(row["number"]) for _, row in past_states(connection, ("recording",))}
    numbers |= {row["id"]: int(row["number"]) for row in live_rows(connection, "recording")}
    theirs = {one: numbers.get(one, 0) for one in reach.recordings | reach.dropped}
    footage = {
        Footage(theirs[row["recording_id"]], row["role"], row["path"], row["fingerprint"])
        for rows in (live_rows(connection, "medium"), (row for _, row in past_states(connection, ("medium",))))
        for row in rows
        if row["recording_id"] in theirs
    }
    made = [
        one
        for row in live_rows(connection, "run")
        if row["recording_id"] in theirs
        for one in _made(row, theirs[row["recording_id"]])
    ]
    sent = [one for row in live_rows(connection, "egress") for one in _sent(row, {*theirs})]
    copies = {
        row[0]
        for row in connection.execute(
            "SELECT at FROM journal_step WHERE name LIKE 'Split for %' UNION SELECT at FROM merged_copy"
        )
    }
    return Facts(
        str(_read(_property(connection, "id")) or ""),
        tuple(sorted(number for number in theirs.values() if number)),
        tuple(sorted(footage, key=lambda one: (one.recording, one.role, one.path))),
        tuple(sorted(made, key=lambda one: (one.at, one.name))),
        tuple(sorted(sent, key=lambda one: one.at)),
        tuple(sorted(copies)),
        tuple(_nameless(one, reach) for one in shared_copies(_property(connection, SHARED))),
        frozenset(
            str(row["fingerprint"]) for row in live_rows(connection, "medium") if row["recording_id"] not in theirs
        ),
    )


def _property(connection: sqlite3.Connection, key: str) -> str:
    found = connection.execute("SELECT value FROM property WHERE key = ?", (key,)).fetchone()
    return str(found[0]) if found else ""


def _nameless(copy: SharedCopy, reach: Reach) -> SharedCopy:
    return replace(copy, name="") if reach.wording.in_text(copy.name) else copy


def _made(row: Row, number: int) -> Iterator[MadeFile]:
    result = _read(row["result"])
    if row["kind"] not in ("anonymize", "release", "questions") or not isinstance(result, dict):
        return
    name, digest = result.get("output"), result.get("sha256")
    if isinstance(name, str) and name and (row["kind"] != "release" or result.get("released")):
        yield MadeFile(number, row["kind"], name, row["finished_at"], digest if isinstance(digest, str) else "")


def _sent(row: Row, theirs: set[str]) -> Iterator[Sent]:
    request = _read(row["request"])
    if row["rule"] or not isinstance(request, dict) or not any(request.get(name) for name in _SENT):
        return
    others = request.get("others")
    about = {str(request.get("recording_id")), *(map(str, others) if isinstance(others, list) else ())}
    if about & theirs:
        size = request.get("size")
        yield Sent(
            row["at"], str(request.get("host")), size if isinstance(size, int) else 0, str(request.get("sha256"))
        )


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
