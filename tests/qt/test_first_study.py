"""A psychologist's way from a code book to results, in the window alone, with mouse and keys."""

import csv
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.agreement.agreement_window import AgreementWindow
from app.gui.files.annotation_import import ImportWindow
from app.gui.files.start_dialog import StartDialog
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView
from app.gui.settings.scheme_editor import SchemeEditor
from app.gui.settings.schemes_window import SchemesWindow
from app.gui.statistics.time_budget_tab import TimeBudgetTab
from app.gui.team.team_tab import SplitDialog, TeamTab
from app.gui.window.main_window import MainWindow
from project.queries.annotator_rows import all_annotators
from project.queries.segment_rows import all_segments
from tests.builders.clips import make_clip
from tests.builders.dialogs_by_hand import FileAnswers, choose_from, choose_in, filled_in
from tests.builders.gaze_eaf import write_gaze_eaf
from tests.builders.mouse_and_keys import click, press, type_text
from tests.builders.shown_texts import table_rows
from tests.qt.conftest import OpenWindow
from widgets.plots.estimates_table import NAME, VALUE, FiguresView

SECOND = 1_000_000
Marks = Sequence[tuple[str, float, float]]

SHOTS = os.environ.get("SHOTS")
COUNT = [0]


def shot(widget: QWidget, name: str) -> None:
    if SHOTS:
        QApplication.processEvents()
        COUNT[0] += 1
        widget.grab().save(f"{SHOTS}/{COUNT[0]:02d}-{name}.png")


def choose_command(window: MainWindow, menu: str, text: str) -> None:
    """Click a menu of the window and an entry of it."""
    to_front(window)
    bar = window.menuBar()
    title = next(action for action in bar.actions() if action.text().replace("&", "") == menu)
    choose_from(lambda: click(bar, QPointF(bar.actionGeometry(title).center())), text)


def to_front(window: QWidget) -> None:
    window.activateWindow()
    QApplication.processEvents()
    assert QApplication.activeWindow() is window.window()


def write_over(field: QWidget, text: str) -> None:
    click(field)
    press(field.window(), "Ctrl+A")
    type_text(field.window(), text)


def marked(window: MainWindow, track: str) -> list[tuple[str, str, float, float]]:
    """Return who, label, start and end of the segments of a track, in seconds."""
    assert window.studio.session is not None
    study = window.studio.session.study
    names = {annotator.id: annotator.name for annotator in all_annotators(study)}
    found = [segment for segment in all_segments(study) if segment.track == track]
    return sorted(
        (names[found.annotator_id], found.label, found.start_us / SECOND, found.end_us / SECOND) for found in found
    )


# The steps


def begin_study(window: MainWindow, folder: Path) -> None:
    def fill(dialog: StartDialog) -> None:
        write_over(dialog.name, "Ada")
        write_over(dialog.place, str(folder / "visits"))
        add = next(button for button in dialog.findChildren(type(dialog.choose)) if button.text() == "&Add files…")
        click(add)
        shot(dialog, "start")
        click(dialog.buttons.go_on)

    with filled_in(StartDialog, fill):
        choose_command(window, "File", "New study…")


def add_label(editor: SchemeEditor, name: str, shortcut: str) -> None:
    click(editor.labels.add)
    type_text(editor, name)
    click(editor.label_form.shortcut)
    type_text(editor, shortcut)


def make_code_book(window: MainWindow) -> None:
    def write(editor: SchemeEditor) -> None:
        write_over(editor.name, "Visits")
        click(
            editor.tracks.table.viewport(),
            QPointF(editor.tracks.table.visualRect(editor.tracks.table.model().index(0, 0)).center()),
        )
        write_over(editor.track_form.name, "Floor")
        add_label(editor, "Doctor", "d")
        add_label(editor, "Patient", "p")
        click(editor.tracks.add)
        type_text(editor, "Gestures")
        choose_in(editor.track_form.extent, "A moment: points")
        add_label(editor, "Nod", "n")
        add_label(editor, "Smile", "s")
        shot(editor, "editor-s-taken")
        assert "The window uses S itself" in editor.label_form.notes["shortcut"].text()
        type_text(editor, "e")
        shot(editor, "editor")
        click(editor.buttons.go_on)

    choose_command(window, "Study", "Schemes…")
    view = window.windows.open_window("schemes")
    assert isinstance(view, SchemesWindow)
    shot(view.window(), "schemes")
    with filled_in(SchemeEditor, write):
        choose_from(lambda: click(view.new), "Empty")
    (other,) = view.list.findItems("Social errors and competences", Qt.MatchFlag.MatchExactly)
    click(view.list, QPointF(view.list.visualItemRect(other).center()))
    click(view.drop)
    shot(view.window(), "schemes-after")
    view.window().close()


def import_elan(window: MainWindow, qtbot: QtBot) -> None:
    choose_command(window, "File", "Import annotations…")
    view = window.windows.open_window("import_annotations")
    assert isinstance(view, ImportWindow)
    qtbot.waitUntil(lambda: view.apply.isEnabled() or bool(view.status.text()))
    shot(view.window(), "import")
    click(view.apply)


def split_study(window: MainWindow, answers: FileAnswers, folder: Path, qtbot: QtBot) -> None:
    choose_command(window, "Study", "Team…")
    team = window.windows.open_window("team")
    assert isinstance(team, TeamTab)
    click(team.form.names)
    type_text(team, "Ada, Bo")
    click(team.form.make)
    shot(team.window(), "team")
    for name in ("Ada", "Bo"):

        def fill(dialog: SplitDialog, name: str = name) -> None:
            choose_in(dialog.who, name)
            shot(dialog, "split")
            click(dialog.buttons.go_on if hasattr(dialog, "buttons") else dialog.findChildren(type(team.split))[-1])

        answers.give(copy_place=folder / f"visits {name}.greenroom")
        with filled_in(SplitDialog, fill):
            click(team.split)
        qtbot.waitUntil(lambda: not team.copying.busy)
    shot(team.window(), "team-split")
    team.window().close()


def go_to(window: MainWindow, second: float) -> None:
    press(window, "Ctrl+L")
    type_text(window, f"{second:g}")
    press(window, "Return")


def code(window: MainWindow, intervals: Marks, points: Sequence[tuple[str, float]], qtbot: QtBot) -> None:
    to_front(window)
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)
    assert window.inspector is not None
    choose_in(window.inspector.chooser.combo, "Floor (Visits)")
    for key, start, end in intervals:
        go_to(window, start)
        press(window, "I")
        go_to(window, end)
        press(window, "O", key)
    shot(window, "intervals")
    press(window, "X")
    for key, at in points:
        go_to(window, at)
        press(window, key)
    shot(window, "points")


def current(view: ComputedView[Any], qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view.computing.state is LiveState.CURRENT)


def compute_again(view: ComputedView[Any], qtbot: QtBot, change: Callable[[], object]) -> None:
    with qtbot.waitSignal(view.computing.finished):
        change()
    current(view, qtbot)


def figures(view: FiguresView) -> dict[str, str]:
    return {row[NAME]: row[VALUE] for row in table_rows(view)}


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_code_book_an_elan_file_and_two_coders_come_to_figures(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    video = make_clip(tmp_path / "visit.mp4", size=(64, 48), frames=600, fps=25, gop=25, sound=True)
    eaf = write_gaze_eaf(
        tmp_path / "gaze study.eaf", video.name, "Eva", [(0, 4, "face"), (4, 6.5, "away"), (7, 12, "face")]
    )
    answers = FileAnswers(videos=[video], annotations=[eaf])
    window = open_window(questions=answers)
    if os.environ.get("SHOT_THEME"):
        window.commands.set_theme(os.environ["SHOT_THEME"])
        w, h = map(int, os.environ["SHOT_SIZE"].split("x"))
        window.resize(w, h)

    begin_study(window, tmp_path)
    qtbot.waitUntil(lambda: window.player.times is not None)
    shot(window, "begun")
    make_code_book(window)
    session = window.studio.session
    assert session is not None
    floor, gestures = session.scheme.tracks
    assert [(label.name, label.shortcut) for label in floor.labels] == [("Doctor", "D"), ("Patient", "P")]
    assert [(label.name, label.shortcut) for label in gestures.labels] == [("Nod", "N"), ("Smile", "E")]
    assert (floor.holds_points, gestures.holds_points) == (False, True)

    import_elan(window, qtbot)
    shot(window, "imported")
    assert marked(window, "Gaze") == [("Eva", "away", 4, 6.5), ("Eva", "face", 0, 4), ("Eva", "face", 7, 12)]

    split_study(window, answers, tmp_path, qtbot)
    codings = {
        "Ada": ((("D", 0, 8), ("P", 8, 16)), (("N", 2), ("N", 5), ("E", 9), ("E", 14))),
        "Bo": ((("D", 0, 10), ("P", 10, 16)), (("N", 2.2), ("N", 5.4), ("E", 9.2), ("N", 14.2))),
    }
    coded_intervals = {
        "Ada": [("doctor", 0, 8), ("patient", 8, 16)],
        "Bo": [("doctor", 0, 10), ("patient", 10, 16)],
    }
    labels = {"N": "nod", "E": "smile"}
    coded_points = {name: sorted((labels[key], at, at) for key, at in points) for name, (_, points) in codings.items()}
    for name, (intervals, points) in codings.items():
        answers.give(study=tmp_path / f"visits {name}.greenroom")
        choose_command(window, "File", "Open study…")
        assert window.studio.session.annotator_name == name
        shot(window, f"copy-{name}")
        code(window, intervals, points, qtbot)
        assert marked(window, floor.key) == [(name, *rest) for rest in coded_intervals[name]]
        assert marked(window, gestures.key) == [(name, *rest) for rest in coded_points[name]]
        assert not marked(window, "Gaze"), "a copy holds nobody else's work"

    answers.give(
        study=tmp_path / "visits.greenroom", copies=[tmp_path / f"visits {name}.greenroom" for name in codings]
    )
    choose_command(window, "File", "Open study…")
    choose_command(window, "Study", "Team…")
    team = window.windows.open_window("team")
    click(team.merge)
    shot(team.window(), "merged")
    assert team.status.text().count("segments: 6 added") == 2
    team.window().close()
    shot(window, "merged-main")
    both = [(name, *rest) for name in codings for rest in coded_points[name]]
    assert marked(window, gestures.key) == both

    choose_command(window, "Study", "Agreement and statistics…")
    agreement = window.windows.open_window("agreement")
    assert isinstance(agreement, AgreementWindow)
    current(agreement, qtbot)
    shot(agreement.window(), "agreement-floor")
    assert agreement.bar.lane.currentText() == "Visits: Floor"
    # 22 of 24 s are the same; by chance, 8 * 10 + 8 * 6 + 8 * 8 of 24 * 24 would be: (11/12 - 1/3) / (1 - 1/3).
    assert figures(agreement.figures)["Cohen's kappa on the time grid"] == "0.875"
    compute_again(agreement, qtbot, lambda: choose_in(agreement.bar.lane, "Visits: Gestures"))
    shot(agreement.window(), "agreement-gestures")
    # Four pairs, three with the same label; by chance, (2 * 3 + 2 * 1) / 16 would be: (3/4 - 1/2) / (1 - 1/2).
    assert figures(agreement.figures)["Kappa of points"] == "0.500"
    compute_again(agreement, qtbot, lambda: (write_over(agreement.bar.tolerance, "0.3"), press(agreement, "Return")))
    shot(agreement.window(), "agreement-tolerance")
    assert figures(agreement.figures)["F1 within the tolerance"] == "0.750", "the second nods are 0.4 s apart"
    agreement.window().close()

    choose_command(window, "Study", "Time budget…")
    budget = window.windows.open_window("time_budget")
    assert isinstance(budget, TimeBudgetTab)
    current(budget, qtbot)
    shot(budget.window(), "budget-first")
    compute_again(budget, qtbot, lambda: choose_from(lambda: click(budget.bar.by), "Annotator"))
    press(budget, "Escape")
    answers.give(save=tmp_path)
    click(budget.save)
    (plot,) = budget.wall.views
    choose_from(lambda: click(plot.take), "Save as SVG…")
    assert budget.status.text() == "Saved time_budget_share.svg."
    qtbot.wait(600) if SHOTS else None
    shot(budget.window(), "budget")
    with (tmp_path / "time_budget.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [(row["annotator"], row["label_name"], row["total_s"], row["share"][:5]) for row in csv.DictReader(file)]
    assert rows == [
        *(("Ada", "Doctor", "8.0", "0.333"), ("Ada", "Patient", "8.0", "0.333")),
        *(("Bo", "Doctor", "10.0", "0.416"), ("Bo", "Patient", "6.0", "0.25")),
    ]
    drawn = (tmp_path / "time_budget_share.svg").read_text("utf-8")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert texts[-6:] == ["Ada", "0.333", "0.333", "Bo", "0.417", "0.250"]
