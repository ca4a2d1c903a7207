"""The command that measures an export."""

from pathlib import Path

import pytest

from anonymize.privacy.privacy_limits import PrivacyLimits, read_privacy_limits
from project.session.session import Session
from project.store.study import Study
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "lab.greenroom").close()
    return tmp_path / "lab.greenroom"


def test_limits_can_be_set_before_anything_is_measured(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    greenroom = Terminal(capsys)
    settings = ("--limit", "reidentified=0.01", "--limit", "leak_frames=3")
    said = greenroom("privacy", str(study), *settings, code=2)
    assert "Nothing was exported" in said
    with Session.open(study, "Ada") as session:
        assert read_privacy_limits(session.study) == PrivacyLimits(reidentified=0.01, leak_frames=3)
