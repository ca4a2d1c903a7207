"""What holds for every task, prompt and judge, also for those that are yet to come."""

import dataclasses
import re

import pytest

from benchmark.judge_input.subject_material import MATERIAL
from benchmark.prompts.judge_prompt import DEFAULT_TASK, TASKS, TASKS_BY_SUBJECT, VARIANTS
from benchmark.prompts.prompt_templates import shipped_prompt
from models.judges.judge_backends import BACKENDS, load_backend
from project.entities.judgments import JudgmentTargetKind
from resources.prompt_texts import prompt_keys
from tests.builders.task_items import items_for, shrec

PAPER = re.compile(r"SHREC|SOTOPIA|R3-VQA|ESI-Bench|SocialNLI|\b(?:19|20)\d\d\b")
"""One of the five by name, or another by authors and year."""


@pytest.mark.parametrize("key", TASKS)
def test_a_task_says_what_it_asks_and_can_be_asked(key: str) -> None:
    task = TASKS.make(key)
    assert task.key == key
    assert task.name.strip()
    assert task.description.endswith(".")
    assert shipped_prompt(task.prompt).key == task.prompt
    assert key in TASKS_BY_SUBJECT[task.subject]
    assert set(task.material) <= set(MATERIAL)
    assert PAPER.search(str(type(task).__doc__)), "a prompt names its paper"
    items = [*items_for(key)]
    assert items
    for item in items:
        spec = task.spec(item)
        assert spec.fields
        assert all(spec.has_field(name) for name in task.truth(item))
        assert not set(task.item_texts(item)) & {answer_field.field.name for answer_field in spec.fields}


def test_what_is_not_there_cannot_be_asked_about() -> None:
    for key in (*TASKS_BY_SUBJECT[JudgmentTargetKind.QUESTION], *TASKS_BY_SUBJECT[JudgmentTargetKind.CHAIN]):
        assert TASKS.make(key).inapplicable_reason(shrec()).endswith("."), key


def test_the_default_is_a_task_and_every_prompt_is_of_one() -> None:
    assert DEFAULT_TASK in TASKS_BY_SUBJECT[JudgmentTargetKind.SEGMENT]
    assert set(prompt_keys()) == {TASKS.make(key).prompt for key in TASKS}
    for key in prompt_keys():
        assert set(shipped_prompt(key).variants) == set(VARIANTS)


@pytest.mark.parametrize("key", BACKENDS)
def test_a_backend_says_what_can_be_set(key: str) -> None:
    for spec in dataclasses.fields(load_backend(key).options_type):
        assert spec.metadata["title"].strip()
        assert spec.metadata["description"].strip().endswith(".")
        if "minimum" in spec.metadata:
            assert spec.metadata["minimum"] <= spec.default <= spec.metadata["maximum"]
        elif not isinstance(spec.default, bool):
            assert spec.default in spec.metadata.get("choices", (spec.default,))
