"""Decides what becomes of one state of one row in a withdrawal: deleted, redacted, or kept.

The text of a scheme or prompt is kept without the parts that name the person.
"""

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from project.entities.study_records import Json
from project.erasure.raw_rows import Row, parse_json, text_columns
from project.erasure.subject_scope import FOOTAGE_TABLES, SubjectScope, concerns_subject, is_export_note
from project.erasure.subject_terms import IdentifyingTerms
from project.errors import UserError
from project.schema.table_declaration import ColumnKind
from project.schema.tables import TABLES
from project.schemes.scheme_file import EXPLANATORY_KEYS, parse_scheme, shipped_names, shipped_text, to_toml
from project.store.column_values import to_json
from resources.prompt_texts import prompt_keys, prompt_text

_NAMES = frozenset({"name", "ends"})
_DROPPED = object()


def is_shipped(table: str, key: str, text: str) -> bool:
    """Tell whether a text comes with the program; it is about nobody, also where a pseudonym is one of its words."""
    if table == "prompt_version":
        return key in prompt_keys() and text == prompt_text(key)
    return key in shipped_names() and text == shipped_text(key)


def redact_definition(wording: IdentifyingTerms, table: str, key: str, text: str) -> str:
    """Return the text of a scheme or a prompt without what names somebody; keys stay, because annotations name them."""
    if is_shipped(table, key, text):
        return text
    if table == "prompt_version":
        return wording.redact_text(text)
    try:
        parse_scheme(text, key)
        made = to_toml(_prune_value(wording, "", tomllib.loads(text)))
        parse_scheme(made, key)
    except (UserError, tomllib.TOMLDecodeError, RecursionError):
        return wording.redact_text(text)
    return made


def _prune_value(wording: IdentifyingTerms, key: str, value: Any) -> Any:
    match value:
        case str() if wording.matches_text(value):
            return _DROPPED if key in EXPLANATORY_KEYS else wording.redact_text(value) if key in _NAMES else value
        case list() if key == "examples":
            return [item for item in value if not wording.matches_json(item)]
        case list():
            return [_prune_value(wording, key, item) for item in value]
        case dict():
            found = {name: _prune_value(wording, name, member) for name, member in value.items()}
            return {name: member for name, member in found.items() if member is not _DROPPED}
        case _:
            return value


KEPT_COLUMNS = {
    "annotator": ("name",),
    "participant": ("pseudonym",),
    "judge": ("name", "model", "settings"),
    "medium": ("path", "facts"),
    "conflict": ("source",),
    "judgment": ("judge", "model_id", "prompt", "condition"),
    "benchmark_run": ("judge", "condition"),
    "run": ("backend",),
    "journal_step": ("name", "merge_key"),
    "withdrawal_certificate": ("withdrawn",),
}
"""Names of other people and things: that they are the same is left to people, who are told how many."""

_PLACEHOLDER_NAMES = {"collection": "Collection", "recording": "Recording", "item_set": "Set", "chain": "Chain"}


def clean_row(reach: SubjectScope, table: str, row: Row) -> Row | None:
    """Return what becomes of a row; None where it goes."""
    if "id" in row and reach.is_erased(table, row["id"]):
        return None
    for column, parent in TABLES[table].parents.items():
        if reach.is_erased(parent, row[column]) and (table, parent) != ("episode_agent", "participant"):
            return None
    home = reach.recording_of(table, row)
    if home in reach.recordings and table in FOOTAGE_TABLES and not is_export_note(reach, table, row):
        return None
    special = _CLEANERS.get(table)
    made = {**row} if special is None else special(reach, {**row})
    return None if made is None else _redact_texts(reach, table, made)


def _redact_texts(reach: SubjectScope, table: str, row: Row) -> Row | None:
    wording = reach.terms_for(table, row)
    for column, kind in text_columns(table).items():
        text = row[column]
        if not isinstance(text, str) or column in KEPT_COLUMNS.get(table, ()):
            continue
        found = wording.matches_json_text(text) if kind is ColumnKind.JSON else wording.matches_text(text)
        if not found:
            continue
        if TABLES[table].erased_whole:
            return None
        row[column] = _redact_cell(reach, table, row, column, kind)
    return row


def _redact_cell(reach: SubjectScope, table: str, row: Row, column: str, kind: ColumnKind) -> str:
    text = str(row[column])
    if table in ("scheme_version", "prompt_version"):
        return redact_definition(reach.terms, table, row["key"], text)
    if table == "egress" and column == "permission":
        return "[removed]"
    if kind is ColumnKind.JSON:
        kept = reach.terms_for(table, row).prune_json(parse_json(text))
        return to_json("" if kept is None else kept)
    if kind is ColumnKind.NAME and table in _PLACEHOLDER_NAMES:
        return _PLACEHOLDER_NAMES[table]
    return "removed" if table == "episode_agent" and column == "name" else ""


def _clean_utterance(reach: SubjectScope, row: Row) -> Row | None:
    """A turn of nobody, or of somebody who is only guessed to speak, may be theirs."""
    if row["participant_id"] in reach.people:
        return None
    if row["recording_id"] in reach.recordings and (row["participant_id"] is None or row["suggested"]):
        return row | {"text": "", "words": "[]"}
    wording = reach.terms_for("utterance", row)
    if wording.matches_text(row["text"]) or wording.matches_json_text(row["words"]):
        return row | {"text": "", "words": "[]"}
    return row


def _clean_run(reach: SubjectScope, row: Row) -> Row | None:
    """That something was given away stays known; of what it was, the name alone, where it names nobody."""
    if not is_export_note(reach, "run", row) or not concerns_subject(reach, "run", row):
        return row
    found = parse_json(row["result"])
    result = found if isinstance(found, dict) else {}
    name = str(result.get("output", ""))
    kept: dict[str, Json] = {
        "output": "removed" if reach.terms.matches_text(name) else name,
        "released": bool(result.get("released")),
    }
    return row | {"parameters": "{}", "result": to_json(kept)}


def _clean_node(reach: SubjectScope, row: Row) -> Row | None:
    if row["id"] in reach.mentioning_nodes:
        row["text"] = ""
    _, _, source = str(row["source"]).partition("/")
    if source and any(source in ids for ids in reach.erased_ids.values()):
        row["source"] = ""
    return row


def _clean_episode_agent(reach: SubjectScope, row: Row) -> Row | None:
    if row["participant_id"] not in reach.people:
        return row
    about = {name: "" for name, kind in text_columns("episode_agent").items() if kind is ColumnKind.TEXT}
    return row | about | {"participant_id": None, "name": "removed"}


def _clean_episode(reach: SubjectScope, row: Row) -> Row | None:
    for column, table in (("from_recording_id", "recording"), ("from_segment_id", "segment")):
        if reach.is_erased(table, row[column]):
            row[column] = ""
    return row


def _clean_egress(reach: SubjectScope, row: Row) -> Row | None:
    """What was sent is told by checksums; which part of a recording, and what else about it, is not."""
    request = parse_json(row["request"])
    if not isinstance(request, dict):
        return row
    theirs = reach.recordings | reach.dropped
    others = request.get("others")
    listed = others if isinstance(others, list) else []
    if request.get("recording_id") not in theirs and not theirs.intersection(map(str, listed)):
        return row
    request["segment_id"], request["barred"] = "", ""
    if request.get("recording_id") in reach.dropped:
        request["recording_id"] = ""
    request["others"] = [identifier for identifier in listed if identifier not in reach.dropped]
    return row | {"request": to_json(request)}


def _clean_private_word(reach: SubjectScope, row: Row) -> Row | None:
    return None if reach.word_owner(row) in reach.people else row


def _clean_conflict(reach: SubjectScope, row: Row) -> Row | None:
    """Two versions of rows: where one of them would be changed, neither is kept."""
    for side in (row["ours"], row["theirs"]):
        rows = {} if side is None else parse_json(side)
        if not isinstance(rows, dict):
            return None
        for table, listed in rows.items():
            for row_state in listed:
                if table == "utterance" and reach.is_in_scope(table, row_state):
                    return None
                if clean_row(reach, table, row_state) != row_state:
                    return None
    return row


def _clean_judgment_reference(reach: SubjectScope, row: Row) -> Row | None:
    return None if reach.is_erased("judgment", row["judgment_id"]) else row


_CLEANERS: Mapping[str, Callable[[SubjectScope, Row], Row | None]] = {
    "run": _clean_run,
    "utterance": _clean_utterance,
    "chain_node": _clean_node,
    "episode": _clean_episode,
    "episode_agent": _clean_episode_agent,
    "egress": _clean_egress,
    "private_word": _clean_private_word,
    "conflict": _clean_conflict,
    "summary": _clean_judgment_reference,
    "contradiction": _clean_judgment_reference,
    "adoption": _clean_judgment_reference,
}
