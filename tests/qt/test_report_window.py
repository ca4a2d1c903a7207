"""The report of the benchmark: a number leads to its items, an item to its moment, and all of it to files."""

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import rename_recording
from app.gui.benchmark.report_tab import ReportTab
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.frozen_items import ItemModality
from project.progress import Silent
from project.queries.judgment_rows import all_judges
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.condition_runs import asked_study
from tests.builders.item_sets import verdicts
from tests.builders.scripted_dialogs import Answers

LABELS = ("error", "none", "competence", "error") * 6


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("asked") / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=30)
    with Session.open(path) as session:
        homes = [recording.id for recording in all_recordings(session.study)]
        item_set, _ = verdicts(session, LABELS, draws=2, recordings=homes, name="by hand")
        for name in ("oracle", "random"):
            add_judge(session, name, name, "", {})
        run_benchmark(
            session, BenchmarkRequest([item_set], all_judges(session.study), shown=ItemModality.TEXT), Silent()
        )
    return path.read_bytes()


@pytest.fixture
def study(tmp_path: Path, asked: bytes) -> Path:
    (tmp_path / "lab.greenroom").write_bytes(asked)
    return tmp_path / "lab.greenroom"


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> ReportTab:
    window.menus.actions["benchmark_report"].trigger()
    found: ReportTab = window.windows.open_window("benchmark_report")
    qtbot.waitUntil(lambda: found.write.isEnabled())
    return found


def test_a_number_leads_to_its_items_and_an_item_to_its_moment(
    opened: ReportTab, window: MainWindow, qtbot: QtBot
) -> None:
    assert opened.chosen.currentText().startswith("SHREC, table 1")
    rows = {row[0]: row for row in opened.figures.texts()}
    assert rows["(L) oracle (baseline)"][1] == "1.00 ± 0.00"
    assert rows["Human (published)"][1:5] == ("0.57", "0.45", "0.77", "0.71")
    assert rows["Chance"][1] == "0.33"
    row = next(at for at, one in enumerate(opened.figures.texts()) if one[0].startswith("(L) random"))
    opened.figures.clicked.emit(opened.figures.model().index(row, 1))
    assert opened.tabs.currentIndex() == 2
    assert opened.run.currentText() == "Verdict, (L) random"
    items = opened.items.texts()
    assert len(items) == len(LABELS)
    assert {item[4] for item in items} <= {"right", "wrong"}
    third = items[3]
    opened.items.click_row(3)
    session = window.studio.session
    home = next(recording for recording in all_recordings(session.study) if str(recording.number) == third[2])
    qtbot.waitUntil(lambda: window.studio.recording is not None and window.studio.recording.id == home.id)
    window.studio.edit(lambda opened_session: rename_recording(opened_session, home.id, "another"))
    assert "Out of date" in opened.status.text()


def test_all_is_written_to_a_new_folder(opened: ReportTab, answers: Answers, qtbot: QtBot, tmp_path: Path) -> None:
    answers.give(folder=tmp_path)
    for name in ("lab benchmark report", "lab benchmark report 2"):
        with qtbot.waitSignal(opened.write.clicked):
            qtbot.mouseClick(opened.write, Qt.MouseButton.LeftButton)
        folder = tmp_path / name
        qtbot.waitUntil(lambda made=folder: (made / "report.html").exists())
        qtbot.waitUntil(lambda: opened.write.isEnabled())
        assert "Open report.html" in opened.status.text()
        assert (folder / "plots" / "confusion-001-verdict-0.svg").exists()


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with asked_study(tmp_path_factory.mktemp("asked")) as session:
        return session.study.path


def test_plots_are_painted_where_there_is_no_screen(compared: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, root / "greenroom.py", "benchmark", "report", compared, "--out", tmp_path / "out"],
        capture_output=True,
        text=True,
        env=clean,
        cwd=root,
    )
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "out" / "plots").iterdir()}
    assert {"conditions-accuracy.svg", "conditions-accuracy.png", "conditions-accuracy.csv"} <= made
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert page.count("<svg") == sum(text.endswith(".svg") for text in made)
    assert (tmp_path / "out" / "plots" / "conditions-accuracy.png").read_bytes().startswith(b"\x89PNG")
