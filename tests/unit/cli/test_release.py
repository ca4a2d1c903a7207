"""The command that makes a release, as a script meets it."""

import json
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal
from tests.unit.core.release.lab import lab


def test_a_dry_run_ends_with_two_while_anything_stands_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, greenroom = lab(tmp_path), Terminal(capsys)
    assert greenroom.json("release", study, "--dry-run", "--method", "solid")["ready"] is True
    greenroom("participant", study, "P02", "--recording", "1")
    greenroom("participant", study, "P01", "--recording", "1", "--no-consent", "release")
    said = greenroom("release", study, "--dry-run", "--method", "solid", "--json", code=2)
    found = json.loads(said.splitlines()[-1])
    assert found["ready"] is False
    assert found["reasons"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Anna at home.mp4", "lab.greenroom"]
