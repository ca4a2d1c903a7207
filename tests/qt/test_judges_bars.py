"""The bar of who is asked, the queue, and the inspector, apart from any study."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from app.gui.judges.judge_bars import JudgeQueueBar, QueueLine
from app.gui.judges.request_facts import JudgeRequestPreview, SentMessage, SentPicture
from app.gui.judges.request_inspector import SentView
from widgets.form.checklists import TickMenu, TickMenuItem

LINES = (
    QueueLine("1", "File", "this machine", running=1, waiting=2, done=3),
    QueueLine("2", "<b>Server</b>", "api.example.org", done=2, failed=1),
)


def sent(forbidden: str = "") -> JudgeRequestPreview:
    picture = QImage(64, 36, QImage.Format.Format_RGB32)
    picture.fill(QColor("teal"))
    frames = tuple(SentPicture(f"{at}.0 s", "64 x 36", 1000 + at, f"{at:064d}", picture) for at in range(3))
    messages = (SentMessage("system", "Watch."), SentMessage("user", "<img src=http://127.0.0.1:9/x.png>", frames))
    return JudgeRequestPreview(
        "Server, raw",
        destination="api.example.org",
        is_local=False,
        permission="" if forbidden else "anonymized",
        forbidden=forbidden,
        messages=messages,
        form='{"type": "object"}',
    )


def test_the_queue_says_what_runs_where_and_cancels_one_or_all(qtbot: QtBot) -> None:
    bar = JudgeQueueBar()
    qtbot.addWidget(bar)
    assert bar.isHidden()
    bar.show_lines(LINES)
    assert bar.unfold.text() == "▸ 1 running · 2 waiting · 5 done · 1 failed"
    bar.unfold.click()
    texts = [child.text() for child in bar.findChildren(QLabel)]
    assert texts[:3] == ["File", "this machine", "1 running · 2 waiting · 3 done"]
    assert texts[3:] == ["<b>Server</b>", "api.example.org", "2 done · 1 failed"]
    assert all(child.textFormat() is Qt.TextFormat.PlainText for child in bar.findChildren(QLabel))
    (stop,) = bar.findChildren(QToolButton)
    with qtbot.waitSignal(bar.cancel_requested) as one:
        stop.click()
    with qtbot.waitSignal(bar.cancel_requested) as every:
        bar.cancel_all.click()
    assert (one.args, every.args) == (["1"], [""])


def test_the_list_ticks_and_offers_what_can_be_done_with_each(qtbot: QtBot) -> None:
    menu = TickMenu("Judges", "Choose judges")
    qtbot.addWidget(menu)
    menu.set_entries([TickMenuItem("1", "File"), TickMenuItem("2", "R&D server")])
    menu.set_actions({"add": "&Add judge…"}, {"edit": "&Edit"})
    listed = menu.menu()
    listed.aboutToShow.emit()
    first, second, _line, add, edit = listed.actions()
    assert second.text() == "R&&D server"
    first.trigger()
    second.trigger()
    assert menu.ticked_keys() == ("1", "2")
    assert menu.accessibleName() == "Judges: File, R&D server"
    with qtbot.waitSignal(menu.action_requested) as added:
        add.trigger()
    with qtbot.waitSignal(menu.action_requested) as edited:
        next(child for child in listed.findChildren(QMenu)).actions()[1].trigger()
    assert edit.text() == "&Edit"
    assert (added.args, edited.args) == (["add", ""], ["edit", "2"])


@pytest.mark.parametrize("before", [True, False])
def test_what_is_forbidden_cannot_be_sent_from_the_inspector(qtbot: QtBot, before: bool) -> None:
    view = SentView("What is sent", ["Server, raw"], before=before)
    qtbot.addWidget(view)
    view.show_preview(sent("The policy lets nothing leave this machine. (rule nothing-leaves)"))
    assert not view.ask.isEnabled()
    assert view.ask.isHidden() is not before
    texts = [child.text() for child in view.findChildren(QLabel)]
    assert "Server, raw: would leave this machine, for api.example.org" in texts
    assert any("rule nothing-leaves" in text for text in texts)
    view.show_placeholder("Reading the frames…")
    assert view.current_preview() is None
    assert not view.ask.isEnabled()
