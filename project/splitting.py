"""Makes a copy of a study for one annotator, in a fresh file that holds nothing of anybody else's work.

A study file keeps what was deleted, in its history and in pages that are free. So nothing is removed from a copy of the
file: a new one is made, and what the annotator needs is written into it.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from project.errors import UserError
from project.filesystem import is_folder
from project.ids import new_id
from project.merging.edits import newest_step
from project.merging.merge import COPY
from project.merging.shape import LEFT_OUT, tables_of
from project.names import shown
from project.opening import SUFFIX
from project.placing import put_in_place
from project.store import Cell, Study
from project.types import Annotator, Json

GIVEN_PROPERTIES = ("id", "name", "schemes", "training")
"""Facts about the study that go along; all others stay."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one annotator is given.

    Attributes:
        annotator: who.
        recordings: ids of their recordings, those for training included.
        training: ids of the recordings to train on.
        references: ids of the annotators whose segments of the recordings to train on go along.
    """

    annotator: Annotator
    recordings: tuple[str, ...]
    training: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """The copy that was made: where it is, its id, and how many rows of which table it was given."""

    path: Path
    copy_id: str
    rows: Mapping[str, int]


def split(study: Study, share: Share, out: Path, place_media: Callable[[Study, Path], None] | None = None) -> Split:
    """Write the copy, and note in both files at which step they parted.

    The file appears whole or not at all, and never in the place of another. `place_media` is given the unfinished copy
    and the path that it will have, to put media beside that and change their paths.

    Raises:
        UserError: something of that name is there already, the folder cannot be written to, or the study is read-only.
    """
    study.require_writable()
    path = free_place(out)
    copy_id, folder = new_id(), Path(_scratch(path))
    placed = False
    try:
        with Study.create(folder / "copy") as copy:
            rows = _fill(study, copy, share)
            if place_media is not None:
                place_media(copy, path)
            with study.step(f"Split for {share.annotator.name}", share.annotator.id, undoable=False):
                fork = newest_step(study)[1]
                study.write("INSERT INTO merged_copy VALUES (?, ?, ?)", (copy_id, fork, _now()))
                _mark(copy, share.annotator, copy_id, fork)
                copy.close()
                put_in_place(copy.path, path)
                placed = True
    except BaseException as error:
        if placed:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UserError(
                f"“{shown(path.name)}” cannot be written: {error.strerror}.", "Choose another folder."
            ) from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Split(path, copy_id, rows)


def _mark(copy: Study, annotator: Annotator, copy_id: str, fork: str) -> None:
    facts: Json = {"id": copy_id, "annotator": annotator.name, "step": fork}
    with copy.step(f"Split for {annotator.name}", annotator.id, undoable=False):
        copy.set_property(COPY, facts)
        copy.write("UPDATE journal_step SET uid = ? WHERE uid = ?", (fork, newest_step(copy)[1]))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def free_place(out: Path) -> Path:
    """Return where a copy goes, with the suffix that studies have.

    Raises:
        UserError: something of that name is there already, or there is no such folder.
    """
    path = out.absolute()
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    if os.path.lexists(path):
        raise UserError(
            f"“{shown(path.name)}” is there already.", "Choose another name; an existing file is never overwritten."
        )
    if not is_folder(path.parent):
        raise UserError(f"There is no folder “{shown(path.parent)}”.", "Make it first.")
    return path


def _scratch(path: Path) -> str:
    try:
        return tempfile.mkdtemp(prefix=f".{path.stem}.", dir=path.parent)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> UserError:
    return UserError(f"“{shown(path.name)}” cannot be written: {error.strerror}.", "Choose another folder.")


_R = "recording_id IN (SELECT value FROM json_each(:recordings))"
_OWN = f"({_R} AND annotator_id = :annotator)"
_TAUGHT = (
    "(recording_id IN (SELECT value FROM json_each(:training)) "
    "AND annotator_id IN (SELECT value FROM json_each(:references)))"
)
_SEGMENTS = f"({_OWN} OR {_TAUGHT})"
_CHAINS = f"SELECT id FROM chain WHERE {_SEGMENTS}"
_NODES = f"SELECT id FROM chain_node WHERE chain_id IN ({_CHAINS})"
_QUESTIONS = f"({_OWN} AND (chain_id IS NULL OR chain_id IN ({_CHAINS})))"
_GIVEN = {
    "property": "key IN (SELECT value FROM json_each(:properties))",
    "collection": "id IN (SELECT collection_id FROM recording WHERE id IN (SELECT value FROM json_each(:recordings)))",
    "recording": "id IN (SELECT value FROM json_each(:recordings))",
    "medium": _R,
    "participant": f"id IN (SELECT participant_id FROM appearance WHERE {_R} "
    f"UNION SELECT participant_id FROM utterance WHERE {_R} "
    f"UNION SELECT participant_id FROM chain_person WHERE node_id IN ({_NODES}))",
    "appearance": _R,
    "annotator": "(id = :annotator OR id IN (SELECT value FROM json_each(:references)))",
    "scheme_version": "key <> ''",
    "hold_out": _R,
    "assignment": _OWN,
    "completion": _OWN,
    "segment": _SEGMENTS,
    "segment_value": f"segment_id IN (SELECT id FROM segment WHERE {_SEGMENTS})",
    "comment": f"annotator_id = :annotator AND segment_id IN (SELECT id FROM segment WHERE {_OWN})",
    "utterance": _R,
    "chain": _SEGMENTS,
    "chain_node": f"chain_id IN ({_CHAINS})",
    "chain_person": f"node_id IN ({_NODES})",
    "chain_edge": f"result_id IN ({_NODES})",
    "question": _QUESTIONS,
    "verification": f"annotator_id = :annotator AND question_id IN (SELECT id FROM question WHERE {_QUESTIONS})",
}
"""Table -> which of its rows go along. Tables that are not named here stay behind whole."""


def _fill(study: Study, copy: Study, share: Share) -> dict[str, int]:
    tables, given = tables_of(study), _parameters(share)
    counts: dict[str, int] = {}
    with copy.without_history():
        copy.write("DELETE FROM property", ())
        for name, where in _GIVEN.items():
            columns = tables[name].columns
            asked = ["''" if column in LEFT_OUT.get(name, ()) else column for column in columns]
            sql, values = _positional(where, given)
            rows = study.rows(f"SELECT {', '.join(asked)} FROM {name} WHERE {sql}", values)
            marks = ", ".join("?" * len(columns))
            copy.write_many(f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks})", rows)
            counts[name] = len(rows)
    return {name: count for name, count in counts.items() if count}


def _parameters(share: Share) -> dict[str, str]:
    return {
        "annotator": share.annotator.id,
        "recordings": json.dumps(share.recordings),
        "training": json.dumps(share.training),
        "references": json.dumps(share.references),
        "properties": json.dumps(GIVEN_PROPERTIES),
    }


def _positional(where: str, given: dict[str, str]) -> tuple[str, list[Cell]]:
    values: list[Cell] = [given[name] for name in re.findall(r":(\w+)", where)]
    return re.sub(r":\w+", "?", where), values
