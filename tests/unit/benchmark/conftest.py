"""Studies that several folders of tests open."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from project.session.session import Session
from tests.builders.conversation_study import open_seen


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Session]:
    """Ada's session in a study with one recording whose frames say their number."""
    with open_seen(tmp_path) as opened:
        yield opened
