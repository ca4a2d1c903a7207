"""Reads every free text of a study with its place and time, for the search and for finding personal information."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from project.entities.study_records import Json
from project.errors import UserError
from project.queries.episode_rows import PROFILE_COLUMNS
from project.queries.question_rows import VISIBLE_QUESTION
from project.queries.study_schemes import version_text
from project.schemes.scheme import FieldKind
from project.schemes.scheme_file import load_scheme, parse_scheme
from project.store.study import Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS

SEGMENT_TABLES = frozenset({"segment_value", "comment", "review"})
"""Tables whose texts are about segments."""
CHAIN_TABLES = frozenset({"chain", "chain_node", "question"})
"""Tables whose texts are of chains, or of questions that were made from one."""


@dataclass(frozen=True, slots=True)
class TextLocation:
    """Where a text stands.

    Attributes:
        table: of the study; for those of `SEGMENT_TABLES` the subject is the segment.
        subject: id of what the text is about, as `Changes` names it.
        field: the form's field, or the table's column.
    """

    table: str
    subject: str
    field: str


Found = Iterator[tuple[TextLocation, str]]


class Texts:
    """Reads the texts of one study."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._kinds: dict[tuple[str, int], dict[str, FieldKind]] = {}
        self._readers: dict[str, Callable[[Sequence[str]], Found]] = {
            "segment_value": self._values,
            "comment": lambda ids: self._columns("comment", "segment_id", ("text",), ids),
            "review": lambda ids: self._columns("review", "segment_id", ("note",), ids),
            "utterance": lambda ids: self._columns("utterance", "id", ("text",), ids),
            "recording": lambda ids: self._columns("recording", "id", ("name",), ids),
            "collection": lambda ids: self._columns("collection", "id", ("name", "agent_context"), ids),
            "participant": lambda ids: self._columns("participant", "id", ("pseudonym", "note"), ids),
            "chain": lambda ids: self._columns("chain", "id", ("name",), ids),
            "chain_node": lambda ids: self._columns("chain_node", "id", ("text",), ids),
            "question": lambda ids: self._columns("question", "id", ("text", "answer", "explanation"), ids),
        }

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that have texts."""
        return tuple(self._readers)

    def subjects(self, table: str) -> list[str]:
        """Return what the texts of a table are about, in the order in which it was made."""
        column = "segment_id" if table in SEGMENT_TABLES else "id"
        return [
            row[0]
            for row in self._study.rows(
                f"SELECT DISTINCT {column} FROM {table} WHERE {_visibility_condition(table)} ORDER BY 1"
            )
        ]

    def read(self, table: str, subjects: Sequence[str]) -> Found:
        """Read the texts about some subjects; those that are gone are left out."""
        return self._readers[table](subjects)

    def clear_scheme_cache(self) -> None:
        """Reload the study's schemes when they are next needed."""
        self._kinds.clear()

    def _columns(self, table: str, key: str, columns: Sequence[str], ids: Sequence[str]) -> Found:
        rows = self._study.rows(
            f"SELECT {key}, {', '.join(columns)} FROM {table} "
            f"WHERE {key} IN ({_placeholders(ids)}) AND {_visibility_condition(table)} "
            "ORDER BY 1",
            ids,
        )
        for subject, *cells in rows:
            for column, text in zip(columns, cells, strict=True):
                if text:
                    yield TextLocation(table, subject, column), text

    def _values(self, ids: Sequence[str]) -> Found:
        rows = self._study.rows(
            f"SELECT v.segment_id, v.scheme, v.version, v.field, v.value FROM {VISIBLE_SEGMENTS} s "
            "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
            f"WHERE s.id IN ({_placeholders(ids)}) ORDER BY v.segment_id, v.version, v.field",
            ids,
        )
        newest = {(segment, field): (scheme, version, value) for segment, scheme, version, field, value in rows}
        for (segment, field), (scheme, version, value) in newest.items():
            if value.startswith('"') and self._is_text(scheme, version, field):
                yield TextLocation("segment_value", segment, field), json.loads(value)

    def _is_text(self, scheme: str, version: int, field: str) -> bool:
        if (scheme, version) not in self._kinds:
            self._kinds[scheme, version] = self._kinds_of(scheme, version)
        return self._kinds[scheme, version].get(field, FieldKind.TEXT) is FieldKind.TEXT

    def _kinds_of(self, key: str, version: int) -> dict[str, FieldKind]:
        kept = version_text(self._study, key, version)
        try:
            scheme = load_scheme(key) if kept is None else parse_scheme(kept, key)
        except UserError:
            return {}
        return {field.key: field.kind for field in scheme.fields}


def _visibility_condition(table: str) -> str:
    """Return the condition under which a row of a table is seen."""
    if table in SEGMENT_TABLES:
        return f"segment_id IN (SELECT id FROM {VISIBLE_SEGMENTS})"
    if table in CHAIN_TABLES:
        chain = "id" if table == "chain" else "chain_id"
        return f"({chain} IS NULL OR {chain} IN (SELECT id FROM {VISIBLE_CHAINS}))"
    if table in ("recording", "utterance"):
        return f"{'id' if table == 'recording' else 'recording_id'} IN (SELECT id FROM {VISIBLE_RECORDINGS})"
    return "TRUE"


def _placeholders(ids: Sequence[str]) -> str:
    return ", ".join("?" * len(ids))


WRONG_OPTION_PREFIX = "wrong_"
"""What the field of a wrong option begins with; its number follows, from 1."""
BOND_PREFIX = "bond_"
"""What the field of a story of a character begins with; its number follows, from 1."""
GOAL_PREFIX = "goal_"
"""What the field of a goal of a scenario begins with; its number follows, from 1."""
QUOTED = frozenset(
    {
        *("chain", "chain_node", "question", "look", "summary", "contradiction"),
        *("character", "scenario", "episode", "episode_agent"),
    }
)
"""Tables whose texts are told in pieces, with other names, or inside other texts."""
_CHUNK = 900


@dataclass(frozen=True, slots=True)
class FreeText:
    """One text that somebody wrote or a model heard.

    Attributes:
        table: where it is kept.
        row: id of its row; of a value, of its segment; of a note of a review, what it is about and the reviewer; of a
            look, recording and participant; of a summary or an episode, the recording; of an agent of an episode,
            recording and position.
        field: the form's field, or the table's column; of a wrong option `wrong_1` and on, of a look its kind, of a
            summary what it was made from.
        text: as it stands there.
        recording_id: that it belongs to, or None where it belongs to the study as a whole.
        start_us: where on the recording; 0 for the recording as a whole.
        end_us: end of what it is about; equal to `start_us` for the recording as a whole.
    """

    table: str
    row: str
    field: str
    text: str
    recording_id: str | None = None
    start_us: int = 0
    end_us: int = 0


def free_texts(study: Study) -> Iterator[FreeText]:
    """Yield the texts of what is seen: those of each recording by time, in the order of recordings, then the others."""
    found = [*_utterances(study), *_values(study), *_comments(study), *_reviews(study), *_names(study)]
    found += [*_chains(study), *_questions(study), *_meta(study), *_episodes(study)]
    numbers = {row[0]: row[1] for row in study.rows("SELECT id, number FROM recording")}
    last = max(numbers.values(), default=0) + 1
    yield from sorted(
        found,
        key=lambda free_text: (
            numbers.get(free_text.recording_id or "", last),
            free_text.start_us,
            free_text.table,
            free_text.row,
            free_text.field,
        ),
    )


def _utterances(study: Study) -> Iterator[FreeText]:
    for row, recording, start, end, text in study.rows(
        "SELECT id, recording_id, start_us, end_us, text FROM utterance "
        f"WHERE recording_id IN (SELECT id FROM {VISIBLE_RECORDINGS})"
    ):
        yield FreeText("utterance", row, "text", text, recording, start, end)


def _values(study: Study) -> Iterator[FreeText]:
    spans = {
        row[0]: row[1:] for row in study.rows(f"SELECT id, recording_id, start_us, end_us FROM {VISIBLE_SEGMENTS}")
    }
    texts = Texts(study)
    ids = texts.subjects("segment_value")
    for first in range(0, len(ids), _CHUNK):
        for place, text in texts.read("segment_value", ids[first : first + _CHUNK]):
            if place.subject in spans:
                yield FreeText("segment_value", place.subject, place.field, text, *spans[place.subject])


def _comments(study: Study) -> Iterator[FreeText]:
    for row, text, recording, start, end in study.rows(
        "SELECT c.id, c.text, s.recording_id, s.start_us, s.end_us "
        f"FROM comment c JOIN {VISIBLE_SEGMENTS} s ON s.id = c.segment_id"
    ):
        yield FreeText("comment", row, "text", text, recording, start, end)


def _reviews(study: Study) -> Iterator[FreeText]:
    for segment, reviewer, text, recording, start, end in study.rows(
        "SELECT r.segment_id, r.reviewer_id, r.note, s.recording_id, s.start_us, s.end_us "
        f"FROM review r JOIN {VISIBLE_SEGMENTS} s ON s.id = r.segment_id WHERE r.note <> ''"
    ):
        yield FreeText("review", f"{segment}/{reviewer}", "note", text, recording, start, end)


def _chains(study: Study) -> Iterator[FreeText]:
    here: dict[str, str] = {}
    for row, name, recording in study.rows(f"SELECT id, name, recording_id FROM {VISIBLE_CHAINS}"):
        here[row] = recording
        yield FreeText("chain", row, "name", name, recording)
    for row, chain, text, start, end in study.rows(
        "SELECT id, chain_id, text, start_us, end_us FROM chain_node WHERE text <> ''"
    ):
        if chain in here:
            yield FreeText("chain_node", row, "text", text, here[chain], start, end)
    for chain, reviewer, note in study.rows(
        "SELECT chain_id, reviewer_id, note FROM chain_review "
        "WHERE note <> '' AND reviewer_id IN (SELECT id FROM annotator)"
    ):
        if chain in here:
            yield FreeText("chain_review", f"{chain}/{reviewer}", "note", note, here[chain])


def _questions(study: Study) -> Iterator[FreeText]:
    spans: dict[str, tuple[str, int, int]] = {}
    for row, recording, start, end, text, answer, explanation, wrong in study.rows(
        "SELECT id, recording_id, start_us, end_us, text, answer, explanation, wrong FROM question "
        f"WHERE {VISIBLE_QUESTION}"
    ):
        spans[row] = recording, start, end
        said = [("text", text), ("answer", answer), ("explanation", explanation)]
        said += [(f"{WRONG_OPTION_PREFIX}{at}", option_text) for at, option_text in enumerate(_options(wrong), 1)]
        for field, option_text in said:
            if option_text:
                yield FreeText("question", row, field, option_text, recording, start, end)
    for row, who, note in study.rows(
        "SELECT question_id, annotator_id, note FROM verification "
        "WHERE note <> '' AND annotator_id IN (SELECT id FROM annotator)"
    ):
        if row in spans:
            yield FreeText("verification", f"{row}/{who}", "note", note, *spans[row])


def _options(wrong: str) -> list[str]:
    """Return the texts of wrong options, whatever else is damaged in them."""
    return [str(option[0]) if isinstance(option, list) and option else "" for option in _parse_list(wrong)]


def _parse_list(text: str) -> list[Json]:
    """Return a list that is kept as JSON; [] where it is damaged."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _meta(study: Study) -> Iterator[FreeText]:
    for recording, who, kind, text in study.rows("SELECT recording_id, participant_id, kind, text FROM look"):
        yield FreeText("look", f"{recording}/{who}", kind, text, recording)
    for recording, source, text in study.rows("SELECT recording_id, source, text FROM summary"):
        yield FreeText("summary", recording, source, text, recording)
    for row, recording, text, resolution in study.rows("SELECT id, recording_id, text, resolution FROM contradiction"):
        yield FreeText("contradiction", row, "text", text, recording)
        if resolution:
            yield FreeText("contradiction", row, "resolution", resolution, recording)


def _episodes(study: Study) -> Iterator[FreeText]:
    columns = ", ".join(PROFILE_COLUMNS)
    for row, bonds, *texts in study.rows(f"SELECT id, bonds, {columns} FROM character"):
        yield from _nonempty_texts("character", row, PROFILE_COLUMNS, texts)
        stories = [str(bond[-1]) for bond in _parse_list(bonds) if isinstance(bond, list) and bond]
        numbered = [f"{BOND_PREFIX}{at}" for at in range(1, len(stories) + 1)]
        yield from _nonempty_texts("character", row, numbered, stories)
    for row, name, context, goals in study.rows("SELECT id, name, context, goals FROM scenario"):
        listed = _parse_list(goals)
        fields = ("name", "context", *(f"{GOAL_PREFIX}{at}" for at in range(1, len(listed) + 1)))
        yield from _nonempty_texts("scenario", row, fields, (name, context, *map(str, listed)))
    seen = f"recording_id IN (SELECT id FROM {VISIBLE_RECORDINGS})"
    for recording, context in study.rows(f"SELECT recording_id, context FROM episode WHERE {seen}"):
        yield from _nonempty_texts("episode", recording, ("context",), (context,), recording)
    for recording, position, *texts in study.rows(
        f"SELECT recording_id, position, {columns}, goal FROM episode_agent WHERE {seen}"
    ):
        yield from _nonempty_texts(
            "episode_agent", f"{recording}/{position}", (*PROFILE_COLUMNS, "goal"), texts, recording
        )


def _nonempty_texts(
    table: str, row: str, fields: Sequence[str], texts: Sequence[str], recording: str | None = None
) -> Iterator[FreeText]:
    for field, text in zip(fields, texts, strict=True):
        if text:
            yield FreeText(table, row, field, text, recording)


def _names(study: Study) -> Iterator[FreeText]:
    for row, text in study.rows(f"SELECT id, name FROM {VISIBLE_RECORDINGS}"):
        yield FreeText("recording", row, "name", text, row)
    for row, name, context in study.rows("SELECT id, name, agent_context FROM collection"):
        yield FreeText("collection", row, "name", name)
        if context:
            yield FreeText("collection", row, "agent_context", context)
    for row, note in study.rows("SELECT id, note FROM participant WHERE note <> ''"):
        yield FreeText("participant", row, "note", note)
