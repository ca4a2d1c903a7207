"""Reads every row of a study as the program does, to find what it could not make sense of."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from project.entities.study_records import Json
from project.errors import UserError
from project.queries import annotator_rows as activity
from project.queries import annotator_rows as annotators
from project.queries import annotator_rows as plans
from project.queries import chain_rows as chains
from project.queries import episode_rows as episodes
from project.queries import face_rows as faces
from project.queries import face_rows as regions
from project.queries import history_rows as conflicts
from project.queries import history_rows as runs
from project.queries import item_set_rows as item_sets
from project.queries import judgment_rows as judges
from project.queries import judgment_rows as judgments
from project.queries import pii_rows as pii
from project.queries import pii_rows as private_words
from project.queries import policy_rows as policy
from project.queries import policy_rows as release
from project.queries import question_rows as questions
from project.queries import recording_rows as collections
from project.queries import recording_rows as media
from project.queries import recording_rows as participants
from project.queries import recording_rows as recordings
from project.queries import segment_rows as comments
from project.queries import segment_rows as segments
from project.queries import transcript_rows as utterances
from project.search import free_texts
from project.store.study import Cell, Row, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS

_STUDY_READERS: dict[str, Callable[[Study], object]] = {
    "collections": collections.all_collections,
    "recordings": recordings.all_recordings,
    "media": media.all_media,
    "participants": participants.all_participants,
    "annotators": annotators.all_annotators,
    "segments": segments.all_segments,
    "comments": comments.unresolved_comments,
    "plan": plans.all_assignments,
    "active minutes": activity.all_activity,
    "conflicts": conflicts.all_conflicts,
    "chains": chains.all_chains,
    "questions": questions.all_questions,
    "characters": episodes.all_characters,
    "scenarios": episodes.all_scenarios,
    "episodes": episodes.all_episodes,
    "agents of episodes": episodes.all_agents,
    "item sets": item_sets.all_sets,
    "judges": judges.all_judges,
    "what people had said before they saw judges": judgments.reveals,
    "private words": private_words.private_words,
    "decisions about personal information": pii.pii_decisions,
    "waivers": release.waivers,
    "requests that were made": policy.all_egress,
    "texts": lambda study: [*free_texts.free_texts(study)],
}
_RECORDING_READERS: dict[str, Callable[[Study, str], object]] = {
    "runs": runs.runs_of,
    "utterances": utterances.utterances_of,
    "face tracks": faces.tracks_of,
    "regions": regions.regions_of,
}


class _ConnectionReader:
    """What queries ask of a study, answered by a connection alone."""

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
