"""The window about agreement: the figures of the command line, drawn, kept up to date, and exported."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.agreement.annotation_arrays import Options
from annotate.agreement.study_agreement import AgreementQuery, report_agreement
from annotate.segments.segment_edits import add_segment
from app.gui.agreement import agreement_figures
from app.gui.agreement.agreement_figures import MAX_BARS, split_plot
from app.gui.agreement.agreement_window import AgreementWindow
from app.gui.pages.live import LiveState
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Verdict
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.point_schemes import mark_moment, open_moments
from tests.builders.scripted_dialogs import Answers
from tests.builders.shown_texts import table_rows
from tests.builders.terminal import Terminal
from tests.qt.conftest import OpenWindow
from widgets.plots.estimates_table import BETWEEN, NAME, VALUE, N
from widgets.plots.plot_data import Histogram, PlotFormat, format_value
from widgets.plots.plot_view import COPY_PICTURE, COPY_TABLE, CSV
from widgets.text_labels import PlainLabel


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lab") / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=4, segments=60, annotators=3)
    return path


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers()


@pytest.fixture(scope="module")
def window(open_shared_window: OpenWindow, study: Path, answers: Answers) -> MainWindow:
    return open_shared_window(study, None, answers)


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> AgreementWindow:
    window.menus.actions["agreement"].trigger()
    found: AgreementWindow = window.windows.open_window("agreement")
    current(qtbot, found)
    return found


def test_a_distance_of_points_has_an_axis_in_seconds_that_ends_at_the_tolerance(tmp_path: Path) -> None:
    with open_moments(tmp_path) as session:
        for at in range(1, 60):
            mark_moment(session, "Ada", at, "nod")
            mark_moment(session, "Ben", at + 0.3, "nod")
        query = AgreementQuery(scheme="moments", track="nods", options=Options(samples=0, tolerance_us=400_000))
        report = report_agreement(session, query)
    rows = {row.name: row for row in agreement_figures.main_rows(report)}
    assert rows["Distance of matched points (s)"].axis_end == 0.4
    assert rows["Points with a partner"].axis_end == 1
    many = replace(report, rows={"recording": report.rows["recording"] * (MAX_BARS + 1)})
    drawn = split_plot(many, "recording", "point_distance")
    assert isinstance(drawn, Histogram)
    assert (drawn.edges[0], drawn.edges[-1]) == (0, pytest.approx(0.4))
    assert drawn.piles[0].counts[15] == MAX_BARS + 1, "0.3 s is no more cut off at either end"


def current(qtbot: QtBot, found: AgreementWindow) -> None:
    qtbot.waitUntil(lambda: found.computing.state is LiveState.CURRENT)


def again(qtbot: QtBot, found: AgreementWindow, change: Callable[[], object]) -> None:
    """Change something and wait for other figures."""
    with qtbot.waitSignal(found.computing.finished):
        change()
    current(qtbot, found)


def table(found: AgreementWindow) -> dict[str, list[str]]:
    return {row[NAME]: row for row in table_rows(found.figures)}


def test_what_is_shown_is_what_the_command_line_says_and_all_goes_into_a_new_folder(
    qtbot: QtBot,
    opened: AgreementWindow,
    answers: Answers,
    study: Path,
    tmp_path: Path,
    greenroom: Terminal,
    monkeypatch,
) -> None:
    found = greenroom.json("team", "agreement", study)
    alpha = found["main"]["alpha"]
    row = table(opened)["Krippendorff's alpha, time-weighted"]
    assert row[VALUE] == f"{alpha['value']:.3f}"
    assert row[BETWEEN] == f"{alpha['low']:.3f} to {alpha['high']:.3f}"
    assert row[N] == f"{alpha['n']:,}"
    assert table(opened)["Reviews that agree"][BETWEEN] == found["main"]["reviewer_agreement"]["reason"]
    assert "60 annotations of 4 recordings" in opened.status.text()
    drawn = lambda plot, kind: f"{plot.key}.{kind}".encode()  # noqa: E731
    monkeypatch.setattr("app.gui.agreement.agreement_figures.plot_file", drawn)
    (tmp_path / "lab agreement").mkdir()
    answers.give(folder=tmp_path)
    opened.export_all()
    made = tmp_path / "lab agreement 2"
    qtbot.waitUntil(lambda: "files to the folder lab agreement 2" in opened.status.text())
    assert json.loads((made / "agreement.json").read_text("utf-8")) == found
    plots = {path.name for path in (made / "plots").iterdir()}
    shown = [view.plot.key for wall in (opened.drawn, opened.counted) for view in wall.views]
    assert {f"{key}.{ending}" for key in shown for ending in ("svg", "png", "pdf", "csv")} <= plots
    figures = (made / "tables" / "figures.csv").read_text("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(figures)))["figure"] == "overlap_share"
    answers.give(folder=tmp_path / "not there")
    opened.export_all()
    qtbot.waitUntil(lambda: "cannot be written" in opened.status.text())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lab agreement", "lab agreement 2"]


def test_one_plot_is_copied_and_saved(opened: AgreementWindow, answers: Answers, tmp_path: Path) -> None:
    plot = opened.drawn.views[0].plot
    answers.give(save=tmp_path)
    for what in (*PlotFormat, CSV):
        opened.drawn.action_requested.emit(plot, what)
        assert (tmp_path / f"confusion.{what}").stat().st_size > 50
    opened.drawn.action_requested.emit(plot, COPY_PICTURE)
    assert QApplication.clipboard().image().width() == 1280
    opened.drawn.action_requested.emit(plot, COPY_TABLE)
    assert QApplication.clipboard().text().encode() == (tmp_path / "confusion.csv").read_bytes()[3:]


def test_a_computation_can_be_cancelled_and_begun_again(qtbot: QtBot, opened: AgreementWindow) -> None:
    again(qtbot, opened, opened.bar.refresh.click)
    summary, finished = opened.status.text(), list[object]()
    opened.computing.finished.connect(finished.append)
    opened.bar.refresh.click()
    assert opened.status.line.isVisible()
    opened.status.line.cancel.click()
    assert "Cancelled. Refresh" in opened.status.text()
    assert not opened.status.line.isVisible()
    again(qtbot, opened, opened.bar.refresh.click)
    assert opened.status.text() == summary
    assert len(finished) == 1, "nothing comes of what was cancelled"


def test_controls_ask_other_questions(qtbot: QtBot, opened: AgreementWindow) -> None:
    before = table(opened)
    again(qtbot, opened, lambda: opened.bar.pair.setCurrentText("Annotator 1 and Annotator 2"))
    assert table(opened)["IoU of matched segments"][N] != before["IoU of matched segments"][N]
    again(qtbot, opened, lambda: opened.bar.minimum_iou.setValue(0.9))
    assert float(table(opened)["IoU of matched segments"][VALUE]) >= 0.9
    again(qtbot, opened, lambda: opened.bar.third.setCurrentText("Annotator 3"))
    assert table(opened)["Third annotator against the others"][VALUE] != format_value(None)
    opened.bar.third.setCurrentText("Annotator 1")
    qtbot.waitUntil(lambda: opened.computing.state is LiveState.FAILED)
    assert "named twice" in opened.status.text()
    opened.bar.pair.setCurrentIndex(0)
    opened.bar.minimum_iou.setValue(0)
    again(qtbot, opened, lambda: opened.bar.third.setCurrentIndex(0))
    assert table(opened) == before


def test_an_edit_brings_other_figures_and_keeps_what_is_chosen(
    qtbot: QtBot, window: MainWindow, opened: AgreementWindow
) -> None:
    place = all_recordings(window.studio.session.study)[0].id
    opened.splits.by.setCurrentText("Recording")
    opened.tabs.setCurrentWidget(opened.splits)

    def edit() -> None:
        window.studio.edit(lambda session: add_segment(session, place, 0, 1_000_000, Verdict.ERROR)[1])
        assert opened.computing.state is LiveState.OUTDATED
        assert "Out of date" in opened.status.text()

    opened.computing.seconds = 0.0
    again(qtbot, opened, edit)
    assert "61 annotations" in opened.status.text()
    assert opened.splits.by.currentText() == "Recording"
    opened.computing.seconds = 100.0
    edit()
    assert not opened.computing._pause.isActive(), "what takes long waits until somebody asks for it"
    again(qtbot, opened, lambda: QTest.keyClick(opened, Qt.Key.Key_F5))
    assert "62 annotations" in opened.status.text()
    opened.computing.seconds = 0.0
    for _ in range(2):
        window.menus.actions["undo"].trigger()
    qtbot.waitUntil(lambda: "60 annotations" in opened.status.text())


def test_a_study_can_be_left_while_it_computes_and_one_without_marks_says_what_to_do(
    qtbot: QtBot, open_window: OpenWindow, study: Path, tmp_path: Path
) -> None:
    window = open_window(study)
    found: AgreementWindow = window.windows.open_window("agreement")
    assert found.computing.state is LiveState.WORKING
    Study.create(tmp_path / "empty.greenroom").close()
    assert window.open_study(tmp_path / "empty.greenroom")
    found = window.windows.open_window("agreement")
    current(qtbot, found)
    assert "Nothing is marked yet" in found.status.text()
    for wall in (found.drawn, found.counted):
        found.tabs.setCurrentWidget(wall)
        assert not wall.views
        assert any("Nothing is marked yet" in label.text() for label in wall.findChildren(PlainLabel))
    found.refresh()
    window.close_study()
    assert window.studio.session is None
    window.background.close()
    QApplication.processEvents()
