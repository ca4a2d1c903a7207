"""Every level and rule of the policy is explained to who meets it."""

import pytest

from app.core.leaving.journal import FATES, PURPOSES, Fate
from app.core.leaving.policy_words import LEVELS, MEANINGS
from project.policy import RULES, Level, Purpose
from tests.contract.documentation import page


@pytest.mark.parametrize("rule", RULES)
def test_the_documentation_explains_each_rule(rule: str) -> None:
    assert f"| `{rule}` | {RULES[rule].split(' of models')[0]}" in page("what-leaves")


@pytest.mark.parametrize("level", Level)
def test_each_level_has_words_and_stands_in_the_documentation(level: Level) -> None:
    assert f"| `{level.value}`" in page("what-leaves")
    assert LEVELS[level]
    assert MEANINGS[level].endswith(".")


def test_each_purpose_and_each_result_has_words() -> None:
    assert PURPOSES.keys() == set(Purpose)
    assert FATES.keys() == set(Fate)
