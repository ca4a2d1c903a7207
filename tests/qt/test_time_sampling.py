"""Time sampling in the window: it goes from sample to sample, a label's key answers, and what is skipped is missing."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_scheme
from app.gui.timeline.time_sampling import SAMPLES
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import press
from tests.builders.point_schemes import MOMENTS
from tests.builders.slow_clock import play_by_looks
from tests.qt.conftest import OpenWindow

SECOND = 1_000_000
TAKEN, PARTLY, MISSING = range(3)


@pytest.fixture(scope="module")
def moments_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    path = make_filmed_study(tmp_path_factory.mktemp("sampled"))
    with Session.open(path, "Ada") as session:
        use_scheme(session, MOMENTS, "moments.toml")
        (recording,) = all_recordings(session.study)
        for name in ("P01", "P02"):
            add_participant(session, name, ParticipantRole.USER, recording.id)
    return open_shared_window(path)


@pytest.fixture
def window(moments_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    qtbot.waitUntil(lambda: moments_window.player.times is not None and moments_window.view.picture() is not None)
    moments_window.playback.jump(0)
    moments_window.timeline.setFocus()
    yield moments_window
    moments_window.sampling.stop()
    moments_window.player.pause()


def taken(window: MainWindow, track: str) -> list[tuple[str, float, float]]:
    assert window.studio.session is not None
    found = [segment for segment in all_segments(window.studio.session.study) if segment.track == track]
    return [(segment.label, segment.start_us / SECOND, segment.end_us / SECOND) for segment in found]


def kinds(window: MainWindow) -> list[int]:
    return window.timeline.model.span_kinds(SAMPLES).tolist()


def test_keys_answer_instantaneous_samples_and_a_skipped_one_is_missing_until_it_is_taken(window: MainWindow) -> None:
    window.active.select_track("moments/gaze")
    press(window, "Shift+T")
    line = window.workspace.coding_line
    assert window.player.position_us == 2 * SECOND
    assert "sample 1 of 12" in line.text()
    assert "12 missing" in line.text()
    press(window, "E")
    assert window.player.position_us == 4 * SECOND
    press(window, "Ctrl+Right", "C")
    assert taken(window, "gaze") == [("face", 2, 2), ("away", 6, 6)]
    assert kinds(window)[:4] == [TAKEN, MISSING, TAKEN, MISSING]
    press(window, "Ctrl+Left", "Ctrl+Left")
    assert window.player.position_us == 4 * SECOND
    press(window, "Ctrl+Left", "C")
    assert taken(window, "gaze")[0] == ("away", 2, 2), "a sample that was taken gets another label"
    assert window.player.position_us == 4 * SECOND, "and the next missing one is asked for"
    window.studio.undo()
    window.studio.undo()
    assert taken(window, "gaze") == [("face", 2, 2)]
    assert kinds(window)[:3] == [TAKEN, MISSING, MISSING]
    press(window, "Shift+T")
    assert line.text() == ""
    assert window.timeline.model.lane(SAMPLES) is None
    press(window, "E")
    assert taken(window, "gaze") == [("face", 2, 2)], "outside the mode nothing is made beside the samples"


def test_a_scan_asks_for_every_participant_of_each_sample(window: MainWindow) -> None:
    window.active.select_track("moments/scan")
    press(window, "Shift+T")
    assert "P01" in window.workspace.coding_line.text()
    press(window, "E")
    assert "P02" in window.workspace.coding_line.text()
    assert window.player.position_us == 5 * SECOND
    assert kinds(window) == [PARTLY, MISSING, MISSING, MISSING]
    press(window, "C", "E")
    assert window.player.position_us == 10 * SECOND
    assert kinds(window) == [TAKEN, PARTLY, MISSING, MISSING]
    assert window.studio.session is not None
    study = window.studio.session.study
    people = {person for segment in all_segments(study) for person in values_of(study, segment.id).values()}
    assert len(people) == 2


def test_an_interval_is_played_and_its_label_is_asked_for_at_its_end(window: MainWindow, qtbot: QtBot) -> None:
    play_by_looks(window.player)
    window.active.select_track("moments/touch")
    press(window, "Shift+T")
    assert window.player.playing
    assert window.timeline.marks == (0, 2 * SECOND)
    qtbot.waitUntil(lambda: not window.player.playing)
    assert window.player.position_us == 2 * SECOND
    press(window, "E")
    assert taken(window, "touch") == [("yes", 0, 2)]
    assert window.timeline.marks == (2 * SECOND, 4 * SECOND)


def test_playing_on_stops_at_the_next_sample_that_is_missing(window: MainWindow, qtbot: QtBot) -> None:
    play_by_looks(window.player)
    window.active.select_track("moments/gaze")
    press(window, "Shift+T")
    at = window.player.position_us
    window.player.play()
    qtbot.waitUntil(lambda: not window.player.playing)
    assert window.player.position_us == at + 2 * SECOND
    assert window.sampling.question is not None
    assert window.sampling.question.end_us == at + 2 * SECOND


def test_on_another_track_it_begins_with_the_first_sampled_one(window: MainWindow) -> None:
    window.active.select_track("moments/nods")
    press(window, "Shift+T")
    assert window.active.key == "moments/gaze"
    assert window.sampling.is_enabled
    press(window, "Shift+C")
    assert window.coding.is_enabled
    assert not window.sampling.is_enabled, "a label's key means one thing at a time"
    press(window, "Shift+C")
