"""Random edits in a study and in its copies: merged in any order and by any route, the same rows are left."""

import tempfile
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.integrity.integrity_check import check_study
from project.queries.history_rows import all_conflicts
from project.store.study import Study
from tests.builders.merge_study import EDITS, content, copy_file, everything, merge, play, two_segments

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
        patch.setattr("project.merging.changed_rows.MIN_FRESH_SEGMENTS", request.param)
        yield


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
