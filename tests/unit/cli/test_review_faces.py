"""`greenroom review-faces`, as a script uses it."""

import json
from pathlib import Path

import pytest

from tests.builders.face_study import found_faces, open_lab
from tests.builders.terminal import Terminal


@pytest.fixture
def greenroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    with open_lab(tmp_path) as session:
        found_faces(session, [(50.0, 40.0, 30.0, 36.0), (100.0, 40.0, 30.0, 36.0)])
    monkeypatch.chdir(tmp_path)
    return Terminal(capsys)


def test_from_what_is_left_to_reviewed_and_back(greenroom: Terminal) -> None:
    study = ("lab.greenroom", "--recording", "1")
    bytes_before = Path("lab.greenroom").read_bytes()
    before = json.loads(greenroom("review-faces", *study, "--json"))
    assert Path("lab.greenroom").read_bytes() == bytes_before, "looking changes nothing"
    assert (before["uncovered"], before["uncertain"], before["reviewed"]) == (0, 0, False)
    second = before["tracks"][1]["track"]
    after = json.loads(
        greenroom(
            "review-faces", *study, "--assign", "1", "P01", "--dismiss", second,
            "--area", "5,5,40,20", "--label", "date", "--face", "70,60,20,20", "--from", "0.08", "--to", "0.12",
            "--json",
        )
    )  # fmt: skip
    assert [(one["participant"], one["dismissed"]) for one in after["tracks"]] == [("P01", False), (None, True)]
    assert [(one["kind"], one["label"]) for one in after["regions"]] == [("face", "date"), ("area", "date")]
    assert after["uncertain"] == len(after["places"]) > 0
    refused = greenroom("review-faces", *study, "--reviewed", code=2)
    assert "left" in refused
    reviewed = json.loads(greenroom("review-faces", *study, "--seen", "all", "--reviewed", "--json"))
    assert reviewed["reviewed"]
    assert "Reviewed by" in greenroom("review-faces", *study)
    assert "does not hold any more" in greenroom("review-faces", *study, "--nothing", "0,0,10,10")
    greenroom("undo", "lab.greenroom")
    assert not json.loads(greenroom("review-faces", *study, "--withdraw", "--json"))["reviewed"]


def test_what_is_left_is_named_until_all_of_it_is_done(greenroom: Terminal) -> None:
    study = ("lab.greenroom", "--recording", "1")

    def left() -> str:
        return greenroom("review-faces", *study).split("; left: ")[1].splitlines()[0]

    assert left() == "2 undecided tracks (hidden), to mark it as reviewed"
    greenroom("review-faces", *study, "--assign", "1", "P01")
    assert left() == "1 undecided track (hidden), to mark it as reviewed"
    greenroom("review-faces", *study, "--reviewed")
    assert left() == "1 undecided track (hidden)"
    greenroom("review-faces", *study, "--dismiss", "2")
    assert left().endswith("to mark it as reviewed"), "the faces changed, so the review does not hold any more"
    greenroom("review-faces", *study, "--seen", "all", "--reviewed")
    assert left() == "nothing"
