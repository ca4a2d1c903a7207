"""Splits a copy of a study off for one annotator, in a fresh file without anybody else's work.

A study file keeps what was deleted, in its history and in pages that are free. So nothing is removed from a copy of the
file: a new one is made, and what the annotator needs is written into it.
"""

import contextlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from project.entities.study_records import Annotator, Json
from project.files.atomic_files import explain_unwritable, publish_file
from project.files.temporary_files import scratch_folder
from project.ids import new_id
from project.merging.changed_rows import newest_step
from project.merging.merge import COPY_PROPERTY
from project.schema.table_declaration import SPLIT
from project.schema.tables import TABLES
from project.store.opening import free_study_path
from project.store.study import Study
from project.timebase import utc_now

GIVEN_PROPERTIES = ("id", "name", "schemes", "training")
"""Facts about the study that go along; all others stay."""


@dataclass(frozen=True, slots=True)
class AnnotatorShare:
    """The recordings and work that one annotator is given.

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


class StudyCopyDraft:
    """A copy that has no name yet. It is filled in any thread, with a look of that thread's own into the study.

    Attributes:
        path: what it will be called.
        beside: a folder for what goes along; it lies beside the copy and is gone when the draft is closed.
    """

    def __init__(self, study: Study, out: Path) -> None:
        """Begin a copy; an encrypted study's is encrypted with the same key."""
        study.require_writable()
        self.path = free_study_path(out)
        self._scratch = contextlib.ExitStack()
        with explain_unwritable(self.path):
            self.beside = self._scratch.enter_context(scratch_folder(self.path))
        self._copy_id, self._fork = new_id(), new_id()
        self._made: Path | None = None
        self._seen: _State | None = None
        self._annotator: Annotator | None = None
        self._rows: dict[str, int] = {}

    def fill(self, study: Study, share: AnnotatorShare, place_media: Callable[[Study], None] | None = None) -> None:
        """Write the copy of the study as it is now, in place of what was filled in before.

        `place_media` is given the unfinished copy, to change the paths of its media.
        """
        with explain_unwritable(self.path):
            (self.beside / "copy.greenroom").unlink(missing_ok=True)
            seen = _state(study)
            with Study.create(self.beside / "copy", key=study.encryption_key) as copy:
                self._rows = _fill_copy(study, copy, share)
                if place_media is not None:
                    place_media(copy)
                self._mark_copy(copy, share.annotator)
            self._made = copy.path
        self._seen, self._annotator = seen, share.annotator

    def finish(self, study: Study, beside: Callable[[], AbstractContextManager[None]] = nullcontext) -> Split | None:
        """Give the copy its name, and note in both files at which step they parted; None where the study was edited.

        It has to be filled again then. `beside` puts what goes along in place, and takes it back where that fails.
        """
        with study.locked():
            if self._made is None or self._annotator is None or self._seen != _state(study):
                return None
            self._publish(study, self._made, self._annotator, beside)
        return Split(self.path, self._copy_id, self._rows)

    def _publish(
        self, study: Study, made: Path, annotator: Annotator, beside: Callable[[], AbstractContextManager[None]]
    ) -> None:
        placed = False
        try:
            with beside(), study.step(f"Split for {annotator.name}", annotator.id, undoable=False):
                study.write("UPDATE journal_step SET uid = ? WHERE uid = ?", (self._fork, newest_step(study)[1]))
                study.write("INSERT INTO merged_copy VALUES (?, ?, ?)", (self._copy_id, self._fork, utc_now()))
                with explain_unwritable(self.path):
                    publish_file(made, self.path)
                placed = True
        except BaseException:
            if placed:
                self.path.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Remove what was not put in place; safe to call twice."""
        self._scratch.close()

    def _mark_copy(self, copy: Study, annotator: Annotator) -> None:
        facts: Json = {"id": self._copy_id, "annotator": annotator.name, "step": self._fork}
        with copy.step(f"Split for {annotator.name}", annotator.id, undoable=False):
            copy.set_property(COPY_PROPERTY, facts)
            copy.write("UPDATE journal_step SET uid = ? WHERE uid = ?", (self._fork, newest_step(copy)[1]))


def split_copy(study: Study, share: AnnotatorShare, out: Path) -> Split:
    """Write a copy, encrypted as the study is, and note in both files at which step they parted.

    The file appears whole or not at all, and never in the place of another.
    """
    with contextlib.closing(StudyCopyDraft(study, out)) as draft:
        draft.fill(study, share)
        made = draft.finish(study)
    assert made is not None
    return made


_State = tuple[int, str, int]


def _state(study: Study) -> _State:
    """Return what differs after every edit: the newest step, when something joined it last, and the newest change."""
    row = study.row(
        "SELECT id, at, (SELECT coalesce(max(id), 0) FROM journal_change) FROM journal_step ORDER BY id DESC LIMIT 1"
    )
    return (0, "", 0) if row is None else (int(row[0]), str(row[1]), int(row[2]))


_R = "recording_id IN (SELECT value FROM json_each(:recordings))"
_OWN_WORK = f"({_R} AND annotator_id = :annotator)"
_REFERENCE_WORK = (
    "(recording_id IN (SELECT value FROM json_each(:training)) "
    "AND annotator_id IN (SELECT value FROM json_each(:references)))"
)
_SEGMENTS = f"({_OWN_WORK} OR {_REFERENCE_WORK})"
_CHAINS = f"SELECT id FROM chain WHERE {_SEGMENTS}"
_NODES = f"SELECT id FROM chain_node WHERE chain_id IN ({_CHAINS})"
_QUESTIONS = f"({_OWN_WORK} AND (chain_id IS NULL OR chain_id IN ({_CHAINS})))"
_GIVEN_IDS = {
    "recording": "SELECT value FROM json_each(:recordings)",
    "segment": f"SELECT id FROM segment WHERE {_SEGMENTS}",
    "chain": _CHAINS,
    "chain_node": _NODES,
}
"""Table -> the ids of its rows that go along; the rows of others go along with the row that they refer to."""
_GIVEN_ROWS = {
    "property": "key IN (SELECT value FROM json_each(:properties))",
    "collection": "id IN (SELECT collection_id FROM recording WHERE id IN (SELECT value FROM json_each(:recordings)))",
    "recording": "id IN (SELECT value FROM json_each(:recordings))",
    "participant": f"id IN (SELECT participant_id FROM appearance WHERE {_R} "
    f"UNION SELECT participant_id FROM utterance WHERE {_R} "
    f"UNION SELECT participant_id FROM chain_person WHERE node_id IN ({_NODES}) "
    f"UNION SELECT participant_id FROM episode_agent WHERE {_R})",
    "annotator": "(id = :annotator OR id IN (SELECT value FROM json_each(:references)))",
    "scheme_version": "key <> ''",
    "assignment": _OWN_WORK,
    "completion": _OWN_WORK,
    "segment": _SEGMENTS,
    "comment": f"annotator_id = :annotator AND segment_id IN (SELECT id FROM segment WHERE {_OWN_WORK})",
    "chain": _SEGMENTS,
    "question": _QUESTIONS,
    "verification": f"annotator_id = :annotator AND question_id IN (SELECT id FROM question WHERE {_QUESTIONS})",
}


def _fill_copy(study: Study, copy: Study, share: AnnotatorShare) -> dict[str, int]:
    given = {
        "annotator": share.annotator.id,
        "recordings": json.dumps(share.recordings),
        "training": json.dumps(share.training),
        "references": json.dumps(share.references),
        "properties": json.dumps(GIVEN_PROPERTIES),
    }
    counts: dict[str, int] = {}
    with copy.without_history():
        copy.write("DELETE FROM property", ())
        for name, table in TABLES.items():
            if SPLIT not in table.copies:
                continue
            asked = ["''" if column in table.withheld else column for column in table.names]
            where = _GIVEN_ROWS.get(name) or table.condition_by_parent(_GIVEN_IDS)
            rows = study.rows(f"SELECT {', '.join(asked)} FROM {name} WHERE {where}", given)
            copy.write_many(table.insert_sql, rows)
            counts[name] = len(rows)
    return {name: count for name, count in counts.items() if count}
