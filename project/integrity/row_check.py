"""Reads every row of a study as the program does, to find rows that it cannot read."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from project.entities.study_records import Json
from project.errors import UserError
from project.queries import (
    annotator_rows,
    chain_rows,
    episode_rows,
    face_rows,
    history_rows,
    item_set_rows,
    judgment_rows,
    pii_rows,
    policy_rows,
    question_rows,
    recording_rows,
    segment_rows,
    transcript_rows,
)
from project.search import free_texts
from project.store.study import Cell, Row, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS

_STUDY_READERS: dict[str, Callable[[Study], object]] = {
    "collections": recording_rows.all_collections,
    "recordings": recording_rows.all_recordings,
    "media": recording_rows.all_media,
    "participants": recording_rows.all_participants,
    "annotators": annotator_rows.all_annotators,
    "segments": segment_rows.all_segments,
    "comments": segment_rows.unresolved_comments,
    "plan": annotator_rows.all_assignments,
    "active minutes": annotator_rows.all_activity,
    "conflicts": history_rows.all_conflicts,
    "chains": chain_rows.all_chains,
    "questions": question_rows.all_questions,
    "characters": episode_rows.all_characters,
    "scenarios": episode_rows.all_scenarios,
    "episodes": episode_rows.all_episodes,
    "agents of episodes": episode_rows.all_agents,
    "item sets": item_set_rows.all_sets,
    "judges": judgment_rows.all_judges,
    "what people had said before they saw judges": judgment_rows.reveals,
    "private words": pii_rows.private_words,
    "decisions about personal information": pii_rows.pii_decisions,
    "waivers": policy_rows.waivers,
    "requests that were made": policy_rows.all_egress,
    "texts": lambda study: [*free_texts.free_texts(study)],
}
_RECORDING_READERS: dict[str, Callable[[Study, str], object]] = {
    "runs": history_rows.runs_of,
    "utterances": transcript_rows.utterances_of,
    "face tracks": face_rows.tracks_of,
    "regions": face_rows.regions_of,
}


class _ConnectionReader:
    """The part of `Study` that queries use, on a bare connection."""

    in_transaction = True
    """So nothing is remembered of it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Cell] = ()) -> Row | None:
        found: Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def data_version(self) -> tuple[int, int]:
        return 0, 0

    def get_property(self, key: str, default: Json = None) -> Json:
        row = self.row("SELECT value FROM property WHERE key = ?", (key,))
        return default if row is None else json.loads(row[0])


def unreadable_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what cannot be read, a line for each kind of row."""
    study = cast(Study, _ConnectionReader(connection))
    for view, table in ((VISIBLE_SEGMENTS, "segment"), (VISIBLE_CHAINS, "chain"), (VISIBLE_RECORDINGS, "recording")):
        connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * FROM main.{table}")
    for what, read in _STUDY_READERS.items():
        if why := _read_problem(partial(read, study)):
            yield f"the {what} cannot be read: {why}"
    for (recording,) in connection.execute("SELECT id FROM recording").fetchall():
        for what, read_of in _RECORDING_READERS.items():
            if why := _read_problem(partial(read_of, study, recording)):
                yield f"the {what} of recording {recording} cannot be read: {why}"


def _read_problem(read: Callable[[], object]) -> str:
    """Return why something cannot be read; "" where it can."""
    try:
        read()
    except UserError as error:
        return error.message.rstrip(".")
    except sqlite3.Error:
        raise
    # Whatever a row holds, it is what was wrong.
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
