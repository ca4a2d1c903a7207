"""The window about agreement: the figures of the command line, drawn, kept up to date, and taken along."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.review.segment_statistics import compute_segment_statistics
from annotate.segments.segment_edits import add_segment
from app.gui.agreement.agreement_figures import ComputationState
from app.gui.agreement.agreement_window import AgreementWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Verdict
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.terminal import Terminal
from widgets.plots.estimates_table import BETWEEN, NAME, PUBLISHED, VALUE, N
from widgets.plots.plot_data import format_value
from widgets.plots.plot_view import COPY_PICTURE, COPY_TABLE, CSV, SVG
from widgets.text_labels import PlainLabel


class Answers(Dialogs):
    def __init__(self) -> None:
        self.place: Path | None = None

    def folder(self, title: str) -> Path | None:
        return self.place

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return None if self.place is None else self.place / path.name


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=6, segments=120, annotators=3)
    return tmp_path / "lab.greenroom"


@pytest.fixture
def window(open_window: Callable[..., MainWindow], study: Path) -> MainWindow:
    return open_window(study, questions=Answers())


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> AgreementWindow:
    window.menus.actions["agreement"].trigger()
    found = window.windows.open_window("agreement")
    assert isinstance(found, AgreementWindow)
    current(qtbot, found)
    return found


def current(qtbot: QtBot, found: AgreementWindow) -> None:
    qtbot.waitUntil(lambda: found.computing.state is ComputationState.CURRENT)


def again(qtbot: QtBot, found: AgreementWindow, change: Callable[[], object]) -> None:
    """Change something and wait for other figures."""
    with qtbot.waitSignal(found.computing.finished):
        change()
    current(qtbot, found)


def table(found: AgreementWindow) -> dict[str, list[str]]:
    view = found.figures
    rows = [[view.item(row, column).text() for column in range(5)] for row in range(view.rowCount())]
    return {row[NAME]: row for row in rows}


def answers(window: MainWindow) -> Answers:
    found = window.files.questions
    assert isinstance(found, Answers)
    return found


def test_the_figures_are_those_of_the_command_line(
    opened: AgreementWindow, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Terminal(capsys).json("agreement", study)
    rows = table(opened)
    for name, key in (
        ("Annotations that overlap another annotator's", "overlap_share"),
        ("Same label among overlapping ones", "verdict_agreement"),
        ("Cohen's kappa on the time grid", "cohen_kappa"),
        ("Krippendorff's alpha, time-weighted", "alpha"),
        ("Modified kappa (Holle and Rein)", "elan_kappa"),
    ):
        low, high = found[key]["interval"]
        assert rows[name][VALUE] == f"{found[key]['value']:.3f}"
        assert rows[name][BETWEEN] == f"{low:.3f} to {high:.3f}"
        assert rows[name][N] == f"{found[key]['n']:,}"
    assert rows["F1 at IoU 0.5"][VALUE] == f"{found['f1_iou']['0.5']['value']:.3f}"
    assert rows["Annotations that overlap another annotator's"][PUBLISHED] == "0.851"
    assert rows["Reviews that agree"][VALUE] == format_value(None)
    assert rows["Reviews that agree"][BETWEEN] == found["reviewer_agreement"]["reason"]
    (confusion,) = [view.plot for view in opened.drawn.views if view.plot.key == "confusion"]
    cells = [[cell or 0 for cell in row[1:]] for row in confusion.table().rows]
    assert cells == found["confusion"]["pairs"]
    assert "120 annotations of 6 recordings" in opened.status.text()
    assert opened.form.rowCount() > 10


def test_everything_goes_into_a_folder(
    window: MainWindow, opened: AgreementWindow, study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(window).place = tmp_path
    opened.export_all()
    opened.export_all()
    made = tmp_path / "lab agreement"
    assert (tmp_path / "lab agreement 2" / "agreement.json").exists()
    assert "files to the folder lab agreement 2" in opened.status.text()
    assert json.loads((made / "agreement.json").read_text("utf-8")) == Terminal(capsys).json("agreement", study)
    plots = {path.name for path in (made / "plots").iterdir()}
    shown_plots = [view.plot.key for wall in (opened.drawn, opened.counted) for view in wall.views]
    assert {f"{key}.{ending}" for key in shown_plots for ending in ("svg", "png", "csv")} <= plots
    figures = (made / "tables" / "figures.csv").read_text("utf-8-sig")
    assert next(csv.DictReader(io.StringIO(figures)))["figure"] == "overlap_share"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_that_takes_nothing_is_said(window: MainWindow, opened: AgreementWindow, tmp_path: Path) -> None:
    answers(window).place = tmp_path / "not there"
    opened.export_all()
    assert "cannot be written" in opened.status.text()
    opened.drawn.action_requested.emit(opened.drawn.views[0].plot, SVG)
    assert "cannot be written" in opened.status.text()


def test_one_plot_is_copied_and_saved(window: MainWindow, opened: AgreementWindow, tmp_path: Path) -> None:
    plot = opened.drawn.views[0].plot
    answers(window).place = tmp_path
    for what in (SVG, CSV):
        opened.drawn.action_requested.emit(plot, what)
        assert (tmp_path / f"confusion.{what}").stat().st_size > 50
    opened.drawn.action_requested.emit(plot, COPY_PICTURE)
    assert QApplication.clipboard().image().width() == 1280
    opened.drawn.action_requested.emit(plot, COPY_TABLE)
    assert QApplication.clipboard().text().encode() == (tmp_path / "confusion.csv").read_bytes()[3:]


def test_a_computation_can_be_cancelled_and_begun_again(qtbot: QtBot, opened: AgreementWindow) -> None:
    summary = opened.status.text()
    opened.bar.refresh.click()
    assert opened.status.line.isVisible()
    with qtbot.assertNotEmitted(opened.computing.finished, wait=0):
        opened.status.line.cancel.click()
        qtbot.waitUntil(lambda: not opened._context.background._waiting)
    assert "Cancelled. Refresh" in opened.status.text()
    assert not opened.status.line.isVisible()
    again(qtbot, opened, opened.bar.refresh.click)
    assert opened.status.text() == summary


def test_controls_ask_other_questions(qtbot: QtBot, opened: AgreementWindow) -> None:
    before = table(opened)
    again(qtbot, opened, lambda: opened.bar.pair.setCurrentText("Annotator 1 and Annotator 2"))
    fewer = table(opened)
    assert fewer["IoU of matched segments"][N] != before["IoU of matched segments"][N]
    again(qtbot, opened, lambda: opened.bar.minimum_iou.setValue(0.9))
    assert float(table(opened)["IoU of matched segments"][VALUE]) >= 0.9
    again(qtbot, opened, lambda: opened.bar.third.setCurrentText("Annotator 3"))
    assert table(opened)["Third annotator against the others"][VALUE] != format_value(None)
    opened.bar.third.setCurrentText("Annotator 1")
    qtbot.waitUntil(lambda: opened.computing.state is ComputationState.REFUSED)
    assert "different annotators" in opened.status.text()


def test_an_edit_brings_other_figures_and_keeps_what_is_chosen(
    qtbot: QtBot, window: MainWindow, opened: AgreementWindow
) -> None:
    session = window.studio.session
    place = all_recordings(session.study)[0].id
    opened.splits.by.setCurrentText("Recording")
    opened.tabs.setCurrentWidget(opened.splits)

    def edit() -> None:
        window.studio.edit(lambda each_session: add_segment(each_session, place, 0, 1_000_000, Verdict.ERROR)[1])
        assert opened.computing.state is ComputationState.OUT_OF_DATE
        assert "Out of date" in opened.status.text()

    opened.computing._seconds = 0.0
    again(qtbot, opened, edit)
    assert "121 annotations" in opened.status.text()
    assert opened.splits.by.currentText() == "Recording"
    opened.computing._seconds = 100.0
    edit()
    with qtbot.assertNotEmitted(opened.computing.finished, wait=600):
        pass
    again(qtbot, opened, lambda: QTest.keyClick(opened, Qt.Key.Key_F5))
    assert "122 annotations" in opened.status.text()


def test_a_recording_leads_to_the_video_and_columns_sort(
    qtbot: QtBot, window: MainWindow, opened: AgreementWindow
) -> None:
    opened.splits.by.setCurrentText("Recording")
    view = opened.splits.table
    view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    numbers = [float(view.item(row, 1).text().split()[0]) for row in range(view.rowCount())]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 6
    view.cellClicked.emit(2, 0)
    recording = window.studio.recording
    assert view.item(2, 0).text() == f"{recording.number} {recording.name}"
    opened.splits.by.setCurrentText("Label")
    view.cellClicked.emit(0, 0)
    assert window.studio.recording is recording


def test_every_control_has_a_name(qtbot: QtBot, opened: AgreementWindow) -> None:
    for place in range(opened.tabs.count()):
        opened.tabs.setCurrentIndex(place)
        assert nameless(opened) == []
        assert unexplained(opened) == []
    assert all(view.accessibleDescription() for view in opened.counted.views)


def test_closing_while_it_computes_is_safe(qtbot: QtBot, window: MainWindow) -> None:
    found = window.windows.open_window("agreement")
    assert isinstance(found, AgreementWindow)
    assert found.computing.state is ComputationState.WORKING
    window.close_study()
    assert window.studio.session is None
    window.background.close()
    QApplication.processEvents()


def test_leaving_the_window_while_it_computes_and_coming_back(qtbot: QtBot, window: MainWindow) -> None:
    found = window.windows.open_window("agreement")
    assert isinstance(found, AgreementWindow)
    found.close()
    window.windows.open_window("agreement")
    current(qtbot, found)
    assert found.figures.rowCount() > 12


def test_a_study_in_which_nothing_is_marked_says_what_to_do(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    Study.create(tmp_path / "empty.greenroom").close()
    assert window.open_study(tmp_path / "empty.greenroom")
    found = window.windows.open_window("agreement")
    assert isinstance(found, AgreementWindow)
    current(qtbot, found)
    assert "Nothing is marked yet" in found.status.text()
    for wall in (found.drawn, found.counted):
        found.tabs.setCurrentWidget(wall)
        assert not wall.views
        assert any(
            "Nothing is marked yet" in child.text() for child in wall.findChildren(PlainLabel) if child.isVisible()
        )


def test_what_is_drawn_of_the_statistics_is_what_was_counted(window: MainWindow, opened: AgreementWindow) -> None:
    session = window.studio.session
    assert session is not None
    counted = compute_segment_statistics(session)
    drawn = {view.plot.key: view.plot.table() for view in opened.counted.views}
    by_annotator = drawn["segments_by_annotator"]
    assert [list(row[1:]) for row in by_annotator.rows] == counted.by_annotator.tolist()
    (attributes,) = [field for field in counted.fields if field.key == "attributes"]
    assert [list(row[1:]) for row in drawn["together_attributes"].rows] == attributes.co_occurrence.tolist()
    assert [list(row[1:]) for row in drawn["segments_by_attributes"].rows] == attributes.by_label.T.tolist()
    each = zip(*(row[1:] for row in drawn["segments_by_attributes_and_annotator"].rows), strict=True)
    assert [sum(values) for values in zip(*each, strict=True)] == attributes.co_occurrence.diagonal().tolist()
    for key in ("durations", "durations_by_annotator"):
        assert sum(int(cell or 0) for row in drawn[key].rows for cell in row[2:]) == 120
    assert [row[1] for row in drawn["density"].rows] == counted.density[0].tolist()
