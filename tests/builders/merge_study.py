"""A study with recordings and two annotators, copies of it, and what a study holds, to compare."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from project.entities.study_records import (
    Annotator,
    Collection,
    FieldValue,
    Participant,
    ParticipantRole,
    Recording,
    Segment,
)
from project.ids import new_id
from project.merging.merge import MergeResult, merge_copy, open_copy
from project.queries.annotator_rows import insert_annotator
from project.queries.recording_rows import (
    all_participants,
    insert_collection,
    insert_participant,
    insert_recording,
    set_appearance,
    update_participant,
)
from project.queries.segment_rows import all_segments, delete_segments, insert_segment, set_value, update_segment
from project.queries.study_schemes import insert_version
from project.schema.tables import HUMAN_TABLES
from project.schemes.scheme_file import load_scheme, shipped_text
from project.store.study import Study

ADA, BO = Annotator("a-ada", "Ada"), Annotator("a-bo", "Bo")
COLLECTION = Collection("c-1", "Wellness", "A coach")
RECORDINGS = tuple(Recording(f"r-{n}", COLLECTION.id, n, f"Recording {n}", 60_000_000) for n in (1, 2, 3))
SCHEME = load_scheme("shrec")
PERSON = Participant("p-1", "P01", ParticipantRole.USER, "Her real name is Jane")


def furnish(path: Path) -> Path:
    path = path.with_suffix(".greenroom")
    path.write_bytes(_furnished())
    return path


@cache
def _furnished() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lab.greenroom"
        with Study.create(path, "Lab") as study, study.step("Set up", undoable=False):
            insert_collection(study, COLLECTION)
            for recording in RECORDINGS:
                insert_recording(study, recording)
            for who in (ADA, BO):
                insert_annotator(study, who)
            insert_participant(study, PERSON)
            set_appearance(study, "r-1", PERSON.id, True)
            insert_version(study, SCHEME.key, SCHEME.version, shipped_text(SCHEME.key))
        return path.read_bytes()


def copy_file(path: Path, name: str) -> Path:
    return Path(shutil.copyfile(path, path.with_name(f"{name}.greenroom")))


def mark(
    study: Study, who: Annotator, recording: str = "r-1", start: int = 0, label: str = "error", rationale: str = ""
) -> Segment:
    """Add a segment as its annotator would."""
    made = Segment(new_id(), recording, who.id, label, start, start + 1_000_000)
    with study.step("Add segment", who.id):
        insert_segment(study, made)
        if rationale:
            set_value(study, FieldValue(made.id, SCHEME.key, SCHEME.version, "rationale", rationale))
    return made


def merge(study: Path | Study, *copies: Path, dry_run: bool = False) -> list[MergeResult]:
    """Merge copies one after the other."""
    done = []
    with contextlib.ExitStack() as stack:
        opened = study if isinstance(study, Study) else stack.enter_context(Study.open(study))
        for path in copies:
            with open_copy(opened, path) as copy:
                done.append(merge_copy(opened, copy, None, dry_run=dry_run))
    return done


@contextlib.contextmanager
def working(path: Path) -> Iterator[Study]:
    with Study.open(path) as study:
        yield study


_CHANCE = {("conflict", "at"), ("merged_copy", "at"), ("conflict", "source")}
"""Columns that hold when something was merged, and who of several that made the same version is named."""


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table that people or models write to, times of merging left out."""
    with Study.open(path, read_only=True) as study:
        found = {}
        for name, table in HUMAN_TABLES.items():
            columns = [column for column in table.names if (name, column) not in _CHANCE]
            found[name] = sorted(study.rows(f"SELECT {', '.join(columns)} FROM {name}"), key=repr)
        for name in ("run", "face_track", "activity"):
            found[name] = sorted(study.rows(f"SELECT * FROM {name}"), key=repr)
    return found


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, the history's too."""
    with Study.open(path, read_only=True) as study:
        names = [row[0] for row in study.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: study.rows(f"SELECT * FROM {name} ORDER BY 1") for name in names}


# What is done, to which of the segments, with which of a few values.
_EDIT = st.tuples(
    st.sampled_from(["add", "move", "text", "clear", "delete", "person", "appear", "undo"]),
    st.integers(0, 3),
    st.integers(0, 2),
)


EDITS = st.lists(_EDIT, max_size=5)


@cache
def two_segments() -> bytes:
    """The file of a study with two segments."""
    with tempfile.TemporaryDirectory() as folder:
        path = furnish(Path(folder) / "home.greenroom")
        with Study.open(path) as study:
            for n in range(2):
                mark(study, (ADA, BO)[n], recording="r-2", start=n * 1_000_000, rationale="first")
        return path.read_bytes()


def play(path: Path, edits: list[tuple[str, int, int]]) -> None:
    with Study.open(path) as study:
        for what, which, value in edits:
            if what == "undo":
                if study.undo_name == "Edit":
                    study.undo()
            elif what == "add":
                mark(study, (ADA, BO)[value % 2], start=value * 1_000_000, rationale=f"new {value}")
            else:
                with study.step("Edit"):
                    change(study, what, which, value)


def change(study: Study, what: str, which: int, value: int) -> None:
    known = [s for s in all_segments(study) if s.recording_id == "r-2"]
    match what:
        case "person":
            update_participant(study, replace(all_participants(study)[0], pseudonym=f"P{value}"))
        case "appear":
            set_appearance(study, f"r-{value + 1}", PERSON.id, which % 2 == 0)
        case _ if not known:
            pass
        case "move":
            segment = known[which % len(known)]
            update_segment(study, replace(segment, end_us=segment.start_us + 1_000 * (value + 1)))
        case "text" | "clear":
            text = f"text {value}" if what == "text" else None
            segment = known[which % len(known)]
            set_value(study, FieldValue(segment.id, SCHEME.key, SCHEME.version, "rationale", text))
        case "delete":
            delete_segments(study, known[which % len(known)].id)
