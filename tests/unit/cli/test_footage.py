"""Footage on the command line: faces reviewed, clips and sound exported and measured, a release."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import av
import pytest
from click.testing import CliRunner

from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.recording_files import require_usable_sound
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import METHODS, method_type
from anonymize.methods.solid import Solid
from app.cli.command import command
from app.cli.plugin_options import options_by_method, plugin_options
from models.weights import installed_weights as weights
from project.entities.study_records import Json
from project.plugins.option_limits import choice_field
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.clips import make_clip, make_sound_tracks, tone
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.release_study import lab
from tests.builders.terminal import Terminal
from tests.builders.voices import chords, hiss, write_sound


@pytest.fixture
def tracked(tmp_path: Path) -> Path:
    """Two recordings; faces were looked for in the first."""
    with open_lab(tmp_path) as session:
        found_faces(session, [(20, 50, 24, 24)])
        add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", size=SIZE, frames=4, fps=25))])
    return tmp_path / "lab.greenroom"


def test_what_fails_is_listed_the_rest_is_made_and_the_exit_code_says_so(
    tracked: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    out, methods = tmp_path / "clips", ("--method", "solid", "--method", "blur", "--strength", "0.5")
    said = greenroom("anonymize", "export", tracked, "--recording", "all", *methods, "--out", out, code=2)
    assert "Recording 2, blur: FAILED. The faces of recording 2 have not been tracked yet." in said
    assert "greenroom: 2 of 4 clips could not be made." in said
    assert sorted(path.name for path in out.iterdir()) == ["recording-0001-blur.mp4", "recording-0001-solid.mp4"]
    again = greenroom("anonymize", "export", tracked, "--resume", code=2)
    assert "2 of 2 clips could not be made" in again
    flags = ("--recording", "1", "--out", out, "--method", "pixelate", "--cells", "4")
    made = greenroom.json("anonymize", "export", tracked, *flags)
    assert (made["checked_by"], made["method"], made["options"]) == ("centerface", "pixelate", {"cells": 4})
    assert "already exists" in greenroom("anonymize", "export", tracked, *flags, code=2)
    assert "1 face hidden" in greenroom("anonymize", "export", tracked, *flags, "--preview", "0.08")


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

    options = plugin_options(METHODS, method_type)

    @command()
    def paint(flags: dict[str, Json] = options) -> int:
        """Paint."""
        seen.append(options_by_method(flags, ["painted", "solid", "blur"]))
        return 0

    run = CliRunner()
    assert run.invoke(paint, ["--look", "bright", "--no-keep-hats", "--strength", "0.5"]).exit_code == 0
    assert run.invoke(paint, []).exit_code == 0
    assert seen[0] == {"painted": {"look": "bright", "keep_hats": False}, "solid": {}, "blur": {"strength": 0.5}}
    assert seen[1] == {"painted": {}, "solid": {}, "blur": {}}
    assert run.invoke(paint, ["--look", "loud"]).exit_code == 2
    said = " ".join(run.invoke(paint, ["--help"]).output.split())
    assert "Look, for painted: one of calm, bright, by default calm. Which." in said
    assert "Keep hats, for painted: yes or no, by default yes. They stay." in said
    assert options_by_method({"look": "calm"}, ["solid"]) == {"solid": {"look": "calm"}}, "so that solid refuses it"


@pytest.fixture
def sounding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording with sound whose faces were looked for, and one without sound; no weights."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "no weights"))
    with open_lab(tmp_path) as session:
        found_faces(session, [])
        add_recordings(session, [probe_file(make_clip(tmp_path / "silent.mp4", size=SIZE, frames=4, fps=25))])
    return tmp_path / "lab.greenroom"


def codec(path: Path) -> str:
    with av.open(str(path)) as container:
        return str(container.streams.audio[0].codec_context.name)


def test_treated_sound_is_written_with_what_was_measured_and_what_was_not(
    sounding: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    said = greenroom("anonymize", "voice", sounding, "--recording", "1", "-o", tmp_path / "out.wav")
    assert "as many as in the recording; 0 places covered." in said
    assert "Without a transcript nothing personal can be found" in said
    assert "greenroom model fetch voice-embedding" in said
    assert codec(tmp_path / "out.wav") == "pcm_s16le"
    found = greenroom.json(
        "anonymize", "voice", sounding, "--recording", "1", "--method", "mcadams", "--voice-lowest", "0.7"
    )
    assert (found["voice"], found["options"], found["cover"]) == ("mcadams", {"lowest": 0.7}, "mute")
    assert found["same_length"] is True
    assert found["measures"]["words"] is None
    assert codec(Path(found["output"])) == "flac"
    export = ("anonymize", "export", sounding, "--recording", "1", "--out", tmp_path / "clips", "--overwrite")
    assert "A voice identifies its speaker." in greenroom(*export, "--voice", "keep", "--cover", "none")
    assert codec(tmp_path / "clips" / "recording-0001-solid.mp4") == "aac"
    made = greenroom.json(*export, "--voice", "none")
    with av.open(made["output"]) as clip:
        assert not clip.streams.audio


@pytest.fixture
def two_faces(tmp_path: Path) -> Path:
    with open_lab(tmp_path) as session:
        found_faces(session, [(50.0, 40.0, 30.0, 36.0), (100.0, 40.0, 30.0, 36.0)])
        return session.study.path


def test_from_what_is_left_to_reviewed_and_back(two_faces: Path, greenroom: Terminal) -> None:
    review = ("faces", "review", two_faces, "--recording", "1")
    bytes_before = two_faces.read_bytes()
    before = greenroom.json(*review)
    assert "left: 2 undecided tracks (hidden), to mark it as reviewed" in greenroom(*review)
    assert two_faces.read_bytes() == bytes_before, "looking changes nothing"
    assert (before["uncovered"], before["uncertain"], before["reviewed"]) == (0, 0, False)
    second = before["tracks"][1]["track"]
    face = ("--face", "70,60,20,20", "--from", "0.08", "--to", "0.12")
    area = ("--area", "5,5,40,20", "--label", "date")
    after = greenroom.json(*review, "--assign", "1", "P01", "--dismiss", second, *area, *face)
    assert [(one["participant"], one["dismissed"]) for one in after["tracks"]] == [("P01", False), (None, True)]
    assert [(one["kind"], one["label"]) for one in after["regions"]] == [("face", "date"), ("area", "date")]
    assert after["uncertain"] == len(after["places"]) > 0
    assert "left" in greenroom(*review, "--reviewed", code=2)
    assert greenroom.json(*review, "--seen", "all", "--reviewed")["reviewed"]
    assert "Reviewed by" in greenroom(*review)
    assert "does not hold any more" in greenroom(*review, "--no-face", "0,0,10,10")
    greenroom("study", "undo", two_faces)
    assert not greenroom.json(*review, "--withdraw")["reviewed"]


@pytest.mark.usefixtures("english_names")
def test_sound_is_asked_for_with_how_voices_are_changed_and_what_is_heard_instead(
    tmp_path: Path, greenroom: Terminal
) -> None:
    study = lab(tmp_path)
    ask = ("release", "make", study, "--dry-run", "--method", "solid", "--sound")
    files = sorted(tmp_path.iterdir())
    assert greenroom.json(*ask, "mcadams", "--voice-option", "lowest=0.6", "--cover", "beep")["ready"] is True
    for wrong in ("lowest=0.1", "lowest=low", "pitch=2", "lowest"):
        greenroom(*ask, "mcadams", "--voice-option", wrong, code=2)
    greenroom("participant", "set", study, "P02", "--recording", "1", "--role", "bystander")
    said = greenroom(*ask, "keep", "--without-consent", "solid", "--json", code=2)
    (reason,) = json.loads(said.splitlines()[-1])["reasons"]
    assert reason["rule"] == "sound-consent"
    assert reason["link"].endswith("--recording 1")
    assert greenroom.json(*ask, "mcadams", "--without-consent", "solid")["ready"] is True
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.usefixtures("english_names")
def test_a_dry_run_takes_waivers_into_account_and_keeps_none(tmp_path: Path, greenroom: Terminal) -> None:
    study = lab(tmp_path)
    ask = ("release", "make", study, "--dry-run", "--method", "solid")
    less = (*ask, "--withdraw", "independent-check")
    assert "independent-check" in greenroom(*less, code=2)
    assert greenroom.json(*less, "--waive", "independent-check:1=There is no other one")["ready"] is True
    assert "at least 3 words" in greenroom(*ask, "--waive", "independent-check=No", code=2)
    assert greenroom.json(*ask)["waived"] == [
        {"rule": rule, "recording": None} for rule in ("independent-check", "privacy-measured")
    ]


def test_a_file_whose_sound_fits_nowhere_is_not_moved(tmp_path: Path, greenroom: Terminal) -> None:
    study = tmp_path / "lab.greenroom"
    greenroom("new", study)
    greenroom("add", study, write_sound(tmp_path / "walk.wav", hiss(6)))
    greenroom(
        "recording",
        "add-view",
        study,
        write_sound(tmp_path / "lapel.wav", chords(6)),
        "--recording",
        1,
        "--role",
        "microphone",
    )
    (medium,) = greenroom.json("recording", "sync", study, "--recording", 1, "--apply")["media"]
    assert (medium["sure"], medium["applied"]) == (False, False)


def test_one_of_several_sound_tracks_is_used_and_the_others_are_said(tmp_path: Path, greenroom: Terminal) -> None:
    study = tmp_path / "lab.greenroom"
    greenroom("new", study)
    clip = make_sound_tracks(tmp_path / "talk.mp4", [tone(level) for level in (0.1, 0.3, 0.6)], default=2)
    assert "Sound track 2 of 3" in greenroom("add", study, clip)
    greenroom("recording", "sound", study, "--recording", 1, "--track", 3)
    assert greenroom.json("recording", "sound", study, "--recording", 1)["track"] == 3
    with Session.open(study) as session:
        located = require_usable_sound(session, all_recordings(session.study)[0].id)
        assert located.medium.sound_track == 3
    greenroom("study", "undo", study)
    assert "sound track 2 of 3" in greenroom("recording", "sound", study, "--recording", 1)
    assert "choose another" in greenroom("recording", "sound", study, "--recording", 1, "--track", 4, code=2)
    other = make_sound_tracks(tmp_path / "other.mp4", [tone(0.1), tone(0.3)])
    (added,) = greenroom.json("add", study, "--sound", 2, other)["recordings"]
    assert (added["sound_track"], added["sound_tracks"]) == (2, 2)
