"""Random edits in a study and in its copies: merged in any order and by any route, the same rows are left."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.integrity.integrity_check import check_study
from project.queries.history_rows import all_conflicts
from project.store.study import Study
from tests.builders.merge_study import EDITS, content, copy_file, merge, play, two_segments


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


@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
@given(EDITS, st.lists(EDITS, min_size=2, max_size=2))
def test_the_order_of_copies_does_not_matter_nothing_is_dropped_and_merging_again_changes_nothing(
    home: list[Any], copies: list[list[Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, made = lab(Path(folder), home, copies)
        first, ours, theirs = (
            content(path.with_name("first.greenroom")),
            content(path),
            [content(copy) for copy in made],
        )
        other = copy_file(path, "other")
        merge(path, *made)
        merge(other, *reversed(made))
        assert check_study(path) == check_study(other) == []
        merged = content(path)
        assert content(other) == merged
        assert all(done.is_empty for done in merge(path, *made))
        assert content(path) == merged
        with Study.open(path, read_only=True) as study:
            versions = [side for conflict in all_conflicts(study) for side in (conflict.ours, conflict.theirs) if side]
        kept = {tuple(row.values()) for side in versions for rows in side.values() for row in rows}
        for table in ("segment", "segment_value", "participant", "appearance"):
            made_by_one = {row for side in (ours, *theirs) for row in side[table]} - {*first[table]}
            assert made_by_one <= {*merged[table]} | kept, "each row is in the study or in a conflict"
