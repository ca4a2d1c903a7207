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
    Participant,
    ParticipantVariable,
    Recording,
    VideoFacts,
)
from project.errors import UserError, require_utf8
from project.queries.row_mapper import RowMapper
from project.store.column_values import is_column_integer, to_json
from project.store.study import Study
from project.store.visibility import VISIBLE_RECORDINGS

RECORDINGS = RowMapper(Recording, "recording", view=VISIBLE_RECORDINGS)
COLLECTIONS = RowMapper(Collection, "collection")
PARTICIPANTS = RowMapper(Participant, "participant", noun="The participant “{pseudonym}”")

all_recordings = RECORDINGS.query("ORDER BY number, id")


def recording_numbers(study: Study) -> dict[str, int]:
    """Return id -> number of every recording that is seen."""
    return {recording.id: recording.number for recording in all_recordings(study)}


find_recording = RECORDINGS.find


def next_number(study: Study) -> int:
    """Return the number that the next recording gets: one more than the highest."""
    return int(study.rows("SELECT coalesce(max(number), 0) + 1 FROM recording")[0][0])


insert_recording = RECORDINGS.insert
update_recording = RECORDINGS.update

_FINGERPRINT = re.compile(r"[0-9A-Za-z_-]{0,64}")


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


def _parse_fingerprint(text: str) -> str:
    # Files are named by it, so it must not lead anywhere.
    if not _FINGERPRINT.fullmatch(text):
        raise ValueError(text)
    return text


MEDIA = RowMapper(
    Medium,
    "medium",
    noun="What is known of the file “{path}”",
    codecs={"fingerprint": (str, _parse_fingerprint), "facts": (facts_to_json, facts_from_json)},
)
_MEDIUM_ORDER = "ORDER BY recording_id, role <> 'main', role, position, id"
media_of = MEDIA.query(f"WHERE recording_id = ? {_MEDIUM_ORDER}")
"""Return the files of a recording, the main one first."""
all_media = MEDIA.query(_MEDIUM_ORDER)


def insert_medium(study: Study, new: Medium) -> None:
    """Add a file to a recording; inside a step."""
    require_utf8(new.path)
    MEDIA.insert(study, new)


def update_medium(study: Study, new: Medium) -> None:
    """Replace the medium of the same id; inside a step."""
    require_utf8(new.path)
    MEDIA.update(study, new)


all_collections = COLLECTIONS.query("ORDER BY id")
insert_collection = COLLECTIONS.insert
update_collection = COLLECTIONS.update


def delete_collection(study: Study, collection_id: str) -> None:
    """Remove a collection; inside a step."""
    if study.row("SELECT 1 FROM recording WHERE collection_id = ? LIMIT 1", (collection_id,)):
        raise UserError("This collection is not empty.", "Move or delete its recordings first.")
    COLLECTIONS.delete(study, collection_id)


all_participants = PARTICIPANTS.query("ORDER BY id")


def pseudonyms(study: Study) -> dict[str, str]:
    """Return id -> pseudonym of every participant."""
    return {participant.id: participant.pseudonym for participant in all_participants(study)}


participants_in = PARTICIPANTS.query(
    "WHERE id IN (SELECT participant_id FROM appearance WHERE recording_id = ?) ORDER BY id"
)
present_participants = PARTICIPANTS.query(
    "WHERE id IN (SELECT participant_id FROM appearance WHERE recording_id = ?1 "
    "UNION SELECT participant_id FROM utterance WHERE recording_id = ?1) ORDER BY id"
)
insert_participant = PARTICIPANTS.insert
update_participant = PARTICIPANTS.update


def appearances(study: Study) -> dict[str, set[str]]:
    """Return recording id -> ids of the participants who appear in it; recordings without any are left out."""
    found: dict[str, set[str]] = {}
    for recording_id, participant_id in study.rows("SELECT recording_id, participant_id FROM appearance"):
        found.setdefault(recording_id, set()).add(participant_id)
    return found


def set_appearance(study: Study, recording_id: str, participant_id: str, present: bool) -> None:
    """Say whether a participant appears in a recording; inside a step."""
    if present:
        sql = "INSERT INTO appearance VALUES (?, ?) ON CONFLICT DO NOTHING"
    else:
        sql = "DELETE FROM appearance WHERE recording_id = ? AND participant_id = ?"
    study.write(sql, (recording_id, participant_id))


VARIABLES = RowMapper(ParticipantVariable, "participant_variable", noun="The variable “{name}” of a participant")
all_variables = VARIABLES.query("ORDER BY name, participant_id")
set_variable = VARIABLES.upsert
"""Put a value in the place of the participant's own of that name, if any; inside a step."""
delete_variable = VARIABLES.delete
"""Take a value away, by participant and name; inside a step."""


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
