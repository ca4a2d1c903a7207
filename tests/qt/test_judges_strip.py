"""The lanes of the timeline that show what each judge says, as far as it may be seen."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from annotate.segments import segment_edits as commands
from app.gui.window.main_window import MainWindow
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Changes
from project.queries.judgment_rows import reveals
from tests.builders.judgments import judged
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.mouse_and_keys import click
from widgets.timeline.lanes import HIDDEN_LABEL, SILENT_LABEL, LaneKind, VerdictBar, verdict_tooltip
from widgets.timeline.timeline_layout import HEADER, RULER

WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


@pytest.fixture
def made(tmp_path: Path) -> dict[str, str]:
    with open_study(tmp_path) as session:
        done = mark(session, "Ada", 10, 40, "competence", **WHOLE)
        theirs = mark(session, "Bo", 100, 140, "error")
        judged(session, done, "Left", label="error")
        judged(session, done, "Right", status=JudgmentStatus.UNPARSED)
        judged(session, theirs, "Left", label="competence")
        return {"study": str(session.study.path), "done": done, "theirs": theirs}


@pytest.fixture
def study(made: dict[str, str]) -> Path:
    return Path(made["study"])


@pytest.fixture
def walk(window: MainWindow) -> MainWindow:
    window.choose_recording(WALK)
    return window


def shown(window: MainWindow) -> dict[str, list[tuple[str, str]]]:
    model = window.timeline.model
    return {
        lane.title: [(item.about, item.label) for item in model.track(lane.key).items if isinstance(item, VerdictBar)]
        for lane in model.lanes
        if lane.kind is LaneKind.VERDICTS
    }


def test_each_judge_has_a_lane_and_what_is_hidden_shows_no_verdict(walk: MainWindow, made: dict[str, str]) -> None:
    session = walk.studio.session
    done, theirs = made["done"], made["theirs"]
    assert shown(walk) == {"Left": [(done, "error"), (theirs, HIDDEN_LABEL)], "Right": [(done, SILENT_LABEL)]}
    titles = [lane.title for lane in walk.timeline.model.lanes]
    assert titles.index("Left") > titles.index("Bo")
    assert [reveal.segment_id for reveal in reveals(session.study)] == [done]
    lane = next(lane for lane in walk.timeline.model.lanes if lane.title == "Left")
    told = [verdict_tooltip(lane, bar) for bar in walk.timeline.model.track(lane.key).items]
    assert "Error" in told[0]
    assert "Ada: Competence" in told[0]
    assert "Competence" not in told[1]
    walk.timeline.zoom_to_fit()
    walk.grab()


def test_a_judgment_that_arrives_and_an_edit_are_shown_when_nothing_more_comes(
    qtbot: QtBot, walk: MainWindow, made: dict[str, str]
) -> None:
    session = walk.studio.session
    said = judged(session, made["done"], "Right", label="competence", at="2026-02-01T00:00:00.000Z")
    walk.studio.bridge.publish(Changes.from_pairs([("judgment", said.id)]), None)
    qtbot.waitUntil(lambda: shown(walk)["Right"] == [(made["done"], "competence")])
    own = (100 * SECOND, 141 * SECOND, "error", {**WHOLE, "correction": "Wait."})
    walk.studio.edit(lambda s: commands.add_segment(s, WALK, *own)[1])
    qtbot.waitUntil(lambda: shown(walk)["Left"] == [(made["done"], "error"), (made["theirs"], "competence")])


def test_a_click_on_a_verdict_selects_its_segment_and_the_lanes_can_be_hidden(
    walk: MainWindow, made: dict[str, str]
) -> None:
    view = walk.timeline
    view.zoom_to_fit()
    band = next(band for band in view.bands if band.lane.title == "Left")
    x = HEADER + round(view.view.time_to_x(120 * SECOND))
    view.verticalScrollBar().setValue(0)
    click(view, QPointF(x, RULER + band.top + band.height // 2 - view.scroll_y()))
    assert [*walk.studio.selected] == [made["theirs"]]
    walk.menus.actions["verdicts"].trigger()
    assert shown(walk) == {}
    walk.menus.actions["verdicts"].trigger()
    assert set(shown(walk)) == {"Left", "Right"}
