"""Exports from the command line: several methods, what fails, going on, a preview, flags of every kind."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest
from click.testing import CliRunner

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.methods.solid import Solid
from app.cli.plugin_options import method_options, options_by_method
from project.entities.study_records import Json
from project.option_limits import choice_field
from tests.builders.clips import make_clip
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.terminal import Terminal


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two recordings; faces were looked for in the first."""
    folder = tmp_path_factory.mktemp("lab")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        with open_lab(folder) as session:
            found_faces(session, [(20, 50, 24, 24)])
            add_recordings(session, [probe_file(make_clip(folder / "talk.mp4", size=SIZE, frames=4, fps=25))])
        yield folder / "lab.greenroom"


def test_what_fails_is_listed_the_rest_is_made_and_the_exit_code_says_so(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    methods = ("--method", "solid", "--method", "blur", "--strength", "0.5")
    said = greenroom("anonymize", study, "--recording", "all", *methods, "--out", tmp_path / "clips", code=2)
    assert "Recording 2, blur: FAILED. The faces of recording 2 have not been tracked yet." in said
    assert "greenroom: 2 of 4 clips could not be made." in said
    assert sorted(path.name for path in (tmp_path / "clips").iterdir()) == [
        "recording-0001-blur.mp4",
        "recording-0001-solid.mp4",
    ]
    again = greenroom("anonymize", study, "--resume", code=2)
    assert "2 of 2 clips could not be made" in again


def test_an_option_reaches_the_method_and_the_record(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    flags = ("--recording", "1", "--out", tmp_path, "--method", "pixelate", "--cells", "4")
    made = greenroom.json("anonymize", study, *flags)
    assert (made["checked_by"], made["method"], made["options"]) == ("centerface", "pixelate", {"cells": 4})
    assert made["outdated"] is False
    before = Path(made["output"]).read_bytes()
    assert "There is a clip already" in greenroom("anonymize", study, *flags, code=2)
    assert Path(made["output"]).read_bytes() == before


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


def test_a_preview_is_two_pictures_and_no_clip(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    flags = ("--recording", "1", "--method", "blur", "--preview", "0.08", "--out", tmp_path / "pictures")
    said = greenroom.json("anonymize", study, *flags)
    assert (said["time"], said["faces"], said["nearest"]) == (0.08, 1, None)
    assert sorted(path.suffix for path in (tmp_path / "pictures").iterdir()) == [".png", ".png"]
    assert "1 face hidden" in greenroom("anonymize", study, *flags)
    assert "one recording by one method" in greenroom("anonymize", study, *flags, "--method", "solid", code=2)


@dataclass(frozen=True, slots=True)
class Options:
    """A choice and something that is so or not."""

    look: str = choice_field("calm", ("calm", "bright"), "Look", "Which.")
    keep_hats: bool = field(default=True, metadata={"title": "Keep hats", "description": "They stay."})


class Painted(Solid):
    """A method with such options."""

    name: ClassVar[str] = "painted"
    options_type: ClassVar[type[Any]] = Options


def test_choices_and_booleans_are_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.METHODS, "painted", f"{__name__}:Painted")
    seen: list[dict[str, dict[str, Json]]] = []

    @click.command()
    @method_options
    def command(**flags: Json) -> None:
        seen.append(options_by_method(flags, ["painted", "solid", "blur"]))

    run = CliRunner()
    assert run.invoke(command, ["--look", "bright", "--no-keep-hats", "--strength", "0.5"]).exit_code == 0
    assert run.invoke(command, ["--keep-hats"]).exit_code == 0
    assert run.invoke(command, []).exit_code == 0
    assert seen[0] == {"painted": {"look": "bright", "keep_hats": False}, "solid": {}, "blur": {"strength": 0.5}}
    assert seen[1] == {"painted": {"keep_hats": True}, "solid": {}, "blur": {}}
    assert seen[2] == {"painted": {}, "solid": {}, "blur": {}}
    assert run.invoke(command, ["--look", "loud"]).exit_code == 2
    said = " ".join(run.invoke(command, ["--help"]).output.split())
    assert "Look, for painted: one of calm, bright, by default calm. Which." in said
    assert "Keep hats, for painted: yes or no, by default yes. They stay." in said
    with monkeypatch.context() as patch:
        patch.setitem(registry.METHODS, "painted", f"{__name__}:Painted")
        assert options_by_method({"look": "calm"}, ["solid"]) == {"solid": {"look": "calm"}}, "so that solid refuses it"
