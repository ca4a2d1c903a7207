"""The file of an open study is moved, deleted or replaced, or its folder may not be written to any more."""

import shutil
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.store.locking import lock_path
from project.store.study import Study
from tests.unit.project.conftest import Small, furnish


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.create(tmp_path / "a.greenroom")


@pytest.fixture
def small(study: Study) -> Small:
    made = furnish(study)
    made.add()
    return made


def segments(path: Path) -> int:
    with Study.open(path) as study:
        return int((study.row("SELECT count(*) FROM segment") or (0,))[0])


def test_a_study_that_was_moved_takes_no_edit_until_it_is_back(study: Study, small: Small, tmp_path: Path) -> None:
    away = tmp_path / "elsewhere.greenroom"
    study.path.rename(away)
    with pytest.raises(UserError, match="was moved or deleted; nothing is saved"):
        small.add()
    away.rename(study.path)
    small.add()
    study.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.greenroom"]
    assert check_study(study.path) == []
    assert segments(study.path) == 2


def test_what_was_done_before_goes_with_the_file(study: Study, small: Small, tmp_path: Path) -> None:
    away = tmp_path / "elsewhere.greenroom"
    study.path.rename(away)
    study.close()
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere.greenroom"]
    assert check_study(away) == []
    assert segments(away) == 1


def test_a_study_that_was_deleted_takes_no_edit(study: Study, small: Small, tmp_path: Path) -> None:
    study.path.unlink()
    with pytest.raises(UserError, match="was moved or deleted"):
        small.add()
    with pytest.raises(UserError, match="was moved or deleted"):
        study.undo()
    study.close()
    assert [*tmp_path.iterdir()] == []


def test_a_file_that_took_its_place_is_not_touched(study: Study, small: Small, tmp_path: Path) -> None:
    with Study.create(tmp_path / "other", name="Other") as other:
        other_path = other.path
    content = other_path.read_bytes()
    shutil.move(other_path, study.path)
    with pytest.raises(UserError, match="Another file took the place"):
        small.add()
    study.close()
    assert study.path.read_bytes() == content
    assert check_study(study.path) == []
    assert [path.name for path in tmp_path.iterdir()] == ["a.greenroom"]


def test_a_folder_that_may_not_be_written_to_any_more(
    study: Study, small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as denied:
        denied.setattr("project.store.locking.Path.unlink", refuse)
        study.close()
    assert lock_path(study.path).exists()
    assert segments(study.path) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.greenroom"]
