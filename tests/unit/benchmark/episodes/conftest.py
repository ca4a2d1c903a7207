"""Studies that are sound after whatever a test did with episodes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.session.session import Session
from tests.builders.marked_study import open_study


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        yield opened
    assert check_study(tmp_path / "pair.greenroom") == []
