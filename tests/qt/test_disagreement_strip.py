"""The strip that shows where annotators do not say the same."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.agreement.adjudication import AdjudicationRule, create_adjudicated_lane
from annotate.segments import segment_edits as commands
from app.gui.timeline.judgment_lanes import STRIP_KEY
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment
from project.queries.segment_rows import all_segments
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.mouse_and_keys import press


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
def window(window: MainWindow, qtbot: QtBot) -> MainWindow:
    qtbot.waitUntil(window.isActiveWindow)
    window.choose_recording(WALK)
    return window


def shown(window: MainWindow) -> list[tuple[int, int, int]]:
    model = window.timeline.model
    kinds = model.span_kinds(STRIP_KEY).tolist()
    spans = (model.spans(STRIP_KEY) // SECOND).tolist()
    return [(start, end, kind) for (start, end), kind in zip(spans, kinds, strict=True)]


def has_lane(window: MainWindow) -> bool:
    return window.timeline.model.lane(STRIP_KEY) is not None


def segments_of(window: MainWindow, who: str) -> list[Segment]:
    study = window.studio.session.study
    ((key,),) = study.rows("SELECT id FROM annotator WHERE name = ?", (who,))
    return [segment for segment in all_segments(study) if segment.annotator_id == key]


def move(window: MainWindow, segment: Segment, start: int, end: int) -> None:
    window.studio.edit(lambda s: commands.move_segments(s, [(segment.id, start * SECOND, end * SECOND)]))


def relabel(window: MainWindow, segment: Segment, label: str) -> None:
    window.studio.edit(lambda s: commands.set_label(s, [segment.id], label))


def test_it_follows_every_edit_and_undo(window: MainWindow) -> None:
    assert window.timeline.model.lanes[0].key == STRIP_KEY
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]
    own = segments_of(window, "Ada")[1]
    relabel(window, own, "competence")
    assert shown(window) == [(50, 60, 1)]
    move(window, own, 30, 45)
    assert shown(window) == [(40, 45, 1), (50, 60, 1)]
    window.studio.undo()
    window.studio.undo()
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]
    window.grab()


def test_an_adjudicated_lane_is_nobody_to_disagree_with(window: MainWindow) -> None:
    first, second = segments_of(window, "Ada")
    move(window, first, 10, 22)
    relabel(window, second, "competence")
    before = shown(window)
    assert before == [(20, 22, 1), (50, 60, 1)]
    window.studio.edit(lambda s: create_adjudicated_lane(s, AdjudicationRule(minimum_iou=1))[1])
    assert any(lane.title == "Adjudicated" for lane in window.timeline.model.lanes)
    assert shown(window) == before, "it leaves out what both marked from 10 to 20"


def test_keys_go_from_one_to_the_next_and_the_menu_hides_it(window: MainWindow) -> None:
    for key, at in (("Right", 30), ("Right", 50), ("Right", 50), ("Left", 30)):
        press(window, f"Alt+{key}")
        assert window.player.position_us == at * SECOND
    action = window.menus.actions["strip"]
    action.trigger()
    assert not has_lane(window)
    assert not action.isChecked()
    action.trigger()
    assert has_lane(window)
    assert shown(window) == [(30, 40, 0), (50, 60, 1)]
