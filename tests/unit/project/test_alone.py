"""A study that is held for oneself is free again afterwards, whatever happened."""

from pathlib import Path

import pytest

from project.errors import UserError
from project.store.locking import exclusive_lock
from project.store.study import Study


def test_a_study_that_was_taken_away_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "a.greenroom"
    Study.create(path).close()
    away = path.rename(tmp_path / "b.greenroom")
    with pytest.raises(UserError), exclusive_lock(path):
        pass
    away.rename(path)
    with Study.open(path) as study:
        assert not study.read_only
