"""The strip that shows where annotators do not say the same."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.agreement.adjudication import AdjudicationRule, create_adjudicated_lane
from annotate.segments import segment_edits as commands
from app.gui.timeline import judgment_lanes as disagreement_strip
from app.gui.timeline.judgment_lanes import STRIP_KEY
from app.gui.window.main_window import MainWindow
from project.merging.merge import COPY_PROPERTY
from project.queries.segment_rows import all_segments
from tests.builders.marked_study import SECOND, WALK, mark, open_study

Open = Callable[..., MainWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 10, 20)
        mark(session, "Bo", 10, 20)
        mark(session, "Ada", 30, 40)
        mark(session, "Bo", 30, 40, "competence")
        mark(session, "Bo", 50, 60)
        return session.study.path


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Open]:
    opened: list[MainWindow] = []

    def make(study: Path, who: str = "Ada") -> MainWindow:
        window = MainWindow()
        opened.append(window)
        qtbot.addWidget(window)
        window.show()
        qtbot.waitExposed(window)
        window.studio.open(study, who)
        qtbot.waitUntil(window.isActiveWindow)
        window.choose_recording(WALK)
        return window

    yield make
    for window in opened:
        window.close()


def shown(window: MainWindow) -> list[tuple[int, int, int]]:
    model = window.timeline.model
    kinds = model.span_kinds(STRIP_KEY).tolist()
    spans = (model.spans(STRIP_KEY) // SECOND).tolist()
    return [(start, end, kind) for (start, end), kind in zip(spans, kinds, strict=True)]


def has_lane(window: MainWindow) -> bool:
    return window.timeline.model.lane(STRIP_KEY) is not None


def test_it_follows_every_edit_and_undo(open_window: Open, study: Path) -> None:
    window = open_window(study)
    assert window.timeline.model.lanes[0].key == STRIP_KEY
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]
    mine = [segment for segment in all_segments(window.studio.session.study) if segment.start_us == 30 * SECOND]
    own = next(segment for segment in mine if segment.label == "error")
    window.studio.edit(lambda s: commands.set_label(s, [own.id], "competence"))
    assert shown(window) == [(50, 60, 1)]
    window.studio.edit(lambda s: commands.move_segments(s, [(own.id, 30 * SECOND, 45 * SECOND)]))
    assert shown(window) == [(40, 45, 1), (50, 60, 1)]
    window.studio.undo()
    window.studio.undo()
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]
    window.grab()


def test_among_very_many_segments_it_follows_when_the_edits_pause(
    qtbot: QtBot, open_window: Open, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disagreement_strip, "_LIVE", 2)
    window = open_window(study)
    own = next(segment for segment in all_segments(window.studio.session.study) if segment.start_us == 30 * SECOND)
    for label in ("error", "competence"):
        window.studio.edit(lambda s, label=label: commands.set_label(s, [own.id], label))
    before = shown(window)
    window.studio.edit(lambda s: commands.move_segments(s, [(own.id, 30 * SECOND, 45 * SECOND)]))
    assert shown(window) == before
    qtbot.waitUntil(lambda: (40, 45, 1) in shown(window))


def test_an_adjudicated_lane_is_nobody_to_disagree_with(open_window: Open, study: Path) -> None:
    window = open_window(study)
    own = window.timeline.model.track(window.timeline.model.lanes[1].key).items
    first, second = own[0].id, own[1].id
    window.studio.edit(lambda s: commands.move_segments(s, [(first, 10 * SECOND, 22 * SECOND)]))
    window.studio.edit(lambda s: commands.set_label(s, [second], "competence"))
    before = shown(window)
    assert before == [(20, 22, 1), (50, 60, 1)]
    window.studio.edit(lambda s: create_adjudicated_lane(s, AdjudicationRule(minimum_iou=1))[1])
    assert any(lane.title == "Adjudicated" for lane in window.timeline.model.lanes)
    assert shown(window) == before, "it leaves out what both marked from 10 to 20"


def test_keys_go_from_one_to_the_next(open_window: Open, study: Path) -> None:
    window = open_window(study)
    for key, at in ((Qt.Key.Key_Right, 30), (Qt.Key.Key_Right, 50), (Qt.Key.Key_Right, 50), (Qt.Key.Key_Left, 30)):
        QTest.keyClick(QApplication.focusWidget() or window, key, Qt.KeyboardModifier.AltModifier)
        assert window.player.position_us == at * SECOND


def test_it_is_hidden_and_shown_in_the_menu(open_window: Open, study: Path) -> None:
    window = open_window(study)
    action = window.menus.actions["strip"]
    action.trigger()
    assert not has_lane(window)
    assert not action.isChecked()
    action.trigger()
    assert has_lane(window)
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]


def test_it_is_not_there_for_one_annotator_or_in_an_own_copy(open_window: Open, study: Path, tmp_path: Path) -> None:
    window = open_window(study)
    theirs = [segment.id for segment in all_segments(window.studio.session.study)]
    window.studio.session.annotator_name = "Bo"
    own = window.studio.session.annotator()
    bos = [segment.id for segment in all_segments(window.studio.session.study) if segment.annotator_id == own.id]
    assert len(bos) < len(theirs)
    window.studio.edit(lambda s: commands.delete_segments(s, bos))
    assert not has_lane(window)
    window.studio.undo()
    assert has_lane(window)
    with window.studio.session.study.step("Make it a copy"):
        window.studio.session.study.set_property(COPY_PROPERTY, {"annotator": "Bo"})
    window.strip.reload()
    assert not has_lane(window)
