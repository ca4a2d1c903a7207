"""Writes a copy of a study that holds its annotations alone, for somebody who may see nothing else of it.

Times, labels, choices and numbers of forms, the structure of chains, and which annotator said what go along, under
codes and with ids of its own. Everything that somebody wrote, said or is called stays, and all about footage.
What no rule here says goes along does not: `project.columns` lists every column, and a contract test compares.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from project.columns import COLUMNS
from project.errors import UserError
from project.placing import put_in_place
from project.progress import Progress, Silent
from project.scratch import scratch_folder
from project.sharing.given_rows import ChainState, GivenRows
from project.sight import SEEN, SEEN_CHAIN, SEEN_RECORDING
from project.splitting import free_place
from project.store import Study

NAME = "Annotations"
_SILENT = Silent()
_R = "(SELECT value FROM json_each(?1))"
_SEGMENTS = f"SELECT id FROM {SEEN} WHERE recording_id IN {_R}"
_CHAINS = f"SELECT id FROM {SEEN_CHAIN} WHERE recording_id IN {_R}"
_NODES = f"SELECT id FROM chain_node WHERE chain_id IN ({_CHAINS})"
_IN = f"recording_id IN {_R}"
GIVEN: Mapping[str, str] = {
    "collection": f"id IN (SELECT collection_id FROM recording WHERE id IN {_R})",
    "recording": f"id IN {_R}",
    "participant": f"id IN (SELECT participant_id FROM appearance WHERE {_IN} UNION SELECT participant_id FROM "
    f"utterance WHERE {_IN} UNION SELECT participant_id FROM chain_person WHERE node_id IN ({_NODES}))",
    "appearance": _IN,
    "annotator": "?1 <> ''",
    "scheme_version": "?1 <> ''",
    "assignment": _IN,
    "completion": _IN,
    "utterance": _IN,
    "segment": f"id IN ({_SEGMENTS})",
    "segment_value": f"segment_id IN ({_SEGMENTS})",
    "review": f"segment_id IN ({_SEGMENTS})",
    "chain": f"id IN ({_CHAINS})",
    "chain_node": f"chain_id IN ({_CHAINS})",
    "chain_person": f"node_id IN ({_NODES})",
    "chain_edge": f"result_id IN ({_NODES})",
    "chain_review": f"chain_id IN ({_CHAINS})",
    "judgment": f"segment_id IN ({_SEGMENTS}) AND item_id = '' AND question_id = '' AND chain_id = ''",
}
"""Table -> which of its rows go along, what others refer to first."""
WITHHELD = frozenset(
    {
        *("property", "medium", "consent", "hold_out", "comment", "merged_copy", "conflict", "activity", "run"),
        *("face_track", "heard", "track_correction", "track_box", "region", "region_box", "face_review", "seen_span"),
        *("waiver", "private_word", "public_word", "pii_decision", "judge", "prompt_version", "adoption", "question"),
        *("verification", "look", "summary", "contradiction", "character", "scenario", "episode", "episode_agent"),
        *("item_set", "item", "benchmark_run", "benchmark_answer", "reveal", "egress", "withdrawal"),
        *("journal_step", "journal_change"),
    }
)
"""Tables of which nothing goes along."""
IN_USE = "schemes"
"""The property that says which schemes are in use."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The copy that was made.

    Attributes:
        rows: table -> how many rows went along.
        left_out: table -> how many rows of annotations did not, because a rule could not tell that they may.
        held_out: how many recordings stayed because they are held out.
    """

    path: Path
    rows: Mapping[str, int]
    left_out: Mapping[str, int]
    held_out: int


def share_annotations(
    study: Study,
    out: Path,
    at: str,
    chain_state: ChainState,
    *,
    placing: Callable[[Path], None] = lambda _path: None,
    progress: Progress = _SILENT,
) -> Shared:
    """Write the copy; it appears whole or not at all, and never in the place of another file.

    Args:
        study: that is read.
        out: where the copy goes.
        at: the time that stands for all times at which somebody did something, UTC, ISO 8601.
        chain_state: returns the state of a chain of a study, by id.
        placing: is told where the copy goes when it is whole, right before it is there.
        progress: told how many tables of how many are written.

    Raises:
        UserError: something of that name is there already, or the folder cannot be written to.
        Cancelled: the user stopped it; nothing was written.
    """
    path = free_place(out)
    held = {row[0] for row in study.rows("SELECT recording_id FROM hold_out")}
    recordings = [
        row[0] for row in study.rows(f"SELECT id FROM {SEEN_RECORDING} ORDER BY number") if row[0] not in held
    ]
    try:
        with scratch_folder(path) as folder, Study.create(folder / "copy", NAME) as copy:
            kept, left_out = _fill(study, copy, recordings, GivenRows(study, copy, at, chain_state), progress)
            copy.close()
            placing(path)
            put_in_place(copy.path, path)
    except OSError as error:
        raise _refused(path, error) from None
    return Shared(path, kept, left_out, len(held))


def _refused(path: Path, error: OSError) -> UserError:
    return UserError(f"“{path.name}” cannot be written: {error.strerror}.", "Choose another folder.")


def _fill(
    study: Study, copy: Study, recordings: list[str], given: GivenRows, progress: Progress
) -> tuple[dict[str, int], dict[str, int]]:
    """Write all that goes along; return table -> how many rows did, and how many did not."""
    kept: dict[str, int] = {}
    left_out: dict[str, int] = {}
    asked = (json.dumps(recordings),)
    tables = [table for table in GIVEN if "id" in COLUMNS[table]]
    given.name(
        {str(row[0]) for table in tables for row in study.rows(f"SELECT id FROM {table} WHERE {GIVEN[table]}", asked)}
    )
    with copy.without_history():
        in_use, known = study.get_property(IN_USE), {key for key, _ in given.schemes}
        if isinstance(in_use, list):
            copy.set_property(IN_USE, [one for one in in_use if one in known])
        for done, (table, where) in enumerate(GIVEN.items()):
            progress.check_cancelled()
            progress.progress(done, len(GIVEN))
            columns = [*COLUMNS[table]]
            order = "id" if "id" in columns else columns[0]
            found = study.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {where} ORDER BY {order}", asked)
            made = [given.row(table, dict(zip(columns, row, strict=True))) for row in found]
            rows = [[row[name] for name in columns] for row in made if row is not None]
            marks = ", ".join("?" * len(columns))
            copy.write_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
            if rows:
                kept[table] = len(rows)
            if len(rows) < len(found):
                left_out[table] = len(found) - len(rows)
    return kept, left_out
