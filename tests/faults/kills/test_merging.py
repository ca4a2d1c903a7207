"""`kill -9` while a colleague's copy is merged: all of it came, or none, and merging again brings the same."""

import shutil
from pathlib import Path

import pytest

from annotate.segments.segment_edits import set_field
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.journal import SUBJECT_COLUMNS
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound
from tests.faults.kills.marked import CLIP, add_marks, marked_study

pytestmark = pytest.mark.e2e
COPY = "for-bo.greenroom"
SHARED, FRESH = 60, 250
OWN_EACH_TIME = ("merged_at", "at", "created_at")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study and a copy, both of which went on: with new segments, and with other words in the same ones."""
    folder = marked_study(tmp_path_factory.mktemp("prepared"), SHARED)
    greenroom("split", folder / STUDY, "--annotator", "Bo", "--out", folder / COPY)
    for seed, path in enumerate((folder / STUDY, folder / COPY), 2):
        with Session.open(path, "Bo") as session:
            for segment in all_segments(session.study)[: SHARED // 2]:
                set_field(session, segment.id, "rationale", f"as {path.stem} says")
            add_marks(session, FRESH, seed=seed)
    return folder


@pytest.fixture(scope="module")
def lives() -> Lives:
    return Lives("merging")


@pytest.fixture(scope="module")
def merged(prepared: Path, lives: Lives, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What lives made of the study that were not cut short."""
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "merge", whole / STUDY, whole / COPY)
    return rows_of(whole / STUDY, SUBJECT_COLUMNS, OWN_EACH_TIME)


@pytest.mark.parametrize("number", RUNS)
def test_a_copy_came_home_or_not(
    prepared: Path, lives: Lives, merged: dict[str, str], tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study, copy = tmp_path / "work", tmp_path / "work" / STUDY, tmp_path / "work" / COPY
    shutil.copytree(prepared, folder)
    before, content = rows_of(study, SUBJECT_COLUMNS, OWN_EACH_TIME), copy.read_bytes()
    death = kill_one(lives, number, "greenroom", "merge", study, copy)
    sound(study)
    alone(folder, CLIP, COPY)
    assert copy.read_bytes() == content
    kept = rows_of(study, SUBJECT_COLUMNS, OWN_EACH_TIME)
    assert kept in (before, merged), "half of the copy came"
    assert death.killed or kept == merged
    told = greenroom("merge", study, copy)
    assert rows_of(study, SUBJECT_COLUMNS, OWN_EACH_TIME) == merged
    assert told["unresolved_conflicts"] == SHARED // 2
    sound(study)
    alone(folder, CLIP, COPY)
