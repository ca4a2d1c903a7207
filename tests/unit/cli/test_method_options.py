"""Flags of the export that derive from the methods' options."""

from dataclasses import fields
from pathlib import Path

import pytest

from anonymize.methods.face_methods import METHODS, method_type
from app.cli.main import run
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tracked")
    path = folder / "lab.greenroom"
    clip = make_clip(folder / "walk.mp4", frames=6, size=(160, 120))
    for command in (["new", path], ["add", path, clip], ["faces", path]):
        assert run([str(part) for part in command]) == 0
    return path


def test_the_help_names_every_option_of_every_method_with_its_limits(greenroom: Terminal) -> None:
    said = " ".join(greenroom("anonymize", "--help").split())
    for name in METHODS:
        assert name in said
        for spec in fields(method_type(name).options_type):
            if "choices" in spec.metadata:
                allowed = f"one of {', '.join(spec.metadata['choices'])}"
            else:
                allowed = f"{spec.metadata['minimum']} to {spec.metadata['maximum']}"
            assert f"--{spec.name}" in said
            assert f"for {name}: {allowed}, by default {spec.default}." in said


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--strength", "0.5"), "The method “solid” has no option “strength”"),
        (("--method", "pixelate", "--strength", "0.5"), "The method “pixelate” has no option “strength”"),
        (("--method", "blur", "--strength", "0.2"), "“0.2” is not allowed for strength"),
        (("--method", "pixelate", "--cells", "9"), "“9” is not allowed for cells"),
        (("--method", "pixelate", "--cells", "2.5"), "--cells"),
        (("--method", "magic"), "There is no anonymization method “magic”"),
    ],
)
def test_what_a_method_does_not_have_or_allow_is_refused_before_anything_is_made(
    study: Path, tmp_path: Path, greenroom: Terminal, flags: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "clips"
    assert said in greenroom("anonymize", study, "--recording", "1", "--out", out, *flags, code=2)
    assert not out.exists()


def test_an_option_reaches_the_method_and_the_record(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    out = tmp_path / "clips"
    chosen = ("--method", "pixelate", "--cells", "4")
    made = greenroom.json("anonymize", study, "--recording", "1", "--out", out, *chosen)
    assert made["options"] == {"cells": 4}
