"""Fixtures of the end-to-end tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal
from tests.faults.lab import Lab


@pytest.fixture
def greenroom(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def lab(tmp_path: Path, greenroom: Terminal) -> Iterator[Lab]:
    made = Lab(tmp_path, greenroom)
    yield made
    made.look_after()
