"""Copies of one small lab with a reviewed rendering, made once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.study.people import set_consent
from anonymize.export import export_job as anonymization
from anonymize.release.release_texts import confirm_texts
from project.entities.study_records import ConsentUse, Recording
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_participants, all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.quiet_detector import detect_only
from tests.builders.release_study import lab


@pytest.fixture(scope="session")
def rendered_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = lab(tmp_path_factory.mktemp("rendered"))
    with Session.open(path, "Ada Byron") as session, pytest.MonkeyPatch.context() as patch:
        detect_only(patch)
        (recording,) = all_recordings(session.study)
        run_inline(session, anonymization.prepare(session, recording.id, "blur", path.parent / "clips"), Silent())
        (person,) = all_participants(session.study)
        set_consent(session, person, ConsentUse.MODELS, True)
        confirm_texts(session)
    return path


@pytest.fixture
def session(rendered_lab: Path, tmp_path: Path, english_names: None) -> Iterator[Session]:
    shutil.copytree(rendered_lab.parent, tmp_path / "lab")
    with Session.open(tmp_path / "lab" / rendered_lab.name, "Ada Byron") as opened:
        yield opened


@pytest.fixture
def recording(session: Session) -> Recording:
    return all_recordings(session.study)[0]


@pytest.fixture
def rendering(session: Session, recording: Recording) -> str:
    """Return the id of the run that made the rendering."""
    return latest_run(session.study, recording.id, "anonymize").id
