"""A psychologist's path in the window alone, with mouse and keys: docs/from-first-code-to-results.md, step by step."""

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.gui.agreement.agreement_window import AgreementWindow
from app.gui.files.annotation_import import ImportWindow
from app.gui.files.start_dialog import StartDialog
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView, StudyView
from app.gui.settings.scheme_editor import SchemeEditor
from app.gui.settings.schemes_window import SchemesWindow
from app.gui.statistics.time_budget_tab import TimeBudgetTab
from app.gui.team.team_tab import SplitDialog, TeamTab
from app.gui.window.main_window import MainWindow
from project.queries.annotator_rows import all_annotators
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.timebase import SECOND_US
from tests.builders.clips import make_clip
from tests.builders.dialogs_by_hand import FileAnswers, choose_from, choose_in, filled_in
from tests.builders.gaze_eaf import write_gaze_eaf
from tests.builders.mouse_and_keys import click, press, type_text
from tests.builders.shown_texts import table_rows
from tests.qt.conftest import OpenWindow
from widgets.plots.estimates_table import NAME, VALUE

V = TypeVar("V", bound=StudyView)
Mark = tuple[str, float, float]
GAZE = ((0, 4, "face"), (4, 6.5, "away"), (7, 12, "face"))
FLOOR: dict[str, Sequence[Mark]] = {
    "Ada": (("D", 0, 8), ("P", 8, 16)),
    "Bo": (("D", 0, 10), ("P", 10, 16)),
}
"""Annotator -> key, start and end in seconds."""
GESTURES: dict[str, Sequence[tuple[str, float]]] = {
    "Ada": (("N", 2), ("N", 5), ("E", 9), ("E", 14)),
    "Bo": (("N", 2.2), ("N", 5.4), ("E", 9.2), ("N", 14.2)),
}
LABELS = {"D": "doctor", "P": "patient", "N": "nod", "E": "smile"}


def choose_command(window: MainWindow, menu: str, entry: str) -> None:
    """Click a menu of the window and an entry in it."""
    window.activateWindow()
    QApplication.processEvents()
    bar = window.menuBar()
    title = next(action for action in bar.actions() if action.text().replace("&", "") == menu)
    choose_from(lambda: click(bar, QPointF(bar.actionGeometry(title).center())), entry)


def open_view(window: MainWindow, entry: str, key: str, kind: type[V]) -> V:
    choose_command(window, "Study" if key != "import_annotations" else "File", entry)
    view = window.windows.open_window(key)
    assert isinstance(view, kind)
    return view


def write_over(field: QWidget, text: str) -> None:
    click(field)
    press(field.window(), "Ctrl+A")
    type_text(field.window(), text)


def session_of(window: MainWindow) -> Session:
    assert window.studio.session is not None
    return window.studio.session


def marks_by(window: MainWindow, track: str) -> dict[str, list[Mark]]:
    """Return annotator -> label, start and end in seconds of the segments of a track."""
    study = session_of(window).study
    names = {annotator.id: annotator.name for annotator in all_annotators(study)}
    marks: dict[str, list[Mark]] = {}
    for segment in all_segments(study):
        if segment.track == track:
            mark = segment.label, segment.start_us / SECOND_US, segment.end_us / SECOND_US
            marks.setdefault(names[segment.annotator_id], []).append(mark)
    return marks


def wait_for_figures(view: ComputedView[Any], qtbot: QtBot, change: Callable[[], object] | None = None) -> None:
    """Wait until the figures of a view are those of the study; after a change of its controls, for other ones."""
    if change is not None:
        with qtbot.waitSignal(view.computing.finished):
            change()
    qtbot.waitUntil(lambda: view.computing.state is LiveState.CURRENT)


def figures(view: AgreementWindow) -> dict[str, str]:
    return {row[NAME]: row[VALUE] for row in table_rows(view.figures)}


def make_study(window: MainWindow, path: Path) -> None:
    def fill(dialog: StartDialog) -> None:
        write_over(dialog.name, "Ada")
        write_over(dialog.place, str(path))
        click(next(button for button in dialog.findChildren(QPushButton) if button.text() == "&Add files…"))
        click(dialog.buttons.go_on)

    with filled_in(StartDialog, fill):
        choose_command(window, "File", "New study…")


def add_label(editor: SchemeEditor, name: str, shortcut: str) -> None:
    click(editor.labels.add)
    type_text(editor, name)
    click(editor.label_form.shortcut)
    type_text(editor, shortcut)


def make_code_book(window: MainWindow) -> None:
    """Make a code book with a track of intervals and one of points, and stop using the scheme of the new study."""

    def write(editor: SchemeEditor) -> None:
        type_text(editor, "Visits")
        tracks = editor.tracks.table
        click(tracks, QPointF(tracks.visualRect(tracks.model().index(0, 0)).center()))
        write_over(editor.track_form.name, "Floor")
        add_label(editor, "Doctor", "d")
        add_label(editor, "Patient", "p")
        click(editor.tracks.add)
        type_text(editor, "Gestures")
        choose_in(editor.track_form.extent, "A moment: points")
        add_label(editor, "Nod", "n")
        add_label(editor, "Smile", "s")
        assert "The window uses S itself" in editor.label_form.notes["shortcut"].text()
        type_text(editor, "e")
        click(editor.buttons.go_on)

    view = open_view(window, "Schemes…", "schemes", SchemesWindow)
    with filled_in(SchemeEditor, write):
        choose_from(lambda: click(view.new), "Empty")
    (other,) = view.list.findItems("Social errors and competences", Qt.MatchFlag.MatchExactly)
    click(view.list, QPointF(view.list.visualItemRect(other).center()))
    click(view.drop)
    view.window().close()


def import_elan(window: MainWindow, qtbot: QtBot) -> None:
    view = open_view(window, "Import annotations…", "import_annotations", ImportWindow)
    qtbot.waitUntil(lambda: view.apply.isEnabled() or bool(view.status.text()))
    assert [cells[:3] for cells in view.lanes.texts()] == [("Gaze", "New track", "Eva")]
    click(view.apply)
    assert not view.isVisible()


def make_copies(window: MainWindow, answers: FileAnswers, folder: Path, qtbot: QtBot) -> None:
    team = open_view(window, "Team…", "team", TeamTab)
    click(team.form.names)
    type_text(team, ", ".join(FLOOR))
    click(team.form.make)
    for name in FLOOR:

        def fill(dialog: SplitDialog, name: str = name) -> None:
            choose_in(dialog.who, name)
            click(dialog.buttons.go_on)

        answers.give(copy_place=folder / f"visits {name}.greenroom")
        with filled_in(SplitDialog, fill):
            click(team.split)
        qtbot.waitUntil(lambda: not team.copying.busy)
        assert team.status.text() == f"Made visits {name}.greenroom: 1 recording."
    team.window().close()


def code(window: MainWindow, name: str, qtbot: QtBot) -> None:
    """Mark intervals and points by keys, each at a time that is typed."""

    def go_to(second: float) -> None:
        press(window, "Ctrl+L")
        type_text(window, f"{second:g}")
        press(window, "Return")

    window.activateWindow()
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)
    assert window.inspector is not None
    choose_in(window.inspector.chooser.combo, "Floor (Visits)")
    for key, start, end in FLOOR[name]:
        go_to(start)
        press(window, "I")
        go_to(end)
        press(window, "O", key)
    press(window, "X")
    for key, second in GESTURES[name]:
        go_to(second)
        press(window, key)
    press(window, "Ctrl+D")


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_from_a_first_code_book_over_elan_and_two_coders_to_results(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    video = make_clip(tmp_path / "visit.mp4", size=(64, 48), frames=600, fps=25, gop=25, sound=True)
    eaf = write_gaze_eaf(tmp_path / "gaze study.eaf", video.name, "Eva", GAZE)
    answers = FileAnswers(videos=[video], annotations=[eaf])
    window = open_window(questions=answers)
    study = tmp_path / "visits.greenroom"

    make_study(window, study)
    qtbot.waitUntil(lambda: window.player.times is not None)
    make_code_book(window)
    assert [scheme.name for scheme in session_of(window).schemes] == ["Visits"]
    floor, gestures = session_of(window).scheme.tracks
    assert [(label.name, label.shortcut) for label in floor.labels] == [("Doctor", "D"), ("Patient", "P")]
    assert [(label.name, label.shortcut) for label in gestures.labels] == [("Nod", "N"), ("Smile", "E")]
    assert (floor.holds_points, gestures.holds_points) == (False, True)

    import_elan(window, qtbot)
    assert marks_by(window, "Gaze") == {"Eva": [(label, start, end) for start, end, label in GAZE]}

    make_copies(window, answers, tmp_path, qtbot)
    by_floor = {name: [(LABELS[key], start, end) for key, start, end in marks] for name, marks in FLOOR.items()}
    by_gestures = {name: [(LABELS[key], at, at) for key, at in marks] for name, marks in GESTURES.items()}
    for name in FLOOR:
        answers.give(study=tmp_path / f"visits {name}.greenroom")
        choose_command(window, "File", "Open study…")
        assert session_of(window).annotator_name == name, "a copy is its annotator's"
        code(window, name, qtbot)
        assert marks_by(window, "floor") == {name: by_floor[name]}
        assert marks_by(window, "gestures") == {name: by_gestures[name]}
        assert marks_by(window, "Gaze") == {}, "nobody else's work is in it"

    answers.give(study=study, copies=[tmp_path / f"visits {name}.greenroom" for name in FLOOR])
    choose_command(window, "File", "Open study…")
    team = open_view(window, "Team…", "team", TeamTab)
    click(team.merge)
    assert team.status.text().count("segments: 6 added") == 2
    assert sum("1 of 1 done" in column.title for column in team.table.records_model.columns) == len(FLOOR)
    team.window().close()
    assert marks_by(window, "floor") == by_floor
    assert marks_by(window, "gestures") == by_gestures

    agreement = open_view(window, "Agreement and statistics…", "agreement", AgreementWindow)
    wait_for_figures(agreement, qtbot)
    assert agreement.bar.lane.currentText() == "Visits: Floor"
    # 22 of 24 s are the same, and 8 * 10 + 8 * 6 + 8 * 8 of 24 * 24 by chance: (11/12 - 1/3) / (1 - 1/3).
    assert figures(agreement)["Cohen's kappa on the time grid"] == "0.875"
    wait_for_figures(agreement, qtbot, lambda: choose_in(agreement.bar.lane, "Visits: Gestures"))
    # Three of four pairs have the same label, and 2 * 3 + 2 * 1 of 4 * 4 by chance: (3/4 - 1/2) / (1 - 1/2).
    assert figures(agreement)["Kappa of points"] == "0.500"
    assert figures(agreement)["F1 within the tolerance"] == "1.000"
    write_over(agreement.bar.tolerance, "0.3")
    wait_for_figures(agreement, qtbot, lambda: press(agreement, "Return"))
    assert figures(agreement)["F1 within the tolerance"] == "0.750", "the second nods are 0.4 s apart"
    agreement.window().close()

    budget = open_view(window, "Time budget…", "time_budget", TimeBudgetTab)
    wait_for_figures(budget, qtbot)
    wait_for_figures(budget, qtbot, lambda: choose_from(lambda: click(budget.bar.by), "Annotator"))
    press(budget, "Escape")
    answers.give(save=tmp_path)
    click(budget.save)
    with (tmp_path / "time_budget.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["annotator"], row["label_name"], float(row["total_s"])) for row in csv.DictReader(file)]
    assert rows == [("Ada", "Doctor", 8), ("Ada", "Patient", 8), ("Bo", "Doctor", 10), ("Bo", "Patient", 6)]
    (plot,) = budget.wall.views
    choose_from(lambda: click(plot.take), "Save as SVG…")
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "time_budget_share.svg").read_text("utf-8"))
    assert drawn[-6:] == ["Ada", "0.333", "0.333", "Bo", "0.417", "0.250"]
