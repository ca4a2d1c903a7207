"""A study to ask about."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from project.session.session import Session
from tests.builders.marked_study import open_study


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as found:
        yield found
