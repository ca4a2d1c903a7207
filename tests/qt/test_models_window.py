"""The window of models: what it lists, and a model that is fetched, checked, mended, removed and added through it."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.settings.models_window import ModelsWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from models.weights import download_sources as package_index
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.download_sources import MIRROR_VARIABLE
from models.weights.fetching import OFFLINE_VARIABLES
from models.weights.weights_catalogue import WEIGHTS
from project.errors import UserError
from project.progress import Progress
from project.queries.policy_rows import read_policy
from project.session.jobs import JobSpec
from project.session.optional_parts import OPTIONAL_PARTS
from project.store.study import Study
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.toy_model import FILES, know
from tests.builders.weights_server import Sender, serving

ROOT = Path(__file__).resolve().parents[2]
SIZE = sum(map(len, FILES.values()))
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


class Answers(Dialogs):
    def __init__(self) -> None:
        self.given: Path | None = None
        self.asked: list[str] = []
        self.agreed = False

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        self.asked.append(title)
        return self.agreed

    def folder(self, title: str) -> Path | None:
        self.asked.append(title)
        return self.given

    def file(self, title: str, kinds: str = "") -> Path | None:
        self.asked.append(title)
        return self.given


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    monkeypatch.setenv(package_index.INDEX_VARIABLE, "https://index.invalid/simple")
    for variable in (*OFFLINE_VARIABLES, MIRROR_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path / "models"


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sender]:
    with serving() as running:
        running.files = {f"/{name}": content for name, content in FILES.items()}
        monkeypatch.setattr(catalogue, "WEIGHTS", dict(WEIGHTS))
        monkeypatch.setattr("models.weights.model_list.WEIGHTS", catalogue.WEIGHTS)
        know(catalogue.WEIGHTS, running.base)
        yield running


@pytest.fixture
def main(qtbot: QtBot, tmp_path: Path, sender: Sender) -> Iterator[MainWindow]:
    Study.create(tmp_path / "lab.greenroom").close()
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    made = MainWindow(
        Answers(), runner=WorkerRunner(command=(sys.executable, str(script), str(ROOT), sender.base), grace_ms=5000)
    )
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    assert made.open_study(tmp_path / "lab.greenroom")
    yield made
    made.close()


@pytest.fixture
def window(main: MainWindow) -> ModelsWindow:
    found = main.windows.open_window("models")
    assert isinstance(found, ModelsWindow)
    found.table.choose("toy")
    return found


def state(window: ModelsWindow, name: str = "toy") -> str:
    return window.table.texts()[name][1]


@pytest.fixture
def ended(qtbot: QtBot, main: MainWindow) -> Callable[[Callable[[], object]], None]:
    """Does something and waits until no job is left."""

    def wait(act: Callable[[], object]) -> None:
        act()
        qtbot.waitUntil(lambda: not main.jobs.busy)

    return wait


def click(qtbot: QtBot, button: object) -> Callable[[], None]:
    return lambda: qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_its_action_has_a_key_and_opens_it(main: MainWindow) -> None:
    action = main.menus.actions["models"]
    assert action.shortcut() == QKeySequence("Ctrl+Shift+M")
    action.trigger()
    assert isinstance(main.windows.open_window("models"), ModelsWindow)


def test_every_entry_is_listed_under_its_use_with_what_it_is_for(window: ModelsWindow) -> None:
    shown = window.table.texts()
    assert shown.keys() == catalogue.WEIGHTS.keys() | OPTIONAL_PARTS.keys()
    heads = [window.table.topLevelItem(place).text(0) for place in range(window.table.topLevelItemCount())]
    assert heads[0].startswith("Speech (0 of ")
    assert shown["whisper-large-v3"][1:4] == ("not installed", "3.09 GB", "MIT")
    assert shown["whisper"][1:4] == ("bring your own", "", "yours to say")
    assert all(cells[4] and cells[5] for cells in shown.values())


def test_an_optional_part_is_got_by_the_button_and_by_nothing_else(
    qtbot: QtBot, main: MainWindow, window: ModelsWindow, monkeypatch: pytest.MonkeyPatch, without_names: None
) -> None:
    window.reload()
    window.table.choose("names")
    panel = window.panel
    assert state(window, "names") == "not installed"
    assert panel.fetch.text() == "&Fetch (235.0 MB)"
    assert "By hand: " in panel.lines.text()
    assert "presidio-analyzer" in panel.lines.text()
    assert panel.folder.isHidden()
    assert panel.file.isHidden()
    assert not panel.remove.isEnabled()
    started: list[JobSpec] = []
    monkeypatch.setattr(main.jobs, "start", lambda work, then=None, noted=True: started.append(work))
    answers = main.files.questions
    assert isinstance(answers, Answers)
    click(qtbot, panel.fetch)()
    assert answers.asked == ["Allow downloads"]
    assert started == []
    answers.agreed = True
    click(qtbot, panel.fetch)()
    assert [(work.kind, work.parameters) for work in started] == [("fetch", {"name": "names"})]
    main.jobs.started.emit(started[0])
    main.jobs.progressed.emit(started[0], 12, 0, "Collecting spacy")
    assert state(window, "names") == "fetching…"
    monkeypatch.delitem(sys.modules, "spacy")
    monkeypatch.delitem(sys.modules, "presidio_analyzer")
    main.jobs.done.emit(started[0], {"name": "names"})
    assert state(window, "names") == "installed"
    assert not panel.fetch.isEnabled()
    assert not panel.verify.isEnabled()


def test_it_says_what_comes_in_what_goes_out_and_who_is_asked(window: ModelsWindow, sender: Sender) -> None:
    assert "Nothing of a study goes out" in window.ethics.text()
    assert "index.invalid" in window.network.text()
    assert "huggingface.co" in window.network.text()
    assert "you are asked first" in window.network.text()
    assert sender.paths == []


def test_everything_in_it_has_a_name_and_a_tooltip(window: ModelsWindow) -> None:
    assert nameless(window) == []
    assert unexplained(window) == []
    for name in ("toy", "cartoon", "whisper", "face-landmarks"):
        window.table.choose(name)
        assert nameless(window) == []


def test_a_model_is_fetched_when_asked_checked_mended_and_removed(
    qtbot: QtBot, window: ModelsWindow, folder: Path, ended: Callable[[Callable[[], object]], None]
) -> None:
    panel = window.panel
    assert panel.fetch.text() == "&Fetch (1.0 MB)"
    assert not panel.verify.isEnabled()
    ended(click(qtbot, panel.fetch))
    assert state(window) == "installed"
    assert weights.verified_path("toy") == folder / "toy-folder"
    assert window.status.text() == "toy is installed."
    assert not panel.fetch.isEnabled(), "there is nothing to fetch"
    assert "It is in " in panel.lines.text()

    (folder / "toy-folder" / "model.bin").write_bytes(b"damaged")
    click(qtbot, panel.verify)()
    qtbot.waitUntil(lambda: state(window) == "damaged")
    assert hashlib.sha256(b"damaged").hexdigest() in panel.lines.text()
    assert panel.fetch.text() == "&Fetch again (1.0 MB)"
    ended(click(qtbot, panel.fetch))
    click(qtbot, panel.verify)()
    qtbot.waitUntil(lambda: "sound" in window.status.text())
    assert state(window) == "installed"

    click(qtbot, panel.remove)()
    assert weights.is_installed("toy"), "it asks again"
    click(qtbot, panel.sure)()
    assert state(window) == "not installed"
    assert [*folder.iterdir()] == []
    assert panel.sure.isHidden()


def test_a_cut_fetch_says_why_and_the_next_one_goes_on(
    qtbot: QtBot, window: ModelsWindow, sender: Sender, ended: Callable[[Callable[[], object]], None]
) -> None:
    sender.cut_at = 400_000
    ended(click(qtbot, window.panel.fetch))
    assert "ended early" in window.status.text()
    assert state(window) == "0.4 MB arrived"
    assert "are here" in window.panel.fetch.text()
    assert window.panel.remove.isEnabled(), "what has arrived can be removed"
    sender.cut_at = None
    sender.asked.clear()
    ended(click(qtbot, window.panel.fetch))
    assert sender.asked[0] == "bytes=400000-"
    assert state(window) == "installed"


def test_a_fetch_is_cancelled(
    qtbot: QtBot, window: ModelsWindow, main: MainWindow, ended: Callable[[Callable[[], object]], None]
) -> None:
    click(qtbot, window.panel.fetch)()
    assert not window.panel.cancel.isHidden()
    assert window.panel.fetch.isHidden()
    ended(click(qtbot, window.panel.cancel))
    assert not weights.is_installed("toy")
    assert "Stopped" in window.status.text()
    assert not window.panel.fetch.isHidden()


def test_a_check_says_how_far_it_is_and_is_cancelled(
    qtbot: QtBot, window: ModelsWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in FILES.items():
        (folder / "toy-folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "toy-folder" / name).write_bytes(content)
    window.reload()
    stopped: list[str] = []

    def endless(name: str, progress: Progress) -> str:
        progress.progress(1, 2)
        try:
            while True:
                progress.check_cancelled()
        finally:
            stopped.append(name)

    monkeypatch.setattr("app.gui.settings.models_window.describe_damage", endless)
    click(qtbot, window.panel.verify)()
    qtbot.waitUntil(lambda: state(window) == "checking 50 %")
    assert window.panel.bar.value() == 500
    click(qtbot, window.panel.cancel)()
    assert state(window) == "installed"
    assert window.status.text() == "Stopped checking toy."
    qtbot.waitUntil(lambda: stopped == ["toy"])


def test_it_is_added_from_a_folder(
    qtbot: QtBot,
    window: ModelsWindow,
    main: MainWindow,
    tmp_path: Path,
    ended: Callable[[Callable[[], object]], None],
    sender: Sender,
) -> None:
    answers = main.files.questions
    assert isinstance(answers, Answers)
    click(qtbot, window.panel.folder)()
    assert state(window) == "not installed", "nothing was chosen"
    for name, content in FILES.items():
        (tmp_path / "stick" / "toy-folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "stick" / "toy-folder" / name).write_bytes(content)
    answers.given = tmp_path / "stick"
    ended(click(qtbot, window.panel.folder))
    assert state(window) == "installed"
    assert sender.paths == []
    answers.given = tmp_path / "lab.greenroom"
    ended(click(qtbot, window.panel.file))
    assert "does not hold" in window.status.text()
    assert weights.verified_path("toy")


def test_ones_own_is_added_under_a_licence_that_has_to_be_said(
    qtbot: QtBot, window: ModelsWindow, main: MainWindow, tmp_path: Path
) -> None:
    window.table.choose("stable-diffusion")
    panel = window.panel
    assert panel.fetch.isHidden()
    assert panel.file.isHidden()
    click(qtbot, panel.folder)()
    assert panel.licence.placeholderText() == "Say the licence first, in your words"
    answers = main.files.questions
    assert isinstance(answers, Answers)
    assert answers.asked == []
    panel.licence.setText("OpenRAIL, ours")
    click(qtbot, panel.folder)()
    assert answers.asked == ["Folder with stable-diffusion"]
    window.table.choose("cartoon")
    assert panel.licence.text() == ""
    assert panel.folder.isHidden()


def test_offline_nothing_can_be_fetched_and_it_says_why(
    window: ModelsWindow, monkeypatch: pytest.MonkeyPatch, sender: Sender
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    window.reload()
    assert "HF_HUB_OFFLINE" in window.network.text()
    assert not window.panel.fetch.isEnabled()
    assert "HF_HUB_OFFLINE" in window.panel.fetch.toolTip()
    assert window.panel.folder.isEnabled()
    assert f"get it from {sender.base}/model.bin, and add it here" in window.panel.lines.text()
    window.fetch("toy")
    assert "greenroom models add toy" in window.status.text()
    assert sender.paths == []


def test_what_the_policy_does_not_allow_is_asked_about_and_a_yes_changes_it(
    qtbot: QtBot,
    window: ModelsWindow,
    main: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    sender: Sender,
    ended: Callable[[Callable[[], object]], None],
) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "https://models.invalid")
    session = main.studio.session
    answers = main.files.questions
    assert isinstance(answers, Answers)
    click(qtbot, window.panel.fetch)()
    assert answers.asked == ["Allow downloads"]
    assert "the policy of this study allows no downloads" in window.status.text()
    assert state(window) == "not installed"
    assert not read_policy(session.study).downloads
    answers.agreed = True
    ended(click(qtbot, window.panel.fetch))
    assert read_policy(session.study).downloads
    assert "you are asked" not in window.network.text()
    assert session.study.undo_name is None, "undo does not reach it"
    assert "could not be fetched" in window.status.text()
    assert sender.paths == []
    ended(click(qtbot, window.panel.fetch))
    assert answers.asked == ["Allow downloads"] * 2


def test_a_study_that_is_open_to_read_asks_for_nothing_and_says_why(
    qtbot: QtBot, window: ModelsWindow, main: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "https://models.invalid")
    session = main.studio.session

    def refuse() -> None:
        raise UserError("This study is open to read only.")

    monkeypatch.setattr(session.study, "require_writable", refuse)
    answers = main.files.questions
    assert isinstance(answers, Answers)
    click(qtbot, window.panel.fetch)()
    assert answers.asked == []
    assert window.status.text() == "This study is open to read only."
