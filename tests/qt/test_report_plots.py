"""Plots of a report are drawn from the figures of runs, and files of them need no screen."""

import subprocess
import sys
from pathlib import Path

from app.gui.benchmark.report_plots import report_plots
from benchmark.report.benchmark_report import ReportOptions, gather_report_input
from project.progress import Silent
from tests.builders.condition_runs import asked_study
from widgets.plots.plot_data import Matrix, Plot


def plots_of(folder: Path) -> dict[str, dict[str, Plot]]:
    with asked_study(folder) as session:
        material = gather_report_input(session, ReportOptions(), Silent()).runs
    return {key: {plot.key: plot for plot in plots} for key, plots in report_plots(material).items()}


def test_conditions_are_drawn_side_by_side_with_intervals(tmp_path: Path) -> None:
    table = plots_of(tmp_path)["conditions"]["conditions-accuracy"].table()
    assert table.head[1:5] == ("Raw", "Raw, low", "Raw, high", "Raw, n")
    ((_, raw, *_rest),) = table.rows
    assert raw == 1.0


def test_a_matrix_for_each_judge_counts_every_answer_once(tmp_path: Path) -> None:
    drawn = plots_of(tmp_path)["confusions"]
    assert len(drawn) == 5, "of three judges, of one of them again under “blur”, and of a person"
    for plot in drawn.values():
        assert isinstance(plot, Matrix)
        assert plot.columns[-1] == "Unreadable"
        assert sum(value or 0 for row in plot.values for value in row) == 30


def test_plots_are_painted_where_there_is_no_screen(tmp_path: Path) -> None:
    with asked_study(tmp_path) as session:
        study = session.study.path
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
