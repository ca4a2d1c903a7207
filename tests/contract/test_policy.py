"""Every level and rule of the policy is explained to who meets it."""

import pytest

from anonymize.egress.egress_log import LEVEL_MEANINGS, LEVEL_NAMES, OUTCOME_TEXTS, PURPOSES, EgressOutcome
from project.entities.egress_policy import RULES, EgressLevel, Purpose
from tests.contract.documentation import page


@pytest.mark.parametrize("rule", RULES)
def test_the_documentation_explains_each_rule(rule: str) -> None:
    assert f"| `{rule}` | {RULES[rule].split(' of models')[0]}" in page("what-leaves")


@pytest.mark.parametrize("level", EgressLevel)
def test_each_level_has_words_and_stands_in_the_documentation(level: EgressLevel) -> None:
    assert f"| `{level.value}`" in page("what-leaves")
    assert LEVEL_NAMES[level]
    assert LEVEL_MEANINGS[level].endswith(".")


def test_each_purpose_and_each_result_has_words() -> None:
    assert PURPOSES.keys() == set(Purpose)
    assert OUTCOME_TEXTS.keys() == set(EgressOutcome)
