"""Describes the results and conflicts of a merge, as text for people and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import Any

from annotate.team.study_copies import MergedCopy
from benchmark.questions.filter_rules import step_of_property
from project.entities.study_records import Json, Participant
from project.errors import UserError
from project.merging.conflict_resolution import present_version
from project.queries.annotator_rows import annotator_names
from project.queries.chain_rows import find_chain, find_node
from project.queries.history_rows import Conflict, Version
from project.queries.judgment_rows import all_judges
from project.queries.question_rows import find_question
from project.queries.recording_rows import all_participants, all_recordings
from project.queries.segment_rows import find_segment
from project.schema.tables import TABLES
from project.schemes.scheme import Scheme
from project.session.session import Session
from project.store.column_values import words_from_json
from project.timebase import SECOND_US, format_time

NOTHING = "—"
TIMES_OF_WORDS = "times of words"
_HIDDEN = frozenset({"id", "segment_id", "version", "scheme"})
_HIDDEN_TOO = {
    "question": frozenset({"made_from", "seed", "judgment_id", "at"}),
    "verification": frozenset({"state", "at"}),
    "chain_review": frozenset({"state", "at"}),
}
"""Table -> columns that are not shown."""
_UTTERANCE = {
    "participant_id": "speaker",
    "words": TIMES_OF_WORDS,
    "checked": "checked",
    "suggested": "speaker is a guess",
}
_MAX_TITLE_CHARS = 40
"""Characters of a text in a title."""


class ConflictWords:
    """Describes conflicts and their versions in words.

    Labels, fields and choices are shown by name, or with `keys` by key, for programs.
    """

    def __init__(self, session: Session, *, keys: bool = False) -> None:
        self._study = study = session.study
        self._schemes = None if keys else session.schemes
        self._names = annotator_names(study)
        self._names |= {judge.id: judge.name for judge in all_judges(study)}
        self._names |= _name_participants(all_participants(study))
        self._names |= {recording.id: f"recording {recording.number}" for recording in all_recordings(study)}

    def title(self, conflict: Conflict, ours: Version | None, theirs: Version | None) -> str:
        """Return the title of a conflict."""
        rows = (ours or theirs or {}).get(conflict.table, [{}])
        row = rows[0] if rows else {}
        key = [str(part) for part in conflict.key]
        match conflict.table:
            case "segment":
                return f"Segment of {self._name(row.get('annotator_id'))}, {self._where(row)}"
            case "segment_value":
                return f"{self._field(key[1], key[3])} of a segment, {self._segment(key[0])}"
            case "utterance" | "question":
                return f"{conflict.table.capitalize()} {_quote(row.get('text'))}, {self._where(row)}"
            case "property":
                step = step_of_property(key[0])
                return f"Study: {key[0]}" if step is None else f"Filter of questions: {step.name.lower()}"
            case "chain":
                return f"Chain {_quote(row.get('name'))}"
            case "chain_node":
                return f"Node {_quote(row.get('text'))} of the chain {self._chain(row.get('chain_id'))}"
            case "chain_person":
                return f"Characters of the node {self._node(key[0])}: {self._name(key[1])}"
            case "chain_edge":
                return f"Edge of a chain: {self._node(row.get('reason_id'))} to {self._node(row.get('result_id'))}"
            case "chain_review":
                return f"Review of the chain {self._chain(key[0])} by {self._name(key[1])}"
            case "verification":
                return f"Verification of the question {self._question(key[0])} by {self._name(key[1])}"
            case "consent":
                return f"Consent of {self._name(key[0])} to: {key[1]}"
            case "waiver":
                where = self._name(row["recording_id"]) if row.get("recording_id") else "the study"
                return f"Waiver of the rule {row.get('rule', NOTHING)}, {where}"
            case "public_word" | "private_word":
                return f"{'Kept' if conflict.table == 'public_word' else 'Hidden'} everywhere: {_quote(key[0])}"
            case "episode":
                return f"Episode: {self._name(key[0])}"
            case "episode_agent":
                return f"Agent {row.get('name') or key[1]} of an episode, {self._name(key[0])}"
            case "recording" | "participant" | "collection" | "character" | "scenario":
                name = row.get("name") or row.get("pseudonym") or ""
                return f"{conflict.table.capitalize()} {name}"
            case _:
                names = ", ".join(self._name(part) for part in key)
                return f"{conflict.table.replace('_', ' ').capitalize()}: {names}"

    def version_texts(self, version: Version | None) -> dict[str, str]:
        """Return name -> text of all values of a version."""
        found: dict[str, str] = {}
        for table, rows in (version or {}).items():
            hidden = _HIDDEN | _HIDDEN_TOO.get(table, frozenset())
            for row in rows:
                if table == "segment_value":
                    found[self._field(row["scheme"], row["field"])] = self._chosen(row)
                elif table == "property" and (parts := _parts(row.get("value"))):
                    found |= {name.replace("_", " "): self._told(value) for name, value in parts.items()}
                else:
                    titled = row | self._titles(row) if table == "segment" else row
                    found |= dict(self._column(table, name, titled[name]) for name in row if name not in hidden)
        return found

    def _titles(self, row: dict[str, Any]) -> dict[str, str]:
        """Return the names of track and label of a segment."""
        scheme = self._scheme(row["scheme"])
        if scheme is None:
            return {}
        return {
            "track": scheme.track_or_empty(row["track"]).name,
            "label": scheme.label_name(row["track"], row["label"]),
        }

    def _scheme(self, key: str) -> Scheme | None:
        return None if self._schemes is None else self._schemes.find(key)

    def _field(self, scheme: str, key: str) -> str:
        known = self._scheme(scheme)
        return known.field_name(key) if known is not None else key

    def _chosen(self, row: dict[str, Any]) -> str:
        """Return the value of a field, with names of choices."""
        scheme, value = self._scheme(row["scheme"]), _parse_json(row["value"])
        if scheme is None:
            return self._told(value)
        if isinstance(value, list):
            return ", ".join(scheme.choice_name(row["field"], str(choice)) for choice in value)
        return self._told(scheme.choice_name(row["field"], value) if isinstance(value, str) else value)

    def _column(self, table: str, column: str, value: Any) -> tuple[str, str]:
        if table == "utterance" and column in _UTTERANCE:
            return _UTTERANCE[column], self._of_utterance(column, value)
        name = column.removesuffix("_us").removesuffix("_id").replace("_", " ")
        if table == "question" and column == "wrong":
            return "wrong options", self._plain(value)
        if table == "question" and column == "covers":
            return name, "; ".join(self._node(item) for item in _items(value)) or NOTHING
        if table == "verification" and column == "checks":
            return name, self._plain(value) or NOTHING
        return name, self._text(column, value)

    def _text(self, column: str, value: Any) -> str:
        if value is None:
            return NOTHING
        if column.endswith("_us"):
            return format_time(int(value))
        if column == "value":
            return self._plain(value)
        if column in ("chain_id", "based_on"):
            return self._chain(value)
        if column in ("node_id", "reason_id", "result_id"):
            return self._node(value)
        return self._question(value) if column == "question_id" else self._name(value)

    def _of_utterance(self, column: str, value: Any) -> str:
        if column == "words":
            return " ".join(f"{word.start_us / SECOND_US:.2f}" for word in words_from_json(value)) or NOTHING
        return self._text(column, value) if column == "participant_id" else "yes" if value else "no"

    def _name(self, value: Any) -> str:
        return self._names.get(str(value), str(value))

    def _chain(self, chain_id: Any) -> str:
        found = find_chain(self._study, str(chain_id)) if chain_id else None
        return NOTHING if not chain_id else "that is gone" if found is None else _quote(found.name)

    def _node(self, node_id: Any) -> str:
        found = find_node(self._study, str(node_id))
        return "a node that is gone" if found is None else _quote(found.text)

    def _question(self, question_id: Any) -> str:
        try:
            found = find_question(self._study, str(question_id))
        except UserError:
            return "that is damaged"
        return "that is gone" if found is None else _quote(found.text)

    def _segment(self, segment_id: str) -> str:
        found = find_segment(self._study, segment_id)
        return "which is gone" if found is None else self._where(asdict(found))

    def _where(self, row: dict[str, Any]) -> str:
        if "start_us" not in row:
            return "which is gone"
        return f"{self._name(row.get('recording_id'))}, at {format_time(int(row['start_us']))}"

    def _plain(self, text: Any) -> str:
        return self._told(_parse_json(text))

    def _told(self, value: Any) -> str:
        """Return a JSON value as text; for a wrong option, which is a list that begins with its text, only that."""
        match value:
            case bool():
                return "yes" if value else "no"
            case [[str(), *_], *_]:
                return "; ".join(str(option[0]) for option in value if option)
            case list():
                return ", ".join(self._name(entry) for entry in value)
            case dict():
                return ", ".join(f"{key}: {self._told(entry)}" for key, entry in value.items())
            case _:
                return self._name(value)


def _name_participants(people: Sequence[Participant]) -> dict[str, str]:
    """Return participant id -> pseudonym; equal pseudonyms are numbered."""
    called: dict[str, list[str]] = {}
    for person in people:
        called.setdefault(person.pseudonym, []).append(person.id)
    return {
        key: name if len(ids) == 1 else f"{name} ({number} of {len(ids)} with this pseudonym)"
        for name, ids in called.items()
        for number, key in enumerate(ids, 1)
    }


def _quote(text: Any) -> str:
    return f"“{shorten(str(text or ''), _MAX_TITLE_CHARS, placeholder='…')}”"


def _parts(text: Any) -> dict[str, Any]:
    """Return the value of a property if it is an object; else {}."""
    found = _parse_json(text)
    return found if isinstance(found, dict) else {}


def _items(text: Any) -> list[Any]:
    found = _parse_json(text)
    return found if isinstance(found, list) else []


def _parse_json(text: Any) -> Any:
    """Parse a JSON value; returns the text itself if it is none."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


@dataclass(frozen=True, slots=True)
class ConflictLine:
    """One value in both versions, as text."""

    name: str
    ours: str
    theirs: str

    @property
    def differs(self) -> bool:
        """Whether the two versions differ."""
        return self.ours != self.theirs


@dataclass(frozen=True, slots=True)
class ConflictDescription:
    """A conflict as text.

    Attributes:
        title: what it is about.
        source: whose the other version is.
        lines: both versions side by side; `ours` is the present one.
        deleted: the side that deleted it, `ours` or `theirs`, else "".
        resolution: `ours` or `theirs`; None while it is open.
    """

    id: str
    title: str
    source: str
    lines: tuple[ConflictLine, ...]
    deleted: str
    resolution: str | None

    @property
    def differing(self) -> tuple[ConflictLine, ...]:
        """The lines in which the versions differ."""
        return tuple(line for line in self.lines if line.differs)

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return {
            "id": self.id,
            "about": self.title,
            "source": self.source,
            "deleted": self.deleted or None,
            "resolution": self.resolution,
            "differences": [
                {"name": conflict_line.name, "ours": conflict_line.ours, "theirs": conflict_line.theirs}
                for conflict_line in self.differing
            ],
        }


def describe_conflict(session: Session, conflict: Conflict, *, keys: bool = False) -> ConflictDescription:
    """Describe a conflict; with `keys`, labels, fields and choices are shown by key, for programs."""
    words = ConflictWords(session, keys=keys)
    ours = present_version(session.study, conflict) if conflict.resolution is None else conflict.ours
    theirs = conflict.theirs
    left, right = words.version_texts(ours), words.version_texts(theirs)
    if left.get("text") != right.get("text"):
        # The times of words always differ if the text does, so they are left out.
        for side in (left, right):
            side.pop(TIMES_OF_WORDS, None)
    lines = tuple(ConflictLine(name, left.get(name, NOTHING), right.get(name, NOTHING)) for name in {**left, **right})
    deleted = "ours" if ours is None else "theirs" if theirs is None else ""
    return ConflictDescription(
        conflict.id,
        words.title(conflict, ours, theirs),
        conflict.source,
        lines,
        deleted,
        conflict.resolution,
    )


def merge_json(done: Sequence[MergedCopy]) -> dict[str, Json]:
    """Return the results of a merge as JSON, one object for each copy."""
    return {
        "copies": [
            {
                "copy": str(merged_copy.path),
                "source": merged_copy.merged.source,
                "nothing_new": merged_copy.merged.is_empty,
                "tables": {
                    table: {"added": came.added, "changed": came.changed, "removed": came.removed}
                    for table, came in merged_copy.merged.tables.items()
                },
                "conflicts": merged_copy.merged.conflicts,
                "introduced": [*merged_copy.merged.introduced],
                "renumbered": dict(merged_copy.merged.renumbered),
                "renamed": dict(merged_copy.merged.renamed),
            }
            for merged_copy in done
        ]
    }


def merge_report_text(done: Sequence[MergedCopy], unresolved: int, *, dry_run: bool = False) -> str:
    """Return the results of a merge as lines of text."""
    lines: list[str] = []
    for merged_copy in done:
        if merged_copy.merged.is_empty:
            lines.append(f"{merged_copy.path.name}: nothing new")
            continue
        lines.append(
            f"{merged_copy.path.name}: {'would bring' if dry_run else 'brought'} the work of "
            f"{merged_copy.merged.source}"
        )
        for table, came in merged_copy.merged.tables.items():
            counts = ((came.added, "added"), (came.changed, "changed"), (came.removed, "removed"))
            count_texts = ", ".join(f"{count} {what}" for count, what in counts if count)
            lines.append(f"  {TABLES[table].label if table in TABLES else table}: {count_texts}")
        lines += [f"  {name} is recording {number} here" for name, number in merged_copy.merged.renumbered.items()]
        lines += [f"  the judge {name} is called {own} here" for name, own in merged_copy.merged.renamed.items()]
        if merged_copy.merged.conflicts:
            lines.append(f"  conflicts: {merged_copy.merged.conflicts}")
    if unresolved:
        lines.append(f"{unresolved} conflicts wait for you: greenroom study conflicts STUDY")
    return "\n".join(lines)
