"""Judges word ESI questions on the command line."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.judging.judge_registry import add_judge
from project.session.session import Session
from tests.builders.marked_study import open_study
from tests.builders.misbehaving_server import misbehaving
from tests.builders.terminal import Terminal
from tests.builders.worded_questions import GOOD, scripted

FOUR = {**GOOD, "dimension": "IFA"}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        return session.study.path


def judge(study: Path, name: str, url: str) -> None:
    with Session.open(study, "Ada") as session:
        add_judge(session, name, "openai", "fake", {"url": url, "sees": "text", "tries": 1})


def test_esi_questions_of_a_recording(study: Path, greenroom: Terminal) -> None:
    with misbehaving(scripted(lambda _: FOUR)) as server:
        judge(study, "one", server.url)
        told = ("questions", "esi", study, "--recording", "1", "--rounds", "1", "--each", "1")
        found: dict[str, Any] = greenroom.json(*told)
        assert found["by_kind"] == {"ESI": 1}
        assert greenroom.json(*told)["skipped"] == {"It is there already.": 1}


def test_what_cannot_be_used_or_asked_is_told(study: Path, greenroom: Terminal) -> None:
    with misbehaving(scripted(lambda _: {**FOUR, "wrong_1": FOUR["answer"]})) as server:
        judge(study, "one", server.url)
        told = greenroom("questions", "esi", study, "--recording", "walk", "--rounds", "1", "--each", "1")
        assert told.splitlines() == [
            "Made 0 questions: 0 ESI",
            "Not made: 1. The answer is among the wrong options.",
        ]
    judge(study, "far", "https://a.example/v1")
    command = ("questions", "esi", study, "--recording", "1", "--judge", "far")
    assert "(rule nothing-leaves)" in greenroom(*command, code=2)
