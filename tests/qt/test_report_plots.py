"""Plots of a report are drawn from the figures of runs, and files of them need no screen."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.gui.benchmark.report_plots import report_plots
from benchmark.report.benchmark_report import ReportOptions, gather_report_input
from project.progress import Silent
from project.session.session import Session
from tests.builders.condition_runs import asked_study


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with asked_study(tmp_path_factory.mktemp("asked")) as session:
        return session.study.path


def test_conditions_are_drawn_side_by_side_and_every_answer_is_counted_once(study: Path) -> None:
    with Session.open(study, read_only=True) as session:
        material = gather_report_input(session, ReportOptions(), Silent()).runs
    drawn = {key: {plot.key: plot for plot in plots} for key, plots in report_plots(material).items()}
    table = drawn["conditions"]["conditions-accuracy"].table()
    assert table.head[1:5] == ("Raw", "Raw, low", "Raw, high", "Raw, n")
    ((_, raw, *_rest),) = table.rows
    assert raw == 1.0
    matrices = drawn["confusions"]
    assert len(matrices) == 5, "of three judges, of one of them again under “blur”, and of a person"
    for plot in matrices.values():
        assert plot.columns[-1] == "Unreadable"
        assert sum(value or 0 for row in plot.values for value in row) == 30


def test_plots_are_painted_where_there_is_no_screen(study: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, root / "greenroom.py", "benchmark", "report", study, "--out", tmp_path / "out"],
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
