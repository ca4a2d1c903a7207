"""The command that makes a release, as a script meets it."""

import json
from pathlib import Path

import pytest

from anonymize.release.release_plan import SOUND_CHOICES, TEXT_CHOICES, VIDEO_CHOICES, WITHOUT_CONSENT_CHOICES
from anonymize.sound.voice_methods import COVERS
from tests.builders.release_study import lab
from tests.builders.terminal import Terminal


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


@pytest.mark.usefixtures("english_names")
def test_sound_is_asked_for_with_how_voices_are_changed_and_what_is_heard_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, greenroom = lab(tmp_path), Terminal(capsys)
    ask = ("release", study, "--dry-run", "--method", "solid", "--sound")
    assert greenroom.json(*ask, "mcadams", "--voice-option", "lowest=0.6", "--cover", "beep")["ready"] is True
    for wrong in ("lowest=0.1", "lowest=low", "pitch=2", "lowest"):
        greenroom(*ask, "mcadams", "--voice-option", wrong, code=2)
    greenroom("participant", study, "P02", "--recording", "1", "--role", "bystander")
    said = greenroom(*ask, "keep", "--without-consent", "solid", "--json", code=2)
    (reason,) = json.loads(said.splitlines()[-1])["reasons"]
    assert reason["rule"] == "sound-consent"
    assert reason["link"].endswith("--recording 1")
    assert greenroom.json(*ask, "mcadams", "--without-consent", "solid")["ready"] is True


def test_the_choices_of_the_command_line_are_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    said = Terminal(capsys)("release", "--help")
    for choices in (SOUND_CHOICES, COVERS, TEXT_CHOICES, VIDEO_CHOICES, WITHOUT_CONSENT_CHOICES):
        assert f"[{'|'.join(choices)}]" in "".join(said.split())
