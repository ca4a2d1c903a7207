"""Queries on recordings, media, collections, participants, consents and hold-outs.

A training round hides the episodes that reveal its answers (see `project.store.visibility`). Held-out recordings are
never exported, nor are episodes that continue them.
"""

import json
import re
from dataclasses import asdict, fields
from math import isfinite
from typing import Any

from project.entities.study_records import (
    AudioFacts,
    Collection,
    ConsentUse,
    MediaFacts,
    Medium,
    MediumRole,
    Participant,
    ParticipantRole,
    Recording,
    VideoFacts,
)
from project.errors import UserError
from project.store.column_values import damaged_value_error, is_column_integer, parse_choice, to_json
from project.store.study import Row, Study
from project.store.visibility import VISIBLE_RECORDINGS
from project.text_format import escape_unprintable

_RECORDING_COLUMNS = "id, collection_id, number, name, duration_us"


def all_recordings(study: Study) -> list[Recording]:
    """Return every recording that is seen, by number."""
    return [
        Recording(*row)
        for row in study.rows(f"SELECT {_RECORDING_COLUMNS} FROM {VISIBLE_RECORDINGS} ORDER BY number, id")
    ]


def recording_numbers(study: Study) -> dict[str, int]:
    """Return id -> number of every recording that is seen."""
    return {recording.id: recording.number for recording in all_recordings(study)}


def find_recording(study: Study, recording_id: str) -> Recording | None:
    """Return one recording, or None where there is none of that id to be seen."""
    row = study.row(f"SELECT {_RECORDING_COLUMNS} FROM {VISIBLE_RECORDINGS} WHERE id = ?", (recording_id,))
    return None if row is None else Recording(*row)


def next_number(study: Study) -> int:
    """Return the number that the next recording gets: one more than the highest."""
    row = study.row("SELECT coalesce(max(number), 0) + 1 FROM recording")
    return 1 if row is None else int(row[0])


def insert_recording(study: Study, new: Recording) -> None:
    """Add a recording; inside a step."""
    study.write(
        "INSERT INTO recording VALUES (?, ?, ?, ?, ?)",
        (new.id, new.collection_id, new.number, new.name, new.duration_us),
    )


def update_recording(study: Study, new: Recording) -> None:
    """Replace the recording of the same id; inside a step."""
    study.write(
        "UPDATE recording SET collection_id = ?, number = ?, name = ?, duration_us = ? WHERE id = ?",
        (new.collection_id, new.number, new.name, new.duration_us, new.id),
    )


def delete_recording(study: Study, recording_id: str) -> None:
    """Remove a recording with all that was marked, said or planned about it; inside a step.

    Its runs and seconds of activity stay in the file, out of sight, so that undo brings them back with it.
    """
    row = (recording_id,)
    for table in ("comment", "review", "adoption", "segment_value"):
        study.write(f"DELETE FROM {table} WHERE segment_id IN (SELECT id FROM segment WHERE recording_id = ?)", row)
    chains = "SELECT id FROM chain WHERE recording_id = ?"
    nodes = f"SELECT id FROM chain_node WHERE chain_id IN ({chains})"
    study.write("DELETE FROM verification WHERE question_id IN (SELECT id FROM question WHERE recording_id = ?)", row)
    study.write("DELETE FROM question WHERE recording_id = ?", row)
    study.write(f"DELETE FROM chain_review WHERE chain_id IN ({chains})", row)
    study.write(f"DELETE FROM chain_edge WHERE result_id IN ({nodes})", row)
    study.write(f"DELETE FROM chain_person WHERE node_id IN ({nodes})", row)
    study.write(f"DELETE FROM chain_node WHERE chain_id IN ({chains})", row)
    study.write("DELETE FROM region_box WHERE region_id IN (SELECT id FROM region WHERE recording_id = ?)", row)
    for table in (
        *("segment", "medium", "appearance", "hold_out", "assignment", "completion", "utterance"),
        *("region", "face_review", "seen_span", "waiver", "pii_decision"),
        *("chain", "look", "summary", "contradiction", "episode_agent", "episode"),
    ):
        study.write(f"DELETE FROM {table} WHERE recording_id = ?", row)
    study.write("DELETE FROM recording WHERE id = ?", row)


_MEDIUM_COLUMNS = "id, recording_id, role, position, offset_us, path, fingerprint, facts"
_MEDIUM_ORDER = "ORDER BY recording_id, role <> 'main', role, position, id"

_FINGERPRINT = re.compile(r"[0-9A-Za-z_-]{0,64}")


def media_of(study: Study, recording_id: str) -> list[Medium]:
    """Return the files of a recording, the main one first."""
    rows = study.rows(f"SELECT {_MEDIUM_COLUMNS} FROM medium WHERE recording_id = ? {_MEDIUM_ORDER}", (recording_id,))
    return [_medium(row) for row in rows]


def all_media(study: Study) -> list[Medium]:
    """Return the files of every recording; those of one recording stand together, the main one first."""
    return [_medium(row) for row in study.rows(f"SELECT {_MEDIUM_COLUMNS} FROM medium {_MEDIUM_ORDER}")]


def insert_medium(study: Study, new: Medium) -> None:
    """Add a file to a recording; inside a step."""
    _check_path(new.path)
    study.write(
        "INSERT INTO medium VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.id,
            new.recording_id,
            new.role.value,
            new.position,
            new.offset_us,
            new.path,
            new.fingerprint,
            facts_to_json(new.facts),
        ),
    )


def update_medium(study: Study, new: Medium) -> None:
    """Replace the medium of the same id; inside a step."""
    _check_path(new.path)
    study.write(
        "UPDATE medium SET recording_id = ?, role = ?, position = ?, offset_us = ?, path = ?, fingerprint = ?, "
        "facts = ? WHERE id = ?",
        (
            new.recording_id,
            new.role.value,
            new.position,
            new.offset_us,
            new.path,
            new.fingerprint,
            facts_to_json(new.facts),
            new.id,
        ),
    )


def facts_to_json(facts: MediaFacts) -> str:
    """Write what probing found out."""
    return to_json(asdict(facts))


def facts_from_json(text: str) -> MediaFacts:
    """Read what `facts_to_json` wrote.

    Raises:
        ValueError: it is something else.
    """
    try:
        found: dict[str, Any] = json.loads(text)
        video, audio = found.pop("video"), found.pop("audio")
        facts = MediaFacts(
            **found,
            video=None if video is None else VideoFacts(**video),
            audio=None if audio is None else AudioFacts(**audio),
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("no facts about a file") from None
    for part in (facts, facts.video, facts.audio):
        if part is not None and not all(_is_of_kind(getattr(part, field.name), field.type) for field in fields(part)):
            raise ValueError("no facts about a file")
    return facts


def _is_of_kind(value: object, kind: object) -> bool:
    """Tell whether a value is of the kind that a field of facts has."""
    if kind is int:
        return is_column_integer(value, -(1 << 62))
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _medium(row: Row) -> Medium:
    # Files are named by it, so it must not lead anywhere.
    if not _FINGERPRINT.fullmatch(row[6]):
        raise UserError(
            f"The fingerprint of “{escape_unprintable(row[5])}” in this study is damaged.",
            "Find out what else is: greenroom check",
        )
    what = f"What is known of the file “{escape_unprintable(row[5])}”"
    try:
        facts = facts_from_json(row[7])
    except ValueError:
        raise damaged_value_error(what) from None
    return Medium(row[0], row[1], parse_choice(MediumRole, row[2], what), row[3], row[4], row[5], row[6], facts)


def _check_path(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UserError(
            f"The name of “{escape_unprintable(path)}” is not valid text.", "Rename the file, then add it."
        ) from None


_COLLECTION_COLUMNS = "id, name, agent_context"


def all_collections(study: Study) -> list[Collection]:
    """Return every collection, in the order they were made."""
    return [Collection(*row) for row in study.rows(f"SELECT {_COLLECTION_COLUMNS} FROM collection ORDER BY id")]


def insert_collection(study: Study, collection: Collection) -> None:
    """Add a collection; inside a step."""
    study.write("INSERT INTO collection VALUES (?, ?, ?)", (collection.id, collection.name, collection.agent_context))


def update_collection(study: Study, collection: Collection) -> None:
    """Replace the collection of the same id; inside a step."""
    study.write(
        "UPDATE collection SET name = ?, agent_context = ? WHERE id = ?",
        (collection.name, collection.agent_context, collection.id),
    )


def delete_collection(study: Study, collection_id: str) -> None:
    """Remove a collection; inside a step."""
    if study.row("SELECT 1 FROM recording WHERE collection_id = ? LIMIT 1", (collection_id,)):
        raise UserError("This collection still holds recordings.", "Move or delete them first.")
    study.write("DELETE FROM collection WHERE id = ?", (collection_id,))


_PARTICIPANT_COLUMNS = "p.id, p.pseudonym, p.role, p.note"


def all_participants(study: Study) -> list[Participant]:
    """Return every participant, in the order they were added."""
    return _read(study, f"SELECT {_PARTICIPANT_COLUMNS} FROM participant p ORDER BY p.id")


def pseudonyms(study: Study) -> dict[str, str]:
    """Return id -> pseudonym of every participant."""
    return {participant.id: participant.pseudonym for participant in all_participants(study)}


def participants_in(study: Study, recording_id: str) -> list[Participant]:
    """Return who appears in a recording, in the order they were added to the study."""
    return _read(
        study,
        f"SELECT {_PARTICIPANT_COLUMNS} FROM participant p JOIN appearance a ON a.participant_id = p.id "
        "WHERE a.recording_id = ? ORDER BY p.id",
        recording_id,
    )


def present_participants(study: Study, recording_id: str) -> list[Participant]:
    """Return who appears or speaks in a recording, in the order they were added to the study."""
    return _read(
        study,
        f"SELECT {_PARTICIPANT_COLUMNS} FROM participant p WHERE p.id IN (SELECT participant_id FROM appearance "
        "WHERE recording_id = ? UNION SELECT participant_id FROM utterance WHERE recording_id = ?) ORDER BY p.id",
        *(recording_id, recording_id),
    )


def insert_participant(study: Study, new: Participant) -> None:
    """Add a participant; inside a step."""
    study.write("INSERT INTO participant VALUES (?, ?, ?, ?)", (new.id, new.pseudonym, new.role.value, new.note))


def update_participant(study: Study, new: Participant) -> None:
    """Replace the participant of the same id; inside a step."""
    study.write(
        "UPDATE participant SET pseudonym = ?, role = ?, note = ? WHERE id = ?",
        (new.pseudonym, new.role.value, new.note, new.id),
    )


def delete_participant(study: Study, participant_id: str) -> None:
    """Remove a participant, their appearances and consents, and their name from all that is theirs; inside a step."""
    row = (participant_id,)
    for table in ("track_correction", "region", "utterance", "private_word", "episode_agent"):
        study.write(f"UPDATE {table} SET participant_id = NULL WHERE participant_id = ?", row)
    for table in ("appearance", "consent", "chain_person", "look"):
        study.write(f"DELETE FROM {table} WHERE participant_id = ?", row)
    study.write("DELETE FROM participant WHERE id = ?", row)


def set_appearance(study: Study, recording_id: str, participant_id: str, present: bool) -> None:
    """Say whether a participant appears in a recording; inside a step."""
    if present:
        sql = "INSERT INTO appearance VALUES (?, ?) ON CONFLICT DO NOTHING"
    else:
        sql = "DELETE FROM appearance WHERE recording_id = ? AND participant_id = ?"
    study.write(sql, (recording_id, participant_id))


def consents(study: Study, participant_id: str) -> dict[ConsentUse, bool]:
    """Return what a participant consented to; every use is denied until it was given."""
    rows = study.rows("SELECT use, granted FROM consent WHERE participant_id = ?", (participant_id,))
    return dict.fromkeys(ConsentUse, False) | {ConsentUse(use): bool(granted) for use, granted in rows}


def set_consent(study: Study, participant_id: str, use: ConsentUse, granted: bool) -> None:
    """Give or take back consent to one use; inside a step."""
    study.write(
        "INSERT INTO consent VALUES (?, ?, ?) "
        "ON CONFLICT (participant_id, use) DO UPDATE SET granted = excluded.granted",
        (participant_id, use.value, int(granted)),
    )


def _read(study: Study, sql: str, *values: str) -> list[Participant]:
    return [Participant(row[0], row[1], ParticipantRole(row[2]), row[3]) for row in study.rows(sql, values)]


_HOLD_OUT_SQL = """
WITH RECURSIVE kept (id) AS (
  SELECT recording_id FROM hold_out
  UNION SELECT recording_id FROM episode
    WHERE from_recording_id <> '' AND from_recording_id NOT IN (SELECT id FROM recording)
  UNION SELECT e.recording_id FROM episode e JOIN kept ON kept.id = e.from_recording_id
)
SELECT id FROM kept
"""


def hold_outs(study: Study) -> frozenset[str]:
    """Return the ids of the recordings that are kept back, and of the episodes that go on from one of them.

    An episode holds words of the recording that it goes on from, so it is kept back with it, whoever said so when, and
    where that recording is gone, because nobody knows any more whether it was.
    """
    return frozenset(row[0] for row in study.rows(_HOLD_OUT_SQL))


def set_hold_out(study: Study, recording_id: str, held_out: bool) -> None:
    """Keep a recording back, or no longer; inside a step."""
    if held_out:
        study.write("INSERT INTO hold_out VALUES (?) ON CONFLICT DO NOTHING", (recording_id,))
    else:
        study.write("DELETE FROM hold_out WHERE recording_id = ?", (recording_id,))
