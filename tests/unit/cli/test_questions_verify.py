"""Verifying and writing questions on the command line."""

from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from tests.builders.marked_study import WALK, open_study
from tests.builders.question_study import ask
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        session.annotator_name = "Ada"
        ask(session)
        ask(session, "What does he do?", start=30)
        add_judge(session, "first", "constant")
        add_judge(session, "knows", "oracle")
        return session.study.path


def test_two_people_verify_and_judges_are_asked_what_is_verified(study: Path, greenroom: Terminal) -> None:
    queue = greenroom.json("questions", "queue", study, "--annotator", "Ada")["questions"]
    first, second = (question["id"] for question in queue)
    verify, asking = ("questions", "verify", study), ("questions", "ask", study, "--judge", "knows")
    checks = [f"--check={text}" for text in ("by_rules", "times_right", "covers")]
    assert "missing: one_right" in greenroom(*verify, first, "--keep", *checks, code=2)
    keep = ("--keep", "--check", "all", "--difficulty", "hard")
    assert greenroom.json(*verify, first, *keep, "--annotator", "Ada")["standing"] == "once"
    label = greenroom.json("questions", "standing", study)["by_question"][first]["difficulty"]
    assert label == "", "who has not looked yet is not told what another person said"
    assert greenroom.json(*verify, first, *keep, "--annotator", "Bo")["standing"] == "verified"
    greenroom(*verify, second, "--drop", "--note", "Two are right", "--annotator", "Ada")
    told = greenroom.json("questions", "standing", study)
    assert told["standings"] == {"open": 0, "once": 1, "verified": 1, "disputed": 0, "dropped": 0}
    assert told["by_question"][first]["difficulty"] == "hard"
    assert told["agreement"]["decision"]["raw"] == 1.0
    assert "verified: 1" in greenroom("questions", "standing", study).lower()
    asked = greenroom.json(*asking)
    assert (asked["questions"], asked["cached"]) == (1, 0)
    assert greenroom.json(*asking, "--all")["questions"] == 2
    assert greenroom.json("questions", "ask", study, first, "--judge", "first", "--setting", "text")["questions"] == 1
    (judge,) = greenroom.json("consistency", study, "--judge", "knows")["judges"]
    assert (judge["judge"], judge["asked"], judge["accuracy"]["value"]) == ("knows", 1, 1.0)


def test_a_question_is_written_and_tried(study: Path, greenroom: Terminal) -> None:
    wrong = [part for text in ("She is tired", "He left", "It rains", "They won") for part in ("--wrong", text)]
    words = ("--question", "Why does she laugh?", "--answer", "He joked", *wrong, "--annotator", "Ada")
    write = ("questions", "write", study, "--recording", WALK, "--from", "12", "--to", "20", *words)
    assert "Explain" in greenroom(*write, "--why", " ", code=2)
    made = greenroom.json(*write, "--why", "She looks at him")["id"]
    trying = ("questions", "try", study, made, "--judge")
    told = greenroom.json(*trying, "first", "--annotator", "Ada")
    assert told["kept"] is (told["answers"][0]["letter"] != told["right"])
    assert not greenroom.json(*trying, "knows", "--annotator", "Ada")["kept"]
    assert "Somebody else wrote" in greenroom(*trying, "first", "--annotator", "Bo", code=2)
