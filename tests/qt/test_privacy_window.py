"""The window about exports: what it shows of each, what is red, where it leads."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox
from pytestqt.qtbot import QtBot

from anonymize.privacy.privacy_limits import PrivacyLimits, read_privacy_limits
from app.gui.release import privacy_tab as cells
from app.gui.release.privacy_tab import PrivacyTab
from app.gui.window.main_window import MainWindow
from project.codec import dump
from project.entities.study_records import Run
from project.ids import new_id
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.privacy_reports import report
from tests.builders.scripted_dialogs import Answers
from widgets.table.record_table import TableRow


def export(study: Study, recording: str, method: str, at: str, **wrong: float) -> None:
    """Put an export into the study, measured where something is said about it."""
    run = Run(new_id(), recording, "anonymize", method, {}, {"output": f"{method}.mp4"}, at, "0")
    runs = [run]
    if wrong:
        found = dump(report(method=method, **wrong))
        runs.append(Run(new_id(), recording, "privacy", method, {"export": run.id}, found, at, "0"))
    with study.run_transaction():
        for each_run in runs:
            insert_run(study, each_run)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=2, segments=0, annotators=1)
        first, second = all_recordings(made)
        export(made, first.id, "solid", "2026-01-01", rate=0.0)
        export(made, first.id, "blur", "2026-01-02", rate=0.5, worst=0.9, leaks=2)
        export(made, second.id, "pixelate", "2026-01-03")
    return tmp_path / "lab.greenroom"


def column(name: str) -> int:
    return cells.EXPORT_COLUMNS.index(name)


def test_exports_are_listed_and_one_that_was_not_measured_offers_to(window: MainWindow, answers: Answers) -> None:
    found: PrivacyTab = window.windows.open_window("privacy")
    shown = found.table.texts()
    assert [row[column("Method")] for row in shown] == ["pixelate", "blur", "solid"]
    assert [row[column("Re-identified")] for row in shown[:2]] == ["not measured", "50.0 %"]
    assert shown[1][column("Leaks")] == "2"
    found.table.selectRow(0)
    assert "not measured yet" in found.verdict.text()
    assert found.start.isEnabled()
    assert not found.go.isEnabled()
    assert found.tracks.texts() == []
    assert found.alike.views == []
    found.measure()
    assert [asked.title for asked in answers.asked] == ["Folder of pixelate.mp4"], "the clip is not beside the study"


def test_what_is_over_a_limit_is_told_and_its_worst_frame_is_one_click_away(window: MainWindow, qtbot: QtBot) -> None:
    found: PrivacyTab = window.windows.open_window("privacy")
    limited = ("Re-identified", "Worst track", "Leaks", "Still detected")

    def loud(row: int) -> list[bool]:
        cells = [found.table.model().index(row, column(name)) for name in limited]
        return ["over the limit" in cell.data(Qt.ItemDataRole.ToolTipRole) for cell in cells]

    assert loud(1) == [True, True, True, False]
    assert not any(loud(2))
    found.table.selectRow(2)
    assert found.verdict.text() == "Nothing that was measured is over its limit."
    found.table.selectRow(1)
    assert found.verdict.text().startswith("Over the limit: In 2 of 80 frames")
    assert [row[0] for row in found.tracks.texts()] == ["P01"]
    assert any(row[0].startswith("Parrot attacker") for row in found.figures.texts())
    assert any("No optical flow" in row[3] for row in found.figures.texts())
    assert [view.plot.title for view in found.alike.views] == ["How alike faces are"]
    assert {view.plot.title for view in found.methods.views} == {"Re-identified faces", "Signals that are kept"}
    seen: list[tuple[str, int]] = []
    object.__setattr__(found._context, "look_at", lambda recording, time: seen.append((recording, time)))
    qtbot.mouseClick(found.go, Qt.MouseButton.LeftButton)
    found.tracks.chosen.emit(TableRow("track 1", (), time_us=1_500_000))
    assert [time for _, time in seen] == [1_500_000, 1_500_000]
    assert "0:00:01.500" in found.go.text()


def test_a_limit_set_in_the_window_is_in_the_study_and_judges_anew(window: MainWindow) -> None:
    found: PrivacyTab = window.windows.open_window("privacy")
    session = window.studio.session
    found.table.selectRow(1)
    for name, value in (("reidentified", 60), ("worst_track", 95), ("leak_frames", 3)):
        editor = found.limits.editors[name]
        editor.setValue(value if isinstance(editor, QDoubleSpinBox) else int(value))
    assert read_privacy_limits(session.study) == PrivacyLimits(reidentified=0.6, worst_track=0.95, leak_frames=3)
    assert found.verdict.text() == "Nothing that was measured is over its limit."
    window.studio.undo()
    assert found.limits.editors["leak_frames"].value() == 0
