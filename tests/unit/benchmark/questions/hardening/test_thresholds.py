"""Limits of a study: the paper's at first, held to their range, undone, merged, and never loosened by damage."""

from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from annotate.team.study_copies import merge_copies
from app.merge_text import describe_conflict
from benchmark.authoring import question_requests as thresholds
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_rules import (
    STEPS,
    FilterRule,
    ScoreCombination,
    default_rule,
    read_rules,
    rule_property,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.history_rows import all_conflicts
from project.session.session import Session
from tests.builders.marked_study import mark, open_study


def set_(session: Session, *said: str) -> None:
    rules = read_rules(session.study)
    for text in said:
        key, rules[key] = thresholds.parse_rule(session, text, rules)
    thresholds.set_rules(session, rules)


def test_they_are_set_kept_and_undone(session: Session) -> None:
    add_judge(session, "a", "oracle", "", {})
    add_judge(session, "b", "random", "", {})
    set_(session, "difficulty=3", "truth.several=mean", "options-only.runs=5", "review.judges=a+b")
    rules = read_rules(session.study)
    assert rules["difficulty"].limit == 3
    assert rules["truth"].several is ScoreCombination.MEAN
    assert rules["options-only"].runs == 5
    assert len(rules["review"].judges) == 2
    set_(session, "review.judges=all")
    assert read_rules(session.study)["review"].judges == ()
    session.study.undo()
    session.study.undo()
    assert read_rules(session.study) == {key: default_rule(step) for key, step in STEPS.items()}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("difficulty", "sets nothing"),
        ("difficulty=", "sets nothing"),
        ("=2", "sets nothing"),
        ("taste=2", "no step “taste”"),
        ("difficulty=4", "“4” is no limit for difficulty"),
        ("difficulty=-1", "“-1” is no limit"),
        ("difficulty=two", "no whole number"),
        ("difficulty=2.5", "no whole number"),
        (f"difficulty={'9' * 5000}", "no whole number"),
        ("difficulty.runs=2", "number of runs"),
        ("stability.runs=1", "number of runs"),
        ("stability=0", "no limit"),
        ("options-only.runs=999", "number of runs"),
        ("options-only=100", "no limit"),
        ("truth.several=median", "not allowed"),
        ("truth.judges=nobody", "no judge “nobody”"),
        ("truth.colour=red", "nothing called “colour”"),
        ("difficulty=\N{SUPERSCRIPT TWO}", "no whole number"),
    ],
)
def test_what_cannot_be_set_is_one_line(session: Session, said: str, told: str) -> None:
    with pytest.raises(UserError, match=told) as caught:
        set_(session, said)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_step_that_drops_nothing_cannot_decide(session: Session) -> None:
    with pytest.raises(UserError, match="cannot decide"):
        thresholds.set_deciding_steps(session, ["distractors"])
    thresholds.set_deciding_steps(session, ["truth", "difficulty"])
    assert {key for key, filter_rule in read_rules(session.study).items() if filter_rule.decides} == {
        "truth",
        "difficulty",
    }
    thresholds.set_deciding_steps(session, [])
    assert not any(rule.decides for rule in read_rules(session.study).values())


@pytest.mark.parametrize(
    "found",
    [
        3,
        "strict",
        [],
        {},
        {"limit": 0},
        {"limit": "0", "runs": 1, "several": "mean", "judges": [], "decides": False},
        {"limit": -5, "runs": 1, "several": "mean", "judges": [], "decides": False},
        {"limit": 0, "runs": 1, "several": "mean", "judges": [4], "decides": False},
        {"limit": 0, "runs": 1, "several": "any", "judges": [], "decides": False},
        {"limit": True, "runs": 1, "several": "mean", "judges": [], "decides": False},
        {"limit": 0, "runs": 1, "several": "mean", "judges": [], "decides": "no"},
    ],
)
def test_what_cannot_be_understood_lets_nothing_through(session: Session, found: Json) -> None:
    with session.step("Damage"):
        session.study.set_property(rule_property("truth"), found)
    assert read_rules(session.study)["truth"] == FilterRule(2, 1, decides=True)


def test_two_people_who_change_different_limits_keep_both(tmp_path: Path) -> None:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 1, 2)
    other = tmp_path / "other.greenroom"
    copy(tmp_path / "pair.greenroom", other)
    with Session.open(other, "Ben") as session:
        set_(session, "difficulty=3")
        set_(session, "truth=1")
    with Session.open(tmp_path / "pair.greenroom", "Ada") as session:
        set_(session, "review=5")
        set_(session, "truth=0")
        merge_copies(session, [other])
        rules = read_rules(session.study)
        assert (rules["difficulty"].limit, rules["review"].limit) == (3, 5)
        assert rules["truth"].limit == 0
        (conflict,) = all_conflicts(session.study)
        found = describe_conflict(session, conflict)
        assert found.title == "Filter of questions: right answer"
        assert [
            (conflict_line.name, conflict_line.ours, conflict_line.theirs) for conflict_line in found.differing
        ] == [("limit", "0", "1")]
        assert ("decides", "no", "no") in [(line.name, line.ours, line.theirs) for line in found.lines]


def test_limits_that_are_as_before_are_no_step(session: Session) -> None:
    rules = read_rules(session.study)
    assert not thresholds.set_rules(session, {"truth": rules["truth"]})
    assert thresholds.set_rules(session, {"truth": replace(rules["truth"], limit=1)})
