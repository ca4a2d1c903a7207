"""The list of jobs: how far each is, what became of it, and what can be done with it."""

from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QAbstractButton, QProgressBar

from anonymize.release.release_job import ReleaseResult
from app.gui.jobs.jobs_panel import JobsPanel, JobState
from benchmark.judging.ask_run import RunOutcome
from project.session.jobs import load_kind
from tests.builders.mouse_and_keys import click


@pytest.fixture
def panel(qtbot):
    panel = JobsPanel()
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def button(panel, name):
    return next(child for child in panel.findChildren(QAbstractButton) if child.accessibleName() == name)


def test_a_job_runs_and_ends(panel):
    panel.add("a", "Find faces")
    assert panel.state("a") == JobState.WAITING
    panel.set_progress("a", 158, 632, "frame 158")
    assert panel.state("a") == JobState.RUNNING
    assert panel.text("a") == "25 %  frame 158"
    assert panel.findChild(QProgressBar).value() == 25
    panel.finish("a", JobState.DONE, "2 faces in 632 frames")
    assert panel.text("a") == "2 faces in 632 frames"


@pytest.mark.parametrize(
    ("kind", "result", "state"),
    [
        ("release", ReleaseResult(False), JobState.REFUSED),
        ("release", ReleaseResult(True), JobState.DONE),
        ("anonymize", SimpleNamespace(faces_left=(0.0, 0.04)), JobState.INCOMPLETE),
        ("ask", RunOutcome(answered=3, failed=1), JobState.INCOMPLETE),
        ("faces", SimpleNamespace(tracks=0), JobState.DONE),
    ],
)
def test_only_a_job_that_gave_what_was_asked_is_done(kind, result, state):
    assert JobState(load_kind(kind).outcome(result)) is state


def test_a_job_is_cancelled_and_its_result_opened_by_its_own_button(qtbot, panel):
    panel.add("a", "Find faces")
    panel.add("b", "Export")
    with qtbot.waitSignal(panel.cancel_requested) as sent:
        click(button(panel, "Cancel Find faces"))
    assert sent.args == ["a"]
    panel.finish("a", JobState.CANCELLED)
    assert panel.text("a") == "Cancelled"
    assert not button(panel, "Cancel Find faces").isVisible()
    panel.finish("b", JobState.DONE, "No face left.", openable=True)
    with qtbot.waitSignal(panel.result_requested) as sent:
        click(button(panel, "Show the result of Export"))
    assert sent.args == ["b"]
