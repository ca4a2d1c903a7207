"""Copies of one small lab, made once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.session.session import Session
from tests.builders.release_study import lab


@pytest.fixture(scope="session")
def made_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture
def session(made_lab: Path, tmp_path: Path, english_names: None) -> Iterator[Session]:
    shutil.copytree(made_lab.parent, tmp_path / "lab")
    with Session.open(tmp_path / "lab" / made_lab.name, "Ada Byron") as opened:
        yield opened
