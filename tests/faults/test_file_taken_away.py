"""The file of an open study is moved, deleted or replaced, or its folder may not be written to any more."""

import shutil
from pathlib import Path

import pytest

from annotate.study.recording_edits import undo
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.locking import lock_path
from project.store.study import Study
from tests.builders.marked_study import mark


@pytest.fixture
def path(session: Session) -> Path:
    """The file of the open study, in which one segment was marked."""
    mark(session, "Ada", 1, 2)
    return session.study.path


def left(path: Path) -> int:
    """Return how many segments a sound study holds that lies alone in its folder."""
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert check_study(path) == []
    with Study.open(path) as study:
        return len(all_segments(study))


def test_a_study_that_was_moved_or_deleted_takes_no_edit_until_it_is_back(session: Session, path: Path) -> None:
    away = path.rename(path.with_name("elsewhere.greenroom"))
    with pytest.raises(UserError, match="was moved or deleted; nothing is saved"):
        mark(session, "Ada", 3, 4)
    with pytest.raises(UserError, match="was moved or deleted"):
        undo(session)
    away.rename(path)
    mark(session, "Ada", 3, 4)
    path.rename(away)
    session.close()
    assert left(away) == 2


def test_a_file_that_took_its_place_is_not_touched(session: Session, path: Path) -> None:
    with Study.create(path.with_name("other"), name="Other") as other:
        other_path = other.path
    content = other_path.read_bytes()
    shutil.move(other_path, path)
    with pytest.raises(UserError, match="Another file has replaced"):
        mark(session, "Ada", 3, 4)
    session.close()
    assert path.read_bytes() == content
    assert left(path) == 0


def test_a_folder_that_may_not_be_written_to_any_more(
    session: Session, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as denied:
        denied.setattr("project.store.locking.Path.unlink", refuse)
        session.close()
    assert lock_path(path).exists()
    with Study.open(path) as study:
        assert len(all_segments(study)) == 1
    assert left(path) == 1
