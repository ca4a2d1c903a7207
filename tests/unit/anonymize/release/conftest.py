"""Copies of one small lab, made once; whatever looks at its renderings again finds nothing."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from project.entities.study_records import Recording
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.quiet_detector import detect_only
from tests.builders.release_study import lab


@pytest.fixture(scope="session")
def made_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture
def study(made_lab: Path, tmp_path: Path) -> Path:
    """The file of a copy."""
    shutil.copytree(made_lab.parent, tmp_path / "lab")
    return tmp_path / "lab" / made_lab.name


@pytest.fixture
def session(study: Path, english_names: None) -> Iterator[Session]:
    with Session.open(study, "Ada Byron") as opened:
        yield opened


@pytest.fixture
def recording(session: Session) -> Recording:
    return all_recordings(session.study)[0]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    detect_only(monkeypatch)
