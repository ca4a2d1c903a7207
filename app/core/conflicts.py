"""Conflicts in words: what they are about, and where the two versions differ."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import Any

from app.core.session import Session
from project.merging.resolving import present_version
from project.queries.annotators import all_annotators
from project.queries.conflicts import Conflict, Version
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.queries.segments import segment
from project.queries.word_times import words_from_json
from project.timebase import SECOND, format_time
from project.types import Json, Participant

NOTHING = "—"
_HIDDEN = frozenset({"id", "segment_id", "version", "scheme"})
_UTTERANCE = {
    "participant_id": "speaker",
    "words": "times of words",
    "checked": "checked",
    "suggested": "speaker is a guess",
}
_LONGEST = 40
"""Letters of an utterance that its title shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in both versions, in words."""

    name: str
    ours: str
    theirs: str

    @property
    def differs(self) -> bool:
        """Whether the two versions say something else."""
        return self.ours != self.theirs


@dataclass(frozen=True, slots=True)
class Described:
    """A conflict in words.

    Attributes:
        title: what it is about.
        source: whose the other version is.
        lines: both versions side by side; `ours` is what the study has now.
        deleted: `ours` or `theirs` where one side deleted it, else "".
        resolution: `ours` or `theirs`, once somebody chose.
    """

    id: str
    title: str
    source: str
    lines: tuple[Line, ...]
    deleted: str
    resolution: str | None

    @property
    def differing(self) -> tuple[Line, ...]:
        """The lines in which the versions differ."""
        return tuple(line for line in self.lines if line.differs)

    def as_json(self) -> Json:
        """Return it as an object."""
        return {
            "id": self.id,
            "about": self.title,
            "source": self.source,
            "deleted": self.deleted or None,
            "resolution": self.resolution,
            "differences": [{"name": one.name, "ours": one.ours, "theirs": one.theirs} for one in self.differing],
        }


def described(session: Session, conflict: Conflict) -> Described:
    """Put a conflict into words."""
    words = _Words(session)
    ours = present_version(session.study, conflict) if conflict.resolution is None else conflict.ours
    theirs = conflict.theirs
    left, right = words.of(ours), words.of(theirs)
    if left.get("text") != right.get("text"):
        # Other words have other times: that says nothing more.
        for side in (left, right):
            side.pop(_UTTERANCE["words"], None)
    lines = tuple(Line(name, left.get(name, NOTHING), right.get(name, NOTHING)) for name in {**left, **right})
    deleted = "ours" if ours is None else "theirs" if theirs is None else ""
    return Described(
        conflict.id,
        words.title(conflict, ours, theirs),
        conflict.source,
        lines,
        deleted,
        conflict.resolution,
    )


class _Words:
    def __init__(self, session: Session) -> None:
        study = session.study
        self._study = study
        self._names = {one.id: one.name for one in all_annotators(study)}
        self._names |= _told_apart(all_participants(study))
        self._names |= {one.id: f"recording {one.number}" for one in all_recordings(study)}

    def title(self, conflict: Conflict, ours: Version | None, theirs: Version | None) -> str:
        """Say what a conflict is about."""
        rows = (ours or theirs or {}).get(conflict.table, [{}])
        row = rows[0] if rows else {}
        match conflict.table:
            case "segment":
                return f"Segment of {self._name(row.get('annotator_id'))}, {self._where(row)}"
            case "segment_value":
                return f"{str(conflict.key[3]).capitalize()} of a segment, {self._segment(str(conflict.key[0]))}"
            case "utterance":
                return f"Utterance “{shorten(str(row.get('text', '')), _LONGEST, placeholder='…')}”, {self._where(row)}"
            case "property":
                return f"Study: {conflict.key[0]}"
            case "recording" | "participant" | "collection":
                name = row.get("name") or row.get("pseudonym") or ""
                return f"{conflict.table.capitalize()} {name}"
            case _:
                names = ", ".join(self._name(part) for part in conflict.key)
                return f"{conflict.table.replace('_', ' ').capitalize()}: {names}"

    def of(self, version: Version | None) -> dict[str, str]:
        """Return name -> text of everything a version says."""
        found: dict[str, str] = {}
        for table, rows in (version or {}).items():
            for row in rows:
                if table == "segment_value":
                    found[str(row["field"])] = _plain(row["value"])
                    continue
                for column in (one for one in row if one not in _HIDDEN):
                    if table == "utterance" and column in _UTTERANCE:
                        found[_UTTERANCE[column]] = self._of_utterance(column, row[column])
                        continue
                    name = column.removesuffix("_us").removesuffix("_id").replace("_", " ")
                    found[name] = self._text(column, row[column])
        return found

    def _text(self, column: str, value: Any) -> str:
        if value is None:
            return NOTHING
        if column.endswith("_us"):
            return format_time(int(value))
        if column == "value":
            return _plain(value)
        return self._name(value)

    def _of_utterance(self, column: str, value: Any) -> str:
        if column == "words":
            return " ".join(f"{word.start_us / SECOND:.2f}" for word in words_from_json(value)) or NOTHING
        return self._text(column, value) if column == "participant_id" else "yes" if value else "no"

    def _name(self, value: Any) -> str:
        return self._names.get(str(value), str(value))

    def _segment(self, segment_id: str) -> str:
        found = segment(self._study, segment_id)
        return "which is gone" if found is None else self._where(asdict(found))

    def _where(self, row: dict[str, Any]) -> str:
        if "start_us" not in row:
            return "which is gone"
        return f"{self._name(row.get('recording_id'))}, at {format_time(int(row['start_us']))}"


def _told_apart(people: Sequence[Participant]) -> dict[str, str]:
    """Return what participants are called; those whom two people gave the same pseudonym are numbered."""
    called: dict[str, list[str]] = {}
    for one in people:
        called.setdefault(one.pseudonym, []).append(one.id)
    return {
        key: name if len(ids) == 1 else f"{name} ({number} of {len(ids)} with this pseudonym)"
        for name, ids in called.items()
        for number, key in enumerate(ids, 1)
    }


def _plain(text: Any) -> str:
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return str(text)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
