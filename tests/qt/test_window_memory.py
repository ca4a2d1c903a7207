"""The window comes back as it was left, also when the program was killed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.annotate.segments_dock import SegmentsWindow
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.session.settings import load_settings, load_view
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

Open = Callable[[Path], MainWindow]
SECOND = 1_000_000


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=3, segments=9, annotators=1)
    return tmp_path / "lab.greenroom"


def ids(window: MainWindow) -> list[str]:
    return [recording.id for recording in all_recordings(window.studio.session.study)]


def test_what_is_kept_does_not_wait_for_the_end(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    key = window.studio.session.study.id
    second = ids(window)[1]
    window.choose_recording(second)
    window.set_mode("faces")
    window.windows.open_window("checklist").resize(700, 500)
    window.workspace.columns.setSizes([300, 700, 360])
    window.workspace.columns.splitterMoved.emit(300, 1)

    def kept() -> bool:
        view = load_view(key)
        windows = view.get("windows")
        there = isinstance(windows, dict) and isinstance(windows.get("checklist"), dict)
        return view.get("recording") == second and view.get("mode") == "faces" and there

    qtbot.waitUntil(kept)
    assert load_settings().window["columns"], "a second later all is in the files, as if the program were killed now"


def test_windows_come_back_where_they_were_and_columns_too(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    segments = window.windows.open_window("segments")
    assert isinstance(segments, SegmentsWindow)
    segments.resize(780, 555)
    size = (segments.width(), segments.height())
    first = next(iter(segments.view.columns_menu().actions()))
    first.trigger()
    hidden = segments.view.hidden_columns()
    assert hidden
    window.windows.open_window("team").close()
    window.windows.open_window("export_annotations")
    window.close()

    again = open_window(study)
    qtbot.waitUntil(lambda: "segments" in again.windows._open)
    found = again.windows._open["segments"]
    assert isinstance(found, SegmentsWindow)
    assert found.isVisible()
    assert (found.width(), found.height()) == size
    assert found.view.hidden_columns() == hidden
    assert set(again.windows._open) == {"segments"}, "neither what was closed nor what was for one errand"


def test_each_recording_is_found_where_it_was_left(open_window: Open, study: Path) -> None:
    window = open_window(study)
    first, second, _ = ids(window)
    window.choose_recording(first)
    window.timeline.show_span(2 * SECOND, 9 * SECOND)
    before = window.timeline.visible_range()
    window.choose_recording(second)
    window.timeline.show_span(20 * SECOND, 30 * SECOND)
    window.choose_recording(first)
    assert window.timeline.visible_range() == pytest.approx(before, abs=SECOND / 10)


def test_damaged_looks_of_windows_are_left_alone(open_window: Open, study: Path) -> None:
    window = open_window(study)
    for looks in (
        None,
        3,
        [],
        {"segments": 3},
        {"segments": {"open": True, "geometry": "x", "splitters": 3}},
        {"?": {}},
    ):
        window.windows.restore_state(looks)
    window.windows.open_window("segments")
