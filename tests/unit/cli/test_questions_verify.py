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


def test_two_people_verify_from_the_queue_to_the_standing(study: Path, greenroom: Terminal) -> None:
    first, second = (
        one["id"] for one in greenroom.json("questions", "queue", study, "--annotator", "Ada")["questions"]
    )
    verify = ("questions", "verify", study)
    assert "missing: one_right" in greenroom(
        *verify, first, "--keep", *(f"--check={text}" for text in ("by_rules", "times_right", "covers")), code=2
    )
    said = greenroom.json(*verify, first, "--keep", "--check", "all", "--difficulty", "hard", "--annotator", "Ada")
    assert said["standing"] == "once"
    label = greenroom.json("questions", "standing", study)["by_question"][first]["difficulty"]
    assert label == "", "who has not looked yet is not told what another person said"
    corrected = ("--correct", "--check", "all", "--answer", "He told a joke.", "--annotator", "Bo")
    assert greenroom.json(*verify, first, *corrected)["standing"] == "once"
    (again, _) = greenroom.json("questions", "queue", study, "--annotator", "Ada")["questions"]
    assert (again["id"], again["again"]) == (first, True)
    kept = greenroom.json(*verify, first, "--keep", "--check", "all", "--difficulty", "hard", "--annotator", "Ada")
    assert kept["standing"] == "verified"
    assert greenroom.json("questions", "standing", study)["by_question"][first]["difficulty"] == "hard"
    for who in ("Ada", "Bo"):
        greenroom(*verify, second, "--drop", "--note", "Two are right", "--annotator", who)
    told = greenroom.json("questions", "standing", study)
    assert told["standings"] == {"open": 0, "once": 0, "verified": 1, "disputed": 0, "dropped": 1}
    assert told["agreement"]["decision"] == {"pairs": 2, "agreeing": 2, "raw": 1.0, "kappa": 1.0}
    assert "verified: 1" in greenroom("questions", "standing", study).lower()
    greenroom(*verify, second, "--withdraw", "--annotator", "Bo")
    assert greenroom.json("questions", "standing", study)["standings"]["once"] == 1


def test_a_question_is_written_and_tried(study: Path, greenroom: Terminal) -> None:
    wrong = [part for text in ("She is tired", "He left", "It rains", "They won") for part in ("--wrong", text)]
    words = ("--question", "Why does she laugh?", "--answer", "He joked", *wrong, "--annotator", "Ada")
    write = ("questions", "write", study, "--recording", WALK, "--from", "12", "--to", "20", *words)
    assert "Explain" in greenroom(*write, "--why", " ", code=2)
    outcomes = set()
    for _ in range(5):
        made = greenroom.json(*write, "--why", "She looks at him")["id"]
        told = greenroom.json("questions", "try", study, made, "--judge", "first", "--annotator", "Ada")
        assert told["kept"] is (told["answers"][0]["letter"] != told["right"])
        outcomes.add(told["kept"])
    assert outcomes == {True, False}, "the right option stands in each place once"
    told = greenroom.json("questions", "try", study, made, "--judge", "knows", "--annotator", "Ada")
    assert not told["kept"]
    assert "Somebody else wrote" in greenroom(
        "questions", "try", study, made, "--judge", "first", "--annotator", "Bo", code=2
    )


def test_judges_are_asked_what_is_verified_and_measured(study: Path, greenroom: Terminal) -> None:
    ask_them = ("questions", "ask", study, "--judge", "knows")
    assert "No question is verified yet" in greenroom(*ask_them, code=2)
    (first, _) = (one["id"] for one in greenroom.json("questions", "queue", study, "--annotator", "Ada")["questions"])
    for who in ("Ada", "Bo"):
        greenroom("questions", "verify", study, first, "--keep", "--check", "all", "--annotator", who)
    told = greenroom.json(*ask_them)
    assert (told["questions"], told["cached"]) == (1, 0)
    assert greenroom.json(*ask_them)["cached"] == 1
    assert greenroom.json(*ask_them, "--all")["questions"] == 2
    (judge,) = greenroom.json("consistency", study)["judges"]
    assert (judge["judge"], judge["asked"], judge["accuracy"]["value"]) == ("knows", 1, 1.0)
    assert greenroom.json("questions", "ask", study, first, "--judge", "first", "--setting", "text")["questions"] == 1
