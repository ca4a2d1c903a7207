"""`greenroom questions filter`, as somebody types it."""

from pathlib import Path
from typing import Any

import pytest

from project.entities.judgments import JudgmentStatus
from project.queries.question_rows import all_questions
from project.session.session import Session
from tests.builders.marked_study import open_study
from tests.builders.misbehaving_server import misbehaving, says
from tests.builders.questions_said import GPT, ask_about, pass_all, said
from tests.builders.terminal import Terminal


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        made = ask_about(session, 4)
        pass_all(session, made[:2])
        pass_all(session, made[2:3], GPT, {"truth": 1})
        said(session, made[3], GPT, "review_score", {}, status=JudgmentStatus.REFUSED)
    return tmp_path / "pair.greenroom"


def counts(found: dict[str, Any]) -> dict[str, tuple[int, int, int, int]]:
    return {one["step"]: (one["in"], one["kept"], one["fell"], one["open"]) for one in found["steps"]}


def test_the_funnel_is_printed_and_nothing_is_asked_or_changed(study: Path, greenroom: Terminal) -> None:
    before = study.read_bytes()
    found = greenroom.json("questions", "filter", study)
    assert counts(found) == {
        "duplicates": (4, 4, 0, 0),
        "review": (4, 3, 0, 1),
        "distractors": (3, 3, 0, 0),
        "difficulty": (3, 3, 0, 0),
        "truth": (3, 2, 1, 0),
        "separability": (2, 2, 0, 0),
        "relevance": (2, 2, 0, 0),
        "options-only": (2, 2, 0, 0),
        "stability": (2, 2, 0, 0),
    }
    assert found["survive"] == ["question-00000", "question-00001"]
    assert (found["deciding"], found["go_on"]) == ([], 4)
    (fell,) = next(one for one in found["steps"] if one["step"] == "truth")["fallen"]
    assert fell["question"] == "question-00002"
    assert fell["scores"] == [{"judge": "gpt", "value": 1, "said": "1"}]
    text = greenroom("questions", "filter", study)
    assert "2 of 4 questions survive." in text
    assert "fell  question-00002  gpt 1" in text
    assert "open  question-00003  gpt refused" in text
    assert "guessing alone drops 20 %" in text
    assert study.read_bytes() == before


def test_limits_are_set_and_steps_decide_until_that_is_undone(study: Path, greenroom: Terminal) -> None:
    found = greenroom.json("questions", "filter", study, "--step", "truth", "--set", "truth=1", "--drop")
    assert counts(found) == {"truth": (4, 3, 0, 1)}
    assert (found["deciding"], found["go_on"]) == (["truth"], 3)
    assert greenroom.json("questions", "filter", study)["go_on"] == 3
    greenroom("undo", study)
    assert greenroom.json("questions", "filter", study)["deciding"] == []
    assert greenroom.json("questions", "filter", study, "--drop")["go_on"] == 3
    assert greenroom.json("questions", "filter", study, "--no-drop")["go_on"] == 4


def test_missing_scores_are_asked_for_once(study: Path, greenroom: Terminal) -> None:
    greenroom("judge", "add", study, "always 2", "--backend", "constant", "--says", "2")
    first = greenroom.json("questions", "filter", study, "--step", "truth", "--judge", "always 2")
    assert first["asked"]["answered"] == 4
    assert counts(first) == {"truth": (4, 3, 1, 0)}
    second = greenroom.json("questions", "filter", study, "--step", "truth", "--judge", "always 2")
    assert (second["asked"]["answered"], second["cached"]) == (0, 4)


def test_harder_options_are_taken_over(tmp_path: Path, greenroom: Terminal) -> None:
    with open_study(tmp_path) as session:
        ask_about(session, 2)
    study = tmp_path / "pair.greenroom"
    harder = '"wrong_1": "Ana nods.", "wrong_2": "Ana waves.", "wrong_3": "Ana frowns.", "wrong_4": "Ana yawns."'
    likely = ", ".join(f'"plausibility_{at}": {10 * at}' for at in range(1, 5))
    with misbehaving(says(f"{{{harder}, {likely}}}")) as server:
        greenroom(
            *("judge", "add", study, "stub", "--backend", "openai", "--model", "fake-1"),
            *("--url", server.url, "--sees", "text"),
        )
        found = greenroom.json("questions", "filter", study, "--step", "distractors", "--judge", "stub", "--harden")
    assert found["taken_over"] == 2
    with Session.open(study, read_only=True) as session:
        assert {wrong_option.text for wrong_option in all_questions(session.study)[0].wrong} == {
            *("Ana nods.", "Ana waves.", "Ana frowns.", "Ana yawns."),
        }


def test_a_judge_that_the_policy_forbids_is_named_and_its_questions_stay_open(study: Path, greenroom: Terminal) -> None:
    greenroom(
        *("judge", "add", study, "far", "--backend", "openai", "--model", "m"),
        *("--url", "https://api.example.com/v1", "--sees", "text"),
    )
    said_ = greenroom("questions", "filter", study, "--step", "relevance", "--judge", "far", code=2)
    assert "far: " in said_
    assert "nothing-leaves" in said_
    greenroom("judge", "add", study, "always 3", "--backend", "constant", "--says", "3")
    found = greenroom.json(
        *("questions", "filter", study, "--step", "relevance", "--judge", "far", "--judge", "always 3")
    )
    assert found["asked"]["answered"] == 4
    assert [one["rule"] for one in found["asked"]["notes"]] == ["nothing-leaves"]
    assert counts(found) == {"relevance": (4, 4, 0, 0)}


def test_a_budget_holds_and_what_was_not_asked_stays_open(study: Path, greenroom: Terminal) -> None:
    with misbehaving(says('{"score": 3}')) as server:
        greenroom(
            *("judge", "add", study, "stub", "--backend", "openai", "--model", "fake-1"),
            *("--url", server.url, "--sees", "text"),
        )
        found = greenroom.json(
            *("questions", "filter", study, "--step", "relevance", "--judge", "stub", "--budget-tokens", "1"),
            *("--set", "relevance.judges=stub"),
        )
    assert found["asked"]["answered"] == 0
    assert found["asked"]["over_budget"] == 4
    assert counts(found) == {"relevance": (4, 0, 0, 4)}
