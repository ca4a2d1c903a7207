"""Fixtures for all tests, which need no screen and no sound card."""

import gc
import os
import re
import shutil
import sqlite3
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_SCALE_FACTOR", "1")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.startup import leave_sources_unread
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from project.errors import UserError
from project.session.optional_parts import NAMES
from project.session.session import Session
from project.store import locking as access
from project.store import study as store
from tests.builders.listed_names import write_pipeline
from tests.builders.llama_server import LlamaServer, run_llama_server
from tests.builders.marked_study import open_study
from tests.builders.terminal import Terminal
from tests.builders.tiny_gguf import TinyModel, write_tiny_model
from tests.builders.waiting import HANG_MS

# Where this machine keeps its models, before tests are pointed at folders of their own.
_MODELS = weights.weights_folder()
_SHARED = Path(__file__).resolve().parents[2] / "shared"

leave_sources_unread()

_MANY_OBJECTS = 50_000
"""Net allocations of containers after which a test is followed by a collection."""

# How long an example takes says nothing about the program: claims about time belong in benches.
settings.register_profile("everyday", deadline=None, max_examples=10)
settings.register_profile("soak", deadline=None)
settings.load_profile("everyday")


def pytest_configure(config: pytest.Config) -> None:
    """Give files out as they are sorted; xdist by itself keeps those with few tests, often long ones, for the end."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable automatic garbage collection, as the window does; freeze what exists by now."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def only_new_garbage() -> Iterator[None]:
    """What a module's tests leave is looked through once: libraries that ask for a full search wait for the rest."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def garbage_searched_here() -> Iterator[None]:
    """Collect what tests leave in the thread that runs them, once it is worth it; see `search_recent`."""
    gc.disable()
    yield
    gc.disable()
    if gc.get_count()[0] > _MANY_OBJECTS:
        gc.collect()


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Only a cut of the power tells what is on the disk from what the system will put there, and no test makes one."""

    def prepared(connection: sqlite3.Connection, *, network: bool) -> bool:
        connection.execute("PRAGMA synchronous = OFF")
        wal = access.configure_connection(connection, network=network)
        connection.execute("PRAGMA synchronous = OFF")
        return wal

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        patch.setattr(store, "configure_connection", prepared)
        yield


@pytest.fixture
def greenroom(capsys: pytest.CaptureFixture[str]) -> Terminal:
    """The command line, run in this process."""
    return Terminal(capsys)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Ada's session in a study with one long recording that has no file."""
    with open_study(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real faces, voices and files of other tools, where the developers have one."""
    folder = _SHARED / "data"
    if not folder.is_dir():
        pytest.skip("needs the developers' test media in ../shared/data, which users do not have")
    return folder


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder with small real models, where the developers have one."""
    folder = _SHARED / "models"
    if not folder.is_dir():
        pytest.skip("needs the developers' test models in ../shared/models, which users do not have")
    return folder


@pytest.fixture
def without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the packages that search texts for personal information look as if they were not installed."""
    for module in NAMES.packages.values():
        monkeypatch.setitem(sys.modules, module, None)


@pytest.fixture
def real_weights() -> Callable[[str], Path]:
    """Where weights of the catalogue lie that somebody fetched on this machine; a test that asks for others skips."""

    def path_of(name: str) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(weights.FOLDER_VARIABLE, str(_MODELS))
            try:
                return weights.verified_path(name)
            except UserError as error:
                pytest.skip(f"{error.message} {error.hint}")

    return path_of


@pytest.fixture(scope="session")
def english_names_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of weights with a small model of English names, brought as a lab brings its own."""
    base = tmp_path_factory.mktemp("names")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(base / "models"))
        add_weights("ner", write_pipeline(base / "pipeline"), "CC0-1.0")
    return base / "models"


@pytest.fixture
def english_names(own_folders: None, english_names_folder: Path) -> None:
    """A machine on which a model of English names is installed, as a release of English speech needs."""
    shutil.copytree(english_names_folder, weights.weights_folder(), dirs_exist_ok=True)


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """A language model and its projector with random weights, half a megabyte."""
    return write_tiny_model(tmp_path_factory.mktemp("gguf"))


@pytest.fixture(scope="session")
def llama_server(tiny_gguf: TinyModel) -> Iterator[LlamaServer]:
    """The server of llama-cpp-python on loopback with the tiny model; it takes pictures."""
    with run_llama_server(tiny_gguf) as server:
        yield server


def _point_at(base: Path, patch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "CACHE", "DATA", "STATE"):
        patch.setenv(f"XDG_{name}_HOME", str(base / name.lower()))


@pytest.fixture(scope="session", autouse=True)
def session_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, cache and data folders for fixtures that outlive a test."""
    with pytest.MonkeyPatch.context() as patch:
        _point_at(tmp_path_factory.mktemp("session"), patch)
        yield


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders of their own, one after another; `mktemp` looks through all there are each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, homes: Iterator[Path]) -> Path:
    """A folder of the test's own, named after it as pytest does; it too would look through all there are each time."""
    home = next(homes)
    path = home.with_name(re.sub(r"\W", "_", request.node.name)[:30] + home.name)
    path.mkdir()
    return path


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """Waits for a window, a signal or a condition until it comes."""
    made = QtBot(request)
    for name in ("waitActive", "waitExposed", "waitSignal", "waitSignals", "waitUntil", "waitCallback"):
        setattr(made, name, partial(getattr(made, name), timeout=HANG_MS))
    return made


@pytest.fixture(autouse=True)
def own_folders(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh settings, cache and data folders for every test."""
    home = next(homes)
    home.mkdir()
    _point_at(home, monkeypatch)
