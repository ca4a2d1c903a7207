import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.small_study import furnish


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "a.greenroom") as study:
        small = furnish(study)
        small.add()
        study.undo()
        study.redo()
    return tmp_path / "a.greenroom"


def test_a_good_study_has_no_problems(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    assert check_study(path) == []
    assert path.read_bytes() == before
    with Study.create(tmp_path / "big") as study:
        fill_study(study, recordings=20, segments=500)
    assert check_study(tmp_path / "big.greenroom") == []


def test_a_study_that_is_open_can_be_checked(path: Path) -> None:
    with Study.open(path) as study:
        small_names = sorted(p.name for p in path.parent.iterdir())
        assert check_study(path) == []
        assert sorted(p.name for p in path.parent.iterdir()) == small_names
        with study.step("x"):
            study.set_property("x", 1)
        assert check_study(path) == []


def problems() -> Iterator[tuple[str, str]]:
    yield "UPDATE segment SET end_us = 70000000", "reaches outside its recording"
    yield "UPDATE segment SET end_us = 1500000", "not what the history says"
    yield "DELETE FROM segment", "not what the history says"
    yield "PRAGMA ignore_check_constraints = ON; UPDATE segment SET end_us = start_us", "does not end after it starts"
    yield "INSERT INTO segment_value VALUES ('nobody', 's', 1, 'f', '1')", "belongs to no segment"
    yield "INSERT INTO segment_value SELECT id, 's', 1, 'f', '{' FROM segment", "not JSON"
    yield "DELETE FROM annotator", "refers to one of “annotator”"
    yield "UPDATE journal_step SET undo_top = 99 WHERE id = 2", "points to one that is not there"
    yield "DELETE FROM journal_change WHERE step_id = 2", "changed nothing"
    yield "UPDATE journal_change SET step_id = 77 WHERE step_id = 2", "belongs to no step"
    yield "CREATE TABLE extra (x)", "unknown table “extra”"
    yield "CREATE INDEX extra ON segment (end_us)", "unknown index “extra”"
    yield "DROP INDEX segment_by_start", "“segment_by_start” is missing"
    yield "INSERT INTO participant VALUES ('p', 'P', 'king', '')", "unknown role"
    yield (
        "INSERT INTO medium SELECT 'm', id, 'main', 0, 0, 'x', '', '{}' FROM recording",
        "facts about a medium cannot be read",
    )
    yield "INSERT INTO recording SELECT 'r', collection_id, number, '', 0 FROM recording", "the same number"


@pytest.mark.parametrize(("sql", "message"), list(problems()))
def test_each_problem_is_named(path: Path, sql: str, message: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    before = path.read_bytes()
    found = check_study(path)
    assert any(message in line for line in found), found
    assert not any("\n" in line for line in found)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_what_is_kept_in_another_form_is_named_when_it_is_read(path: Path) -> None:
    run = "INSERT INTO run SELECT '{0}', id, '{0}', 'solid', '{{}}', '{1}', '2026-01-01', '1' FROM recording"
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO property VALUES ('release_plan', 'raw')")
        for kind, result in (("faces", "[]"), ("privacy", "nope"), ("anonymize", "{}")):
            connection.execute(run.format(kind, result))
    connection.close()
    with Study.open(path, read_only=True) as study:
        (recording,) = all_recordings(study)
        with pytest.raises(UserError, match="release_plan"):
            study.get_property("release_plan")
        for kind in ("faces", "privacy"):
            with pytest.raises(UserError, match="damaged"):
                latest_run(study, recording.id, kind)
        found = latest_run(study, recording.id, "anonymize")
        assert found.result == {}
