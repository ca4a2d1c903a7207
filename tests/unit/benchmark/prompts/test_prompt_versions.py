"""A study asks with its own words once somebody wrote some, and keeps every version."""

import pytest

from annotate.study.recording_edits import undo
from benchmark.judge_input.input_plan import InputSettings, prompt_sha256
from benchmark.judge_input.input_planning import plan_input
from benchmark.prompts.prompt_templates import edit_prompt, prompt_for, restore_prompt, shipped_prompt, shipped_text
from project.errors import UserError
from project.queries.judgment_rows import prompt_versions, put_prompt_version
from project.session.session import Session
from tests.builders.marked_study import mark


def edited(extra: str) -> str:
    return shipped_text("verdict").replace("Which one label", f"{extra} Which one label")


def test_the_newest_of_a_studys_own_versions_is_asked_with(session: Session) -> None:
    place = mark(session, "Ada", 1, 5)
    words = InputSettings(frames=0)
    before = plan_input(session, place, "verdict", settings=words)
    assert edit_prompt(session, "verdict", edited("Think of the robot.")).ids("prompt_version") == {"verdict"}
    first = plan_input(session, place, "verdict", settings=words)
    edit_prompt(session, "verdict", edited("Think of the person."))
    second = plan_input(session, place, "verdict", settings=words)
    assert [input_plan.prompt for input_plan in (before, first, second)] == ["verdict@1", "verdict@2", "verdict@3"]
    assert "Think of the person. Which one label" in second.text
    assert len({prompt_sha256(input_plan) for input_plan in (before, first, second)}) == 3
    assert plan_input(session, place, "error", settings=words).prompt == "error@1"
    assert [*prompt_versions(session.study, "verdict")] == [2, 3]
    undo(session)
    assert prompt_for(session, "verdict").version == 2


def test_the_same_words_are_no_new_version(session: Session) -> None:
    edit_prompt(session, "verdict", edited("Think."))
    assert not edit_prompt(session, "verdict", prompt_for(session, "verdict").source)
    assert [*prompt_versions(session.study, "verdict")] == [2]


def test_what_came_with_the_program_can_be_restored(session: Session) -> None:
    assert not restore_prompt(session, "verdict")
    edit_prompt(session, "verdict", edited("Think."))
    assert restore_prompt(session, "verdict")
    assert prompt_for(session, "verdict") == shipped_prompt("verdict")
    edit_prompt(session, "verdict", edited("Think again."))
    assert prompt_for(session, "verdict").name == "verdict@4"


def test_a_prompt_that_is_wrong_is_not_kept(session: Session) -> None:
    for key, text, says in (
        ("verdict", edited("{feeling}"), "slot {feeling}"),
        ("verdict", shipped_text("error"), "key must be"),
        ("poem", shipped_text("error"), "no prompt “poem”"),
    ):
        with pytest.raises(UserError, match=says):
            edit_prompt(session, key, text)
    assert prompt_versions(session.study, "verdict") == {}


def test_after_the_largest_number_there_is_no_other_version(session: Session) -> None:
    with session.step("Damage"):
        put_prompt_version(session.study, "verdict", 2**63 - 1, "= nothing")
    with pytest.raises(UserError, match="there is no other"):
        restore_prompt(session, "verdict")


def test_a_version_that_is_damaged_is_mended_by_another(session: Session) -> None:
    for number, mend in enumerate((restore_prompt, lambda session, key: edit_prompt(session, key, edited("Think.")))):
        with session.step("Damage") as step:
            put_prompt_version(session.study, "verdict", 10 * number + 5, "= nothing")
        assert step.changes
        with pytest.raises(UserError):
            prompt_for(session, "verdict")
        assert mend(session, "verdict")
        assert prompt_for(session, "verdict").own is bool(number)
