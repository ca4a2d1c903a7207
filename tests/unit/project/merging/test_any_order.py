"""Random edits in a study and in its copies: merged in any order and by any route, the same rows are left."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.entities.study_records import FieldValue
from project.integrity.integrity_check import check_study
from project.queries.history_rows import all_conflicts
from project.queries.recording_rows import all_participants, set_appearance, update_participant
from project.queries.segment_rows import all_segments, delete_segment, set_value, update_segment
from project.store.study import Study
from tests.builders.merge_study import ADA, BO, PERSON, SCHEME, content, copy_file, everything, furnish, mark, merge

# What is done, to which of the segments, with which of a few values.
_EDIT = st.tuples(
    st.sampled_from(["add", "move", "text", "clear", "delete", "person", "appear", "undo"]),
    st.integers(0, 3),
    st.integers(0, 2),
)
EDITS = st.lists(_EDIT, max_size=5)
_SLOW = settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
"""An example is a merge or several: half as many as others have."""


@pytest.fixture(
    autouse=True,
    scope="module",
    params=[pytest.param(1, id="at once"), pytest.param(500, id="row by row", marks=pytest.mark.soak)],
)
def how_many_at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """New segments are taken at once where they are many; the outcome is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("project.merging.table_rules.MIN_FRESH_SEGMENTS", request.param)
        yield


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
            delete_segment(study, known[which % len(known)].id)


def lab(folder: Path, home: list[Any], copies: list[list[Any]]) -> tuple[Path, list[Path]]:
    """A study with two segments, copies of it, and edits in all of them."""
    path = folder / "home.greenroom"
    path.write_bytes(two_segments())
    copy_file(path, "first")
    made = [copy_file(path, f"copy-{n}") for n in range(len(copies))]
    for where, edits in zip(made, copies, strict=True):
        play(where, edits)
    play(path, home)
    return path, made


@_SLOW
@given(EDITS, st.lists(EDITS, min_size=2, max_size=3))
def test_the_order_of_copies_does_not_matter(home: list[Any], copies: list[list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, made = lab(Path(folder), home, copies)
        left = []
        for number, order in enumerate(permutations(made)):
            here = copy_file(path, f"merged-{number}")
            merge(here, *order)
            assert check_study(here) == []
            left.append(content(here))
        assert all(entry == left[0] for entry in left)


@_SLOW
@given(EDITS, st.lists(EDITS, min_size=1, max_size=2))
def test_merging_again_changes_nothing(home: list[Any], copies: list[list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, made = lab(Path(folder), home, copies)
        merge(path, *made)
        before = everything(path)
        assert all(done.is_empty for done in merge(path, *made))
        assert everything(path) == before


@_SLOW
@given(EDITS, EDITS)
def test_nothing_is_dropped(home: list[Any], theirs: list[Any]) -> None:
    """Each row that one side made is in the study or in a conflict afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        path, (copy,) = lab(Path(folder), home, [theirs])
        ours, there, first = content(path), content(copy), content(path.with_name("first.greenroom"))
        merge(path, copy)
        after = content(path)
        with Study.open(path, read_only=True) as study:
            versions = [side for conflict in all_conflicts(study) for side in (conflict.ours, conflict.theirs) if side]
        kept = {tuple(row.values()) for side in versions for rows in side.values() for row in rows}
        for table in ("segment", "segment_value", "participant", "appearance"):
            made = (set(ours[table]) | set(there[table])) - set(first[table])
            assert made <= set(after[table]) | kept
