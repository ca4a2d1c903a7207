"""Opening, switching and closing in a hurry; nothing may be left running."""

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_recordings, probe_file
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.qt.conftest import OpenWindow


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Three recordings, one of them with its file gone."""
    paths = []
    for number in range(3):
        path = tmp_path / f"clip {number}.mp4"
        make_clip(path, frames=60 + 10 * number)
        paths.append(path)
    made = tmp_path / "lab.greenroom"
    with Session(Study.create(made, "Lab")) as session:
        add_recordings(session, [probe_file(path) for path in paths])
    paths[2].unlink()
    return made


def frame_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "frames"]


def test_switching_in_a_hurry_ends_at_the_last_one(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    window = open_window(study)
    ids = [row.id for row in window.recordings.model.rows()]
    for _ in range(4):
        for text in ids:
            window.choose_recording(text)
            window.player.toggle()
    window.choose_recording(ids[1])
    qtbot.waitUntil(lambda: window.player.times is not None and len(window.player.times) == 70)
    qtbot.waitUntil(lambda: window.view.picture() is not None)
    window.close()
    assert not frame_threads()


def test_closing_leaves_nothing_running(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    for playing in (True, False):
        window = open_window(study)
        if playing:
            window.player.play()
            qtbot.waitUntil(lambda window=window: window.player.position_us > 100_000)
        window.close()
        assert not frame_threads()
    assert not study.with_name("lab.greenroom-wal").exists()
